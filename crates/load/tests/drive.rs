//! The driver against systems whose behaviour is known: nothing is lost, nothing is counted twice.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use isotherm_frame::{Event, Frame, Nanos};
use isotherm_load::{
    Address, Arrival, Broken, Count, Done, Ended, Engine, Hooks, Job, KindMeta, Limit, LoadError,
    Observer, Operation, Outcome, Role, RunStatus, Spacing, System, Unit, Wait, Warmup, Work,
    clock,
};
use testing::bounded;

/// Counts every operation it is given and does it at once, or never.
#[derive(Default)]
struct Ledger {
    begun: AtomicU64,
    reported: AtomicU64,
    /// Lanes that are open.
    open: AtomicU64,
    /// The places of the operations that ended well.
    visited: Mutex<Vec<u64>>,
}

struct Instant {
    ledger: Arc<Ledger>,
    /// The lane that breaks, and after how many operations.
    breaks: Option<(u32, u64)>,
    /// The lane that cannot be opened, and how many are open by then.
    refuses: Option<(u32, u64)>,
}

struct InstantLane {
    ledger: Arc<Ledger>,
    waiting: Vec<(u32, u64)>,
    breaks_after: Option<u64>,
    reaped: u64,
}

const KINDS: [KindMeta; 2] = [
    KindMeta { name: "read", role: Role::Read, places: 1 },
    KindMeta { name: "write", role: Role::Write, places: 1 },
];

