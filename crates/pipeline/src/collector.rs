//! Everything of an input that is kept to be drawn or summed up.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isotherm_analysis::{Digest, FrameTotals, History, Metrics, WaitedBounds};
use isotherm_frame::{Account, Event, Frame, Mark, Nanos, Series, TimeRange, Timestamp};
use isotherm_recording::Reader;

use crate::{Binning, Input, MemoryBudget, PipelineError, ReadOptions, SeriesFilter, several};

/// What is made of frames: one of them, or several together as a tuple.
pub trait Keep {
    /// Takes a frame in.
    fn keep(&mut self, frame: &Frame);

    /// Passes over a frame that is not asked for: it only says whether ends were counted when it was
    /// measured.
    fn pass_over(&mut self, _frame: &Frame) {}
}

/// What is made of single events, and of the frames of what has no single events.
pub trait KeepEvents: Keep {
    /// Takes an event in: its series, unless it is not asked for, when it ended, and how long it
    /// took.
    fn keep_event(&mut self, series: Option<&Series>, at: Timestamp, latency: Nanos);
}

impl Keep for History {
    fn keep(&mut self, frame: &Frame) {
        self.push(frame);
    }

    fn pass_over(&mut self, frame: &Frame) {
        History::pass_over(self, frame);
    }
}

impl Keep for FrameTotals {
    fn keep(&mut self, frame: &Frame) {
        self.add(frame);
    }

    fn pass_over(&mut self, frame: &Frame) {
        FrameTotals::pass_over(self, frame);
    }
}

impl Keep for Digest {
    fn keep(&mut self, frame: &Frame) {
        self.push(frame);
    }

    fn pass_over(&mut self, frame: &Frame) {
        Digest::pass_over(self, frame);
    }
}

impl<K: Keep> Keep for Option<K> {
    fn keep(&mut self, frame: &Frame) {
        if let Some(kept) = self {
            kept.keep(frame);
        }
    }

    fn pass_over(&mut self, frame: &Frame) {
        if let Some(kept) = self {
            kept.pass_over(frame);
        }
    }
}

impl<K: Keep, L: Keep> Keep for (K, L) {
    fn keep(&mut self, frame: &Frame) {
        self.0.keep(frame);
        self.1.keep(frame);
    }

    fn pass_over(&mut self, frame: &Frame) {
        self.0.pass_over(frame);
        self.1.pass_over(frame);
    }
}

/// Collects what is made of the frames of a stream of events, and its marks.
#[derive(Debug)]
pub struct Collector<'a, K> {
    /// What is made of the frames.
    pub kept: K,
    /// The marks, in the order in which they came.
    pub marks: Vec<Mark>,
    /// What was waited in series that are not wanted.
    left_out: WaitedBounds,
    /// The same of metrics that may count the same events, by name.
    metrics_left_out: BTreeMap<String, WaitedBounds>,
    /// The metrics of which something is wanted.
    metrics_wanted: BTreeSet<String>,
    filter: SeriesFilter<'a>,
    /// The metrics of which only one is kept.
    metrics: Option<Metrics>,
}

impl Default for Collector<'_, (History, FrameTotals)> {
    fn default() -> Self {
        Collector::new(None, (MemoryBudget::default().history(), FrameTotals::default()))
    }
}

impl<'a, K: Keep> Collector<'a, K> {
    /// Takes series that contain this text, all without one.
    pub fn new(series: Option<&'a str>, kept: K) -> Collector<'a, K> {
        let (filter, left_out) = (SeriesFilter::new(series), WaitedBounds::default());
        Collector {
            kept,
            marks: Vec::new(),
            left_out,
            metrics_left_out: BTreeMap::new(),
            metrics_wanted: BTreeSet::new(),
            filter,
            metrics: None,
        }
    }

    /// Takes only the series of one of several metrics.
    #[must_use]
    pub fn of_metrics(self, metrics: Metrics) -> Collector<'a, K> {
        Collector { metrics: Some(metrics), ..self }
    }

    /// Takes what happened in a range of time; gives the message for the user, if it is one.
    pub fn take_within(&mut self, range: &TimeRange, event: Event) -> Option<String> {
        if let Event::Frame(frame) = &event
            && range.from.is_some_and(|from| frame.start < from)
        {
            self.kept.pass_over(frame);
        }
        range.event(event).and_then(|event| self.take(event))
    }

    /// Takes what happened; gives the message for the user, if it is one.
    pub fn take(&mut self, event: Event) -> Option<String> {
        match event {
            Event::Frame(frame) => {
                self.frame(&frame);
                None
            }
            Event::Mark(mark) => {
                self.marks.push(mark);
                None
            }
            Event::Message(text) => Some(text),
            Event::Anomaly(anomaly) => Some(anomaly.to_string()),
        }
    }

