//! When waits happened: from the trace's own clock to the wall clock.

mod one_by_one;

use std::sync::Arc;

use isotherm_frame::{Clock, Timestamp};
use jiff::tz::TimeZone;
use thiserror::Error;

use super::{Stamp, TraceUnit};

/// Places waits in time.
///
/// `tim` counts from an epoch of the platform's choosing. Where it is a plausible time since 1970
/// and the stamps of the wall clock do not contradict, it is taken as that. Else the first `tim`
/// after a stamp is that stamp's moment, and each stamp sets the clock anew. Waits that come
/// before the first stamp are held until there is one, if there is one within
/// [`Timeline::HELD`] waits. Waits without `tim`, as 9i and 10.1 write them, are laid end to end
/// from the last `tim` on, or so that they end with the next one.
pub struct Timeline<T> {
    unit: TraceUnit,
    zone: Option<TimeZone>,
    arrival: Option<Arc<dyn Fn() -> Timestamp + Send + Sync>>,
    clock: Clocked,
    /// The newest stamp: the next `tim` is its moment.
    stamp: Option<Timestamp>,
    /// The newest stamp, or the beginning, moved on by the waits without `tim` since.
    walked: Timestamp,
    /// Whether there was a stamp.
    stamped: bool,
    /// The last `tim`.
    last: Option<u64>,
    /// How many times in a row `tim` was far smaller than before.
    suspects: u32,
    held: Vec<Held<T>>,
    ready: Vec<(T, Timestamp)>,
    remarks: Vec<Remark>,
}

/// What is known of the clock.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Clocked {
    /// Nothing yet.
    Unknown,
    /// `tim` counts from 1970.
    Epoch,
    /// `tim` was this at that moment.
    Anchored(u64, Timestamp),
    /// `tim` counts from a moment nobody tells.
    Arbitrary,
    /// There is no `tim`.
    Walked,
}

/// A wait whose moment is not known yet.
struct Held<T> {
    what: T,
    ela: u64,
    tim: Option<u64>,
    /// By the stamps alone, or by the waits before it.
    walked: Timestamp,
}

/// What is to be said about how times were found; as text, a sentence for the user.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum Remark {
    /// Stamps without a zone set the clock, and no zone was given.
    #[error("the times of the trace have no time zone: UTC is assumed (--zone)")]
    UtcAssumed,
    /// Waits without `tim`.
    #[error("waits without a time of their own are laid end to end between the calls around them")]
    LaidEndToEnd,
    /// A stamp contradicted a plausible epoch.
    #[error(
        "the trace's clock looked like the time since 1970 and is not, as its stamps show: they \
         are followed from the first one on"
    )]
    EpochRefuted,
    /// Values of `tim` that are far smaller than those before.
    #[error("some times are cut short and not used: those records are placed by the ones before")]
    CutTims,
    /// The time of reading set the clock.
    #[error("the trace has no wall clock: the moment it was read is taken for it")]
    ArrivalUsed,
}

impl<T> Timeline<T> {
    /// The most waits held until there is a clock.
    pub const HELD: usize = 1 << 17;

