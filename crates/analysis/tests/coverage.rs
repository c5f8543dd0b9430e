//! Intervals of ratios hold the truth also where only one side has what is rare.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "synthetic/unequal.rs"]
mod unequal;

#[path = "synthetic/rates.rs"]
mod rates;

use isotherm_analysis::{Difference, Measure, RelativeThreshold, Verdict, compare};
use rates::{unequal_rates, with_slower_b};
use unequal::{Pair, pairs};

const RUNS: u64 = 8;

/// How many of the intervals of a measure do not hold the true ratio.
fn missed(pair: &Pair) -> usize {
    let [mean, waited, _] = pair.truth();
    let wrong = |seed: u64| {
        let [a, b] = pair.draw(seed);
        let found = compare(&a, &b, 1);
        let holds = |measure: Measure, truth: f64| {
            let shift = found.shifts.iter().find(|shift| shift.measure == measure).unwrap();
            shift.interval.is_none_or(|(lo, hi)| (lo..=hi).contains(&truth))
        };
        !holds(Measure::Mean, mean) || !holds(Measure::Waited, waited)
    };
    (1..=RUNS).filter(|seed| wrong(*seed)).count()
}

/// A small version of `examples/coverage.rs`, with fixed seeds. All intervals of a comparison are right
/// together 19 times in 20; two of them are looked at. If they alone missed once in 20 times, more
/// than two misses in 8 would come once in 170 pairs of runs.
#[test]
fn intervals_hold_the_true_ratio_where_only_one_side_has_rare_or_lasting_slowness() {
    let mut all = 0;
    for pair in pairs().iter().filter(|pair| pair.seconds < 200.0) {
        let missed = missed(pair);
        assert!(missed <= 2, "{}: {missed} of {RUNS}", pair.name);
        all += missed;
    }
    assert!(all <= 7, "{all} misses");
}

/// One event in a hundred a thousand times as long: the mean is 10.99 times as long, and nobody knows
/// from a minute whether it is less than ten times.
#[test]
fn a_mean_of_eleven_times_is_not_proved_to_be_below_ten_nor_called_the_same() {
    let pairs = pairs();
    let pair = pairs.iter().find(|pair| pair.name == "1 % x1000 in B").unwrap();
    let (mut below, mut above) = (0, 0);
    for seed in 1..=RUNS {
        let [a, b] = pair.draw(seed);
        let found = compare(&a, &b, 1);
        let judge = |text: &str| text.parse::<RelativeThreshold>().unwrap().judge(&found);
        below += u32::from(judge("mean<10x") == Verdict::Holds);
        above += u32::from(judge("mean>1.2x") == Verdict::Holds);
    }
    assert_eq!((below, above), (0, 8));
}

/// How many of so many pairs of runs are called slower, faster or both.
fn called_different(pair: &Pair, runs: u64) -> usize {
    let is_called = |seed: &u64| {
        let [a, b] = pair.draw(*seed);
        let verdict = compare(&a, &b, 1).verdict;
        matches!(verdict, Difference::Slower | Difference::Faster | Difference::Mixed)
    };
    (1..=runs).filter(is_called).count()
}

/// A small version of `examples/unequal_rates.rs`, with fixed seeds. Of equal latencies at most 5.2 % of
/// pairs may be called different, whatever their rates are: more than 28 of 300 would come once in 1,000
/// times. Judged by the variance of intervals alone, whatever they counted, a quarter was.
#[test]
fn equal_latencies_are_no_difference_however_many_events_either_side_has() {
    let pairs = unequal_rates();
    let unequal = pairs.iter().filter(|pair| pair.seconds < 60.0).skip(1);
    let called: Vec<usize> = unequal.map(|pair| called_different(pair, 60)).collect();
    assert_eq!(called.len(), 5);
    assert!(called.iter().sum::<usize>() <= 28, "{called:?}");
}

/// Slower by three tenths is found whichever side has more events.
#[test]
fn the_slower_side_is_found_also_where_it_has_more_events_or_fewer() {
    for pair in unequal_rates().iter().filter(|pair| pair.name.contains("200")).take(2) {
        let slower = with_slower_b(pair, 1.3).unwrap();
        assert!(called_different(&slower, 20) >= 19, "{}", pair.name);
    }
}
