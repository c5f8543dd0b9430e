//! Comparisons of runs whose truth is known.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

mod synthetic;

use isotherm_analysis::{
    ComparedSide, Comparison, Difference, Direction, Maps, Measure, NOISE, RelativeThreshold,
    Request, Shift, Timeline, Verdict, compare,
};
use isotherm_frame::{Frame, Histogram, Nanos};
use synthetic::{GIANTS, PLAIN, RARE, Run, TWO_MODES, VALLEY, halves, timeline};

fn shift(comparison: &Comparison, measure: Measure) -> &Shift {
    comparison.shifts.iter().find(|shift| shift.measure == measure).unwrap()
}

fn compared(run: &Run, columns: usize, factor: f64, seed: u64) -> Comparison {
    let [a, b] = halves(&run.draw(2 * columns, (columns, factor), seed));
    compare(&a, &b, 1)
}

/// The same frames with every latency twice as long: bucket for bucket an octave higher.
fn doubled(frames: &[Frame]) -> Vec<Frame> {
    let twice = |frame: &Frame| {
        let scheme = frame.counts.scheme();
        let mut counts = vec![0; scheme.buckets()];
        for (bucket, count) in frame.counts.non_zero() {
            counts[scheme.index_of(Nanos::new(bucket.lo.as_nanos() * 2)).unwrap()] += count;
        }
        Frame { counts: Histogram::new(scheme.clone(), counts, None).unwrap(), ..frame.clone() }
    };
    frames.iter().map(twice).collect()
}

fn request(most_rows: usize) -> Request {
    Request::on(
        isotherm_analysis::Grid {
            end: isotherm_frame::Timestamp::new(0),
            column: Nanos::SECOND,
            columns: 1,
        },
        most_rows,
    )
}

#[test]
fn what_is_twice_as_slow_is_found_to_be_twice_as_slow() {
    let frames = PLAIN.draw(60, (60, 1.0), 5);
    let (a, b) = (timeline(&frames), timeline(&doubled(&frames)));
    let found = compare(&a, &b, 1);
    assert_eq!(found.verdict, Difference::Slower);
    for measure in [Measure::Quantile(0.5), Measure::Quantile(0.99), Measure::Mean, Measure::Waited]
    {
        let shift = shift(&found, measure);
        let (lo, hi) = shift.interval.unwrap();
        assert!((shift.ratio - 2.0).abs() < 1e-2, "{shift:?}");
        assert!(lo < 2.0 && 2.0 < hi && lo > 1.7 && hi < 2.4, "{shift:?}");
        assert_eq!(shift.moved, Some(Direction::More));
    }
    let rate = shift(&found, Measure::Rate);
    assert!((rate.ratio - 1.0).abs() < 1e-12 && rate.moved.is_none(), "{rate:?}");
    let distance = found.distance.unwrap();
    assert!((distance.octaves - 1.0).abs() < 0.02, "{distance:?}");
}

#[test]
fn a_run_is_the_same_as_itself() {
    for run in [PLAIN, Run { coarse: true, ..PLAIN }] {
        let one = timeline(&run.draw(40, (40, 1.0), 3));
        let found = compare(&one, &one, 1);
        assert_eq!(found.verdict, Difference::Same);
        for shift in &found.shifts {
            assert!((shift.ratio - 1.0).abs() < 1e-12 && shift.moved.is_none(), "{shift:?}");
            let (lo, hi) = shift.interval.unwrap_or(shift_possible(shift));
            assert!(lo <= 1.0 && 1.0 <= hi, "{shift:?}");
        }
    }
}

fn shift_possible(shift: &Shift) -> (f64, f64) {
    (shift.possible.0, shift.possible.1.unwrap_or(f64::INFINITY))
}

#[test]
fn the_other_way_round_every_ratio_is_the_inverse() {
    let run = Run { rate_moves: 0.2, latency_moves: 0.1, alike: 0.5, ..PLAIN };
    for coarse in [false, true] {
        let run = Run { coarse, ..run.clone() };
        let [a, b] = halves(&run.draw(120, (60, 1.6), 9));
        let (there, back) = (compare(&a, &b, 1), compare(&b, &a, 1));
        assert_eq!((there.verdict, back.verdict), (Difference::Slower, Difference::Faster));
        assert_eq!(there.distance, back.distance);
        for (one, two) in there.shifts.iter().zip(&back.shifts) {
            assert!((one.ratio * two.ratio - 1.0).abs() < 1e-9, "{one:?} {two:?}");
            assert_eq!((one.a, one.b), (two.b, two.a));
            assert_eq!(one.moved.is_some(), two.moved.is_some(), "{one:?} {two:?}");
            assert_ne!(one.moved.zip(two.moved).map(|(one, two)| one == two), Some(true));
            if let Some(((lo, hi), (low, high))) = one.interval.zip(two.interval) {
                assert!((lo * high).ln().abs() < 1e-9 && (hi * low).ln().abs() < 1e-9, "{one:?}");
            }
        }
    }
}

