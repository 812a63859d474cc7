//! Whose a host's CPU was while the benchmark ran: a sampler on every host, and what it saw.
//!
//! Foreign load takes 15–40 % off a score and shows without looking at the score, so it can spoil a run without anybody
//! choosing which runs to drop.

use std::{sync::Arc, time::Duration};

use crate::{
    host::{
        Cmd, Host, HostError,
        job::{Job, JobSpec},
    },
    verdict::integrity::LoadSample,
};

const SAMPLE: &str = include_str!("scripts/sample.sh");

/// Time between two samples.
const PAUSE: Duration = Duration::from_secs(2);

/// Services of the field: what serves an application belongs to it, whoever started it.
const SERVICES: [&str; 16] = [
    "mysqld",
    "mariadbd",
    "postgres",
    "nginx",
    "redis-server",
    "memcached",
    "pdns_server",
    "haproxy",
    "envoy",
    "caddy",
    "h2o",
    "varnishd",
    "php-fpm",
    "dockerd",
    "containerd",
    "docker-proxy",
];

/// What belongs to the application on a host.
#[derive(Debug, Clone, Default)]
pub struct Own {
    /// `deploy.dir`, where the tree goes there.
    pub dir: Option<String>,
    /// Where isugate keeps its files.
    pub state: String,
    /// systemd units.
    pub units: Vec<String>,
    /// Names of processes, beside the usual services.
    pub names: Vec<String>,
}

/// A sampler that runs on a host.
pub struct Sampler {
    host: Arc<Host>,
    job: Job,
}

impl Sampler {
    /// Starts sampling in `directory` on the host, for `limit` at most.
    ///
    /// # Errors
    /// [`HostError`]
    pub async fn start(host: &Arc<Host>, directory: &str, own: &Own, limit: Duration) -> Result<Sampler, HostError> {
        let most = limit.as_secs() / PAUSE.as_secs() + 1;
        let mut args = vec![
            PAUSE.as_secs().to_string(),
            most.to_string(),
            own.dir.clone().unwrap_or_else(|| "-".into()),
            own.state.clone(),
        ];
        for unit in &own.units {
            args.extend(["unit".into(), unit.clone()]);
        }
        for name in SERVICES.iter().map(|name| name.to_string()).chain(own.names.iter().cloned()) {
            args.extend(["name".into(), name]);
        }
        let spec = JobSpec {
            line: Cmd::script(SAMPLE, args).to_shell(),
            cwd: "/".into(),
            env: Vec::new(),
            limit: limit + Duration::from_secs(60),
            grace: Duration::from_secs(1),
            report_fd: false,
        };
        let job = Job::start(host, directory, &spec).await?;
        Ok(Sampler { host: host.clone(), job })
    }

    /// Ends it and says what was seen. Times are seconds since `began_ns` (since 1970, by the clock of the host that
    /// benchmarks).
    ///
    /// # Errors
    /// [`HostError`]; it ends by itself then, soon after the benchmark's limit.
    pub async fn end(self, began_ns: u64) -> Result<Vec<LoadSample>, HostError> {
        Ok(read(&self.job.stop_and_read(&self.host, Duration::from_millis(300)).await?, began_ns))
    }

    /// Ends it.
    pub async fn stop(self) {
        // It ends by itself soon after the benchmark's limit.
        let _ = self.job.stop(&self.host, Duration::from_millis(300)).await;
    }
}

fn read(stdout: &[u8], began_ns: u64) -> Vec<LoadSample> {
    String::from_utf8_lossy(stdout).lines().filter_map(|line| parse(line, began_ns as f64 / 1e9)).collect()
}

fn parse(line: &str, began: f64) -> Option<LoadSample> {
    let mut words = line.split(' ');
    let mut number = || words.next()?.parse::<f64>().ok().filter(|n| n.is_finite());
    let (at, seconds, foreign, steal, heaviest) = (number()?, number()?, number()?, number()?, number()?);
    let (pid, name) = (words.next()?, words.next()?);
    let at = at - began;
    // A sample that ended before the benchmark began, or that a torn line made up, says nothing.
    let sound = (0.0..=1.0).contains(&foreign) && (0.0..=1.0).contains(&steal) && seconds > 0.0 && at > 0.0;
    sound.then(|| LoadSample {
        at,
        seconds,
        foreign,
        steal,
        heaviest: (pid != "-").then(|| format!("{name} (pid {pid}, {:.0} % of the CPU)", heaviest * 100.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_and_one_from_before_the_benchmark_is_left_out() {
        let sample = parse("1010.500 2.000 0.2500 0.0100 0.2000 4711 cc1", 1000.0).unwrap();
        assert_eq!((sample.at, sample.foreign, sample.steal), (10.5, 0.25, 0.01));
        assert!(sample.heaviest.unwrap().contains("cc1 (pid 4711, 20 %"));
        for line in ["999.0 2.0 0.2 0.0 0.1 1 x", "1010.5 2.0 0.2", "1010.5 2.0 7.2 0.0 0.1 1 x", "", "nonsense"] {
            assert!(parse(line, 1000.0).is_none(), "{line}");
        }
    }

    #[tokio::test]
    async fn a_busy_stranger_is_seen_and_our_own_job_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let host = Arc::new(Host::local("here"));
        let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        let busy = "i=0; while :; do i=$((i+1)); done";
        let mut stranger =
            std::process::Command::new("bash").args(["-c", busy]).env_clear().current_dir("/").spawn().unwrap();
        let spec = JobSpec {
            line: format!("exec -a ours bash -c '{busy}'"),
            cwd: "/".into(),
            env: Vec::new(),
            limit: Duration::from_secs(20),
            grace: Duration::from_secs(1),
            report_fd: false,
        };
        let ours = Job::start(&host, &at("ours"), &spec).await.unwrap();
        let own = Own { state: at(""), ..Own::default() };
        let sampler = Sampler::start(&host, &at("sampler"), &own, Duration::from_secs(20)).await.unwrap();
        for _ in 0..40 {
            tokio::time::sleep(Duration::from_millis(250)).await;
            let written = std::fs::read_to_string(dir.path().join("sampler/stdout")).unwrap_or_default();
            if written.lines().count() >= 2 {
                break;
            }
        }
        let ours_pid = std::fs::read_to_string(dir.path().join("ours/pid")).unwrap();
        let ours_pid = ours_pid.split(' ').nth(1).unwrap().to_string();
        let samples = sampler.end(1).await.unwrap();
        ours.stop(&host, Duration::from_millis(300)).await.unwrap();
        stranger.kill().unwrap();
        stranger.wait().unwrap();
        assert!(samples.iter().any(|sample| sample.foreign > 0.01), "{samples:?}");
        let named = samples.iter().filter_map(|sample| sample.heaviest.as_ref());
        assert!(named.clone().all(|who| !who.contains(&format!("pid {ours_pid},"))), "{samples:?}");
    }
}
