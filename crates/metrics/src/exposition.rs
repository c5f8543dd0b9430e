//! The text that Prometheus, `VictoriaMetrics` and everything like them scrapes.
//!
//! Format: <https://prometheus.io/docs/instrumenting/exposition_formats/> (0.0.4).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isotherm_frame::{Detail, Frame};

use crate::bounds::Bounds;
use crate::cumulative::{Began, Cumulative};
use crate::names::{Labels, braced, labels, source_label, with_detail};

/// The most series; what comes after them is counted and told.
pub const MOST_SERIES: usize = 2_000;

/// What is exposed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpositionOptions {
    /// The bounds of all buckets.
    pub bounds: Bounds,
    /// Whether the time waited has a histogram of its own, whose counts are microseconds.
    pub waited: bool,
}

/// Totals since the program began, of every series that has been seen.
#[derive(Clone, Debug)]
pub struct Exposition {
    pub(crate) options: ExpositionOptions,
    pub(crate) bounds_ns: Vec<u64>,
    pub(crate) series: BTreeMap<Key, Cumulative>,
    /// By source: what none of its series counts.
    pub(crate) uncounted: BTreeMap<String, Uncounted>,
}

/// What tells one series from another for a server: one with the same labels adds to the same totals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub labels: Labels,
    /// Whether only averages are known of the events.
    pub detail: Detail,
}

/// What a source gave that none of its series counts.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Uncounted {
    /// Intervals of which nothing is known.
    pub gaps: u64,
    /// Events of series beyond the most.
    pub left_out: u64,
    /// The first export that has them.
    pub began: Option<Began>,
}

impl Exposition {
    /// Nothing as yet.
    pub fn new(options: ExpositionOptions) -> Exposition {
        let bounds_ns = options.bounds.list_ns();
        Exposition { options, bounds_ns, series: BTreeMap::new(), uncounted: BTreeMap::new() }
    }

    /// Adds an interval of a source. A gap counts nothing: totals stand still, and its number grows.
    pub fn push(&mut self, source: &str, frame: &Frame) {
        let uncounted = self.uncounted.entry(source.to_owned()).or_default();
        if frame.is_gap() {
            uncounted.gaps = uncounted.gaps.saturating_add(1);
            return;
        }
        let detail = frame.series.detail();
        let key = Key { labels: labels(source, &frame.series), detail };
        if !self.series.contains_key(&key) && self.series.len() >= MOST_SERIES {
            uncounted.left_out = uncounted.left_out.saturating_add(frame.counts.events());
            return;
        }
        let bounds = self.bounds_ns.len();
        let known = self.series.entry(key).or_insert_with(|| Cumulative::new(bounds));
        known.add(&frame.counts, &self.bounds_ns);
    }

    /// Leaves out the series of a source that has ended: totals that stand still for ever would be rates
    /// of zero.
    pub fn forget(&mut self, source: &str) {
        let is_other = |key: &Key| key.labels.first().is_none_or(|(_, own)| own != source);
        self.series.retain(|key, _| is_other(key));
    }

    /// Notes which export has first what is new.
    pub(crate) fn begin(&mut self, began: Began) {
        for known in self.series.values_mut() {
            known.began.get_or_insert(began);
        }
        for uncounted in self.uncounted.values_mut() {
            uncounted.began.get_or_insert(began);
        }
    }

    /// Every series with its totals, by its labels.
    pub(crate) fn series(&self) -> impl Iterator<Item = (&Key, &Cumulative)> {
        self.series.iter()
    }

    pub(crate) fn options(&self) -> ExpositionOptions {
        self.options
    }

    /// Upper bounds of buckets, nanoseconds.
    pub(crate) fn bounds_ns(&self) -> &[u64] {
        &self.bounds_ns
    }

    /// By source: what none of its series counts.
    pub(crate) fn uncounted(&self) -> impl Iterator<Item = (&String, &Uncounted)> {
        self.uncounted.iter()
    }

