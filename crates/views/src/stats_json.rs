//! Statistics for programs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use isotherm_analysis::{FrameTotals, Summary};
use isotherm_frame::{Detail, Example, Series};
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings_json::FindingsJson;
use crate::input_account::{IdleJson, InputAccount, WindowJson};
use crate::json::{BucketJson, QuantileJson, RangeJson, SchemaVersion, entries};
use crate::threshold_json::ThresholdJson;
use crate::view::ViewMeta;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "json",
    about: "The numbers of a whole input as one JSON object.",
    when: "Right for scripts and other programs; its keys keep their meaning.",
    reading: &[
        "Described by [`stats.schema.json`](../schema/stats.schema.json). Keys may be added while \
         `schema_version` stays 1; none changes its meaning or goes away.",
        "Times are in nanoseconds (`_ns`) or seconds (`_s`). `hi_ns` is exclusive, and null where \
         a bucket has no upper bound. Only buckets with events are listed.",
        "`input` says what was read; the counts of all buckets add up to its `events`.",
        "`estimate_ns` lies within its range and is no more than an estimate.",
        "`findings` holds what was found: bands, changes over time, periods, and `sentences` that \
         say it in words, most important first. The `sentences` beside `input` are about all series \
         together: those of `--describe`.",
    ],
    example: "isotherm stats run.heat --format json",
};

/// Statistics of a whole input, series by series, most time waited first. Counts are summed over all
/// intervals after differencing: the first record of a cumulative input is its baseline. Keys may be
/// added while `schema_version` stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm stats --format json")]
pub struct StatsJson<'a> {
    schema_version: SchemaVersion<1>,
    /// What was read, and what was not.
    input: InputJson<'a>,
    /// One to five sentences about all series together, what explains most of all time waited first:
    /// those of stats --describe. None without events.
    sentences: &'a [String],
    /// The stretches of time that lie far apart, such as files of different years, oldest first, each
    /// with rates of its own; one where none is far from the others.
    windows: Vec<WindowJson>,
    /// The series, most time waited first.
    series: Vec<SeriesJson<'a>>,
    /// What the conditions of --fail-if came to; none without any.
    thresholds: &'a [ThresholdJson],
}

/// What is said beside the numbers.
#[derive(Clone, Debug, Default)]
pub struct StatsFindings {
    /// What was found in each series; a series without has null.
    pub series: BTreeMap<Series, FindingsJson>,
    /// What is worth saying of all series together, most important first.
    pub sentences: Vec<String>,
}

/// What was read, and what was not.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Input")]
struct InputJson<'a> {
    /// Records understood.
    records: u64,
    /// Records that could not be understood or used.
    rejected: u64,
    /// Times that counters were reset.
    resets: u64,
    /// Intervals of which nothing is known, resets included.
    gaps: u64,
    /// Events counted: the sum of all buckets of all series.
    events: u64,
    /// Events the source itself says it lost.
    lost: u64,
    /// Events known to be in rejected records.
    rejected_events: u64,
    /// Lines that are no data and need not be.
    ignored_lines: u64,
    /// What timestamps count from.
    #[schemars(extend("enum" = ["epoch", "time of day", "arbitrary", "assumed"]))]
    clock: String,
    /// The earliest start, in nanoseconds of the clock.
    start_ns: Option<i64>,
    /// The latest end, in nanoseconds of the clock.
    end_ns: Option<i64>,
    /// Idle waits of Oracle that take no part in anything else here, by event (--idle counts them).
    idle_left_out: Vec<IdleJson<'a>>,
    /// What is assumed of the input and only sometimes matters, in sentences.
    assumed: &'a [Cow<'static, str>],
}

