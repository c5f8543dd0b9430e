use isotherm_frame::{
    ActiveSession, CurrentWait, NameKind, Nanos, SessionName, SessionSample, Timestamp,
};

use super::samples::MOST_NAMES;
use super::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::new(millis * 1_000_000)
}

fn session(name: &str, class: &str, blocker: &str) -> ActiveSession {
    ActiveSession {
        session: name.into(),
        class: class.into(),
        event: class.into(),
        user: "app".into(),
        blocker: blocker.into(),
        ..ActiveSession::default()
    }
}

fn sample(millis: i64, sessions: &[ActiveSession]) -> SessionSample {
    SessionSample { at: at(millis), sessions: sessions.to_vec(), ..SessionSample::default() }
}

fn minutes() -> Activity {
    Activity::new(Nanos::from_millis(60_000), Nanos::from_millis(100))
}

#[test]
fn what_never_changes_has_no_error_and_what_alternates_has_that_of_independent_draws() {
    let mut steady = minutes();
    let mut restless = minutes();
    let cpu = session("1", "CPU", "");
    for number in 0..100 {
        steady.push(sample(number * 100, &vec![cpu.clone(); 4]));
        // A pattern without memory: of 4 samples in a row 2 find it, in every order of pairs.
        let on = [true, true, false, false][usize::try_from(number % 4).unwrap()];
        let seen = if on { std::slice::from_ref(&cpu) } else { &[] };
        restless.push(sample(number * 100, seen));
    }
    let all = ActivityFilter::default();
    let totals = steady.totals((at(0), at(1_000_000)), &all);
    assert_eq!((totals.active.mean, totals.active.error), (4.0, Some(0.0)));
    let restless = restless.totals((at(0), at(1_000_000)), &all).active;
    assert!((restless.mean - 0.5).abs() < 1e-12);
    // 99 steps, of which those at the end of each pair, 49, are 1: sqrt(49 / (2 * 100 * 99)). That of
    // independent draws is sqrt(0.25 / 99).
    let error = restless.error.unwrap();
    assert!((error - (49.0_f64 / 19_800.0).sqrt()).abs() < 1e-12, "{error}");
    assert!((error / (0.25_f64 / 99.0).sqrt() - 1.0).abs() < 0.02, "{error}");
}

#[test]
fn rows_add_up_to_the_total_and_shares_to_one() {
    let mut activity = minutes();
    activity.push(sample(0, &[session("1", "CPU", ""), session("2", "Lock", "9")]));
    activity.push(sample(100, &[]));
    activity.push(sample(200, &[session("3", "Lock", "9"), session("2", "Lock", "9")]));
    activity.push(sample(300, &[session("1", "IO", "")]));
    let all = ActivityFilter::default();
    for by in Dimension::ALL {
        let table = activity.rows((at(0), at(1_000_000)), by, &all);
        let sum: f64 = table.rows.iter().map(|row| row.active.mean).sum();
        assert!((sum - 1.25).abs() < 1e-12, "{by:?}");
        assert!((table.totals.active.mean - 1.25).abs() < 1e-12, "{by:?}");
        let shares: f64 = table.rows.iter().map(|row| row.share).sum();
        assert!((shares - 1.0).abs() < 1e-12, "{by:?}");
    }
    let classes = activity.rows((at(0), at(1_000_000)), Dimension::Class, &all);
    let lock = &classes.rows[0];
    assert_eq!((&*lock.value, lock.sessions, lock.most), ("Lock", 2, 2));
    // 1, 0, 2, 0: steps of 1, 2, 2.
    assert!((lock.active.error.unwrap() - (9.0_f64 / 24.0).sqrt()).abs() < 1e-12);
    let cpu = classes.rows.iter().find(|row| &*row.value == "CPU").unwrap();
    // 1, 0, 0, 0: samples before and after it count.
    assert!((cpu.active.mean - 0.25).abs() < 1e-12);
    assert!((cpu.active.error.unwrap() - (1.0_f64 / 24.0).sqrt()).abs() < 1e-12);
    let blocked = all.and(Dimension::Blocker, &"9".into());
    let sessions = activity.rows((at(0), at(1_000_000)), Dimension::Session, &blocked);
    let names: Vec<&str> = sessions.rows.iter().map(|row| &*row.value).collect();
    assert_eq!((names, sessions.totals.samples), (vec!["2", "3"], 4));
}

