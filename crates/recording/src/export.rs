//! Recordings in forms that other programs read.

mod hlog;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use isotherm_frame::{
    Bucket, Detail, Frame, Histogram, Nanos, Scheme, Series, TimeRange, Unit, csv_text,
};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::{Reader, RecordingError, codec};

pub use hlog::{hlog_remark, write_hlog};

/// Why an export could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The recording could not be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The output could not be written.
    #[error("cannot write the export: {0}")]
    Io(#[from] io::Error),
    /// The counts do not fit the form.
    #[error(
        "{series}: the bucket {bucket} does not lie within a power of two, which is all that PyLatencyMap's records can say; export as csv or jsonl"
    )]
    NotPowersOfTwo {
        /// The series.
        series: Series,
        /// The bucket, as `lo..hi`.
        bucket: String,
    },
    /// There are no buckets to export.
    #[error(
        "{0}: averages have no buckets, which is all that this form can say; leave the series out with --series, or export as csv or jsonl"
    )]
    Averages(Series),
    /// Two series would be one.
    #[error(
        "{one} and {two} would both be called '{label}' in PyLatencyMap's records; choose one with --series, or export as csv or jsonl"
    )]
    SameLabel {
        /// The first series.
        one: Series,
        /// The second.
        two: Series,
        /// What both would be called.
        label: String,
    },
    /// Two series would be one.
    #[error(
        "{one} and {two} would both have the tag '{tag}' in HdrHistogram's log; choose one with --series, or export as csv or jsonl"
    )]
    SameTag {
        /// The first series.
        one: Series,
        /// The second.
        two: Series,
        /// What both would be called.
        tag: String,
    },
}

/// What of a recording is exported.
#[derive(Copy, Clone)]
pub struct Selection<'a> {
    /// Whether a series is.
    pub series: &'a dyn Fn(&Series) -> bool,
    /// From when to when.
    pub range: TimeRange,
}

impl Selection<'_> {
    /// All of a recording.
    pub const ALL: Selection<'static> =
        Selection { series: &|_: &Series| true, range: TimeRange { from: None, to: None } };

    fn frames<'r>(
        &'r self,
        reader: &'r Reader,
    ) -> Result<impl Iterator<Item = Result<Frame, RecordingError>> + 'r, RecordingError> {
        let wanted = |frame: &Frame| (self.series)(&frame.series);
        let kept = move |frame| Some(frame).filter(wanted).and_then(|frame| self.range.keep(frame));
        let frames = reader.frames(self.range.from, self.range.to)?;
        Ok(frames.filter_map(move |frame| frame.map(kept).transpose()))
    }
}

/// The first columns of a CSV export; attributes follow.
pub(crate) const CSV_COLUMNS: [&str; 9] =
    ["start_ns", "end_ns", "series", "quality", "sum_ns", "lo_ns", "hi_ns", "count", "waited_ns"];

/// What follows the quality of a frame of which only averages are known: it has no bucket.
pub(crate) const AVERAGES: &str = "; averages";

/// What earlier versions wrote in place of the lower bound of such a frame.
pub(crate) const CSV_AVERAGES: &str = "averages";

/// One row for each bucket with events or time; a frame without any has one row without a bucket.
/// `sum_ns` stands in the first row of its frame. `waited_ns` is the time waited in the interval, where
/// the source says when it was waited; a frame that has it in one row has it in all. A row without a bucket, or with a sum, begins a frame.
/// Attributes are columns named `attribute.NAME`. A frame of averages has one row, without a
/// bucket, and `; averages` follows its quality: a column of numbers holds nothing else.
pub fn write_csv(
    reader: &Reader,
    selection: &Selection<'_>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let series = reader.series()?;
    let keys: BTreeSet<String> = series
        .iter()
        .filter(|series| (selection.series)(series))
        .flat_map(|series| series.attributes().map(|(key, _)| key.to_owned()))
        .collect();
    let named = keys.iter().map(|key| csv_text(&format!("attribute.{key}")));
    let head: Vec<String> = CSV_COLUMNS.iter().map(ToString::to_string).chain(named).collect();
    writeln!(out, "{}", head.join(","))?;
    let mut last: Option<Frame> = None;
    for frame in selection.frames(reader)? {
        let frame = frame?;
        let again = last.as_ref().is_some_and(|last| alike(last, &frame));
        write_csv_frame(&frame, &keys, again, out)?;
        last = Some(frame);
    }
    Ok(())
}

/// The time waited of averages, where it is not that of the events counted; else nothing.
pub(crate) fn waited_of_averages(counts: &Histogram) -> String {
    let placed = counts.has_waited_ns();
    if placed { counts.waited_in(0).to_string() } else { String::new() }
}

/// Whether the rows of two frames would begin alike.
fn alike(one: &Frame, two: &Frame) -> bool {
    one.series == two.series
        && (one.start, one.end, one.quality) == (two.start, two.end, two.quality)
}

