//! From exclusive upper bounds to explicit ones.

use isotherm_frame::{Histogram, Nanos, Scheme, Unit};
use isotherm_oracle::wait_histogram::{NO_UPPER_BOUND, upper_bound_ns};

/// The buckets of one wait event as its lines give them: exclusive upper bounds in one unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buckets {
    unit: Unit,
    /// Bounds and counts, in any order.
    counted: Vec<(u64, u64)>,
}

impl Buckets {
    /// Bounds of one event at most.
    const LONGEST: usize = 256;

    pub(crate) fn new(unit: Unit) -> Buckets {
        Buckets { unit, counted: Vec::new() }
    }

    /// Adds the buckets of another line about the same event.
    pub(crate) fn add(&mut self, unit: Unit, more: &[(u64, u64)]) -> Result<(), String> {
        if unit != self.unit {
            return Err(format!("buckets in {unit} after buckets in {}", self.unit));
        }
        self.counted.extend_from_slice(more);
        if self.counted.len() > Buckets::LONGEST {
            return Err(format!("more than {} buckets of one event", Buckets::LONGEST));
        }
        Ok(())
    }

    /// The histogram, in the full scheme of its unit, and whether its bounds are the known ones.
    /// Bounds that are not there have no counts.
    pub(crate) fn histogram(mut self) -> Result<(Histogram, bool), String> {
        self.counted.sort_unstable();
        if let Some(pair) = self.counted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("the bucket up to {} is there twice", pair[0].0));
        }
        let known = fixed(self.unit);
        let bounds: Vec<Option<u64>> =
            self.counted.iter().map(|(bound, _)| upper_bound_ns(*bound, self.unit)).collect();
        let is_known = |bound: &Option<u64>| {
            bound.is_some_and(|bound| known.bounds()[1..].binary_search(&bound).is_ok())
        };
        let (scheme, usual) = if bounds.iter().all(is_known) {
            (known, true)
        } else {
            (unknown(&self.counted, &bounds, &known)?, false)
        };
        let mut counts = vec![0; scheme.buckets()];
        for (bound, (_, count)) in bounds.iter().zip(&self.counted) {
            let index = bound.and_then(|bound| scheme.bounds().binary_search(&bound).ok());
            let slot = index.and_then(|index| counts.get_mut(index.checked_sub(1)?));
            *slot.ok_or("a bucket ends at 0")? = *count;
        }
        let histogram = Histogram::new(scheme, counts, None).map_err(|error| error.to_string())?;
        Ok((histogram, usual))
    }
}

/// The buckets of `V$EVENT_HISTOGRAM_MICRO` and, in milliseconds, of `V$EVENT_HISTOGRAM`: below 1,
/// 2, 4 and so on, and one for everything from 2^32 us or 2^22 ms.
pub(super) fn fixed(unit: Unit) -> Scheme {
    powers(unit, if unit == Unit::Millis { 22 } else { 32 })
}

fn powers(unit: Unit, last: u32) -> Scheme {
    let unit = unit.as_nanos().as_nanos();
    let powers = (0..=last).map_while(|power| 1_u64.checked_shl(power)?.checked_mul(unit));
    let bounds = std::iter::once(0).chain(powers).chain([Scheme::UNBOUNDED]);
    Scheme::new(bounds.collect()).unwrap_or_else(|_| Scheme::powers_of_two(Unit::Micros))
}

/// A scheme for bounds a release may come to have: more powers of two continue the known ones;
/// any others stand for themselves, each bucket beginning where the one before it ends.
fn unknown(
    counted: &[(u64, u64)],
    bounds: &[Option<u64>],
    known: &Scheme,
) -> Result<Scheme, String> {
    let beyond = bounds.iter().zip(counted).find(|(bound, _)| bound.is_none());
    if let Some((_, (bound, _))) = beyond {
        return Err(format!("the bound {bound} is too large to be true"));
    }
    let plain = |(bound, _): &(u64, u64)| bound.is_power_of_two() || *bound == NO_UPPER_BOUND;
    let mut all: Vec<u64> = bounds.iter().flatten().copied().chain([0]).collect();
    if counted.iter().all(plain) {
        all.extend_from_slice(known.bounds());
    }
    all.sort_unstable();
    all.dedup();
    Scheme::new(all).map_err(|_| "a bucket ends at 0".into())
}

/// Whether so many waits, which took so long together, are those in these buckets: as many of them to within
/// 1 %, and a time that they can have taken. Oracle keeps both in views that are not read at one instant.
pub(crate) fn are_in(waits: u64, time: Nanos, counts: &Histogram) -> bool {
    let events = counts.events();
    waits.abs_diff(events) <= events / 100 && can_be_sum(time, counts)
}

