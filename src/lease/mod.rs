//! Who holds the hosts, why, since when and until when: a small file on every host, so that two people cannot run at the same
//! time from different machines. It ends by itself when its holder does not renew it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::{
    deploy::Site,
    exit::{Exit, Failure},
    host::{Cmd, Host},
};

const LEASE: &str = include_str!("scripts/lease.sh");

/// How long a lease holds without being renewed. Longer than a lost connection, shorter than a coffee.
const TTL: Duration = Duration::from_secs(90);
/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(15);

/// A lease as it stands on a host.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Held {
    /// Who.
    pub holder: String,
    /// Why.
    pub reason: String,
    /// Which run.
    pub run: String,
    /// Seconds ago that it was taken, by the host's clock.
    pub held_for: u64,
    /// Seconds until it ends unless it is renewed.
    pub ends_in: u64,
    #[serde(skip)]
    token: String,
}

impl std::fmt::Display for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Held { holder, reason, run, held_for, ends_in, .. } = self;
        write!(f, "held by {holder} for {held_for} s ({reason}, run {run}); ends in {ends_in} s unless renewed")
    }
}

/// What a lease is taken for.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Who: `user@machine`, or a workflow's actor.
    pub holder: String,
    /// Why.
    pub reason: String,
    /// The run's id; also the token that tells this lease from others.
    pub run: String,
}

/// The hosts, held. Renewed in the background until it is released or dropped.
pub struct Lease {
    places: Vec<(Arc<Host>, String)>,
    token: String,
    ttl: Arc<AtomicU64>,
    stop: CancellationToken,
    lost: Arc<tokio::sync::watch::Sender<Option<String>>>,
}

impl Lease {
    /// Takes all hosts, in the order of their names; gives back those already taken when one is held by someone else.
    ///
    /// # Errors
    /// [`Exit::Leased`] with who holds which host.
    pub async fn acquire(sites: &[Site], claim: &Claim) -> Result<Lease, Failure> {
        let mut places: Vec<_> = sites.iter().map(|site| (site.host.clone(), site.facts.state.clone())).collect();
        places.sort_by(|a, b| a.0.name().cmp(b.0.name()));
        let token = claim.run.clone();
        for (at, (host, state)) in places.iter().enumerate() {
            let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let ttl = TTL.as_secs().to_string();
            let (holder, reason) = (line(&claim.holder), line(&claim.reason));
            let args = ["acquire", state, &token, &ttl, &holder, &reason, &claim.run];
            let output = host.output(&Cmd::script(LEASE, args), Duration::from_secs(30)).await;
            let failure = match output {
                Ok(output) if output.ok() => continue,
                Ok(output) if output.code == Some(13) => {
                    let held = parse(&output.text()).unwrap_or_default();
                    let message = format!("{}: {held}", host.name());
                    Failure::new(
                        Exit::Leased,
                        message,
                        "wait for it, or `isugate lease break --reason …` if its holder is gone",
                    )
                }
                Ok(output) => {
                    let message = format!("{}: the lease could not be taken: {}", host.name(), output.complaint());
                    Failure::new(Exit::Failed, message, format!("see {state} on the host"))
                }
                Err(error) => error.into(),
            };
            release(&places[..at], &token).await;
            return Err(failure);
        }
        let lost = Arc::new(tokio::sync::watch::Sender::new(None));
        let lease =
            Lease { places, token, ttl: Arc::new(AtomicU64::new(TTL.as_secs())), stop: CancellationToken::new(), lost };
        lease.renew_in_background();
        Ok(lease)
    }

