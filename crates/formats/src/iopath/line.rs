//! The lines of a captured path: what each level prints when something has finished.

use std::collections::HashMap;
use std::sync::Arc;

use isotherm_frame::{Nanos, PathLevel, PathOutcome, PathStep, Timestamp};

/// The first words of a capture, with the version of its format.
pub(super) const BEGINNING: &str = "isotherm-path 1 ";

/// The count of the steps it printed, as the program leaves it behind.
pub(super) const PRINTED: &str = "@printed";

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// The tracer's clock at a moment of the wall clock, both in nanoseconds.
    Began { clock_ns: u64, wall: Timestamp },
    /// The tracer's clock when it ended.
    Ended,
    /// How many steps the program printed.
    Printed(u64),
    /// What the number of a wait event stands for.
    EventName { number: u32, name: String },
    /// Something finished, at a time of the tracer's clock.
    Step(PathStep),
    /// None of these.
    Other,
}

/// Texts that come again and again, each kept once.
#[derive(Debug, Default)]
pub(super) struct Texts {
    known: HashMap<Box<str>, Arc<str>>,
}

impl Texts {
    /// The most texts that are kept once: beyond, each has memory of its own.
    const MOST: usize = 1 << 16;

    fn of(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        if self.known.len() < Texts::MOST {
            self.known.insert(text.into(), Arc::clone(&new));
        }
        new
    }
}

/// The words of a line, one after the other, and what is left.
struct Words<'l>(&'l str);

impl<'l> Words<'l> {
    fn next(&mut self) -> Option<&'l str> {
        let (word, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }

    fn number<N: std::str::FromStr>(&mut self, name: &'static str) -> Result<N, &'static str> {
        self.next().and_then(|word| word.parse().ok()).ok_or(name)
    }
}

/// Reads a line; an error says which of its fields cannot be read.
pub(super) fn read(line: &str, texts: &mut Texts) -> Result<Said, &'static str> {
    let mut words = Words(line);
    let level = match words.next() {
        Some("statement") => PathLevel::Statement,
        Some("wait") => PathLevel::Wait,
        Some("call") => PathLevel::SystemCall,
        Some("block") => PathLevel::BlockRequest,
        Some("end") => {
            return words.number::<u64>("the time of the end").map(|_| Said::Ended);
        }
        Some("isotherm-name") => return name(words),
        Some("@printed:") => {
            return Ok(words.number("").map_or(Said::Other, Said::Printed));
        }
        _ if line.starts_with(BEGINNING) => return began(&line[BEGINNING.len()..]),
        _ => return Ok(Said::Other),
    };
    // A text of a statement may go on in lines that only begin like one of these.
    let start = words.number::<i64>("its start").and_then(not_negative)?;
    let mut step = PathStep {
        level,
        recursion: 0,
        start: Timestamp::new(start),
        duration: Nanos::new(words.number("its duration")?),
        queued: Nanos::ZERO,
        process: words.number("its process")?,
        thread: words.number("its thread")?,
        name: texts.of(""),
        subject: texts.of(""),
        offset: None,
        bytes: None,
        outcome: PathOutcome::Done,
        program: texts.of(""),
    };
    match level {
        PathLevel::Statement => statement(&mut step, words, texts)?,
        PathLevel::Wait | PathLevel::DatabaseCall => wait(&mut step, words, texts)?,
        PathLevel::SystemCall => call(&mut step, words, texts)?,
        PathLevel::BlockRequest => block(&mut step, words, texts)?,
    }
    Ok(Said::Step(step))
}

fn not_negative(number: i64) -> Result<i64, &'static str> {
    if number >= 0 { Ok(number) } else { Err("its start") }
}

