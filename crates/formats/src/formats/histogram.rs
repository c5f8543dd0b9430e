//! Documents that hold one histogram of a whole run.

use isotherm_frame::{Clock, Frame, Nanos, Place, Quality, Reading, Series, Timestamp, Unit};
use serde_json::Value;

use super::definition::HistogramFields;
use super::values::Test;
use crate::disjoint;
use crate::logs::WrittenTimes;
use crate::number;
use crate::sink::reject;
use crate::{Context, Note, Sink};

/// The value at a path with points.
pub(super) fn at<'d>(document: &'d Value, path: &str) -> Option<&'d Value> {
    document.pointer(&format!("/{}", path.replace('.', "/")))
}

/// A length of time in nanoseconds.
pub(super) fn nanos(value: &Value, unit: Unit) -> Option<u64> {
    number::nanos(value.as_number()?.to_string().as_bytes(), unit).ok()
}

/// Says how many events failed: the histogram has them, too.
fn say_failed(fields: &HistogramFields, document: &Value, sink: &mut dyn Sink) {
    let ok: Vec<Test> = fields.outcomes_ok.iter().map(|text| Test::of(text)).collect();
    let outcomes = fields.outcomes.as_ref().and_then(|path| at(document, path)).and_then(Value::as_object);
    let outcomes = outcomes.into_iter().flatten().filter_map(|(name, count)| Some((name, count.as_u64()?)));
    let failed = outcomes.filter(|(name, count)| *count > 0 && !ok.iter().any(|ok| ok.holds(name.as_bytes())));
    let failed: Vec<(&String, u64)> = failed.collect();
    let sum = failed.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    let counted = fields.failed.as_ref().and_then(|path| at(document, path)).and_then(Value::as_u64);
    let all = counted.unwrap_or_default().max(sum);
    if all == 0 {
        return;
    }
    let each = failed.iter().map(|(name, count)| format!("{name}: {count}")).collect::<Vec<String>>().join(", ");
    let each = if each.is_empty() { each } else { format!(" ({each})") };
    let said = format!("{all} {}s failed{each}: they are in the histogram, with all others", fields.name);
    sink.note(Note::Said(said.into()));
}

/// Tells the one interval of a document.
pub(super) fn read(
    fields: &HistogramFields,
    document: &Value,
    context: &Context,
    sink: &mut dyn Sink,
) {
    let place = Place { line: 1, byte: 0 };
    let bucket = |bucket: &Value| {
        let (lo, hi) = (bucket.get(&fields.low)?, bucket.get(&fields.high)?);
        let (lo, hi) = (nanos(lo, fields.unit)?, nanos(hi, fields.unit)?);
        // A bucket of one value begins and ends with it.
        Some((lo, hi.max(lo.saturating_add(1)), bucket.get(&fields.count)?.as_u64()?))
    };
    let list = at(document, &fields.list).and_then(Value::as_array);
    let buckets: Option<Vec<(u64, u64, u64)>> =
        list.and_then(|list| list.iter().map(bucket).collect());
    let Some(buckets) = buckets else {
        return reject(sink, place, format!("'{}' is no list of buckets", fields.list), 0);
    };
    let Some(counts) = disjoint::histogram(buckets.iter().copied()) else {
        return reject(sink, place, "its buckets overlap", 0);
    };
    let total = |of: fn(&(u64, u64, u64)) -> u64| {
        let sum = |sum: u64, one: &(u64, u64, u64)| sum.saturating_add(of(one).saturating_mul(one.2));
        buckets.iter().fold(0_u64, sum)
    };
    let (least, most) = (total(|bucket| bucket.0), total(|bucket| bucket.1));
    let sum = at(document, &fields.sum).and_then(|sum| nanos(sum, fields.unit));
    // A sum that cannot be that of the buckets is none.
    let sum = sum.filter(|sum| (least..=most).contains(sum));
    let counts = match sum {
        Some(sum) => counts.with_sum(Some(Nanos::new(sum))),
        None => counts,
    };
    let length = at(document, &fields.length).and_then(|length| nanos(length, fields.length_unit));
    let Some(length) = length.filter(|length| *length > 0) else {
        return reject(sink, place, format!("'{}' is no length of time", fields.length), 0);
    };
    let written = at(document, &fields.begin).and_then(Value::as_str);
    let mut times = WrittenTimes::new(context, None, false);
    let begin = written.and_then(|written| times.read(written, sink)).and_then(Result::ok);
    if begin.is_none() {
        sink.note(Note::Clock(Clock::Arbitrary));
    }
    let start = begin.unwrap_or(Timestamp::new(0));
    let end = start.plus(Nanos::new(length));
    let series = Series::named(fields.name.clone());
    say_failed(fields, document, sink);
    sink.record();
    sink.reading(Reading::Delta(Frame { series, start, end, counts, quality: Quality::Complete }));
}
