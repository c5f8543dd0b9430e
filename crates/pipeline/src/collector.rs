//! Everything of an input that is kept to be drawn or summed up.

use isotherm_analysis::{Digest, FrameTotals, History, ScriptMaps, WaitedBounds};
use isotherm_frame::{Event, Frame, Mark, Series};

use crate::{MemoryBudget, SeriesFilter};

/// What is made of frames: one of them, or several together as a tuple.
pub trait Keep {
    /// Takes a frame in.
    fn keep(&mut self, frame: &Frame);
}

impl Keep for History {
    fn keep(&mut self, frame: &Frame) {
        self.push(frame);
    }
}

impl Keep for FrameTotals {
    fn keep(&mut self, frame: &Frame) {
        self.add(frame);
    }
}

impl Keep for Digest {
    fn keep(&mut self, frame: &Frame) {
        self.push(frame);
    }
}

impl<K: Keep> Keep for Option<K> {
    fn keep(&mut self, frame: &Frame) {
        if let Some(kept) = self {
            kept.keep(frame);
        }
    }
}

impl<K: Keep, L: Keep> Keep for (K, L) {
    fn keep(&mut self, frame: &Frame) {
        self.0.keep(frame);
        self.1.keep(frame);
    }
}

/// Collects what is made of the frames of a stream of events, and its marks.
#[derive(Debug)]
pub struct Collector<'a, K> {
    /// What is made of the frames.
    pub kept: K,
    /// The marks, in the order in which they came.
    pub marks: Vec<Mark>,
    /// What was waited in series that are not wanted: a part of all time waited, too.
    pub left_out: WaitedBounds,
    filter: SeriesFilter<'a>,
    /// The maps of a script of which only one is kept.
    maps: Option<ScriptMaps>,
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
        Collector { kept, marks: Vec::new(), left_out, filter, maps: None }
    }

    /// Takes only the series of one of several maps of a script.
    #[must_use]
    pub fn of_maps(self, maps: ScriptMaps) -> Collector<'a, K> {
        Collector { maps: Some(maps), ..self }
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

    fn frame(&mut self, frame: &Frame) {
        let of_map = |series: &Series| self.maps.as_ref().is_none_or(|maps| maps.holds(series));
        if !self.filter.matches(&frame.series) {
            self.left_out = self.left_out.with(frame);
        } else if of_map(&frame.series) {
            self.kept.keep(frame);
        }
    }

    /// The message if there were series and none of them was wanted.
    pub fn unmatched(&self) -> Option<String> {
        self.filter.unmatched()
    }
}
