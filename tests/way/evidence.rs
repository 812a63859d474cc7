//! Evidence of isutools, against the demo application: its stand-in speaks isutools' contract.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::OnceLock,
};

use anyhow::{Context, Result, anyhow};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::field::{BENCH, Field};
use crate::rig::{go, process};

/// A field whose application on app1 is the demo's, with an admin server.
pub struct Chairs {
    pub field: Field,
    pub app: u16,
    pub admin: u16,
}

impl Chairs {
    /// `settings`: more environment of the application, `NAME=VALUE` a line; the stand-in's faults among it.
    pub fn new(settings: &str) -> Result<Chairs> {
        let mut field = Field::new()?;
        let program = field.app1.sshd().home().join("chairs");
        if !program.exists() {
            let unique = program.with_extension(format!("{:?}", std::thread::current().id()));
            std::fs::copy(built()?, &unique).context("cannot put the demo application on the host")?;
            std::fs::rename(&unique, &program)?;
        }
        let held = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
        let (app, admin) = (held[0].local_addr()?.port(), held[1].local_addr()?.port());
        let dir = &field.app1.dir;
        let environment = format!(
            "CHAIRS='{}'\nADDR=127.0.0.1:{app}\nISUTOOLS_ADDR=127.0.0.1:{admin}\nISUTOOLS_DATA_DIR='{dir}/data'\nDB_PATH='{dir}/chairs.db'\n{settings}\n",
            program.display()
        );
        field.app1.write("data/.keep", "")?;
        field.app1.write("run/chairs.env", &environment)?;
        field.app1.give(&field.app1.real.join("run"))?;
        let isutools = format!(
            "isutools: [{{ on: app1, url: \"http://127.0.0.1:{admin}\", data_dir: \"{dir}/data\" }}]\nbench:\n"
        );
        let ready = format!("ready: [{{ on: app1, http: \"http://127.0.0.1:{app}/healthz\", within: 20s }}, ");
        field.configure("\nbench:\n", &format!("\n{isutools}"))?;
        field.configure("ready: [", &ready)?;
        field.bench_script(&format!("{}{BENCH}", load(app, "/")))?;
        Ok(Chairs { field, app, admin })
    }

    /// What the record holds of isutools.
    pub fn evidence(&self) -> Result<Value> {
        Ok(self.field.record()?["isutools"][0].clone())
    }

    /// One request to the admin server: status line, headers and body.
    pub fn ask(&self, method: &str, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.admin))?;
        write!(stream, "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Ok(process::text(&bytes))
    }

    /// Ends the application as a crash does.
    pub fn kill(&self) -> Result<()> {
        process::signal("KILL", &[self.field.app1.read("run/chairs.pid").parse()?])
    }
}

/// A script's line that asks the application for something, and does not wait for the answer.
pub fn load(port: u16, path: &str) -> String {
    format!("(exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET {path} HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3 >/dev/null) &\n")
}

/// The demo's application, built once.
fn built() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || -> Result<PathBuf> {
        let program = go::caches()?.join("chairs");
        go::build("app", ".", &program)?;
        Ok(program)
    };
    BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}"))).clone().map_err(|error| anyhow!(error))
}

#[test]
fn a_snapshot_is_pulled_and_is_the_one_that_save_spoke_of() -> Result<()> {
    let chairs = Chairs::new("")?;
    chairs.field.isugate(&["bench"])?.exits(0).says(&["GET /"]);
    let evidence = chairs.evidence()?;
    assert_eq!((&evidence["validity"], &evidence["problems"]), (&"valid".into(), &Value::Null), "{evidence}");
    let run = chairs.field.runs().pop().context("no run")?;
    let bytes = std::fs::read(run.join("evidence/app1-isutools.json"))?;
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(evidence["sha256"], sum);
    let snapshot: Value = serde_json::from_slice(&bytes)?;
    assert_eq!(snapshot["meta"]["run"]["run_id"], evidence["run_id"]);
    assert_eq!(
        (&snapshot["meta"]["score"], &snapshot["meta"]["benchmark_pass"]),
        (&"1000".into(), &true.into()),
        "{}",
        snapshot["meta"]
    );
    chairs.field.tidy()
}

#[test]
fn a_snapshot_that_the_user_may_not_read_comes_through_the_admin_server() -> Result<()> {
    let mut chairs = Chairs::new("")?;
    let field = &mut chairs.field;
    // The same files as seen through a directory that is closed.
    field.app1.write("closed/data/.keep", "")?;
    let closed = field.app1.real.join("closed");
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o000))?;
    let dir = field.app1.dir.clone();
    field.configure(&format!("data_dir: \"{dir}/data\""), &format!("data_dir: \"{dir}/closed/data\""))?;
    field.isugate(&["bench"])?.exits(0);
    let evidence = chairs.evidence()?;
    assert_eq!((&evidence["validity"], &evidence["problems"]), (&"valid".into(), &Value::Null), "{evidence}");
    Ok(())
}

#[test]
fn an_interruption_during_the_benchmark_drops_the_isutools_run() -> Result<()> {
    let chairs = Chairs::new("")?;
    chairs.field.bench_script("echo begun; sleep 30")?;
    let running = chairs.field.start(&["bench"])?.until("bench | begun")?;
    running.signal("INT")?.end()?.exits(130).within(7);
    assert!(chairs.ask("POST", "/save")?.contains("run-not-active"));
    chairs.field.tidy()
}

#[test]
fn an_interruption_while_the_snapshot_is_written_is_over_soon_too() -> Result<()> {
    let chairs = Chairs::new("STANDIN_SAVE_DELAY=30s")?;
    let running = chairs.field.start(&["bench"])?.until("save …")?;
    std::thread::sleep(std::time::Duration::from_millis(500));
    let run = running.signal("TERM")?.end()?.exits(130).within(7);
    run.says(&["interrupted", "app1: commit", "files of this run:"]).hides(&["could not be aborted"]);
    let said = chairs.ask("POST", "/save")?;
    assert!(said.contains("run-already-saved") || said.contains("run-not-active"), "{said}");
    // What the benchmarker said is not lost.
    assert!(chairs.field.last("bench/stdout").contains("スコア=1000"));
    chairs.field.tidy()
}
