//! This machine as a host: the same command lines as over SSH, given to a shell here.

use std::process::Stdio;

use tokio::{io::AsyncWriteExt, process::Command};

use super::{Cmd, Output};

/// Runs a command to its end. It has a process group of its own, so that Ctrl-C in the terminal does not reach it: what is
/// to end, we end.
pub(super) async fn output(cmd: &Cmd) -> std::io::Result<Output> {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(cmd.to_shell())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let mut stdin = child.stdin.take();
    let feed = async {
        if let Some(pipe) = stdin.as_mut() {
            // A command that does not read its input closes the pipe: that is its business.
            let _ = pipe.write_all(cmd.input()).await;
        }
        stdin.take().filter(|_| cmd.is_tethered())
    };
    let (held, output) = tokio::join!(feed, child.wait_with_output());
    drop(held);
    let output = output?;
    Ok(Output { code: output.status.code(), stdout: output.stdout, stderr: output.stderr })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn gone(pid: &str) -> bool {
        for _ in 0..100 {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
            if stat.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with('Z')) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        false
    }

    #[tokio::test]
    async fn a_tethered_command_has_its_own_status_and_output_and_leaves_what_it_left() {
        let line = "sleep 60 >/dev/null 2>&1 & echo $!; echo e >&2; exit 7";
        let output = output(&Cmd::line(line).cwd("/").tethered()).await.unwrap();
        assert_eq!((output.code, output.stderr.as_slice()), (Some(7), &b"e\n"[..]));
        let pid = output.text();
        tokio::time::sleep(Duration::from_millis(700)).await;
        assert!(std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "a service that it started");
        let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }

    #[tokio::test]
    async fn a_tethered_command_ends_with_its_children_when_nobody_waits_any_more() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pid");
        let line =
            format!("trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo $! >{}; wait", file.display());
        let waited = tokio::time::timeout(Duration::from_millis(800), output(&Cmd::line(&line).tethered())).await;
        assert!(waited.is_err(), "{waited:?}");
        assert!(gone(&std::fs::read_to_string(file).unwrap()).await);
    }
}
