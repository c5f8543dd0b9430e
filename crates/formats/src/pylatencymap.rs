//! The records of PyLatencyMap: running totals between `<begin record>` and `<end record>`.

mod clock;
mod record;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{Place, Reading, Rejection, Series, Unit};

use self::clock::RecordClock;
use self::record::{Bounds, BoundsKind, Record};
use crate::unread_options::say_named_unit;
use crate::{Context, Counting, DecodeError, Line, LineReader, Meta, Note, Sink, Source, Verdict};

/// Reads PyLatencyMap's record format.
pub(crate) struct PyLatencyMap;

pub(crate) static SOURCE: PyLatencyMap = PyLatencyMap;

static META: Meta = Meta {
    name: "pylatencymap",
    address: "FILE or -",
    about: "Records of PyLatencyMap, from its collectors for Oracle, AWR, 10046, bcc, DTrace and \
            SystemTap",
    needs: &[],
    command: "sqlplus -S / as sysdba @ora_latency.sql \"db file sequential read\" 3 | isotherm live -",
    overhead: "That of the collector. The Oracle collectors run one query of GV$EVENT_HISTOGRAM \
        per refresh; tracing collectors cost something for every operation.",
    loses: "The exact latency within a bucket: bounds are powers of two, so the time waited is an \
        estimate. The first record is the baseline and is not drawn; a first record without rows \
        is a baseline of zero. The bucket 4294967295 has no upper bound; its lower bound is the \
        largest of the other bounds. Instances of a cluster are not separated: their rows are \
        added up.",
    counting: Counting::Totals(
        "a restart of what is measured: the Oracle instance, or the tracing program of the \
        collector",
    ),
    exact_time: false,
    example: "\
<begin record>
timestamp, microsec, 1795253272365783, 2026-11-21 09:27:52
label, synchronous writes of 8 KiB
latencyunit, microsec
datasource, bpf
64, 42
128, 3939
256, 19
<end record>
",
    interpretation: "Of 4,000 writes since the collector started, 3,939 took 128 to 255 \
        microseconds. With datasource bpf, dtrace or systemtap, a row's number is the lower bound \
        of its bucket; with oracle it is the upper bound. Each record has totals; the difference \
        between two records is one column of the map.",
};

impl Source for PyLatencyMap {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if begins_in(head) { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut decoder = Decoder::new(context);
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.finish(sink);
        Ok(())
    }
}

/// Whether a record begins in `head`.
pub(crate) fn begins_in(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    lines.any(|line| line.trim_ascii().eq_ignore_ascii_case(BEGIN.as_bytes()))
}

const BEGIN: &str = "<begin record>";
const END: &str = "<end record>";

struct Decoder<'c> {
    context: &'c Context,
    clock: RecordClock<'c>,
    open: Option<Record>,
    /// The unit of the last record that named one: it holds until another does.
    unit: Option<Unit>,
    /// The series that occurred, each with the exponent of the bound from which on a count has no
    /// upper bound: once there is such a count its bucket stays the same.
    tops: BTreeMap<Series, Option<usize>>,
    /// Whether text between records shows that SQL*Plus wrote them.
    sql_plus: bool,
    /// Records whose rows were taken as upper bounds without anything saying so.
    assumed: u32,
}

