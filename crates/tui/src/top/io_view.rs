//! What is known of reads and writes, and of which time.

use std::collections::VecDeque;

use isotherm_analysis::IoChange;
use isotherm_frame::{IoTotals, Nanos};

/// What is known of reads and writes.
#[derive(Debug, Default)]
pub(super) struct IoView {
    pub(super) is_shown: bool,
    /// Readings of the counters, oldest first: the last one, and some of the time that is shown.
    pub(super) readings: VecDeque<IoTotals>,
    /// What is shown, which stays while the picture is frozen.
    pub(super) change: Option<IoChange>,
    /// Why there is no reading.
    pub(super) missing: Option<String>,
}

/// Readings before the last that are kept of the time that is shown: each has all files of the server.
const READINGS: u64 = 10;

impl IoView {
    pub(super) fn new(is_shown: bool) -> IoView {
        IoView { is_shown, ..IoView::default() }
    }

    /// Takes a reading, of which those in the last `window` matter.
    pub(super) fn take(&mut self, totals: IoTotals, window: Nanos) {
        self.missing = None;
        // The last reading makes way for this one if it is as good as the one before it.
        let apart = window.as_nanos() / READINGS;
        let before_last = self.readings.iter().rev().nth(1).map(|reading| reading.at);
        let last = self.readings.back().map(|reading| reading.at);
        let is_close = |(one, other): (Nanos, Nanos)| other.as_nanos() - one.as_nanos() < apart;
        if before_last.zip(last).is_some_and(is_close) {
            self.readings.pop_back();
        }
        let begins = totals.at.as_nanos().saturating_sub(window.as_nanos());
        self.readings.push_back(totals);
        // One from before the time that is shown is where it begins.
        while self.readings.get(1).is_some_and(|second| second.at.as_nanos() <= begins) {
            self.readings.pop_front();
        }
    }

    /// What changed from the first reading to the last.
    pub(super) fn changed(&self) -> Option<IoChange> {
        let (first, last) = (self.readings.front()?, self.readings.back()?);
        (self.readings.len() > 1).then(|| IoChange::between(first, last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(seconds: u64) -> IoTotals {
        IoTotals { at: Nanos::from_millis(seconds * 1_000), ..IoTotals::default() }
    }

    #[test]
    fn few_readings_are_kept_and_reach_over_the_time_that_is_shown() {
        let window = Nanos::from_millis(60_000);
        let mut view = IoView::default();
        for second in 0..500 {
            view.take(reading(second), window);
            let length =
                view.changed().map_or(0, |change| change.length.as_nanos() / 1_000_000_000);
            let expected = second.min(60);
            assert!((expected..=expected + 7).contains(&length), "{second}: {length}");
            assert!(view.readings.len() <= 13, "{}", view.readings.len());
        }
    }
}
