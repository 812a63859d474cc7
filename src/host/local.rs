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
