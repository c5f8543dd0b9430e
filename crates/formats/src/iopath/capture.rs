//! From the lines of a capture to steps, at moments of the wall clock.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::Arc;

use isotherm_frame::{
    Account, MemoryAccount, PathLevel, PathStep, Place, Rejection, Timestamp,
};
use serde_json::Value;

use super::line::{self, Said, Texts};
use super::locks::lock_type;
use crate::lines::first_lines;
use crate::{DecodeError, Line, LineReader};

/// What a capture says that is no step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remark {
    /// So many lines of the tracer were lost.
    Lost(u64),
    /// A line outside the data.
    Ignored,
    /// Something to tell the user.
    Said(&'static str),
}

/// Receives what a capture says, in the order of its lines.
pub(super) trait Receiver {
    fn step(&mut self, step: PathStep);
    fn reject(&mut self, rejection: Rejection);
    fn remark(&mut self, remark: Remark);
}

const NO_END: &str = "the capture has no end: it was cut, or is still being written";
const NO_BEGINNING: &str = "the capture has no line 'isotherm-path 1' with its clock before its first step: keep the whole \
     output of the program";

/// Whether an input begins as a capture does.
pub(super) fn is_capture(head: &[u8]) -> bool {
    let plain = line::BEGINNING.as_bytes();
    first_lines(head).take(64).any(|line| {
        line.starts_with(plain)
            || line.starts_with(b"{\"type\"") && memchr::memmem::find(line, plain).is_some()
    })
}

/// Reads a capture, as text or as the JSON lines of `bpftrace -f json`.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    to: &mut dyn Receiver,
) -> Result<(), DecodeError> {
    let mut reader = Reader {
        to,
        texts: Texts::default(),
        names: HashMap::new(),
        zero: None,
        lines: 0,
        steps: 0,
        unread: 0,
        reported_lost: 0,
        printed: None,
        ended: false,
    };
    LineReader::new(input).each(|line| reader.line(line))?;
    reader.finish()
}

struct Reader<'r> {
    to: &'r mut dyn Receiver,
    texts: Texts,
    /// Names of wait events by their numbers.
    names: HashMap<u32, Arc<str>>,
    /// What the tracer's clock said at which moment.
    zero: Option<(u64, Timestamp)>,
    lines: u64,
    steps: u64,
    /// Lines of steps that could not be read.
    unread: u64,
    /// Lines that the tracer noticed it lost. It does not notice those that found its buffers full if
    /// nothing was printed after them.
    reported_lost: u64,
    /// Lines of steps that the program counted as printed.
    printed: Option<u64>,
    ended: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>) {
        self.lines += 1;
        if line.cut {
            return self.reject(line.place, "a line longer than 1 MiB", 0);
        }
        let text = line.text();
        let text = text.trim_end();
        if text.starts_with("{\"type\"") {
            return self.message(text, line.place);
        }
        if let Some(lost) = lost_events(text) {
            return self.report_lost(lost);
        }
        self.printed(text, line.place);
    }

    /// A line of `bpftrace -f json`.
    fn message(&mut self, text: &str, place: Place) {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return self.reject(place, "not JSON", 1);
        };
        let data = value.get("data");
        match value.get("type").and_then(Value::as_str) {
            Some("printf") => {
                let printed = data.and_then(Value::as_str).unwrap_or_default();
                // A statement may have several lines, and is one line here.
                self.printed(&printed.trim_end().replace(['\n', '\r', '\t'], " "), place);
            }
            Some("lost_events") => {
                match data.and_then(|data| data.get("events")).and_then(Value::as_u64) {
                    Some(lost) => self.report_lost(lost),
                    None => self.reject(place, "lost events without their number", 0),
                }
            }
            Some("map") => {
                match data.and_then(|data| data.get(line::PRINTED)).and_then(Value::as_u64) {
                    Some(printed) => self.printed = Some(printed),
                    None => self.to.remark(Remark::Ignored),
                }
            }
            _ => self.to.remark(Remark::Ignored),
        }
    }

    fn printed(&mut self, text: &str, place: Place) {
        match line::read(text, &mut self.texts) {
            Ok(Said::Step(step)) => self.step(step, place),
            Ok(Said::Began { clock_ns, wall }) => self.zero = Some((clock_ns, wall)),
            Ok(Said::Ended) => self.ended = true,
            Ok(Said::Printed(printed)) => self.printed = Some(printed),
            Ok(Said::EventName { number, name }) => {
                self.names.insert(number, name.into());
            }
            Ok(Said::Other) if text.trim().is_empty() => {}
            Ok(Said::Other) => self.to.remark(Remark::Ignored),
            Err(why) => {
                self.unread += 1;
                self.reject(place, why, 1);
            }
        }
    }

    fn report_lost(&mut self, lost: u64) {
        self.reported_lost = self.reported_lost.saturating_add(lost);
        self.to.remark(Remark::Lost(lost));
    }

    fn step(&mut self, mut step: PathStep, place: Place) {
        let moment = self.zero.and_then(|(clock_ns, wall)| {
            let since = i128::from(step.start.as_nanos()) - i128::from(clock_ns);
            i64::try_from(i128::from(wall.as_nanos()) + since).ok()
        });
        let Some(moment) = moment else {
            self.unread += 1;
            return self.reject(
                place,
                "it is before the line that says what its times count from",
                1,
            );
        };
        step.start = Timestamp::new(moment);
        if step.level == PathLevel::Wait
            && let Some(number) = step.name.strip_prefix("event#")
            && let Some(name) = number.parse().ok().and_then(|number: u32| self.names.get(&number))
        {
            step.name = Arc::clone(name);
        }
        if let Some(kind) = step.name.strip_prefix("Lock:").and_then(lock_type) {
            step.name = format!("Lock:{kind}").into();
        }
        self.steps += 1;
        self.to.step(step);
    }

    fn reject(&mut self, place: Place, reason: &'static str, events: u64) {
        let reason = match reason.strip_prefix("its ").or_else(|| reason.strip_prefix("the ")) {
            Some(_) => format!("{reason} cannot be read").into(),
            None => reason.into(),
        };
        self.to.reject(Rejection { place, reason, events });
    }

    fn finish(self) -> Result<(), DecodeError> {
        if self.lines == 0 {
            return Ok(());
        }
        let read = self.steps.saturating_add(self.unread);
        let missing = self.printed.map_or(0, |printed| printed.saturating_sub(read));
        if missing > self.reported_lost {
            self.to.remark(Remark::Lost(missing - self.reported_lost));
        }
        if self.zero.is_none() {
            return Err(DecodeError::Nothing(NO_BEGINNING.to_owned()));
        }
        if !self.ended {
            self.to.remark(Remark::Said(NO_END));
        }
        if self.steps == 0 {
            self.to.remark(Remark::Said("nothing finished while the program ran"));
        }
        Ok(())
    }
}

