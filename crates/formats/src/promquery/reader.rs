//! From the samples of a histogram's parts to its intervals.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{
    Clock, Frame, Mark, Nanos, Place, Reading, Scheme, Series, Timestamp, Unit,
};

use super::answer::{Answer, Data, Native, Samples};
use crate::prometheus::{Edges, NamedUnit, Part, Rows, count, unit_of};
use crate::running_totals::{RunningTotals, is_gap, is_reset};
use crate::sink::reject;
use crate::{DecodeError, Note, Sink};

/// What a histogram is called that has lost its name, as functions of the query language take it away.
const NAMELESS: &str = "a histogram without a name";

/// The samples of one histogram, by milliseconds since 1970.
type RowsByTime = BTreeMap<i64, Rows>;

/// Reads one answer after the other; each goes on where the last ended.
#[derive(Debug)]
pub struct HistoryReader {
    /// The unit the user gave.
    given: Option<Unit>,
    /// How far apart samples were asked for, if not each one was.
    step: Option<Nanos>,
    known: BTreeMap<Series, (RunningTotals, Nanos)>,
    without_unit: BTreeSet<String>,
    histograms: u64,
    gaps: u64,
}

impl HistoryReader {
    /// Series that are told apart at most.
    const MOST: usize = 100_000;
    /// Names that are remembered at most.
    const MOST_NAMES: usize = 20;
    const NONE: &'static str = "the answer has no samples of a classic histogram (NAME_bucket with \
        le or vmrange), nor of a native one (NAME): check the name, the labels and the range";

    /// Nothing read yet.
    pub fn new(given: Option<Unit>, step: Option<Nanos>) -> HistoryReader {
        let (known, without_unit) = (BTreeMap::new(), BTreeSet::new());
        HistoryReader { given, step, known, without_unit, histograms: 0, gaps: 0 }
    }

    /// Reads the bytes of one answer.
    pub fn bytes(&mut self, place: Place, bytes: &[u8], sink: &mut dyn Sink) {
        match serde_json::from_slice(bytes) {
            Ok(answer) => self.take(place, answer, sink),
            Err(error) => {
                reject(sink, place, format!("not an answer of Prometheus' query API: {error}"), 0);
            }
        }
    }

    /// Takes one answer.
    pub(crate) fn take(&mut self, place: Place, answer: Answer, sink: &mut dyn Sink) {
        let samples = match (answer.data, answer.error) {
            (Some(Data::Matrix(samples)), _) => samples,
            (_, Some(error)) => return reject(sink, place, format!("an error: {error}"), 0),
            _ => {
                let reason = "values of a single moment: query a range, NAME_bucket{...}[1h]";
                return reject(sink, place, reason, 0);
            }
        };
        let mut histograms: BTreeMap<Series, RowsByTime> = BTreeMap::new();
        for one in samples {
            self.place(place, &one, &mut histograms, sink);
        }
        let mut frames = Vec::new();
        for (series, moments) in histograms {
            self.intervals(place, (series, moments), &mut frames, sink);
        }
        tell(frames, sink);
    }