    fn renew_in_background(&self) {
        let (places, token, ttl) = (self.places.clone(), self.token.clone(), self.ttl.clone());
        let (stop, lost) = (self.stop.clone(), self.lost.clone());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(RENEW) => renew(&places, &token, ttl.load(Ordering::Relaxed), &lost).await,
                }
            }
        });
    }

    /// Holds the hosts for at least so long even if nobody renews: a detached benchmarker goes on without us, and nobody else
    /// may start meanwhile.
    pub async fn hold_for(&self, time: Duration) {
        let seconds = time.max(TTL).as_secs();
        self.ttl.store(seconds, Ordering::Relaxed);
        renew(&self.places, &self.token, seconds, &self.lost).await;
    }

    /// Asks the hosts now whether we still hold them; says how the lease was lost, if it was.
    pub async fn confirm(&self) -> Option<String> {
        renew(&self.places, &self.token, self.ttl.load(Ordering::Relaxed), &self.lost).await;
        self.lost.borrow().clone()
    }

    /// Gives all hosts back. Hosts that cannot be reached are free when the lease ends by itself; they are named.
    pub async fn release(self) -> Vec<String> {
        self.stop.cancel();
        release(&self.places, &self.token).await
    }
}

async fn renew(
    places: &[(Arc<Host>, String)],
    token: &str,
    ttl: u64,
    lost: &tokio::sync::watch::Sender<Option<String>>,
) {
    let one = |(host, state): &(Arc<Host>, String)| {
        let cmd = Cmd::script(LEASE, ["renew", state.as_str(), token, &ttl.to_string()]);
        let host = host.clone();
        async move {
            // A host that cannot be reached now may be again before the lease ends.
            let output = host.output(&cmd, Duration::from_secs(10)).await.ok().filter(|o| o.code == Some(14))?;
            let by = parse(&output.text()).map_or("nobody holds it now".into(), |held| held.to_string());
            Some(format!("{}: the lease was taken away: {by}", host.name()))
        }
    };
    let taken: Vec<_> = futures::future::join_all(places.iter().map(one)).await.into_iter().flatten().collect();
    if !taken.is_empty() {
        lost.send_replace(Some(taken.join("; ")));
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn release(places: &[(Arc<Host>, String)], token: &str) -> Vec<String> {
    let one = |(host, state): &(Arc<Host>, String)| {
        let (host, state) = (host.clone(), state.clone());
        async move {
            let cmd = Cmd::script(LEASE, ["release", state.as_str(), token]);
            let done = host.output(&cmd, Duration::from_secs(3)).await.is_ok_and(|output| output.ok());
            (!done).then(|| {
                format!(
                    "{}: the lease could not be given back; it ends by itself within {} s",
                    host.name(),
                    TTL.as_secs()
                )
            })
        }
    };
    futures::future::join_all(places.iter().map(one)).await.into_iter().flatten().collect()
}

/// Who holds a host now.
///
/// # Errors
/// The host.
pub async fn show(site: &Site) -> Result<Option<Held>, Failure> {
    let output = site.host.output(&Cmd::script(LEASE, ["show", &site.facts.state]), Duration::from_secs(10)).await?;
    Ok(parse(&output.text()))
}

/// Ends whatever lease a host has.
///
/// # Errors
/// The host.
pub async fn break_lease(site: &Site) -> Result<(), Failure> {
    site.host.output(&Cmd::script(LEASE, ["break", &site.facts.state]), Duration::from_secs(10)).await?;
    Ok(())
}

fn parse(text: &str) -> Option<Held> {
    let mut held = Held::default();
    let (mut now, mut since, mut until) = (0u64, 0u64, 0u64);
    for (key, value) in text.lines().filter_map(|line| line.split_once(' ')) {
        match key {
            "now" => now = value.parse().ok()?,
            "since" => since = value.parse().ok()?,
            "until" => until = value.parse().ok()?,
            "holder" => held.holder = value.into(),
            "reason" => held.reason = value.into(),
            "run" => held.run = value.into(),
            "token" => held.token = value.into(),
            _ => {}
        }
    }
    held.held_for = now.saturating_sub(since);
    held.ends_in = until.saturating_sub(now);
    (!held.token.is_empty()).then_some(held)
}