/// A small version of `examples/false_alarms.rs`.
#[test]
fn two_halves_of_a_steady_run_are_the_same_at_least_19_times_in_20() {
    let moving = |alike| Run { rate_moves: 0.2, latency_moves: 0.1, alike, ..PLAIN };
    let kinds = [
        PLAIN,
        Run { modes: TWO_MODES, ..PLAIN },
        Run { modes: VALLEY, ..PLAIN },
        Run { modes: RARE, ..PLAIN },
        moving(0.0),
        moving(0.6),
        moving(0.95),
        Run { modes: GIANTS, ..PLAIN },
        Run { pareto: Some(1.5), ..PLAIN },
    ];
    let mut alarms = 0;
    let mut runs = 0;
    for (kind, run) in kinds.iter().enumerate() {
        for coarse in [false, true] {
            for seed in 0..5 {
                let run = Run { coarse, events: 300.0, ..run.clone() };
                let found = compared(&run, 30, 1.0, 100 * kind as u64 + seed);
                alarms +=
                    u32::from(!matches!(found.verdict, Difference::Same | Difference::TooLittle));
                runs += 1;
            }
        }
    }
    assert!(alarms * 20 <= runs, "{alarms} false alarms in {runs} runs");
}

/// The number of giants of both halves is chance: the one with more is not slower by them.
#[test]
fn a_few_rare_events_prove_nothing() {
    let run = Run { modes: GIANTS, events: 200.0, ..PLAIN };
    let (mut one_sided, mut missed) = (0, 0);
    for seed in 0..20 {
        let [a, b] = halves(&run.draw(60, (60, 1.0), seed));
        let has =
            |side: &Timeline| side.total.non_zero().any(|(at, _)| at.lo > Nanos::from_millis(100));
        one_sided += u32::from(has(&a) != has(&b));
        let found = compare(&a, &b, 1);
        // The true ratio is 1.
        let (lo, hi) = shift(&found, Measure::Mean).interval.unwrap();
        missed += u32::from(lo > 1.0 || hi < 1.0);
    }
    assert!(one_sided >= 3, "{one_sided} of 20 pairs of which one side has giants");
    assert!(missed <= 1, "{missed} of 20 intervals without the truth");
}

#[test]
fn a_fifth_slower_is_found_in_a_minute_also_where_giants_are() {
    for modes in [PLAIN.modes, GIANTS] {
        let run = Run { modes, ..PLAIN };
        for seed in 0..3 {
            assert_eq!(compared(&run, 60, 1.2, seed).verdict, Difference::Slower, "{run:?}");
        }
    }
}

#[test]
fn a_side_of_which_more_is_known_is_shown_as_it_is_known() {
    let frames = PLAIN.draw(30, (30, 1.0), 7);
    // Estimates of B's source from its buckets are of half the time that A's source measured.
    let measured = |frame: &Frame| {
        let seconds = frame.counts.time_waited().seconds * 2.0;
        let counts = frame.counts.clone().with_sum(Nanos::from_secs_f64(seconds));
        Frame { counts, ..frame.clone() }
    };
    let exact: Vec<Frame> = frames.iter().map(measured).collect();
    let found = compare(&timeline(&exact), &timeline(&frames), 1);
    assert!(!found.exact);
    let mean = shift(&found, Measure::Mean);
    assert!((mean.ratio - 0.5).abs() < 1e-6, "{mean:?}");
    assert!((found.a.waited_s / found.b.waited_s - 2.0).abs() < 1e-6, "{found:?}");
    // The buckets are the same: that only one side is measured proves no difference.
    assert_eq!((mean.moved, found.verdict), (None, Difference::Same), "{mean:?}");
}

