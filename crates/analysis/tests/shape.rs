//! The shape of one distribution, by examples small enough to reckon by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use isotherm_analysis::{
    Grid, Timeline, average, is_unstable, modes, outliers, slowest, tail_share,
};
use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit};

fn two_hills(scheme: Scheme) -> Histogram {
    let mut counts = Histogram::empty(scheme);
    for step in 0..700 {
        counts.record(Nanos::from_micros(180 + step % 60));
    }
    for step in 0..300 {
        counts.record(Nanos::from_micros(7_000 + 10 * (step % 100)));
    }
    counts
}

#[test]
fn two_hills_are_two_modes_with_their_shares() {
    for scheme in [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)] {
        let found = modes(&two_hills(scheme));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found[0].share - 0.7).abs() < 1e-9 && (found[1].share - 0.3).abs() < 1e-9);
        assert!(found[0].at > Nanos::from_micros(120) && found[0].at < Nanos::from_micros(400));
        assert!(found[1].at > Nanos::from_millis(4) && found[1].at < Nanos::from_millis(12));
        assert_eq!(found[0].edges.1, Some(found[1].edges.0));
        assert!((found[0].time_share + found[1].time_share - 1.0).abs() < 1e-9);
        // 0.7 x 0.21 ms against 0.3 x 7.5 ms, as far as the buckets tell.
        assert!((found[1].time_share - 0.938).abs() < 0.02, "{found:?}");
    }
}

#[test]
fn one_hill_is_one_mode_and_nothing_is_none() {
    let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
    for (us, times) in [(40, 20), (80, 60), (160, 100), (320, 50), (640, 5)] {
        (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
    }
    let found = modes(&counts);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].edges, (Nanos::from_micros(32), Some(Nanos::from_micros(1_024))));
    assert_eq!(modes(&counts.cleared()), vec![]);
}

fn millis(counts: &[u64]) -> Histogram {
    let scheme = Scheme::powers_of_two(Unit::Millis);
    let mut all = vec![0; scheme.buckets()];
    all[..counts.len()].copy_from_slice(counts);
    Histogram::new(scheme, all, None).unwrap()
}

fn close(one: f64, two: f64) -> bool {
    (one - two).abs() < 1e-9
}

#[test]
fn the_slowest_are_reported_in_whole_buckets() {
    // 1-2, 2-4, 4-8, 8-16 ms: 1,350 + 270 + 54 + 12 = 1,686 ms by the middles.
    let counts = millis(&[0, 900, 90, 9, 1]);
    let reported = |share| slowest(&counts, share).unwrap();
    let (one, ten) = (reported(0.01), reported(0.1));
    assert_eq!((one.from, ten.from), (Nanos::from_millis(4), Nanos::from_millis(2)));
    assert!(close(one.events, 0.01) && close(one.time, 66.0 / 1_686.0), "{one:?}");
    assert!(close(ten.events, 0.1) && close(ten.time, 336.0 / 1_686.0), "{ten:?}");
    // 3 % is nearer to 1 % than to 10 %, 4 % is not.
    assert_eq!((reported(0.03), reported(0.04)), (one, ten));
    assert_eq!(reported(0.0001).from, Nanos::from_millis(8));
    assert!(close(reported(1.0).time, 1.0));
    assert_eq!(slowest(&counts, 0.0).or(slowest(&counts, 1.1)), None);
    assert_eq!(slowest(&counts.cleared(), 0.1), None);
}

#[test]
fn a_share_of_the_wait_is_owned_by_the_longest() {
    let counts = millis(&[0, 900, 90, 9, 1]);
    let tail = tail_share(&counts, 0.1).unwrap();
    assert_eq!(tail, slowest(&counts, 0.1).unwrap());
    assert!(close(tail_share(&counts, 0.5).unwrap().events, 1.0));
    assert_eq!(tail_share(&counts.cleared(), 0.5), None);
}

#[test]
fn the_average_is_near_nobody_between_two_hills() {
    let mut counts = Histogram::empty(Scheme::log_linear());
    for ms in [1, 1, 1, 1, 1, 1, 1, 1, 1, 100] {
        counts.record(Nanos::from_millis(ms));
    }
    let found = average(&counts).unwrap();
    assert!(found.exact && close(found.mean_ns, 10.9e6), "{found:?}");
    assert_eq!((found.rank, found.near), ((0.9, 0.9), (0.0, 0.0)));
    // (10.9 - 1) / 29.7, the standard deviation of nine ones and a hundred.
    assert!((found.skew - 0.333).abs() < 0.015, "{found:?}");
    let (least, most) = found.times_median();
    assert!(least < 10.9 && 10.9 < most.unwrap() && most.unwrap() < 12.5);
    assert_eq!(average(&counts.cleared()), None);
}