    /// `zone` is that of stamps without one; `arrival` tells the time when the trace is read while
    /// it is written.
    pub fn new(
        zone: Option<TimeZone>,
        arrival: Option<Arc<dyn Fn() -> Timestamp + Send + Sync>>,
    ) -> Timeline<T> {
        Timeline {
            unit: TraceUnit::Micros,
            zone,
            arrival,
            clock: Clocked::Unknown,
            stamp: None,
            walked: Timestamp::default(),
            stamped: false,
            last: None,
            suspects: 0,
            held: Vec::new(),
            ready: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// What the numbers of the trace count.
    pub fn set_unit(&mut self, unit: TraceUnit) {
        self.unit = unit;
    }

    /// What the times given out count from.
    pub fn clock(&self) -> Clock {
        match self.clock {
            Clocked::Epoch | Clocked::Anchored(..) => Clock::Epoch,
            Clocked::Walked if self.stamped => Clock::Epoch,
            Clocked::Arbitrary => Clock::Arbitrary,
            Clocked::Unknown | Clocked::Walked => Clock::Assumed,
        }
    }

    /// Whether it is known what times count from: once it is, only a stamp changes it.
    pub fn is_settled(&self) -> bool {
        self.clock != Clocked::Unknown
    }

    /// Whether waits are placed by the ones before, because none has a `tim`.
    pub fn is_walked(&self) -> bool {
        self.clock == Clocked::Walked
    }

    /// Whether the moment of some waits is not known yet.
    pub fn holds_any(&self) -> bool {
        !self.held.is_empty()
    }

    /// What is to be said about how times were found.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    fn remark(&mut self, remark: Remark) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// A stamp of the wall clock.
    pub fn stamp(&mut self, text: &[u8]) {
        let Some(stamp) = Stamp::read(text) else { return };
        let zone = self.zone.clone().unwrap_or(TimeZone::UTC);
        let Some(moment) = stamp.moment(&zone) else { return };
        if self.clock == Clocked::Epoch && !self.agrees(moment) {
            self.remark(Remark::EpochRefuted);
            self.clock = Clocked::Unknown;
        }
        let used = !matches!(self.clock, Clocked::Epoch | Clocked::Arbitrary);
        if used && !stamp.has_zone() && self.zone.is_none() {
            self.remark(Remark::UtcAssumed);
        }
        self.stamp = Some(moment);
        self.walk_to(moment);
    }

    /// Waits without `tim` go on from this stamp. Those before the first one led up to it.
    fn walk_to(&mut self, moment: Timestamp) {
        let ahead = moment.since(self.walked);
        for held in self.held.iter_mut().filter(|_| !self.stamped) {
            held.walked = held.walked.plus(ahead);
        }
        self.stamped = true;
        self.walked = moment;
    }

    /// Whether the last `tim` as a time since 1970 is that of a stamp, in some zone.
    fn agrees(&self, moment: Timestamp) -> bool {
        const DAY_AND_MORE: u64 = 26 * 3_600_000_000_000;
        let last = self.last.map(|tim| self.since_epoch(tim));
        last.is_none_or(|last| last.as_nanos().abs_diff(moment.as_nanos()) < DAY_AND_MORE)
    }

    fn since_epoch(&self, tim: u64) -> Timestamp {
        Timestamp::new(0).plus(self.unit.times(tim))
    }

    /// A `tim` of a record that is no wait.
    pub fn tim(&mut self, tim: u64) {
        let Some(tim) = self.sound(tim) else { return };
        self.settle(tim);
        if !self.held.is_empty() {
            self.place(tim);
            self.release();
        }
        self.last = Some(tim);
    }

    /// A wait of `ela` that ended at `tim`. It is given back if its moment is known at once and
    /// none before it is still to be taken from [`Timeline::ready`].
    #[inline]
    pub fn wait(&mut self, what: T, ela: u64, tim: Option<u64>) -> Option<(T, Timestamp)> {
        let Some(tim) = tim.and_then(|tim| self.sound(tim)) else {
            self.without_tim(what, ela);
            return None;
        };
        let at = match self.clock {
            Clocked::Epoch | Clocked::Arbitrary => self.since_epoch(tim),
            Clocked::Anchored(zero, moment) if self.stamp.is_none() => {
                self.after(zero, moment, tim)
            }
            _ => return self.unsettled(what, ela, tim),
        };
        if !self.held.is_empty() || !self.ready.is_empty() {
            return self.unsettled(what, ela, tim);
        }
        self.last = Some(tim);
        Some((what, at))
    }

    /// A wait that sets the clock, or comes after some that have to wait for it.
    #[cold]
    fn unsettled(&mut self, what: T, ela: u64, tim: u64) -> Option<(T, Timestamp)> {
        self.tim(tim);
        self.hold(what, ela, Some(tim));
        self.release();
        None
    }

    /// Whether there are waits whose moment has become known.
    #[inline]
    pub fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The waits whose moment has become known, in order.
    #[inline]
    pub fn ready(&mut self) -> std::vec::Drain<'_, (T, Timestamp)> {
        self.ready.drain(..)
    }

    /// Places what is still held; the trace has ended.
    pub fn finish(&mut self) {
        self.give_up();
        self.release();
    }

    /// A `tim` that can be one. Of a cut line the number may be far too small.
    #[inline]
    fn sound(&mut self, tim: u64) -> Option<u64> {
        let cut = self.stamp.is_none() && self.last.is_some_and(|last| tim < last / 8);
        if cut { self.suspect(tim) } else { Some(tim) }
    }

    /// Several in a row are another clock.
    #[cold]
    fn suspect(&mut self, tim: u64) -> Option<u64> {
        self.suspects += 1;
        self.remark(Remark::CutTims);
        let believed = self.suspects >= 4;
        self.suspects %= 4;
        believed.then_some(tim)
    }

    /// Sets the clock, if there is something new to set it by.
    fn settle(&mut self, tim: u64) {
        if matches!(self.clock, Clocked::Epoch | Clocked::Arbitrary) {
            self.stamp = None;
            return;
        }
        // 2001 to 2096, in microseconds.
        let plausible = (1_000_000_000_000_000..4_000_000_000_000_000).contains(&tim)
            && self.unit == TraceUnit::Micros
            && self.clock == Clocked::Unknown
            && !self.remarks.contains(&Remark::EpochRefuted);
        let before = self.last.replace(tim);
        if plausible && self.stamp.is_none_or(|stamp| self.agrees(stamp)) {
            self.clock = Clocked::Epoch;
            self.remarks.retain(|remark| *remark != Remark::UtcAssumed);
        } else if let Some(moment) = self.stamp.or_else(|| self.arrived()) {
            self.clock = Clocked::Anchored(tim, moment);
        }
        self.last = before;
        self.stamp = None;
    }

    /// The time now, if the trace is read while it is written and has no clock of its own.
    fn arrived(&mut self) -> Option<Timestamp> {
        let now = self.arrival.as_ref().filter(|_| self.clock == Clocked::Unknown)?;
        let now = now();
        self.remark(Remark::ArrivalUsed);
        Some(now)
    }

    fn without_tim(&mut self, what: T, ela: u64) {
        self.remark(Remark::LaidEndToEnd);
        let timeless = self.last.is_none() && !self.stamped;
        if timeless && let Some(now) = self.arrived() {
            self.walk_to(now);
            self.clock = Clocked::Walked;
        }
        self.hold(what, ela, None);
        if self.clock == Clocked::Walked {
            self.release();
        } else if self.held.len() >= Timeline::<T>::HELD {
            self.give_up();
            self.release();
        }
    }

    fn hold(&mut self, what: T, ela: u64, tim: Option<u64>) {
        self.walked = self.walked.plus(self.unit.times(ela));
        self.held.push(Held { what, ela, tim, walked: self.walked });
    }

    /// Gives the held waits without `tim` one each: they follow the last `tim`, or if that would
    /// take them beyond `until` they end with it.
    fn place(&mut self, until: u64) {
        let first = self.held.iter().rposition(|held| held.tim.is_some()).map_or(0, |at| at + 1);
        let Some(open) = self.held.get_mut(first..) else { return };
        let total = open.iter().fold(0_u64, |total, held| total.saturating_add(held.ela));
        let last = self.last.filter(|last| last.saturating_add(total) <= until);
        let mut tim = last.unwrap_or(until.saturating_sub(total));
        for held in open {
            tim = tim.saturating_add(held.ela);
            held.tim = Some(tim);
        }
    }

    /// No more will be known: what is held is placed by what there is.
    fn give_up(&mut self) {
        let any_tim = self.last.is_some() || self.held.iter().any(|held| held.tim.is_some());
        if any_tim {
            self.place(u64::MAX);
            if self.clock == Clocked::Unknown {
                self.clock = Clocked::Arbitrary;
            }
        } else if self.clock == Clocked::Unknown && !self.held.is_empty() {
            self.clock = Clocked::Walked;
        }
    }

    /// Makes what is held ready, if the clock is known.
    fn release(&mut self) {
        if self.clock == Clocked::Unknown && self.held.len() >= Timeline::<T>::HELD {
            self.give_up();
        }
        let clock = self.clock;
        if clock == Clocked::Unknown {
            return;
        }
        for held in std::mem::take(&mut self.held) {
            let Held { what, tim, walked, .. } = held;
            let at = match (clock, tim) {
                (Clocked::Epoch | Clocked::Arbitrary, Some(tim)) => self.since_epoch(tim),
                (Clocked::Anchored(zero, moment), Some(tim)) => self.after(zero, moment, tim),
                _ => walked,
            };
            self.ready.push((what, at));
        }
    }

    /// The moment of `tim`, if it was `zero` at `moment`.
    #[inline]
    fn after(&self, zero: u64, moment: Timestamp, tim: u64) -> Timestamp {
        let passed = |units: u64| self.unit.times(units);
        match tim.checked_sub(zero) {
            Some(units) => moment.plus(passed(units)),
            None => moment.minus(passed(zero - tim)),
        }
    }
}

#[cfg(test)]
mod tests;
