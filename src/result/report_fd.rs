//! The frames that a benchmarker writes to the descriptor named by `ISUXBENCH_REPORT_FD`.
//!
//! A frame is a length of two bytes, big-endian, and a protobuf message `isuxportal.proto.resources.BenchmarkResult`
//! (isucon/isucon14 `bench/benchrun`). There are progress frames, whose `passed` may be true before the run has
//! passed; only the last one, with `finished`, is a result. In proto3 an absent field has its default value.

use std::io::Read;
use std::time::SystemTime;

use super::channels::Source;
use super::error::ErrorKind;
use super::outcome::{Claim, Invalid, Notes};

/// The final report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub passed: bool,
    pub score: i64,
    /// `raw` and `deduction`, where the message has a breakdown.
    pub breakdown: Option<(i64, i64)>,
    /// Frames before this one: in ISUCON14 a load run has some, a prepare-only run has none.
    pub progress: u64,
    reason: String,
}

impl Report {
    /// The report as a result of its own, where no text was kept.
    pub(super) fn claim(self) -> Result<Claim, Invalid> {
        if self.passed && self.score == 0 && self.progress == 0 {
            return Err(Invalid::new(
                ErrorKind::NotALoadRun,
                "one report with score 0 and no progress before it: a prepare-only run looks the same; the text output is needed",
            ));
        }
        let mut notes = Notes::default();
        if !self.reason.is_empty() {
            notes.message(&self.reason);
        }
        Ok(Claim { pass: self.passed, score: Some(self.score), codes: None, reason: None, notes })
    }
}

/// Reads a channel of frames: all of it, since a frame after the final one is a fault. `None`: nothing was written.
pub(super) fn read(source: &Source, started_at: Option<SystemTime>) -> Result<Option<Report>, Invalid> {
    let opened = source.open(started_at)?;
    let mut reader = std::io::BufReader::new(opened.reader);
    let mut frames = 0u64;
    let mut last: Option<Report> = None;
    let mut frame = Vec::new();
    while next_frame(&mut reader, &mut frame, frames)? {
        if last.is_some() {
            return Err(Invalid::new(
                ErrorKind::MultipleResults,
                format!("a report follows the final one (frame {frames})"),
            ));
        }
        let (finished, mut report) = message(&frame, frames)?;
        if finished {
            report.progress = frames;
            last = Some(report);
        }
        frames += 1;
    }
    if last.is_none() && frames > 0 {
        return Err(Invalid::new(
            ErrorKind::NoFinalReport,
            format!("{frames} progress reports and no final one: the benchmarker did not reach its end"),
        ));
    }
    Ok(last)
}

fn nothing_written() -> Invalid {
    Invalid::new(
        ErrorKind::NoFinalReport,
        "nothing was written to the report descriptor: the benchmarker did not get as far, or was not given it",
    )
}

fn next_frame(reader: &mut impl Read, frame: &mut Vec<u8>, index: u64) -> Result<bool, Invalid> {
    let unreadable = |error| Invalid::new(ErrorKind::Unreadable, format!("the reports cannot be read: {error}"));
    let torn = || Invalid::new(ErrorKind::Truncated, format!("the report in frame {index} is cut"));
    let mut fill = |frame: &mut Vec<u8>, length: u64| {
        frame.clear();
        reader.by_ref().take(length).read_to_end(frame).map_err(unreadable)
    };
    match fill(frame, 2)? {
        0 => return Ok(false),
        2 => {}
        _ => return Err(torn()),
    }
    let length = u16::from_be_bytes([frame[0], frame[1]]);
    if length == 0 {
        return Err(Invalid::new(
            ErrorKind::Syntax,
            format!("frame {index} has the length 0: no report is empty, so it was too long for its two bytes"),
        ));
    }
    if fill(frame, u64::from(length))? < usize::from(length) {
        return Err(torn());
    }
    Ok(true)
}

/// One field of a message.
enum Value<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    Fixed,
}

/// Splits a message into its fields; `None` where it is no protobuf.
fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, Value<'_>)>> {
    let mut out = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let number = tag >> 3;
        if number == 0 || number > 0x1fff_ffff {
            return None;
        }
        let value = match tag & 7 {
            0 => Value::Varint(varint(&mut bytes)?),
            1 => fixed(&mut bytes, 8)?,
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let (head, tail) = bytes.split_at_checked(length)?;
                bytes = tail;
                Value::Bytes(head)
            }
            5 => fixed(&mut bytes, 4)?,
            _ => return None,
        };
        out.push((number, value));
    }
    Some(out)
}