/// `NANOSECONDS SECONDS.MICROSECONDS`.
fn began(rest: &str) -> Result<Said, &'static str> {
    const WALL: &str = "the wall clock at the beginning";
    let mut words = Words(rest.trim_end());
    let clock_ns = words.number("the clock at the beginning")?;
    let (seconds, fraction) = words.next().and_then(|word| word.split_once('.')).ok_or(WALL)?;
    let seconds: i64 = seconds.parse().map_err(|_| WALL)?;
    let digits = fraction.len();
    let fraction: i64 = fraction.parse().map_err(|_| WALL)?;
    let scale =
        u32::try_from(digits).ok().and_then(|digits| 9_u32.checked_sub(digits)).ok_or(WALL)?;
    let wall = seconds
        .checked_mul(1_000_000_000)
        .and_then(|ns| ns.checked_add(fraction.checked_mul(10_i64.pow(scale))?))
        .filter(|_| fraction >= 0 && seconds >= 0)
        .ok_or(WALL)?;
    Ok(Said::Began { clock_ns, wall: Timestamp::new(wall) })
}

/// `event NUMBER NAME`.
fn name(mut words: Words<'_>) -> Result<Said, &'static str> {
    if words.next() != Some("event") {
        return Ok(Said::Other);
    }
    let number = words.number("the number of the event")?;
    Ok(Said::EventName { number, name: words.0.to_owned() })
}

/// `ok|failed TEXT`.
fn statement(
    step: &mut PathStep,
    mut words: Words<'_>,
    texts: &mut Texts,
) -> Result<(), &'static str> {
    step.outcome = match words.next() {
        Some("ok") => PathOutcome::Done,
        Some("failed") => PathOutcome::Failed,
        _ => return Err("whether it succeeded"),
    };
    step.name = texts.of("statement");
    step.subject = texts.of(words.0.trim());
    Ok(())
}

