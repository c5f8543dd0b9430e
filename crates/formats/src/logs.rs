//! Logs of any program: lines with a time and a duration among other words.

mod access;
mod candidate;
mod clock;
mod date;
mod duration;
mod focus;
mod guess;
mod json;
mod kinds;
mod line;
pub(crate) mod moment;
pub(crate) mod names;
mod objects;
mod parsed;
mod part;
mod preceding;
mod reader;
mod request;
mod sayings;
mod shape;
#[cfg(test)]
mod tests;
mod text;
mod times;
mod unread;
mod values;

use std::io::BufRead;

use self::guess::{Judgement, Sample};
use self::line::LineParser;
use self::request::FieldChoice;
pub(crate) use self::objects::{Objects, each_field};
pub(crate) use self::times::{SyslogTimes, WrittenTimes};
use crate::counter_log;
use crate::foreign::Foreign;
use crate::formats;
use crate::lines::first_lines;
use crate::{
    Context, Counting, DecodeError, FilePart, Meta, Reach, ReadingOption, Sink, Source, Verdict,
};

/// Reads log lines that hold a duration.
pub(crate) struct Logs;

pub(crate) static SOURCE: Logs = Logs;

/// The name of the source.
pub(crate) const NAME: &str = "logs";

static META: Meta = Meta {
    name: NAME,
    address: "FILE or -; --columns latency_ms=FIELD,time=FIELD where there are several",
    about: "Logs of any program with a timestamp and a duration on each line: text (took 45us), \
        key=value, JSON lines, access logs of nginx and Apache",
    needs: &[],
    command: "isotherm show app.log",
    overhead: "None: reading a log costs nothing on the measured system.",
    loses: "Lines without a duration are counted and left out. isotherm reports which field it \
        reads as the time, which as the latency, and in which unit. It rejects the log if these \
        are ambiguous: several durations on a line, a number without a unit, no timestamp, or \
        timestamps that go back. A key such as read_us or delay_ms is the latency where it is the \
        only one with a unit of time: not beside a count, and not where its numbers never fall. Only the program knows whether a duration includes all of the \
        waiting. Attributes for --by: any key of JSON or key=value; for access logs method, path, \
        status and host. A value may hold blanks: in quotes, or up to the next key= \
        (event=db file sequential read ms=5) if it begins with a letter and none of its \
        words is a number.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
2026-11-21 05:15:14.312 INFO  [worker-3] GET /orders/17 took 45.2ms
2026-11-21 05:15:14.398 INFO  [worker-1] GET /orders/18 took 812us
2026-11-21 05:15:14.401 WARN  [worker-3] queue is half full
",
    interpretation: "Two requests of 45.2 ms and 0.812 ms; the third line has no duration. The \
        timestamp of a line is taken as the end of its event, because the program had finished \
        when it logged the duration.",
};

impl Source for Logs {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        match judged(head, &FieldChoice::default()) {
            Judgement::Clear(_) | Judgement::Needs(_) => Verdict::Unsure,
            Judgement::NotMine | Judgement::Refused(_) => Verdict::No,
        }
    }

    fn tells_apart(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let head = crate::peek(input).unwrap_or_default();
        if counter_log::begins_in(&head) {
            return counter_log::read(input, context, sink);
        }
        reader::read(input, context, sink).map_err(|error| match error {
            DecodeError::Nothing(why) => DecodeError::Nothing(match formats::advice(&head) {
                Some(advice) => format!("{why}; {advice}"),
                None => why,
            }),
            error => error,
        })
    }

    fn decode_part(
        &self,
        part: &FilePart<'_>,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<Reach, DecodeError> {
        part::read(part, context, sink)
    }
}

/// What the beginning of an input looks like.
fn judged(head: &[u8], wanted: &FieldChoice) -> Judgement {
    if head.contains(&0) {
        return Judgement::NotMine;
    }
    let (mut sample, mut lines) = (Sample::default(), LineParser::default());
    let most = usize::try_from(Sample::ENOUGH).unwrap_or(usize::MAX);
    for line in first_lines(head).take(most) {
        let line = String::from_utf8_lossy(line);
        sample.add_names(&line);
        sample.add(&lines.parse(&line, wanted), wanted);
    }
    let judgement = sample.judge(wanted);
    let known = judgement != Judgement::NotMine && Foreign::recognise(head).is_some();
    if known { Judgement::NotMine } else { judgement }
}

/// Why a text that looks like a log with latencies is not read as one; `None` if it does not.
pub(crate) fn refusal(head: &[u8]) -> Option<String> {
    match judged(head, &FieldChoice::default()) {
        Judgement::Refused(why) => Some(why),
        Judgement::NotMine | Judgement::Clear(_) | Judgement::Needs(_) => None,
    }
}