fn write_csv_frame(
    frame: &Frame,
    keys: &BTreeSet<String>,
    again: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let attributes: BTreeMap<&str, &str> = frame.series.attributes().collect();
    let value = |key: &String| match attributes.get(key.as_str()) {
        // Quotes tell an empty text from none.
        Some(&"") => "\"\"".to_owned(),
        Some(text) => csv_text(text),
        None => String::new(),
    };
    let tail = keys.iter().fold(String::new(), |tail, key| tail + "," + &value(key));
    let head = format!(
        "{},{},{},{}{}",
        frame.start.as_nanos(),
        frame.end.as_nanos(),
        csv_text(frame.series.name()),
        codec::quality_text(frame),
        if frame.counts.is_averages() { AVERAGES } else { "" },
    );
    let mut sum = codec::kept_sum(frame).map(|sum| sum.as_nanos().to_string()).unwrap_or_default();
    if frame.counts.is_averages() {
        let waited = waited_of_averages(&frame.counts);
        let events = frame.counts.events();
        return writeln!(out, "{head},{sum},,,{events},{waited}{tail}");
    }
    // A second frame of one interval begins with such a row, too, unless its sum sets it apart.
    let placed = frame.counts.has_waited_ns();
    if frame.counts.is_blank() || (again && sum.is_empty()) {
        let none = if placed { "0" } else { "" };
        writeln!(out, "{head},{sum},,,0,{none}{tail}")?;
    }
    for index in frame.counts.occupied_range() {
        let ns = placed.then(|| frame.counts.waited_in(index));
        let count = frame.counts.count(index);
        if count == 0 && ns.unwrap_or(0) == 0 {
            continue;
        }
        let bucket = frame.counts.scheme().bucket(index);
        let hi = bucket.hi.map(|hi| hi.as_nanos().to_string()).unwrap_or_default();
        let ns = ns.map(|ns| ns.to_string()).unwrap_or_default();
        writeln!(out, "{head},{sum},{},{hi},{count},{ns}{tail}", bucket.lo.as_nanos())?;
        sum.clear();
    }
    Ok(())
}

/// A header line, then the marks, then one frame a line: nothing is lost. A frame shows the buckets
/// from the first to the last that is filled; all bounds stand in the line of its scheme, which
/// comes before its first frame.
pub fn write_jsonl(
    reader: &Reader,
    selection: &Selection<'_>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let about = reader.about();
    let account = reader.account();
    let header = json!({
        "isotherm_export": 1,
        "source": about.source,
        "command_line": about.command_line,
        "host": about.host,
        "isotherm_version": about.isotherm_version,
        "clock": about.clock.to_string(),
        "started_ns": about.started.as_nanos(),
        "tally": {
            "records": account.records, "rejected": account.rejected,
            "rejected_events": account.rejected_events, "lost": account.lost,
            "ignored_lines": account.ignored_lines,
        },
    });
    writeln!(out, "{header}")?;
    for mark in reader.marks()?.into_iter().filter(|mark| selection.range.holds(mark.at)) {
        let mark =
            json!({"mark_at_ns": mark.at.as_nanos(), "text": mark.text, "origin": mark.origin});
        writeln!(out, "{mark}")?;
    }
    let mut schemes: Vec<Scheme> = Vec::new();
    for frame in selection.frames(reader)? {
        let frame = frame?;
        let scheme = frame.counts.scheme();
        let known = schemes.iter().position(|known| known == scheme);
        let number = known.unwrap_or(schemes.len());
        if known.is_none() {
            writeln!(out, "{}", scheme_json(scheme, number))?;
            schemes.push(scheme.clone());
        }
        writeln!(out, "{}", frame_json(&frame, number))?;
    }
    Ok(())
}

fn scheme_json(scheme: &Scheme, number: usize) -> Value {
    let bounds = bounds_json(scheme.bounds());
    match scheme.detail() {
        Detail::Distribution => json!({"scheme": number, "bounds_ns": bounds}),
        Detail::Averages => json!({"scheme": number, "averages": true, "bounds_ns": bounds}),
    }
}

fn bounds_json(bounds: &[u64]) -> Value {
    let bound = |&bound: &u64| if bound == Scheme::UNBOUNDED { Value::Null } else { bound.into() };
    bounds.iter().map(bound).collect()
}

fn frame_json(frame: &Frame, scheme: usize) -> Value {
    let attributes: Map<String, Value> =
        frame.series.attributes().map(|(key, value)| (key.to_owned(), value.into())).collect();
    let bounds = frame.counts.scheme().bounds();
    let run = frame.counts.occupied_range();
    let (first, end) = (run.start, run.end.max(run.start + 1));
    json!({
        "start_ns": frame.start.as_nanos(),
        "end_ns": frame.end.as_nanos(),
        "series": frame.series.name(),
        "attributes": attributes,
        "quality": codec::quality_text(frame),
        "sum_ns": codec::kept_sum(frame).map(Nanos::as_nanos),
        "scheme": scheme,
        "bounds_ns": bounds_json(&bounds[first..=end]),
        "counts": &frame.counts.counts()[first..end],
        "waited_ns": frame.counts.waited_ns().map(|ns| ns[first..end].to_vec()),
    })
}