#[test]
fn how_many_are_near_the_average_is_as_sure_as_the_buckets() {
    // The mean by the middles is (300 x 1.5 + 600 x 3 + 100 x 6) / 1000 = 2.85 ms.
    let found = average(&millis(&[0, 300, 600, 100])).unwrap();
    assert!(!found.exact && close(found.mean_ns, 2.85e6));
    assert_eq!(found.rank, (0.3, 0.9));
    // From 2.02 to 4.03 ms: no bucket lies in it, and the upper two reach into it.
    assert_eq!(found.near, (0.0, 0.7));
}

/// Ten columns of a thousand events from 0.7 to 1.4 ms each, and what `extra` adds to a column.
fn timeline(extra: &[(usize, u64)]) -> Timeline {
    let second = |s: usize| Timestamp::new(i64::try_from(s).unwrap() * 1_000_000_000);
    let frames: Vec<Frame> = (0..10)
        .map(|s| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            (0..1_000).for_each(|step| counts.record(Nanos::from_micros(700 + step * 7 / 10)));
            for (_, us) in extra.iter().filter(|(column, _)| *column == s) {
                counts.record(Nanos::from_micros(*us));
            }
            let series = Series::named("read");
            let (start, end) = (second(s), second(s + 1));
            Frame { series, start, end, counts, quality: Quality::Complete }
        })
        .collect();
    Timeline::place(&frames, Grid::covering(&frames, 10).unwrap())
}

#[test]
fn outliers_are_listed_with_their_time() {
    let found = outliers(&timeline(&[(3, 100_000), (7, 12_000), (7, 90_000), (8, 9_000)]));
    let reported: Vec<_> =
        found.iter().map(|o| (o.start.as_nanos() / 1_000_000_000, o.events)).collect();
    // 9 ms is more than 3 times 1.4 ms, which p99.9 is at most, and nothing lies between.
    assert_eq!(reported, [(3, 1), (7, 1), (7, 1), (8, 1)]);
    assert!(found[0].bucket.contains(Nanos::from_millis(100)));
    // log2(100 / 1.4) is 6.2; the buckets are an eighth wide.
    assert!((found[0].octaves - 6.15).abs() < 0.2, "{found:?}");
    // 4 ms is not 3 times 1.4 ms: it is one of the others, of which 100 ms is 25 times the longest.
    let found = outliers(&timeline(&[(3, 100_000), (8, 4_000)]));
    assert_eq!(found.len(), 1, "{found:?}");
    // "At least": never more, and less by the widths of two buckets at most, an eighth each.
    assert!((25.0 / 1.125 / 1.125..=25.0).contains(&found[0].octaves.exp2()), "{found:?}");
}

#[test]
fn what_is_not_isolated_or_not_rare_is_no_outlier() {
    // An unbroken tail: an event in every other bucket up to 60 ms.
    let tail: Vec<(usize, u64)> = (0..32).map(|n| (2, 1_500 * (1_u64 << (n / 6)))).collect();
    assert_eq!(outliers(&timeline(&tail)), vec![]);
    // A second hill is a mode, not outliers.
    let hill: Vec<(usize, u64)> = (0..1_500).map(|n| (4, 50_000 + n * 10)).collect();
    assert_eq!(outliers(&timeline(&hill)), vec![]);
    assert_eq!(outliers(&timeline(&[])), vec![]);
}

#[test]
fn a_percentile_between_two_modes_is_unstable() {
    let counts = two_hills(Scheme::log_linear());
    let found = modes(&counts);
    for (q, unstable) in [(0.5, false), (0.68, true), (0.7, true), (0.72, true), (0.9, false)] {
        assert_eq!(is_unstable(&counts, &found, q), unstable, "{q}");
    }
    // 1000 events know no p99.9: 1 is beyond it, give or take 2. The maximum is what it is.
    assert!(is_unstable(&counts, &found, 0.999));
    assert!(!is_unstable(&counts, &found, 1.0) && !is_unstable(&counts.cleared(), &[], 0.5));
}
