//! The path of each I/O as the programs of `isotherm bpftrace pg-path` and `oracle-path` print it.

mod capture;
mod line;
mod locks;
mod meta;

use std::io::BufRead;

use isotherm_frame::{Clock, PathLevel, PathOutcome, PathStep, Rejection};

pub use self::capture::PathCapture;
pub use self::locks::lock_type;
use self::capture::{Receiver, Remark, is_capture};
use crate::grouping::Grouping;
use crate::{Context, DecodeError, Meta, Note, ReadingOption, Sink, Source, Verdict};

/// Reads statements, waits, system calls and block requests with their durations.
pub(crate) struct IoPath;

pub(crate) static SOURCE: IoPath = IoPath;

/// The attributes of a step; the last four are those of a wait of Oracle.
const ATTRIBUTES: &[&str] = &[
    "level", "name", "file", "bytes", "process", "thread", "outcome", "session", "p1", "p2", "p3",
];

impl Source for IoPath {
    fn meta(&self) -> &'static Meta {
        &meta::META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if is_capture(head) { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit, ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let grouping = Grouping::new(context, "steps", ATTRIBUTES, &["level", "name"]);
        let mut events = Events { grouping, sink, clock_said: false };
        capture::read(input, &mut events)?;
        events.grouping.finish(events.sink);
        Ok(())
    }
}

/// Tells a sink every step as an event.
struct Events<'s> {
    grouping: Grouping,
    sink: &'s mut dyn Sink,
    clock_said: bool,
}

impl Receiver for Events<'_> {
    fn step(&mut self, step: PathStep) {
        if !self.clock_said {
            self.clock_said = true;
            self.sink.note(Note::Clock(Clock::Epoch));
        }
        self.sink.record();
        let bytes = step.bytes.map_or_else(String::new, |bytes| bytes.to_string());
        let (process, thread) = (step.process.to_string(), step.thread.to_string());
        let [session, p1, p2, p3] = of_wait(&step);
        let values: [&[u8]; 11] = [
            step.level.name().as_bytes(),
            name(&step).as_bytes(),
            file(&step).as_bytes(),
            bytes.as_bytes(),
            process.as_bytes(),
            thread.as_bytes(),
            outcome(&step).as_bytes(),
            session.as_bytes(),
            p1.as_bytes(),
            p2.as_bytes(),
            p3.as_bytes(),
        ];
        self.grouping.tell(&values, (step.end(), step.duration), self.sink);
    }

    fn reject(&mut self, rejection: Rejection) {
        self.sink.reject(rejection);
    }

    fn remark(&mut self, remark: Remark) {
        self.sink.note(match remark {
            Remark::Lost(lost) => Note::Lost(lost),
            Remark::Ignored => Note::Ignored,
            Remark::Said(words) => Note::Said(words.into()),
        });
    }
}

/// What a step is called; a statement is called nothing.
fn name(step: &PathStep) -> &str {
    if step.level == PathLevel::Statement { "" } else { &step.name }
}

/// The file or device of a step; a statement has none, and neither has a wait of Oracle.
fn file(step: &PathStep) -> &str {
    match step.level {
        PathLevel::Statement => "",
        _ if step.subject.starts_with(SESSION) => "",
        _ => &step.subject,
    }
}

/// How what a wait of Oracle is about begins: `sid=12,p1=4,p2=1234,p3=1`.
const SESSION: &str = "sid=";

/// Session and parameters of a wait of Oracle; empty for all others.
fn of_wait(step: &PathStep) -> [&str; 4] {
    if !step.subject.starts_with(SESSION) || step.level != PathLevel::Wait {
        return [""; 4];
    }
    let value = |name: &str| {
        let part = step.subject.split(',').find_map(|part| part.strip_prefix(name));
        part.and_then(|part| part.strip_prefix('=')).unwrap_or_default()
    };
    ["sid", "p1", "p2", "p3"].map(value)
}

fn outcome(step: &PathStep) -> &'static str {
    match step.outcome {
        PathOutcome::Done => "done",
        PathOutcome::Failed => "failed",
        PathOutcome::RestOfSplit => "rest of a split",
    }
}