/// Records of PyLatencyMap: cumulative counts of powers of two, a zero record first, so that its
/// rule "the first record is the baseline" loses nothing. A count is written only where it certainly
/// belongs: a bucket that crosses a power of two, or has no upper bound, is refused if it holds any.
/// Gaps and marks cannot be said.
pub fn write_pylatencymap(
    reader: &Reader,
    selection: &Selection<'_>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut units: BTreeMap<Series, Unit> = BTreeMap::new();
    for (series, scheme) in reader.stored()?.into_values().flatten() {
        let unit = unit_of(&scheme);
        let known = units.entry(series).or_insert(unit);
        *known = finer(*known, unit);
    }
    let mut totals: BTreeMap<Series, BTreeMap<u64, u64>> = BTreeMap::new();
    for frame in selection.frames(reader)? {
        let frame = frame?;
        if frame.is_gap() || frame.is_amendment() {
            continue;
        }
        if frame.counts.is_averages() {
            return Err(ExportError::Averages(frame.series));
        }
        let unit = units.get(&frame.series).copied().unwrap_or(Unit::Nanos);
        let series = frame.series.clone();
        let known = totals.contains_key(&series);
        if !known {
            refuse_same_label(&series, totals.keys())?;
        }
        let total = totals.entry(series).or_default();
        if !known {
            write_record(&frame, frame.start.as_nanos(), unit, &BTreeMap::from([(1, 0)]), out)?;
        }
        for (bucket, count) in frame.counts.non_zero() {
            let total = total.entry(label(&frame, bucket, unit)?).or_default();
            *total = total.saturating_add(count);
        }
        write_record(&frame, frame.end.as_nanos(), unit, total, out)?;
    }
    Ok(())
}

/// The unit of all records of a series, whatever the schemes of its frames.
fn finer(one: Unit, two: Unit) -> Unit {
    if one.as_nanos() < two.as_nanos() { one } else { two }
}

/// The coarsest unit whose powers of two are bounds of the scheme.
fn unit_of(scheme: &Scheme) -> Unit {
    let powers = |unit: &Unit| {
        let mut bounds = scheme.bounds().iter().filter(|&&bound| bound != Scheme::UNBOUNDED);
        let unit = unit.as_nanos().as_nanos();
        bounds.all(|bound| bound % unit == 0 && (*bound == 0 || (bound / unit).is_power_of_two()))
    };
    [Unit::Millis, Unit::Micros].into_iter().find(powers).unwrap_or(Unit::Nanos)
}

/// The exclusive upper bound, a power of two in `unit`, of the range that holds the bucket.
fn label(frame: &Frame, bucket: Bucket, unit: Unit) -> Result<u64, ExportError> {
    let unit = unit.as_nanos().as_nanos();
    let lo = bucket.lo.as_nanos() / unit;
    let upper = (lo + 1).checked_next_power_of_two().filter(|upper| *upper > lo);
    let hi = bucket.hi.map(|hi| hi.as_nanos().div_ceil(unit));
    upper.filter(|upper| hi.is_some_and(|hi| hi <= *upper)).ok_or_else(|| {
        let hi = bucket.hi.map(|hi| hi.to_string()).unwrap_or_default();
        let (series, bucket) = (frame.series.clone(), format!("{}..{hi}", bucket.lo));
        ExportError::NotPowersOfTwo { series, bucket }
    })
}

/// What a series is called: a label has no comma and no line break.
fn label_of(series: &Series) -> String {
    series.full().replace(['\n', '\r'], " ").replace(',', ";")
}

fn refuse_same_label<'s>(
    series: &Series,
    mut others: impl Iterator<Item = &'s Series>,
) -> Result<(), ExportError> {
    let label = label_of(series);
    // Readers of the records take labels as equal whatever their case.
    let same = others.find(|other| label_of(other).to_lowercase() == label.to_lowercase());
    match same.cloned() {
        Some(one) => Err(ExportError::SameLabel { one, two: series.clone(), label }),
        None => Ok(()),
    }
}

fn write_record(
    frame: &Frame,
    at_ns: i64,
    unit: Unit,
    total: &BTreeMap<u64, u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let unit = match unit {
        Unit::Millis => "millisec",
        Unit::Micros => "microsec",
        _ => "nanosec",
    };
    let name = label_of(&frame.series);
    writeln!(out, "<begin record>")?;
    writeln!(out, "timestamp, microsec, {}, {}", at_ns / 1_000, moment(at_ns))?;
    writeln!(out, "label, {name}\nlatencyunit, {unit}\ndatasource, oracle")?;
    for (label, count) in total {
        writeln!(out, "{label}, {count}")?;
    }
    writeln!(out, "<end record>\n")
}

fn moment(at_ns: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(at_ns))
        .map(|moment| moment.to_string())
        .unwrap_or_default()
}
