use isotherm_frame::{Histogram, Nanos, Scheme, Timestamp, Unit};

use super::*;
use crate::simulated::{Chance, Peak, at, run};
use crate::{Circumstances, DeviceClass, Timeline};

fn remarks_of(timeline: &Timeline, circumstances: &Circumstances) -> Vec<RankedRemark> {
    Findings::of(timeline, circumstances).remarks()
}

fn backup(circumstances: Circumstances) -> Vec<RankedRemark> {
    let incident = run(4, 900, &Scheme::log_linear(), |second, _| {
        let burst = if (400..520).contains(&second) { 20.0 } else { 0.0 };
        vec![Peak(70.0, 200.0, 0.3), Peak(30.0, 8_000.0, 0.3), Peak(burst, 90_000.0, 0.2)]
    });
    remarks_of(&incident, &circumstances)
}

#[test]
fn what_happened_comes_before_what_is_always_so_and_doubts_before_all() {
    let remarks = backup(Circumstances::default());
    assert!((2..=5).contains(&remarks.len()), "{remarks:?}");
    assert!(matches!(remarks[0].remark, Remark::Changed(_)), "{remarks:?}");
    // By hand: 120 s of 20 waits of 90 ms, against 900 s of 70 of 0.2 ms and 30 of 8 ms.
    let share =
        120.0 * 20.0 * 0.09 / (120.0 * 20.0 * 0.09 + 900.0 * (70.0 * 0.0002 + 30.0 * 0.008));
    assert!((remarks[0].time_share.unwrap() - share).abs() < 0.02, "{remarks:?} {share}");
    assert!((remarks[0].seconds - 120.0 * 20.0 * 0.09).abs() < 12.0, "{remarks:?}");
    let bands = |one: &RankedRemark| matches!(one.remark, Remark::Bands { cache: false, .. });
    assert!(remarks.iter().any(bands), "{remarks:?}");
    let device = Some(DeviceClass::Hdd);
    let remarks = backup(Circumstances { device, operation: Operation::Read });
    let too_fast = Remark::CacheWarning(cache_warning_of(&remarks));
    assert_eq!((&remarks[0].remark, remarks[0].class), (&too_fast, RemarkClass::Trust));
    let remarks = backup(Circumstances { device: None, operation: Operation::Read });
    let cached = |one: &RankedRemark| matches!(one.remark, Remark::Bands { cache: true, .. });
    // Three bands: which of them were a cache, nobody knows.
    assert!(!remarks.iter().any(cached), "{remarks:?}");
}

