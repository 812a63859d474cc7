//! The stage integrity: whether the run was disturbed. It does not look at the score.

use std::time::{Duration, Instant};

use super::{Session, Way};
use crate::{
    deploy::{self, Site},
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
        if let Some(lost) = session.lease.as_ref().and_then(|lease| lease.lost()) {
            violations.push(lost);
        }
        let looks = session.sites.iter().map(|site| look(way, site));
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

/// What is no longer as it was before the benchmark on one host.
async fn look(way: &Way<'_>, site: &Site) -> Vec<String> {
    let name = site.host.name();
    let before = way.hosts.get(name).cloned().unwrap_or_default();
    let mut found = Vec::new();
    let names: Vec<_> = before.units.keys().cloned().collect();
    match deploy::unit_states(&site.host, &names).await {
        Ok(after) => {
            for (unit, was) in &before.units {
                let second = after.ages.get(unit).zip(way.bench_began).map(|(age, began)| Second::new(began, *age));
                let disturbed = after.states.get(unit).and_then(|is| disturbed(unit, was, is, second));
                found.extend(disturbed.map(|what| format!("{name}: {what}")));
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
            Err(failure) => {
                found.push(format!("{name}: what was built could not be hashed again: {}", failure.message))
            }
        }
    }
    found
}

/// When something happened, on the benchmark's own time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Second {
    Before,
    Into(u64),
}

impl Second {
    /// `age` is how long ago it was, by the clock of its host: no two machines' clocks are compared.
    fn new(bench_began: Instant, age: Duration) -> Second {
        bench_began.elapsed().checked_sub(age).map_or(Second::Before, |since| Second::Into(since.as_secs()))
    }
}

fn disturbed(unit: &str, was: &UnitState, is: &UnitState, second: Option<Second>) -> Option<String> {
    if is.active != "active" {
        return Some(format!("{unit} is {} after the benchmark", is.active));
    }
    if is.started_us != was.started_us || is.pid != was.pid || is.restarts != was.restarts {
        let when = match second {
            Some(Second::Into(second)) => format!("{second} s into the benchmark"),
            Some(Second::Before) => "right before the benchmark".into(),
            None => "during the run".into(),
        };
        // After a restart of the whole host the clock of its units has begun anew.
        let by = match () {
            () if is.started_us < was.started_us => "the host was restarted",
            () if is.restarts > was.restarts => "it crashed and systemd started it again",
            () => "someone restarted it",
        };
        return Some(format!("{unit} was restarted {when}: {by}"));
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
        let said = |is: &UnitState, second| disturbed("app", &was, is, second).unwrap();
        assert_eq!(disturbed("app", &was, &was, None), None);
        assert_eq!(
            said(&unit(43_000_000, 0, 11), Some(Second::Into(42))),
            "app was restarted 42 s into the benchmark: someone restarted it"
        );
        assert_eq!(
            said(&unit(43_000_000, 1, 11), Some(Second::Before)),
            "app was restarted right before the benchmark: it crashed and systemd started it again"
        );
        assert_eq!(said(&unit(500_000, 0, 11), None), "app was restarted during the run: the host was restarted");
        let down = UnitState { active: "failed".into(), ..was.clone() };
        assert_eq!(said(&down, None), "app is failed after the benchmark");
    }
}
