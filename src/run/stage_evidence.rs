//! The stages reset, save and pull: isutools' run around the benchmark, and the evidence brought here. Evidence explains and never
//! decides: what fails here is said in the report, and the run counts.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Session, Way};
use crate::{
    deploy::hex,
    exit::{Exit, Failure},
    host::Cmd,
    isutools::{
        Client, IsutoolsError, Saved,
        snapshot::{self, Expected},
    },
    ledger::{EvidenceFile, IsutoolsRecord},
    report::Stage,
    result::{Outcome, Parsed},
};

/// How long an admin server may take to be there after a restart.
const START: Duration = Duration::from_secs(10);

/// Opens a run on every admin server, right before the load.
///
/// # Errors
/// Only where isutools is required.
pub async fn reset(way: &mut Way<'_>, session: &Session) -> Result<Vec<IsutoolsRecord>, Failure> {
    if session.isutools.is_empty() {
        return Ok(Vec::new());
    }
    way.stage(Stage::Reset, async |way: &mut Way| {
        let open = |client: &Client| {
            let client = client.clone();
            async move { client.open(START).await }
        };
        let results = join_all(session.isutools.iter().map(open)).await;
        let mut records = Vec::new();
        for ((client, result), entry) in session.isutools.iter().zip(results).zip(&way.setting.config.isutools) {
            let mut record = IsutoolsRecord { host: client.host().into(), ..Default::default() };
            match result {
                Ok(run) => {
                    way.note(Stage::Reset, json!({"host": client.host(), "isutools_run": run}))?;
                    way.open.isutools.push((client.clone(), run.clone()));
                    record.run_id = Some(run);
                }
                Err(error) if entry.required => {
                    return Err(Failure::new(Exit::Isutools, error.to_string(), error.next()));
                }
                Err(error) => {
                    way.warn(format!("no isutools evidence: {error}; {}", error.next()));
                    record.problems.push(error.to_string());
                }
            }
            records.push(record);
        }
        let ids: Vec<_> = records.iter().filter_map(|r| r.run_id.as_deref()).collect();
        let outcome = if ids.is_empty() { "no isutools run".into() } else { ids.join(", ") };
        Ok((records, outcome))
    })
    .await
}

/// Closes every open run with the result, or drops it when there is no result to save.
///
/// # Errors
/// The journal; [`Exit::Interrupted`], with the runs still open.
pub async fn save(
    way: &mut Way<'_>,
    session: &Session,
    result: &Parsed,
    records: &mut [IsutoolsRecord],
) -> Result<Vec<(Client, Saved)>, Failure> {
    if way.open.isutools.is_empty() {
        return Ok(Vec::new());
    }
    way.stage(Stage::Save, async |way: &mut Way| {
        let open = std::mem::take(&mut way.open.isutools);
        let score = result.score.or(result.reported_score);
        let run = way.id.clone();
        let cancel = way.setting.cancel.clone();
        let cancel = &cancel;
        let one = |(client, id): &(Client, String)| {
            let (client, id) = (client.clone(), id.clone());
            let site = session.sites.iter().find(|site| site.host.name() == client.host());
            let dir = site.map(|site| format!("{}/runs/{run}/save-{id}", site.facts.state)).unwrap_or_default();
            async move {
                if result.outcome == Outcome::Invalid {
                    return client.abort().await.map(|()| None);
                }
                match client.save(&dir, score, result.outcome == Outcome::Pass, cancel).await {
                    Ok(saved) => Ok(Some(saved)),
                    Err(error) => rescue(&client, &id, error).await.map(Some),
                }
            }
        };
        let results = join_all(open.iter().map(one)).await;
        if results.iter().any(|result| matches!(result, Err(IsutoolsError::Interrupted))) {
            way.open.isutools = open;
            return Err(super::session::interrupted());
        }
        let mut saved = Vec::new();
        let mut said = Vec::new();
        for ((client, id), result) in open.into_iter().zip(results) {
            let record = records.iter_mut().find(|r| r.run_id.as_deref() == Some(&id));
            match result {
                Ok(Some(answer)) => {
                    said.push(answer.snapshot_file.clone());
                    if let Some(record) = record {
                        record.snapshot = Some(answer.snapshot_file.clone());
                        record.sha256 = Some(answer.snapshot_sha256.clone());
                    }
                    saved.push((client, answer));
                }
                Ok(None) => {
                    said.push(format!("{id} aborted: there is no result to save with it"));
                    if let Some(record) = record {
                        record.problems.push("aborted: the benchmark gave no result".into());
                    }
                }
                Err(error) => {
                    // Left open it would spoil the next run; a run that is already closed does not mind.
                    let _ = client.abort().await;
                    way.warn(format!("no isutools evidence: {error}; {}", error.next()));
                    said.push(error.to_string());
                    if let Some(record) = record {
                        record.problems.push(error.to_string());
                    }
                }
            }
        }
        Ok((saved, said.join("; ")))
    })
    .await
}

