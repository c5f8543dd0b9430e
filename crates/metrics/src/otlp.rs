//! The totals as OpenTelemetry's protocol carries them: `ExportMetricsServiceRequest`, with cumulative
//! histograms of explicit bounds, which Prometheus and `VictoriaMetrics` store exactly.
//!
//! Fields: <https://github.com/open-telemetry/opentelemetry-proto> (metrics/v1/metrics.proto). Names and
//! labels are those of `/metrics`.

use isotherm_frame::Detail;
use isotherm_frame::protobuf::Message;

use crate::cumulative::{Began, Cumulative};
use crate::exposition::{Exposition, Key, Uncounted};
use crate::names::{source_label, with_detail};

/// Totals that begin at zero and only grow (`AGGREGATION_TEMPORALITY_CUMULATIVE`).
const CUMULATIVE: u64 = 2;

/// A series with its totals.
type Known<'a> = (&'a Key, &'a Cumulative);

/// The totals up to a moment, to be sent.
#[derive(Clone, Debug)]
pub struct Export {
    totals: Exposition,
    number: u64,
    end_ns: u64,
}

impl Exposition {
    /// Makes the export of this number of the totals up to `end_ns`. What is new began with zeros at
    /// `since_ns`, up to when the export before this one counted. Nanoseconds since 1970.
    pub fn export(&mut self, number: u64, (since_ns, end_ns): (u64, u64)) -> Export {
        self.begin(Began { export: number, since_ns });
        Export { totals: self.clone(), number, end_ns }
    }
}

impl Export {
    /// Exports are numbered from 1 in the order of time.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Up to when it counts, nanoseconds since 1970.
    pub fn end_ns(&self) -> u64 {
        self.end_ns
    }

    /// The body of the request; `resource` are the attributes of whoever exports, such as `service.name`.
    /// `delivered` is the number of the last export that the server has, 0 for none. Totals that it has
    /// never seen come with a point of zeros before them, or it would not know that they grew from zero.
    pub fn body(&self, delivered: u64, resource: &[(String, String)]) -> Vec<u8> {
        let mut scope_metrics = Message::default();
        scope_metrics.message(1, &scope());
        let encoder = Encoder { export: self, delivered };
        for metric in encoder.metrics() {
            scope_metrics.message(2, &metric);
        }
        let mut resource_metrics = Message::default();
        let mut about = Message::default();
        attributes(&mut about, 1, resource);
        resource_metrics.message(1, &about);
        resource_metrics.message(2, &scope_metrics);
        let mut request = Message::default();
        request.message(1, &resource_metrics);
        request.into_bytes()
    }
}

/// Makes the messages of an export.
struct Encoder<'a> {
    export: &'a Export,
    /// The last export that the server has.
    delivered: u64,
}