    /// Whether nothing has been counted of any series.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let bounds: Vec<String> =
            self.bounds_ns.iter().map(|&bound| seconds(u128::from(bound))).collect();
        let of = |detail: Detail| {
            let all = self.series.iter().filter(move |(key, _)| key.detail == detail);
            all.map(|(key, known)| (braced(&key.labels), known)).collect::<Vec<_>>()
        };
        let (distributions, averages) = (of(Detail::Distribution), of(Detail::Averages));
        if !distributions.is_empty() {
            text.push_str(LATENCY);
            for (labels, known) in &distributions {
                buckets(&mut text, "isotherm_latency_seconds", labels, (&bounds, &known.events));
                let _ = writeln!(
                    text,
                    "isotherm_latency_seconds_sum{{{labels}}} {}",
                    seconds(known.sum_ns)
                );
                let events = known.all_events();
                let _ = writeln!(text, "isotherm_latency_seconds_count{{{labels}}} {events}");
            }
        }
        if self.options.waited && !distributions.is_empty() {
            text.push_str(WAITED);
            for (labels, known) in &distributions {
                waited(&mut text, labels, (&bounds, known));
            }
        }
        if !averages.is_empty() {
            text.push_str(AVERAGED);
            for (labels, known) in &averages {
                let events = known.all_events();
                let _ = writeln!(
                    text,
                    "isotherm_averaged_seconds_sum{{{labels}}} {}",
                    seconds(known.sum_ns)
                );
                let _ = writeln!(text, "isotherm_averaged_seconds_count{{{labels}}} {events}");
            }
        }
        if !self.series.is_empty() {
            text.push_str(EXACT);
            for (key, known) in &self.series {
                let labels = braced(&with_detail(&key.labels, key.detail));
                let _ =
                    writeln!(text, "isotherm_sum_exact{{{labels}}} {}", u8::from(known.is_exact));
            }
        }
        if !self.uncounted.is_empty() {
            let name = "isotherm_gaps_total";
            self.counter(&mut text, (GAPS, name), |uncounted| uncounted.gaps);
            let name = "isotherm_left_out_events_total";
            self.counter(&mut text, (LEFT_OUT, name), |uncounted| uncounted.left_out);
        }
        text
    }

    /// A total of each source.
    fn counter(&self, text: &mut String, (about, name): (&str, &str), of: fn(&Uncounted) -> u64) {
        text.push_str(about);
        for (source, uncounted) in &self.uncounted {
            let label = braced(&source_label(source));
            let _ = writeln!(text, "{name}{{{label}}} {}", of(uncounted));
        }
    }
}

/// Microseconds waited at each latency.
fn waited(text: &mut String, labels: &str, (bounds, known): (&[String], &Cumulative)) {
    let name = "isotherm_waited_microseconds";
    let micros = known.waited_us();
    buckets(text, name, labels, (bounds, &micros));
    let all: u64 = micros.iter().sum();
    let _ = writeln!(text, "{name}_sum{{{labels}}} {all}");
    let _ = writeln!(text, "{name}_count{{{labels}}} {all}");
}

/// The cumulative counts of a histogram, each with the longest latency it holds.
fn buckets(text: &mut String, name: &str, labels: &str, (bounds, counts): (&[String], &[u64])) {
    let mut total = 0_u64;
    for (bound, count) in bounds.iter().map(String::as_str).chain(["+Inf"]).zip(counts) {
        total = total.saturating_add(*count);
        let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {total}");
    }
}

/// Nanoseconds as seconds, to the nanosecond, without zeros at the end.
fn seconds(ns: u128) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

const LATENCY: &str = "# HELP isotherm_latency_seconds Latencies of events. A bucket of the source goes \
    below the first bound that none of its events can exceed. See isotherm_sum_exact for the sum.\n\
    # TYPE isotherm_latency_seconds histogram\n";
const WAITED: &str = "# HELP isotherm_waited_microseconds Microseconds waited at each latency: counts are \
    time, so that a heat map of them is a map of intensity. Sum and count are both all of it, but for \
    less than 1 us in each bucket.\n\
    # TYPE isotherm_waited_microseconds histogram\n";
const AVERAGED: &str = "# HELP isotherm_averaged_seconds Events of which the source tells only how many \
    they were and how long they took in all.\n\
    # TYPE isotherm_averaged_seconds summary\n";
const EXACT: &str = "# HELP isotherm_sum_exact 1 where all of the sum was measured, 0 where some of it is \
    estimated from the middles of buckets.\n\
    # TYPE isotherm_sum_exact gauge\n";
const GAPS: &str = "# HELP isotherm_gaps_total Intervals of which nothing is known.\n\
    # TYPE isotherm_gaps_total counter\n";
