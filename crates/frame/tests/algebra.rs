//! The algebra of histograms, for any counts in any buckets.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

use isotherm_frame::{Histogram, Nanos, Scheme, Unit};
use proptest::prelude::*;

/// Histograms in schemes that differ in kind, range and resolution.
fn histogram() -> impl Strategy<Value = Histogram> {
    let own_bounds = prop::collection::btree_set(0_u64..2_000, 2..12)
        .prop_map(|bounds| Scheme::new(bounds.into_iter().collect()).unwrap());
    let scheme = prop_oneof![
        Just(Scheme::log_linear()),
        Just(Scheme::powers_of_two(Unit::Nanos)),
        Just(Scheme::powers_of_two(Unit::Micros)),
        own_bounds,
    ];
    scheme.prop_flat_map(|scheme| {
        let buckets = scheme.buckets();
        let filled = prop::collection::vec((0..buckets, 1_u64..1_000), 0..8);
        (filled, prop::option::of(0_u64..1_000_000)).prop_map(move |(filled, sum)| {
            let mut counts = vec![0; buckets];
            for (bucket, count) in filled {
                counts[bucket] += count;
            }
            Histogram::new(scheme.clone(), counts, sum.map(Nanos::new)).unwrap()
        })
    })
}

/// Latencies of all magnitudes.
fn latencies() -> impl Strategy<Value = Vec<u64>> {
    let any_magnitude = (0_u32..45, any::<u64>()).prop_map(|(bits, low)| low >> (63 - bits));
    prop::collection::vec(any_magnitude, 1..300)
}

fn recorded(scheme: &Scheme, latencies: &[u64]) -> Histogram {
    let mut histogram = Histogram::empty(scheme.clone());
    for &latency in latencies {
        histogram.record(Nanos::new(latency));
    }
    histogram
}

/// The time of every bucket.
fn times(latencies: &Histogram) -> Vec<u64> {
    let mut all = vec![0; latencies.scheme().buckets()];
    latencies.bucket_times_ns().for_each(|(bucket, ns)| all[bucket] += ns);
    all
}

