//! A stream that is looked at while it passes.

use std::time::Duration;

use isotherm_frame::{Account, Mark, OpenWaits};
use isotherm_load::RunStatus;

use crate::{Batch, Collector, EventStream, Keep, RecordedIn};

/// A stream of which the frames are collected, too, on their way to whoever shows them.
pub struct Watched<'s, 'a, S, K> {
    stream: &'s mut S,
    collector: &'s mut Collector<'a, K>,
}

impl<'s, 'a, S, K> Watched<'s, 'a, S, K> {
    /// Gives the same as a stream, and lets a collector see it.
    pub fn new(stream: &'s mut S, collector: &'s mut Collector<'a, K>) -> Watched<'s, 'a, S, K> {
        Watched { stream, collector }
    }
}

impl<S: EventStream, K: Keep> EventStream for Watched<'_, '_, S, K> {
    fn next(&mut self, timeout: Duration) -> Batch {
        let batch = self.stream.next(timeout);
        self.collector.watch(&batch.events);
        batch
    }

    fn mark(&mut self, mark: &Mark) -> Option<String> {
        self.stream.mark(mark)
    }

    fn account(&self) -> &Account {
        self.stream.account()
    }

    fn open_waits(&self) -> Option<&OpenWaits> {
        self.stream.open_waits()
    }

    fn recorded_in(&self) -> Option<RecordedIn> {
        self.stream.recorded_in()
    }

    fn is_live(&self) -> bool {
        self.stream.is_live()
    }

    fn load_status(&self) -> Option<&RunStatus> {
        self.stream.load_status()
    }
}
