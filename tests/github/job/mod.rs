//! The whole job: the program as the action starts it, a host over real SSH, and the GitHub of our own.

mod cancel;
mod command;
mod events;
mod faults;
mod fixture;
mod leaves;
mod ledger;
mod merge;
mod runner;
mod runner_service;
mod secret;
mod waiting;

pub use fixture::Job;
