//! Logs of `HdrHistogram`: one histogram for each interval.

mod base64;
mod payload;

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{Clock, Frame, Histogram, Nanos, Place, Quality, Reading, Timestamp, Unit};

use self::payload::{PayloadError, Values, histogram, values};
use crate::grouping::Grouping;
use crate::number;
use crate::sink::reject;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, Sink, Source, Verdict,
};

/// Reads interval logs of `HdrHistogram`.
pub(crate) struct HdrLog;

pub(crate) static SOURCE: HdrLog = HdrLog;

static META: Meta = Meta {
    name: "hdrlog",
    address: "FILE or -",
    about: "Interval logs of HdrHistogram (.hlog), versions 1.0 to 1.3, with and without tags: what \
        HistogramLogWriter, jHiccup, cassandra-stress and others write",
    needs: &[Need {
        what: "the unit of the values, which the log does not contain",
        how: "--unit us, for example, if they are not nanoseconds",
    }],
    command: "cassandra-stress write n=100000 -log hdrfile=run.hlog && isotherm show run.hlog",
    overhead: "Recording a value takes the program a few nanoseconds; a row has 300-2,000 bytes.",
    loses: "More digits than the program chose to keep, usually three. The unit is derived from \
        the largest value of an interval, which the log prints in milliseconds: give --unit if the \
        result is wrong. Rows of DoubleHistogram need --unit. Counts corrected for coordinated \
        omission look like any others.",
    counting: Counting::Intervals("within one interval of the log"),
    exact_time: false,
    example: "\
#[Histogram log format version 1.3]
#[StartTime: 1795238400.000 (seconds since epoch), Sat Nov 21 05:20:00 UTC 2026]
\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"
Tag=read,0.000,1.000,0.400,HISTFAAAACV4nJNpmSzMwMDAwgABzFCaEch0M9ixgMH+A0Rg8wxGJgBkkQWd
",
    interpretation: "One row for each interval: its start and its length in seconds, the largest \
        value in milliseconds, and the counts of all buckets, compressed. A tag separates series.",
};

/// What rows can be told apart by.
const ATTRIBUTES: &[&str] = &["tag"];

impl Source for HdrLog {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        // Every payload begins with the same bytes, in Base64; comments and heads may be left out.
        let is_row = |line: &[u8]| {
            row(line.trim_ascii()).is_some_and(|row| row.payload.starts_with(b"HISTFAAAA"))
        };
        let mine = has(b"#[Histogram log format version")
            || has(b"Interval_Compressed_Histogram")
            || crate::lines::first_lines(head).take(20).any(is_row);
        if mine { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut decoder = Decoder {
            grouping: Grouping::new(context, "latency", ATTRIBUTES, &["tag"]),
            given: context.unit,
            unit: context.unit,
            base: None,
            start: None,
            reported: false,
            is_live: context.is_live(),
            held: BTreeMap::new(),
            second_is_end: false,
        };
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        for held in std::mem::take(&mut decoder.held).into_values() {
            decoder.give(held, sink);
        }
        decoder.grouping.finish(sink);
        Ok(())
    }
}

struct Decoder {
    grouping: Grouping,
    /// The user's unit of values.
    given: Option<Unit>,
    /// The unit of values: the user's, or guessed from the first row with any.
    unit: Option<Unit>,
    /// What times are relative to, if the log says so.
    base: Option<Nanos>,
    /// When the log began.
    start: Option<Nanos>,
    reported: bool,
    is_live: bool,
    /// The last row of each tag: the next one shows whether its second column can be a length.
    held: BTreeMap<Vec<u8>, Held>,
    /// Whether the second column is the end of the interval.
    second_is_end: bool,
}

/// A row that is read and not yet given.
struct Held {
    place: Place,
    tag: Vec<u8>,
    start: Nanos,
    second: Nanos,
    counts: Histogram,
}

/// One row, taken apart.
struct Row<'l> {
    tag: &'l [u8],
    start: Nanos,
    /// The length of the interval; in logs of some programs its end.
    second: Nanos,
    /// The greatest value as it is printed.
    greatest: &'l [u8],
    payload: &'l [u8],
}

