//! The report for programs.

use std::borrow::Cow;
use std::io::Write;

use isotherm_analysis::{Column, ColumnState};
use isotherm_frame::{Histogram, Mark, QuantileInterval};
use isotherm_views::section::Section;
use isotherm_views::{
    BucketJson, FindingsJson, IdleJson, InputAccount, Micros, QuantileJson, SchemaVersion,
    WindowJson, detail_word, entries, generator, write_json,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::ReportError;
use crate::input::ReportInput;
use crate::raster::{MOST_COLUMNS, Raster};
use crate::report::{Entry, Kind, NotDrawn, Report};

/// Everything about one or several recordings: where they come from, and for all series together, each
/// name and each series the numbers, what was found and the sentences that say it. Keys may be added
/// while `schema_version` stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm report --format json")]
pub struct ReportJson<'a> {
    schema_version: SchemaVersion<1>,
    /// What wrote this, with its version.
    generator: String,
    /// What it is called.
    title: &'a str,
    /// The command that makes it again, without secrets.
    command: &'a str,
    /// What it is made of.
    recordings: Vec<RecordingJson<'a>>,
    /// What is shown beside maps: parts with a heading.
    sections: &'a [Section],
    /// All series together, each name and each series: most time waited first within each recording.
    entries: Vec<EntryJson<'a>>,
    /// Series that are no entry of their own; all of them are part of the others.
    not_drawn: Vec<NotDrawnJson<'a>>,
}

/// Where a recording comes from and what was read of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Recording")]
pub(super) struct RecordingJson<'a> {
    /// What it is called.
    label: &'a str,
    /// The address it was read from, without secrets.
    source: &'a str,
    /// The host that recorded.
    host: Option<&'a str>,
    /// What timestamps count from.
    #[schemars(extend("enum" = ["epoch", "time of day", "arbitrary", "assumed"]))]
    clock: String,
    /// The earliest start, in microseconds of the clock.
    start_us: Option<Micros>,
    /// The latest end.
    end_us: Option<Micros>,
    /// The command line that recorded, without secrets.
    command: Option<&'a str>,
    /// The version that recorded.
    isotherm_version: Option<&'a str>,
    /// Of the bytes of the file.
    sha256: Option<&'a str>,
    /// The size of the file.
    bytes: Option<u64>,
    /// What was read, and what was not.
    input: InputJson,
    /// Idle waits of Oracle that take no part in anything else here, by event.
    idle_left_out: Vec<IdleJson<'a>>,
    /// The same in words.
    left_out: Option<String>,
    /// The stretches of time that lie far apart, such as files of different years, oldest first, each
    /// with rates of its own; one where none is far from the others.
    windows: Vec<WindowJson>,
    /// The same in words; null where there is one window.
    windows_told: Option<String>,
    /// What is assumed of the input and only sometimes matters, in sentences.
    assumed: &'a [Cow<'static, str>],
    /// Marked moments.
    marks: Vec<MarkJson<'a>>,
}

/// What was read, and what was not.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Input")]
struct InputJson {
    /// Records understood.
    records: u64,
    /// Records that could not be understood or used.
    rejected: u64,
    /// Events known to be in rejected records.
    rejected_events: u64,
    /// Times that counters were reset.
    resets: u64,
    /// Intervals of which nothing is known, resets included.
    gaps: u64,
    /// Events counted.
    events: u64,
    /// Events the source itself says it lost.
    lost: u64,
    /// Lines that are no data and need not be.
    ignored_lines: u64,
}

/// A marked moment.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mark")]
struct MarkJson<'a> {
    /// Microseconds of the clock.
    at_us: Micros,
    /// Its text.
    text: &'a str,
}

/// An entry with all that it counted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Entry")]
struct EntryJson<'a> {
    #[serde(flatten)]
    numbers: NumbersJson<'a>,
    /// Buckets that hold events, shortest latencies first. They add up to `events`.
    buckets: Vec<BucketJson>,
    /// What every column of time holds; with --with-columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<ColumnJson>>,
}