#[test]
fn a_strip_has_the_means_of_its_columns_and_knows_where_nothing_was_seen() {
    let mut activity = minutes();
    activity.push(sample(1_000, &[session("1", "CPU", "")]));
    activity.push(sample(1_500, &[session("1", "CPU", ""), session("2", "Lock", "9")]));
    activity.push(sample(3_200, &[session("2", "Lock", "9"), session("3", "Lock", "9")]));
    let strip = activity.strip(at(3_200), (Nanos::SECOND, 4), &ActivityFilter::default());
    assert_eq!(strip.start, at(0));
    let samples: Vec<usize> = strip.columns.iter().map(|column| column.samples).collect();
    assert_eq!(samples, [0, 2, 0, 1]);
    let classes: Vec<&str> = strip.classes.iter().map(|class| &**class).collect();
    assert_eq!(classes, ["Lock", "CPU"]);
    assert_eq!(strip.columns[1].active, [0.5, 1.0]);
    assert!((strip.most() - 2.0).abs() < 1e-12);
}

#[test]
fn old_samples_their_keys_and_gaps_are_let_go() {
    let mut activity = minutes();
    activity.lost(at(-500));
    activity.back(at(-100));
    for number in 0..70_000_i64 {
        activity.push(sample(number * 10, &[session(&number.to_string(), "CPU", "")]));
    }
    assert!(activity.samples.len() <= 6_002, "{}", activity.samples.len());
    assert!(activity.keys.len() <= MOST_NAMES + 1, "{}", activity.keys.len());
    assert_eq!(activity.gaps.len(), 0);
    let table =
        activity.rows((at(699_970), at(1_000_000)), Dimension::Session, &ActivityFilter::default());
    let mut names: Vec<&str> = table.rows.iter().map(|row| &*row.value).collect();
    names.sort_unstable();
    assert_eq!(names, ["69997", "69998", "69999"], "numbers mean what they meant");
}

#[test]
fn a_lost_connection_is_a_gap_until_it_is_back() {
    let mut activity = minutes();
    activity.push(sample(0, &[]));
    activity.lost(at(1_000));
    activity.lost(at(2_000));
    assert_eq!(activity.lost_since(), Some(at(1_000)));
    activity.back(at(4_000));
    assert_eq!(activity.lost_since(), None);
    let unknown = activity.unknown((at(0), at(3_000)));
    assert_eq!(unknown, (1, Nanos::from_millis(2_000)));
}

#[test]
fn names_are_the_latest() {
    let mut activity = minutes();
    let name = |text: &str| SessionName { kind: NameKind::Sql, id: "7".into(), text: text.into() };
    let named = SessionSample { names: vec![name("a"), name("b")], ..sample(0, &[]) };
    activity.push(named);
    assert_eq!(activity.name(NameKind::Sql, "7"), Some("b"));
    assert_eq!(activity.name(NameKind::Blocker, "7"), None);
}

/// A session of which each sample finds one that is active, with a chance that depends on the last.
fn observed(random: &mut isotherm_frame::Random, chances: [f64; 2], sessions: usize) -> Estimate {
    let mut activity = minutes();
    let cpu: Vec<ActiveSession> =
        (0..sessions).map(|number| session(&number.to_string(), "CPU", "")).collect();
    let mut active = vec![false; sessions];
    for number in 0..500 {
        for one in &mut active {
            *one = random.unit() < chances[usize::from(*one)];
        }
        let seen: Vec<ActiveSession> =
            cpu.iter().zip(&active).filter(|(_, on)| **on).map(|(cpu, _)| cpu.clone()).collect();
        activity.push(sample(number * 100, &seen));
    }
    activity.totals((at(0), at(1_000_000)), &ActivityFilter::default()).active
}

#[test]
fn independent_samples_have_the_error_of_the_binomial_distribution() {
    let mut random = isotherm_frame::Random::new(7);
    let (p, n, sessions) = (0.3_f64, 500.0, 8);
    let closed = (8.0 * p * (1.0 - p) / n).sqrt();
    let mut beyond = 0;
    for _ in 0..100 {
        let found = observed(&mut random, [p, p], sessions);
        let error = found.error.unwrap();
        assert!((error / closed - 1.0).abs() < 0.25, "{error} {closed}");
        beyond += usize::from((found.mean - 8.0 * p).abs() > 2.0 * error);
    }
    // Of 100 about 5 are expected; more than 14 have a chance of 1 in 10,000.
    assert!(beyond <= 14, "{beyond}");
}

