//! Increases of histograms as the server computes them: it extrapolates to the ends of each interval, so
//! that counts have fractions. They are rounded here.

use std::collections::BTreeMap;

use isotherm_frame::{Histogram, Unit};

use super::answer::{Answer, Data, Native, Samples};
use super::reader::milliseconds;
use crate::prometheus::{AddedRow, Edges, Rows};

/// Histograms by milliseconds since 1970.
pub type HistogramsByTime = BTreeMap<i64, Histogram>;

/// What `sum by (le, vmrange, LABEL) (increase({__name__=~"NAME_(bucket|sum)"}[...]))` has come to, or the
/// same of a native histogram.
#[derive(Debug, Default)]
pub struct Increases {
    /// By the value of the label, which is empty where there is none.
    pub histograms: BTreeMap<String, HistogramsByTime>,
    /// How many histograms cannot be used.
    pub rejected: u64,
    /// Why the first of them cannot.
    pub reason: Option<String>,
}

/// Floats count single events up to here.
const MOST: f64 = 9_007_199_254_740_992.0;
/// Counts up to a bound may fall by this share of all events: a server that misses a restart of one of many hosts in
/// one bucket and not in the next. Larger falls are sums of different things.
const SMALL_FALL: f64 = 0.02;

/// The parts of one histogram at one moment.
#[derive(Debug, Default)]
struct Parts {
    buckets: Vec<(Edges, f64)>,
    sum: Option<f64>,
    damage: Option<&'static str>,
}

impl Increases {
    /// Reads an answer; latencies are in `unit`s. Fails where it is no answer of that kind.
    pub fn read(body: &[u8], label: &str, unit: Unit) -> Result<Increases, String> {
        let mut parts: BTreeMap<(String, i64), Parts> = BTreeMap::new();
        let mut increases = Increases::default();
        for samples in matrix(body)? {
            let value = samples.metric.get(label).cloned().unwrap_or_default();
            increases.natives(&value, &samples, unit);
            let edges = samples.metric.iter().find(|(key, _)| Edges::are_in(key.as_bytes()));
            let edges = edges.map(|(key, text)| Edges::read(key.as_bytes(), text.as_bytes(), unit));
            for (second, text) in &samples.values {
                let Some(ms) = milliseconds(*second) else { continue };
                parts.entry((value.clone(), ms)).or_default().take(edges, text);
            }
        }
        for ((value, ms), parts) in parts {
            increases.keep(value, ms, parts.histogram(unit));
        }
        Ok(increases)
    }

    fn natives(&mut self, value: &str, samples: &Samples, unit: Unit) {
        for (second, native) in &samples.histograms {
            let Some(ms) = milliseconds(*second) else { continue };
            self.keep(value.to_owned(), ms, native_parts(native, unit).histogram(unit));
        }
    }

    fn keep(&mut self, value: String, ms: i64, made: Result<Histogram, &'static str>) {
        match made {
            Ok(counts) => _ = self.histograms.entry(value).or_default().insert(ms, counts),
            Err(reason) => {
                self.rejected += 1;
                self.reason.get_or_insert_with(|| reason.to_owned());
            }
        }
    }
}

impl Parts {
    fn take(&mut self, edges: Option<Result<Edges, &'static str>>, text: &str) {
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        match (edges, number) {
            (Some(Ok(_)), Some(number)) if number > MOST => {
                self.damage = Some("an increase is larger than any count");
            }
            (Some(Ok(edges)), Some(number)) => self.buckets.push((edges, number)),
            (Some(Err(reason)), _) => self.damage = Some(reason),
            (Some(Ok(_)), None) => self.damage = Some("an increase is not a number from 0 on"),
            (None, number) => self.sum = number,
        }
    }

    /// Takes how many there are up to a bound, or up to the same bound and a little more.
    fn reach(&mut self, edges: Option<Result<Edges, &'static str>>, reached: f64) {
        let is_last = |(last, _): &mut (Edges, f64)| edges == Some(Ok(*last));
        _ = self.buckets.pop_if(is_last);
        self.take(edges, &reached.to_string());
    }

