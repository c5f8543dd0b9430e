//! Periods against runs with a known truth.

use isotherm_frame::{Nanos, Scheme, Timestamp, Unit};

use crate::simulated::{Chance, Peak, drifting, run};
use crate::{ColumnState, Timeline, period};

/// Runs without a rhythm: load that wanders more or less slowly, a trend, lone bursts.
fn without_rhythm(seed: u64) -> Timeline {
    let seconds = [60, 150, 400, 1_000][usize::try_from(seed % 4).unwrap()];
    let memory = [0.0, 0.5, 0.9, 0.97][usize::try_from(seed / 4 % 4).unwrap()];
    let trend = [0.0, 3.0][usize::try_from(seed / 16 % 2).unwrap()];
    let mut load = drifting(memory);
    let scheme = if seed.is_multiple_of(3) {
        Scheme::powers_of_two(Unit::Micros)
    } else {
        Scheme::log_linear()
    };
    run(seed, seconds, &scheme, |second, chance: &mut Chance| {
        let grown = 1.0 + trend * second as f64 / seconds as f64;
        let burst = if chance.uniform() < 0.01 { 60.0 } else { 0.0 };
        let rate = 20.0 * grown * (0.3 * load(chance)).exp();
        vec![Peak(rate, 300.0, 0.4), Peak(0.02 * rate + burst, 20_000.0, 0.5)]
    })
}

#[test]
fn runs_without_rhythm_have_no_period() {
    let found = (0..400).filter(|&seed| period(&without_rhythm(seed)).is_some()).count();
    assert!(found <= 4, "{found} false alarms in 400 runs are more than 1 %");
}

/// 100 events/s near 0.3 ms, and for some seconds of every cycle slow ones.
fn bursts(seconds: usize, every: f64, long: f64) -> Timeline {
    run(5, seconds, &Scheme::log_linear(), |second, _| {
        let busy = (second as f64 - 5.0).rem_euclid(every) < long;
        vec![Peak(100.0, 300.0, 0.4), Peak(if busy { 30.0 } else { 0.3 }, 20_000.0, 0.5)]
    })
}

#[test]
fn bursts_at_regular_intervals_are_found_with_what_they_hold() {
    for (seconds, every, long, cycles) in
        [(300, 60.0, 3.0, 5), (3_600, 60.0, 3.0, 60), (600, 7.0, 2.0, 85), (600, 150.0, 5.0, 4)]
    {
        let found = period(&bursts(seconds, every, long)).unwrap();
        let error = (found.every.as_secs_f64() / every - 1.0).abs();
        assert!(error < 0.002 && found.cycles == cycles, "{every}: {found:?}");
        // Of a cycle: the bursts, of which the busy part holds most, and the rest.
        let burst = 30.0 * long * 20.0 * 1.03;
        let rest = 0.3 * (every - long) * 20.0 * 1.03 + 100.0 * every * 0.3 * 1.04;
        let most = burst / (burst + rest);
        assert!(found.time_share > 0.6 * most && found.time_share < 1.2 * most, "{found:?} {most}");
        // Two columns are taken together at most, and values smoothed over their neighbours.
        assert!(found.busy < (long + 6.0) / every, "{found:?}");
        let first = found.first.since(crate::simulated::at(0)).as_secs_f64();
        assert!((first - 5.0 - long / 2.0).abs() < 2.0, "{found:?}");
    }
}

#[test]
fn a_cycle_that_is_no_whole_number_of_columns_is_found() {
    let found = period(&bursts(3_600, 59.7, 2.0)).unwrap();
    assert!((found.every.as_secs_f64() - 59.7).abs() < 0.1, "{found:?}");
}

#[test]
fn three_cycles_and_two_dozen_columns_are_too_few() {
    assert_eq!(period(&bursts(180, 60.0, 3.0)), None);
    assert_eq!(period(&bursts(20, 5.0, 1.0)), None);
}

#[test]
fn gaps_do_not_break_a_rhythm() {
    let mut timeline = bursts(900, 60.0, 3.0);
    for column in &mut timeline.columns[200..330] {
        column.state = ColumnState::NoData;
        (column.events, column.covered_s, column.latencies) = (0, 0.0, None);
        column.waited.seconds = 0.0;
    }
    assert_eq!(period(&timeline).unwrap().every, Nanos::from_millis(60_000));
}

/// The first burst, 6.5 s after the beginning, is before the zero of the clock, which the measurement crosses.
#[test]
fn the_first_cycle_is_not_before_the_zero_of_a_clock_that_the_measurement_crosses() {
    let mut timeline = bursts(300, 60.0, 3.0);
    let from_zero = period(&timeline).unwrap();
    let begin = timeline.columns[0].start.as_nanos();
    for column in &mut timeline.columns {
        column.start = Timestamp::new(column.start.as_nanos() - begin - 10_000_000_000);
    }
    let shifted = period(&timeline).unwrap();
    assert!(shifted.first.as_nanos() >= 0, "{shifted:?}");
    let moved = shifted.first.as_nanos() - (from_zero.first.as_nanos() - begin - 10_000_000_000);
    assert_eq!(moved.unsigned_abs(), shifted.every.as_nanos());
}