/// `OBJECT NAME`; the object is `-` where there is none.
fn wait(step: &mut PathStep, mut words: Words<'_>, texts: &mut Texts) -> Result<(), &'static str> {
    let object = words.next().ok_or("its object")?;
    step.subject = texts.of(if object == "-" { "" } else { object });
    if words.0.is_empty() {
        return Err("its name");
    }
    step.name = texts.of(words.0);
    Ok(())
}

/// `NAME DESCRIPTOR OFFSET RESULT FILE`; an offset of -1 is none.
fn call(step: &mut PathStep, mut words: Words<'_>, texts: &mut Texts) -> Result<(), &'static str> {
    step.name = texts.of(words.next().ok_or("its name")?);
    let descriptor: i64 = words.number("its descriptor")?;
    step.offset = u64::try_from(words.number::<i64>("its offset")?).ok();
    let result: i64 = words.number("its result")?;
    if result < 0 {
        step.outcome = PathOutcome::Failed;
    } else if !step.name.contains("sync") && !step.name.starts_with("io_") {
        step.bytes = u64::try_from(result).ok();
    }
    let file = words.0.trim_matches('/');
    step.subject = match (file, descriptor) {
        ("", ..0) => texts.of(""),
        ("", _) => texts.of(&format!("fd {descriptor}")),
        _ => texts.of(file),
    };
    Ok(())
}

/// `OPERATION MAJOR:MINOR SECTOR SECTORS QUEUED SPLIT PROGRAM`.
fn block(step: &mut PathStep, mut words: Words<'_>, texts: &mut Texts) -> Result<(), &'static str> {
    /// What the kernel counts in, whatever the device does.
    const SECTOR: u64 = 512;
    let flags = words.next().ok_or("its operation")?;
    step.subject = texts.of(words.next().ok_or("its device")?);
    // A flush has none: it is printed as 0 or -1.
    let sector: i64 = words.number("its sector")?;
    let sectors: u64 = words.number("its length")?;
    step.name = texts.of(operation(flags, sectors));
    if sectors > 0 {
        step.offset = u64::try_from(sector).ok().and_then(|sector| sector.checked_mul(SECTOR));
        step.bytes = sectors.checked_mul(SECTOR);
    }
    step.queued = Nanos::new(words.number("its time in the queue")?);
    if words.number::<u64>("whether it was split")? > 0 {
        step.outcome = PathOutcome::RestOfSplit;
    }
    step.program = texts.of(words.0);
    Ok(())
}

/// What the kernel's letters mean.
fn operation(flags: &str, sectors: u64) -> &'static str {
    // A leading F asks for a flush before the operation that follows it.
    let first = flags.strip_prefix('F').filter(|rest| !rest.is_empty()).unwrap_or(flags);
    match first.bytes().next() {
        _ if sectors == 0 => "flush",
        Some(b'R') if flags.contains('A') => "read ahead",
        Some(b'R') => "read",
        Some(b'W') => "write",
        Some(b'D') => "discard",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(line: &str) -> PathStep {
        match read(line, &mut Texts::default()) {
            Ok(Said::Step(step)) => step,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_level_reads_as_it_is_printed() {
        let call = step("call 822931084565 3385 22442 22443 pread64 46 16384 8192 5/16384_fsm");
        assert_eq!((call.level, call.process, call.thread), (PathLevel::SystemCall, 22442, 22443));
        assert_eq!((call.offset, call.bytes), (Some(16_384), Some(8_192)));
        assert_eq!((&*call.name, &*call.subject), ("pread64", "5/16384_fsm"));
        let sync = step("call 1 2 3 3 fdatasync 47 -1 0 pg_wal/000000010000000000000003");
        assert_eq!((sync.offset, sync.bytes, sync.outcome), (None, None, PathOutcome::Done));
        let failed = step("call 1 2 3 3 pread64 47 0 -5 /");
        assert_eq!((failed.bytes, failed.outcome), (None, PathOutcome::Failed));
        assert_eq!(&*failed.subject, "fd 47");
        let block = step("block 900 100 7 8 RA 254:0 16 8 250 1 kworker/u8:2-a b");
        assert_eq!((block.asked(), block.end()), (Timestamp::new(650), Timestamp::new(1_000)));
        assert_eq!((block.offset, block.bytes), (Some(8_192), Some(4_096)));
        assert_eq!((&*block.name, &*block.program), ("read ahead", "kworker/u8:2-a b"));
        assert_eq!(block.outcome, PathOutcome::RestOfSplit);
        let flush = step("block 900 100 7 8 FN 254:0 -1 0 0 0 kworker/0:0H");
        assert_eq!((&*flush.name, flush.offset, flush.bytes), ("flush", None, None));
        let statement = step("statement 1 2 3 3 failed select 1/0 ");
        assert_eq!((&*statement.subject, statement.outcome), ("select 1/0", PathOutcome::Failed));
        let wait = step("wait 1 2 3 3 - LWLock:My tranche");
        assert_eq!((&*wait.subject, &*wait.name), ("", "LWLock:My tranche"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let wrong = |line: &str| read(line, &mut Texts::default()).expect_err(line);
        assert_eq!(wrong("call 1 2 3"), "its thread");
        assert_eq!(wrong("call -1 2 3 3 pread64 1 1 1 f"), "its start");
        assert_eq!(wrong("block 1 2 3 3 R 254:0 8 x 0 0 a"), "its length");
        assert_eq!(wrong("block 1 2 3 3 R 254:0 8 8 -5 0 a"), "its time in the queue");
        assert_eq!(wrong("statement 1 2 3 3 maybe select"), "whether it succeeded");
        assert_eq!(wrong("wait 1 2 3 3 -"), "its name");
        assert_eq!(wrong("isotherm-path 1 5 1,5"), "the wall clock at the beginning");
        assert_eq!(wrong("isotherm-path 1 5 99999999999.5"), "the wall clock at the beginning");
    }

    #[test]
    fn the_beginning_ties_the_clocks_together() {
        let said = read("isotherm-path 1 692430564584 1795459111.905260", &mut Texts::default());
        let wall = Timestamp::new(1_795_459_111_905_260_000);
        assert_eq!(said, Ok(Said::Began { clock_ns: 692_430_564_584, wall }));
        assert_eq!(read("Attaching 6 probes...", &mut Texts::default()), Ok(Said::Other));
    }
}