/// The answer of `/save` may be lost and the snapshot there all the same: it is searched by the run's id, never asked for twice.
async fn rescue(client: &Client, run: &str, error: IsutoolsError) -> Result<Saved, IsutoolsError> {
    if !matches!(error, IsutoolsError::Absent { .. } | IsutoolsError::Host(_)) {
        return Err(error);
    }
    let found = client.find(run).await.unwrap_or_default();
    match found.as_slice() {
        [name] => Ok(Saved { snapshot_file: name.clone(), run_id: Some(run.into()), snapshot_sha256: String::new() }),
        _ => Err(error),
    }
}

/// Brings snapshots and digests here, and checks that a snapshot is the run's.
///
/// # Errors
/// Only the journal and this machine's disk.
pub async fn pull(
    way: &mut Way<'_>,
    session: &Session,
    saved: Vec<(Client, Saved)>,
    records: &mut [IsutoolsRecord],
) -> Result<(), Failure> {
    if saved.is_empty() && way.setting.config.collect.is_empty() {
        return Ok(());
    }
    way.stage(Stage::Pull, async |way: &mut Way| {
        let directory = way.directory.join("evidence");
        let disk = |e: std::io::Error| Failure::new(Exit::Failed, format!("evidence: {e}"), "is the disk full?");
        std::fs::create_dir_all(&directory).map_err(disk)?;
        let mut said = Vec::new();
        for (client, saved) in &saved {
            let Some(record) = records.iter_mut().find(|r| r.snapshot.as_ref() == Some(&saved.snapshot_file)) else {
                continue;
            };
            let local = directory.join(format!("{}-isutools.json", client.host()));
            match take(client, saved, &local, record).await {
                Ok(()) => said.push(format!("{} from {}", saved.snapshot_file, client.host())),
                Err(problem) => record.problems.push(problem),
            }
            for problem in record.problems.clone() {
                way.warn(format!("{}: isutools: {problem}", client.host()));
            }
        }
        let collect = way.setting.config.collect.clone();
        for digest in &collect {
            for name in way.setting.config.hosts_on(&digest.on) {
                let Some(site) = session.sites.iter().find(|site| site.host.name() == name) else { continue };
                let mut cmd = Cmd::line(&digest.run);
                if let Some(deploy) = way.setting.config.deploy.as_ref().filter(|_| site.deploys) {
                    cmd = cmd.cwd(deploy.dir.clone());
                }
                match site.host.output(&cmd, digest.timeout).await {
                    Ok(output) if output.ok() => {
                        let file = format!("{name}-{}.txt", digest.name);
                        std::fs::write(directory.join(&file), &output.stdout).map_err(disk)?;
                        if output.stdout.iter().all(u8::is_ascii_whitespace) {
                            way.warn(format!("{name}: the digest {} is empty", digest.name));
                        }
                        said.push(file);
                    }
                    Ok(output) => {
                        way.warn(format!("{name}: the digest {} failed: {}", digest.name, output.complaint()))
                    }
                    Err(error) => way.warn(format!("{name}: the digest {} failed: {error}", digest.name)),
                }
            }
        }
        Ok(((), said.join(", ")))
    })
    .await
}

async fn take(
    client: &Client,
    saved: &Saved,
    local: &std::path::Path,
    record: &mut IsutoolsRecord,
) -> Result<(), String> {
    client.fetch(&saved.snapshot_file, local).await.map_err(|e| e.to_string())?;
    let bytes = std::fs::read(local).map_err(|e| e.to_string())?;
    let run_id = record.run_id.clone().unwrap_or_default();
    let own;
    let sha256 = match saved.snapshot_sha256.as_str() {
        // Found by its run id after the answer was lost: there is nothing to compare with.
        "" => {
            own = hex(&Sha256::digest(&bytes));
            record.problems.push("the answer of /save was lost; the snapshot was found by its run id".into());
            record.sha256 = Some(own.clone());
            own.as_str()
        }
        given => given,
    };
    let expected = Expected { run_id: &run_id, saved_run_id: saved.run_id.as_deref(), sha256 };
    let snapshot = snapshot::read(&bytes, &expected)?;
    record.problems.extend(snapshot.problems.iter().cloned());
    if snapshot::usable(&snapshot) {
        record.summary = Some(snapshot.summary);
    }
    record.validity = snapshot.validity;
    Ok(())
}

/// Everything in the run's directory that is evidence: size and hash, for the record.
pub fn files(way: &Way<'_>) -> Vec<EvidenceFile> {
    let mut found = Vec::new();
    for folder in ["bench", "evidence"] {
        let Ok(entries) = std::fs::read_dir(way.directory.join(folder)) else { continue };
        for entry in entries.flatten() {
            let Ok((size, sha256)) = size_and_hash(&entry.path()) else { continue };
            found.push(EvidenceFile {
                path: format!("{folder}/{}", entry.file_name().to_string_lossy()),
                size,
                sha256,
            });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn size_and_hash(path: &std::path::Path) -> std::io::Result<(u64, String)> {
    use std::io::Read;
    let mut file = std::fs::File::open(path)?;
    let (mut sum, mut size, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((size, hex(&sum.finalize())));
        }
        size += read as u64;
        sum.update(&buffer[..read]);
    }
}