const LEFT_OUT: &str = "# HELP isotherm_left_out_events_total Events of series that came after the most \
    that are exposed.\n\
    # TYPE isotherm_left_out_events_total counter\n";

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit};
    use proptest::prelude::*;

    use super::*;

    fn frame(series: &Series, counts: Histogram) -> Frame {
        let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
        Frame { series: series.clone(), start, end, counts, quality: Quality::Complete }
    }

    fn recorded(scheme: Scheme, latencies: &[u64]) -> Histogram {
        let mut counts = Histogram::empty(scheme);
        for &ns in latencies {
            counts.record(Nanos::new(ns));
        }
        counts
    }

    /// The numbers of a metric by the rest of its line.
    fn numbers(text: &str, name: &str) -> Vec<(String, f64)> {
        let lines = text.lines().filter(|line| line.starts_with(&format!("{name}{{")));
        lines
            .map(|line| {
                let (head, number) = line.rsplit_once(' ').unwrap();
                (head.to_owned(), number.parse().unwrap())
            })
            .collect()
    }

    #[test]
    fn three_latencies_are_where_anybody_would_count_them() {
        let series = Series::with_attributes("read", [("disk", "sda")]);
        let mut found = Exposition::new(ExpositionOptions { waited: true, ..Default::default() });
        let counts = recorded(Scheme::log_linear(), &[0, 1_000, 3_000_000]);
        found.push("disk:", &frame(&series, counts.clone()));
        found.push("disk:", &frame(&series, counts));
        let text = found.text();
        let labels = "source=\"disk:\",series=\"read\",disk=\"sda\"";
        for line in [
            format!("isotherm_latency_seconds_bucket{{{labels},le=\"0\"}} 2"),
            format!("isotherm_latency_seconds_bucket{{{labels},le=\"0.000001024\"}} 4"),
            format!("isotherm_latency_seconds_bucket{{{labels},le=\"0.002097152\"}} 4"),
            format!("isotherm_latency_seconds_bucket{{{labels},le=\"0.004194304\"}} 6"),
            format!("isotherm_latency_seconds_bucket{{{labels},le=\"4398.046511104\"}} 6"),
            format!("isotherm_latency_seconds_bucket{{{labels},le=\"+Inf\"}} 6"),
            format!("isotherm_latency_seconds_sum{{{labels}}} 0.006002"),
            format!("isotherm_latency_seconds_count{{{labels}}} 6"),
            format!("isotherm_sum_exact{{{labels}}} 1"),
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line} in\n{text}");
        }
        // 6,002 us, of which less than one is missing in each of the two buckets.
        let waited = |part: &str, le: &str| {
            let all = numbers(&text, &format!("isotherm_waited_microseconds_{part}"));
            all.iter().find(|(head, _)| head.contains(le)).unwrap().1
        };
        for (part, le) in [("bucket", "le=\"0.004194304\""), ("sum", ""), ("count", "")] {
            let found = waited(part, le);
            assert!(found > 6_000.0 && found <= 6_002.0, "{part}: {found}");
        }
    }

    #[test]
    fn a_bucket_of_the_source_never_promises_less_than_its_events_took() {
        // Oracle's buckets of milliseconds: 1 to 2 ms holds what took 1.9 ms, too.
        let series = Series::named("db file sequential read");
        let mut found = Exposition::new(ExpositionOptions::default());
        let counts = recorded(Scheme::powers_of_two(Unit::Millis), &[1_500_000]).with_sum(None);
        found.push("awr", &frame(&series, counts));
        let text = found.text();
        let all = numbers(&text, "isotherm_latency_seconds_bucket");
        let at = |le: &str| {
            all.iter().find(|(head, _)| head.contains(&format!("le=\"{le}\""))).unwrap().1
        };
        assert!(at("0.001048576") < 0.5 && at("0.002097152") > 0.5, "{text}");
        assert!(
            text.contains(
                "isotherm_sum_exact{source=\"awr\",series=\"db file sequential read\"} 0"
            )
        );
    }

    #[test]
    fn a_source_that_has_ended_has_no_series() {
        let mut found = Exposition::new(ExpositionOptions::default());
        let series = Series::named("read");
        for source in ["disk:", "disk:sda"] {
            found.push(source, &frame(&series, recorded(Scheme::log_linear(), &[1_000])));
        }
        found.forget("disk:");
        let text = found.text();
        let counts = numbers(&text, "isotherm_latency_seconds_count");
        assert_eq!(counts.len(), 1, "{text}");
        assert!(counts[0].0.contains("source=\"disk:sda\""), "{text}");
    }

    #[test]
    fn gaps_and_series_without_room_are_counted_of_each_source() {
        let mut found = Exposition::new(ExpositionOptions::default());
        let one = || recorded(Scheme::log_linear(), &[5]);
        for number in 0..MOST_SERIES + 3 {
            found.push("x", &frame(&Series::named(format!("s{number}")), one()));
        }
        let gap = Frame {
            quality: Quality::Gap(isotherm_frame::Gap::Reset),
            ..frame(&Series::named("s1"), one())
        };
        found.push("x", &gap);
        found.push("y", &frame(&Series::named("s"), recorded(Scheme::log_linear(), &[5, 6])));
        let text = found.text();
        for line in [
            "isotherm_gaps_total{source=\"x\"} 1",
            "isotherm_gaps_total{source=\"y\"} 0",
            "isotherm_left_out_events_total{source=\"x\"} 3",
            "isotherm_left_out_events_total{source=\"y\"} 2",
        ] {
            assert!(text.contains(&format!("\n{line}\n")), "{line}");
        }
    }

    #[test]
    fn no_two_lines_have_the_same_labels() {
        let one = || recorded(Scheme::log_linear(), &[5]);
        let reads = Series::with_attributes("read", [("disk name", "sda")]);
        let mut found = Exposition::new(ExpositionOptions { waited: true, ..Default::default() });
        found.push("x", &frame(&reads, one()));
        found.push("x", &frame(&reads.with_detail(Detail::Averages), one()));
        found.push("x", &frame(&Series::with_attributes("read", [("disk_name", "sda")]), one()));
        let text = found.text();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let heads: Vec<&str> = lines.map(|line| line.rsplit_once(' ').unwrap().0).collect();
        let different: std::collections::BTreeSet<&str> = heads.iter().copied().collect();
        assert_eq!(heads.len(), different.len(), "{text}");
        let labels = "source=\"x\",series=\"read\",disk_name=\"sda\"";
        for line in [
            format!("isotherm_latency_seconds_count{{{labels}}} 2"),
            format!("isotherm_averaged_seconds_count{{{labels}}} 1"),
            format!("isotherm_sum_exact{{{labels}}} 1"),
            format!("isotherm_sum_exact{{{labels},detail=\"averages\"}} 1"),
        ] {
            assert!(text.contains(&format!("{line}\n")), "{line} in\n{text}");
        }
    }

    proptest! {
        /// Whatever the buckets of the source: no event and no nanosecond is lost, and counts only grow.
        #[test]
        fn everything_is_conserved(
            latencies in prop::collection::vec(0_u64..1 << 43, 1..60), which in 0..4_usize,
            fine in any::<bool>(),
        ) {
            let scheme = [
                Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros),
                Scheme::powers_of_two(Unit::Millis), Scheme::powers_of_two(Unit::Nanos),
            ][which].clone();
            let bounds = if fine { Bounds::Fine } else { Bounds::Octave };
            let mut found = Exposition::new(ExpositionOptions { bounds, waited: true });
            let counts = recorded(scheme, &latencies);
            let sum: u64 = latencies.iter().sum();
            found.push("x", &frame(&Series::named("s"), counts.with_sum(Some(Nanos::new(sum)))));
            let text = found.text();
            let all = numbers(&text, "isotherm_latency_seconds_bucket");
            prop_assert_eq!(all.len(), bounds.list_ns().len() + 1);
            prop_assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].1));
            prop_assert!((all[all.len() - 1].1 - latencies.len() as f64).abs() < 0.5);
            for (bound, (_, count)) in bounds.list_ns().iter().zip(&all) {
                let truly = latencies.iter().filter(|&ns| ns <= bound).count() as f64;
                prop_assert!(*count <= truly, "{} events said to be within {}", count, bound);
            }
            let total = numbers(&text, "isotherm_latency_seconds_sum")[0].1;
            prop_assert!((total - sum as f64 * 1e-9).abs() <= 1e-9 * total.max(1.0));
            let waited = numbers(&text, "isotherm_waited_microseconds_count")[0].1;
            let missing = sum as f64 / 1e3 - waited;
            let most = (bounds.list_ns().len() + 1) as f64;
            prop_assert!((-0.001..most).contains(&missing), "{} of {}", waited, sum);
        }
    }
}
