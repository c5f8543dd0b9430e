//! What holds for the shape of any distribution, in any buckets.

#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a test fails by panicking; counts are small"
)]

use isotherm_analysis::{average, is_unstable, modes, slowest, tail_share};
use isotherm_frame::{Histogram, Nanos, Scheme, Unit};
use proptest::prelude::*;

fn scheme() -> impl Strategy<Value = Scheme> {
    let own_bounds = prop::collection::btree_set(0_u64..1 << 34, 2..12)
        .prop_map(|bounds| Scheme::new(bounds.into_iter().collect()).unwrap());
    prop_oneof![
        Just(Scheme::log_linear()),
        Just(Scheme::powers_of_two(Unit::Nanos)),
        Just(Scheme::powers_of_two(Unit::Micros)),
        own_bounds,
    ]
}

/// Any counts that add up to less than 2^64.
fn histogram() -> impl Strategy<Value = Histogram> {
    let count = prop_oneof![8 => 0_u64..5_000, 1 => Just(1_u64 << 57)];
    (scheme(), prop::collection::vec((0_usize..400, count), 1..40)).prop_map(|(scheme, filled)| {
        let mut counts = vec![0; scheme.buckets()];
        for (bucket, count) in filled {
            let buckets = counts.len();
            counts[bucket % buckets] = count;
        }
        Histogram::new(scheme, counts, None).unwrap()
    })
}

/// Latencies around one or two middles, and some anywhere.
fn latencies() -> impl Strategy<Value = Vec<u64>> {
    let middle = 10_u64..100_000_000;
    let near = |middle: u64| (middle / 2)..(middle * 2);
    (middle.clone(), middle).prop_flat_map(move |(one, two)| {
        let any = prop_oneof![6 => near(one), 3 => near(two), 1 => 0_u64..1 << 34];
        prop::collection::vec(any, 1..400)
    })
}

fn recorded(scheme: &Scheme, latencies: &[u64]) -> Histogram {
    let mut counts = Histogram::empty(scheme.clone());
    for &latency in latencies {
        counts.record(Nanos::new(latency));
    }
    counts
}

fn share(latencies: &[u64], within: impl Fn(f64) -> bool) -> f64 {
    latencies.iter().filter(|&&ns| within(ns as f64)).count() as f64 / latencies.len() as f64
}

proptest! {
    #[test]
    fn modes_part_all_events_among_them(counts in histogram()) {
        let found = modes(&counts);
        prop_assert_eq!(found.is_empty(), counts.is_empty());
        for mode in &found {
            prop_assert!(mode.contains(mode.at), "{mode:?}");
            prop_assert!(mode.share > 0.0 && mode.time_share >= 0.0, "{mode:?}");
        }
        for pair in found.windows(2) {
            prop_assert_eq!(pair[0].edges.1, Some(pair[1].edges.0));
        }
        if let (Some(first), Some(last)) = (found.first(), found.last()) {
            prop_assert_eq!(first.edges.0, counts.quantile(0.0).unwrap().bucket.lo);
            prop_assert_eq!(last.edges.1, counts.non_zero().next_back().unwrap().0.hi);
            let total = |part: fn(&isotherm_analysis::Mode) -> f64| found.iter().map(part).sum::<f64>();
            prop_assert!((total(|mode| mode.share) - 1.0).abs() < 1e-9);
            let time = if counts.time_waited().seconds > 0.0 { 1.0 } else { 0.0 };
            prop_assert!((total(|mode| mode.time_share) - time).abs() < 1e-9);
        }
    }

    #[test]
    fn the_slowest_own_at_least_their_share(counts in histogram(), one in 0.001_f64..1.0, two in 0.001_f64..1.0) {
        prop_assume!(counts.time_waited().seconds > 0.0);
        let reported = |share| slowest(&counts, share).unwrap();
        let (less, more) = (reported(one.min(two)), reported(one.max(two)));
        prop_assert!(less.events <= more.events && less.from >= more.from);
        for tail in [less, more, tail_share(&counts, one).unwrap()] {
            prop_assert!(tail.events > 0.0 && tail.events <= 1.0 && tail.time <= 1.0);
            prop_assert!(tail.time >= tail.events - 1e-9, "{tail:?}");
        }
        prop_assert!(tail_share(&counts, one).unwrap().time >= one);
    }

    #[test]
    fn what_is_said_of_the_average_holds(latencies in latencies(), scheme in scheme()) {
        let latencies: Vec<u64> =
            latencies.into_iter().filter(|&ns| scheme.index_of(Nanos::new(ns)).is_some()).collect();
        prop_assume!(!latencies.is_empty());
        let found = average(&recorded(&scheme, &latencies)).unwrap();
        let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64;
        prop_assert!((found.mean_ns / mean - 1.0).abs() < 1e-9 || mean < 1.0);
        let holds = |(least, most): (f64, f64), share: f64| least <= share && share <= most;
        prop_assert!(holds(found.rank, share(&latencies, |ns| ns < found.mean_ns)), "{found:?}");
        let octave = found.mean_ns / std::f64::consts::SQRT_2;
        let near = share(&latencies, |ns| ns >= octave && ns < 2.0 * octave);
        prop_assert!(holds(found.near, near), "{found:?} {near}");
        prop_assert!((-1.0..=1.0).contains(&found.skew));
    }

    #[test]
    fn twice_the_same_is_the_same(counts in histogram(), share in 0.001_f64..1.0) {
        let twice = counts.merge(&counts);
        prop_assert_eq!(slowest(&twice, share), slowest(&counts, share));
        prop_assert_eq!(tail_share(&twice, share), tail_share(&counts, share));
        let both = average(&twice).zip(average(&counts));
        prop_assert!(both.is_none_or(|(two, one)| two.rank == one.rank && two.near == one.near));
    }

    #[test]
    fn any_percentile_can_be_asked_for(counts in histogram(), q in -0.5_f64..1.5) {
        let unstable = is_unstable(&counts, &modes(&counts), q);
        prop_assert!(!unstable || (q > 0.0 && q < 1.0 && !counts.is_empty()));
    }
}

#[test]
fn counts_too_large_to_add_up_are_no_panic() {
    for scheme in [Scheme::log_linear(), Scheme::powers_of_two(Unit::Nanos)] {
        let full = vec![u64::MAX; scheme.buckets()];
        let counts = Histogram::new(scheme, full, None).unwrap();
        let found = modes(&counts);
        assert!(!found.is_empty() && average(&counts).is_some());
        assert!(slowest(&counts, 0.5).is_some() && tail_share(&counts, 0.5).is_some());
        assert!(!is_unstable(&counts, &found, 1.0));
    }
}
