//! Everything of an input that is kept to be drawn or summed up.

use isotherm_analysis::{FrameTotals, History, ScriptMaps};
use isotherm_frame::{Event, Frame, Mark, Series, Timestamp};

use crate::{MemoryBudget, SeriesFilter};

/// Collects the frames and the marks of a stream of events.
#[derive(Debug)]
pub struct Collector<'a> {
    /// The intervals of every series, within a budget of memory.
    pub history: History,
    /// The sums over all of them.
    pub totals: FrameTotals,
    /// The marks, in the order in which they came.
    pub marks: Vec<Mark>,
    filter: SeriesFilter<'a>,
    /// The maps of a script of which only one is kept.
    maps: Option<ScriptMaps>,
    budget: MemoryBudget,
}

impl Default for Collector<'_> {
    fn default() -> Self {
        Collector::new(None, MemoryBudget::default())
    }
}

impl<'a> Collector<'a> {
    /// Keeps series that contain this text, all without one, packed: for looking at one series at a
    /// time.
    pub fn new(series: Option<&'a str>, budget: MemoryBudget) -> Collector<'a> {
        Collector {
            history: History::of_everything(budget.packed()),
            totals: FrameTotals::default(),
            marks: Vec::new(),
            filter: SeriesFilter::new(series),
            maps: None,
            budget,
        }
    }

    /// The same with a share of the budget small enough for looking at all series at once.
    pub fn to_unpack(
        series: Option<&'a str>,
        budget: MemoryBudget,
        inputs: usize,
    ) -> Collector<'a> {
        let history = History::of_everything(budget.unpacked() / inputs.max(1));
        Collector { history, ..Collector::new(series, budget) }
    }

    /// Keeps only the series of one of several maps of a script.
    #[must_use]
    pub fn of_maps(self, maps: ScriptMaps) -> Collector<'a> {
        Collector { maps: Some(maps), ..self }
    }

    /// Keeps what happened; gives the message for the user, if it is one.
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

    fn frame(&mut self, frame: &Frame) {
        if self.holds(&frame.series) {
            self.totals.add(frame);
            self.history.push(frame);
        }
    }

    fn holds(&self, series: &Series) -> bool {
        self.filter.matches(series) && self.maps.as_ref().is_none_or(|maps| maps.holds(series))
    }

    /// The message if there were series and none of them was wanted.
    pub fn unmatched(&self) -> Option<String> {
        self.filter.unmatched()
    }

    /// The messages about the whole: intervals that had to be joined or left out.
    pub fn message(&self) -> Option<String> {
        self.budget.message(&self.history)
    }

    /// All frames, oldest first.
    pub fn frames(&self) -> Vec<Frame> {
        let (first, last) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        let series = self.history.by_time_waited();
        let frames = series.iter().flat_map(|(series, _)| self.history.each(series, first, last));
        let mut frames: Vec<Frame> = frames.collect();
        frames.sort_by_key(|frame| (frame.start, frame.end));
        frames
    }
}