fn cache_warning_of(remarks: &[RankedRemark]) -> CacheWarning {
    match remarks[0].remark {
        Remark::CacheWarning(warning @ CacheWarning::FasterThanDevice { .. }) => warning,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn the_stretch_that_owns_the_time_leads_before_bands_and_load() {
    for seed in 1..=8 {
        let scheme = Scheme::powers_of_two(Unit::Micros);
        // An idle disk with two bands; from second 45 on 31 s with a hundred times the reads, five
        // times as slow.
        let run = run(seed, 148, &scheme, |second, chance: &mut Chance| {
            let idle = 40.0 * (0.6 * chance.normal()).exp();
            let backup = if (45..76).contains(&second) { 4_000.0 } else { 0.0 };
            vec![Peak(idle, 70.0, 0.3), Peak(backup, 500.0, 0.4)]
        });
        let remarks = remarks_of(&run, &Circumstances::default());
        let first = &remarks[0];
        assert_eq!(first.class, RemarkClass::Episode, "{remarks:?}");
        let waited = |range: std::ops::Range<usize>| -> f64 {
            run.columns[range].iter().map(|column| column.waited.seconds).sum()
        };
        let share = waited(45..76) / waited(0..148);
        assert!((first.time_share.unwrap() - share).abs() < 0.01, "{first:?} {share}");
        let (start, end) = first.span(None).unwrap();
        let near = |one: Timestamp, second| one.since(at(second)).max(at(second).since(one));
        assert!(near(start, 45) <= Nanos::SECOND && near(end, 76) <= Nanos::SECOND, "{first:?}");
    }
}

#[test]
fn of_two_stretches_the_one_that_explains_more_waiting_is_first() {
    let two = run(7, 600, &Scheme::log_linear(), |second, _| {
        let small = if (100..104).contains(&second) { 200.0 } else { 0.0 };
        let large = if (300..304).contains(&second) { 600.0 } else { 0.0 };
        vec![Peak(100.0, 200.0, 0.3), Peak(small + large, 200_000.0, 0.1)]
    });
    let remarks = remarks_of(&two, &Circumstances::default());
    let starts: Vec<_> =
        remarks.iter().filter_map(|one| one.span(None)).map(|span| span.0).collect();
    assert_eq!(starts, [at(300), at(100)], "{remarks:?}");
    let seconds: Vec<f64> = remarks.iter().take(2).map(|one| one.seconds).collect();
    // By hand: 4 s x 600 x 0.2 s and 4 s x 200 x 0.2 s, give or take the draw.
    assert!((seconds[0] / 480.0 - 1.0).abs() < 0.1 && (seconds[1] / 160.0 - 1.0).abs() < 0.1);
}

#[test]
fn what_got_better_cost_what_it_took_before() {
    // Each of 100 reads a second took 40 ms, and then 4.
    let faster = run(3, 240, &Scheme::log_linear(), |second, _| {
        vec![Peak(100.0, if second < 60 { 40_000.0 } else { 4_000.0 }, 0.05)]
    });
    let remarks = remarks_of(&faster, &Circumstances::default());
    let better = |one: &&RankedRemark| match &one.remark {
        Remark::Changed(change) => change.start == at(60) && change.end.is_none(),
        _ => false,
    };
    let better = remarks.iter().find(better).unwrap();
    // By hand: 60 s x 100 x (40 ms - 4 ms), and not 180 s of them.
    assert!((better.seconds / 216.0 - 1.0).abs() < 0.05, "{remarks:?}");
}

#[test]
fn no_more_than_five_and_two_of_a_class() {
    use RemarkClass::{Bands, Episode, Hint, Level, Owner, Tail};
    let hint = |seconds| RankedRemark {
        remark: Remark::Nothing,
        class: RemarkClass::Hint,
        seconds,
        time_share: None,
        exact: true,
        series: None,
        series_name: None,
        operation: Operation::Unknown,
    };
    let of = |class, seconds| RankedRemark { class, ..hint(seconds) };
    let level = crate::Level { rate: 0.0, waiting: 0.0, mean_ns: 0.0, median: None, high: None };
    let stretch = |seconds, start| {
        let remark = Remark::Incident(Incident {
            start: at(start),
            end: at(start + 5),
            lasts: false,
            exact_to: Nanos::SECOND,
            time_share: 0.1,
            inside: level,
            outside: level,
        });
        RankedRemark { remark, ..of(Episode, seconds) }
    };
    let mixed =
        vec![hint(9.0), of(Tail, 1.0), stretch(1.0, 100), stretch(3.0, 200), stretch(2.0, 300)];
    let order = |ranked: Vec<RankedRemark>| -> Vec<(RemarkClass, f64)> {
        foremost(ranked).iter().map(|one| (one.class, one.seconds)).collect()
    };
    // Of the third stretch only the beginning is said.
    let more = (Episode, 0.0);
    assert_eq!(
        order(mixed.clone()),
        [(Episode, 3.0), (Episode, 2.0), more, (Tail, 1.0), (Hint, 9.0)]
    );
    let starts = vec![at(100)];
    let exact_to = Nanos::SECOND;
    assert_eq!(foremost(mixed.clone())[2].remark, Remark::More { starts, exact_to });
    let all = [mixed, vec![of(Bands, 8.0), of(Owner, 7.0), of(Level, 0.1)]].concat();
    let first = [(Episode, 3.0), (Episode, 2.0), more, (Level, 0.1), (Owner, 7.0)];
    assert_eq!(order(all), first);
}

#[test]
fn there_is_always_something_to_say() {
    let steady =
        run(4, 300, &Scheme::powers_of_two(Unit::Micros), |_, _| vec![Peak(100.0, 300.0, 0.2)]);
    let remarks = remarks_of(&steady, &Circumstances::default());
    assert!(
        matches!(remarks[..], [RankedRemark { remark: Remark::Plain { .. }, .. }]),
        "{remarks:?}"
    );
    assert!(!remarks[0].is_alarming());
    let nothing = Histogram::empty(Scheme::log_linear());
    let remarks = Findings::of_total(&nothing, 0.0, &Circumstances::default()).remarks();
    assert_eq!(remarks.len(), 1);
    assert_eq!(remarks[0].remark, Remark::Nothing);
}