/// What every form of the report says about an entry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct NumbersJson<'a> {
    /// The index of its recording.
    recording: usize,
    /// What it is called.
    label: &'a str,
    /// Null for all series together.
    name: Option<&'a str>,
    /// Of a single series.
    #[serde(serialize_with = "entries")]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    attributes: Vec<(&'a str, &'a str)>,
    /// Every series of the recording, every series of one name, or one series.
    #[schemars(extend("enum" = ["all", "name", "series"]))]
    kind: &'static str,
    /// The number of series.
    members: usize,
    /// What is known of its events: latencies in buckets, or `averages`: their number and total time
    /// only, with one bucket of all latencies and no quantiles.
    #[schemars(extend("enum" = ["distribution", "averages"]))]
    detail: &'static str,
    /// Events.
    events: u64,
    /// Total time of all events, in seconds.
    waited_s: f64,
    /// Whether the source gave the total; else it is estimated from bucket mid-points.
    exact: bool,
    /// Time about which the source said something, in seconds; counted once where several series cover
    /// it.
    covered_s: f64,
    /// The part of it in which ends were counted, from the first on, in seconds: a rate is `events` divided by it.
    counted_s: f64,
    /// Null without events; as exact as `waited_s`.
    mean_ns: Option<f64>,
    /// p50, p90, p99, p99.9 and the maximum.
    quantiles: Vec<EntryQuantileJson>,
    /// What was found; null where there was nothing to look at.
    findings: Option<&'a FindingsJson>,
    /// What is worth saying, most important first.
    sentences: &'a [String],
}

/// A quantile of an entry.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntryQuantile")]
struct EntryQuantileJson {
    #[serde(flatten)]
    quantile: QuantileJson,
    /// Whether a few events more or less would move it from one mode to the next.
    unstable: bool,
}

/// A column of time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Column")]
struct ColumnJson {
    /// Where it begins, in nanoseconds of the clock.
    start_ns: i64,
    /// Where it ends, in nanoseconds of the clock.
    end_ns: i64,
    /// What is known of it.
    #[schemars(extend("enum" = ["data", "no data", "reset"]))]
    state: &'static str,
    /// Time about which the source said something.
    covered_s: f64,
    /// Events.
    events: u64,
    /// Time waited.
    waited_s: f64,
    /// The part of `waited_s` that belongs to events longer than the column, from a source that says
    /// only when they ended: an unknown part of it was waited before the column.
    unplaced_s: f64,
    /// Whether the time waited is measured.
    exact: bool,
    /// Buckets that hold events; null where nothing is known.
    buckets: Option<Vec<BucketJson>>,
}

/// A series that is no entry of its own.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotDrawn")]
pub(super) struct NotDrawnJson<'a> {
    /// The index of its recording.
    recording: usize,
    /// What it is called.
    label: &'a str,
    /// Events.
    events: u64,
    /// Time waited.
    waited_s: f64,
    /// Whether that is measured; else it is estimated from buckets.
    exact: bool,
}

/// Writes the report as one JSON object on one line; with what every column of time holds if
/// `columns` says so.
pub fn json(report: &Report, columns: bool, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(write_json(&ReportJson::new(report, columns), out)?)
}

impl<'a> ReportJson<'a> {
    fn new(report: &'a Report, columns: bool) -> ReportJson<'a> {
        let entry = |entry: &'a Entry| EntryJson {
            numbers: NumbersJson::new(entry, &entry.full_label),
            buckets: buckets(&entry.latencies),
            columns: columns.then(|| self::columns(report, entry)),
        };
        ReportJson {
            schema_version: SchemaVersion,
            generator: generator(),
            title: &report.title,
            command: &report.command,
            recordings: report.given.iter().map(RecordingJson::from).collect(),
            sections: &report.sections,
            entries: report.entries.iter().map(entry).collect(),
            not_drawn: report.not_drawn.iter().map(NotDrawnJson::from).collect(),
        }
    }
}

fn columns(report: &Report, entry: &Entry) -> Vec<ColumnJson> {
    let factor = entry.axis.factor_for(MOST_COLUMNS);
    let raster = Raster::of(&report.given[entry.recording], entry, factor, &mut []);
    raster.timeline.columns.iter().map(ColumnJson::from).collect()
}

/// The buckets that hold events.
fn buckets(latencies: &Histogram) -> Vec<BucketJson> {
    let filled = latencies.non_zero();
    filled.map(|(bucket, count)| BucketJson { range: bucket.into(), count }).collect()
}