    /// Looks at what passes on its way to somebody else: only its frames are collected.
    pub fn watch<'e>(&mut self, events: impl IntoIterator<Item = &'e Event>) {
        events.into_iter().filter_map(Event::frame).for_each(|frame| self.frame(frame));
    }

    /// Takes the marks of a recording, and of its frames that begin before `until` those that `wanted`
    /// says. A frame that cannot be read is missing.
    pub fn take_earlier(
        &mut self,
        recording: &Path,
        until: Option<Timestamp>,
        wanted: impl Fn(&Frame) -> bool,
    ) -> Result<(), PipelineError> {
        let reader = Reader::open(recording)?;
        let frames = reader.frames(None, until)?.flatten();
        frames.filter(|frame| wanted(frame)).for_each(|frame| self.frame(&frame));
        self.marks.extend(reader.marks()?.into_iter().map(Mark::from));
        Ok(())
    }

    fn frame(&mut self, frame: &Frame) {
        let of_one = |series: &Series| self.metrics.as_ref().is_none_or(|all| all.holds(series));
        let (is_metric, name) = (Metrics::is_metric(&frame.series), frame.series.name());
        if !self.filter.matches(&frame.series) {
            let left_out = if is_metric {
                self.metrics_left_out.entry(name.to_owned()).or_default()
            } else {
                &mut self.left_out
            };
            *left_out = left_out.with(frame);
            self.kept.pass_over(frame);
        } else if of_one(&frame.series) {
            self.kept.keep(frame);
            if is_metric && !self.metrics_wanted.contains(name) {
                self.metrics_wanted.insert(name.to_owned());
            }
        }
    }

    /// What was waited in series that are not wanted: a part of all time waited, too. Other metrics
    /// may count the same events, and are none of it.
    pub fn left_out(&self) -> WaitedBounds {
        let of_all =
            |name: &String| self.metrics_wanted.is_empty() || self.metrics_wanted.contains(name);
        let metrics = self.metrics_left_out.iter().filter(|(name, _)| of_all(name));
        metrics.fold(self.left_out, |sum, (_, waited)| sum.plus(*waited))
    }

    /// The message if there were series and none of them was wanted.
    pub fn unmatched(&self) -> Option<String> {
        self.filter.unmatched()
    }
}

impl<K: KeepEvents> Collector<'_, K> {
    /// Reads whole inputs as [`crate::read_all`] does, but takes single events as they are instead
    /// of intervals of them, and tells apart many more series. `message` takes what there is to say.
    pub fn read_events(
        &mut self,
        inputs: &[Input],
        options: &ReadOptions,
        binning: Binning,
        message: &mut dyn FnMut(String),
    ) -> Result<Account, PipelineError> {
        // Events and frames come one at a time, from one place.
        let this = RefCell::new(self);
        let mut event =
            |series: Option<&Series>, at, latency| this.borrow_mut().event(series, at, latency);
        let mut take = |event| {
            let text = this.borrow_mut().take(event);
            text.into_iter().for_each(&mut *message);
        };
        several::read_events(inputs, options, binning, (&mut event, &mut take))
    }

    fn event(&mut self, series: Option<&Series>, at: Timestamp, latency: Nanos) {
        let wanted = series.filter(|series| self.filter.matches(series));
        self.kept.keep_event(wanted, at, latency);
    }
}

#[cfg(test)]
mod tests {
    use isotherm_formats::{Columns, Context, SOURCES};
    use isotherm_frame::Unit;

    use super::*;
    use crate::expand;

    /// What came in, in the order in which it came.
    #[derive(Default)]
    struct Calls(Vec<String>);

    impl Keep for Calls {
        fn keep(&mut self, frame: &Frame) {
            self.0.push(format!("frame of {}: {} events", frame.series, frame.counts.events()));
        }
    }

    impl KeepEvents for Calls {
        fn keep_event(&mut self, series: Option<&Series>, at: Timestamp, latency: Nanos) {
            let series = series.map_or("none".to_owned(), Series::to_string);
            let second = at.as_nanos() / 1_000_000_000 % 100;
            self.0.push(format!("{series} at {second}: {latency}"));
        }
    }

    fn read(text: &str, columns: &[&str], wanted: &str) -> (Vec<String>, Option<String>, u64) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.csv");
        std::fs::write(&path, text).unwrap();
        let inputs = expand(vec![path.to_str().unwrap().parse().unwrap()]).unwrap();
        let names = columns.iter().map(|&name| name.to_owned()).collect();
        let (columns, unit) = (Some(Columns { names }), Some(Unit::Micros));
        let context = Context { columns, unit, ..Context::default() };
        let source = SOURCES.iter().copied().find(|source| source.meta().name == "columns");
        let options = ReadOptions { context, source, ..ReadOptions::default() };
        let mut collector = Collector::new(Some(wanted), Calls::default());
        let read = collector.read_events(&inputs, &options, Binning::SECONDS, &mut |_| {});
        (collector.kept.0.clone(), collector.unmatched(), read.unwrap().records)
    }

    #[test]
    fn single_events_of_other_series_come_without_their_series() {
        let text = "1700000001,300,get\n1700000002,400,put\n1700000003,500,get\n";
        let columns = ["time", "latency", "operation"];
        let (calls, unmatched, records) = read(text, &columns, "get");
        assert_eq!(calls.len(), 3);
        assert!(calls[0].contains("get") && calls[0].ends_with(" at 1: 300µs"), "{calls:?}");
        assert_eq!(calls[1], "none at 2: 400µs");
        assert!(calls[2].contains("get") && calls[2].ends_with(" at 3: 500µs"), "{calls:?}");
        assert_eq!((unmatched, records), (None, 3));

        let (calls, unmatched, _) = read(text, &columns, "delete");
        assert!(
            calls.len() == 3 && calls.iter().all(|call| call.starts_with("none at")),
            "{calls:?}"
        );
        assert!(unmatched.unwrap().starts_with("--series delete: no series contains this text."));
    }
}
