//! Prism between us and the fake: a request or an answer that GitHub's own description does not allow becomes an error.

use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

/// What `scripts/install-github-rig` makes.
pub fn rig(path: &str) -> PathBuf {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/github-rig").join(path);
    assert!(found.exists(), "{} is missing; run scripts/install-github-rig", found.display());
    found
}

/// The port of the one Prism of this process.
pub fn port(upstream: u16) -> u16 {
    static PRISM: OnceLock<(u16, Child)> = OnceLock::new();
    PRISM.get_or_init(|| start(upstream)).0
}

fn start(upstream: u16) -> (u16, Child) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (program, description) = (rig("prism/node_modules/.bin/prism"), rig("github.json"));
    // It ends with us, however we end: its standard input ends then.
    let script =
        r#""$0" proxy -h 127.0.0.1 -p "$1" "$2" "http://127.0.0.1:$3" --errors >"$4" 2>&1 & cat >/dev/null; kill $!"#;
    let log = rig("version").with_file_name("prism.log");
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(program)
        .arg(port.to_string())
        .arg(description)
        .arg(upstream.to_string())
        .arg(&log)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(120), "Prism does not start; see {}", log.display());
        std::thread::sleep(Duration::from_millis(50));
    }
    (port, child)
}