#[test]
fn a_third_slower_is_found_in_a_minute_of_a_thousand_events_a_second() {
    for coarse in [false, true] {
        for modes in [PLAIN.modes, TWO_MODES] {
            let run = Run { modes, coarse, ..PLAIN };
            for seed in 0..3 {
                assert_eq!(compared(&run, 60, 1.3, seed).verdict, Difference::Slower, "{run:?}");
            }
        }
    }
}

#[test]
fn percentiles_within_one_wide_bucket_say_nothing_of_their_ratio() {
    let run = Run { coarse: true, ..PLAIN };
    // The median moves from 140 to 168 us: both within 128..256 us.
    let slow = Run { modes: &[(1.0, 140e-6, 0.2)], ..run };
    let found = compared(&slow, 60, 1.2, 4);
    let median = shift(&found, Measure::Quantile(0.5));
    assert!(median.within_one_bucket && median.moved.is_none(), "{median:?}");
    let (lo, hi) = median.interval.unwrap();
    assert!(lo <= 0.5 && hi >= 2.0, "{median:?}");
}

/// How often incidents come cannot be distinguished from one of them: these two runs differ, and no ratio is
/// proved.
#[test]
fn an_incident_in_one_run_does_not_hide_itself_and_proves_no_ratio() {
    let steady = PLAIN.draw(60, (60, 1.0), 4);
    let mut ill = PLAIN.draw(60, (60, 1.0), 5);
    let slow = doubled(&ill[20..40]);
    ill.splice(20..40, slow);
    let found = compare(&timeline(&steady), &timeline(&ill), 1);
    assert_eq!((found.verdict, found.less_steady), (Difference::Slower, Some(ComparedSide::B)));
    let mean = shift(&found, Measure::Mean);
    let (lo, hi) = mean.interval.unwrap();
    assert!(lo < 1.0 && hi > 5.0 / 3.0 && (mean.ratio - 4.0 / 3.0).abs() < 0.02, "{mean:?}");
    // An interval that holds 1 is no "more"; that these two runs differ is another thing.
    assert_eq!((mean.moved, mean.differs), (None, Some(Direction::More)));
    let threshold: RelativeThreshold = "mean>1.1x".parse().unwrap();
    assert_eq!(threshold.judge(&found), Verdict::Unknown);
    let back = compare(&timeline(&ill), &timeline(&steady), 1);
    assert_eq!(back.less_steady, Some(ComparedSide::A));
    // Where both runs have their incident, it is no difference, though it comes at another time.
    let mut other = PLAIN.draw(60, (60, 1.0), 6);
    let slow = doubled(&other[35..55]);
    other.splice(35..55, slow);
    let found = compare(&timeline(&other), &timeline(&ill), 1);
    assert!(matches!(found.verdict, Difference::Same | Difference::TooLittle), "{found:?}");
    assert_eq!(found.less_steady, None);
}

/// A probe of 64 reads a second for 12 s, beside a load from the second second on: all its percentiles
/// but those of that second are five times as long.
#[test]
fn twelve_seconds_that_are_five_times_as_slow_but_for_one_are_slower() {
    let run = Run { events: 64.0, latency_moves: 0.08, alike: 0.3, ..PLAIN };
    for seed in 0..20 {
        let a = timeline(&run.draw(12, (12, 1.0), 2 * seed));
        let b = timeline(&run.draw(12, (1, 5.0), 2 * seed + 1));
        let found = compare(&a, &b, 1);
        assert_eq!(found.verdict, Difference::Slower, "{seed}: {found:?}");
        let (lo, hi) = shift(&found, Measure::Quantile(0.5)).interval.unwrap();
        assert!(1.2 < lo && lo < 5.0 && hi > 4.0, "{seed}: {lo} to {hi}");
        for (text, expected) in [("p50>1.2x", Verdict::Holds), ("p50<1.2x", Verdict::DoesNotHold)] {
            let threshold: RelativeThreshold = text.parse().unwrap();
            assert_eq!(threshold.judge(&found), expected, "{seed}: {text}");
        }
    }
}

