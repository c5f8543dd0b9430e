//! What `--output-format=json+` prints.

use std::collections::BTreeMap;

use isotherm_frame::{Clock, Frame, Histogram, Nanos, Place, Quality, Reading, Series, Timestamp};
use serde::Deserialize;

use super::buckets::{Buckets, of_middle};
use crate::grouping::Grouping;
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    timestamp: u64,
    timestamp_ms: Option<u64>,
    #[serde(default)]
    jobs: Vec<Job>,
    #[serde(default)]
    client_stats: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    jobname: String,
    /// When it began, in milliseconds since 1970: from fio 3.34 on.
    #[serde(rename = "job_start")]
    start: Option<u64>,
    /// In seconds.
    #[serde(default)]
    elapsed: u64,
    read: Option<Direction>,
    write: Option<Direction>,
    trim: Option<Direction>,
    sync: Option<Direction>,
}

#[derive(Deserialize)]
struct Direction {
    /// In milliseconds.
    #[serde(default)]
    runtime: u64,
    slat_ns: Option<Latency>,
    clat_ns: Option<Latency>,
    lat_ns: Option<Latency>,
    /// Microseconds, of fio before 3.0.
    clat: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Latency {
    #[serde(default)]
    mean: f64,
    #[serde(rename = "N", default)]
    count: u64,
    bins: Option<BTreeMap<String, u64>>,
}

/// Totals of one report: of each series the histogram and when counting began.
struct Totals {
    at: Timestamp,
    /// Whether its jobs say when they began.
    says_starts: bool,
    series: BTreeMap<Series, (Timestamp, Histogram)>,
}

/// Reads one report after another: totals of one run (`--status-interval`), or runs one after the other.
pub(super) struct Reports {
    grouping: Grouping,
    /// Which time of a request is asked for, if any.
    time: Option<&'static str>,
    text: Vec<u8>,
    place: Place,
    first: Option<Totals>,
    /// Of which run the last report was.
    last: Option<Run>,
    read: u64,
    without_bins: u64,
    /// Histograms that were there and could not be read.
    damaged: u64,
}

/// What fio calls the sum of its clients.
const ALL_CLIENTS: &str = "All clients";

/// What the latencies of a job can be told apart by.
const ATTRIBUTES: &[&str] = &["direction", "job", "time"];

impl Reports {
    /// The longest report, in bytes.
    const LONGEST: usize = 256 << 20;
    const NO_BINS: &'static str = "fio wrote no histograms here, only averages and percentiles: \
        run it with --output-format=json+, or with --write_hist_log or --write_lat_log";
    const DAMAGED: &'static str = "fio wrote histograms here, and none of them could be read: the \
        message of each rejected one says why";
    const NONE: &'static str = "there is no report and no log of fio here that could be read";
    const NO_START: &'static str = "fio before 3.34 does not say when a job began: each is assumed \
        to end when the report was written";
    const OLD: &'static str = "a report of fio before 3.0, with bins of another kind: use fio 3";

    pub(super) fn new(context: &Context) -> Result<Reports, DecodeError> {
        let grouping = Grouping::new(context, "fio", ATTRIBUTES, &["direction", "job"]);
        let (text, place) = (Vec::new(), Place::default());
        let time = grouping.choice("time", &["lat", "clat", "slat"])?;
        Ok(Reports { grouping, time, text, place, first: None, last: None, read: 0, without_bins: 0, damaged: 0 })
    }

