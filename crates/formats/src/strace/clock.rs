//! When calls ended.

use std::collections::HashMap;

use isotherm_frame::{Clock, Nanos, Timestamp};

use super::line::Time;
use crate::stamp::unwrap_day;
use crate::zone::LocalClock;
use crate::{Context, Note, Sink};

/// Places calls on the time axis, by the times of their lines or, without any, one after another.
pub(super) struct CallClock<'c> {
    context: &'c Context,
    /// The time of the line at hand: when a call began or, resumed, when it returned.
    now: Timestamp,
    clock: Option<Clock>,
    /// Without times: when the last call of each thread ended.
    ends: HashMap<u64, Timestamp>,
    last_end: Timestamp,
}

impl<'c> CallClock<'c> {
    const NO_TIMES: &'static str = "the lines have no times: each call is assumed to begin when \
        the last one of its thread ended (strace -ttt writes times)";
    /// Threads whose last call is remembered.
    const MOST_THREADS: usize = 1 << 16;

    pub(super) fn new(context: &'c Context) -> CallClock<'c> {
        let now = Timestamp::new(0);
        CallClock { context, now, clock: None, ends: HashMap::new(), last_end: now }
    }

    /// A line begins with that time.
    pub(super) fn line(&mut self, time: Option<Time>, sink: &mut dyn Sink) {
        let (now, clock) = match time {
            Some(Time::Epoch(time)) => (Timestamp::new(0).plus(time), Clock::Epoch),
            Some(Time::OfDay(time)) => {
                let last = (self.clock == Some(Clock::TimeOfDay)).then_some(self.now);
                (unwrap_day(time, last), Clock::TimeOfDay)
            }
            Some(Time::Since(time)) => (self.now.plus(time), Clock::Arbitrary),
            None => return,
        };
        self.now = now;
        self.tell(clock, sink);
    }

    fn tell(&mut self, clock: Clock, sink: &mut dyn Sink) {
        if self.clock.is_some() {
            return;
        }
        self.clock = Some(clock);
        sink.note(Note::Clock(clock));
        if clock == Clock::TimeOfDay && self.context.zone.is_some() {
            sink.note(Note::Said(LocalClock::OF_DAY.into()));
        }
        if clock == Clock::Assumed {
            sink.note(Note::Said(CallClock::NO_TIMES.into()));
        }
    }

    /// When a call of the line at hand ended.
    pub(super) fn end(
        &mut self,
        process: u64,
        resumed: bool,
        latency: Nanos,
        sink: &mut dyn Sink,
    ) -> Timestamp {
        match self.clock {
            Some(Clock::Assumed) | None => self.end_without_times(process, latency, sink),
            Some(_) if resumed => self.now,
            Some(_) => self.now.plus(latency),
        }
    }

    /// Calls are printed in the order in which they return.
    fn end_without_times(
        &mut self,
        process: u64,
        latency: Nanos,
        sink: &mut dyn Sink,
    ) -> Timestamp {
        if let Some(arrived) = self.context.arrived() {
            if self.clock.is_none() {
                self.clock = Some(Clock::Assumed);
                sink.note(Note::Clock(Clock::Epoch));
            }
            return arrived;
        }
        self.tell(Clock::Assumed, sink);
        let began = self.ends.get(&process).copied().unwrap_or_default();
        let end = began.plus(latency).max(self.last_end);
        if self.ends.len() < CallClock::MOST_THREADS || self.ends.contains_key(&process) {
            self.ends.insert(process, end);
        }
        self.last_end = end;
        end
    }

    /// A thread is no more.
    pub(super) fn forget(&mut self, process: u64) {
        self.ends.remove(&process);
    }
}
