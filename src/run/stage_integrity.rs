//! The stage integrity: whether the run was disturbed. It does not look at the score.

use super::{Session, Way};
use crate::{
    deploy,
    exit::Failure,
    ledger::{IsutoolsRecord, UnitState},
    report::Stage,
};

/// Compares the hosts after the benchmark with what was noted before it.
///
/// # Errors
/// Only the journal: what cannot be looked at is a violation.
pub async fn integrity(
    way: &mut Way<'_>,
    session: &Session,
    mut violations: Vec<String>,
    records: &[IsutoolsRecord],
) -> Result<Vec<String>, Failure> {
    way.stage(Stage::Integrity, async |way: &mut Way| {
        if let Some(lease) = &session.lease {
            violations.extend(lease.confirm().await);
        }
        let looks = session.sites.iter().map(|site| async {
            let name = site.host.name();
            let before = way.hosts.get(name).cloned().unwrap_or_default();
            let mut found = Vec::new();
            let units: Vec<_> = before.units.keys().cloned().collect();
            match deploy::unit_states(&site.host, &units).await {
                Ok(after) => {
                    for (unit, was) in &before.units {
                        found.extend(after.get(unit).and_then(|is| disturbed(unit, was, is)).map(|d| format!("{name}: {d}")));
                    }
                }
                Err(failure) => found.push(format!("{name}: its units could not be looked at: {}", failure.message)),
            }
            if let Some(deployment) = way.deployment().filter(|_| site.deploys && !before.artifacts.is_empty()) {
                match deploy::artifacts(&deployment, site).await {
                    Ok(after) => {
                        for (path, sum) in &before.artifacts {
                            if after.get(path) != Some(sum) {
                                found.push(format!("{name}: {path} is not what was built: it changed during the run"));
                            }
                        }
                    }
                    Err(failure) => found.push(format!("{name}: what was built could not be hashed again: {}", failure.message)),
                }
            }
            found
        });
        violations.extend(futures::future::join_all(looks).await.into_iter().flatten());
        for record in records {
            // isutools lives in the application's process: another run means that someone reset it, no run that it was restarted.
            let restarted = record.problems.iter().any(|p| p.contains("run-not-active"));
            if record.run_id.is_some() && restarted {
                violations.push(format!(
                    "{}: isutools no longer knows the run that was opened before the benchmark: the application was restarted \
                     in the middle of it",
                    record.host
                ));
            }
        }
        let outcome = match violations.len() {
            0 => "undisturbed".to_string(),
            n => format!("{n} violations: {}", violations.join("; ")),
        };
        Ok((violations, outcome))
    })
    .await
}

fn disturbed(unit: &str, was: &UnitState, is: &UnitState) -> Option<String> {
    if is.active != "active" {
        return Some(format!("{unit} is {} after the benchmark", is.active));
    }
    if is.started_us != was.started_us || is.pid != was.pid || is.restarts != was.restarts {
        let second = is.started_us.saturating_sub(was.started_us) as f64 / 1e6;
        let by =
            if is.restarts > was.restarts { "it crashed and systemd started it again" } else { "someone restarted it" };
        return Some(format!("{unit} was restarted during the run, {second:.0} s after its last start: {by}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(started_us: u64, restarts: u64, pid: u64) -> UnitState {
        UnitState { active: "active".into(), started_us, restarts, pid }
    }

    #[test]
    fn a_restart_shows_with_its_second_and_who_did_it() {
        let was = unit(1_000_000, 0, 10);
        assert_eq!(disturbed("app", &was, &was), None);
        let someone = disturbed("app", &was, &unit(43_000_000, 0, 11)).unwrap();
        assert!(someone.contains("42 s") && someone.contains("someone"), "{someone}");
        let crash = disturbed("app", &was, &unit(43_000_000, 1, 11)).unwrap();
        assert!(crash.contains("crashed"), "{crash}");
        let down = UnitState { active: "failed".into(), ..was.clone() };
        assert!(disturbed("app", &was, &down).unwrap().contains("failed"));
    }
}
