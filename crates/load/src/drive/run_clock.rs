//! The course of a run: where it began, when measuring begins and ends. Its lanes share it.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use isotherm_frame::LogLinear;

use super::visit_set::VisitSet;

/// The course of a run, shared by its lanes. All moments are of [`crate::clock::now_ns`].
#[derive(Debug)]
pub struct RunClock {
    pub buckets: LogLinear,
    /// The buckets of the frames that are given.
    pub frame_buckets: LogLinear,
    pub interval_ns: u64,
    /// Where interval 0 begins; 0 until all lanes are ready.
    zero_ns: AtomicU64,
    /// When measuring begins; unknown while it warms up until it is steady.
    begin_ns: AtomicU64,
    /// When measuring ends.
    end_ns: AtomicU64,
    /// The lanes are to end: it was asked for, or one of them cannot go on.
    stop: AtomicBool,
    /// Operations that may still be begun, where their number is limited.
    tickets: Option<AtomicI64>,
    pub touches: Option<VisitSet>,
}

/// Buckets of the frames: 32 in each octave.
const FRAME_BITS: u32 = 5;
/// A moment that is not known yet.
pub const UNKNOWN: u64 = u64::MAX;

impl RunClock {
    pub fn new(interval_ns: u64, operations: Option<u64>) -> RunClock {
        let tickets =
            operations.map(|most| AtomicI64::new(i64::try_from(most).unwrap_or(i64::MAX)));
        RunClock {
            buckets: LogLinear::new(crate::Distribution::BITS),
            frame_buckets: LogLinear::new(FRAME_BITS),
            interval_ns,
            zero_ns: AtomicU64::new(0),
            begin_ns: AtomicU64::new(UNKNOWN),
            end_ns: AtomicU64::new(UNKNOWN),
            stop: AtomicBool::new(false),
            tickets,
            touches: None,
        }
    }

    /// Interval 0 begins now.
    pub fn start(&self, zero_ns: u64) {
        self.zero_ns.store(zero_ns, Ordering::Release);
    }

    pub fn zero_ns(&self) -> u64 {
        self.zero_ns.load(Ordering::Acquire)
    }

    /// Measuring is to begin with this interval and to last so long.
    pub fn measure_from(&self, interval: u64, length_ns: u64) {
        let begin_ns = self.interval_start(interval);
        self.end_ns.store(begin_ns.saturating_add(length_ns), Ordering::Release);
        self.begin_ns.store(begin_ns, Ordering::Release);
    }

    #[inline]
    pub fn begin_ns(&self) -> u64 {
        self.begin_ns.load(Ordering::Relaxed)
    }

    #[inline]
    pub fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Relaxed)
    }

    /// Measuring ends here if it would go on longer.
    pub fn end_at(&self, end_ns: u64) {
        self.end_ns.fetch_min(end_ns, Ordering::AcqRel);
    }

    /// Every lane is to end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the number of operations is limited.
    #[inline]
    pub fn counts_operations(&self) -> bool {
        self.tickets.is_some()
    }

    /// Takes the right to begin one measured operation; `false` when none are left.
    #[inline]
    pub fn take_ticket(&self) -> bool {
        self.tickets.as_ref().is_none_or(|left| left.fetch_sub(1, Ordering::Relaxed) > 0)
    }

    /// Whether the operations asked for have all been begun.
    pub fn no_tickets_left(&self) -> bool {
        self.tickets.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) <= 0)
    }

    /// The number of the interval that a moment lies in.
    #[inline]
    pub fn interval_of(&self, at_ns: u64) -> u64 {
        at_ns.saturating_sub(self.zero_ns()) / self.interval_ns.max(1)
    }

    /// Where an interval begins.
    pub fn interval_start(&self, number: u64) -> u64 {
        self.zero_ns().saturating_add(number.saturating_mul(self.interval_ns))
    }
}