fn fixed<'a>(bytes: &mut &[u8], length: usize) -> Option<Value<'a>> {
    *bytes = bytes.get(length..)?;
    Some(Value::Fixed)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && *byte > 1 {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The known fields of a message by number, each at most once and of its wire type.
struct Known<'a> {
    fields: Vec<(u64, Value<'a>)>,
    index: u64,
}

impl<'a> Known<'a> {
    fn new(bytes: &'a [u8], index: u64) -> Result<Self, Invalid> {
        match fields(bytes) {
            Some(fields) => Ok(Self { fields, index }),
            None => Err(Invalid::new(ErrorKind::Syntax, format!("frame {index} is not a protobuf message"))),
        }
    }

    fn one(&self, number: u64, name: &str) -> Result<Option<&Value<'a>>, Invalid> {
        let mut found = self.fields.iter().filter(|(n, _)| *n == number).map(|(_, value)| value);
        let first = found.next();
        if found.next().is_some() {
            let message = format!("frame {} holds `{name}` twice", self.index);
            return Err(Invalid::new(ErrorKind::DuplicateKey, message));
        }
        Ok(first)
    }

    fn wrong(&self, name: &str) -> Invalid {
        Invalid::new(ErrorKind::WrongType, format!("`{name}` in frame {} has a wrong type", self.index))
    }

    fn integer(&self, number: u64, name: &str) -> Result<i64, Invalid> {
        match self.one(number, name)? {
            None => Ok(0),
            // Protobuf sends int64 as the varint of its two's complement.
            Some(Value::Varint(value)) => Ok(i64::from_ne_bytes(value.to_ne_bytes())),
            Some(_) => Err(self.wrong(name)),
        }
    }

    fn bool(&self, number: u64, name: &str) -> Result<bool, Invalid> {
        match self.integer(number, name)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.wrong(name)),
        }
    }

    fn bytes(&self, number: u64, name: &str) -> Result<Option<&'a [u8]>, Invalid> {
        match self.one(number, name)? {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(_) => Err(self.wrong(name)),
        }
    }

    fn string(&self, number: u64, name: &str) -> Result<String, Invalid> {
        let bytes = self.bytes(number, name)?.unwrap_or_default();
        std::str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|_| Invalid::new(ErrorKind::NotUtf8, format!("`{name}` in frame {} is not UTF-8", self.index)))
    }
}

fn message(bytes: &[u8], index: u64) -> Result<(bool, Report), Invalid> {
    let result = Known::new(bytes, index)?;
    let finished = result.bool(1, "finished")?;
    let passed = result.bool(2, "passed")?;
    let score = result.integer(3, "score")?;
    let breakdown = match result.bytes(4, "score_breakdown")? {
        Some(bytes) => {
            let breakdown = Known::new(bytes, index)?;
            Some((breakdown.integer(1, "raw")?, breakdown.integer(2, "deduction")?))
        }
        None => None,
    };
    let mut reason = String::new();
    if let Some(bytes) = result.bytes(5, "execution")? {
        let execution = Known::new(bytes, index)?;
        reason = execution.string(1, "reason")?;
        // The supervisor fills these in, not the benchmarker; a recorded stream may have them.
        let (status, signaled) = (execution.integer(4, "exit_status")?, execution.bool(6, "signaled")?);
        if finished && passed && (status != 0 || signaled) {
            return Err(Invalid::new(
                ErrorKind::Contradiction,
                format!("the final report says passed, with the exit status {status}"),
            ));
        }
    }
    result.bytes(6, "marked_at")?;
    if let Some(survey) = result.bytes(8, "survey_response")? {
        Known::new(survey, index)?.string(1, "language")?;
    }
    let score = effective_score(score, breakdown, index)?;
    if finished && passed {
        check_arithmetic(score, breakdown)?;
    }
    Ok((finished, Report { passed, score, breakdown, progress: 0, reason }))
}

/// The portal takes a score of -1 as "raw minus deduction".
fn effective_score(score: i64, breakdown: Option<(i64, i64)>, index: u64) -> Result<i64, Invalid> {
    match (score, breakdown) {
        (-1, Some((raw, deduction))) => raw.checked_sub(deduction).ok_or_else(|| {
            Invalid::new(ErrorKind::OutOfRange, format!("raw and deduction in frame {index} give no 64-bit score"))
        }),
        _ => Ok(score),
    }
}

/// A passed run's score is raw minus deduction, but not below 0.
fn check_arithmetic(score: i64, breakdown: Option<(i64, i64)>) -> Result<(), Invalid> {
    match breakdown {
        Some((raw, deduction))
            if (raw, deduction) != (0, 0) && raw.checked_sub(deduction).map(|s| s.max(0)) != Some(score) =>
        {
            Err(Invalid::new(
                ErrorKind::Contradiction,
                format!("the final report's score {score} is not raw {raw} minus deduction {deduction}"),
            ))
        }
        _ => Ok(()),
    }
}

