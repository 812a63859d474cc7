//! The program under test: while it runs, and what it said and how it ended.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::rig::process;

/// The program while it runs.
pub struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
    began: Instant,
    pub signalled: Option<Instant>,
}

impl Running {
    pub fn start(mut command: Command, work: &Path) -> Result<Running> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (out, err) = (work.join(format!("out-{number}")), work.join(format!("err-{number}")));
        command.stdout(std::fs::File::create(&out)?).stderr(std::fs::File::create(&err)?);
        let child = command.spawn().context("cannot start isugate")?;
        Ok(Running { child, out, err, began: Instant::now(), signalled: None })
    }

    /// Waits until it says a text on stderr.
    pub fn until(self, said: &str) -> Result<Running> {
        self.until_true(&format!("`{said}`"), |text| text.contains(said))
    }

    /// Waits for something; it must not end before.
    pub fn until_true(mut self, what: &str, ready: impl Fn(&str) -> bool) -> Result<Running> {
        let err = self.err.clone();
        let text = || std::fs::read(&err).map(|bytes| process::text(&bytes)).unwrap_or_default();
        let result = process::wait_for(what, Duration::from_secs(40), || {
            if ready(&text()) {
                return Ok(Some(()));
            }
            ensure!(self.child.try_wait()?.is_none(), "isugate ended before {what}");
            Ok(None)
        });
        if result.is_err() {
            let _ = self.child.kill();
        }
        result.with_context(text)?;
        Ok(self)
    }

    pub fn signal(mut self, name: &str) -> Result<Running> {
        process::signal(name, &[self.child.id()])?;
        self.signalled = Some(Instant::now());
        Ok(self)
    }

    pub fn end(mut self) -> Result<Run> {
        let limit = Duration::from_secs(90);
        let status = process::wait_for("the end of isugate", limit, || self.child.try_wait().context("cannot wait"));
        if status.is_err() {
            let _ = self.child.kill();
        }
        let read = |path: &Path| std::fs::read(path).map(|bytes| process::text(&bytes)).unwrap_or_default();
        let (stdout, stderr) = (read(&self.out), read(&self.err));
        let status = status.with_context(|| stderr.clone())?;
        let since = self.signalled.unwrap_or(self.began);
        Ok(Run { exit: status.code(), stdout, stderr, took: since.elapsed() })
    }
}

/// What the program said, and how it ended.
#[derive(Debug)]
pub struct Run {
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// From its start, or from the last signal.
    pub took: Duration,
}

impl Run {
    /// It ended with this status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Run {
        assert_eq!(self.exit, Some(status), "stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        self
    }

    /// Its error message or its report holds all of these texts.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Run {
        for text in texts {
            let said = self.stderr.contains(text) || self.stdout.contains(text);
            assert!(said, "`{text}` was not said. stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        }
        self
    }

    /// It says none of these.
    #[track_caller]
    pub fn hides(self, texts: &[&str]) -> Run {
        for text in texts {
            let said = self.stderr.contains(text) || self.stdout.contains(text);
            assert!(!said, "`{text}` was said. stderr:\n{}\nstdout:\n{}", self.stderr, self.stdout);
        }
        self
    }

    /// It was over this soon.
    #[track_caller]
    pub fn within(self, seconds: u64) -> Run {
        assert!(self.took < Duration::from_secs(seconds), "it took {:?}. stderr:\n{}", self.took, self.stderr);
        self
    }
}
