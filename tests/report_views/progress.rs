//! Progress: what is written while a run goes on, and that writing never holds it up.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use isugate::report::{Event, Events, Stage, progress};

/// Keeps what is written.
#[derive(Clone, Default, Debug)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        self.0.lock().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::ErrorKind::Other)?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn clock() -> String {
    "12:34:56".into()
}

fn a_run(events: &Events) {
    let began = |stage| events.emit(Event::Began { stage });
    let ended = |stage, ms, outcome: &str, ok| {
        events.emit(Event::Ended { stage, took: Duration::from_millis(ms), outcome: outcome.into(), ok });
    };
    let output = |line: &str| events.emit(Event::Output { host: "bench".into(), line: line.into() });
    let (id, commit) = ("20261130-061051-3f2a".into(), "a".repeat(40));
    events.emit(Event::RunBegan { id, commit, subject: "::error::a \x1b[31msubject\x1b[0m".into() });
    began(Stage::Deploy);
    events.note("app1", "2 objects sent");
    ended(Stage::Deploy, 3_200, "app1, app2 on aaaaaaaaaaaa", true);
    began(Stage::Bench);
    for seconds in [1, 10, 15, 20] {
        events.emit(Event::BenchProgress { elapsed: Duration::from_secs(seconds), limit: Duration::from_secs(180) });
    }
    output("::stop-commands::x");
    output("##[error]y\r::add-mask::z");
    events.warn("code 30 came\n::set-output name=a::b 50%");
    ended(Stage::Bench, 72_400, "exit status 1", false);
}

