//! The way of a run, end to end: the real program over real SSH servers with different users, against small applications
//! and benchmarkers that are shell scripts. Each module is a topic; `field` is the language that they are written in.

pub mod rig;

mod way {
    mod afterwards;
    mod benchmarker;
    mod build;
    mod connection;
    mod evidence;
    mod evidence_faults;
    mod field;
    mod happy;
    mod interrupted;
    mod killed;
    mod lease;
    mod outputs;
    mod ports;
    mod prepare;
    mod program;
    mod quoting;
    mod ready;
    mod resumed;
    mod servers;
    mod takeover;
    mod unreachable;
}
