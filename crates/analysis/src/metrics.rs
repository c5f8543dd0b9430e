//! Metrics of one program, which may count the same events.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, PathLevel, Series};

use crate::{History, Summary};

/// Metrics of which only one is looked at: nothing says whether `@lin` and `@usecs` of a script, or
/// `http_request_duration_seconds` and `db_query_duration_seconds` of a page of metrics, count different
/// events, the same ones twice, or some that hold others. So they are not added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metrics {
    /// The metric with the most time waited.
    pub foremost: String,
    /// The other metrics.
    pub others: Vec<String>,
    /// What all of them are.
    pub kind: MetricKind,
}

/// What counts events under a name of its own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A map of a bpftrace script, named `@` and a word.
    Map,
    /// A metric as Prometheus and OpenTelemetry name them: words with `_` or `.` between them, the last
    /// of which is a unit of time or a word for it.
    Metric,
    /// A level of the path of an I/O: a statement holds its waits, and these their system calls.
    Level,
}

impl MetricKind {
    /// The last words of the names of metrics of latencies, as their authors are advised to choose
    /// them (<https://prometheus.io/docs/practices/naming/>, <https://opentelemetry.io/docs/specs/semconv/general/metrics/>).
    const LAST_WORDS: [&str; 10] = [
        "seconds",
        "milliseconds",
        "microseconds",
        "nanoseconds",
        "ms",
        "us",
        "ns",
        "duration",
        "latency",
        "time",
    ];

    fn of(name: &str) -> Option<MetricKind> {
        if name.starts_with('@') {
            return Some(MetricKind::Map);
        }
        if PathLevel::ALL.iter().any(|level| level.name() == name) {
            return Some(MetricKind::Level);
        }
        let of_words = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let (_, last) = name.rsplit_once(['_', '.'])?;
        let is_metric = name.chars().all(of_words) && MetricKind::LAST_WORDS.contains(&last);
        is_metric.then_some(MetricKind::Metric)
    }
}

/// What waited how long.
type Waited<'a> = (&'a Series, f64);

impl Metrics {
    /// The metrics that frames are of; `None` if they are of one or none.
    pub fn of_frames(frames: &[Frame]) -> Option<Metrics> {
        let waited = |frame: &Frame| frame.counts.time_waited().seconds;
        Metrics::of(frames.iter().map(|frame| (&frame.series, waited(frame))))
    }

    /// The metrics that the series of a history are of; `None` if they are of one or none.
    pub fn of_history(history: &History) -> Option<Metrics> {
        let totals = history.by_time_waited();
        Metrics::of(totals.iter().map(|(series, total)| (series, total.waited.seconds)))
    }

    /// The metrics that sums are of; `None` if they are of one or none.
    pub fn of_summaries(summaries: &[&Summary]) -> Option<Metrics> {
        let waited = |summary: &&Summary| summary.waited().seconds;
        Metrics::of(summaries.iter().map(|summary| (&summary.series, waited(summary))))
    }

    fn of<'a>(all: impl Iterator<Item = Waited<'a>>) -> Option<Metrics> {
        let mut metrics: BTreeMap<&str, (MetricKind, f64)> = BTreeMap::new();
        for (series, seconds) in all {
            if let Some(kind) = MetricKind::of(series.name()) {
                metrics.entry(series.name()).or_insert((kind, 0.0)).1 += seconds;
            }
        }
        // Sums that were added up in another order differ in their last digits.
        let micros = |(_, (_, seconds)): &(&&str, &(MetricKind, f64))| (seconds * 1e6).round();
        let most = metrics.iter().max_by(|one, other| micros(one).total_cmp(&micros(other)));
        let (&foremost, &(kind, _)) = most.filter(|_| metrics.len() > 1)?;
        let others = metrics.keys().filter(|name| **name != foremost);
        let others = others.map(|&name| name.to_owned()).collect();
        let alike = metrics.values().all(|(other, _)| *other == kind);
        let kind = if alike { kind } else { MetricKind::Metric };
        Some(Metrics { foremost: foremost.to_owned(), others, kind })
    }

    /// Whether a series may be added up with the foremost metric.
    pub fn holds(&self, series: &Series) -> bool {
        !Metrics::is_metric(series) || series.name() == self.foremost
    }

    /// Whether a series is of a metric that may count the same events as others. Scripts and programs that
    /// say what they count, such as a wait event, have other names.
    pub fn is_metric(series: &Series) -> bool {
        MetricKind::of(series.name()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(series: &[(&str, f64)]) -> Option<Metrics> {
        let series: Vec<(Series, f64)> =
            series.iter().map(|&(name, seconds)| (Series::named(name), seconds)).collect();
        Metrics::of(series.iter().map(|(series, seconds)| (series, *seconds)))
    }

    #[test]
    fn the_map_with_the_most_time_stands_for_the_others() {
        let maps = of(&[("@lin", 16.1), ("@usecs", 15.6), ("@kusecs", 9.0), ("@kusecs", 8.0)]);
        let maps = maps.unwrap();
        assert_eq!((maps.foremost.as_str(), maps.kind), ("@kusecs", MetricKind::Map));
        assert_eq!(maps.others, ["@lin", "@usecs"]);
        assert!(maps.holds(&Series::with_attributes("@kusecs", [("key", "RS")])));
        assert!(maps.holds(&Series::named("log file sync")) && !maps.holds(&Series::named("@lin")));
    }

    #[test]
    fn one_metric_and_events_with_names_of_their_own_are_added_up() {
        assert_eq!(of(&[("@usecs", 1.0), ("@usecs", 2.0)]), None);
        assert_eq!(of(&[("log file sync", 1.0), ("latch free", 2.0), ("@usecs", 1.0)]), None);
        assert_eq!(
            of(&[("DataFileRead", 1.0), ("WALSync", 2.0), ("read", 1.0), ("time", 1.0)]),
            None
        );
        // Counters of NetApp, which hold no others.
        assert_eq!(of(&[("volume:v1:read_latency", 1.0), ("volume:v1:write_latency", 2.0)]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn metrics_and_levels_that_may_hold_each_other_are_told_apart() {
        let page =
            of(&[("http_request_duration_seconds", 3.0), ("db.query.duration", 2.0)]).unwrap();
        assert_eq!(page.foremost, "http_request_duration_seconds");
        assert_eq!(
            (page.others, page.kind),
            (vec!["db.query.duration".to_owned()], MetricKind::Metric)
        );
        let path = of(&[("wait", 2.0), ("statement", 3.0), ("block request", 1.0)]).unwrap();
        assert_eq!((path.foremost.as_str(), path.kind), ("statement", MetricKind::Level));
        let mixed = of(&[("@usecs", 2.0), ("wait", 3.0)]).unwrap();
        assert_eq!(mixed.kind, MetricKind::Metric);
    }
}
