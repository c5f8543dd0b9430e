//! One record: its fields and its rows.

use std::borrow::Cow;

use isotherm_frame::{Histogram, Place, Rejection, Scheme, Unit};

use crate::calendar::{self, Written};
use crate::number::{self, Wrong, shown};
use crate::{Note, Sink, bars};

/// What the number before a count bounds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    /// The bucket `[v / 2, v)`, and `[0, 1)` for 1.
    Upper,
    /// The bucket `[v, 2 v)`, and `[0, 1)` for 0.
    Lower,
}

/// What a record says about its bounds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum BoundsKind {
    Upper,
    Lower,
    /// Nothing, but its label is about one of Oracle's histograms.
    Oracle,
    Nothing,
}

/// A record being read.
#[derive(Debug)]
pub(super) struct Record {
    place: Place,
    micros: Option<u64>,
    /// The date after it, as it is written for people.
    date: Option<Written>,
    label: Option<String>,
    source: Option<String>,
    unit: Option<Unit>,
    rows: Rows,
    /// The first thing that makes the whole record unusable.
    damage: Option<(Place, Cow<'static, str>)>,
    /// A line of no known kind was read: forgiven if it turns out to be a histogram's heading.
    unknown: bool,
    /// Such a line was no heading.
    strange: bool,
}

/// Counts by the number printed before them.
#[derive(Debug)]
struct Rows {
    zero: u64,
    /// By exponent of two.
    powers: [Option<u64>; 64],
    /// The count before which 4294967295 stands: in Oracle's views all longer waits.
    longest: Option<(Place, u64)>,
    any: bool,
    /// Drawn with bars, as DTrace and SystemTap do.
    drawn: bool,
    repeated: bool,
}

impl Record {
    /// What Oracle's histogram views print for "no upper bound".
    const NO_UPPER_BOUND: u64 = 4_294_967_295;

    pub(super) fn new(place: Place) -> Record {
        let rows = Rows {
            zero: 0,
            powers: [None; 64],
            longest: None,
            any: false,
            drawn: false,
            repeated: false,
        };
        Record {
            place,
            micros: None,
            date: None,
            label: None,
            source: None,
            unit: None,
            rows,
            damage: None,
            unknown: false,
            strange: false,
        }
    }

    /// Reads a line that is neither blank nor one of the tags.
    pub(super) fn line(&mut self, place: Place, text: &str, sink: &mut dyn Sink) {
        let heads = bars::heads_dtrace(text) || bars::heads_systemtap(text);
        if std::mem::take(&mut self.unknown) && !heads {
            self.strange = true;
            sink.note(Note::Ignored);
        }
        if heads || text == "~" {
            self.rows.drawn = true;
        } else if let Some(bar) = bars::bar(text) {
            self.rows.drawn = true;
            self.row(place, bar.label, bar.written, sink);
        } else if !text.contains(',') && text.contains('|') && text.contains(['@', '*']) {
            self.damage(place, crate::printed::NO_BUCKET);
        } else if let Some((tag, rest)) = text.split_once(',') {
            self.field(place, tag.trim(), rest.trim(), sink);
        } else {
            self.unknown = true;
        }
    }

    fn field(&mut self, place: Place, tag: &str, rest: &str, sink: &mut dyn Sink) {
        match tag.to_ascii_lowercase().as_str() {
            "timestamp" => self.timestamp(place, rest),
            "label" => self.label = Some(rest.to_owned()).filter(|label| !label.is_empty()),
            "datasource" => self.source = Some(rest.to_ascii_lowercase()),
            "latencyunit" => match rest.parse() {
                Ok(unit) => self.unit = Some(unit),
                Err(_) => self.damage(place, format!("unknown latencyunit '{}'", shown_str(rest))),
            },
            _ if tag.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') => {
                self.row(place, tag, rest, sink);
            }
            _ => self.unknown = true,
        }
    }

    fn timestamp(&mut self, place: Place, rest: &str) {
        let (unit, rest) = rest.split_once(',').unwrap_or((rest, ""));
        let (number, date) = rest.split_once(',').unwrap_or((rest, ""));
        self.date = calendar::date(date);
        if !unit.trim().eq_ignore_ascii_case("microsec") {
            let unit = shown_str(unit);
            self.damage(place, format!("the timestamp is in '{unit}' where microsec is expected"));
            return;
        }
        match number::whole(number.as_bytes()) {
            Ok(micros) => self.micros = Some(micros),
            Err(wrong) => self.damage(place, wrong.about("timestamp", number.as_bytes())),
        }
    }

    fn row(&mut self, place: Place, value: &str, count: &str, sink: &mut dyn Sink) {
        let events = match number::whole(count.as_bytes()) {
            Ok(events) => events,
            Err(wrong) => return self.damage(place, wrong.about("count", count.as_bytes())),
        };
        self.rows.any = true;
        let reason = match number::whole(value.as_bytes()) {
            Ok(value) if self.rows.add(place, value, events) => return,
            _ if events == 0 => return,
            Ok(value) => format!("the bucket {value} is not a power of two"),
            Err(Wrong::Negative) => {
                format!("the bucket {} counts negative latencies", shown_str(value))
            }
            Err(wrong) => wrong.about("bucket", value.as_bytes()),
        };
        sink.reject(Rejection { place, reason: reason.into(), events });
    }

    /// Remembers the first thing that makes the whole record unusable.
    pub(super) fn damage(&mut self, place: Place, reason: impl Into<Cow<'static, str>>) {
        self.damage.get_or_insert_with(|| (place, reason.into()));
    }