impl<'a> From<&'a ReportInput<'_>> for RecordingJson<'a> {
    fn from(given: &'a ReportInput<'_>) -> RecordingJson<'a> {
        let (start, end) = given.input.span.unzip();
        let mark = |mark: &'a Mark| MarkJson { at_us: mark.at.into(), text: &mark.text };
        RecordingJson {
            label: &given.label,
            source: &given.source,
            host: given.host.as_deref(),
            clock: given.input.read.clock.to_string(),
            start_us: start.map(Micros::from),
            end_us: end.map(Micros::from),
            command: given.command.as_deref(),
            isotherm_version: given.isotherm_version.as_deref(),
            sha256: given.file.as_ref().map(|file| file.sha256.as_str()),
            bytes: given.file.as_ref().map(|file| file.bytes),
            input: InputJson::from(&given.input),
            idle_left_out: given.input.idle_json(),
            left_out: given.input.idle_left_out(),
            windows: given.input.windows_json(),
            windows_told: given.input.windows_line(),
            assumed: &given.input.read.assumptions,
            marks: given.marks.iter().map(mark).collect(),
        }
    }
}

impl From<&InputAccount> for InputJson {
    fn from(input: &InputAccount) -> InputJson {
        InputJson {
            records: input.read.records,
            rejected: input.read.rejected,
            rejected_events: input.read.rejected_events,
            resets: input.resets,
            gaps: input.gaps,
            events: input.events,
            lost: input.lost,
            ignored_lines: input.read.ignored_lines,
        }
    }
}

impl<'a> NumbersJson<'a> {
    /// The numbers of an entry that is called `label`.
    pub fn new(entry: &'a Entry, label: &'a str) -> NumbersJson<'a> {
        let name = entry.members.first().map(|(series, _)| series.name());
        NumbersJson {
            recording: entry.recording,
            label,
            name: name.filter(|_| entry.kind != Kind::All),
            attributes: match entry.members.as_slice() {
                [(one, _)] => one.attributes().collect(),
                _ => Vec::new(),
            },
            kind: entry.kind.word(),
            members: entry.members.len(),
            detail: detail_word(entry.latencies.detail()),
            events: entry.events(),
            waited_s: entry.waited.seconds,
            exact: entry.waited.exact,
            covered_s: entry.covered_s,
            counted_s: entry.counted_s,
            mean_ns: entry.latencies.mean_ns(),
            quantiles: entry.quantiles.iter().copied().map(EntryQuantileJson::from).collect(),
            findings: entry.findings.as_ref(),
            sentences: &entry.sentences,
        }
    }
}

impl From<(QuantileInterval, bool)> for EntryQuantileJson {
    fn from((found, unstable): (QuantileInterval, bool)) -> EntryQuantileJson {
        EntryQuantileJson { quantile: found.into(), unstable }
    }
}

impl From<&Column> for ColumnJson {
    fn from(column: &Column) -> ColumnJson {
        ColumnJson {
            start_ns: column.start.as_nanos(),
            end_ns: column.end.as_nanos(),
            state: match column.state {
                ColumnState::Data => "data",
                ColumnState::NoData => "no data",
                ColumnState::Reset => "reset",
            },
            covered_s: column.covered_s,
            events: column.events,
            waited_s: column.waited.seconds,
            unplaced_s: column.unplaced_s,
            exact: column.waited.exact,
            buckets: column.latencies.as_ref().map(buckets),
        }
    }
}

impl<'a> From<&'a NotDrawn> for NotDrawnJson<'a> {
    fn from(NotDrawn { recording, label, events, waited }: &'a NotDrawn) -> NotDrawnJson<'a> {
        let (recording, events) = (*recording, *events);
        NotDrawnJson { recording, label, events, waited_s: waited.seconds, exact: waited.exact }
    }
}

impl<'a> From<&'a Entry> for NotDrawnJson<'a> {
    fn from(entry: &'a Entry) -> NotDrawnJson<'a> {
        NotDrawnJson {
            recording: entry.recording,
            label: &entry.full_label,
            events: entry.events(),
            waited_s: entry.waited.seconds,
            exact: entry.waited.exact,
        }
    }
}
