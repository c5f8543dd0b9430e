//! The clocks of a load: one that only goes forward, and where it stands on the calendar.

use isotherm_frame::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the monotonic clock. Comparable across threads of this machine.
#[inline]
pub fn now_ns() -> u64 {
    read(ClockId::Monotonic)
}

/// CPU time of the calling thread, user and system, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    read(ClockId::ThreadCPUTime)
}

/// CPU time of the whole process, user and system, in nanoseconds.
pub fn process_cpu_ns() -> u64 {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    let secs = u64::try_from(time.tv_sec).unwrap_or(0);
    secs.wrapping_mul(1_000_000_000).wrapping_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Where the monotonic clock stands on the calendar, read once at the beginning of a run: steps of
/// the wall clock do not move what is measured.
#[derive(Copy, Clone, Debug)]
pub struct Calendar {
    offset_ns: i64,
}

impl Calendar {
    /// Reads both clocks.
    pub fn read() -> Calendar {
        let monotonic = i64::try_from(now_ns()).unwrap_or(i64::MAX);
        let real = i64::try_from(read(ClockId::Realtime)).unwrap_or(i64::MAX);
        Calendar { offset_ns: real.saturating_sub(monotonic) }
    }

    /// The moment of a reading of [`now_ns`].
    pub fn at(self, monotonic_ns: u64) -> Timestamp {
        Timestamp::new(self.offset_ns.saturating_add_unsigned(monotonic_ns))
    }
}

/// Sleeps until a moment of [`now_ns`]; returns at once if it is past.
pub fn sleep_until(until_ns: u64) {
    let now = now_ns();
    if until_ns > now {
        std::thread::sleep(std::time::Duration::from_nanos(until_ns - now));
    }
}

/// Lets this thread's timers fire when they are due, not up to 50 microseconds later.
pub fn keep_sharp() {
    // Where it is refused the lag is longer, and reported like any other.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}
