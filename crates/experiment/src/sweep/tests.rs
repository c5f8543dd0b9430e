use crate::Progress;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use isotherm_frame::{Event, Frame, Histogram, Mark, Quality, Scheme, Series, Timestamp};
use isotherm_load::{Address, Arrival, Ended, Job, LoadError, Observer, Warmup};
use isotherm_recording::{About, Reader};

use super::*;
use crate::sample_runs::run_of;
use crate::{Order, RUNS, Setting, StopRule, Variable};

/// A system of so many servers that each take 1 ms: 1,000 operations a second for each in flight,
/// at most as many as there are servers for.
const SERVERS: u32 = 4;

fn plan(vary: &str) -> Plan {
    let mut job = Job { target: "sim:servers=4".to_owned(), ..Job::default() };
    job.limit.time = Nanos::from_millis(1_000);
    job.warmup = Warmup::Time(Nanos::ZERO);
    Plan { vary: vec![vary.parse::<Variable>().expect(vary)], repeats: 2, job, ..Plan::default() }
}

fn frame() -> Frame {
    let latencies = Histogram::empty(Scheme::log_linear());
    Frame {
        series: Series::named("read"),
        start: Timestamp::new(0),
        end: Timestamp::new(1_000_000_000),
        counts: latencies,
        quality: Quality::Complete,
    }
}

/// What the runs of the simulated system do, by their count within one attempt.
type Fate = fn(u32) -> Option<LoadError>;

struct Attempt {
    ending: Result<Ending, SweepError>,
    /// Labels and repeats, in the order in which they were run.
    order: Vec<(String, u32)>,
    said: Vec<String>,
    /// Seconds left as they were reported when each run ended.
    left_s: Vec<u64>,
}

/// Does what is left of a sweep; the run of this count (from 0) is interrupted.
fn attempt(sweep: &mut Sweep, fate: Fate, interrupt: Option<u32>) -> Attempt {
    let stop = AtomicBool::new(false);
    let (mut order, mut said, mut left_s) = (Vec::new(), Vec::new(), Vec::new());
    let mut count = 0;
    let mut execute = |setting: &Setting,
                       _: &mut dyn FnMut(isotherm_load::Progress),
                       observer: &mut dyn Observer| {
        let this = count;
        count += 1;
        if let Some(error) = fate(this) {
            return Err(error);
        }
        observer.events(vec![Event::Frame(frame())]);
        let text = "measuring begins".to_owned();
        observer.events(vec![Event::Mark(Mark { at: Timestamp::new(5), text })]);
        let Arrival::Closed { in_flight, .. } = setting.job.arrival else {
            return Err(LoadError::Job("a closed loop is simulated".to_owned()));
        };
        let busy = in_flight.min(SERVERS);
        let latency_ns = u64::from(in_flight) * 1_000_000 / u64::from(busy);
        let mut run = run_of(0, 0, u64::from(busy) * 1_000, latency_ns);
        run.job = setting.job.clone();
        if interrupt == Some(this) {
            stop.store(true, Ordering::Relaxed);
            run.outcome.ended = Ended::Interrupted;
        }
        Ok(run)
    };
    let mut tell = |position: &Position, progress: Progress| match progress {
        Progress::Finished(run) => {
            order.push((run.label.clone(), run.repeat));
            left_s.push(position.left.as_secs());
        }
        Progress::Events(events) => {
            said.extend(events.into_iter().filter_map(|event| match event {
                Event::Message(text) => Some(text),
                _ => None,
            }));
        }
        _ => {}
    };
    let ending = sweep.run(&mut Stage {
        address: &Address::parse("sim:servers=4").unwrap(),
        i_mean_it: false,
        create: false,
        about: &About::default(),
        stop: &stop,
        execute: &mut execute,
        tell: &mut tell,
    });
    Attempt { ending, order, said, left_s }
}

fn well(_: u32) -> Option<LoadError> {
    None
}

fn labels(attempt: &Attempt) -> Vec<String> {
    attempt.order.iter().map(|(label, repeat)| format!("{label} r{repeat}")).collect()
}

/// How often each point and repeat came to its end.
fn whole_runs(path: &Path) -> Vec<(u32, u32)> {
    let table = RunTable::read(path).expect("a table");
    assert_eq!(table.rejected, 0);
    let whole = table.runs.iter().filter(|run| run.is_whole());
    let mut whole: Vec<(u32, u32)> = whole.map(|run| (run.point, run.repeat)).collect();
    whole.sort_unstable();
    whole
}

fn begin(path: &Path, plan: &Plan) -> Sweep {
    Sweep::begin(path, plan.clone(), false).expect("a sweep")
}

