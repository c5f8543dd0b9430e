//! Changes against runs with a known truth.

use isotherm_frame::{Nanos, Scheme, Timestamp, Unit};

use crate::simulated::{Chance, Peak, at, drifting, run};
use crate::{Band, Change, ChangeKind, Timeline, changes};

fn schemes() -> [Scheme; 2] {
    [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)]
}

/// What steady runs look like: load and the place of the bands wander, and come back.
fn steady(seed: u64) -> Timeline {
    let choose = |of: u64, from: &[f64]| from[usize::try_from(seed / of).unwrap() % from.len()];
    let seconds = [60, 120, 300, 900][usize::try_from(seed % 4).unwrap()];
    let rate = choose(1, &[8.0, 40.0, 150.0]);
    let mut load = drifting(choose(4, &[0.0, 0.5, 0.8, 0.9]));
    let mut place = drifting(0.6);
    let spread = choose(16, &[0.0, 0.15, 0.3]);
    let scheme = &schemes()[usize::try_from(seed % 2).unwrap()];
    run(seed, seconds, scheme, |_, chance: &mut Chance| {
        let load = rate * (spread * load(chance)).exp();
        let middle = 300.0 * (spread * 0.5 * place(chance)).exp2();
        vec![Peak(0.7 * load, middle, 0.3), Peak(0.3 * load, 30.0 * middle, 0.4)]
    })
}

#[test]
fn steady_runs_do_not_change() {
    let found = (0..240).filter(|&seed| !changes(&steady(seed), None).is_empty()).count();
    assert!(found <= 12, "{found} false alarms in 240 runs are more than 5 %");
}

#[test]
fn six_thousand_columns_are_looked_at_and_lone_spikes_are_no_change() {
    let spiky = run(7, 6_000, &schemes()[0], |second, _| {
        let burst = if second % 997 == 500 { 300.0 } else { 0.0 };
        vec![Peak(20.0, 300.0, 0.3), Peak(burst, 50_000.0, 0.2)]
    });
    assert_eq!(changes(&spiky, None), []);
    let step = run(7, 6_000, &schemes()[0], |second, _| {
        vec![Peak(if second < 4_500 { 20.0 } else { 40.0 }, 300.0, 0.3)]
    });
    let found = changes(&step, None);
    assert!(near(one(&found).start, 4_500, 6), "{found:?}");
}

fn one(found: &[Change]) -> &Change {
    let [change] = found else { panic!("{found:#?}") };
    change
}

fn near(moment: Timestamp, second: usize, by: usize) -> bool {
    (at(second - by)..=at(second + by)).contains(&moment)
}

/// One in ten takes 50 ms from a moment within a second on, looked at some seconds later.
#[test]
fn a_band_begins_where_the_first_of_its_events_are() {
    let mut wrong = Vec::new();
    for seed in 0..100 {
        let begins = 40.0 + (seed % 10) as f64 / 10.0;
        let seconds = 47 + usize::try_from(seed % 13).unwrap();
        let found = run(seed, seconds, &schemes()[0], |second, _| {
            let slow = 10.0 * (second as f64 + 1.0 - begins).clamp(0.0, 1.0);
            vec![Peak(100.0 - slow, 1_000.0, 0.4), Peak(slow, 50_000.0, 0.15)]
        });
        let found = changes(&found, None);
        let begun = |change: &Change| change.start.since(at(0)).as_secs_f64() - begins;
        let is_right = |change: &Change| {
            matches!(change.kind, ChangeKind::Appears(_))
                && change.end.is_none()
                && begun(change).abs() <= 1.0
        };
        if found.len() != 1 || !is_right(&found[0]) {
            let all = found.iter().map(|change| format!("{:.1} {:?}", begun(change), change.kind));
            wrong.push(format!("{seed}: {:?}", all.collect::<Vec<_>>()));
        }
    }
    assert!(wrong.len() <= 3, "{} of 100: {wrong:#?}", wrong.len());
}

#[test]
fn a_backup_is_found_with_its_band_and_its_end() {
    for (seed, scheme) in (1..).zip(&schemes()) {
        // 14:25:10 to 14:33:05 of an hour: 12 % of the events there.
        let hour = run(seed, 3_600, scheme, |second, _| {
            let backup = if (1_510..1_985).contains(&second) { 13.6 } else { 0.0 };
            vec![Peak(70.0, 300.0, 0.3), Peak(30.0, 1_000.0, 0.3), Peak(backup, 23_000.0, 0.15)]
        });
        let found = changes(&hour, None);
        let change = one(&found);
        assert!(near(change.start, 1_510, 2), "{change:?}");
        assert!(near(change.end.unwrap(), 1_985, 2), "{change:?}");
        let ChangeKind::Appears(Band { edges, share, time_share, other_share }) = change.kind
        else {
            panic!("{change:?}")
        };
        assert!(edges.0 >= Nanos::from_millis(15) && edges.0 <= Nanos::from_millis(20));
        assert!(edges.1.unwrap() <= Nanos::from_millis(34), "{edges:?}");
        assert!((share - 0.12).abs() < 0.01 && other_share < 0.001, "{share}");
        // 13.6 x 23.1 ms of 13.6 x 23.1 + 70 x 0.307 + 30 x 1.02 ms, middles of buckets apart.
        assert!((time_share - 0.858).abs() < 0.05, "{time_share}");
    }
}

