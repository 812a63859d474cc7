//! Files that are small, as most that a run brings are: all of them in the answer of one command. An SFTP session takes as long
//! as half a dozen commands before the first byte is here.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{fs, io::AsyncWriteExt};

use super::{Cmd, Host, HostError, pull::PullError};

const SMALL: &str = include_str!("scripts/small.sh");

/// Bytes that all files of one answer may have.
const MOST: usize = 1024 * 1024;

/// What the host answered for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    Missing,
    Other,
    Bytes(&'a [u8]),
}

/// Brings those of the files that are small, or known to be missing; `None` for the others.
///
/// # Errors
/// A lost connection, or this machine's disk.
pub(super) async fn bring(
    host: &Host,
    files: &[(String, PathBuf)],
) -> Result<Vec<Option<Result<u64, PullError>>>, HostError> {
    let args = std::iter::once(MOST.to_string()).chain(files.iter().map(|(remote, _)| remote.clone()));
    let answer = match host.output(&Cmd::script(SMALL, args), Duration::from_secs(60)).await {
        Ok(output) if output.ok() => output.stdout,
        Err(error) if error.is_lost() => return Err(error),
        _ => Vec::new(),
    };
    let mut brought = Vec::with_capacity(files.len());
    // An answer that is not whole says nothing: SFTP brings all of them then.
    let parts = parse(&answer, files.len()).unwrap_or_else(|| vec![Part::Other; files.len()]);
    for ((remote, local), part) in files.iter().zip(parts) {
        brought.push(match part {
            Part::Other => None,
            Part::Missing => Some(Err(PullError::Missing(remote.clone()))),
            Part::Bytes(bytes) => {
                let disk = |e: std::io::Error| HostError::Io {
                    host: host.name().into(),
                    reason: format!("writing {}: {e}", local.display()),
                };
                write(local, bytes).await.map_err(disk)?;
                Some(Ok(bytes.len() as u64))
            }
        });
    }
    Ok(brought)
}

async fn write(local: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = fs::File::create(local).await?;
    file.write_all(bytes).await?;
    file.flush().await?;
    file.sync_all().await
}

/// Takes an answer for `count` files apart; `None` unless it is whole.
fn parse(mut answer: &[u8], count: usize) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let end = memchr::memchr(b'\n', answer)?;
        let (line, rest) = (&answer[..end], &answer[end + 1..]);
        answer = rest;
        parts.push(match line {
            b"missing" => Part::Missing,
            b"other" => Part::Other,
            line => {
                let size = std::str::from_utf8(line.strip_prefix(b"bytes ")?).ok()?.parse().ok()?;
                let (bytes, rest) = answer.split_at_checked(size)?;
                answer = rest;
                Part::Bytes(bytes)
            }
        });
    }
    answer.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn small_files_come_byte_for_byte_and_what_is_none_is_left_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let odd: Vec<u8> = (0..=255).chain(*b"\nbytes 7\nmissing\n").collect();
        std::fs::write(path("odd"), &odd).unwrap();
        std::fs::write(path("-empty name"), "").unwrap();
        std::fs::write(path("large"), vec![0; MOST]).unwrap();
        std::fs::create_dir(path("directory")).unwrap();
        std::os::unix::fs::symlink("nowhere", path("dangling")).unwrap();
        let names = ["odd", "gone", "large", "-empty name", "directory", "dangling", "no/such"];
        let files: Vec<_> = names
            .iter()
            .map(|name| (path(name).to_string_lossy().into_owned(), path(&format!("{}.here", name.replace('/', "_")))))
            .collect();
        let brought = bring(&Host::local("here"), &files).await.unwrap();
        let shown: Vec<_> = brought
            .iter()
            .map(|one| match one {
                None => "other".to_string(),
                Some(Ok(size)) => size.to_string(),
                Some(Err(PullError::Missing(_))) => "missing".into(),
                Some(Err(error)) => error.to_string(),
            })
            .collect();
        assert_eq!(shown, [&odd.len().to_string(), "missing", "other", "0", "other", "missing", "other"]);
        assert_eq!(std::fs::read(&files[0].1).unwrap(), odd);
        assert!(!files[2].1.exists());
    }

    #[test]
    fn an_answer_that_is_not_whole_is_none() {
        for answer in ["", "missing", "bytes 3\nab", "bytes x\nab", "bytes -1\n", "missing\nother\n", "hello\n"] {
            assert_eq!(parse(answer.as_bytes(), 1), None, "{answer:?}");
        }
        assert_eq!(parse(b"bytes 2\na\n", 1), Some(vec![Part::Bytes(b"a\n")]));
    }
}