    /// Puts the samples of one bucket, or of a sum or count, where they belong.
    fn place(
        &mut self,
        place: Place,
        samples: &Samples,
        histograms: &mut BTreeMap<Series, RowsByTime>,
        sink: &mut dyn Sink,
    ) {
        let name = samples.metric.get("__name__").map(String::as_bytes).unwrap_or_default();
        if !samples.histograms.is_empty() {
            return self.natives(place, samples, histograms, sink);
        }
        let label = samples.metric.iter().find(|(key, _)| Edges::are_in(key.as_bytes()));
        // What sum by (le) (...) gives has lost its name.
        let nameless = (name.is_empty() && label.is_some()).then_some((name, Part::Bucket));
        let Some((name, part)) = Part::of(name).or(nameless) else { return };
        if (part == Part::Bucket) != label.is_some() {
            return;
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let Some(unit) = self.unit(&name) else { return self.leave_out(name) };
        let edges = label.map(|(key, value)| Edges::read(key.as_bytes(), value.as_bytes(), unit));
        let edges = match edges.transpose() {
            Err(reason) => {
                let last = samples.values.last().map(|(_, value)| value.as_bytes());
                let events = |key: &String| Edges::events_in(key.as_bytes(), last.unwrap_or_default());
                return reject(sink, place, reason, label.map_or(0, |(key, _)| events(key)));
            }
            Ok(edges) => edges,
        };
        let is_other = |key: &str| key != "__name__" && !Edges::are_in(key.as_bytes());
        let others = samples.metric.iter().filter(|(key, _)| is_other(key));
        let name = if name.is_empty() { NAMELESS.to_owned() } else { name };
        let moments = histograms.entry(Series::with_attributes(name, others)).or_default();
        for (second, value) in &samples.values {
            let Some(ms) = milliseconds(*second) else {
                reject(sink, place, format!("no time: {second}"), 0);
                continue;
            };
            let rows = moments.entry(ms).or_insert_with(|| Rows::new(unit));
            match (edges, count(value.as_bytes())) {
                (None, _) if part == Part::Sum => rows.sum = value.parse().ok(),
                (_, Err(reason)) => rows.damage(reason),
                (None, Ok(count)) => rows.count = Some(count),
                (Some(edges), Ok(count)) => _ = rows.add(edges, count),
            }
        }
    }

    /// Puts the samples of a native histogram where they belong.
    fn natives(
        &mut self,
        place: Place,
        samples: &Samples,
        histograms: &mut BTreeMap<Series, RowsByTime>,
        sink: &mut dyn Sink,
    ) {
        let name = samples.metric.get("__name__").cloned().unwrap_or_default();
        let Some(unit) = self.unit(&name) else { return self.leave_out(name) };
        let others = samples.metric.iter().filter(|(key, _)| *key != "__name__");
        let moments = histograms.entry(Series::with_attributes(name, others)).or_default();
        for (second, native) in &samples.histograms {
            match (milliseconds(*second), rows_of(native, unit)) {
                (Some(ms), Ok(rows)) => _ = moments.insert(ms, rows),
                (None, _) => reject(sink, place, format!("no time: {second}"), 0),
                (_, Err(reason)) => reject(sink, place, reason, 0),
            }
        }
    }

    fn leave_out(&mut self, name: String) {
        if self.without_unit.len() < HistoryReader::MOST_NAMES {
            self.without_unit.insert(if name.is_empty() { NAMELESS.to_owned() } else { name });
        }
    }

    fn unit(&self, name: &str) -> Option<Unit> {
        match unit_of(name.as_bytes()) {
            NamedUnit::Time(unit) => Some(unit),
            NamedUnit::Other => None,
            NamedUnit::None => self.given,
        }
    }

    /// The intervals between the samples of one histogram.
    fn intervals(
        &mut self,
        place: Place,
        (series, mut moments): (Series, RowsByTime),
        frames: &mut Vec<Frame>,
        sink: &mut dyn Sink,
    ) {
        moments.retain(|_, rows| rows.has_buckets());
        if moments.is_empty() || self.is_one_more(&series, sink) {
            return;
        }
        self.histograms += 1;
        let known = self.known.entry(series);
        let (totals, usual) = known.or_insert_with_key(|series| {
            (RunningTotals::new(series.clone()), Nanos::ZERO)
        });
        *usual = self.step.or_else(|| usual_distance(&moments)).unwrap_or(*usual);
        for (ms, rows) in moments {
            let at = Timestamp::new(ms * NS_PER_MS);
            if totals.last().is_some_and(|last| at <= last) {
                continue;
            }
            let total = match rows.histogram() {
                Ok(total) => total,
                Err((reason, events)) => {
                    reject(sink, place, reason, events);
                    continue;
                }
            };
            sink.record();
            let away = totals.last().is_some_and(|last| is_gap(at.since(last), *usual));
            self.gaps += u64::from(away);
            let frame = if away {
                totals.take_after_gap(at, total, None)
            } else {
                totals.take(at, total, None)
            };
            frames.extend(frame);
        }
    }

    fn is_one_more(&self, series: &Series, sink: &mut dyn Sink) -> bool {
        let more = self.known.len() >= HistoryReader::MOST && !self.known.contains_key(series);
        if more {
            let said = format!("more than {} series: the others are left out", HistoryReader::MOST);
            sink.note(Note::Said(said.into()));
        }
        more
    }

    /// There are no more answers.
    pub fn finish(self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        let names: Vec<String> = self.without_unit.into_iter().collect();
        let names = names.join(", ");
        match (self.histograms, names.is_empty()) {
            (0, true) => return Err(DecodeError::Nothing(HistoryReader::NONE.to_owned())),
            (0, false) => {
                let words = format!("no histogram here names a unit of time (--unit): {names}");
                return Err(DecodeError::Nothing(words));
            }
            (_, false) => {
                let words = format!("left out, as they name no unit of time (--unit): {names}");
                sink.note(Note::Said(words.into()));
            }
            (_, true) => {}
        }
        if self.gaps > 0 {
            let word = if self.gaps == 1 { "gap" } else { "gaps" };
            let said = format!("samples are missing: {} {word}", self.gaps);
            sink.note(Note::Said(said.into()));
        }
        Ok(())
    }
}

/// The rows of a native histogram: its buckets as counts up to a bound.
fn rows_of(native: &Native, unit: Unit) -> Result<Rows, &'static str> {
    let mut rows = Rows::new(unit);
    rows.sum = native.sum.parse().ok();
    rows.count = Some(count(native.count.as_bytes())?);
    let mut reached = 0_u64;
    let up_to = |text: &str| Edges::read(b"le", text.as_bytes(), unit);
    for (_, lo, hi, within) in &native.buckets {
        if hi.starts_with('-') {
            return Err("it counts negative values: these are not latencies");
        }
        // The bucket of zero reaches as far below it as above.
        let lo = if lo.starts_with('-') { "0" } else { lo };
        rows.add(up_to(lo)?, reached);
        reached = reached.checked_add(count(within.as_bytes())?).ok_or("the counts are too large")?;
        rows.add(up_to(hi)?, reached);
    }
    if native.buckets.is_empty() {
        rows.add(Edges::UpTo(Scheme::UNBOUNDED), 0);
    }
    Ok(rows)
}