#[test]
fn a_server_that_answers_slowly_under_load_is_not_underrated() {
    // 9 s with 1 session and 9 s with 9, in turn: 5 on average. A sample takes 100 ms per session.
    let (mut activity, mut now) = (minutes(), 0);
    while now < 54_000 {
        let load = if now / 9_000 % 2 == 0 { 1_i64 } else { 9 };
        let seen: Vec<ActiveSession> =
            (0..load).map(|one| session(&one.to_string(), "CPU", "")).collect();
        activity.push(sample(now, &seen));
        now += 100 * load;
    }
    let totals = activity.totals((at(0), at(54_000)), &ActivityFilter::default());
    assert_eq!(totals.samples, 300, "90 with 1 and 10 with 9, three times");
    // The mean of the samples as they are is (90 + 90) / 100, or 1.8.
    let (mean, error) = (totals.active.mean, totals.active.error.unwrap());
    // Each of 5 changes by 8 is seen up to half of 900 ms early or late.
    assert!((mean - 5.0).abs() < 5.0 * 8.0 * 0.45 / 54.0, "{mean}");
    // 5 changes by 8 in 299 steps; 270 samples stand for 100 ms, 30 for 900.
    let scatter = 5.0 * 64.0 / (2.0 * 299.0);
    let usual = (270.0 * 0.01 + 30.0 * 0.81_f64).sqrt() / 54.0 * f64::sqrt(scatter);
    assert!((error / usual - 1.0).abs() < 0.1, "{error} {usual}");
}

#[test]
fn what_was_not_sampled_is_in_no_average_and_missed_samples_are_counted() {
    let mut activity = minutes();
    let cpu = session("1", "CPU", "");
    // 2 s with 1 session, 4 s of silence while a look hangs, 2 s with 3 sessions.
    for tenth in 0..20 {
        activity.push(sample(tenth * 100, std::slice::from_ref(&cpu)));
    }
    for tenth in 60..80 {
        activity.push(sample(tenth * 100, &vec![cpu.clone(); 3]));
    }
    let all = ActivityFilter::default();
    let totals = activity.totals((at(0), at(7_900)), &all);
    assert_eq!((totals.samples, totals.sampled), (40, Nanos::from_millis(4_000)));
    assert!((totals.active.mean - 2.0).abs() < 1e-12);
    assert_eq!(activity.due((at(-1_000), at(7_950))), 80);
    assert_eq!(activity.due((at(1_950), at(7_950))), 60);
    let strip = activity.strip(at(7_900), (Nanos::SECOND, 8), &all);
    let known: Vec<bool> = strip.columns.iter().map(|column| column.samples > 0).collect();
    assert_eq!(known, [true, true, false, false, false, false, true, true]);
    // A lost connection is a silence however short it is.
    let mut lost = minutes();
    lost.push(sample(0, &[]));
    lost.lost(at(0));
    lost.back(at(700));
    lost.push(sample(800, &[]));
    assert_eq!(lost.totals((at(0), at(900)), &all).sampled, Nanos::from_millis(200));
}

#[test]
fn a_column_that_no_sample_falls_into_has_the_one_that_stands_for_it() {
    let mut activity = Activity::new(Nanos::from_millis(60_000), Nanos::SECOND);
    // Due once a second, late now and then: none falls into the third second.
    for millis in [100, 1_950, 3_010, 4_100] {
        activity.push(sample(millis, &[session("1", "CPU", "")]));
    }
    let strip = activity.strip(at(4_500), (Nanos::SECOND, 5), &ActivityFilter::default());
    let known: Vec<usize> = strip.columns.iter().map(|column| column.samples).collect();
    assert_eq!(known, [1, 1, 1, 1, 1]);
}

#[test]
fn who_a_session_is_is_what_it_was_last_seen_as() {
    let mut activity = minutes();
    let with = |program: &str| ActiveSession { program: program.into(), ..session("1", "CPU", "") };
    for (number, program) in (0..).zip(["psql", "batch", "psql"]) {
        activity.push(sample(number * 100, &[session("2", "CPU", ""), with(program)]));
    }
    assert_eq!(activity.who("1").as_deref(), Some("app, psql"));
    assert_eq!(activity.who("2").as_deref(), Some("app"));
    assert_eq!(activity.who("3"), None);
}

