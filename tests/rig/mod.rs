//! Real parts for the end-to-end tests: SSH servers, hosts that run systemd,
//! git remotes. Nothing here pretends: each part is the program that a
//! contestant's machine runs.
//!
//! Include it as `pub mod rig;`. A part is stopped when its value is dropped,
//! also when the test panics. When the whole test process dies, a guard process
//! removes what is left ([`scope`]).
//!
//! `scripts/install-test-deps` installs what the parts need,
//! `scripts/make-sysroot` builds what the systemd hosts run on.

pub mod git_http;
pub mod git_remote;
pub mod go;
pub mod network;
pub mod process;
pub mod scope;
pub mod ssh;
pub mod sshd;
pub mod systemd_host;
