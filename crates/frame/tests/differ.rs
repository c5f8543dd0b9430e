//! Running totals become intervals: never a negative, never a spike, always a mark.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

use isotherm_frame::{
    AnomalyKind, Differ, Frame, Gap, Histogram, Nanos, Partial, Quality, Scheme, Series, Step,
    Timestamp, Unit,
};
use proptest::prelude::*;

/// Totals by bucket: (lower bound in microseconds, count).
fn total(counts: &[(u64, u64)]) -> Histogram {
    let scheme = Scheme::powers_of_two(Unit::Micros);
    let mut buckets = vec![0; scheme.buckets()];
    for (us, count) in counts {
        buckets[scheme.index_of(Nanos::from_micros(*us)).unwrap()] += count;
    }
    Histogram::new(scheme, buckets, None).unwrap()
}

struct Poller {
    differ: Differ,
    series: Series,
}

impl Poller {
    fn new() -> Poller {
        Poller { differ: Differ::new(), series: Series::named("db file sequential read") }
    }

    fn poll(&mut self, second: i64, counts: &[(u64, u64)]) -> Step {
        self.poll_epoch(second, counts, None)
    }

    fn poll_epoch(&mut self, second: i64, counts: &[(u64, u64)], epoch: Option<i64>) -> Step {
        let series = self.series.clone();
        self.differ.push(at(second), &series, total(counts), epoch.map(at))
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::new(second * 1_000_000_000)
}

fn kinds(step: &Step) -> Vec<AnomalyKind> {
    step.anomalies.iter().map(|anomaly| anomaly.kind).collect()
}

fn frame(step: &Step) -> &Frame {
    step.frame.as_ref().expect("an interval was completed")
}

#[test]
fn the_first_total_is_a_baseline_and_the_next_an_interval() {
    let mut poller = Poller::new();
    assert_eq!(poller.poll(10, &[(64, 1_000)]), Step::default());
    let step = poller.poll(13, &[(64, 1_030)]);
    assert_eq!(frame(&step).counts.events(), 30);
    assert_eq!((frame(&step).start, frame(&step).end), (at(10), at(13)));
    assert_eq!(frame(&step).quality, Quality::Complete);
    assert!(step.anomalies.is_empty());
}

#[test]
fn a_reset_is_a_gap_and_a_mark() {
    let mut poller = Poller::new();
    poller.poll(0, &[(64, 1_000), (128, 50)]);
    let step = poller.poll(1, &[(64, 3)]);
    assert_eq!(frame(&step).quality, Quality::Gap(Gap::Reset));
    assert_eq!(frame(&step).counts.events(), 0);
    assert_eq!(kinds(&step), [AnomalyKind::Reset]);
    // The total after the reset is the new baseline.
    assert_eq!(frame(&poller.poll(2, &[(64, 10)])).counts.events(), 7);
}

#[test]
fn a_restart_is_seen_by_its_epoch_even_if_no_count_fell() {
    let mut poller = Poller::new();
    poller.poll_epoch(10, &[(64, 5)], Some(1));
    let step = poller.poll_epoch(11, &[(64, 900)], Some(10));
    assert_eq!(frame(&step).quality, Quality::Gap(Gap::Reset));
    assert_eq!(kinds(&step), [AnomalyKind::Reset]);
}

#[test]
fn a_new_bucket_row_counts_from_zero() {
    let mut poller = Poller::new();
    poller.poll(0, &[(64, 10)]);
    let step = poller.poll(1, &[(64, 10), (1_048_576, 2)]);
    assert_eq!(frame(&step).counts.events(), 2);
    assert!(step.anomalies.is_empty());
}

#[test]
fn a_bucket_missing_from_another_scheme_counts_from_zero() {
    let narrow = Scheme::new(vec![0, 100, 200]).unwrap();
    let wide = Scheme::new(vec![0, 100, 200, 300]).unwrap();
    let mut differ = Differ::new();
    let series = Series::named("linear");
    let narrow = Histogram::new(narrow, vec![5, 6], None).unwrap();
    let wide = Histogram::new(wide, vec![7, 6, 4], None).unwrap();
    differ.push(at(0), &series, narrow, None);
    let step = differ.push(at(1), &series, wide, None);
    assert_eq!(frame(&step).counts.counts(), [2, 0, 4]);
}

#[test]
fn a_series_that_appears_late_is_marked_and_is_no_spike() {
    let mut poller = Poller::new();
    let late = Series::named("log file sync");
    poller.poll(0, &[(64, 10)]);
    poller.poll(1, &[(64, 11)]);
    let step = poller.differ.push(at(1), &late, total(&[(64, 9_999_999)]), None);
    assert_eq!(step.frame, None);
    assert_eq!(kinds(&step), [AnomalyKind::Appeared]);
    poller.poll(2, &[(64, 12)]);
    let step = poller.differ.push(at(2), &late, total(&[(64, 10_000_001)]), None);
    assert_eq!(frame(&step).counts.events(), 2);
}

#[test]
fn a_series_that_vanishes_and_returns_is_marked_and_conserved() {
    let mut poller = Poller::new();
    let gone = Series::named("gone");
    for second in 0..2 {
        poller.poll(second, &[(64, 10)]);
        poller.differ.push(at(second), &gone, total(&[(64, 100)]), None);
    }
    assert_eq!(kinds(&poller.poll(2, &[(64, 10)])), []);
    assert_eq!(kinds(&poller.poll(3, &[(64, 10)])), [AnomalyKind::Vanished]);
    assert_eq!(kinds(&poller.poll(4, &[(64, 10)])), []);
    let step = poller.differ.push(at(4), &gone, total(&[(64, 130)]), None);
    assert_eq!(
        kinds(&step),
        [AnomalyKind::Appeared, AnomalyKind::LatePoll(Nanos::new(3_000_000_000))]
    );
    assert_eq!(frame(&step).counts.events(), 30);
    assert_eq!(frame(&step).length(), Nanos::new(3_000_000_000));
}

#[test]
fn a_late_poll_is_marked_and_keeps_its_true_length() {
    let mut poller = Poller::new();
    poller.poll(0, &[(64, 0)]);
    poller.poll(1, &[(64, 100)]);
    let step = poller.poll(6, &[(64, 600)]);
    assert_eq!(frame(&step).quality, Quality::Partial(Partial::LatePoll));
    assert_eq!(kinds(&step), [AnomalyKind::LatePoll(Nanos::new(5_000_000_000))]);
    assert_eq!(frame(&step).length(), Nanos::new(5_000_000_000));
}

#[test]
fn one_short_interval_does_not_make_all_that_follow_late() {
    let mut poller = Poller::new();
    let late: Vec<bool> = [0, 60, 120, 125, 185, 245, 305]
        .map(|second| poller.poll(second, &[(64, 10)]))
        .iter()
        .map(|step| !step.anomalies.is_empty())
        .collect();
    assert_eq!(late, [false; 7]);
    let step = poller.poll(405, &[(64, 11)]);
    assert_eq!(kinds(&step), [AnomalyKind::LatePoll(Nanos::new(100_000_000_000))]);
    // After a restart nothing is usual yet.
    let restarted = poller.poll_epoch(410, &[(64, 1)], Some(409));
    assert_eq!(kinds(&restarted), [AnomalyKind::Reset]);
    assert!(poller.poll_epoch(470, &[(64, 2)], Some(409)).anomalies.is_empty());
}

#[test]
fn a_second_total_for_one_moment_waits_for_the_next() {
    let mut poller = Poller::new();
    poller.poll(0, &[(64, 0)]);
    poller.poll(1, &[(64, 5)]);
    let step = poller.poll(1, &[(64, 9)]);
    assert_eq!(step.frame, None);
    assert_eq!(kinds(&step), [AnomalyKind::DuplicateTime]);
    assert_eq!(frame(&poller.poll(2, &[(64, 12)])).counts.events(), 7);
}

#[test]
fn a_clock_that_steps_back_loses_nothing_unsaid_and_draws_nothing_twice() {
    let mut poller = Poller::new();
    let unplaced = |events| AnomalyKind::Unplaced(events);
    poller.poll(100, &[(64, 0)]);
    assert_eq!(frame(&poller.poll(103, &[(64, 30)])).counts.events(), 30);
    // A second later the clock shows 101: seconds 100 to 103 were drawn already.
    let step = poller.poll(101, &[(64, 37)]);
    let back = AnomalyKind::ClockBack(Nanos::new(2_000_000_000));
    assert_eq!((step.frame.as_ref(), kinds(&step)), (None, vec![back, unplaced(7)]));
    let step = poller.poll(102, &[(64, 41)]);
    assert_eq!((step.frame.as_ref(), kinds(&step)), (None, vec![unplaced(4)]));
    // Of the second until 104 only the part after 103 was not drawn, and its counts are not known.
    let step = poller.poll(104, &[(64, 50)]);
    assert_eq!(kinds(&step), [unplaced(9)]);
    assert_eq!((frame(&step).start, frame(&step).end), (at(103), at(104)));
    assert_eq!(frame(&step).quality, Quality::Gap(Gap::ClockBack));
    assert!(frame(&step).counts.is_empty());
    let step = poller.poll(105, &[(64, 60)]);
    assert_eq!((frame(&step).counts.events(), kinds(&step)), (10, vec![]));
}

#[test]
fn a_clock_that_steps_back_before_everything_goes_on_until_what_was_drawn() {
    // Two records of one machine, the later one first.
    let mut poller = Poller::new();
    poller.poll(100, &[(64, 50)]);
    poller.poll(101, &[(64, 60)]);
    let step = poller.poll(50, &[(64, 10)]);
    let back = AnomalyKind::ClockBack(Nanos::new(51_000_000_000));
    assert_eq!((step.frame.as_ref(), kinds(&step)), (None, vec![back, AnomalyKind::Reset]));
    assert_eq!(frame(&poller.poll(51, &[(64, 20)])).counts.events(), 10);
    assert_eq!(frame(&poller.poll(100, &[(64, 25)])).counts.events(), 5);
    let step = poller.poll(101, &[(64, 29)]);
    assert_eq!((step.frame.as_ref(), kinds(&step)), (None, vec![AnomalyKind::Unplaced(4)]));
    assert_eq!(frame(&poller.poll(102, &[(64, 31)])).counts.events(), 2);
}

proptest! {
    /// Whatever totals come at whatever times: no interval ends before it begins, intervals that
    /// are no gaps add up to at most what was counted, and every reset is marked.
    #[test]
    fn never_a_negative_never_a_spike(polls in prop::collection::vec((0_i64..30, 0_u64..100, 0_u64..100), 1..40)) {
        let mut poller = Poller::new();
        let mut risen = 0_u64;
        let mut last: Option<(u64, u64)> = None;
        let mut drawn = 0;
        for (second, short, long) in polls {
            let step = poller.poll(second, &[(64, short), (4_096, long)]);
            let (s, l) = last.unwrap_or((short, long));
            // What really was counted between two polls is at least what the buckets rose by.
            risen += short.saturating_sub(s) + long.saturating_sub(l);
            let fell = short < s || long < l;
            if let Some(frame) = &step.frame {
                prop_assert!(frame.start < frame.end);
                let is_reset = frame.quality == Quality::Gap(Gap::Reset);
                prop_assert!(!is_reset || kinds(&step).contains(&AnomalyKind::Reset));
                prop_assert!(!fell || frame.is_gap());
                drawn += frame.counts.events();
            }
            if !kinds(&step).contains(&AnomalyKind::DuplicateTime) {
                last = Some((short, long));
            }
        }
        prop_assert!(drawn <= risen);
    }

    /// Counters that only rise, on a clock that jumps: every event is in a frame or given as
    /// without a place, and no two frames overlap.
    #[test]
    fn a_jumping_clock_conserves_counts(polls in prop::collection::vec((0_i64..30, 0_u64..100), 1..40)) {
        let mut poller = Poller::new();
        let (mut counter, mut found, mut accounted) = (0, None, 0);
        let mut frames: Vec<(Timestamp, Timestamp)> = Vec::new();
        for (second, more) in polls {
            counter += more;
            let step = poller.poll(second, &[(64, counter)]);
            let first = found.get_or_insert(counter);
            if !kinds(&step).contains(&AnomalyKind::DuplicateTime) {
                for kind in kinds(&step) {
                    if let AnomalyKind::Unplaced(events) = kind {
                        accounted += events;
                    }
                }
                accounted += step.frame.as_ref().map_or(0, |frame| frame.counts.events());
                prop_assert_eq!(accounted, counter - *first);
            }
            if let Some(frame) = &step.frame {
                prop_assert!(frames.iter().all(|&(start, end)| frame.end <= start || frame.start >= end));
                frames.push((frame.start, frame.end));
            }
        }
    }
}