#[test]
fn every_run_is_in_the_table_and_has_its_recording() {
    let room = tempfile::tempdir().expect("a directory");
    let path = room.path().join("new/sweep");
    let mut sweep = begin(&path, &plan("in-flight=1..4x2"));
    assert_eq!(sweep.time_left(), Nanos::from_millis(6_000));
    let attempt = attempt(&mut sweep, well, None);
    assert_eq!(attempt.ending.as_ref().ok(), Some(&Ending::Done));
    let rounds = ["in-flight 1 r0", "in-flight 2 r0", "in-flight 4 r0"];
    let again = rounds.map(|label| label.replace("r0", "r1"));
    assert_eq!(
        labels(&attempt),
        rounds.map(str::to_owned).into_iter().chain(again).collect::<Vec<_>>()
    );
    assert_eq!(attempt.left_s, [5, 4, 3, 2, 1, 0]);
    assert!(attempt.said.is_empty(), "{:?}", attempt.said);
    assert_eq!(whole_runs(&path), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    let table = RunTable::read(&path).expect("a table");
    for run in &table.runs {
        let name = run.recording.as_deref().expect("a recording");
        assert_eq!(
            name,
            format!("{:03}-in-flight-{}-r{}.heat", run.point, 1 << run.point, run.repeat)
        );
        let reader = Reader::open(&path.join(name)).expect("a recording");
        assert_eq!(reader.marks_after(0).expect("marks").len(), 1);
    }
    let points = table.points();
    assert_eq!(points[2].throughput.map(|spread| spread.median), Some(4_000.0));
    // Nothing is left to be done, also when it is asked for again.
    drop(sweep);
    assert!(begin(&path, &plan("in-flight=1..4x2")).left().is_empty());
}

#[test]
fn what_was_cut_short_goes_on_where_it_was() {
    let room = tempfile::tempdir().expect("a directory");
    let mut sweep = begin(room.path(), &plan("in-flight=1..4x2"));
    let first = attempt(&mut sweep, well, Some(2));
    assert_eq!(first.ending.ok(), Some(Ending::Interrupted));
    assert_eq!(first.order.len(), 3);
    drop(sweep);
    let mut sweep = Sweep::resume(room.path()).expect("a sweep");
    assert_eq!(sweep.left().len(), 4);
    let rest = attempt(&mut sweep, well, None);
    assert_eq!(labels(&rest)[0], "in-flight 4 r0");
    assert_eq!(whole_runs(room.path()), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    // What was recorded of the run that was cut short is still there, under its own name.
    let table = RunTable::read(room.path()).expect("a table");
    let names: Vec<&str> = table
        .runs
        .iter()
        .filter(|run| (run.point, run.repeat) == (2, 0))
        .filter_map(|run| run.recording.as_deref())
        .collect();
    assert_eq!(names, ["002-in-flight-4-r0.heat", "002-in-flight-4-r0.2.heat"]);
}

#[test]
fn a_last_line_cut_anywhere_is_done_again() {
    let room = tempfile::tempdir().expect("a directory");
    let mut sweep = begin(room.path(), &plan("in-flight=1,2"));
    attempt(&mut sweep, well, None);
    drop(sweep);
    let path = room.path().join(RUNS);
    let whole = fs::read(&path).expect("a table");
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap_or(0) + 1;
    for cut in (last + 1..whole.len() - 1).step_by(97) {
        fs::write(&path, &whole[..cut]).expect("a table");
        let mut sweep = Sweep::resume(room.path()).expect("a sweep");
        assert!(sweep.notes()[0].contains("was cut off"), "{:?}", sweep.notes());
        assert_eq!(attempt(&mut sweep, well, None).order.len(), 1, "cut at {cut}");
        drop(sweep);
        assert_eq!(whole_runs(room.path()), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    }
    // Only the end of the line is missing: nothing is done again, and the next line has its own.
    fs::write(&path, &whole[..whole.len() - 1]).expect("a table");
    let more = Plan { repeats: 3, ..plan("in-flight=1,2") };
    let mut sweep = Sweep::begin(room.path(), more, true).expect("a sweep");
    assert!(sweep.notes().is_empty(), "{:?}", sweep.notes());
    assert_eq!(attempt(&mut sweep, well, None).order.len(), 2);
    drop(sweep);
    assert_eq!(whole_runs(room.path()).len(), 6);
}

#[test]
fn a_random_order_is_that_of_its_seed_also_when_it_goes_on() {
    let random = |seed| Plan { order: Order::Random, seed, ..plan("in-flight=1..256x2") };
    let order = |seed, interrupt| {
        let room = tempfile::tempdir().expect("a directory");
        let mut sweep = begin(room.path(), &random(seed));
        let mut all = labels(&attempt(&mut sweep, well, interrupt));
        if interrupt.is_some() {
            all.pop();
        }
        drop(sweep);
        all.extend(labels(&attempt(&mut Sweep::resume(room.path()).expect("a sweep"), well, None)));
        all
    };
    assert_eq!(order(3, None).len(), 18);
    assert_eq!(order(3, None), order(3, Some(7)));
    assert_ne!(order(3, None), order(4, None));
}

#[test]
fn failures_are_results_until_there_are_three_in_a_row() {
    let room = tempfile::tempdir().expect("a directory");
    let mut sweep = begin(room.path(), &plan("in-flight=1,2,3,4"));
    let fate: Fate =
        |count| matches!(count, 1 | 2 | 4 | 5 | 6).then(|| LoadError::Failed("gone".to_owned()));
    let first = attempt(&mut sweep, fate, None);
    let error = first.ending.as_ref().expect_err("three in a row").to_string();
    assert_eq!(error, "3 runs in a row failed, the last with: gone");
    let round = ["in-flight 1 r0", "in-flight 2 r0", "in-flight 3 r0", "in-flight 4 r0"];
    assert_eq!(labels(&first)[..4], round);
    assert_eq!(first.order.len(), 7);
    let failed = sweep.table().runs.iter().filter(|run| !run.is_whole());
    assert!(failed.clone().all(|run| run.verdicts[0].words == "gone" && run.recording.is_none()));
    assert_eq!(failed.count(), 5);
    // They are missing, so they are what is done next time.
    let rest = attempt(&mut sweep, well, None);
    assert_eq!(rest.order.len(), 6);
    assert_eq!(whole_runs(room.path()).len(), 8);
}

#[test]
fn a_system_that_cannot_be_reached_at_all_is_no_result() {
    let room = tempfile::tempdir().expect("a directory");
    let mut sweep = begin(room.path(), &plan("in-flight=1,2"));
    let away: Fate = |_| Some(LoadError::Unreachable("no server".to_owned()));
    let first = attempt(&mut sweep, away, None);
    assert!(matches!(first.ending, Err(SweepError::Load(LoadError::Unreachable(_)))));
    assert!(first.order.is_empty() && sweep.table().runs.is_empty());
    let nonsense: Fate = |_| Some(LoadError::Job("no such job".to_owned()));
    let first = attempt(&mut sweep, nonsense, None);
    assert!(matches!(first.ending, Err(SweepError::Load(LoadError::Job(_)))));
    // Once it has been reached, it is one.
    let later: Fate = |count| (count == 1).then(|| LoadError::Unreachable("away".to_owned()));
    assert_eq!(attempt(&mut sweep, later, None).order.len(), 4);
}

#[test]
fn a_changed_plan_is_refused_and_an_extended_one_adds_points() {
    let room = tempfile::tempdir().expect("a directory");
    let before = Plan { repeats: 1, ..plan("in-flight=2,8") };
    let mut sweep = begin(room.path(), &before);
    attempt(&mut sweep, well, None);
    drop(sweep);
    let mut now = Plan { repeats: 1, ..plan("in-flight=1..8x2") };
    let refused = Sweep::begin(room.path(), now.clone(), false).expect_err("changed").to_string();
    assert!(
        refused.contains("vary: [\"in-flight=2,8\"] before, [\"in-flight=1..8x2\"] now"),
        "{refused}"
    );
    let mut sweep = Sweep::begin(room.path(), now.clone(), true).expect("extended");
    let added = attempt(&mut sweep, well, None);
    assert_eq!(labels(&added), ["in-flight 1 r0", "in-flight 4 r0"]);
    // 2 and 8 keep their numbers 0 and 1; 1 is first in the plan, and 2 is the first that is free.
    let numbers: Vec<(u32, &str)> =
        sweep.table().points().iter().map(|point| (point.point, point.label)).collect();
    assert_eq!(
        numbers,
        [(0, "in-flight 2"), (1, "in-flight 8"), (2, "in-flight 1"), (3, "in-flight 4")]
    );
    drop(sweep);
    assert!(Sweep::resume(room.path()).expect("a sweep").left().is_empty());
    now.job.limit.time = Nanos::from_millis(2_000);
    let refused = Sweep::begin(room.path(), now, true).expect_err("another job").to_string();
    assert!(refused.ends_with("job.limit.for: \"1s\" before, \"2s\" now"), "{refused}");
}

#[test]
fn a_plan_changed_by_hand_does_not_go_with_its_runs() {
    let room = tempfile::tempdir().expect("a directory");
    let mut sweep = begin(room.path(), &plan("in-flight=1"));
    attempt(&mut sweep, well, None);
    drop(sweep);
    let path = room.path().join(PLAN);
    let text = fs::read_to_string(&path).expect("a plan");
    fs::write(&path, text.replace("update-pct = 0.0", "update-pct = 50.0")).expect("a plan");
    let error = Sweep::resume(room.path()).expect_err("changed by hand").to_string();
    assert!(error.contains("'in-flight 1' with another job than the plan"), "{error}");
    assert!(error.contains("job.work.update-pct: 0.0 before, 50.0 now"), "{error}");
}

#[test]
fn loads_that_are_of_no_use_are_not_run() {
    let rule = |rule: &str| rule.parse::<StopRule>().expect(rule);
    let swept = |rules: &[&str], order| {
        let room = tempfile::tempdir().expect("a directory");
        let mut plan = plan("in-flight=1..64x2");
        plan.vary.push("update-pct=0,20".parse().expect("a variable"));
        plan.stop_when = rules.iter().map(|text| rule(text)).collect();
        plan.order = order;
        let mut sweep = begin(room.path(), &plan);
        let count = attempt(&mut sweep, well, None).order.len();
        let stopped = sweep.stopped().into_iter().map(|one| format!("{}: {}", one.label, one.why));
        let stopped: Vec<String> = stopped.collect();
        drop(sweep);
        assert!(Sweep::resume(room.path()).expect("a sweep").left().is_empty());
        (count, stopped)
    };
    // Four servers: throughput grows up to 4 in flight, not from 4 to 8; above 8 nothing is run.
    // 1, 2, 4 and 8, twice, with and without updates.
    let (count, stopped) = swept(&["gain<5%"], Order::Rounds);
    assert_eq!(count, 16);
    assert_eq!(stopped.len(), 6);
    assert_eq!(stopped[0], "in-flight 16, update-pct 0: gain<5% at in-flight 8, update-pct 0");
    assert_eq!(swept(&["gain<5%"], Order::AsWritten).0, 16);
    // 16 in flight wait 4 ms each, 8 wait 2 ms.
    assert_eq!(swept(&["p99>3ms"], Order::Rounds).0, 20);
    assert_eq!(swept(&["p99>1s"], Order::Rounds), (28, Vec::new()));
}

#[test]
fn no_run_begins_that_could_end_too_late() {
    let room = tempfile::tempdir().expect("a directory");
    let most = |ms| Plan { most_time: Some(Nanos::from_millis(ms)), ..plan("in-flight=1,2") };
    let mut sweep = begin(room.path(), &most(500));
    // Each run may take a second.
    let first = attempt(&mut sweep, well, None);
    assert_eq!((first.ending.ok(), first.order.len()), (Some(Ending::OutOfTime(4)), 0));
    drop(sweep);
    let mut sweep = Sweep::begin(room.path(), most(60_000), true).expect("more time");
    assert_eq!(attempt(&mut sweep, well, None).ending.ok(), Some(Ending::Done));
}

#[test]
fn what_cannot_go_on_says_so() {
    let room = tempfile::tempdir().expect("a directory");
    let error = Sweep::resume(&room.path().join("nothing")).expect_err("nothing there");
    assert!(matches!(error, SweepError::Nothing(_)));
    assert!(!room.path().join("nothing").exists());
    let held = begin(room.path(), &plan("in-flight=1"));
    assert!(matches!(Sweep::resume(room.path()), Err(SweepError::InUse(_))));
    drop(held);
    fs::write(room.path().join(PLAN), "repeats = 0").expect("a plan");
    let error = Sweep::resume(room.path()).expect_err("no plan").to_string();
    assert!(error.starts_with("repeats: 0 is not a number of runs"), "{error}");
}

#[test]
fn a_recording_that_cannot_be_written_does_not_cost_the_run() {
    let room = tempfile::tempdir().expect("a directory");
    let long = Plan { repeats: 1, ..plan("in-flight=1") };
    let mut sweep = begin(room.path(), &long);
    // A directory stands where the lock of the recording would be.
    fs::create_dir(room.path().join("000-in-flight-1-r0.heat-lock")).expect("a directory");
    let attempt = attempt(&mut sweep, well, None);
    assert_eq!(attempt.ending.as_ref().ok(), Some(&Ending::Done));
    assert!(attempt.said[0].starts_with("the recording is not complete"), "{:?}", attempt.said);
    assert_eq!(sweep.table().runs[0].recording, None);
    assert!(sweep.table().runs[0].is_usable());
}
