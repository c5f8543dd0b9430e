//! Documents that hold the bars of a whole run, each named by its upper bound.

use isotherm_frame::{Clock, Frame, Nanos, Place, Quality, Reading, Series, Timestamp};
use serde_json::{Map, Value};

use super::definition::BarFields;
use super::histogram::{at, nanos};
use crate::number;
use crate::{DecodeError, Note, Sink, disjoint};

/// The bars of a document, and what else it says of its run.
struct Bars {
    /// `(lo, hi, count)` in nanoseconds.
    buckets: Vec<(u64, u64, u64)>,
    sum: Option<Nanos>,
    length: Nanos,
}

/// Tells the one interval of a document such as
/// `{"summary":{"total":1.0,"fastest":0.01,"slowest":0.03,"average":0.021},"responseTimeHistogram":{"0.01":1,"0.02":2,"0.03":3}}`.
pub(super) fn read(
    fields: &BarFields,
    title: &str,
    document: &Value,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let statuses = counts(document, &fields.statuses);
    let bars = Bars::of(fields, document, statuses.iter().map(|(_, count)| count).sum());
    let bars = bars.map_err(|why| DecodeError::Nothing(format!("this is {title}, and {why}. {}", fields.otherwise)))?;
    let Some(histogram) = disjoint::histogram(bars.buckets.into_iter()) else {
        crate::sink::reject(sink, Place { line: 1, byte: 0 }, "its bars overlap", 0);
        return Ok(());
    };
    let counts = match bars.sum {
        Some(sum) => histogram.with_sum(Some(sum)),
        None => histogram,
    };
    say_what_failed(fields, &statuses, document, sink);
    sink.note(Note::Clock(Clock::Arbitrary));
    let (series, start) = (Series::named(fields.name.clone()), Timestamp::new(0));
    let end = start.plus(bars.length);
    sink.record();
    sink.reading(Reading::Delta(Frame { series, start, end, counts, quality: Quality::Complete }));
    Ok(())
}

impl Bars {
    /// Only where the first bar is the fastest event and the last one ends with the slowest are the names of bars
    /// their upper bounds: earlier versions of oha named them otherwise, and do not say so.
    fn of(fields: &BarFields, document: &Value, events: u64) -> Result<Bars, String> {
        let length = |path: &String| at(document, path).and_then(|value| nanos(value, fields.unit));
        let (Some(fastest), Some(slowest)) = (length(&fields.fastest), length(&fields.slowest)) else {
            return Err("it has no request with a latency".to_owned());
        };
        let mut bars = Vec::new();
        for (bound, count) in counts(document, &fields.bars) {
            let Ok(bound) = number::nanos(bound.as_bytes(), fields.unit) else {
                return Err(format!("'{bound}' is no bound of a bar"));
            };
            bars.push((bound, count));
        }
        bars.sort_unstable();
        // Where all took the same time, the bars have one name, and the last of them stands for all.
        if fastest == slowest {
            bars = vec![(fastest, events)];
        }
        let ends = [bars.first(), bars.last()].map(|bar| bar.map_or(0, |(bound, _)| *bound));
        if ends[0].abs_diff(fastest) > 1 || ends[1].abs_diff(slowest) > 1 {
            return Err("its bars do not reach from the fastest to the slowest request".to_owned());
        }
        let counted: u64 = bars.iter().map(|(_, count)| count).sum();
        if counted != events {
            return Err(format!("its bars hold {counted} of {events} requests"));
        }
        let (mut low, mut buckets) = (fastest, Vec::new());
        for (index, (bound, count)) in bars.iter().enumerate() {
            // A decimal fraction that was rounded may be a hair below the slowest.
            let bound = if index + 1 == bars.len() { slowest } else { *bound };
            let high = bound.max(low) + 1;
            buckets.push((low, high, *count));
            low = high;
        }
        let (least, most) = buckets.iter().fold((0_u64, 0_u64), |(least, most), (lo, hi, count)| {
            (least.saturating_add(lo.saturating_mul(*count)), most.saturating_add(hi.saturating_mul(*count)))
        });
        let mean = at(document, &fields.mean).and_then(Value::as_f64);
        let sum = mean.and_then(|mean| Nanos::from_secs_f64(mean * fields.unit.as_nanos().as_secs_f64() * events as f64));
        // A sum that cannot be that of the bars is none.
        let sum = sum.filter(|sum| (least..=most).contains(&sum.as_nanos()));
        let length = length(&fields.length).filter(|length| *length > 0);
        let length = length.ok_or_else(|| format!("'{}' is no length of time", fields.length))?;
        Ok(Bars { buckets, sum, length: Nanos::new(length) })
    }
}

/// The counts of an object, by name.
fn counts(document: &Value, path: &str) -> Vec<(String, u64)> {
    let counts = at(document, path).and_then(Value::as_object).map(Map::iter).into_iter().flatten();
    counts.filter_map(|(name, count)| Some((name.clone(), count.as_u64()?))).collect()
}

/// Says how many requests have no latency, and how many of the others failed: the bars do not say which.
fn say_what_failed(fields: &BarFields, statuses: &[(String, u64)], document: &Value, sink: &mut dyn Sink) {
    let is_error = |(name, _): &(String, u64)| !fields.unfinished.contains(name);
    let errors: u64 = counts(document, &fields.errors).into_iter().filter(is_error).map(|(_, count)| count).sum();
    if errors > 0 {
        let said = format!("{errors} requests have no latency ({errors} of them failed): they are not counted");
        sink.note(Note::Said(said.into()));
    }
    let has_failed = |(status, _): &&(String, u64)| status.parse::<u16>().is_ok_and(|status| status >= 500);
    let failed: u64 = statuses.iter().filter(has_failed).map(|(_, count)| count).sum();
    if failed > 0 {
        let said = format!("{failed} requests failed (status 500 or more): their latencies are among the others");
        sink.note(Note::Said(said.into()));
    }
}