/// `Lost 56 events`, as bpftrace prints it among everything else.
fn lost_events(line: &str) -> Option<u64> {
    line.strip_prefix("Lost ")?.strip_suffix(" events")?.parse().ok()
}

/// The steps of a capture, and the account of its reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCapture {
    /// What finished, in the order of the lines.
    pub steps: Vec<PathStep>,
    /// Steps that are not kept, because there are too many.
    pub left_out: u64,
    /// What was read, rejected and lost.
    pub account: Account,
    /// The first rejections.
    pub rejections: Vec<Rejection>,
    room: MemoryAccount,
}

impl PathCapture {
    /// Whether an input begins as a capture does.
    pub fn is_one(head: &[u8]) -> bool {
        is_capture(head)
    }

    /// Reads a whole capture; steps are kept as long as there is room for them.
    /// Fails with what is wrong: what the input gives, or that it does not say what its times count from.
    pub fn read(
        input: &mut (dyn BufRead + Send),
        room: MemoryAccount,
    ) -> Result<PathCapture, DecodeError> {
        let (steps, rejections) = (Vec::new(), Vec::new());
        let account = Account::default();
        let mut capture = PathCapture { steps, left_out: 0, account, rejections, room };
        read(input, &mut capture)?;
        Ok(capture)
    }
}

impl Receiver for PathCapture {
    fn step(&mut self, step: PathStep) {
        self.account.records += 1;
        if self.room.take(step.memory()) {
            self.steps.push(step);
        } else {
            self.left_out += 1;
        }
    }

    fn reject(&mut self, rejection: Rejection) {
        const SHOWN: usize = 3;
        self.account.rejected += 1;
        self.account.rejected_events += rejection.events;
        if self.rejections.len() < SHOWN {
            self.rejections.push(rejection);
        }
    }

    fn remark(&mut self, remark: Remark) {
        match remark {
            Remark::Lost(lost) => self.account.lost = self.account.lost.saturating_add(lost),
            Remark::Ignored => self.account.ignored_lines += 1,
            Remark::Said(words) => {
                self.account.notice(words.into());
            }
        }
    }
}
