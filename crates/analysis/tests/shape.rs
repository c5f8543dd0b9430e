//! The shape of one distribution, by examples small enough to reckon by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use isotherm_analysis::{average, modes, slowest, tail_share};
use isotherm_frame::{Histogram, Nanos, Scheme, Unit};

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

#[test]
fn the_tail_is_told_by_events_and_by_time() {
    let tail = tail_share(&two_hills(Scheme::log_linear()), 0.4).unwrap();
    assert!(tail.from >= Nanos::from_millis(6));
    assert!(tail.events < 0.31 && tail.time >= 0.4);
    let counts = two_hills(Scheme::powers_of_two(Unit::Micros));
    assert!((slowest(&counts, 0.1).unwrap().events - 0.3).abs() < 1e-9);
    assert!(average(&counts).unwrap().near.1 < 1e-9);
}