/// Puts a text reader's finding and the report together: the text decides, and the report must not disagree.
pub(super) fn cross_check(
    text: Option<Result<Claim, Invalid>>,
    report: Option<Result<Option<Report>, Invalid>>,
) -> Result<Claim, Invalid> {
    let (text, report) = match (text, report) {
        (None, None) => return Err(super::no_channel("the standard output")),
        (None, Some(report)) => return report?.ok_or_else(nothing_written)?.claim(),
        (Some(text), None) => return text,
        (Some(text), Some(report)) => (text, report),
    };
    let mut claim = text?;
    match report {
        Ok(Some(report)) if report.passed != claim.pass || claim.score.is_some_and(|score| score != report.score) => {
            Err(Invalid::new(
                ErrorKind::Contradiction,
                format!(
                    "the text says pass={} and score {}, the report descriptor pass={} and score {}",
                    claim.pass,
                    claim.score.map_or_else(|| "none".to_owned(), |s| s.to_string()),
                    report.passed,
                    report.score
                ),
            )
            .with(claim.notes))
        }
        Ok(Some(_)) => Ok(claim),
        // sudo and ssh close the descriptor before the benchmarker sees it.
        Ok(None) => {
            if claim.pass {
                claim.notes.warn("report_fd_unused");
            }
            Ok(claim)
        }
        Err(error) if claim.pass => Err(error.with(claim.notes)),
        Err(_) => Ok(claim),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(message: &[u8]) -> Vec<u8> {
        let mut out = u16::try_from(message.len()).unwrap().to_be_bytes().to_vec();
        out.extend_from_slice(message);
        out
    }

    fn kind(bytes: Vec<u8>) -> Result<(bool, i64), ErrorKind> {
        let source = Source::Bytes(bytes);
        read(&source, None)
            .and_then(|r| r.ok_or_else(nothing_written)?.claim())
            .map(|c| (c.pass, c.score.unwrap()))
            .map_err(|e| e.kind)
    }

    const PASSED_42: &[u8] = &[0x08, 1, 0x10, 1, 0x18, 42];

    #[test]
    fn only_a_finished_report_is_a_result() {
        let progress = frame(&[0x10, 1, 0x18, 42]);
        assert_eq!(kind(progress.clone()), Err(ErrorKind::NoFinalReport));
        assert_eq!(kind([progress.clone(), frame(PASSED_42)].concat()), Ok((true, 42)));
        assert_eq!(kind([frame(PASSED_42), progress].concat()), Err(ErrorKind::MultipleResults));
        assert_eq!(kind([frame(PASSED_42), frame(PASSED_42)].concat()), Err(ErrorKind::MultipleResults));
    }

    #[test]
    fn a_cut_frame_is_truncated_wherever_it_is_cut() {
        let whole = frame(PASSED_42);
        for length in 1..whole.len() {
            assert_eq!(kind(whole[..length].to_vec()), Err(ErrorKind::Truncated), "{length} bytes");
        }
    }

    #[test]
    fn broken_messages_have_their_kinds() {
        assert_eq!(kind(vec![0, 0]), Err(ErrorKind::Syntax));
        assert_eq!(kind(frame(&[0x0b])), Err(ErrorKind::Syntax));
        assert_eq!(kind(frame(&[0x18, 0x80])), Err(ErrorKind::Syntax));
        assert_eq!(kind(frame(&[0x08, 1, 0x10, 2, 0x18, 1])), Err(ErrorKind::WrongType));
        assert_eq!(kind(frame(&[0x08, 1, 0x10, 1, 0x1a, 1, 1])), Err(ErrorKind::WrongType));
        assert_eq!(kind(frame(&[0x08, 1, 0x10, 1, 0x18, 1, 0x18, 2])), Err(ErrorKind::DuplicateKey));
        assert_eq!(kind(frame(&[0x08, 1, 0x18, 3, 0x2a, 3, 0x0a, 1, 0xff])), Err(ErrorKind::NotUtf8));
    }

    #[test]
    fn a_prepare_only_report_is_not_a_load_run() {
        let prepared = frame(&[0x08, 1, 0x10, 1, 0x22, 0]);
        assert_eq!(kind(prepared.clone()), Err(ErrorKind::NotALoadRun));
        assert_eq!(kind([frame(&[0x22, 0]), prepared].concat()), Ok((true, 0)));
    }

    #[test]
    fn the_score_must_be_raw_minus_deduction() {
        assert_eq!(kind(frame(&[0x08, 1, 0x10, 1, 0x18, 7, 0x22, 4, 0x08, 9, 0x10, 2])), Ok((true, 7)));
        assert_eq!(kind(frame(&[0x08, 1, 0x10, 1, 0x18, 8, 0x22, 4, 0x08, 9, 0x10, 2])), Err(ErrorKind::Contradiction));
        let minus_one = [0x18, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(
            kind(frame(&[&[0x08, 1, 0x10, 1], &minus_one[..], &[0x22, 4, 0x08, 9, 0x10, 2]].concat())),
            Ok((true, 7))
        );
    }
}
