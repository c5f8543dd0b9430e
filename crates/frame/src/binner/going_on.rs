//! Waits that go on: series before their first event, and time that comes as soon as a wait has ended.

use crate::{Frame, Quality, Series};

use super::Binner;

impl Binner {
    /// Takes note of a series of which no event has ended yet: it has intervals without events from now
    /// on, as a series has that is known.
    pub fn know(&mut self, series: &Series) {
        self.slot(series);
    }

    /// Time that turned out to have been waited in intervals given before, while no other is finished:
    /// whoever saw that the wait went on until now does not miss its time for a moment.
    pub(super) fn late_time(&mut self) -> Vec<Frame> {
        let (width, mut runs) = (self.width, Vec::new());
        for (slot, bins) in self.series.iter_mut().enumerate() {
            runs.extend(bins.take_late(width).into_iter().map(|run| (slot, run)));
        }
        if runs.is_empty() {
            return Vec::new();
        }
        let frame = |(slot, run)| self.frame(slot, run, Quality::Amendment);
        let frames = runs.into_iter().filter_map(frame).collect();
        self.count();
        frames
    }
}
