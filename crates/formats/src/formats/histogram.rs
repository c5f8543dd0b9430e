//! Documents that hold one histogram of a whole run.

use isotherm_frame::numbers::counted;
use isotherm_frame::{
    Clock, Frame, Histogram, Nanos, Place, Quality, Reading, Series, Timestamp, Unit, UnmetAttribute,
};
use serde_json::Value;

use super::definition::{HistogramFields, OUTCOME};
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

/// A bucket: its bounds, and how many events it holds.
type Filled = (u64, u64, u64);

/// Which of the events of a histogram failed, as far as a document says it.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing says it, or only how many there are.
    Unknown,
    /// All of them are alike.
    All(&'static str),
    /// How many of each bucket failed.
    Failed(Vec<u64>),
}

/// What failed of a run.
struct Failures {
    count: u64,
    /// Each outcome that is none of success, and how often it was there.
    outcomes: Vec<(String, u64)>,
}

impl Failures {
    /// None where a document says nothing of it.
    fn of(fields: &HistogramFields, document: &Value) -> Option<Failures> {
        let ok: Vec<Test> = fields.outcomes_ok.iter().map(|text| Test::of(text)).collect();
        let counts = fields.outcomes.as_ref().and_then(|path| at(document, path)).and_then(Value::as_object);
        let counted = fields.failed.as_ref().and_then(|path| at(document, path)).and_then(Value::as_u64);
        if counts.is_none() && counted.is_none() {
            return None;
        }
        let outcomes = counts.into_iter().flatten().filter_map(|(name, count)| Some((name.clone(), count.as_u64()?)));
        let has_failed = |(name, count): &(String, u64)| *count > 0 && !ok.iter().any(|ok| ok.holds(name.as_bytes()));
        let outcomes: Vec<(String, u64)> = outcomes.filter(has_failed).collect();
        let sum = outcomes.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
        Some(Failures { count: counted.unwrap_or_default().max(sum), outcomes })
    }

    /// `12 requests failed (503: 12)`
    fn words(&self, name: &str) -> String {
        let each = self.outcomes.iter().map(|(name, count)| format!("{name}: {count}"));
        let each = each.collect::<Vec<String>>().join(", ");
        let each = if each.is_empty() { each } else { format!(" ({each})") };
        format!("{} failed{each}", counted(self.count, name))
    }

    /// Which events they are. Those that failed may have a list of their own, with the bounds of all but its first
    /// and its last one.
    fn outcome(&self, fields: &HistogramFields, document: &Value, buckets: &[Filled]) -> Outcome {
        let all = buckets.iter().fold(0_u64, |sum, (.., count)| sum.saturating_add(*count));
        match self.count {
            0 => return Outcome::All("ok"),
            count if count >= all => return Outcome::All("failed"),
            _ => {}
        }
        let list = fields.failed_list.as_ref().and_then(|path| filled(fields, document, path));
        let failed = list.and_then(|list| split(buckets, &list));
        let is_whole = |failed: &Vec<u64>| failed.iter().sum::<u64>() == self.count;
        failed.filter(is_whole).map_or(Outcome::Unknown, Outcome::Failed)
    }
}

/// How many events of each bucket are in a list of some of them; none where that cannot be.
fn split(buckets: &[Filled], some: &[Filled]) -> Option<Vec<u64>> {
    let mut counts = vec![0_u64; buckets.len()];
    for (low, high, count) in some {
        let at = buckets.iter().position(|(lo, hi, _)| lo <= low && high <= hi)?;
        let sum = counts.get_mut(at)?;
        *sum = sum.checked_add(*count)?;
    }
    let fits = counts.iter().zip(buckets).all(|(failed, (.., all))| failed <= all);
    fits.then_some(counts)
}

/// The list of buckets at a path.
fn filled(fields: &HistogramFields, document: &Value, path: &str) -> Option<Vec<Filled>> {
    let bucket = |bucket: &Value| {
        let (lo, hi) = (bucket.get(&fields.low)?, bucket.get(&fields.high)?);
        let (lo, hi) = (nanos(lo, fields.unit)?, nanos(hi, fields.unit)?);
        // A bucket of one value begins and ends with it.
        Some((lo, hi.max(lo.saturating_add(1)), bucket.get(&fields.count)?.as_u64()?))
    };
    at(document, path)?.as_array()?.iter().map(bucket).collect()
}

