//! One lane: a thread that keeps an engine at work.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::board::{Board, Ended};
use super::chooser::Chooser;
use super::in_flight_gauge::InFlightGauge;
use super::run_clock::{RunClock, UNKNOWN};
use crate::clock;
use crate::engine::{Done, Engine, KindMeta, Operation, Wait};
use crate::fault::Broken;
use crate::job::Think;
use isotherm_frame::Random;

/// How long a lane waits at most before it looks whether it is to end.
const PATIENCE_NS: u64 = 200_000_000;
/// How long operations in flight may take to end after the end.
const GRACE_NS: u64 = 3_000_000_000;

/// A lane at work.
pub struct Lane<'a> {
    pub course: &'a RunClock,
    pub board: &'a Mutex<Board>,
    pub kinds: &'a [KindMeta],
    pub engine: Box<dyn Engine>,
    pub chooser: Chooser,
    pub random: Random,
    slots: Vec<InFlight>,
    in_flight: u32,
    gauge: &'a InFlightGauge,
    done: Vec<Done>,
    /// CPU time of the thread when measuring began.
    cpu_began_ns: Option<u64>,
}

/// What is in flight in a slot.
#[derive(Copy, Clone, Debug)]
struct InFlight {
    operation: Operation,
    start_ns: u64,
    sent_ns: u64,
    ticket: bool,
    busy: bool,
}

/// What a lane needs besides its engine.
pub struct Means<'a> {
    pub course: &'a RunClock,
    pub board: &'a Mutex<Board>,
    pub in_flight: &'a InFlightGauge,
    pub kinds: &'a [KindMeta],
    pub chooser: Chooser,
    pub random: Random,
}