/// A series.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Series")]
struct SeriesJson<'a> {
    /// Its name.
    name: &'a str,
    /// Its attributes.
    #[serde(serialize_with = "entries")]
    #[schemars(with = "BTreeMap<String, String>")]
    attributes: Vec<(&'a str, &'a str)>,
    /// What is known of its events: latencies in buckets, or `averages`: their number and total time
    /// only, with one bucket of all latencies and no quantiles.
    #[schemars(extend("enum" = ["distribution", "averages"]))]
    detail: &'static str,
    /// Events.
    events: u64,
    /// Total time of all events.
    time_waited_s: f64,
    /// Whether the source gave the total; else it is estimated from bucket mid-points.
    time_waited_exact: bool,
    /// The mean; null without events; as exact as `time_waited_s`.
    mean_ns: Option<f64>,
    /// Events per second of covered time; null when none is covered, or nobody knows how long it was.
    rate_per_s: Option<f64>,
    /// The variance of the latencies divided by their mean, which is a time; null of averages, without
    /// events, and where events lie in a bucket without an upper bound.
    variance_to_mean: Option<RangeJson>,
    /// The longest event, where the source gives it with its text, such as a statement in a log; null where
    /// it lies outside of the time looked at.
    longest: Option<LongestJson<'a>>,
    /// Seconds waited per second of covered time: events waiting on average; null like `rate_per_s`.
    sessions_waiting: Option<f64>,
    /// Time about which the source said something.
    covered_s: f64,
    /// Intervals of which nothing is known.
    gaps: u64,
    /// Buckets that hold events, shortest latencies first, with the source's own bounds.
    buckets: Vec<BucketJson>,
    /// Quantiles.
    quantiles: Vec<QuantileJson>,
    /// What was found in the latencies; null when it was not looked for.
    findings: Option<&'a FindingsJson>,
}

/// A single event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Longest")]
struct LongestJson<'a> {
    /// When it ended, in nanoseconds of the clock.
    at_ns: i64,
    /// How long it took.
    latency_ns: u64,
    /// The name of its file; null where it has none.
    file: Option<&'a str>,
    /// The line in it, from 1.
    line: u64,
    /// The byte at which that line begins, from 0.
    byte: u64,
    /// What was done, with its values; cut where it is long.
    text: &'a str,
}

impl<'a> From<&'a Example> for LongestJson<'a> {
    fn from(example: &'a Example) -> LongestJson<'a> {
        LongestJson {
            at_ns: example.at.as_nanos(),
            latency_ns: example.latency.as_nanos(),
            file: example.input.as_deref(),
            line: example.place.line,
            byte: example.place.byte,
            text: &example.text,
        }
    }
}

impl<'a> StatsJson<'a> {
    /// The object.
    pub fn new(
        totals: &'a FrameTotals,
        input: &'a InputAccount,
        found: &'a StatsFindings,
    ) -> StatsJson<'a> {
        let series = totals.by_time_waited().into_iter();
        let series = series.map(|summary| {
            SeriesJson::new((totals, input), summary, found.series.get(&summary.series))
        });
        StatsJson {
            schema_version: SchemaVersion,
            input: InputJson::new(input),
            sentences: &found.sentences,
            windows: input.windows_json(),
            series: series.collect(),
            thresholds: &[],
        }
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> StatsJson<'a> {
        StatsJson { thresholds, ..self }
    }
}

impl<'a> InputJson<'a> {
    fn new(input: &'a InputAccount) -> InputJson<'a> {
        InputJson {
            records: input.read.records,
            rejected: input.read.rejected,
            resets: input.resets,
            gaps: input.gaps,
            events: input.events,
            lost: input.lost,
            rejected_events: input.read.rejected_events,
            ignored_lines: input.read.ignored_lines,
            clock: input.read.clock.to_string(),
            start_ns: input.span.map(|(start, _)| start.as_nanos()),
            end_ns: input.span.map(|(_, end)| end.as_nanos()),
            idle_left_out: input.idle_json(),
            assumed: &input.read.assumptions,
        }
    }
}

/// How programs call what is known of events.
pub fn detail_word(detail: Detail) -> &'static str {
    match detail {
        Detail::Distribution => "distribution",
        Detail::Averages => "averages",
    }
}

impl<'a> SeriesJson<'a> {
    fn new(
        (totals, input): (&FrameTotals, &'a InputAccount),
        summary: &'a Summary,
        findings: Option<&'a FindingsJson>,
    ) -> SeriesJson<'a> {
        let waited = summary.waited();
        let buckets = summary.latencies.non_zero();
        SeriesJson {
            name: summary.series.name(),
            attributes: summary.series.attributes().collect(),
            detail: detail_word(summary.latencies.detail()),
            events: summary.events(),
            time_waited_s: waited.seconds,
            time_waited_exact: waited.exact,
            mean_ns: summary.latencies.mean_ns(),
            rate_per_s: totals.rate(summary.events()),
            variance_to_mean: summary.latencies.variance_to_mean().map(RangeJson::from),
            longest: input.example(&summary.series).map(LongestJson::from),
            sessions_waiting: totals.per_second(waited.seconds),
            covered_s: totals.covered_s(),
            gaps: summary.gaps,
            buckets: buckets
                .map(|(bucket, count)| BucketJson { range: bucket.into(), count })
                .collect(),
            quantiles: summary.quantiles().into_iter().map(QuantileJson::from).collect(),
            findings,
        }
    }
}