impl Encoder<'_> {
    fn metrics(&self) -> Vec<Message> {
        let totals = &self.export.totals;
        let of = |detail: Detail| -> Vec<Known<'_>> {
            totals.series().filter(|(key, _)| key.detail == detail).collect()
        };
        let (distributions, averages) = (of(Detail::Distribution), of(Detail::Averages));
        let mut metrics = Vec::new();
        if !distributions.is_empty() {
            let points = distributions.iter().flat_map(|one| self.latencies(one));
            metrics.push(histogram(("isotherm_latency_seconds", "s"), points));
            if totals.options().waited {
                let points = distributions.iter().flat_map(|one| self.waited(one));
                // Its bounds are seconds and its counts time: a unit of either would be taken for both.
                metrics.push(histogram(("isotherm_waited_microseconds", "1"), points));
            }
        }
        if !averages.is_empty() {
            metrics.push(self.summary(&averages));
        }
        if !totals.is_empty() {
            metrics.push(self.exactness());
        }
        metrics.push(self.counter("isotherm_gaps_total", |uncounted| uncounted.gaps));
        let name = "isotherm_left_out_events_total";
        metrics.push(self.counter(name, |uncounted| uncounted.left_out));
        metrics
    }

    /// The point of some totals, and one of zeros before it if the server has none; `point` makes one of
    /// a time, of zeros if it is told so.
    fn points(
        &self,
        began: Option<Began>,
        point: impl Fn((u64, u64), bool) -> Message,
    ) -> Vec<Message> {
        let Began { export, since_ns } = began.unwrap_or_default();
        let zeros = (export > self.delivered).then(|| point((since_ns, since_ns), true));
        zeros.into_iter().chain([point((since_ns, self.export.end_ns), false)]).collect()
    }

    fn latencies(&self, (key, known): &Known<'_>) -> Vec<Message> {
        let sum = seconds(known.sum_ns);
        self.points(known.began, |time_ns, is_zero| {
            self.histogram_point(key, (&known.events, sum), (time_ns, is_zero))
        })
    }

    /// A histogram of time: its counts are microseconds.
    fn waited(&self, (key, known): &Known<'_>) -> Vec<Message> {
        let micros = known.waited_us();
        #[expect(clippy::cast_precision_loss, reason = "a double is what the protocol has")]
        let all = micros.iter().sum::<u64>() as f64;
        self.points(known.began, |time_ns, is_zero| {
            self.histogram_point(key, (&micros, all), (time_ns, is_zero))
        })
    }

    fn histogram_point(
        &self,
        key: &Key,
        (counts, sum): (&[u64], f64),
        (time_ns, is_zero): ((u64, u64), bool),
    ) -> Message {
        let factor = u64::from(!is_zero);
        let counts = || counts.iter().map(|count| count * factor);
        let mut point = timed(time_ns);
        point.fixed(4, counts().fold(0, u64::saturating_add));
        point.double(5, if is_zero { 0.0 } else { sum });
        point.packed(6, counts());
        let bounds = self.export.totals.bounds_ns().iter();
        point.packed(7, bounds.map(|&bound| seconds(u128::from(bound)).to_bits()));
        attributes(&mut point, 9, &key.labels);
        point
    }

    /// Of averages there is a number and a sum.
    fn summary(&self, averages: &[Known<'_>]) -> Message {
        let mut data = Message::default();
        for (key, known) in averages {
            let points = self.points(known.began, |time_ns, is_zero| {
                let mut point = timed(time_ns);
                point.fixed(4, if is_zero { 0 } else { known.all_events() });
                point.double(5, if is_zero { 0.0 } else { seconds(known.sum_ns) });
                attributes(&mut point, 7, &key.labels);
                point
            });
            for point in points {
                data.message(1, &point);
            }
        }
        let mut metric = named("isotherm_averaged_seconds", "s");
        metric.message(11, &data);
        metric
    }

    /// A gauge that is 1 where all of the sum was measured.
    fn exactness(&self) -> Message {
        let mut data = Message::default();
        for (key, known) in self.export.totals.series() {
            let start_ns = known.began.unwrap_or_default().since_ns;
            let mut point = whole(u64::from(known.is_exact), (start_ns, self.export.end_ns));
            attributes(&mut point, 7, &with_detail(&key.labels, key.detail));
            data.message(1, &point);
        }
        let mut metric = named("isotherm_sum_exact", "");
        metric.message(5, &data);
        metric
    }

    /// A total of each source.
    fn counter(&self, name: &str, of: fn(&Uncounted) -> u64) -> Message {
        let mut data = Message::default();
        for (source, uncounted) in self.export.totals.uncounted() {
            let points = self.points(uncounted.began, |time_ns, is_zero| {
                let mut point = whole(if is_zero { 0 } else { of(uncounted) }, time_ns);
                attributes(&mut point, 7, &source_label(source));
                point
            });
            for point in points {
                data.message(1, &point);
            }
        }
        data.number(2, CUMULATIVE);
        data.number(3, 1);
        let mut metric = named(name, "");
        metric.message(7, &data);
        metric
    }
}

fn scope() -> Message {
    let mut scope = Message::default();
    scope.text(1, "isotherm");
    scope.text(2, env!("CARGO_PKG_VERSION"));
    scope
}

/// Names and values in this field of a message.
fn attributes(message: &mut Message, field: u32, pairs: &[(String, String)]) {
    for (key, value) in pairs {
        let mut text = Message::default();
        text.text(1, value);
        let mut pair = Message::default();
        pair.text(1, key);
        pair.message(2, &text);
        message.message(field, &pair);
    }
}

/// A point of a time: its fields are the same in every kind of point.
fn timed((start_ns, end_ns): (u64, u64)) -> Message {
    let mut point = Message::default();
    point.fixed(2, start_ns);
    point.fixed(3, end_ns);
    point
}