impl Decoder<'_> {
    const NO_END: &'static str =
        "the record has no <end record>: it may be cut short, so nothing of it is used";
    const NO_TIME: &'static str =
        "the record has no timestamp, so it has no place on the time axis";
    const NO_ROWS: &'static str = "the record has no rows: nothing was counted, or its query failed";
    const FROM_ZERO: &'static str =
        "the first record of a series has no rows: a baseline of zero is assumed";
    const NO_UNIT: &'static str =
        "the records name no latencyunit: milliseconds are assumed (--unit)";
    const ASSUMED: &'static str = "the records name no datasource: each row's number is taken as \
        the upper bound of its bucket, as Oracle counts (add 'datasource, bpf' to the records if \
        it is the lower bound)";
    const REPEATED: &'static str =
        "buckets that occur twice in a record are added up, as for instances of a cluster";

    fn new(context: &Context) -> Decoder<'_> {
        let clock = RecordClock::new(context);
        let tops = BTreeMap::new();
        Decoder { context, clock, open: None, unit: None, tops, sql_plus: false, assumed: 0 }
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        let text = text.trim();
        if text.eq_ignore_ascii_case(BEGIN) {
            self.drop_unfinished(sink);
            self.open = Some(Record::new(line.place));
        } else if let Some(record) = &mut self.open {
            if text.eq_ignore_ascii_case(END) {
                self.close(sink);
            } else if line.cut {
                record.damage(line.place, "a line longer than 1 MiB");
            } else if !text.is_empty() {
                record.line(line.place, text, sink);
            }
        } else if !text.is_empty() {
            self.sql_plus |= is_sql_plus(text);
            sink.note(Note::Ignored);
        }
    }

    /// The end of the input.
    fn finish(mut self, sink: &mut dyn Sink) {
        self.drop_unfinished(sink);
        if self.assumed > 0 && !self.sql_plus {
            sink.note(Note::Said(Decoder::ASSUMED.into()));
        }
    }

    /// Gives up a record that never ended.
    fn drop_unfinished(&mut self, sink: &mut dyn Sink) {
        if let Some(record) = self.open.take() {
            let (place, events) = (record.place(), record.events());
            sink.reject(Rejection { place, reason: Decoder::NO_END.into(), events });
        }
    }

    /// A record is complete: tells its totals, unless something in it is wrong. Nothing is lost
    /// with a rejected record, because the next one's totals include it.
    fn close(&mut self, sink: &mut dyn Sink) {
        let Some(mut record) = self.open.take() else { return };
        let bounds = if record.said() == BoundsKind::Lower { Bounds::Lower } else { Bounds::Upper };
        record.settle(bounds, sink);
        if let Err((place, reason)) = self.tell(&mut record, bounds, sink) {
            sink.reject(Rejection { place, reason, events: record.events() });
        }
    }

    fn tell(
        &mut self,
        record: &mut Record,
        bounds: Bounds,
        sink: &mut dyn Sink,
    ) -> Result<(), (Place, Cow<'static, str>)> {
        record.take_damage().map_or(Ok(()), Err)?;
        let fault = |reason: &'static str| (record.place(), reason.into());
        let micros = record.micros().ok_or_else(|| fault(Decoder::NO_TIME))?;
        let series = series(record);
        let baseline = record.has_no_rows();
        if baseline && (!record.is_bare() || self.tops.contains_key(&series)) {
            return Err(fault(Decoder::NO_ROWS));
        }
        let at = self.clock.place((micros, record.date()), bounds, sink);
        let at = at.ok_or_else(|| fault(RecordClock::TOO_LARGE))?;
        let unit = if baseline {
            sink.note(Note::Said(Decoder::FROM_ZERO.into()));
            record.unit().unwrap_or(Unit::Micros)
        } else {
            if record.said() == BoundsKind::Nothing {
                self.assume_upper(sink);
            }
            self.unit(record, sink)
        };
        if record.repeats() {
            sink.note(Note::Said(Decoder::REPEATED.into()));
        }
        let top = self.tops.entry(series.clone()).or_default();
        *top = top.or(record.top(unit));
        let total = record.histogram(unit, bounds, *top);
        sink.record();
        sink.reading(Reading::Cumulative { at, series, total, epoch: None });
        Ok(())
    }

    /// Says that upper bounds were assumed: by the second record text of SQL*Plus, which stands
    /// between records and makes it certain, has been seen.
    fn assume_upper(&mut self, sink: &mut dyn Sink) {
        self.assumed = self.assumed.saturating_add(1);
        if self.assumed == 2 && !self.sql_plus {
            sink.note(Note::Said(Decoder::ASSUMED.into()));
        }
    }

    fn unit(&mut self, record: &Record, sink: &mut dyn Sink) -> Unit {
        self.unit = record.unit().or(self.unit);
        say_named_unit(self.context.unit, self.unit, sink);
        self.unit.or(self.context.unit).unwrap_or_else(|| {
            sink.note(Note::Said(Decoder::NO_UNIT.into()));
            Unit::Millis
        })
    }
}

fn series(record: &Record) -> Series {
    let name = record.label().unwrap_or("latency");
    Series::with_attributes(name, record.source().map(|source| ("datasource", source)))
}

/// Whether a line between records is one that SQL*Plus writes.
fn is_sql_plus(line: &str) -> bool {
    line.starts_with("PL/SQL procedure") || line.ends_with("rows selected.")
}

#[cfg(test)]
mod tests;