/// Narrow buckets of nanoseconds and octaves of microseconds have hardly a bound in common: those that split
/// no events would be as wide as all of them.
#[test]
fn buckets_that_straddle_each_other_hide_no_difference_and_make_none() {
    let narrow = Run { modes: &[(1.0, 900e-6, 0.8)], events: 50.0, ..PLAIN };
    let wide = Run { coarse: true, ..narrow.clone() };
    let compared = |factor: f64, seed: u64| {
        let a = timeline(&narrow.draw(60, (60, 1.0), 2 * seed));
        let b = timeline(&wide.draw(60, (0, factor), 2 * seed + 1));
        let found = compare(&a, &b, 1);
        // What is shown of a side is what its own buckets say.
        let mean = shift(&found, Measure::Mean);
        for (side, value) in [(&a, mean.a), (&b, mean.b)] {
            let own = side.total.mean_ns().unwrap() / 1e9;
            assert!((value.amount / own - 1.0).abs() < 1e-6, "{mean:?}");
        }
        let p99 = shift(&found, Measure::Quantile(0.99));
        assert_eq!(p99.a.bucket, Some(a.total.quantile(0.99).unwrap().bucket));
        assert_eq!(p99.b.bucket, Some(b.total.quantile(0.99).unwrap().bucket));
        let (lo, hi) = mean.interval.unwrap();
        assert!((mean.ratio / factor - 1.0).abs() < 0.2 && lo < factor && factor < hi, "{mean:?}");
        (found.verdict, compare(&b, &a, 1).verdict)
    };
    let same = (0..60).filter(|seed| compared(1.0, *seed) == (Difference::Same, Difference::Same));
    assert!(same.count() >= 56);
    let slower = (Difference::Slower, Difference::Faster);
    assert!((0..20).filter(|seed| compared(1.3, *seed) == slower).count() >= 18);
    assert!((0..20).all(|seed| compared(1.6, seed) == slower));
}

#[test]
fn more_of_the_same_is_another_load() {
    let frames = PLAIN.draw(60, (60, 1.0), 5);
    let twice = |frame: &Frame| {
        let counts = frame.counts.counts().iter().map(|count| count * 2).collect();
        let counts = Histogram::new(frame.counts.scheme().clone(), counts, None).unwrap();
        Frame { counts, ..frame.clone() }
    };
    let more: Vec<Frame> = frames.iter().map(twice).collect();
    let found = compare(&timeline(&frames), &timeline(&more), 1);
    assert_eq!(found.verdict, Difference::OtherLoad);
    assert!((shift(&found, Measure::Rate).ratio - 2.0).abs() < 1e-9);
}

#[test]
fn too_little_is_said_to_be_so() {
    let frames = PLAIN.draw(14, (14, 1.0), 5);
    let [a, b] = halves(&frames);
    let found = compare(&a, &b, 1);
    assert_eq!(found.verdict, Difference::TooLittle);
    assert!(found.shifts.iter().all(|shift| shift.interval.is_none() && shift.moved.is_none()));
    let nothing = timeline(&Run { events: 1e-6, ..PLAIN }.draw(20, (20, 1.0), 5));
    let found = compare(&nothing, &nothing, 1);
    assert_eq!((found.verdict, found.shifts.len()), (Difference::TooLittle, 0));
    assert_eq!(found.distance, None);
}

#[test]
fn a_few_events_beyond_a_percentile_do_not_judge_it() {
    let run = Run { events: 100.0, ..PLAIN };
    let found = compared(&run, 30, 1.0, 2);
    assert!(shift(&found, Measure::Quantile(0.999)).interval.is_none());
    assert!(shift(&found, Measure::Quantile(0.99)).interval.is_some());
}

#[test]
fn more_comparisons_at_once_are_judged_more_carefully() {
    let [a, b] = halves(&PLAIN.draw(60, (30, 1.0), 8));
    let width = |at_once: usize| {
        let (lo, hi) = shift(&compare(&a, &b, at_once), Measure::Mean).interval.unwrap();
        hi / lo
    };
    assert!(width(1) < width(10) && width(10) < width(100));
}

#[test]
fn conditions_hold_when_chance_cannot_explain_them() {
    let found = compared(&PLAIN, 60, 1.5, 6);
    let judge = |text: &str| text.parse::<RelativeThreshold>().unwrap().judge(&found);
    assert_eq!(judge("p50>1.2x"), Verdict::Holds);
    assert_eq!(judge("p50>2x"), Verdict::DoesNotHold);
    assert_eq!(judge("p50>1.5x"), Verdict::Unknown);
    assert_eq!(judge("p50<1.2x"), Verdict::DoesNotHold);
    assert_eq!(judge("rate<0.9x"), Verdict::DoesNotHold);
    assert_eq!(judge("waited>=1.2x"), Verdict::Holds);
    assert_eq!(judge("max>100x"), Verdict::DoesNotHold);
    let [a, b] = halves(&PLAIN.draw(10, (5, 1.5), 6));
    let short = compare(&a, &b, 1);
    let threshold: RelativeThreshold = "p50>1.2x".parse().unwrap();
    assert_eq!(threshold.judge(&short), Verdict::Unknown);
}

