//! What is summed up while it is watched, for the conditions of `--fail-if` and for `--series`.

use std::time::Duration;

use isotherm_analysis::{FrameTotals, Threshold, WaitedBounds};
use isotherm_frame::{Account, Event, Mark};
use isotherm_pipeline::{Batch, EventStream, RecordedIn, SeriesFilter};

use crate::failure::Failure;
use crate::thresholds;

/// A stream of which everything that passes is looked at, and summed up if there are conditions.
pub struct Watched<'s, 'a, S: EventStream> {
    stream: &'s mut S,
    sums: Sums<'a>,
}

/// The sums of what passed.
pub struct Sums<'a> {
    conditions: &'a [Threshold],
    /// The series that count.
    filter: SeriesFilter<'a>,
    totals: FrameTotals,
    /// What was waited in the other series.
    left_out: WaitedBounds,
}

impl<'a> Sums<'a> {
    pub fn new(conditions: &'a [Threshold], series: Option<&'a str>) -> Sums<'a> {
        let (totals, left_out) = (FrameTotals::default(), WaitedBounds::default());
        Sums { conditions, filter: SeriesFilter::new(series), totals, left_out }
    }

    /// Adds what happened.
    pub fn add<'e>(&mut self, events: impl IntoIterator<Item = &'e Event>) {
        for frame in events.into_iter().filter_map(Event::frame) {
            let matches = self.filter.matches(&frame.series);
            if self.conditions.is_empty() {
                continue;
            }
            if matches {
                self.totals.add(frame);
            } else {
                self.left_out = self.left_out.with(frame);
            }
        }
    }

    /// A failure because there was nothing to look at is also that of every condition, unless
    /// something passed before.
    pub fn or_unsure<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        if self.totals.events > 0 { result } else { thresholds::or_unsure(self.conditions, result) }
    }

    /// Fails when series passed and none of them was one that counts.
    pub fn some_matched(&self) -> Result<(), Failure> {
        let unmatched = self.filter.unmatched().map(Failure::unmatched);
        thresholds::or_unsure(self.conditions, unmatched.map_or(Ok(()), Err))
    }

    /// Fails when a condition holds for what passed.
    pub fn judge(&self) -> Result<(), Failure> {
        thresholds::of_totals(self.conditions, &self.totals, self.left_out).conclude()
    }
}

impl<'s, 'a, S: EventStream> Watched<'s, 'a, S> {
    pub fn new(stream: &'s mut S, sums: Sums<'a>) -> Watched<'s, 'a, S> {
        Watched { stream, sums }
    }

    /// What passed.
    pub fn into_sums(self) -> Sums<'a> {
        self.sums
    }
}

impl<S: EventStream> EventStream for Watched<'_, '_, S> {
    fn next(&mut self, timeout: Duration) -> Batch {
        let batch = self.stream.next(timeout);
        self.sums.add(&batch.events);
        batch
    }

    fn mark(&mut self, mark: &Mark) -> Option<String> {
        self.stream.mark(mark)
    }

    fn account(&self) -> &Account {
        self.stream.account()
    }

    fn recorded_in(&self) -> Option<RecordedIn> {
        self.stream.recorded_in()
    }

    fn is_live(&self) -> bool {
        self.stream.is_live()
    }
}