proptest! {
    #[test]
    fn merge_commutes(one in histogram(), two in histogram()) {
        prop_assert_eq!(one.merge(&two), two.merge(&one));
    }

    #[test]
    fn merge_associates(one in histogram(), two in histogram(), three in histogram()) {
        let left = one.merge(&two).merge(&three);
        let right = one.merge(&two.merge(&three));
        prop_assert_eq!(left, right);
    }

    #[test]
    fn merge_conserves_and_never_splits_a_count(one in histogram(), two in histogram()) {
        let merged = one.merge(&two);
        prop_assert_eq!(merged.events(), one.events() + two.events());
        for (bucket, _) in one.non_zero().chain(two.non_zero()) {
            let home = merged.scheme().bucket(merged.scheme().index_of(bucket.lo).unwrap());
            prop_assert!(home.lo <= bucket.lo);
            prop_assert!(home.hi.is_none_or(|end| bucket.hi.is_some_and(|hi| hi <= end)));
        }
    }

    /// The total of two is the sum of both totals, each as well known as it is, whatever the
    /// buckets are.
    #[test]
    fn totals_and_times_add_up(one in histogram(), two in histogram(), spread in 0_u64..1_000) {
        prop_assume!(one.sum().is_none_or(|sum| sum == Nanos::ZERO || !one.is_empty()));
        let near = |left: f64, right: f64| (left - right).abs() <= 1e-9 * right.abs().max(1e-3);
        let merged = one.merge(&two);
        let (first, second) = (one.latency_total(), two.latency_total());
        // Totals that do not fit into 584 years are cut.
        prop_assume!(first.seconds + second.seconds < 1e9);
        prop_assert!(near(merged.latency_total().seconds, first.seconds + second.seconds));
        prop_assert!(!merged.latency_total().exact || (first.exact && second.exact) || one.is_empty() || two.is_empty());
        // Spread over its interval: the time is kept, and kept apart from the latencies.
        let ns: Vec<u64> = times(&two).iter().map(|ns| ns / 2 + spread).collect();
        let total_ns: u64 = ns.iter().sum();
        let spread = two.clone().with_waited(ns, true).unwrap();
        let merged = one.merge(&spread);
        prop_assert!(near(merged.time_waited().seconds, first.seconds + total_ns as f64 / 1e9));
        prop_assert!(near(merged.latency_total().seconds, first.seconds + second.seconds));
        let times: u64 = merged.bucket_times_ns().map(|(_, ns)| ns).sum();
        prop_assert!(near(times as f64 / 1e9, merged.time_waited().seconds));
        // What nobody said the time of stays apart, whoever is added to whom.
        let ended = |both: &Histogram| -> u64 { both.unplaced_times_ns().map(|(_, ns)| ns).sum() };
        prop_assert!(near(ended(&merged) as f64 / 1e9, first.seconds));
        prop_assert_eq!(ended(&merged), ended(&spread.merge(&one)));
        prop_assert_eq!(merged.is_time_placed(), ended(&merged) == 0);
        let parts = [merged.part((0, 333), 1_000), merged.part((333, 1_000), 1_000)];
        prop_assert_eq!(parts.iter().map(ended).sum::<u64>(), ended(&merged));
    }

    #[test]
    fn parts_of_an_interval_add_up_to_it(all in histogram(), cuts in prop::collection::vec(0_u64..1_000, 0..5)) {
        let ns = times(&all).iter().map(|ns| ns / 3 + 7).collect();
        let all = all.with_waited(ns, true).unwrap();
        let mut places: Vec<u64> = cuts.into_iter().chain([0, 1_000]).collect();
        places.sort_unstable();
        let parts = places.windows(2).map(|pair| all.part((pair[0], pair[1]), 1_000));
        let parts: Vec<Histogram> = parts.collect();
        prop_assert_eq!(Histogram::merged(&parts).unwrap(), all);
    }

    #[test]
    fn delta_undoes_accumulate(base in histogram(), more in prop::collection::vec(0_u64..1_000, 400)) {
        let counts = more[..].iter().copied().cycle().take(base.scheme().buckets()).collect();
        let more = Histogram::new(base.scheme().clone(), counts, Some(Nanos::new(77))).unwrap();
        let difference = base.merge(&more).since(&base).unwrap();
        prop_assert_eq!(difference.counts(), more.counts());
        prop_assert_eq!(difference.sum(), base.sum().and(more.sum()));
    }

    #[test]
    fn what_fell_is_an_error_never_a_negative(base in histogram()) {
        prop_assume!(!base.is_empty());
        prop_assert!(base.cleared().since(&base).is_err());
    }

    #[test]
    fn rebin_conserves(latencies in prop::collection::vec(0_u64..1 << 42, 1..300)) {
        // Octaves of nanoseconds nest in the buckets events are binned in.
        let octaves = Scheme::powers_of_two(Unit::Nanos);
        let fine = recorded(&Scheme::log_linear(), &latencies);
        prop_assert_eq!(fine.rebin(&octaves).unwrap(), recorded(&octaves, &latencies));
    }

    #[test]
    fn rebin_never_splits(counts in histogram(), target in histogram()) {
        if let Ok(rebinned) = counts.rebin(target.scheme()) {
            prop_assert_eq!(rebinned.events(), counts.events());
            prop_assert_eq!(rebinned.sum(), counts.sum());
        }
    }

    #[test]
    fn a_quantile_interval_contains_the_exact_quantile(latencies in latencies(), q in 0.0_f64..=1.0) {
        let mut sorted = latencies.clone();
        sorted.sort_unstable();
        let position = (q * sorted.len() as f64).ceil() as usize;
        let exact = Nanos::new(sorted[position.clamp(1, sorted.len()) - 1]);
        for scheme in [Scheme::log_linear(), Scheme::powers_of_two(Unit::Nanos), Scheme::powers_of_two(Unit::Micros)] {
            let interval = recorded(&scheme, &latencies).quantile(q).unwrap();
            prop_assert!(interval.contains(exact), "{interval:?} does not hold {exact:?}");
            prop_assert!(interval.bucket.contains(interval.estimate));
        }
    }

    #[test]
    fn quantiles_are_monotone(counts in histogram(), one in 0.0_f64..=1.0, two in 0.0_f64..=1.0) {
        prop_assume!(!counts.is_empty());
        let (less, more) = (one.min(two), one.max(two));
        let (less, more) = (counts.quantile(less).unwrap(), counts.quantile(more).unwrap());
        prop_assert!(less.bucket.lo <= more.bucket.lo);
        prop_assert!(less.estimate <= more.estimate);
    }

    #[test]
    fn recorded_events_have_an_exact_total(latencies in prop::collection::vec(0_u64..1 << 40, 0..200)) {
        let histogram = recorded(&Scheme::log_linear(), &latencies);
        prop_assert_eq!(histogram.sum(), Some(Nanos::new(latencies.iter().sum())));
    }
}

#[test]
fn the_estimate_is_the_classic_three_quarters_of_the_upper_bound() {
    let scheme = Scheme::powers_of_two(Unit::Millis);
    let mut counts = vec![0; scheme.buckets()];
    counts[scheme.index_of(Nanos::from_millis(8)).unwrap()] = 1_000;
    let waited = Histogram::new(scheme, counts, None).unwrap().time_waited();
    assert!((waited.seconds - 0.75 * 0.016 * 1_000.0).abs() < 1e-9);
    assert!(!waited.exact);
}

#[test]
fn a_wrong_number_of_counts_is_refused() {
    let scheme = Scheme::new(vec![0, 1, 2]).unwrap();
    assert!(Histogram::new(scheme, vec![1, 2, 3], None).is_err());
}