    pub(super) fn read(
        mut self,
        lines: &mut LineReader<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        lines.each(|line| self.line(line, sink))?;
        if !self.text.is_empty() {
            reject(sink, self.place, "the report is not complete", 0);
        } else if self.read == 0 {
            return Err(DecodeError::Nothing(Reports::NONE.to_owned()));
        }
        if let Some(only) = self.first.take() {
            intervals(only, sink);
        }
        self.grouping.finish(sink);
        if self.read > 0 && self.without_bins == self.read {
            let why = if self.damaged > 0 { Reports::DAMAGED } else { Reports::NO_BINS };
            return Err(DecodeError::Nothing(why.to_owned()));
        }
        Ok(())
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.bytes;
        if self.text.is_empty() {
            if !text.starts_with(b"{") {
                if !text.trim_ascii().is_empty() {
                    sink.note(Note::Ignored);
                }
                return;
            }
            self.place = line.place;
        }
        if line.cut || self.text.len() + text.len() > Reports::LONGEST {
            reject(sink, line.place, "the report is too long", 0);
            self.text.clear();
            return;
        }
        let alone = self.text.is_empty() && text.len() > 1 && text.trim_ascii_end().ends_with(b"}");
        self.text.extend_from_slice(text);
        self.text.push(b'\n');
        if alone || text.trim_ascii_end() == b"}" {
            let text = std::mem::take(&mut self.text);
            // Files that were joined may lack the line end between them: `}{`.
            for document in serde_json::Deserializer::from_slice(&text).into_iter::<Document>() {
                match document {
                    Ok(document) => self.document(&document, sink),
                    Err(error) => {
                        reject(sink, self.place, format!("no report of fio: {error}"), 0);
                        break;
                    }
                }
            }
        }
    }

    fn document(&mut self, document: &Document, sink: &mut dyn Sink) {
        sink.record();
        self.read += 1;
        let ms = document.timestamp_ms.unwrap_or(document.timestamp.saturating_mul(1_000));
        let at = Timestamp::new(0).plus(Nanos::from_millis(ms));
        let mut totals = Totals { at, says_starts: true, series: BTreeMap::new() };
        let clients = document.client_stats.iter();
        // The sum of all others comes last.
        let several = clients.len() > 1;
        let clients = clients.filter(|client| !(several && client.jobname == ALL_CLIENTS));
        for job in document.jobs.iter().chain(clients) {
            self.job(job, &mut totals, sink);
        }
        self.without_bins += u64::from(totals.series.is_empty());
        if totals.series.is_empty() {
            return;
        }
        if self.read == 1 {
            sink.note(Note::Clock(Clock::Epoch));
        }
        let run = Run { at, starts: totals.starts() };
        let is_new_run = self.last.as_ref().is_none_or(|last| !run.goes_on_from(last));
        self.last = Some(run);
        match self.first.take() {
            Some(only) if is_new_run => {
                intervals(only, sink);
                self.first = Some(totals);
            }
            None if is_new_run => self.first = Some(totals),
            None => tell(totals, sink),
            Some(first) => {
                begin(&first, sink);
                tell(first, sink);
                tell(totals, sink);
            }
        }
    }

    fn job(&mut self, job: &Job, totals: &mut Totals, sink: &mut dyn Sink) {
        let directions =
            [("read", &job.read), ("write", &job.write), ("trim", &job.trim), ("sync", &job.sync)];
        let longest = directions.iter().filter_map(|(_, found)| found.as_ref());
        let longest = longest.map(|direction| direction.runtime).max().filter(|ms| *ms > 0);
        let runtime = longest.unwrap_or(job.elapsed.saturating_mul(1_000)).max(1);
        let start = if let Some(ms) = job.start {
            Timestamp::new(0).plus(Nanos::from_millis(ms)).min(totals.at)
        } else {
            sink.note(Note::Assumed(Reports::NO_START.into()));
            totals.says_starts = false;
            totals.at.minus(Nanos::from_millis(runtime))
        };
        for (name, direction) in directions {
            let Some(direction) = direction else { continue };
            if direction.clat.is_some() {
                reject(sink, self.place, Reports::OLD, 0);
                continue;
            }
            self.direction((name, &job.jobname), (direction, start), totals, sink);
        }
    }

