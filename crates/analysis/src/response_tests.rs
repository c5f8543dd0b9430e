//! The response to load against runs with a known truth.

use isotherm_frame::Scheme;

use crate::simulated::{Chance, Peak, drifting, run};
use crate::{ResponseKind, Timeline, response};

/// Latency of `of(load)` microseconds at a load that wanders, 40 to 160 events/s.
fn wandering(seed: u64, memory: f64, of: impl Fn(f64, f64) -> f64) -> Timeline {
    let (mut load, mut other) = (drifting(memory), drifting(memory));
    run(seed, 600, &Scheme::log_linear(), |_, chance: &mut Chance| {
        let rate = (100.0 * (0.35 * load(chance)).exp()).min(190.0);
        vec![Peak(rate, of(rate, other(chance)), 0.5)]
    })
}

fn kinds(of: impl Fn(f64, f64) -> f64, memory: f64) -> Vec<Option<ResponseKind>> {
    let kind = |seed| response(&wandering(seed, memory, &of)).map(|found| found.kind);
    (0..5).map(kind).collect()
}

#[test]
fn a_queue_follows_load_and_bends() {
    for memory in [0.0, 0.5, 0.9] {
        for seed in 0..5 {
            // A server that answers 200 a second: 1 / (200 - rate), in microseconds.
            let queue = wandering(seed, memory, |rate, _| 1e6 / (200.0 - rate));
            let found = response(&queue).unwrap();
            assert!(matches!(found.kind, ResponseKind::Follows(Some(_))), "{found:?}");
            assert!(found.correlation > 0.8 && found.means_ns.1 > 3.0 * found.means_ns.0);
            // Flat up to 110 events/s, then a millisecond for each 17 more.
            let hockey = wandering(seed, memory, |rate, _| 1e3 + 60.0 * (rate - 110.0).max(0.0));
            let found = response(&hockey).unwrap();
            let ResponseKind::Follows(Some(knee)) = found.kind else { panic!("{found:?}") };
            assert!((knee / 110.0 - 1.0).abs() < 0.12, "{knee}");
        }
    }
}

#[test]
fn a_straight_rise_has_no_knee() {
    for kind in kinds(|rate, _| 20.0 * rate, 0.5) {
        assert_eq!(kind, Some(ResponseKind::Follows(None)));
    }
}

#[test]
fn latency_on_its_own_does_not_follow_load() {
    for kind in kinds(|_, _| 1_000.0, 0.5) {
        assert_eq!(kind, Some(ResponseKind::Unrelated));
    }
    // Slow for long, whatever the load.
    for kind in kinds(|_, other| 1_000.0 * (0.8 * other).exp(), 0.9) {
        assert_eq!(kind, Some(ResponseKind::VariesWithoutLoad));
    }
    // From one second to the next only: chance.
    for kind in kinds(|_, other| 1_000.0 * (0.8 * other).exp(), 0.0) {
        assert_eq!(kind, Some(ResponseKind::Unrelated));
    }
}

#[test]
fn eight_callers_wait_whatever_the_rate() {
    for memory in [0.0, 0.9] {
        for seed in 0..5 {
            let found = response(&wandering(seed, memory, |rate, _| 8e6 / rate)).unwrap();
            assert_eq!(found.kind, ResponseKind::Closed);
            // Of log-normal latencies the mean is exp((0.5 ln 2)^2 / 2) times the middle.
            assert!((found.waiting / (8.0 * 1.062) - 1.0).abs() < 0.05, "{found:?}");
        }
    }
}

#[test]
fn what_wanders_on_its_own_rarely_seems_to_follow() {
    let follows = |seed: u64| {
        let memory = [0.0, 0.5, 0.9, 0.97][usize::try_from(seed % 4).unwrap()];
        let found = response(&wandering(seed, memory, |_, other| 1_000.0 * (0.4 * other).exp()));
        matches!(
            found.map(|found| found.kind),
            Some(ResponseKind::Follows(_) | ResponseKind::Closed)
        )
    };
    let found = (0..200).filter(|&seed| follows(seed)).count();
    assert!(found <= 2, "{found} false alarms in 200 runs");
}

#[test]
fn too_little_load_or_time_says_nothing() {
    let even = run(1, 600, &Scheme::log_linear(), |_, _| vec![Peak(200.0, 1_000.0, 0.5)]);
    assert_eq!(response(&even), None);
    let short = run(1, 15, &Scheme::log_linear(), |second, _| {
        vec![Peak(20.0 * (second + 1) as f64, 100.0 * (second + 1) as f64, 0.5)]
    });
    assert_eq!(response(&short), None);
}
