//! Logs of histograms: `--write_hist_log`.

use std::collections::BTreeMap;

use isotherm_frame::{
    Clock, Frame, Histogram, Nanos, Partial, Quality, Reading, Series, Timestamp, Unit,
};

use super::buckets::Buckets;
use super::row::{DIRECTIONS, Numbers, moment};
use crate::grouping::Grouping;
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// One window of one direction.
struct Window {
    end: Timestamp,
    counts: Histogram,
}

/// What is known of the windows of a series.
#[derive(Default)]
struct Windows {
    /// When the last window began, if that is known, and ended: rows that end together are of one.
    last: Option<(Option<Timestamp>, Timestamp)>,
    /// The first window, whose length is not known until there is a second one.
    first: Option<Window>,
}

/// Reads a log of histograms.
pub(super) struct Histograms<'c> {
    context: &'c Context,
    grouping: Grouping,
    buckets: Option<Buckets>,
    windows: BTreeMap<Series, Windows>,
    clock: Option<Clock>,
    /// How many jobs have written into the log, one after another.
    jobs: BTreeMap<usize, (Timestamp, u64)>,
}

/// What windows can be told apart by.
const ATTRIBUTES: &[&str] = &["direction", "size", "job"];

impl<'c> Histograms<'c> {
    const TAIL: &'static str = "fio does not write the last, unfinished window of a histogram log: \
        the last operations are missing (--write_lat_log has them all)";
    const OLD: &'static str = "rows with 1,216 counts, or a half, a quarter ... of that, are of fio \
        before 2.99, which counted microseconds";
    const WIDTH: &'static str = "a row with another number of counts than those before it";
    const ROW: &'static str = "not a row of 'msec, direction, block size, count, count, ...'";

    pub(super) fn new(context: &'c Context) -> Histograms<'c> {
        Histograms {
            context,
            grouping: Grouping::new(context, "fio", ATTRIBUTES, &["direction", "job"]),
            buckets: None,
            windows: BTreeMap::new(),
            clock: None,
            jobs: BTreeMap::new(),
        }
    }

    pub(super) fn read(
        mut self,
        lines: &mut LineReader<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        while let Some(line) = lines.next_line()? {
            if !line.bytes.trim_ascii().is_empty() {
                self.line(line, sink);
            }
        }
        if self.clock.is_some() {
            sink.note(Note::Said(Histograms::TAIL.into()));
        }
        for (series, windows) in std::mem::take(&mut self.windows) {
            let Some(only) = windows.first else { continue };
            tell_unknown(&series, only, self.context.assumed_interval(), sink);
        }
        self.grouping.finish(sink);
        Ok(())
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let Some(row) = row(&line) else {
            return reject(sink, line.place, Histograms::ROW, 0);
        };
        let events = row.counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
        if self.buckets.is_none() {
            self.buckets = Buckets::of_columns(row.counts.len());
            if self.buckets.as_ref().is_some_and(Buckets::is_old) {
                sink.note(Note::Said(Histograms::OLD.into()));
            }
        }
        let buckets = self.buckets.as_ref();
        let Some(counts) = buckets.and_then(|buckets| buckets.histogram(row.counts, None)) else {
            return reject(sink, line.place, Histograms::WIDTH, events);
        };
        sink.record();
        let (end, clock) = moment(row.time, self.context.time_unit.unwrap_or(Unit::Millis));
        if self.clock.replace(clock).is_none() {
            sink.note(Note::Clock(clock));
        }
        let (size, job) = (row.size.to_string(), self.job(row.direction, end));
        let values = [DIRECTIONS[row.direction].as_bytes(), size.as_bytes(), job.as_bytes()];
        if let Some(series) = self.grouping.series(&values) {
            self.window(&series, Window { end, counts }, clock, sink);
        }
    }

    /// The number of the job that writes, from the second on: jobs that share a log write it one
    /// after another, so that time goes back where the next one begins.
    fn job(&mut self, direction: usize, end: Timestamp) -> String {
        let (last, number) = self.jobs.entry(direction).or_insert((end, 1));
        *number += u64::from(end < *last);
        *last = end;
        if *number > 1 { number.to_string() } else { String::new() }
    }

    /// Gives a window, which begins where the one before ended.
    fn window(&mut self, series: &Series, window: Window, clock: Clock, sink: &mut dyn Sink) {
        let interval = self.context.assumed_interval();
        let windows = self.windows.entry(series.clone()).or_default();
        let begins = match windows.last {
            // The clock of a job begins with it.
            None if clock == Clock::Arbitrary => Some(Timestamp::new(0)),
            None => None,
            Some((begun, end)) if end == window.end => begun,
            Some((_, end)) => Some(end),
        };
        let begins = begins.filter(|start| *start < window.end);
        windows.last = Some((begins, window.end));
        let Some(start) = begins else {
            match &mut windows.first {
                Some(first) if first.end == window.end => first.counts.add(&window.counts),
                first => {
                    let before = first.replace(window);
                    if let Some(before) = before {
                        tell_unknown(series, before, interval, sink);
                    }
                }
            }
            return;
        };
        if let Some(first) = windows.first.take() {
            let length = window.end.since(first.end);
            tell(series, first.end.minus(length), first, Quality::Complete, sink);
        }
        tell(series, start, window, Quality::Complete, sink);
    }
}

/// The numbers of one row.
struct Row {
    time: u64,
    direction: usize,
    size: u64,
    counts: Vec<u64>,
}

/// A row that is whole: one that is cut short may lack digits of its last count.
fn row(line: &Line<'_>) -> Option<Row> {
    let mut numbers = Numbers::of(line.bytes);
    let (time, direction, size) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let direction = usize::try_from(direction).ok().filter(|at| *at < DIRECTIONS.len())?;
    let mut counts = Vec::new();
    while !numbers.is_at_end() {
        counts.push(numbers.next()?);
    }
    (line.ended && !line.cut).then_some(Row { time, direction, size, counts })
}

/// Tells a window of which only the end is known.
fn tell_unknown(series: &Series, window: Window, interval: Nanos, sink: &mut dyn Sink) {
    let start = window.end.minus(interval);
    tell(series, start, window, Quality::Partial(Partial::UnknownWindow), sink);
}

fn tell(series: &Series, start: Timestamp, window: Window, quality: Quality, sink: &mut dyn Sink) {
    let (series, end, counts) = (series.clone(), window.end, window.counts);
    sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
}