    fn direction(
        &mut self,
        (name, job): (&str, &str),
        (direction, start): (&Direction, Timestamp),
        totals: &mut Totals,
        sink: &mut dyn Sink,
    ) {
        let has_bins =
            |found: &&Latency| found.bins.as_ref().is_some_and(|bins| !bins.is_empty());
        let kinds = [
            ("lat", direction.lat_ns.as_ref().filter(has_bins)),
            ("clat", direction.clat_ns.as_ref().filter(has_bins)),
            ("slat", direction.slat_ns.as_ref().filter(has_bins)),
        ];
        let asked = |kind: &str| self.time.is_none_or(|time| time == kind);
        let mut kinds = kinds.iter().filter_map(|(kind, found)| Some((*kind, (*found)?)));
        let Some((kind, latency)) = kinds.find(|(kind, _)| asked(kind)) else { return };
        let values = [name.as_bytes(), job.as_bytes(), kind.as_bytes()];
        let Some(series) = self.grouping.series(&values) else { return };
        match histogram(latency) {
            Ok(counts) => totals.add(series, start, counts),
            Err((reason, events)) => {
                self.damaged += 1;
                reject(sink, self.place, reason, events);
            }
        }
    }
}

/// When a report was written, and when what it counts began.
struct Run {
    at: Timestamp,
    starts: BTreeMap<Series, (Timestamp, bool)>,
}

impl Run {
    /// Whether a report has later totals of the run of the one before. Runs that were joined in one file may
    /// stand in any order, and may have gone on at the same time.
    fn goes_on_from(&self, before: &Run) -> bool {
        let same_start = |(series, (start, is_said)): (&Series, &(Timestamp, bool))| {
            let (other, is_other_said) = before.starts.get(series)?;
            (*is_said && *is_other_said).then_some(start == other)
        };
        let said: Vec<bool> = self.starts.iter().filter_map(same_start).collect();
        if !said.is_empty() {
            return said.contains(&true);
        }
        let is_after = self.starts.values().all(|(start, _)| *start >= before.at);
        let is_before = before.starts.values().all(|(start, _)| *start >= self.at);
        !is_after && !is_before
    }
}

impl Totals {
    fn starts(&self) -> BTreeMap<Series, (Timestamp, bool)> {
        let start = |(series, (start, _)): (&Series, &(Timestamp, Histogram))| {
            (series.clone(), (*start, self.says_starts))
        };
        self.series.iter().map(start).collect()
    }

    fn add(&mut self, series: Series, start: Timestamp, counts: Histogram) {
        match self.series.get_mut(&series) {
            Some((began, total)) => {
                *began = start.min(*began);
                total.add(&counts);
            }
            None => {
                self.series.insert(series, (start, counts));
            }
        }
    }
}

/// The histogram of some bins; or why there is none, and how many events it stands for.
fn histogram(latency: &Latency) -> Result<Histogram, (String, u64)> {
    let buckets = Buckets::full();
    let mut counts = vec![0_u64; buckets.len()];
    let bins = latency.bins.iter().flatten();
    let events = bins.clone().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    for (key, count) in bins {
        let index = key.parse().ok().and_then(of_middle);
        let Some(slot) = index.and_then(|index| counts.get_mut(index)) else {
            let key: String = key.chars().take(20).collect();
            return Err((format!("'{key}' is not the middle of a bucket of fio 3"), events));
        };
        *slot = slot.saturating_add(*count);
    }
    // The mean has six decimals of a nanosecond: its product with the count is the total.
    let total = latency.mean * latency.count as f64;
    let exact = latency.count == events && total.is_finite() && (0.0..9e18).contains(&total);
    let sum = exact.then(|| Nanos::from_secs_f64(total / 1e9)).flatten();
    buckets.histogram(counts, sum).ok_or(("the counts are too large".to_owned(), events))
}

/// The only report of a run: one interval for each series.
fn intervals(totals: Totals, sink: &mut dyn Sink) {
    for (series, (start, counts)) in totals.series {
        let (end, quality) = (totals.at, Quality::Complete);
        let start = start.min(end.minus(Nanos::new(1)));
        sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
    }
}

/// Nothing was counted when the run began.
fn begin(first: &Totals, sink: &mut dyn Sink) {
    let Some(at) = first.series.values().map(|(start, _)| *start).min() else { return };
    for (series, (_, counts)) in &first.series {
        let total = counts.cleared().with_sum(counts.sum().map(|_| Nanos::ZERO));
        sink.reading(Reading::Cumulative { at, series: series.clone(), total, epoch: None });
    }
}

fn tell(totals: Totals, sink: &mut dyn Sink) {
    let at = totals.at;
    for (series, (_, total)) in totals.series {
        sink.reading(Reading::Cumulative { at, series, total, epoch: None });
    }
}