/// Tells of the intervals in the order of their ends.
fn tell(mut frames: Vec<Frame>, sink: &mut dyn Sink) {
    if !frames.is_empty() {
        sink.note(Note::Clock(Clock::Epoch));
    }
    frames.sort_by(|one, other| (one.end, &one.series).cmp(&(other.end, &other.series)));
    let mut marked = None;
    for frame in frames {
        if is_reset(&frame) && marked.replace(frame.end) != Some(frame.end) {
            let text = format!("counters reset: {}", frame.series);
            sink.note(Note::Mark(Mark { at: frame.end, text }));
        }
        sink.reading(Reading::Delta(frame));
    }
}

const NS_PER_MS: i64 = 1_000_000;

/// Whole milliseconds, as the server has them.
pub(super) fn milliseconds(second: f64) -> Option<i64> {
    /// Seconds that fit into nanoseconds of 64 bits.
    const MOST: f64 = 9e9;
    #[expect(clippy::cast_possible_truncation, reason = "range checked")]
    (second.abs() <= MOST).then_some((second * 1e3).round() as i64)
}

/// How far apart samples usually are: the median.
fn usual_distance(moments: &RowsByTime) -> Option<Nanos> {
    let times: Vec<i64> = moments.keys().copied().collect();
    let mut distances: Vec<u64> =
        times.windows(2).map(|pair| pair[1].abs_diff(pair[0])).collect();
    distances.sort_unstable();
    distances.get(distances.len() / 2).copied().map(Nanos::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(count: &str, buckets: &[(&str, &str, &str)]) -> Native {
        let buckets = buckets.iter();
        let buckets = buckets.map(|(lo, hi, count)| (0, (*lo).into(), (*hi).into(), (*count).into()));
        Native { count: count.into(), sum: "0.5".into(), buckets: buckets.collect() }
    }

    #[test]
    fn native_histograms_are_counts_up_to_a_bound() {
        let rows = native("9", &[("-0.001", "0.001", "2"), ("0.002", "0.004", "3"), ("0.004", "0.008", "4")]);
        let counts = rows_of(&rows, Unit::Seconds).unwrap().histogram().unwrap();
        let filled: Vec<(u64, u64)> =
            counts.non_zero().map(|(bucket, count)| (bucket.lo.as_nanos(), count)).collect();
        assert_eq!(filled, [(0, 2), (2_000_000, 3), (4_000_000, 4)]);
        assert!(rows_of(&native("9.5", &[]), Unit::Seconds).is_err());
        assert!(rows_of(&native("1", &[("-2", "-1", "1")]), Unit::Seconds).is_err());
    }
}