impl<'a> Lane<'a> {
    pub fn new(means: Means<'a>, engine: Box<dyn Engine>, slots: u32) -> Lane<'a> {
        let Means { course, board, in_flight: gauge, kinds, chooser, random } = means;
        let operation = Operation { kind: 0, place: 0 };
        let free = InFlight { operation, start_ns: 0, sent_ns: 0, ticket: false, busy: false };
        let slots = vec![free; usize::try_from(slots).unwrap_or(0)];
        let (done, in_flight) = (Vec::new(), 0);
        let cpu_began_ns = None;
        Lane {
            course,
            board,
            kinds,
            engine,
            chooser,
            random,
            slots,
            in_flight,
            gauge,
            done,
            cpu_began_ns,
        }
    }

    /// Begins the next operation in a free slot; `false` when no more are to be begun.
    #[inline]
    fn begin(&mut self, slot: u32, start_ns: u64, sent_ns: u64) -> Result<bool, Broken> {
        let ticket = self.course.counts_operations() && sent_ns >= self.course.begin_ns();
        if ticket && !self.course.take_ticket() {
            return Ok(false);
        }
        let operation = self.chooser.next();
        if let Some(flight) = usize::try_from(slot).ok().and_then(|slot| self.slots.get_mut(slot)) {
            *flight = InFlight { operation, start_ns, sent_ns, ticket, busy: true };
        }
        self.in_flight += 1;
        self.gauge.set(self.in_flight);
        self.engine.submit(slot, operation)?;
        Ok(true)
    }

    /// Takes what was in flight out of its slot.
    #[inline]
    fn land(&mut self, done: Done) -> Option<Ended> {
        let slot = usize::try_from(done.slot).ok()?;
        let flight = self.slots.get_mut(slot).filter(|flight| flight.busy)?;
        flight.busy = false;
        self.in_flight -= 1;
        self.gauge.set(self.in_flight);
        let InFlight { operation, start_ns, sent_ns, ticket, .. } = *flight;
        let Done { at_ns, result, .. } = done;
        Some(Ended { operation, start_ns, sent_ns, at_ns, ticket, result })
    }

    /// Counts what ended, unless it ended after the measured time.
    #[inline]
    fn count(&mut self, board: &mut Board, ended: &Ended) {
        let (begin_ns, end_ns) = (self.course.begin_ns(), self.course.end_ns());
        if ended.at_ns >= begin_ns && ended.result.is_ok() {
            let held = ended.at_ns.min(end_ns).saturating_sub(ended.start_ns.max(begin_ns));
            board.account.held_ns += held;
        }
        if ended.at_ns < end_ns {
            let kind = self.kinds.get(usize::from(ended.operation.kind));
            board.record(self.course, ended, kind.is_some_and(|kind| !kind.writes()));
        }
    }

    /// Whether the lane is to end; looks at the clock of the CPU when measuring has begun.
    #[inline]
    fn is_over(&mut self, now_ns: u64) -> bool {
        if self.cpu_began_ns.is_none() && now_ns >= self.course.begin_ns() {
            self.cpu_began_ns = Some(clock::thread_cpu_ns());
        }
        now_ns >= self.course.end_ns() || self.course.is_stopped()
    }

    fn lock(&self) -> MutexGuard<'a, Board> {
        // Counts are added one at a time: a panic elsewhere leaves them as they were.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for operations, or just waits when none are in flight.
    fn reap(&mut self, until_ns: u64) -> Result<(), Broken> {
        if self.in_flight == 0 {
            clock::sleep_until(until_ns);
            return Ok(());
        }
        let mut done = std::mem::take(&mut self.done);
        let reaped = self.engine.reap(Wait::Until(until_ns), &mut done);
        self.done = done;
        reaped
    }

    /// Keeps every slot at work: as one operation ends the next one begins.
    pub fn closed(mut self, think: Option<Think>) -> Result<(), Broken> {
        let worked = self.keep_busy(think);
        self.close(worked)
    }

    fn keep_busy(&mut self, think: Option<Think>) -> Result<(), Broken> {
        let mut now_ns = clock::now_ns();
        let mut asleep: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        for slot in 0..u32::try_from(self.slots.len()).unwrap_or(0) {
            self.begin(slot, now_ns, now_ns)?;
        }
        while !self.is_over(now_ns) && (self.in_flight > 0 || !asleep.is_empty()) {
            let wake_ns = asleep.peek().map_or(UNKNOWN, |Reverse((wake_ns, _))| *wake_ns);
            let until_ns = (now_ns + PATIENCE_NS).min(self.course.end_ns()).min(wake_ns);
            let reaped = self.reap(until_ns);
            let mut done = std::mem::take(&mut self.done);
            // One reading of the clock for all that ended together.
            now_ns = done.last().map_or_else(clock::now_ns, |done| done.at_ns);
            let over = self.is_over(now_ns);
            let mut board = self.lock();
            for done in done.drain(..) {
                let (slot, at_ns) = (done.slot, done.at_ns);
                let Some(ended) = self.land(done) else { continue };
                self.count(&mut board, &ended);
                if over {
                    continue;
                }
                match pause(think, &mut self.random) {
                    None => {
                        self.begin(slot, at_ns, at_ns)?;
                    }
                    Some(pause_ns) => asleep.push(Reverse((at_ns.saturating_add(pause_ns), slot))),
                }
            }
            drop(board);
            self.done = done;
            reaped?;
            while let Some(&Reverse((wake_ns, slot))) = asleep.peek()
                && wake_ns <= now_ns
                && !over
            {
                asleep.pop();
                self.begin(slot, wake_ns, now_ns)?;
            }
        }
        Ok(())
    }

    /// Begins operations when the schedule says so.
    pub fn open(mut self, schedule: Schedule) -> Result<(), Broken> {
        clock::keep_sharp();
        let worked = self.follow(schedule);
        self.close(worked)
    }

    fn follow(&mut self, mut schedule: Schedule) -> Result<(), Broken> {
        let mut free: Vec<u32> = (0..u32::try_from(self.slots.len()).unwrap_or(0)).rev().collect();
        let mut now_ns = clock::now_ns();
        schedule.start(now_ns, &mut self.random);
        let mut full_until_ns = 0;
        let (mut queued, mut longest_lag_ns, mut exhausted) = (0_u64, 0_u64, false);
        while !self.is_over(now_ns) && (self.in_flight > 0 || !exhausted) {
            while schedule.due_ns() <= now_ns && !exhausted {
                let Some(slot) = free.pop() else { break };
                let due_ns = schedule.due_ns();
                if due_ns >= self.course.begin_ns() {
                    queued += u64::from(due_ns < full_until_ns);
                    longest_lag_ns = longest_lag_ns.max(now_ns - due_ns);
                }
                exhausted = !self.begin(slot, due_ns, now_ns)?;
                schedule.advance(&mut self.random);
                now_ns = clock::now_ns();
            }
            let waiting = free.is_empty() || exhausted;
            let due_ns = if waiting { UNKNOWN } else { schedule.due_ns() };
            let until_ns = (now_ns + PATIENCE_NS).min(self.course.end_ns()).min(due_ns);
            let reaped = self.reap(until_ns);
            now_ns = clock::now_ns();
            if free.is_empty() {
                full_until_ns = now_ns;
            }
            let mut done = std::mem::take(&mut self.done);
            let mut board = self.lock();
            for done in done.drain(..) {
                let slot = done.slot;
                let Some(ended) = self.land(done) else { continue };
                self.count(&mut board, &ended);
                free.push(slot);
            }
            drop(board);
            self.done = done;
            reaped?;
        }
        let end_ns = self.course.end_ns().min(now_ns);
        let mut due: u64 = 0;
        while !exhausted && schedule.due_ns() < end_ns && due < MOST_UNSERVED {
            schedule.advance(&mut self.random);
            due += 1;
        }
        // Those for which a slot has just become free were only a moment late.
        let unserved = due.saturating_sub(u64::try_from(free.len()).unwrap_or(u64::MAX));
        let mut board = self.lock();
        board.account.queued += queued + unserved;
        board.account.unserved += unserved;
        board.account.longest_lag_ns = board.account.longest_lag_ns.max(longest_lag_ns);
        Ok(())
    }

    /// Lets operations in flight end, and closes the account.
    fn close(mut self, worked: Result<(), Broken>) -> Result<(), Broken> {
        let mut worked = worked;
        if let Some(began_ns) = self.cpu_began_ns {
            self.lock().account.cpu_ns = clock::thread_cpu_ns().saturating_sub(began_ns);
        }
        let give_up_ns = clock::now_ns().saturating_add(GRACE_NS);
        while worked.is_ok() && self.in_flight > 0 && clock::now_ns() < give_up_ns {
            let reaped = self.reap(give_up_ns);
            let done = std::mem::take(&mut self.done);
            let mut board = self.lock();
            for done in done {
                if let Some(ended) = self.land(done) {
                    self.count(&mut board, &ended);
                }
            }
            drop(board);
            worked = reaped;
        }
        let (begin_ns, end_ns) = (self.course.begin_ns(), self.course.end_ns());
        if begin_ns != UNKNOWN && end_ns != UNKNOWN {
            let mut board = self.lock();
            for flight in self.slots.iter().filter(|flight| flight.busy) {
                let held = end_ns.saturating_sub(flight.start_ns.max(begin_ns));
                board.account.held_ns += held;
            }
        }
        worked
    }
}

/// Arrivals that were due at the end are counted up to here.
const MOST_UNSERVED: u64 = 1 << 32;

/// How long to pause after an operation, if at all.
#[inline]
fn pause(think: Option<Think>, random: &mut Random) -> Option<u64> {
    let Think { one_in, least, most } = think?;
    if random.below(u64::from(one_in.max(1))) != 0 {
        return None;
    }
    let (least, most) = (least.as_nanos(), most.as_nanos());
    Some(least + random.below(most.saturating_sub(least).saturating_add(1)))
}

/// When operations of an open loop are due. Gaps are never rounded: rounding them would change the
/// rate.
#[derive(Copy, Clone, Debug)]
pub struct Schedule {
    gap_ns: f64,
    poisson: bool,
    /// Where in the first gap a schedule of equal gaps begins, 0 to 1.
    phase: f64,
    zero_ns: u64,
    due: f64,
}

impl Schedule {
    /// Arrivals at `rate_hz`; equal gaps begin at `phase` of the first gap.
    pub fn new(rate_hz: f64, poisson: bool, phase: f64) -> Schedule {
        Schedule { gap_ns: 1e9 / rate_hz, poisson, phase, zero_ns: 0, due: 0.0 }
    }