    pub(super) fn take_damage(&mut self) -> Option<(Place, Cow<'static, str>)> {
        self.damage.take()
    }

    /// Puts right what depends on the bounds, which may come after the rows.
    pub(super) fn settle(&mut self, bounds: Bounds, sink: &mut dyn Sink) {
        if std::mem::take(&mut self.unknown) {
            self.strange = true;
            sink.note(Note::Ignored);
        }
        if let (Bounds::Lower, Some((place, events))) = (bounds, self.rows.longest) {
            self.rows.longest = None;
            let reason = "the bucket 4294967295 is not a power of two".into();
            if events > 0 {
                sink.reject(Rejection { place, reason, events });
            }
        }
    }

    /// What the record itself says about its bounds.
    pub(super) fn said(&self) -> BoundsKind {
        const ORACLE: [&str; 6] =
            ["v$", "event_histogram", "dba_hist", "awr", "wait event", "oracle"];
        let label = self.label().unwrap_or_default().to_ascii_lowercase();
        match self.source() {
            Some("oracle") => BoundsKind::Upper,
            Some("bpf" | "systemtap" | "dtrace") => BoundsKind::Lower,
            _ if self.rows.drawn => BoundsKind::Lower,
            _ if ORACLE.iter().any(|word| label.contains(word)) => BoundsKind::Oracle,
            _ => BoundsKind::Nothing,
        }
    }

    /// The totals in buckets of powers of two of `unit`.
    /// `top` is the power of two from which on a count has no upper bound, if there is such a count
    /// in any record.
    pub(super) fn histogram(&self, unit: Unit, bounds: Bounds, top: Option<usize>) -> Histogram {
        let scheme = scheme(unit, top);
        let mut counts = vec![0_u64; scheme.buckets()];
        let last = counts.len() - 1;
        let mut add = |index: usize, count: u64| {
            let count_here = &mut counts[index.min(last)];
            *count_here = count_here.saturating_add(count);
        };
        add(0, self.rows.zero);
        for (exponent, count) in self.rows.powers.iter().enumerate() {
            let index = if bounds == Bounds::Lower { exponent + 1 } else { exponent };
            add(index, count.unwrap_or(0));
        }
        add(last, self.rows.longest.map_or(0, |(_, count)| count));
        let empty = Histogram::empty(scheme.clone());
        Histogram::new(scheme, counts, None).unwrap_or(empty)
    }

    /// The exponent of the longest bound that is a number, if there is a count without one.
    pub(super) fn top(&self, unit: Unit) -> Option<usize> {
        let (_, count) = self.rows.longest?;
        let longest = self.rows.powers.iter().rposition(Option::is_some);
        // Where Oracle's documented buckets end.
        let documented = match unit {
            Unit::Micros => 32,
            Unit::Millis => 22,
            Unit::Centis => 19,
            Unit::Nanos => 42,
            Unit::Seconds => 12,
        };
        (count > 0).then_some(longest.unwrap_or(documented))
    }

    /// Where the record begins.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The number of events of all usable rows.
    pub(super) fn events(&self) -> u64 {
        let longest = self.rows.longest.map(|(_, count)| count);
        let powers = self.rows.powers.iter().flatten().copied();
        powers.chain(longest).fold(self.rows.zero, u64::saturating_add)
    }

    /// The timestamp, in microseconds of a clock that the record does not name.
    pub(super) fn micros(&self) -> Option<u64> {
        self.micros
    }

    /// The date of the timestamp as it is written for people.
    pub(super) fn date(&self) -> Option<&Written> {
        self.date.as_ref()
    }

    /// Whether the record is about nothing but the absence of counts: a collector that found
    /// none. An error of a database stands in it as a line of its own.
    pub(super) fn is_bare(&self) -> bool {
        !self.rows.any && !self.strange && self.label.is_some()
    }

    pub(super) fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    pub(super) fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    pub(super) fn unit(&self) -> Option<Unit> {
        self.unit
    }

    pub(super) fn has_no_rows(&self) -> bool {
        !self.rows.any
    }

    /// Whether a bucket occurs more than once.
    pub(super) fn repeats(&self) -> bool {
        self.rows.repeated
    }
}

impl Rows {
    /// Adds a count; `false` when the value is no bucket.
    fn add(&mut self, place: Place, value: u64, count: u64) -> bool {
        if value == 0 {
            self.zero = self.zero.saturating_add(count);
        } else if value.is_power_of_two() {
            let before = &mut self.powers[value.ilog2() as usize];
            self.repeated |= before.is_some();
            *before = Some(before.unwrap_or(0).saturating_add(count));
        } else if value == Record::NO_UPPER_BOUND {
            let (first, before) = self.longest.unwrap_or((place, 0));
            self.longest = Some((first, before.saturating_add(count)));
        } else {
            return false;
        }
        true
    }
}

/// Powers of two, up to `2^top` and then one bucket without an upper bound if there is a top: what
/// is counted there is longer than every bound that is a number, and that is all that is known.
fn scheme(unit: Unit, top: Option<usize>) -> Scheme {
    let all = Scheme::powers_of_two(unit);
    let Some(top) = top else { return all };
    // The bounds of [0, 1) come before the powers.
    let mut bounds: Vec<u64> = all.bounds().iter().copied().take(top + 2).collect();
    if bounds.last() != Some(&Scheme::UNBOUNDED) {
        bounds.push(Scheme::UNBOUNDED);
    }
    Scheme::new(bounds).unwrap_or(all)
}

fn shown_str(text: &str) -> String {
    shown(text.as_bytes())
}
