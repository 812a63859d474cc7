//! Runs on hosts with a real systemd, nginx and sudo: what reaches them, what is refused, and what a disturbance in the middle does.

pub mod rig;

#[path = "hosts/app.rs"]
mod app;
#[path = "hosts/deploy.rs"]
mod deploy;
#[path = "hosts/disturbed.rs"]
mod disturbed;
#[path = "hosts/nginx.rs"]
mod nginx;
#[path = "hosts/team.rs"]
mod team;
#[path = "hosts/trouble.rs"]
mod trouble;
#[path = "hosts/units.rs"]
mod units;
