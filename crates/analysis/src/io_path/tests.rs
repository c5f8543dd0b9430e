use isotherm_frame::{Nanos, PathLevel, PathOutcome, PathStep};
use proptest::prelude::*;

use super::*;

fn step(level: PathLevel, thread: u32, start: i64, duration: u64) -> PathStep {
    PathStep {
        level,
        recursion: 0,
        start: Timestamp::new(start),
        duration: Nanos::new(duration),
        queued: Nanos::ZERO,
        process: thread,
        thread,
        name: level.name().into(),
        subject: "".into(),
        offset: None,
        bytes: Some(10),
        outcome: PathOutcome::Done,
        program: "postgres".into(),
    }
}

fn request(thread: u32, asked: i64, queued: u64, duration: u64) -> PathStep {
    let queued = Nanos::new(queued);
    let start = Timestamp::new(asked).plus(queued).as_nanos();
    PathStep { queued, ..step(PathLevel::BlockRequest, thread, start, duration) }
}

fn path(steps: Vec<PathStep>) -> IoPath {
    IoPath::of(vec![PathInput { steps, rounding: Nanos::ZERO }], TimeRange::default())
}

/// Depth, level and own time of every step.
fn shape(path: &IoPath) -> Vec<(u32, PathLevel, u64)> {
    let one = |placed: &PlacedStep| (placed.depth, placed.step.level, placed.own.as_nanos());
    path.steps.iter().map(one).collect()
}

use PathLevel::{BlockRequest, DatabaseCall, Statement, SystemCall, Wait};

#[test]
fn a_statement_holds_its_waits_these_their_calls_and_these_their_requests() {
    let path = path(vec![
        request(1, 130, 5, 15),
        step(SystemCall, 1, 120, 50),
        step(Wait, 1, 110, 70),
        step(Statement, 1, 100, 200),
        // Of another thread at the same time.
        step(SystemCall, 2, 120, 50),
    ]);
    let first = [(0, Statement, 130), (1, Wait, 20), (2, SystemCall, 30), (3, BlockRequest, 15)];
    assert_eq!(shape(&path)[..4], first);
    assert_eq!(shape(&path)[4..], [(0, SystemCall, 50)]);
    assert_eq!(path.span, Some((Timestamp::new(100), Timestamp::new(300))));
    assert_eq!(path.unplaced_count(), 0);
}

#[test]
fn two_parts_of_a_split_read_belong_to_one_call_and_overlap_is_counted_once() {
    let path = path(vec![
        step(SystemCall, 1, 0, 100),
        request(1, 10, 0, 50),
        request(1, 12, 3, 60),
        // Read ahead: it ends after the call.
        request(1, 90, 0, 500),
    ]);
    assert_eq!(shape(&path)[0], (0, SystemCall, 10 + (90 - 75)));
    let beyond: Vec<u64> = path.steps.iter().map(|placed| placed.beyond.as_nanos()).collect();
    assert_eq!(beyond, [0, 0, 0, 490]);
}

#[test]
fn requests_of_threads_that_did_nothing_then_are_counted_by_program() {
    let kernel = |asked| PathStep { program: "kworker/u8:2".into(), ..request(9, asked, 0, 5) };
    let path = path(vec![
        step(SystemCall, 1, 0, 100),
        kernel(10),
        kernel(20),
        // The thread is there, and between two calls.
        request(1, 101, 0, 5),
    ]);
    assert_eq!(path.steps.len(), 1);
    let left = |program: &str, count| UnplacedRequests {
        program: program.into(),
        count,
        bytes: u128::from(10 * count),
    };
    assert_eq!(path.unplaced, [left("kworker/u8:2", 2), left("postgres", 1)]);
    let block = path.levels.iter().find(|total| total.level == BlockRequest).unwrap();
    assert_eq!((block.count, block.outermost), (3, 3));
}

#[test]
fn a_request_asked_for_while_its_call_runs_belongs_to_it_whenever_it_is_issued() {
    let path = path(vec![step(SystemCall, 1, 0, 100), request(1, 100, 50, 5)]);
    assert_eq!(path.steps[1].parent, Some(0));
    assert_eq!(path.unplaced_count(), 0);
}

#[test]
fn what_the_database_asks_itself_is_within_the_call_that_needed_it() {
    let deeper =
        |level, start, duration| PathStep { recursion: 1, ..step(level, 1, start, duration) };
    let path = path(vec![
        step(Statement, 1, 0, 100),
        step(DatabaseCall, 1, 0, 100),
        deeper(Statement, 10, 50),
        deeper(DatabaseCall, 10, 50),
        step(Wait, 1, 20, 10),
    ]);
    let levels = [
        (0, Statement, 0),
        (1, DatabaseCall, 50),
        (2, Statement, 0),
        (3, DatabaseCall, 40),
        (4, Wait, 10),
    ];
    assert_eq!(shape(&path), levels);
}

#[test]
fn what_lies_in_the_range_is_kept_with_what_it_is_in() {
    let range =
        |from, to| TimeRange { from: Some(Timestamp::new(from)), to: Some(Timestamp::new(to)) };
    let kept = |range| {
        let steps = vec![step(Wait, 1, 0, 100), step(SystemCall, 1, 10, 5), step(Wait, 1, 200, 10)];
        let path = IoPath::of(vec![PathInput { steps, rounding: Nanos::ZERO }], range);
        let own = path.steps.first().map(|first| first.own.as_nanos());
        (path.steps.len(), own)
    };
    assert_eq!(
        kept(range(50, 60)),
        (1, Some(95)),
        "the call is before it, and no time of its wait"
    );
    assert_eq!(kept(range(12, 13)), (2, Some(95)));
    assert_eq!((kept(range(150, 160)), kept(range(205, 300))), ((0, None), (1, Some(10))));
    assert_eq!(kept(range(0, 300)).0, 3);
}

proptest! {
    #[test]
    fn every_step_is_counted_once_and_own_times_are_no_longer_than_steps(
        given in prop::collection::vec((0_usize..5, 0_u32..3, 0_i64..500, 0_u64..300, 0_u64..50), 0..60),
    ) {
        let steps: Vec<PathStep> = given.iter().map(|&(level, thread, start, duration, queued)| {
            let one = step(PathLevel::ALL[level], thread, start, duration);
            let queued = if one.level == BlockRequest { Nanos::new(queued) } else { Nanos::ZERO };
            PathStep { queued, ..one }
        }).collect();
        let path = path(steps.clone());
        prop_assert_eq!(path.steps.len() as u64 + path.unplaced_count(), steps.len() as u64);
        let counted: u64 = path.levels.iter().map(|total| total.count).sum();
        prop_assert_eq!(counted, steps.len() as u64);
        let waited: u128 = path.levels.iter().map(|total| total.total_ns).sum();
        prop_assert_eq!(waited, steps.iter().map(|step| u128::from(step.duration.as_nanos())).sum::<u128>());
        for (at, placed) in path.steps.iter().enumerate() {
            prop_assert!(placed.own <= placed.step.duration);
            if let Some(parent) = placed.parent {
                prop_assert!(parent < at);
                prop_assert_eq!(path.steps[parent].depth + 1, placed.depth);
                prop_assert_eq!(path.steps[parent].step.thread, placed.step.thread);
                prop_assert!(path.steps[parent].step.start <= placed.step.asked().max(placed.step.start));
            } else {
                prop_assert_eq!(placed.depth, 0);
            }
        }
    }
}
