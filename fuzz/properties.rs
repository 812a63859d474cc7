//! What must hold for every input of the result readers. The fuzz target and the property tests share these bodies.

use std::io::{Cursor, Read};

use isugate::{
    result::{Channels, Ended, Format, Outcome, Parsed, ReadOptions, Source, read},
    text,
};

/// The channels that an input can come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Stdout,
    Merged,
    ResultFile,
    ReportFd,
}

impl By {
    pub const ALL: [Self; 4] = [Self::Stdout, Self::Merged, Self::ResultFile, Self::ReportFd];

    fn channels(self, source: Source) -> Channels {
        let mut channels = Channels::default();
        match self {
            Self::Stdout => channels.stdout = Some(source),
            Self::Merged => channels.merged = Some(source),
            Self::ResultFile => channels.result_file = Some(source),
            Self::ReportFd => channels.report_fd = Some(source),
        }
        channels
    }
}

/// A reader that hands out a few bytes at a time.
struct Drip(Cursor<Vec<u8>>, usize);

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.clamp(1, buffer.len().max(1)).min(buffer.len());
        self.0.read(&mut buffer[..length])
    }
}

pub fn parse(format: Format, by: By, input: &[u8], ended: Option<Ended>) -> Parsed {
    read(&ReadOptions::new(format), &by.channels(Source::Bytes(input.to_vec())), ended)
}

/// All properties of one input.
pub fn check(format: Format, by: By, input: &[u8], chunk: usize) {
    let parsed = parse(format, by, input, Some(Ended::Exited(0)));
    is_consistent(&parsed);
    a_pass_is_written_as_one(format, by, input, &parsed);
    an_end_that_contradicts_is_never_a_pass(format, by, input, &parsed);

    let drip = Source::reader(Drip(Cursor::new(input.to_vec()), chunk));
    let dripped = read(&ReadOptions::new(format), &by.channels(drip), Some(Ended::Exited(0)));
    assert_eq!(parsed, dripped, "the size of reads changes nothing");
}

/// The fields of a result agree with its outcome, it survives JSON, and its text can be shown.
pub fn is_consistent(parsed: &Parsed) {
    match parsed.outcome {
        Outcome::Pass => {
            assert_eq!(parsed.reported_pass, Some(true));
            assert!(parsed.score.is_some_and(|score| score >= 0));
            assert_eq!(parsed.score, parsed.reported_score);
            assert!(parsed.error.is_none() && parsed.reason.is_none());
        }
        Outcome::Fail => {
            assert_eq!(parsed.reported_pass, Some(false));
            assert_eq!(parsed.score, Some(0));
            assert!(parsed.error.is_none() && parsed.reason.is_some());
        }
        Outcome::Invalid => {
            assert_eq!((parsed.score, parsed.reported_score, parsed.reported_pass), (None, None, None));
            assert!(parsed.error.is_some() && parsed.reason.is_none());
        }
    }
    let json = serde_json::to_string(parsed).unwrap();
    assert_eq!(&serde_json::from_str::<Parsed>(&json).unwrap(), parsed);
    let error = parsed.error.iter().map(|error| &error.message);
    for foreign in parsed.messages.iter().chain(&parsed.warnings).chain(error) {
        is_harmless(foreign);
    }
}

/// Foreign text neither acts in a terminal nor in Markdown.
pub fn is_harmless(foreign: &str) {
    assert!(!text::terminal_line(foreign).contains(|c: char| c.is_control()));
    assert!(!text::terminal(foreign).contains(|c: char| c.is_control() && c != '\n'));
    let markdown = text::markdown(foreign);
    assert!(!markdown.contains(['<', '>', '|', '\n']), "{markdown}");
    // A zero-width space follows, or a backslash stands before it.
    assert!(markdown.split('@').skip(1).all(|after| after.starts_with("&#8203;")), "{markdown}");
    for mark in ['`', '[', ']', '*', '_'] {
        let places = markdown.match_indices(mark);
        assert!(places.into_iter().all(|(at, _)| markdown[..at].ends_with('\\')), "{markdown}");
    }
}

/// Nothing becomes a pass that does not hold the word for it.
pub fn a_pass_is_written_as_one(format: Format, by: By, input: &[u8], parsed: &Parsed) {
    let word: &[u8] = match (format, by) {
        (_, By::ReportFd) => return,
        (Format::Isucon14, _) => b"pass=true",
        (Format::Isucon12Qualify, _) => b"PASSED: true",
        (Format::Isucon12Final, _) => b"[PASSED]: true",
        (Format::Isucon11Qualify | Format::Isucon11Final, _) => b") : pass",
        (Format::Isucon13 | Format::Isucon10Qualify | Format::Isucon9Qualify | Format::PrivateIsu, _) => b"true",
        (Format::Generic, _) => b"true",
        // kayac's score is its word; a person types many words; load generators have none.
        _ => return,
    };
    if parsed.outcome == Outcome::Pass {
        assert!(input.windows(word.len()).any(|part| part == word), "a pass without its word");
    }
}

/// However the output looks: a process that was stopped, or ended with an error, has not passed.
pub fn an_end_that_contradicts_is_never_a_pass(format: Format, by: By, input: &[u8], after_zero: &Parsed) {
    if after_zero.outcome != Outcome::Pass {
        return;
    }
    for ended in [Ended::TimedOut, Ended::Signaled(9), Ended::Exited(1), Ended::Exited(2), Ended::Exited(143)] {
        let parsed = parse(format, by, input, Some(ended));
        assert_ne!(parsed.outcome, Outcome::Pass, "{ended:?}");
        is_consistent(&parsed);
    }
}