fn maps(a: &Timeline, b: &Timeline) -> Maps {
    Maps::draw(a, b, &request(40))
}

#[test]
fn maps_hold_every_event_and_only_those() {
    let frames = PLAIN.draw(80, (40, 1.5), 2);
    let [a, b] = halves(&frames);
    let maps = maps(&a, &b);
    let drawn: u64 = maps.both.counts.iter().sum();
    assert_eq!(drawn, frames.iter().map(|frame| frame.counts.events()).sum::<u64>());
    assert_eq!(maps.both.columns.len(), 2 * maps.columns);
    assert_eq!(maps.z.len(), maps.both.rows.len() * maps.columns);
    // Shares of events and of time only move from row to row.
    let sum =
        |of: fn(&isotherm_analysis::ShareShift) -> f64| maps.shares.iter().map(of).sum::<f64>();
    assert!(sum(|share| share.events).abs() < 1e-9);
    assert!(sum(|share| share.waited).abs() < 1e-9);
    for (side, timeline) in [&a, &b].into_iter().enumerate() {
        let rates: f64 = maps.shares.iter().map(|share| share.rates[side]).sum();
        let rate = timeline.total.events() as f64 / timeline.covered_s();
        assert!((rates / rate - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_difference_the_other_way_round_has_the_other_sign() {
    let [a, b] = halves(&PLAIN.draw(60, (30, 1.5), 2));
    let (there, back) = (maps(&a, &b), maps(&b, &a));
    for (one, two) in there.z.iter().zip(&back.z) {
        assert!((one.unwrap() + two.unwrap()).abs() < 1e-9, "{one:?} {two:?}");
    }
    assert!(there.z.iter().flatten().any(|z| *z > NOISE));
    assert!(there.z.iter().flatten().any(|z| *z < -NOISE));
}

#[test]
fn bursts_that_both_runs_have_are_noise_and_one_that_only_b_has_is_not() {
    let bursty = Run { rate_moves: 0.8, ..PLAIN };
    let [a, b] = halves(&bursty.draw(160, (160, 1.0), 2));
    let reported = |maps: &Maps| {
        let loud = maps.z.iter().flatten().filter(|z| z.abs() >= NOISE).count();
        loud as f64 / maps.z.len() as f64
    };
    assert!(reported(&maps(&a, &b)) < 0.01, "{}", reported(&maps(&a, &b)));
    // The same B against a steady A, and a steady B with ten seconds of slowness.
    let steady = PLAIN.draw(80, (80, 1.0), 4);
    let mut ill = PLAIN.draw(80, (80, 1.0), 5);
    let slow = doubled(&ill[30..40]);
    ill.splice(30..40, slow);
    let maps = maps(&timeline(&steady), &timeline(&ill));
    let columns: Vec<usize> = (0..maps.columns)
        .filter(|&column| {
            let cells = (0..maps.both.rows.len()).map(|row| maps.z[row * maps.columns + column]);
            cells.flatten().filter(|z| z.abs() >= NOISE).count() >= 4
        })
        .collect();
    assert_eq!(columns, (30..40).collect::<Vec<usize>>());
}

#[test]
fn what_is_not_known_of_one_side_is_no_difference() {
    let frames = PLAIN.draw(40, (40, 1.0), 2);
    let (a, b) = (timeline(&frames[..20]), frames[20..].to_vec());
    let gone: Vec<Frame> =
        b.iter().enumerate().filter(|(index, _)| *index != 7).map(|(_, f)| f.clone()).collect();
    let maps = maps(&a, &timeline_of(&gone, &b));
    assert!((0..maps.both.rows.len()).all(|row| maps.z[row * maps.columns + 7].is_none()));
    assert!((0..maps.both.rows.len()).all(|row| maps.z[row * maps.columns + 8].is_some()));
}

/// The frames on the axis of all of them.
fn timeline_of(frames: &[Frame], all: &[Frame]) -> Timeline {
    Timeline::place(frames, isotherm_analysis::Grid::covering(all, all.len()).unwrap())
}