#[test]
fn plain_lines_tell_the_time_stage_and_outcome() {
    let log = Log::default();
    let view = progress::plain_to(log.clone(), false, clock);
    a_run(&view.events());
    view.finish();
    insta::assert_snapshot!(log.text(), @r"
    12:34:56 run 20261130-061051-3f2a: aaaaaaaaaaaa ::error::a subject
    12:34:56 deploy …
    12:34:56   app1: 2 objects sent
    12:34:56 deploy … done in 3.20s: app1, app2 on aaaaaaaaaaaa
    12:34:56 bench …
    12:34:56   10s of at most 180s
    12:34:56   20s of at most 180s
    12:34:56   bench | ::stop-commands::x
    12:34:56   bench | ##[error]y\r::add-mask::z
    12:34:56 warning: code 30 came ::set-output name=a::b 50%
    12:34:56 bench … FAILED after 1m12s: exit status 1
    ");
}

#[test]
fn under_actions_each_stage_is_a_group_and_no_line_from_outside_is_a_command() {
    let log = Log::default();
    let view = progress::plain_to(log.clone(), true, clock);
    a_run(&view.events());
    view.finish();
    let text = log.text();
    let commands: Vec<_> = text.split(['\n', '\r']).filter(|line| line.trim_start().starts_with("::")).collect();
    assert_eq!(commands.iter().filter(|c| c.starts_with("::group::")).count(), 2);
    assert_eq!(commands.iter().filter(|c| **c == "::endgroup::").count(), 2);
    assert_eq!(commands.len(), 5, "{commands:?}");
    assert!(!text.contains("##["));
    insta::assert_snapshot!(text, @r"
    12:34:56 run 20261130-061051-3f2a: aaaaaaaaaaaa ::error::a subject
    ::group::deploy
    12:34:56   app1: 2 objects sent
    ::endgroup::
    12:34:56 deploy … done in 3.20s: app1, app2 on aaaaaaaaaaaa
    ::group::bench
    12:34:56   10s of at most 180s
    12:34:56   20s of at most 180s
    12:34:56   bench | ::stop-commands::x
    12:34:56   bench | ##\[error]y\r::add-mask::z
    ::warning title=isugate::code 30 came%0A::set-output name=a::b 50%25
    ::endgroup::
    12:34:56 bench … FAILED after 1m12s: exit status 1
    ");
}

#[test]
fn a_group_that_is_open_when_the_run_is_interrupted_is_closed() {
    let log = Log::default();
    let view = progress::plain_to(log.clone(), true, clock);
    view.events().emit(Event::Began { stage: Stage::Bench });
    drop(view);
    assert_eq!(log.text(), "::group::bench\n::endgroup::\n");
}

#[test]
fn the_quiet_view_shows_warnings_only() {
    let log = Log::default();
    let view = progress::quiet_to(log.clone());
    a_run(&view.events());
    view.finish();
    assert_eq!(log.text(), "warning: code 30 came ::set-output name=a::b 50%\n");
}

/// A pipe whose reader never reads.
struct Stuck(mpsc::Receiver<()>);

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_does_not_read_holds_up_neither_the_run_nor_its_end() {
    let (_open, stuck) = mpsc::channel();
    let view = progress::plain_to(Stuck(stuck), false, clock);
    let (events, start) = (view.events(), Instant::now());
    for n in 0..100_000 {
        events.emit(Event::Output { host: "bench".into(), line: format!("line {n}") });
    }
    events.warn("still here");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let start = Instant::now();
    view.finish();
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    events.warn("after the end");
}

#[test]
fn lines_that_come_too_fast_are_counted_and_nothing_else_is_lost() {
    let (log, (open, gate)) = (Log::default(), mpsc::channel::<()>());
    struct Gated(Log, mpsc::Receiver<()>);
    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.1.recv();
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let view = progress::plain_to(Gated(log.clone(), gate), false, clock);
    let events = view.events();
    for n in 0..10_000 {
        events.emit(Event::Output { host: "bench".into(), line: format!("line {n}") });
    }
    events.warn("the last word");
    drop(open);
    view.finish();
    let text = log.text();
    assert!(text.contains("lines came too fast to be shown") && text.contains("warning: the last word"));
    assert!(text.lines().count() < 6_000);
}

/// A terminal of 80 columns: what stands on it, and everything that was ever written to it.
#[derive(Debug, Clone, Default)]
struct Screen(Arc<Mutex<Shown>>);

#[derive(Debug, Default)]
struct Shown {
    lines: Vec<Vec<char>>,
    line: usize,
    column: usize,
    written: String,
}

impl Screen {
    fn with<T>(&self, act: impl FnOnce(&mut Shown) -> T) -> io::Result<T> {
        self.0.lock().map(|mut shown| act(&mut shown)).map_err(|_| io::ErrorKind::Other.into())
    }

    fn lines(&self) -> Vec<String> {
        let text = |line: &Vec<char>| line.iter().collect::<String>().trim_end().to_owned();
        let mut lines: Vec<_> = self.with(|shown| shown.lines.iter().map(text).collect()).unwrap_or_default();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

impl Shown {
    fn write(&mut self, text: &str) {
        self.written.push_str(text);
        for c in text.chars() {
            if c == '\n' || self.column == 80 {
                (self.line, self.column) = (self.line + 1, 0);
            }
            if c == '\n' {
                continue;
            }
            self.lines.resize_with(self.lines.len().max(self.line + 1), Vec::new);
            let line = &mut self.lines[self.line];
            line.resize(line.len().max(self.column + 1), ' ');
            line[self.column] = c;
            self.column += 1;
        }
    }
}

impl indicatif::TermLike for Screen {
    fn width(&self) -> u16 {
        80
    }
    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.with(|shown| shown.line -= n)
    }
    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.with(|shown| shown.line += n)
    }
    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.with(|shown| shown.column += n)
    }
    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.with(|shown| shown.column -= n)
    }
    fn write_line(&self, line: &str) -> io::Result<()> {
        self.with(|shown| shown.write(&format!("{line}\n")))
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.with(|shown| shown.write(text))
    }
    fn clear_line(&self) -> io::Result<()> {
        self.with(|shown| {
            shown.column = 0;
            let line = shown.line;
            shown.lines.get_mut(line).map(Vec::clear).unwrap_or_default()
        })
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_terminal_keeps_what_is_done_clears_what_runs_and_nothing_from_outside_acts_on_it() {
    let screen = Screen::default();
    let view = progress::terminal_on(indicatif::ProgressDrawTarget::term_like(Box::new(screen.clone())));
    a_run(&view.events());
    view.events().emit(Event::Began { stage: Stage::Save });
    view.finish();
    assert_eq!(
        screen.lines(),
        [
            "run 20261130-061051-3f2a: aaaaaaaaaaaa ::error::a subject",
            "  app1: 2 objects sent",
            "✓ deploy      3.20s  app1, app2 on aaaaaaaaaaaa",
            "! code 30 came ::set-output name=a::b 50%",
            "✗ bench       1m12s  exit status 1",
        ]
    );
    let written = screen.with(|shown| shown.written.clone()).unwrap_or_default();
    assert!(written.contains("20s of at most 180s") && written.contains("bench | ##[error]y"), "{written}");
    assert!(!written.contains("\x1b[31m") && !written.contains('\r'), "{written}");
}
