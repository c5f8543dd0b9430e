//! The driver: gives engines operations as the job says, and counts what comes back.

mod aggregator;
mod board;
mod check;
mod chooser;
mod counter;
mod earlier;
mod in_flight_gauge;
mod lane;
mod machine;
mod run_clock;
mod start_gate;
mod visit_set;
mod watch;
mod workers;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use isotherm_frame::Nanos;

use crate::clock;
use crate::fault::Broken;
use crate::job::{Arrival, Spacing, Warmup};
use crate::log_on::not_ready;
use crate::random::of_arrivals;
use crate::{Job, LoadError, Observer, Outcome, System};

use aggregator::Aggregator;
use board::{Board, Counted};
use chooser::{Chooser, LaneNumber};
use in_flight_gauge::InFlightGauge;
use lane::{Lane, Means, Schedule};
use run_clock::RunClock;
use start_gate::StartGate;
use visit_set::VisitSet;
use workers::{LOOK, Workers, in_flight, series, words_of};

pub use check::check;

/// Runs a job. Blocks until it has ended by its limit, by `stop`, or because it cannot go on;
/// what was measured until then is the outcome in each case. `observer` is given what happens: the
/// intervals that are finished, of every kind of operation, also of the warm-up (response times);
/// marks where measuring begins and ends; messages; and how the run goes. It is called on this
/// thread, a few times a second at least.
pub fn run(
    system: &dyn System,
    job: &Job,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Outcome, LoadError> {
    check(job, system.kinds())?;
    let slots = system.lanes(in_flight(job.arrival), job.threads);
    check::check_lanes(system, &slots)?;
    let mut course = RunClock::new(interval_ns(job), job.limit.operations);
    if system.place_bytes() > 0 {
        course.touches = VisitSet::of(system.places());
    }
    let touch = course.touches.is_some();
    let service = matches!(job.arrival, Arrival::Open { .. });
    let counted = Counted { kinds: system.kinds().len(), service, touch };
    let boards: Vec<Mutex<Board>> =
        slots.iter().map(|_| Mutex::new(Board::new(&course, counted))).collect();
    let gauges: Vec<InFlightGauge> = slots.iter().map(|_| InFlightGauge::default()).collect();
    let (gate, refused) = (StartGate::default(), AtomicBool::new(false));
    let workers =
        Workers { system, job, course: &course, slots: &slots, gate: &gate, refused: &refused };
    let series = series(system, job);
    thread::scope(|scope| {
        let (sender, opened) = channel();
        let mut lanes = Vec::new();
        for (number, lane) in boards.iter().zip(&gauges).enumerate() {
            let (workers, sender) = (&workers, sender.clone());
            let name = format!("load-{number}");
            let spawned = thread::Builder::new()
                .name(name)
                .spawn_scoped(scope, move || workers.lane(number, lane, &sender));
            match spawned {
                Ok(lane) => lanes.push(lane),
                Err(error) => {
                    refused.store(true, Ordering::Release);
                    gate.tell(false);
                    let (this, all) = (number + 1, slots.len());
                    let words = format!("cannot start thread {this} of {all}: {error}");
                    return Err(LoadError::Failed(words));
                }
            }
        }
        drop(sender);
        let aggregator = Aggregator::new(&course, &boards, counted, series);
        all_ready(&workers, &opened, stop)?;
        let watch = watch::Watch::new(&workers, aggregator, (&boards, &gauges), stop);
        Ok(watch.watch(lanes, observer))
    })
}

/// Waits until every lane is ready, and lets them begin; fails, letting all go home, if one is not.
fn all_ready(
    workers: &Workers,
    opened: &Receiver<Result<(), LoadError>>,
    stop: &AtomicBool,
) -> Result<(), LoadError> {
    let (mut refusal, mut answers) = (None, 0);
    let (since, most) = (Instant::now(), workers.system.opening_limit());
    while answers < workers.slots.len() {
        if since.elapsed() > most {
            refusal.get_or_insert_with(|| not_ready("the server", most));
        }
        if stop.load(Ordering::Acquire) {
            workers.refused.store(true, Ordering::Release);
        }
        match opened.recv_timeout(LOOK) {
            Ok(Ok(())) => answers += 1,
            Ok(Err(error)) => {
                answers += 1;
                refusal.get_or_insert(error);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // Also after the last answer.
        if refusal.is_some() {
            workers.refused.store(true, Ordering::Release);
        }
    }
    let refused = workers.refused.load(Ordering::Acquire);
    workers.course.start(clock::now_ns());
    if let Warmup::Time(length) = workers.job.warmup {
        // Before the first operation: which of them are measured must not depend on who is faster.
        let intervals = length.as_nanos().div_ceil(workers.course.interval_ns);
        workers.course.measure_from(intervals, workers.job.limit.time.as_nanos());
    }
    workers.gate.tell(!refused);
    match refusal {
        Some(error) => Err(error),
        None if refused => Err(LoadError::Failed("stopped before it began".to_owned())),
        None => Ok(()),
    }
}

impl Workers<'_> {
    /// What the thread of one lane does.
    fn lane(
        &self,
        number: usize,
        counted: (&Mutex<Board>, &InFlightGauge),
        opened: &Sender<Result<(), LoadError>>,
    ) -> Result<(), Broken> {
        let slots = self.slots.get(number).copied().unwrap_or(1);
        let lane = u32::try_from(number).unwrap_or(u32::MAX);
        let engine = if self.refused.load(Ordering::Acquire) {
            Err(LoadError::Failed("another lane could not be opened".to_owned()))
        } else {
            // A driver that panics must not leave the others waiting.
            let open = || self.system.open_unless(self.refused, lane, slots);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(open))
                .unwrap_or_else(|panic| Err(LoadError::Failed(words_of(&*panic))))
        };
        let (engine, answer) = match engine {
            Ok(engine) => (Some(engine), Ok(())),
            Err(error) => (None, Err(error)),
        };
        // Nobody listens any more only after the gate was told to send everybody home.
        let _ = opened.send(answer);
        let work = self.gate.wait();
        match engine {
            Some(engine) if work => {
                self.work(LaneNumber { lane, lanes: self.lanes() }, counted, engine)
            }
            _ => Ok(()),
        }
    }

    fn lanes(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    fn work(
        &self,
        number: LaneNumber,
        (board, in_flight): (&Mutex<Board>, &InFlightGauge),
        engine: Box<dyn crate::Engine>,
    ) -> Result<(), Broken> {
        let (system, job) = (self.system, self.job);
        let means = Means {
            course: self.course,
            board,
            in_flight,
            kinds: system.kinds(),
            chooser: Chooser::new(&job.work, system.kinds(), system.places(), number),
            random: of_arrivals(system, &job.work, number.lane),
        };
        let index = usize::try_from(number.lane).unwrap_or(0);
        let slots = self.slots.get(index).copied().unwrap_or(1);
        let lane = Lane::new(means, engine, slots);
        let worked = match job.arrival {
            Arrival::Closed { think, .. } => lane.closed(think),
            Arrival::Open { rate_hz, spacing, .. } => {
                let share = rate_hz / f64::from(number.lanes.max(1));
                let phase = f64::from(number.lane) / f64::from(number.lanes.max(1));
                lane.open(Schedule::new(share, spacing == Spacing::Poisson, phase))
            }
        };
        if worked.is_err() {
            self.course.stop();
        }
        worked
    }
}

/// How long the intervals are that a run of this job tells of.
pub fn interval(job: &Job) -> Nanos {
    Nanos::new(interval_ns(job))
}

/// Seconds for runs that last; shorter intervals for short ones, so that there are some.
fn interval_ns(job: &Job) -> u64 {
    match job.limit.time.as_nanos() {
        0..5_000_000_000 => 100_000_000,
        5_000_000_000..20_000_000_000 => 250_000_000,
        _ => 1_000_000_000,
    }
}