impl Decoder {
    const GUESSED: &'static str = "the log names no unit: nanoseconds are assumed, because the \
        largest values are printed in milliseconds (--unit)";
    const GUESSED_MICROS: &'static str = "the log names no unit: microseconds are assumed, because \
        the largest values are printed in milliseconds (--unit)";
    const NO_UNIT: &'static str =
        "the values have no unit: nanoseconds are assumed (--unit)";
    const ENDS: &'static str = "the second column is read as the end of each interval: as lengths, \
        the intervals of one tag would overlap";
    const ROW: &'static str =
        "not a row of 'start,length,greatest,histogram' with decimal points (LC_ALL=C)";

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.bytes.trim_ascii();
        if text.is_empty() || text.starts_with(b"\"") {
            return;
        }
        if text.starts_with(b"#") {
            self.comment(text);
            return;
        }
        if line.cut {
            return reject(sink, line.place, "a line longer than 1 MiB", 0);
        }
        match row(text) {
            Some(row) => self.row(line, &row, sink),
            None => reject(sink, line.place, Decoder::ROW, 0),
        }
    }

    fn comment(&mut self, text: &[u8]) {
        let seconds = |mark: &[u8]| {
            let rest = text.strip_prefix(mark)?;
            let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
            number::nanos(&rest[..end], Unit::Seconds).ok().map(Nanos::new)
        };
        self.base = seconds(b"#[BaseTime: ").or(self.base);
        self.start = seconds(b"#[StartTime: ").or(self.start);
    }

    fn row(&mut self, line: Line<'_>, row: &Row<'_>, sink: &mut dyn Sink) {
        let decoded = base64::decoded(row.payload);
        let Some(payload) = decoded else {
            return reject(sink, line.place, "the histogram is not Base64: it is damaged or cut", 0);
        };
        let of_fractions = values(&payload) == Values::Fractions;
        if of_fractions && self.given.is_none() {
            return reject(sink, line.place, PayloadError::NoUnit.to_string(), 0);
        }
        if self.unit.is_none()
            && !of_fractions
            && let Ok(values) = histogram(&payload, 1)
        {
            self.guess(&values, row.greatest, sink);
        }
        let unit = self.unit.unwrap_or(Unit::Nanos).as_nanos().as_nanos();
        let counts = match histogram(&payload, unit) {
            Ok(counts) => counts,
            Err(error) => return reject(sink, line.place, error.to_string(), 0),
        };
        let held = Held {
            place: line.place,
            tag: row.tag.to_vec(),
            start: row.start,
            second: row.second,
            counts,
        };
        if self.is_live {
            return self.give(held, sink);
        }
        if let Some(last) = self.held.remove(row.tag) {
            self.judge(&last, row.start, sink);
            self.give(last, sink);
        }
        self.held.insert(row.tag.to_vec(), held);
    }

    /// Looks at what the second column of a row is, which the start of the next one shows.
    fn judge(&mut self, last: &Held, next: Nanos, sink: &mut dyn Sink) {
        /// Intervals of which the end is printed with three decimals may overlap by so much.
        const SLACK: Nanos = Nanos::from_millis(50);
        let distance = difference(next, last.start);
        if self.second_is_end || distance == Nanos::ZERO {
            return;
        }
        let slack = SLACK.min(Nanos::new(distance.as_nanos() / 20));
        let overlaps = last.second > Nanos::new(distance.as_nanos().saturating_add(slack.as_nanos()));
        let is_end = difference(last.second, next).max(difference(next, last.second)) <= slack;
        if overlaps && is_end {
            self.second_is_end = true;
            sink.note(Note::Said(Decoder::ENDS.into()));
        }
    }

    fn give(&mut self, held: Held, sink: &mut dyn Sink) {
        let Held { place, tag, start, second, counts } = held;
        let length = if self.second_is_end { difference(second, start) } else { second };
        if length == Nanos::ZERO {
            return reject(sink, place, "the interval has no length", counts.events());
        }
        let (start, clock) = self.moment(start);
        let end = start.plus(length);
        if end <= start {
            return reject(sink, place, "the time is too large to be true", counts.events());
        }
        sink.record();
        if !std::mem::replace(&mut self.reported, true) {
            sink.note(Note::Clock(clock));
        }
        if let Some(series) = self.grouping.series(&[&tag]) {
            let quality = Quality::Complete;
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
    }

    /// The unit of values, from how the greatest one is printed: in milliseconds, unless the
    /// program chose otherwise.
    fn guess(&mut self, values: &Histogram, printed: &[u8], sink: &mut dyn Sink) {
        let greatest = values.non_zero().next_back().and_then(|(bucket, _)| bucket.hi);
        let printed = std::str::from_utf8(printed).ok().and_then(|text| text.parse::<f64>().ok());
        let (Some(greatest), Some(printed)) = (greatest, printed.filter(|printed| *printed > 0.0))
        else {
            return;
        };
        let ratio = greatest.as_nanos() as f64 / printed;
        let near = |power: f64| (0.95..1.05).contains(&(ratio / power));
        let (unit, words) = match ratio {
            _ if near(1e6) => (Unit::Nanos, Decoder::GUESSED),
            _ if near(1e3) => (Unit::Micros, Decoder::GUESSED_MICROS),
            _ => (Unit::Nanos, Decoder::NO_UNIT),
        };
        self.unit = Some(unit);
        sink.note(Note::Said(words.into()));
    }

    /// When a row begins: after the base, after the start of the log, or since 1970.
    fn moment(&self, start: Nanos) -> (Timestamp, Clock) {
        const YEAR: Nanos = Nanos::new(365 * 86_400 * 1_000_000_000);
        /// The first second taken as one since 1970 (it is in 2001).
        const EPOCH_FROM: Nanos = Nanos::new(1_000_000_000_000_000_000);
        let early = |log: &Nanos| start.as_nanos() < log.as_nanos().saturating_sub(YEAR.as_nanos());
        let base = self.base.or(self.start.filter(early)).unwrap_or(Nanos::ZERO);
        let at = Timestamp::new(0).plus(base).plus(start);
        let since_1970 = at >= Timestamp::new(0).plus(EPOCH_FROM);
        (at, if since_1970 { Clock::Epoch } else { Clock::Arbitrary })
    }
}

/// What is left of the first; nothing if the second is greater.
fn difference(one: Nanos, other: Nanos) -> Nanos {
    one.checked_sub(other).unwrap_or(Nanos::ZERO)
}

fn row(text: &[u8]) -> Option<Row<'_>> {
    let mut fields = text.split(|byte| *byte == b',');
    let mut first = fields.next()?;
    let mut tag = &b""[..];
    if let Some(name) = first.strip_prefix(b"Tag=") {
        tag = name;
        first = fields.next()?;
    }
    let seconds = |field: &[u8]| number::nanos(field, Unit::Seconds).ok().map(Nanos::new);
    let (start, second) = (seconds(first)?, seconds(fields.next()?)?);
    let (greatest, payload) = (fields.next()?, fields.next()?);
    let whole = fields.next().is_none() && !payload.is_empty();
    whole.then_some(Row { tag, start, second, greatest, payload })
}
