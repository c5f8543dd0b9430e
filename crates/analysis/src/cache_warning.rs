//! Latencies that are too good to be true.

use isotherm_frame::{Histogram, Nanos};

use crate::{Circumstances, DeviceClass, Mode, Operation};

/// A reason to doubt that latencies are those of a device.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum CacheWarning {
    /// Most reads are faster than the declared class of device can be.
    FasterThanDevice {
        /// The class declared.
        class: DeviceClass,
        /// Faster than this no such device reads.
        floor: Nanos,
        /// The share of events certainly faster, 0 to 1.
        share: f64,
        /// Whether the series says that it counts reads.
        reads: bool,
    },
    /// Some reads, fewer than half, are faster than the declared class of device can be.
    CacheHits {
        /// The class declared.
        class: DeviceClass,
        /// Faster than this no such device reads.
        floor: Nanos,
        /// The share of events certainly faster, 0 to 1.
        share: f64,
        /// Whether the series says that it counts reads.
        reads: bool,
    },
    /// Reads have a fast and a slow mode far apart: perhaps a cache and what is behind it.
    TwoSpeeds {
        /// The fast mode: an estimate.
        fast: Nanos,
        /// The slow mode: an estimate.
        slow: Nanos,
        /// The fast mode's share of events, 0 to 1.
        share: f64,
    },
    /// All reads are fast, and there are many, and nobody said what they come from.
    MayBeCache {
        /// All of them took less.
        below: Nanos,
        /// Reads per second.
        rate: f64,
    },
}

/// So few events say nothing.
const LEAST_EVENTS: u64 = 100;
/// Fewer reads than this share may be odd ones: answered by a device's read-ahead, or misread.
const LEAST_SHARE: f64 = 0.05;

/// The shortest time in which a device of this class reads, by a wide margin: below it, something
/// else answered. Rotating disks seek and turn; SATA flash takes 60 µs for one read; the fastest
/// memory on the bus some 7 µs; a storage network's two directions and its array some 30 µs.
fn floor(class: DeviceClass) -> Nanos {
    match class {
        DeviceClass::Hdd => Nanos::from_millis(1),
        DeviceClass::Ssd => Nanos::from_micros(50),
        DeviceClass::Nvme => Nanos::from_micros(5),
        DeviceClass::San => Nanos::from_micros(20),
        DeviceClass::Measured(fastest) => fastest,
    }
}

/// What is doubtful about latencies. Only of reads: writes are answered by caches for good
/// reasons. Where a series does not say what it counts, a declared class is taken to be meant for
/// it; without a declaration nothing is said of it. A histogram shows neither the working set nor
/// a cache that answers everything at the speed of a device.
pub fn cache_warnings(
    counts: &Histogram,
    modes: &[Mode],
    circumstances: &Circumstances,
) -> Vec<CacheWarning> {
    let Circumstances { device, operation } = *circumstances;
    let reads = operation == Operation::Read;
    if counts.is_averages()
        || counts.events() < LEAST_EVENTS
        || !(reads || operation == Operation::Unknown)
    {
        return Vec::new();
    }
    let warning = match device {
        Some(class) => faster_than(class, counts, reads),
        None if reads => two_speeds(modes),
        None => None,
    };
    warning.into_iter().collect()
}

/// Many reads a second, all of them faster than this, may be answered by a cache: no rotating disk
/// and few arrays do it, flash does. The first bound after 1 ms of buckets in powers of two, whether
/// of nanoseconds or of microseconds.
const FAST: Nanos = Nanos::new(1_048_576);
/// So many reads per second, at least.
const MANY_PER_S: f64 = 20_000.0;
/// One read in a thousand may be slower.
const ALL: f64 = 0.999;

/// Whether reads from a device that nobody declared may come from a cache.
pub(crate) fn may_be_cache(
    counts: &Histogram,
    counted_s: f64,
    circumstances: &Circumstances,
) -> Option<CacheWarning> {
    let rate = counts.events() as f64 / counted_s;
    let reads = circumstances.device.is_none() && circumstances.operation == Operation::Read;
    let fast = reads
        && counts.events() >= LEAST_EVENTS
        && rate.is_finite()
        && rate >= MANY_PER_S
        && share_below(counts, FAST) >= ALL;
    fast.then_some(CacheWarning::MayBeCache { below: FAST, rate })
}

fn faster_than(class: DeviceClass, counts: &Histogram, reads: bool) -> Option<CacheWarning> {
    let floor = floor(class);
    let share = share_below(counts, floor);
    if share >= 0.5 {
        return Some(CacheWarning::FasterThanDevice { class, floor, share, reads });
    }
    (share >= LEAST_SHARE).then_some(CacheWarning::CacheHits { class, floor, share, reads })
}