/// Every sample as a list of counts, one for each value: what tables say, computed the long way.
fn by_hand(samples: &[Vec<ActiveSession>], by: Dimension, value: &str) -> (f64, f64, usize, usize) {
    let has = |one: &&ActiveSession| &**by.of(one) == value;
    let counts: Vec<f64> =
        samples.iter().map(|sample| sample.iter().filter(has).count() as f64).collect();
    let n = counts.len() as f64;
    let steps: f64 = counts.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    let sessions: std::collections::HashSet<&str> =
        samples.iter().flatten().filter(has).map(|one| &*one.session).collect();
    let most = counts.iter().map(|count| format!("{count}").parse().unwrap()).max().unwrap();
    (counts.iter().sum::<f64>() / n, (steps / (2.0 * n * (n - 1.0))).sqrt(), sessions.len(), most)
}

#[test]
fn tables_are_what_counting_by_hand_gives() {
    let mut random = isotherm_frame::Random::new(11);
    let mut activity = minutes();
    let mut samples = Vec::new();
    for number in 0..200 {
        let mut seen = Vec::new();
        for one in 0..6 {
            let class = ["CPU", "Lock", "IO"][usize::from(random.unit() < 0.4) + one % 2];
            if random.unit() < 0.3 {
                seen.push(session(&one.to_string(), class, if class == "Lock" { "9" } else { "" }));
            }
        }
        activity.push(sample(number * 100, &seen));
        samples.push(seen);
    }
    let locked = ActivityFilter::default().and(Dimension::Class, &"Lock".into());
    let only: Vec<Vec<ActiveSession>> = samples
        .iter()
        .map(|all| all.iter().filter(|one| &*one.class == "Lock").cloned().collect())
        .collect();
    for (filter, samples) in [(ActivityFilter::default(), &samples), (locked, &only)] {
        for table in activity.tables((at(0), at(60_000)), Dimension::ALL, &filter) {
            assert!(!table.rows.is_empty());
            for row in &table.rows {
                let (mean, error, sessions, most) = by_hand(samples, table.by, &row.value);
                assert!((row.active.mean - mean).abs() < 1e-9, "{row:?} {mean}");
                assert!((row.active.error.unwrap() - error).abs() < 1e-9, "{row:?} {error}");
                assert_eq!((row.sessions, row.most), (sessions, most), "{row:?}");
            }
            let sum: f64 = table.rows.iter().map(|row| row.active.mean).sum();
            assert!((sum - table.totals.active.mean).abs() < 1e-9);
        }
    }
}

fn wait(number: i64, lasted_ms: Option<u64>) -> CurrentWait {
    CurrentWait { number, lasted: lasted_ms.map(Nanos::from_millis) }
}

/// One session that waits for a lock, in samples at these moments, with what the server says of its wait.
fn locked(samples: &[(i64, i64, Option<u64>)]) -> Activity {
    let mut activity = minutes();
    for (millis, number, lasted) in samples {
        let waits = vec![wait(*number, *lasted)];
        activity.push(SessionSample { waits, ..sample(*millis, &[session("1", "Lock", "")]) });
    }
    activity
}

fn longest(activity: &Activity, end: i64) -> WaitAge {
    let all = ActivityFilter::default();
    let table = activity.rows((at(0), at(end)), Dimension::Event, &all);
    let row = table.rows.iter().find(|row| row.now > 0).unwrap();
    assert_eq!((row.longest, row.now), (table.totals.longest, table.totals.now));
    row.longest.unwrap()
}