impl System for Instant {
    fn kinds(&self) -> &[KindMeta] {
        &KINDS
    }
    fn places(&self) -> u64 {
        1_000
    }
    fn place_bytes(&self) -> u64 {
        4_096
    }
    fn lanes(&self, in_flight: u32, _threads: Option<u32>) -> Vec<u32> {
        vec![1; usize::try_from(in_flight).unwrap()]
    }
    fn open(&self, lane: u32, _slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        if let Some((_, open)) = self.refuses.filter(|(refused, _)| *refused == lane) {
            let is_open = || (self.ledger.open.load(Ordering::Relaxed) >= open).then_some(());
            bounded::until("the other lanes are open", is_open);
            return Err(LoadError::Unreachable("nobody is at home".to_owned()));
        }
        self.ledger.open.fetch_add(1, Ordering::Relaxed);
        let breaks_after = self.breaks.filter(|(which, _)| *which == lane).map(|(_, after)| after);
        let (ledger, waiting) = (self.ledger.clone(), Vec::new());
        Ok(Box::new(InstantLane { ledger, waiting, breaks_after, reaped: 0 }))
    }
    fn counts(&self) -> Vec<Count> {
        let value = self.ledger.reported.load(Ordering::Relaxed);
        vec![Count { name: "done by the engine".into(), value, unit: Unit::Count }]
    }
    fn facts(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

impl Engine for InstantLane {
    fn submit(&mut self, slot: u32, operation: Operation) -> Result<(), Broken> {
        self.ledger.begun.fetch_add(1, Ordering::Relaxed);
        self.waiting.push((slot, operation.place));
        Ok(())
    }
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        std::thread::sleep(std::time::Duration::from_micros(200));
        self.reaped += 1;
        if self.breaks_after.is_some_and(|after| self.reaped > after) {
            return Err(Broken("the cable was pulled".to_owned()));
        }
        let at_ns = clock::now_ns();
        for (slot, place) in self.waiting.drain(..) {
            self.ledger.reported.fetch_add(1, Ordering::Relaxed);
            // Every tenth fails.
            let failed = self.reaped.is_multiple_of(10);
            if !failed {
                self.ledger.visited.lock().unwrap().push(place);
            }
            let result = if failed { Err("out of luck".into()) } else { Ok(4_096) };
            done.push(Done { slot, at_ns, result });
        }
        Ok(())
    }
}

fn instant() -> Instant {
    Instant { ledger: Arc::default(), breaks: None, refuses: None }
}

fn closed(in_flight: u32, ms: u64) -> Job {
    Job {
        target: "sim:".to_owned(),
        arrival: Arrival::Closed { in_flight, think: None },
        limit: Limit { time: Nanos::from_millis(ms), operations: None },
        warmup: Warmup::Time(Nanos::from_millis(200)),
        ..Job::default()
    }
}

fn frames_of(events: Vec<Event>) -> impl Iterator<Item = Frame> {
    events.into_iter().filter_map(|event| match event {
        Event::Frame(frame) => Some(frame),
        _ => None,
    })
}

/// Runs a job that must end within the limit of a test.
fn run_for(
    system: &dyn System,
    job: &Job,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Outcome, LoadError> {
    let _ends = bounded::watchdog("a load");
    isotherm_load::run(system, job, stop, observer)
}

fn run(system: &dyn System, job: &Job) -> (Outcome, Vec<Frame>) {
    let mut frames = Vec::new();
    let stop = AtomicBool::new(false);
    let outcome = run_for(system, job, &stop, &mut |events: Vec<Event>| {
        frames.extend(frames_of(events));
    });
    (outcome.unwrap(), frames)
}

/// Everything that can be added up must come to the same.
fn is_conserved(outcome: &Outcome, frames: &[Frame]) {
    let of_kinds: u64 = outcome.kinds.iter().map(|kind| kind.response.events).sum();
    let of_buckets: u64 =
        outcome.kinds.iter().flat_map(|kind| &kind.response.buckets).map(|(_, count)| count).sum();
    let of_intervals: u64 = outcome.intervals.iter().map(|interval| interval.operations).sum();
    let waited: u64 = outcome.intervals.iter().map(|interval| interval.waited_ns).sum();
    let measured =
        |frame: &&Frame| frame.start.as_nanos() >= outcome.began_ns && !frame.counts.is_empty();
    let of_frames: u64 = frames.iter().filter(measured).map(|frame| frame.counts.events()).sum();
    assert_eq!(of_kinds, of_buckets);
    assert_eq!(of_kinds, of_intervals);
    assert_eq!(of_kinds, of_frames);
    assert_eq!(waited, outcome.response().sum_ns);
    let failed: u64 = outcome.intervals.iter().map(|interval| interval.failed).sum();
    assert_eq!(failed, outcome.failed());
    if let Some(touched) = &outcome.touched {
        let reads = outcome.kinds.iter().filter(|kind| kind.name == "read");
        let reads: u64 = reads.map(|kind| kind.response.events).sum();
        assert_eq!(touched.first.events + touched.again.events, reads);
    }
}

#[test]
fn a_closed_loop_counts_every_operation_once() {
    let system = instant();
    let job = Job {
        work: Work { update_pct: 30.0, ..Work::default() },
        warmup: Warmup::Time(Nanos::ZERO),
        ..closed(8, 500)
    };
    let (outcome, frames) = run(&system, &job);
    is_conserved(&outcome, &frames);
    assert_eq!(outcome.ended, Ended::Time);
    assert!((outcome.measured_s - 0.5).abs() < 1e-9);
    let counted = outcome.operations() + outcome.failed();
    let reported = system.ledger.reported.load(Ordering::Relaxed);
    // At most what was in flight at the end is not counted.
    assert!(counted <= reported && reported - counted <= 8, "{counted} of {reported}");
    assert_eq!(outcome.faults, [("out of luck".to_owned(), outcome.failed())]);
    // The same of the places that were visited.
    let visited = system.ledger.visited.lock().unwrap();
    let distinct = visited.iter().collect::<std::collections::HashSet<_>>().len() as u64;
    let touched = outcome.touched.as_ref().unwrap();
    assert_eq!(touched.visits, outcome.operations());
    assert!(
        touched.distinct <= distinct && distinct - touched.distinct <= 8,
        "{} of {distinct} places",
        touched.distinct
    );
    assert_eq!(
        outcome.kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(),
        ["read", "write"]
    );
}

#[test]
fn the_warm_up_is_reported_but_not_measured() {
    let system = instant();
    let (outcome, frames) = run(&system, &closed(2, 300));
    is_conserved(&outcome, &frames);
    assert!((outcome.warmup_s - 0.2).abs() < 1e-9, "{}", outcome.warmup_s);
    let found: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
    assert!(found > outcome.operations(), "the frames hold the warm-up, too");
    let ended_well = system.ledger.visited.lock().unwrap().len() as u64;
    // All of it, but for what was in flight at the end.
    assert!(found <= ended_well && ended_well - found <= 2, "{found} of {ended_well}");
    let before = outcome.observed.iter().find(|one| one.name == "done by the engine").unwrap();
    assert!(before.value < system.ledger.reported.load(Ordering::Relaxed));
}

#[test]
fn a_number_of_operations_is_done_exactly() {
    for warmup_ms in [0, 100] {
        let system = Instant { ..instant() };
        let mut job = closed(5, 60_000);
        job.warmup = Warmup::Time(Nanos::from_millis(warmup_ms));
        job.limit.operations = Some(777);
        let (outcome, frames) = run(&system, &job);
        is_conserved(&outcome, &frames);
        assert_eq!(outcome.operations() + outcome.failed(), 777);
        assert_eq!(outcome.ended, Ended::Operations);
        assert!(outcome.measured_s < 60.0);
    }
}

#[test]
fn a_lane_that_breaks_ends_the_run_with_what_was_measured() {
    let system = Instant { breaks: Some((1, 500)), ..instant() };
    let (outcome, frames) = run(&system, &closed(3, 60_000));
    is_conserved(&outcome, &frames);
    assert_eq!(outcome.ended, Ended::Failed("the cable was pulled".to_owned()));
    assert!(system.ledger.reported.load(Ordering::Relaxed) > 500);
}

#[test]
fn a_lane_that_cannot_be_opened_is_an_error_and_nobody_waits_for_ever() {
    // The first of four lanes to answer, or the last.
    for open in [0, 3] {
        let system = Instant { refuses: Some((2, open)), ..instant() };
        let stop = AtomicBool::new(false);
        let job = closed(4, 60_000);
        let error = run_for(&system, &job, &stop, &mut |_: Vec<Event>| {}).unwrap_err();
        assert_eq!(error, LoadError::Unreachable("nobody is at home".to_owned()));
        assert_eq!(system.ledger.begun.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn being_asked_to_stop_gives_the_results_so_far() {
    let system = instant();
    let stop = AtomicBool::new(false);
    let mut frames = Vec::new();
    let outcome = run_for(&system, &closed(4, 19_000), &stop, &mut |events: Vec<Event>| {
        frames.extend(frames_of(events));
        // The first interval is the warm-up.
        stop.store(frames.len() > 3, Ordering::Relaxed);
    })
    .unwrap();
    is_conserved(&outcome, &frames);
    assert_eq!(outcome.ended, Ended::Interrupted);
    assert!(outcome.operations() > 0 && outcome.measured_s < 19.0);
}

fn simulated(text: &str) -> Box<dyn System> {
    let stop = AtomicBool::new(false);
    let mut hooks = Hooks { progress: &mut |_| {}, stop: &stop };
    isotherm_load::open(&Address::parse(text).unwrap(), &Job::default(), &mut hooks).unwrap()
}

/// Keeps how a run went, and its frames; ends it when it has seen enough.
struct Watching<'a> {
    statuses: Vec<RunStatus>,
    frames: Vec<Frame>,
    stop: &'a AtomicBool,
}

impl Watching<'_> {
    /// Statuses between which the system was looked at only while all slots were at work: something
    /// had ended before, so every slot had begun, and the run was not told to end.
    fn settled(&self) -> impl Iterator<Item = &RunStatus> {
        let has_begun =
            |status: &RunStatus| status.latest.as_ref().is_some_and(|one| one.response.events > 0);
        self.statuses.windows(2).filter(move |pair| has_begun(&pair[0])).map(|pair| &pair[1])
    }

    fn is_enough(&self) -> bool {
        self.settled().count() >= 3
            && self.settled().any(|status| status.in_flight > 3.0)
            && self.statuses.last().is_some_and(|last| last.measuring && last.operations > 0)
    }
}

impl Observer for Watching<'_> {
    fn events(&mut self, events: Vec<Event>) {
        self.frames.extend(frames_of(events));
    }

    fn status(&mut self, status: RunStatus) {
        if !self.stop.load(Ordering::Relaxed) {
            self.statuses.push(status);
            self.stop.store(self.is_enough(), Ordering::Relaxed);
        }
    }
}

#[test]
fn how_a_run_goes_is_reported_from_its_warm_up_on() {
    let stop = AtomicBool::new(false);
    let mut watching = Watching { statuses: Vec::new(), frames: Vec::new(), stop: &stop };
    let system = simulated("sim:servers=4,service=1ms");
    let job = Job { warmup: Warmup::Time(Nanos::SECOND), ..closed(4, 19_000) };
    let outcome = run_for(&*system, &job, &stop, &mut watching).unwrap();
    is_conserved(&outcome, &watching.frames);
    assert_eq!(outcome.ended, Ended::Interrupted, "{:?}", watching.statuses);
    let (first, last) = (&watching.statuses[0], watching.statuses.last().unwrap());
    assert!(!first.measuring, "{first:?}");
    for status in &watching.statuses {
        assert_eq!(status.measuring, status.elapsed_s >= status.warmup_s, "{status:?}");
        // Intervals last a quarter of a second.
        assert!(status.latest.is_none() || status.elapsed_s >= 0.25, "{status:?}");
    }
    assert!(last.measuring && last.elapsed_s > first.elapsed_s && last.share() > first.share());
    assert!((last.warmup_s - outcome.warmup_s).abs() < 1e-9, "{last:?}");
    // What it had counted by then, which is not all of it.
    assert!(last.operations > 0 && last.operations <= outcome.operations());
    assert_eq!((last.failed, outcome.failed()), (0, 0));
    let latest = last.latest.as_ref().unwrap();
    let is_given = |frame: &Frame| frame.counts.events() == latest.response.events;
    assert!(watching.frames.iter().any(is_given), "{latest:?}");
    assert!(watching.statuses.iter().all(|status| status.in_flight <= 4.0));
    // Each slot that has ended begins anew before the next one ends: whenever somebody looks, at
    // most one is free.
    assert!(watching.settled().all(|status| status.in_flight >= 3.0), "{:?}", watching.statuses);
}

#[test]
fn an_open_loop_counts_what_it_did_and_what_it_did_not() {
    let system = simulated("sim:servers=1,service=5ms,distribution=fixed");
    // The server can do 200 a second: 400 are asked for, and 16 may wait.
    let mut job = closed(1, 600);
    job.arrival = Arrival::Open { rate_hz: 400.0, spacing: Spacing::Fixed, slots: 16 };
    let (outcome, frames) = run(system.as_ref(), &job);
    is_conserved(&outcome, &frames);
    let kind = &outcome.kinds[0];
    let service = kind.service.as_ref().unwrap();
    assert_eq!(service.events, kind.response.events);
    // What waited for a slot has a longer response than service time.
    assert!(kind.response.sum_ns > service.sum_ns);
    assert!(outcome.offered.queued > 0);
    let (words, unserved) = &outcome.faults[0];
    assert!(words.contains("never begun"), "{words}");
    assert!(*unserved > 0);
}

#[test]
fn failures_are_counted_and_have_no_latency() {
    let system = simulated("sim:servers=8,service=100us,fail=4");
    let mut job = closed(8, 60_000);
    job.warmup = Warmup::Time(Nanos::ZERO);
    job.limit.operations = Some(2_000);
    let (outcome, frames) = run(system.as_ref(), &job);
    is_conserved(&outcome, &frames);
    assert_eq!((outcome.operations(), outcome.failed()), (1_500, 500));
    assert_eq!(outcome.faults, [("simulated failure".to_owned(), 500)]);
}

#[test]
fn nonsense_is_refused_before_anything_is_done() {
    let system = instant();
    let stop = AtomicBool::new(false);
    let refused = |job: &Job| {
        let result = run_for(&system, job, &stop, &mut |_: Vec<Event>| {});
        matches!(result, Err(LoadError::Job(_)))
    };
    let with = |change: &dyn Fn(&mut Job)| {
        let mut job = closed(1, 100);
        change(&mut job);
        job
    };
    assert!(refused(&with(&|job| job.work.update_pct = 101.0)));
    assert!(refused(&with(&|job| job.work.update_pct = f64::NAN)));
    assert!(refused(&with(&|job| job.limit.time = Nanos::ZERO)));
    assert!(refused(&with(&|job| job.limit.operations = Some(0))));
    assert!(refused(&with(&|job| job.arrival = Arrival::Closed { in_flight: 0, think: None })));
    let open = |rate_hz| Arrival::Open { rate_hz, spacing: Spacing::Poisson, slots: 4 };
    assert!(refused(&with(&|job| job.arrival = open(-1.0))));
    assert!(refused(&with(&|job| job.arrival = open(f64::NAN))));
    assert_eq!(system.ledger.begun.load(Ordering::Relaxed), 0);
}

#[test]
fn little_s_law_holds_however_long_the_longest_operation_takes() {
    let system = simulated("sim:servers=1,service=40ms");
    let mut job = closed(6, 400);
    // The lane must have begun when measuring begins.
    job.warmup = Warmup::Time(Nanos::from_millis(500));
    let (outcome, frames) = run(system.as_ref(), &job);
    is_conserved(&outcome, &frames);
    // Each operation waits for five others: hundreds of milliseconds of a run of 400. With what
    // was in flight at both ends the law is exact.
    assert!(outcome.little.gap().abs() < 1e-9, "{:?}", outcome.little);
}

/// Lets nobody in.
struct Closed {
    door: Instant,
    opening_limit: std::time::Duration,
}

impl System for Closed {
    fn kinds(&self) -> &[KindMeta] {
        self.door.kinds()
    }
    fn places(&self) -> u64 {
        self.door.places()
    }
    fn place_bytes(&self) -> u64 {
        self.door.place_bytes()
    }
    fn lanes(&self, in_flight: u32, threads: Option<u32>) -> Vec<u32> {
        self.door.lanes(in_flight, threads)
    }
    fn open(&self, lane: u32, slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        self.door.open(lane, slots)
    }
    fn open_unless(
        &self,
        left: &AtomicBool,
        _lane: u32,
        _slots: u32,
    ) -> Result<Box<dyn Engine>, LoadError> {
        // ends: when the driver leaves it
        while !left.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Err(LoadError::Failed("left".to_owned()))
    }
    fn opening_limit(&self) -> std::time::Duration {
        self.opening_limit
    }
    fn counts(&self) -> Vec<Count> {
        Vec::new()
    }
    fn facts(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

#[test]
fn a_server_that_lets_nobody_in_is_left_when_its_time_is_over_and_when_asked() {
    let closed = |opening_limit| Closed { door: instant(), opening_limit };
    let system = closed(std::time::Duration::from_millis(20));
    let never = AtomicBool::new(false);
    let late = run_for(&system, &closed_job(), &never, &mut |_: Vec<Event>| {}).err().unwrap();
    let LoadError::Unreachable(words) = late else { panic!("{late:?}") };
    assert!(words.contains("was not ready to be loaded"), "{words}");
    let system = closed(std::time::Duration::MAX);
    let stopped = AtomicBool::new(true);
    let asked = run_for(&system, &closed_job(), &stopped, &mut |_: Vec<Event>| {}).err().unwrap();
    assert!(matches!(asked, LoadError::Failed(_)), "{asked:?}");
}

fn closed_job() -> Job {
    closed(2, 1_000)
}