fn named(name: &str, unit: &str) -> Message {
    let mut metric = Message::default();
    metric.text(1, name);
    if !unit.is_empty() {
        metric.text(3, unit);
    }
    metric
}

fn histogram((name, unit): (&str, &str), points: impl Iterator<Item = Message>) -> Message {
    let mut data = Message::default();
    for point in points {
        data.message(1, &point);
    }
    data.number(2, CUMULATIVE);
    let mut metric = named(name, unit);
    metric.message(9, &data);
    metric
}

/// A point with a whole number.
fn whole(number: u64, time_ns: (u64, u64)) -> Message {
    let mut point = timed(time_ns);
    point.fixed(6, number);
    point
}

/// As near as a double comes.
#[expect(clippy::cast_precision_loss, reason = "a double is what the protocol has")]
fn seconds(ns: u128) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use isotherm_frame::protobuf::{Fields, Value};
    use isotherm_frame::{Frame, Gap, Histogram, Nanos, Quality, Scheme, Series, Timestamp};

    use super::*;
    use crate::ExpositionOptions;

    fn frame(name: &str, latencies_us: &[u64]) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for &us in latencies_us {
            counts.record(Nanos::from_micros(us));
        }
        let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
        let series = Series::with_attributes(name, [("op", "read")]);
        Frame { series, start, end, counts, quality: Quality::Complete }
    }

    /// The messages in this field.
    fn inside(bytes: &[u8], field: u32) -> Vec<&[u8]> {
        let fields = Fields::of(bytes).map(Result::unwrap);
        fields
            .filter(|(number, _)| *number == field)
            .map(|(_, value)| value.bytes().unwrap())
            .collect()
    }

    /// The points of the histogram of this name: start, end, count, sum and counts of buckets.
    fn points(body: &[u8], name: &str) -> Vec<(u64, u64, u64, f64, Vec<u64>)> {
        let scope = inside(inside(body, 1)[0], 2)[0];
        let metric = inside(scope, 2).into_iter().find(|one| inside(one, 1)[0] == name.as_bytes());
        let read = |point: &[u8]| {
            let mut read = (0, 0, 0, 0.0, Vec::new());
            for field in Fields::of(point).map(Result::unwrap) {
                match field {
                    (2, Value::Eight(start)) => read.0 = start,
                    (3, Value::Eight(end)) => read.1 = end,
                    (4, Value::Eight(count)) => read.2 = count,
                    (5, sum) => read.3 = sum.double().unwrap(),
                    (6, counts) => counts.eights(&mut read.4).unwrap(),
                    _ => {}
                }
            }
            read
        };
        inside(inside(metric.unwrap(), 9)[0], 1).into_iter().map(read).collect()
    }

    /// The points of the counter of this name: the only attribute, and the total.
    fn counted(body: &[u8], name: &str) -> Vec<(String, u64)> {
        let scope = inside(inside(body, 1)[0], 2)[0];
        let metric = inside(scope, 2).into_iter().find(|one| inside(one, 1)[0] == name.as_bytes());
        let read = |point: &[u8]| {
            let pair = inside(point, 7)[0];
            let text = inside(inside(pair, 2)[0], 1)[0];
            let total = Fields::of(point).map(Result::unwrap).find_map(|field| match field {
                (6, Value::Eight(total)) => Some(total),
                _ => None,
            });
            assert_eq!(inside(pair, 1), [b"source"]);
            (String::from_utf8(text.to_vec()).unwrap(), total.unwrap())
        };
        inside(inside(metric.unwrap(), 7)[0], 1).into_iter().map(read).collect()
    }

    #[test]
    fn gaps_are_counted_of_each_source() {
        let mut totals = Exposition::new(ExpositionOptions::default());
        let gap = Frame { quality: Quality::Gap(Gap::Reset), ..frame("disk", &[100]) };
        totals.push("disk:", &gap);
        totals.push("disk:", &gap);
        totals.push("probe:.", &frame("read", &[100]));
        let body = totals.export(1, (5, 10)).body(1, &[]);
        let of = |source: &str, total| (source.to_owned(), total);
        assert_eq!(counted(&body, "isotherm_gaps_total"), [of("disk:", 2), of("probe:.", 0)]);
        let left_out = counted(&body, "isotherm_left_out_events_total");
        assert_eq!(left_out, [of("disk:", 0), of("probe:.", 0)]);
    }

    #[test]
    fn totals_grow_from_zeros_and_begin_once() {
        let mut totals =
            Exposition::new(ExpositionOptions { waited: true, ..ExpositionOptions::default() });
        totals.push("disk:", &frame("disk", &[100, 200, 3_000]));
        let first = totals.export(1, (5, 10)).body(0, &[]);
        let of_first = points(&first, "isotherm_latency_seconds");
        assert_eq!(of_first.len(), 2);
        assert_eq!((of_first[0].0, of_first[0].1, of_first[0].2), (5, 5, 0));
        assert_eq!((of_first[1].0, of_first[1].1, of_first[1].2), (5, 10, 3));
        assert!((of_first[1].3 - 3_300e-6).abs() < 1e-12);
        // 100 us lie below 131.072 us, the eighth power of two of 1.024 us; 34 bounds, 35 buckets.
        let counts = &of_first[1].4;
        assert_eq!((counts.len(), counts.iter().sum::<u64>()), (35, 3));
        assert_eq!((counts[8], counts[9], counts[13]), (1, 1, 1));
        totals.push("disk:", &frame("disk", &[100]));
        totals.push("disk:", &frame("tape", &[100]));
        let second = totals.export(2, (10, 20)).body(1, &[]);
        let of_second = points(&second, "isotherm_latency_seconds");
        let times: Vec<_> = of_second.iter().map(|one| (one.0, one.1, one.2)).collect();
        assert_eq!(times, [(5, 20, 4), (10, 10, 0), (10, 20, 1)]);
        let waited = points(&second, "isotherm_waited_microseconds");
        // Of each of the three buckets, and of the one, less than a microsecond is missing.
        assert!((3_398..=3_400).contains(&waited[0].2), "{waited:?}");
        assert_eq!(waited[2].2, 100);
    }

    #[test]
    fn zeros_come_again_until_they_are_delivered() {
        let mut totals = Exposition::new(ExpositionOptions::default());
        totals.push("disk:", &frame("disk", &[100]));
        totals.export(1, (5, 10));
        totals.push("disk:", &frame("tape", &[100]));
        totals.export(2, (10, 20));
        totals.push("disk:", &frame("tape", &[100]));
        let third = totals.export(3, (20, 30));
        let times = |delivered| {
            let points = points(&third.body(delivered, &[]), "isotherm_latency_seconds");
            points.iter().map(|one| (one.0, one.1, one.2)).collect::<Vec<_>>()
        };
        assert_eq!(times(1), [(5, 30, 1), (10, 10, 0), (10, 30, 2)]);
        assert_eq!(times(2), [(5, 30, 1), (10, 30, 2)]);
    }

    #[test]
    fn averages_and_gaps_grow_from_zeros_too() {
        let mut totals = Exposition::new(ExpositionOptions::default());
        let averages = frame("disk", &[100, 200]);
        let series = averages.series.with_detail(Detail::Averages);
        totals.push("disk:", &Frame { series, ..averages.clone() });
        totals.push("disk:", &Frame { quality: Quality::Gap(Gap::Reset), ..averages });
        let export = totals.export(1, (5, 10));
        let scope = |body: &[u8]| inside(inside(body, 1)[0], 2)[0].to_vec();
        let numbers = |delivered| {
            let scope = scope(&export.body(delivered, &[]));
            let is_averages = |one: &&[u8]| inside(one, 1)[0] == b"isotherm_averaged_seconds";
            let metric = inside(&scope, 2).into_iter().find(is_averages).unwrap().to_vec();
            let count = |point: &[u8]| {
                let mut fields = Fields::of(point).map(Result::unwrap);
                fields.find_map(|field| match field {
                    (4, Value::Eight(count)) => Some(count),
                    _ => None,
                })
            };
            inside(inside(&metric, 11)[0], 1).into_iter().map(count).collect::<Vec<_>>()
        };
        assert_eq!((numbers(0), numbers(1)), (vec![Some(0), Some(2)], vec![Some(2)]));
        let gaps = |delivered| counted(&export.body(delivered, &[]), "isotherm_gaps_total");
        let of = |total| ("disk:".to_owned(), total);
        assert_eq!((gaps(0), gaps(1)), (vec![of(0), of(1)], vec![of(1)]));
    }
}