/// A histogram of buckets with the sum of its latencies, unless that cannot be theirs.
fn counts(buckets: &[Filled], sum: Option<u64>) -> Option<Histogram> {
    let counts = disjoint::histogram(buckets.iter().copied())?;
    let total = |of: fn(&Filled) -> u64| {
        let sum = |sum: u64, one: &Filled| sum.saturating_add(of(one).saturating_mul(one.2));
        buckets.iter().fold(0_u64, sum)
    };
    let (least, most) = (total(|bucket| bucket.0), total(|bucket| bucket.1));
    Some(match sum.filter(|sum| (least..=most).contains(sum)) {
        Some(sum) => counts.with_sum(Some(Nanos::new(sum))),
        None => counts,
    })
}

/// Tells the one interval of a document: those of its events that failed, and the others.
pub(super) fn read(
    fields: &HistogramFields,
    document: &Value,
    context: &Context,
    sink: &mut dyn Sink,
) {
    let place = Place { line: 1, byte: 0 };
    let Some(buckets) = filled(fields, document, &fields.list) else {
        return reject(sink, place, format!("'{}' is no list of buckets", fields.list), 0);
    };
    let sum_at = |path: &String| at(document, path).and_then(|sum| nanos(sum, fields.unit));
    let sum = sum_at(&fields.sum);
    let Some(all) = counts(&buckets, sum) else {
        return reject(sink, place, "its buckets overlap", 0);
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
    let outcome = outcome(fields, document, &buckets, sink).filter(|_| tells_outcomes_apart(context, sink));
    sink.record();
    let name = fields.name.as_str();
    let mut tell = |series, counts| {
        sink.reading(Reading::Delta(Frame { series, start, end, counts, quality: Quality::Complete }));
    };
    match outcome {
        None | Some(Outcome::Unknown) => tell(Series::named(name), all),
        Some(Outcome::All(outcome)) => tell(Series::with_attributes(name, [(OUTCOME, outcome)]), all),
        Some(Outcome::Failed(failed)) => {
            let sum_of_failed = fields.failed_sum.as_ref().and_then(sum_at);
            let sum_of_others = sum.zip(sum_of_failed).and_then(|(all, failed)| all.checked_sub(failed));
            let with = |of: fn(u64, u64) -> u64| -> Vec<Filled> {
                let counts = buckets.iter().zip(&failed);
                counts.map(|((lo, hi, all), failed)| (*lo, *hi, of(*all, *failed))).collect()
            };
            // Both have the bounds of all, so that they can be added up again.
            let others = counts(&with(u64::saturating_sub), sum_of_others);
            let failed = counts(&with(|_, failed| failed), sum_of_failed);
            for (outcome, counts) in [("ok", others), ("failed", failed)] {
                let series = Series::with_attributes(name, [(OUTCOME, outcome)]);
                if let Some(counts) = counts {
                    tell(series, counts);
                }
            }
        }
    }
}

/// Which events failed; says how many there are, unless they are told apart.
fn outcome(fields: &HistogramFields, document: &Value, buckets: &[Filled], sink: &mut dyn Sink) -> Option<Outcome> {
    let failures = Failures::of(fields, document)?;
    let outcome = failures.outcome(fields, document, buckets);
    if failures.count > 0 {
        let words = failures.words(&fields.name);
        sink.note(match outcome {
            Outcome::Unknown => Note::Said(format!("{words}: they are in the histogram, with all others").into()),
            _ => Note::Assumed(words.into()),
        });
    }
    Some(outcome)
}

/// Whether series are told apart by their outcome, which is the only attribute; says that there is no other one.
fn tells_outcomes_apart(context: &Context, sink: &mut dyn Sink) -> bool {
    let names = || context.by.iter().map(|name| name.trim());
    for name in names().filter(|name| *name != OUTCOME) {
        sink.note(Note::UnmetAttribute(UnmetAttribute { name: name.to_owned(), event: "event" }));
    }
    context.by.is_empty() || context.keeps_attributes || names().any(|name| name == OUTCOME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_a_list_of_some_are_found_in_the_buckets_of_all() {
        let all = [(10, 15, 4), (15, 20, 2), (25, 27, 1)];
        assert_eq!(split(&all, &[(12, 15, 1), (25, 26, 1)]), Some(vec![1, 0, 1]));
        assert_eq!(split(&all, &[]), Some(vec![0; 3]));
        // More than there are, between two buckets, and in none.
        for some in [(15, 20, 3), (12, 18, 1), (30, 31, 1)] {
            assert_eq!(split(&all, &[some]), None, "{some:?}");
        }
    }
}