/// The share of events in buckets that end at or below a latency.
fn share_below(counts: &Histogram, limit: Nanos) -> f64 {
    let below = counts.non_zero().filter(|(bucket, _)| bucket.hi.is_some_and(|hi| hi <= limit));
    below.map(|(_, count)| count as f64).sum::<f64>() / (counts.events() as f64).max(1.0)
}

/// How many times longer the slow mode takes than the fast one, at least.
const FAR_APART: u64 = 4;

/// Two modes of which the slow one takes at least four times as long.
fn two_speeds(modes: &[Mode]) -> Option<CacheWarning> {
    let [fast, slow] = modes else { return None };
    let apart = fast.at.as_nanos().saturating_mul(FAR_APART) <= slow.at.as_nanos();
    let both = fast.share >= LEAST_SHARE && slow.share >= LEAST_SHARE;
    (apart && both).then_some(CacheWarning::TwoSpeeds {
        fast: fast.at,
        slow: slow.at,
        share: fast.share,
    })
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Unit};

    use super::*;
    use crate::modes;

    fn counts(scheme: Scheme, waits_us: &[(u64, u32)]) -> Histogram {
        let mut counts = Histogram::empty(scheme);
        for &(us, times) in waits_us {
            (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
        }
        counts
    }

    fn of(
        counts: &Histogram,
        device: Option<DeviceClass>,
        operation: Operation,
    ) -> Vec<CacheWarning> {
        cache_warnings(counts, &modes(counts), &Circumstances { device, operation })
    }

    #[test]
    fn reads_of_fifty_microseconds_are_not_a_rotating_disks() {
        let fine = counts(Scheme::log_linear(), &[(50, 900), (6_000, 100)]);
        let floor = Nanos::from_millis(1);
        let class = DeviceClass::Hdd;
        assert_eq!(
            of(&fine, Some(class), Operation::Read),
            [CacheWarning::FasterThanDevice { class, floor, share: 0.9, reads: true }]
        );
        let mixed = counts(Scheme::log_linear(), &[(200, 300), (8_000, 700)]);
        assert_eq!(
            of(&mixed, Some(class), Operation::Unknown),
            [CacheWarning::CacheHits { class, floor, share: 0.3, reads: false }]
        );
    }

    #[test]
    fn a_bucket_across_the_floor_accuses_nobody() {
        // All in [0.512, 1.024) ms: it may have taken more than a millisecond.
        let coarse = counts(Scheme::powers_of_two(Unit::Micros), &[(600, 1_000)]);
        assert_eq!(of(&coarse, Some(DeviceClass::Hdd), Operation::Read), []);
        let honest = counts(Scheme::log_linear(), &[(5_000, 1_000)]);
        assert_eq!(of(&honest, Some(DeviceClass::Hdd), Operation::Read), []);
        let few = counts(Scheme::log_linear(), &[(50, 99)]);
        assert_eq!(of(&few, Some(DeviceClass::Hdd), Operation::Read), []);
    }

    #[test]
    fn many_fast_reads_of_an_unknown_device_may_be_a_cache() {
        let fast = counts(Scheme::powers_of_two(Unit::Micros), &[(90, 39_990), (900, 10)]);
        let of = |counts: &Histogram, covered_s, device, operation| {
            may_be_cache(counts, covered_s, &Circumstances { device, operation })
        };
        let read = Operation::Read;
        let below = Nanos::new(1_048_576);
        assert_eq!(
            of(&fast, 2.0, None, read),
            Some(CacheWarning::MayBeCache { below, rate: 20_000.0 })
        );
        assert_eq!(of(&fast, 2.1, None, read), None, "fewer than 20,000 a second");
        assert_eq!(of(&fast, 2.0, Some(DeviceClass::Nvme), read), None, "the device is known");
        assert_eq!(of(&fast, 2.0, None, Operation::Write), None);
        assert_eq!(of(&fast, 0.0, None, read), None);
        let slow = counts(Scheme::powers_of_two(Unit::Micros), &[(90, 39_900), (1_500, 100)]);
        assert_eq!(of(&slow, 1.0, None, read), None, "one in 400 takes longer");
    }

    #[test]
    fn writes_are_not_doubted_and_two_speeds_only_of_reads() {
        let two = counts(Scheme::log_linear(), &[(200, 700), (8_000, 300)]);
        for device in [None, Some(DeviceClass::Hdd)] {
            assert_eq!(of(&two, device, Operation::Write), []);
            assert_eq!(of(&two, device, Operation::Other), []);
        }
        assert_eq!(of(&two, None, Operation::Unknown), []);
        let found = of(&two, None, Operation::Read);
        let [CacheWarning::TwoSpeeds { share, .. }] = found.as_slice() else { panic!("{found:?}") };
        assert!((share - 0.7).abs() < 1e-9);
        let near = counts(Scheme::log_linear(), &[(1_000, 700), (3_000, 300)]);
        assert_eq!(of(&near, None, Operation::Read), []);
    }
}