    /// Counts up to a bound are rounded each, so that rounding does not add up from bucket to bucket.
    fn histogram(mut self, unit: Unit) -> Result<Histogram, &'static str> {
        if let Some(reason) = self.damage {
            return Err(reason);
        }
        self.buckets.sort_by_key(|(edges, _)| match edges {
            Edges::UpTo(upper) => (*upper, 0),
            Edges::Between(lower, upper) => (*lower, *upper),
        });
        // One bound in two spellings, le="1" and le="1.0", is that of two series, or of one before and after.
        self.buckets.dedup_by(|(edges, number), (known, sum)| {
            let is_same = edges == known;
            *sum += if is_same { *number } else { 0.0 };
            is_same
        });
        let all = self.buckets.iter().map(|(_, number)| *number).fold(0.0, f64::max);
        let mut rows = Rows::new(unit);
        let mut reached = 0.0_f64;
        for (edges, number) in &self.buckets {
            let number = match edges {
                Edges::UpTo(_) if reached - number > (all * SMALL_FALL).max(1.0) => {
                    return Err("counts fall from one bound to the next: series with different bounds are added up");
                }
                Edges::UpTo(_) => {
                    reached = reached.max(*number);
                    reached
                }
                Edges::Between(..) => *number,
            };
            match rows.add(*edges, rounded(number)) {
                AddedRow::Yes => {}
                AddedRow::Again => return Err("it has a bucket twice"),
                AddedRow::No(reason) => return Err(reason),
            }
        }
        rows.sum = self.sum;
        let made = rows.histogram().map_err(|(reason, _)| reason)?;
        Ok(if made.is_empty() { made.with_sum(None) } else { made })
    }
}

/// The buckets of a native histogram as counts up to a bound.
fn native_parts(native: &Native, unit: Unit) -> Parts {
    let mut parts = Parts { sum: native.sum.parse().ok(), ..Parts::default() };
    let edges = |text: &str| Some(Edges::read(b"le", text.as_bytes(), unit));
    let mut reached = 0.0_f64;
    for (_, lower, upper, within) in &native.buckets {
        if upper.starts_with('-') {
            parts.damage = Some("it counts negative values: these are not latencies");
            return parts;
        }
        // The bucket of zero reaches as far below it as above.
        let lower = if lower.starts_with('-') { "0" } else { lower };
        parts.reach(edges(lower), reached);
        reached += within.parse().unwrap_or(f64::NAN);
        parts.reach(edges(upper), reached);
    }
    parts.reach(Some(Ok(Edges::UpTo(isotherm_frame::Scheme::UNBOUNDED))), reached);
    parts
}

/// Numbers over time by the value of a label: seconds since 1970 and the number, `None` where there is none.
pub fn quantities(
    body: &[u8],
    label: &str,
) -> Result<BTreeMap<String, BTreeMap<i64, f64>>, String> {
    let all = quantities_by(body, [label])?;
    Ok(all.into_iter().map(|([value], numbers)| (value, numbers)).collect())
}

/// The same by the values of several labels.
pub(super) fn quantities_by<const N: usize>(
    body: &[u8],
    labels: [&str; N],
) -> Result<BTreeMap<[String; N], BTreeMap<i64, f64>>, String> {
    let mut all: BTreeMap<[String; N], BTreeMap<i64, f64>> = BTreeMap::new();
    for samples in matrix(body)? {
        let values = labels.map(|label| samples.metric.get(label).cloned().unwrap_or_default());
        let of = all.entry(values).or_default();
        for (second, text) in &samples.values {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            if let (Some(ms), Some(number)) = (milliseconds(*second), number) {
                of.insert(ms, number);
            }
        }
    }
    Ok(all)
}