    fn start(&mut self, now_ns: u64, random: &mut Random) {
        self.zero_ns = now_ns;
        self.due = if self.poisson {
            random.exponential() * self.gap_ns
        } else {
            self.phase * self.gap_ns
        };
    }

    #[inline]
    fn due_ns(&self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
        let due = self.due as u64;
        self.zero_ns.saturating_add(due)
    }

    #[inline]
    fn advance(&mut self, random: &mut Random) {
        self.due += if self.poisson { random.exponential() * self.gap_ns } else { self.gap_ns };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::of_lane;

    #[test]
    fn the_rate_of_a_schedule_is_the_rate_asked_for() {
        for (rate_hz, poisson) in [(56_000.0, true), (17_857.1, false), (3.7e6, true)] {
            let mut random = of_lane(1, 0);
            let mut schedule = Schedule::new(rate_hz, poisson, 0.0);
            schedule.start(1_000, &mut random);
            let arrivals = 1_000_000;
            (0..arrivals).for_each(|_| schedule.advance(&mut random));
            let delivered = f64::from(arrivals) / ((schedule.due_ns() - 1_000) as f64 / 1e9);
            assert!((delivered / rate_hz - 1.0).abs() < 0.004, "{delivered} for {rate_hz}");
        }
    }

    #[test]
    fn pauses_are_as_often_and_as_long_as_asked_for() {
        use isotherm_frame::Nanos;
        let think = Think { one_in: 4, least: Nanos::new(100), most: Nanos::new(200) };
        let mut random = of_lane(1, 0);
        let pauses: Vec<u64> =
            (0..40_000).filter_map(|_| pause(Some(think), &mut random)).collect();
        assert!((9_700..10_300).contains(&pauses.len()), "{}", pauses.len());
        assert!(pauses.iter().all(|pause| (100..=200).contains(pause)));
        assert_eq!((pauses.iter().min(), pauses.iter().max()), (Some(&100), Some(&200)));
    }
}
