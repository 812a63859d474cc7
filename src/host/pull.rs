//! Copying files from a host: SFTP with many reads in flight (one after the other it is ten times slower than `scp`), or a
//! plain copy on this machine.

use std::{
    io::SeekFrom,
    path::{Path, PathBuf},
    sync::Arc,
};

use futures::{StreamExt, TryStreamExt, future::join_all, stream};
use openssh::Session;
use openssh_sftp_client::{Error as SftpError, Sftp, SftpOptions, error::SftpErrorKind};
use tokio::{
    fs,
    io::{AsyncSeekExt, AsyncWriteExt},
};

use super::HostError;

/// Bytes asked for at a time; OpenSSH's server answers no more than 256 KiB less a header.
const CHUNK: u64 = 255 * 1024;
/// Requests in flight.
const PIPELINE: usize = 32;

/// Why a file could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// There is no such file.
    #[error("{0} does not exist on the host")]
    Missing(String),
    /// It may not be read by the user that we are there.
    #[error("{0} may not be read by the user that we are on the host")]
    Denied(String),
    /// The connection, or this machine's disk.
    #[error(transparent)]
    Host(#[from] HostError),
}

pub(super) async fn copy(remote: &str, local: &Path) -> Result<u64, PullError> {
    fs::copy(remote, local).await.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound if !Path::new(remote).exists() => PullError::Missing(remote.into()),
        std::io::ErrorKind::PermissionDenied => PullError::Denied(remote.into()),
        _ => PullError::Host(HostError::Io { host: "this machine".into(), reason: format!("copying {remote}: {e}") }),
    })
}

/// Several files over one SFTP session: opening one costs more than a small file.
pub(super) async fn sftp(
    host: &str,
    session: Arc<Session>,
    files: &[(String, PathBuf)],
) -> Result<Vec<Result<u64, PullError>>, PullError> {
    let lost = |e: SftpError| PullError::Host(HostError::Lost { host: host.into(), reason: format!("SFTP: {e}") });
    let sftp = Sftp::from_clonable_session(session, SftpOptions::default()).await.map_err(lost)?;
    let pulled = join_all(files.iter().map(|(remote, local)| one(host, &sftp, remote, local))).await;
    // An error here changes nothing for bytes already read.
    let _ = sftp.close().await;
    Ok(pulled)
}

async fn one(host: &str, sftp: &Sftp, remote: &str, local: &Path) -> Result<u64, PullError> {
    let lost = |e: SftpError| match e {
        SftpError::SftpError(SftpErrorKind::NoSuchFile, _) => PullError::Missing(remote.into()),
        SftpError::SftpError(SftpErrorKind::PermDenied, _) => PullError::Denied(remote.into()),
        e => PullError::Host(HostError::Lost { host: host.into(), reason: format!("SFTP of {remote}: {e}") }),
    };
    let disk = |e: std::io::Error| {
        PullError::Host(HostError::Io { host: host.into(), reason: format!("writing {}: {e}", local.display()) })
    };
    let mut file = sftp.open(remote).await.map_err(lost)?;
    let size = file.metadata().await.map_err(lost)?.len().unwrap_or(0);
    let mut out = fs::File::create(local).await.map_err(disk)?;
    let chunks = stream::iter((0..size).step_by(CHUNK as usize)).map(|from| {
        let mut file = file.clone();
        async move {
            let mut left = CHUNK.min(size - from) as u32;
            let mut bytes = Vec::with_capacity(left as usize);
            file.seek(SeekFrom::Start(from)).await.map_err(SftpError::IOError)?;
            while left > 0 {
                // A file that shrank under our hands ends here; the size check below tells.
                let Some(part) = file.read(left, Default::default()).await? else { break };
                left -= part.len() as u32;
                bytes.extend_from_slice(&part);
            }
            Ok::<_, SftpError>(bytes)
        }
    });
    let mut chunks = chunks.buffered(PIPELINE);
    let mut written = 0;
    while let Some(bytes) = chunks.try_next().await.map_err(lost)? {
        out.write_all(&bytes).await.map_err(disk)?;
        written += bytes.len() as u64;
    }
    drop(chunks);
    out.flush().await.map_err(disk)?;
    out.sync_all().await.map_err(disk)?;
    // Not awaiting the close would leave it to a background task; an error here changes nothing for bytes already read.
    let _ = file.close().await;
    if written != size {
        let reason = format!("{remote} had {size} bytes, {written} came");
        return Err(PullError::Host(HostError::Io { host: host.into(), reason }));
    }
    Ok(written)
}
