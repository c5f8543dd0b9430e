//! What is summed up while it is watched, for the conditions of `--fail-if`.

use std::time::Duration;

use isotherm_analysis::{FrameTotals, Threshold};
use isotherm_frame::{Account, Event, Mark};
use isotherm_pipeline::{Batch, EventStream, RecordedIn, contains};

use crate::failure::Failure;
use crate::thresholds;

/// A stream of which everything that passes is summed up, if there are conditions.
pub struct Watched<'s, 'a, S: EventStream> {
    stream: &'s mut S,
    sums: Sums<'a>,
}

/// The sums of what passed.
pub struct Sums<'a> {
    conditions: &'a [Threshold],
    /// The text that series contain that count.
    series: Option<&'a str>,
    totals: FrameTotals,
}

impl<'a> Sums<'a> {
    pub fn new(conditions: &'a [Threshold], series: Option<&'a str>) -> Sums<'a> {
        Sums { conditions, series, totals: FrameTotals::default() }
    }

    /// Adds what happened.
    pub fn add<'e>(&mut self, events: impl IntoIterator<Item = &'e Event>) {
        if self.conditions.is_empty() {
            return;
        }
        let frames = events.into_iter().filter_map(Event::frame);
        let counted = frames.filter(|frame| contains(&frame.series, self.series));
        counted.for_each(|frame| self.totals.add(frame));
    }

    /// Fails when a condition holds for what passed.
    pub fn judge(&self) -> Result<(), Failure> {
        thresholds::of_totals(self.conditions, &self.totals).conclude()
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
