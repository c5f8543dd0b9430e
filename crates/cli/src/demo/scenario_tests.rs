//! What the captions and the documentation say of the scenario holds of its single events.

use super::*;

fn count(operations: &[Operation], wanted: impl Fn(&Operation) -> bool) -> u64 {
    operations.iter().filter(|one| wanted(one)).count() as u64
}

fn median(operations: &[Operation], (from, to): (Nanos, Nanos)) -> f64 {
    let inside = operations.iter().filter(|one| one.begin >= from && one.end() < to);
    let mut latencies: Vec<Nanos> = inside.map(|one| one.latency).collect();
    latencies.sort_unstable();
    latencies[latencies.len() / 2].as_secs_f64()
}

fn within(one: &Operation, (from, to): (Nanos, Nanos)) -> bool {
    one.begin >= from && one.begin < to
}

#[test]
fn every_event_is_in_an_interval_and_none_in_the_gap() {
    let scenario = Scenario::draw();
    let frames = scenario.frames();
    let counted: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
    assert_eq!(counted, scenario.events());
    assert!(counted > 200_000, "{counted}");
    assert!(frames.iter().all(|frame| !frame.is_amendment()));
    for (series, operations) in &scenario.operations {
        let own: Vec<&Frame> = frames.iter().filter(|frame| frame.series == *series).collect();
        // 292 seconds, and the gap as one.
        assert_eq!(own.len(), 293, "{series}");
        assert!(own.windows(2).all(|pair| pair[0].end == pair[1].start), "{series}");
        let latency_s: f64 = operations.iter().map(|one| one.latency.as_secs_f64()).sum();
        let waited_s: f64 = own.iter().map(|frame| frame.counts.time_waited().seconds).sum();
        assert!((waited_s / latency_s - 1.0).abs() < 1e-9, "{series}: {waited_s} {latency_s}");
        assert_eq!(count(operations, |one| one.end() >= GAP.0 && one.begin < GAP.1), 0);
    }
}

#[test]
fn the_band_is_in_one_device_and_owns_most_of_the_time_with_few_of_the_reads() {
    let scenario = Scenario::draw();
    let slow = |one: &Operation| one.latency > Nanos::from_millis(18);
    let (mut reads, mut slow_reads, mut all_s, mut slow_s) = (0, 0, 0.0, 0.0);
    for (series, operations) in &scenario.operations {
        let is_culprit = series.attributes().any(|one| one == ("device", CULPRIT));
        let inside: Vec<Operation> =
            operations.iter().filter(|one| within(one, BAND)).copied().collect();
        all_s += inside.iter().map(|one| one.latency.as_secs_f64()).sum::<f64>();
        if series.name() != "block I/O" {
            continue;
        }
        let own = count(&inside, slow);
        // 55 a second for 50 s in the one, hardly any in the others: 5 ms is 4.6 deviations away.
        assert!(if is_culprit { (2_550..2_950).contains(&own) } else { own < 5 }, "{series} {own}");
        let outside = count(operations, slow) - own;
        assert!(outside < 10, "{series}: {outside}");
        (reads, slow_reads) = (reads + inside.len(), slow_reads + own);
        let slow_only = inside.iter().filter(|one| slow(one));
        slow_s += slow_only.map(|one| one.latency.as_secs_f64()).sum::<f64>();
    }
    assert!((slow_reads as f64) < 0.1 * reads as f64, "{slow_reads} of {reads}");
    assert!(slow_s > 0.5 * all_s, "{slow_s} of {all_s}");
}

#[test]
fn commits_stall_for_two_and_a_half_seconds_and_take_three_times_as_long_after_the_deploy() {
    let scenario = Scenario::draw();
    let (_, commits) =
        scenario.operations.iter().find(|(series, _)| series.name() == "log file sync").unwrap();
    assert_eq!(count(commits, |one| one.end() >= STALL.0 && one.end() < STALL.1), 0);
    let caught_up = count(commits, |one| one.begin < STALL.1 && one.end() >= STALL.1);
    assert_eq!(caught_up, SESSIONS);
    // How many wait at once, counted at the end of the stall: all sessions and no more.
    assert_eq!(count(commits, |one| one.begin <= STALL.1 && one.end() > STALL.1), SESSIONS);
    let before_s = median(commits, (Nanos::ZERO, STALL.0));
    let after_s = median(commits, (DEPLOY, LENGTH));
    assert!((before_s - 1e-3).abs() < 5e-5 && (after_s - 3e-3).abs() < 15e-5);
}

#[test]
fn the_bands_of_reads_are_where_the_caption_says() {
    let scenario = Scenario::draw();
    for (series, operations) in scenario.operations.iter().filter(|one| one.0.name() == "block I/O")
    {
        let millisecond = Nanos::from_millis(1);
        let (fast, slow): (Vec<Operation>, Vec<Operation>) =
            operations.iter().partition(|one| one.latency < millisecond);
        let quiet = (Nanos::ZERO, BAND.0);
        let (fast_s, slow_s) = (median(&fast, quiet), median(&slow, quiet));
        assert!((fast_s - 0.12e-3).abs() < 5e-6, "{series}: {fast_s}");
        assert!((slow_s - 5e-3).abs() < 3e-4, "{series}: {slow_s}");
    }
}
