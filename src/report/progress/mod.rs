//! The progress of a run while it goes on. A thread of its own writes to standard error, so that a terminal that stands still
//! or a pipe that nobody reads never holds up a run.

mod plain;
mod quiet;
mod terminal;

use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use super::{Event, Events};

/// Events that may wait; beyond, lines of output and the benchmarker's clock are left out, and nothing else.
const WAITING: usize = 4096;
/// Bytes of a line of output that are kept.
const LINE: usize = 4096;
/// How often a view may move its spinners.
const TICK: Duration = Duration::from_millis(100);
/// How long the end waits for what is still to be written.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Shows events in one way. It is called by one thread only.
trait View: Send + 'static {
    /// Shows one event that happened at `at`.
    fn show(&mut self, at: &str, event: &Event);
    /// `count` lines of output came too fast to be shown.
    fn lost(&mut self, at: &str, count: usize);
    /// Time has passed.
    fn tick(&mut self) {}
    /// Leaves the terminal clean.
    fn finish(&mut self) {}
}

/// A view of a run's progress. It ends, and leaves the terminal clean, when it is dropped.
pub struct Progress {
    events: Events,
    end: mpsc::Sender<Message>,
    ended: mpsc::Receiver<()>,
}

enum Message {
    Event(String, Event),
    End,
}

/// Bars for a person at a terminal: a line for every stage that runs, the benchmarker's time with its last line of output.
pub fn terminal() -> Progress {
    Progress::start(terminal::Terminal::new(indicatif::ProgressDrawTarget::stderr()), String::new)
}

/// As [`terminal()`], drawn on `target`.
pub fn terminal_on(target: indicatif::ProgressDrawTarget) -> Progress {
    Progress::start(terminal::Terminal::new(target), String::new)
}

/// Lines for pipes and logs, with the time of day in UTC; with `actions`, a group around each stage as GitHub Actions folds it.
pub fn plain(actions: bool) -> Progress {
    plain_to(std::io::stderr(), actions, || jiff::Timestamp::now().strftime("%H:%M:%S").to_string())
}

/// As [`plain`], written to `out`, with the times of `clock`.
pub fn plain_to(
    out: impl Write + Send + 'static,
    actions: bool,
    clock: impl Fn() -> String + Send + Sync + 'static,
) -> Progress {
    Progress::start(plain::Plain::new(out, actions), clock)
}

/// Warnings only.
pub fn quiet() -> Progress {
    quiet_to(std::io::stderr())
}

/// As [`quiet`], written to `out`.
pub fn quiet_to(out: impl Write + Send + 'static) -> Progress {
    Progress::start(quiet::Quiet::new(out), String::new)
}

impl Progress {
    /// Where the run sends its events.
    pub fn events(&self) -> Events {
        self.events.clone()
    }

    /// Shows what is still to be shown, for at most two seconds, and leaves the terminal clean. Later events are not shown.
    pub fn finish(self) {}

    fn start(mut view: impl View, clock: impl Fn() -> String + Send + Sync + 'static) -> Progress {
        let (sender, receiver) = mpsc::channel();
        let (done, ended) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let lost = Arc::new(AtomicUsize::new(0));
        let (taken, left_out) = (waiting.clone(), lost.clone());
        let show = move || {
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(Message::Event(at, event)) => {
                        taken.fetch_sub(1, Ordering::Relaxed);
                        view.show(&at, &event);
                        match left_out.swap(0, Ordering::Relaxed) {
                            0 => {}
                            count => view.lost(&at, count),
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => view.tick(),
                    Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            view.finish();
            let _ = done.send(());
        };
        // Without a thread there is no progress to see, but there is a run.
        let started = thread::Builder::new().name("progress".into()).spawn(show).is_ok();
        let end = sender.clone();
        let events = Events::to(move |event| {
            let spare = matches!(event, Event::Output { .. } | Event::BenchProgress { .. });
            if !started {
                return;
            }
            if spare && waiting.load(Ordering::Relaxed) >= WAITING {
                lost.fetch_add(usize::from(matches!(event, Event::Output { .. })), Ordering::Relaxed);
                return;
            }
            waiting.fetch_add(1, Ordering::Relaxed);
            let _ = sender.send(Message::Event(clock(), shortened(event)));
        });
        Progress { events, end, ended }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.end.send(Message::End).is_ok() {
            let _ = self.ended.recv_timeout(LAST_WORDS);
        }
    }
}

fn shortened(event: &Event) -> Event {
    match event {
        Event::Output { host, line } if line.len() > LINE => {
            Event::Output { host: host.clone(), line: format!("{}…", &line[..line.floor_char_boundary(LINE)]) }
        }
        other => other.clone(),
    }
}