fn matrix(body: &[u8]) -> Result<Vec<Samples>, String> {
    let answer: Answer = serde_json::from_slice(body)
        .map_err(|error| format!("not an answer of Prometheus' query API: {error}"))?;
    match (answer.data, answer.error) {
        (Some(Data::Matrix(samples)), _) => Ok(samples),
        (_, Some(error)) => Err(error),
        _ => Err("the answer has no values over time".to_owned()),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float saturates")]
fn rounded(number: f64) -> u64 {
    number.round() as u64
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Nanos;

    use super::*;

    fn read(result: &str) -> Increases {
        let body = format!(
            r#"{{"status":"success","data":{{"resultType":"matrix","result":[{result}]}}}}"#
        );
        Increases::read(body.as_bytes(), "host", Unit::Seconds).unwrap()
    }

    fn bucket(host: &str, le: &str, value: &str) -> String {
        format!(r#"{{"metric":{{"host":"{host}","le":"{le}"}},"values":[[60,"{value}"]]}}"#)
    }

    #[test]
    fn counts_up_to_a_bound_are_rounded_and_never_fall() {
        let sum = r#"{"metric":{"host":"a"},"values":[[60,"0.0123"]]}"#.to_owned();
        let rows = [
            bucket("a", "0.001", "1.4"),
            bucket("a", "0.002", "1.3"),
            bucket("a", "0.004", "2.6"),
            bucket("a", "+Inf", "3.5"),
            sum,
        ];
        let made = read(&rows.join(","));
        let counts = &made.histograms["a"][&60_000];
        assert_eq!(counts.counts(), [1, 0, 2, 1]);
        assert_eq!(counts.sum(), Some(Nanos::new(12_300_000)));
        assert_eq!(made.rejected, 0);
    }

    #[test]
    fn a_histogram_that_is_no_number_is_rejected_and_counted() {
        let rows = [bucket("a", "0.001", "NaN"), bucket("a", "+Inf", "2"), bucket("b", "+Inf", "2")];
        let made = read(&rows.join(","));
        assert_eq!((made.rejected, made.histograms.len()), (1, 1));
        assert_eq!(made.reason.as_deref(), Some("an increase is not a number from 0 on"));
        assert_eq!(made.histograms["b"][&60_000].events(), 2);
    }

    #[test]
    fn one_bound_in_two_spellings_is_one_bound_with_both_counts() {
        let rows = [
            bucket("a", "0.1", "10"),
            bucket("a", "1", "40"),
            bucket("a", "1.0", "30"),
            bucket("a", "+Inf", "75"),
        ];
        let made = read(&rows.join(","));
        assert_eq!(made.histograms["a"][&60_000].counts(), [10, 60, 5]);
    }

    #[test]
    fn sums_of_different_bounds_and_impossible_counts_are_rejected() {
        let rows =
            [bucket("a", "0.1", "100"), bucket("a", "0.5", "50"), bucket("a", "+Inf", "150")];
        let made = read(&rows.join(","));
        assert_eq!((made.rejected, made.histograms.len()), (1, 0));
        assert!(made.reason.unwrap().contains("different bounds"));
        let made = read(&bucket("a", "+Inf", "9e18"));
        assert_eq!(made.reason.as_deref(), Some("an increase is larger than any count"));
        let made = read(&bucket("a", "-1", "5"));
        assert!(made.reason.unwrap().contains("not a number that a latency can have"));
    }

    #[test]
    fn buckets_of_their_own_and_native_ones_are_read() {
        let range = |range: &str, value: &str| {
            format!(r#"{{"metric":{{"vmrange":"{range}"}},"values":[[60,"{value}"]]}}"#)
        };
        let rows = [range("1.000e-03...1.136e-03", "2.2"), range("1.136e-03...1.292e-03", "0.3")];
        assert_eq!(read(&rows.join(",")).histograms[""][&60_000].events(), 2);
        let native = r#"{"metric":{"host":"n"},"histograms":[[60,{"count":"3.5","sum":"0.01",
            "buckets":[[0,"0.001","0.002","1.4"],[0,"0.002","0.004","2.1"]]}]]}"#;
        let counts = &read(native).histograms["n"][&60_000];
        let filled: Vec<(u64, u64)> =
            counts.non_zero().map(|(bucket, count)| (bucket.lo.as_nanos(), count)).collect();
        assert_eq!(filled, [(1_000_000, 1), (2_000_000, 3)]);
    }

    #[test]
    fn numbers_are_told_by_label_and_time() {
        let body = br#"{"status":"success","data":{"resultType":"matrix","result":[
            {"metric":{"host":"a"},"values":[[60,"0.5"],[120,"NaN"],[180,"0.7"]]}]}}"#;
        let all = quantities(body, "host").unwrap();
        assert_eq!(all["a"], BTreeMap::from([(60_000, 0.5), (180_000, 0.7)]));
        let error = br#"{"status":"error","errorType":"bad_data","error":"no such thing"}"#;
        assert_eq!(quantities(error, "host").unwrap_err(), "no such thing");
        assert!(quantities(b"<html>", "host").is_err());
    }
}