/// Whether a total of time can be that of events in these buckets.
fn can_be_sum(time: Nanos, counts: &Histogram) -> bool {
    let (mut least, mut most) = (0_u128, Some(0_u128));
    for (bucket, count) in counts.non_zero() {
        let times = |bound: Nanos| u128::from(bound.as_nanos()) * u128::from(count);
        least = least.saturating_add(times(bucket.lo));
        most = most.zip(bucket.hi).map(|(most, hi)| most.saturating_add(times(hi)));
    }
    let time = u128::from(time.as_nanos());
    time >= least && most.is_none_or(|most| time <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(unit: Unit, counted: &[(u64, u64)]) -> Result<(Histogram, bool), String> {
        let mut buckets = Buckets::new(unit);
        buckets.add(unit, counted)?;
        buckets.histogram()
    }

    /// Lower bound, upper bound (0 if none) and count, in nanoseconds.
    fn found(histogram: &Histogram) -> Vec<(u64, u64, u64)> {
        let bound = |bound: Option<Nanos>| bound.map_or(0, Nanos::as_nanos);
        let rows = histogram.non_zero();
        rows.map(|(bucket, count)| (bucket.lo.as_nanos(), bound(bucket.hi), count)).collect()
    }

    #[test]
    fn a_bound_is_where_its_bucket_ends() {
        let (histogram, usual) =
            read(Unit::Micros, &[(1_024, 7), (1, 3), (2, 4), (NO_UPPER_BOUND, 1), (1 << 32, 2)])
                .expect("read");
        assert!(usual);
        let end = (1_u64 << 32) * 1_000;
        assert_eq!(
            found(&histogram),
            [
                (0, 1_000, 3),
                (1_000, 2_000, 4),
                (512_000, 1_024_000, 7),
                (end / 2, end, 2),
                (end, 0, 1)
            ]
        );
        assert_eq!(histogram.scheme().buckets(), 34);
    }

    #[test]
    fn milliseconds_end_at_two_to_the_twenty_second() {
        let (histogram, usual) =
            read(Unit::Millis, &[(1, 9), (1 << 22, 2), (NO_UPPER_BOUND, 1)]).expect("read");
        let end = (1_u64 << 22) * 1_000_000;
        assert_eq!(found(&histogram), [(0, 1_000_000, 9), (end / 2, end, 2), (end, 0, 1)]);
        assert!(usual);
        assert_eq!(histogram.scheme().buckets(), 24);
    }

    #[test]
    fn all_polls_of_a_unit_share_one_scheme() {
        let one = read(Unit::Micros, &[(1, 1)]).expect("read").0;
        let two = read(Unit::Micros, &[(1, 1), (64, 1), (NO_UPPER_BOUND, 4)]).expect("read").0;
        assert_eq!(one.scheme(), two.scheme());
        assert_eq!(two.since(&one).expect("nothing fell").events(), 5);
    }

    #[test]
    fn more_powers_of_two_continue_the_known_ones() {
        let (histogram, usual) = read(Unit::Millis, &[(1 << 23, 5), (2, 1)]).expect("read");
        let end = (1_u64 << 22) * 1_000_000;
        assert_eq!(found(&histogram), [(1_000_000, 2_000_000, 1), (end, end * 2, 5)]);
        assert!(!usual);
    }

    #[test]
    fn other_bounds_stand_for_themselves() {
        let (histogram, usual) =
            read(Unit::Micros, &[(10, 5), (100, 1), (NO_UPPER_BOUND, 2)]).expect("read");
        assert_eq!(found(&histogram), [(0, 10_000, 5), (10_000, 100_000, 1), (100_000, 0, 2)]);
        assert!(!usual);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for counted in [&[(0, 1)][..], &[(4, 1), (4, 1)], &[(u64::MAX / 10, 1)], &[(3, 1), (0, 0)]]
        {
            assert!(read(Unit::Micros, counted).is_err(), "{counted:?}");
        }
        let mut mixed = Buckets::new(Unit::Micros);
        assert!(mixed.add(Unit::Millis, &[(1, 1)]).is_err());
        assert!(mixed.add(Unit::Micros, &[(1, 1); 257]).is_err());
    }

    #[test]
    fn a_sum_must_fit_the_buckets() {
        // 3 below 1 us and 7 of 512..1024 us: from 3,584 to 7,171 us.
        let counts = read(Unit::Micros, &[(1, 3), (1_024, 7)]).expect("read").0;
        for (micros, fits) in [(3_583, false), (3_584, true), (7_171, true), (7_172, false)] {
            assert_eq!(can_be_sum(Nanos::from_micros(micros), &counts), fits, "{micros}");
        }
        let open = read(Unit::Micros, &[(NO_UPPER_BOUND, 1)]).expect("read").0;
        assert!(can_be_sum(Nanos::new(u64::MAX), &open));
        assert!(!can_be_sum(Nanos::ZERO, &open));
    }
}