#[test]
fn an_episode_of_two_parts_is_one_change_with_one_end() {
    // A backup that begins with a rush, and leaves the load a little higher than it was.
    let run = run(5, 600, &schemes()[1], |second, _| {
        let (fast, backup) = match second {
            200..240 => (100.0, 300.0),
            240..400 => (100.0, 100.0),
            400.. => (180.0, 0.0),
            _ => (100.0, 0.0),
        };
        vec![Peak(fast, 300.0, 0.3), Peak(backup, 23_000.0, 0.15)]
    });
    let found = changes(&run, None);
    let first = found.first().unwrap();
    assert!(matches!(first.kind, ChangeKind::Appears(_)), "{found:#?}");
    assert!(near(first.start, 200, 1) && near(first.end.unwrap(), 400, 1), "{found:#?}");
}

/// Live, a step is looked at some seconds after it: the second in which it lies is no stage of its own, and
/// shares are those of what is there since.
#[test]
fn a_second_with_both_sides_of_a_step_is_no_change_of_its_own() {
    let (mut bands, mut steps) = (0, 0);
    for seed in 0..testing::grid::cases(40, 10) {
        let scheme = &schemes()[usize::try_from(seed % 2).unwrap()];
        let part = [0.3, 0.5, 0.7][usize::try_from(seed % 3).unwrap()];
        let seconds = 34 + usize::try_from(seed % 4).unwrap();
        let after = |second: usize| match second {
            ..30 => 0.0,
            30 => part,
            _ => 1.0,
        };
        let band = run(seed, seconds, scheme, |second, _| {
            let slow = 30.0 * after(second);
            vec![Peak(300.0 - slow, 1_000.0, 0.25), Peak(slow, 50_000.0, 0.1)]
        });
        for change in changes(&band, None) {
            if let ChangeKind::Appears(band) = &change.kind {
                assert!((band.share - 0.1).abs() < 0.04, "{seed}: {change:#?}");
                bands += 1;
            }
        }
        let step = run(seed, seconds, scheme, |second, _| {
            let slow = 300.0 * after(second);
            vec![Peak(300.0 - slow, 1_000.0, 0.25), Peak(slow, 4_000.0, 0.25)]
        });
        let found = changes(&step, None);
        steps += found.len();
        for change in found {
            let share = if let ChangeKind::Appears(band) = &change.kind { band.share } else { 1.0 };
            assert!(share > 0.8, "{seed}: {change:#?}");
        }
    }
    let all = usize::try_from(testing::grid::cases(40, 10)).unwrap();
    assert!(bands >= all * 3 / 4 && steps == all, "{bands} and {steps} of {all}");
}

#[test]
fn twice_the_load_is_a_change_of_rate() {
    for (seed, scheme) in (1..).zip(&schemes()) {
        let step = run(seed, 120, scheme, |second, _| {
            vec![Peak(if second < 70 { 100.0 } else { 200.0 }, 300.0, 0.3)]
        });
        let found = changes(&step, None);
        let change = one(&found);
        assert_eq!((&change.kind, change.end), (&ChangeKind::Rate, None));
        assert!(near(change.start, 70, 1), "{change:?}");
        let factor = change.after.rate / change.before.rate;
        assert!((factor - 2.0).abs() < 0.1, "{factor}");
    }
}

#[test]
fn a_cache_that_goes_is_a_band_that_vanishes() {
    for (seed, scheme) in (1..).zip(&schemes()) {
        let cold = run(seed, 600, scheme, |second, _| {
            let cached = if second < 300 { 100.0 } else { 0.0 };
            vec![Peak(cached, 100.0, 0.3), Peak(100.0, 6_000.0, 0.3)]
        });
        let found = changes(&cold, None);
        let change = one(&found);
        assert!(near(change.start, 300, 1), "{change:?}");
        let ChangeKind::Vanishes(band) = change.kind else { panic!("{change:?}") };
        assert!((band.share - 0.5).abs() < 0.03 && band.other_share < 0.001, "{band:?}");
        assert!(band.edges.1.unwrap() < Nanos::from_micros(300), "{band:?}");
    }
}

#[test]
fn latencies_that_double_are_all_longer_by_one_factor() {
    for (seed, scheme) in (1..).zip(&schemes()) {
        let slower = run(seed, 60, scheme, |second, _| {
            vec![Peak(100.0, if second < 30 { 1_000.0 } else { 2_200.0 }, 0.3)]
        });
        let found = changes(&slower, None);
        let change = one(&found);
        assert!(near(change.start, 30, 1), "{change:?}");
        let ChangeKind::Scales(scaled) = change.kind else { panic!("{change:?}") };
        assert!((scaled / 2.2 - 1.0).abs() < 0.1, "{scaled}");
        let factor = change.after.mean_ns / change.before.mean_ns;
        assert!((factor - 2.2).abs() < 0.3, "{factor}");
    }
}

#[test]
fn a_share_that_grows_is_reported_with_both_shares() {
    let busier = run(3, 600, &schemes()[1], |second, _| {
        let slow = if second < 200 { 15.0 } else { 40.0 };
        vec![Peak(100.0 - slow, 300.0, 0.2), Peak(slow, 340.0 * 2.0, 0.2)]
    });
    let found = changes(&busier, None);
    let change = one(&found);
    assert!(near(change.start, 200, 1), "{change:?}");
    let ChangeKind::Grows(band) = change.kind else { panic!("{change:?}") };
    assert!((band.share - 0.4).abs() < 0.03 && (band.other_share - 0.15).abs() < 0.03, "{band:?}");
}

#[test]
fn too_little_says_nothing() {
    let short = run(3, 15, &schemes()[0], |second, _| {
        vec![Peak(if second < 8 { 10.0 } else { 500.0 }, 300.0, 0.3)]
    });
    assert_eq!(changes(&short, None), []);
    let sparse = run(3, 600, &schemes()[0], |_, _| vec![Peak(0.1, 300.0, 0.3)]);
    assert_eq!(changes(&sparse, None), []);
}