#[test]
fn a_wait_is_as_old_as_the_server_says_or_as_samples_found_it() {
    let ms = Nanos::from_millis;
    // Found three times in a row; another statement; found by the first sample of all.
    let seen = locked(&[(0, 1, None), (100, 2, None), (200, 2, None), (300, 2, None)]);
    assert_eq!(longest(&seen, 1_000), WaitAge::AtLeast(ms(200)));
    assert_eq!(longest(&seen, 100), WaitAge::LessThan(ms(100)), "as it was then");
    assert_eq!(longest(&seen, 0), WaitAge::AtLeast(Nanos::ZERO));
    // The server says it: also of a wait that began before any sample, and across a silence.
    let said = locked(&[(0, 1, None), (100, 1, Some(90_100)), (5_000, 1, Some(95_000))]);
    assert_eq!(longest(&said, 10_000), WaitAge::Known(ms(95_000)));
    assert_eq!(longest(&said, 0), WaitAge::Known(ms(90_000)), "it was waited for then, too");
    // Two waits of one statement: the second began after the sample before.
    let two = locked(&[(0, 1, Some(50)), (100, 1, Some(30))]);
    assert_eq!(longest(&two, 1_000), WaitAge::Known(ms(30)));
    // Nothing is known of a silence.
    let silent = locked(&[(0, 1, None), (100, 1, None), (9_000, 1, None)]);
    assert_eq!(longest(&silent, 10_000), WaitAge::AtLeast(Nanos::ZERO));
    // Another event is another wait.
    let mut other = locked(&[(0, 1, None), (100, 1, None)]);
    other.push(SessionSample {
        waits: vec![wait(1, None)],
        ..sample(200, &[session("1", "IO", "")])
    });
    assert_eq!(longest(&other, 1_000), WaitAge::LessThan(ms(100)));
    // Who is not there in the last sample does not wait now.
    other.push(sample(300, &[]));
    let table = other.rows((at(0), at(1_000)), Dimension::Event, &ActivityFilter::default());
    assert!(table.rows.iter().all(|row| row.now == 0 && row.longest.is_none()));
}

#[test]
fn a_map_of_lengths_holds_every_active_session_in_the_row_of_its_wait() {
    let mut activity = minutes();
    for tenth in 0..40_i64 {
        // One waits from the start to the end, one for 300 ms of every second.
        let mut sessions = vec![session("1", "Lock", "")];
        if tenth % 10 < 3 {
            sessions.push(session("2", "Lock", ""));
        }
        activity.push(sample(tenth * 100, &sessions));
    }
    let map = activity.lengths(at(3_900), (Nanos::SECOND, 6), &ActivityFilter::default());
    assert_eq!((map.has_known, map.has_sampled), (false, true));
    assert_eq!(map.start, at(-2_000));
    assert_eq!(map.columns[..2], [None, None]);
    let (first, last) = (map.rows[0], *map.rows.last().unwrap());
    let within =
        |row: LengthRow, ms| row.lo <= Nanos::from_millis(ms) && Nanos::from_millis(ms) < row.hi;
    // Three samples in a row stand for 300 ms, all of them for 4 s.
    assert!(within(first, 300) && within(last, 4_000), "{:?}", map.rows);
    for cells in map.columns.iter().skip(2).map(|cells| cells.as_ref().unwrap()) {
        assert_eq!((cells[0], *cells.last().unwrap()), (0.3, 1.0));
        assert!((cells.iter().sum::<f64>() - 1.3).abs() < 1e-12, "as many as are active");
    }
    assert!((map.most() - 1.0).abs() < 1e-12);
    let whole = map.clone().in_rows(1);
    assert_eq!((whole.rows.len(), whole.rows[0].lo, whole.rows[0].hi), (1, first.lo, last.hi));
    assert!((whole.most() - 1.3).abs() < 1e-12);
    // With the server's word a wait of microseconds is in its row.
    let known = locked(&[(0, 1, None), (100, 2, Some(70))]);
    let map = known.lengths(at(100), (Nanos::SECOND, 1), &ActivityFilter::default());
    assert_eq!((map.has_known, map.has_sampled), (true, true));
    assert!(within(map.rows[0], 70), "{:?}", map.rows);
}

#[test]
fn waits_of_old_samples_are_let_go() {
    let mut activity = minutes();
    let sessions: Vec<ActiveSession> =
        (0..500).map(|number| session(&number.to_string(), "IO", "")).collect();
    for number in 0..800 {
        let waits = vec![wait(number, None); 500];
        activity.push(SessionSample { waits, ..sample(number * 1_000, &sessions) });
    }
    // 61 samples of 500 waits are kept.
    assert!(activity.waits.len() <= 2 * 31_000, "{}", activity.waits.len());
    assert_eq!(longest(&activity, 1_000_000), WaitAge::LessThan(Nanos::SECOND));
}
