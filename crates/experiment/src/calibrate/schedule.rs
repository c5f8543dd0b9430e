//! The time of a calibration, and what has been done in it.

use isotherm_frame::numbers::whole;
use isotherm_frame::{Nanos, percent};
use isotherm_load::{Arrival, Ended, Job, LoadError, Pattern, Spacing, Warmup, Work};

use super::bench::{Bench, Order};
use super::figure::{Figure, spread};
use super::step::Step;
use super::terms::{Phase, Terms};

/// The part of a step that is not measured: queues fill, caches and clocks settle.
const WARMUP: f64 = 0.2;
/// The longest that a step warms up.
const LONGEST_WARMUP: f64 = 3.0;
/// The shortest step, as a share of the whole time and in seconds: however long the steps before
/// took, a later one is no mere blink.
const SHORTEST: (f64, f64, f64) = (0.012, 0.1, 1.0);
/// Throughput of identical runs differs by so much at least, as a share: below it a small number
/// of intervals that happen to agree would pass for certainty.
const LEAST_NOISE: f64 = 0.01;
/// Throughput must grow by so much to be called growing.
pub const GROWTH: f64 = 0.03;

/// A calibration under way.
pub struct Schedule<'a> {
    pub terms: &'a Terms,
    pub bench: &'a mut dyn Bench,
    pub steps: Vec<Step>,
    /// When everything must be over, as time spent in seconds.
    end_s: f64,
    /// When the part under way must be over.
    part_end_s: f64,
}

/// Why there are no more steps.
#[derive(Debug)]
pub enum Broken {
    /// It was asked to stop.
    Stopped,
    /// A load could not be made.
    Failed(LoadError),
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub struct Want {
    pub phase: Phase,
    pub arrival: Arrival,
    /// Bytes of the part of the target that is visited; all of it if not given.
    pub part: Option<u64>,
    pub block: u64,
    pub pattern: Pattern,
    pub writes: bool,
    /// Writes end only when they are on stable storage.
    pub dsync: bool,
    /// Streams; chosen by the engine if not given.
    pub threads: Option<u32>,
}

impl Want {
    /// Small random reads with so many in flight.
    pub fn reads(phase: Phase, in_flight: u32, terms: &Terms) -> Want {
        let arrival = Arrival::Closed { in_flight, think: None };
        let (block, pattern) = (terms.block, Pattern::Random);
        let (writes, dsync) = (false, false);
        Want { phase, arrival, part: None, block, pattern, writes, dsync, threads: None }
    }

    fn label(&self, bytes: u64) -> String {
        let load = match self.arrival {
            Arrival::Closed { in_flight, .. } => format!("{in_flight} in flight"),
            Arrival::Open { rate_hz, .. } => format!("{} arrivals/s", whole(rate_hz)),
        };
        let share = |part: u64| format!(" in {} of it", percent(part as f64 / bytes as f64));
        let part = self.part.map(share).unwrap_or_default();
        let what = match (self.pattern, self.writes) {
            (Pattern::Sequential, false) => "sequential, ",
            (Pattern::Sequential, true) => "log writes, ",
            (Pattern::Random, true) => "writes, ",
            (Pattern::Random, false) => "",
        };
        format!("{what}{load}{part}")
    }
}

impl<'a> Schedule<'a> {
    pub fn new(terms: &'a Terms, bench: &'a mut dyn Bench) -> Schedule<'a> {
        let begin = bench.spent().as_secs_f64();
        let end_s = begin + terms.budget.as_secs_f64();
        Schedule { terms, bench, steps: Vec::new(), end_s, part_end_s: begin }
    }

    /// Begins a part: the time left is divided among it and those that follow, so that what one
    /// part did not need is of use to all later ones.
    pub fn enter(&mut self, phase: Phase) {
        let plan = self.terms.plan();
        let length = |(_, length): &(Phase, Nanos)| length.as_secs_f64();
        let left: f64 = plan.iter().filter(|(later, _)| *later >= phase).map(length).sum();
        let own = plan.iter().find(|(one, _)| *one == phase).map_or(0.0, length);
        let spent = self.bench.spent().as_secs_f64();
        let share = if left > 0.0 { own / left } else { 0.0 };
        self.part_end_s = spent + (self.end_s - spent).max(0.0) * share;
    }

    /// Makes a load that shares what is left of its part's time with `more` loads to come. Gives
    /// the index of the step.
    pub fn step(&mut self, want: &Want, more: usize) -> Result<usize, Broken> {
        if self.bench.stopped() {
            return Err(Broken::Stopped);
        }
        let label = want.label(self.bench.bytes());
        let job = self.job(want, self.length(more));
        let order = Order { phase: want.phase, label, job };
        let run = self.bench.run(&order).map_err(Broken::Failed)?;
        let interrupted = run.outcome.ended == Ended::Interrupted;
        let index = self.steps.len();
        let figure = Figure::of(u32::try_from(index).unwrap_or(u32::MAX), &run);
        let working_set = want.part.unwrap_or(self.bench.bytes());
        self.steps.push(Step { phase: want.phase, working_set, figure, run });
        if interrupted { Err(Broken::Stopped) } else { Ok(index) }
    }

    /// The same for an open loop of this rate.
    pub fn at_rate(&mut self, rate_hz: f64, more: usize) -> Result<usize, Broken> {
        let arrival = Arrival::Open { rate_hz, spacing: Spacing::Poisson, slots: 1_024 };
        let want = Want { arrival, ..Want::reads(Phase::Limit, 1, self.terms) };
        self.step(&want, more)
    }

    /// The figure of a step.
    pub fn figure(&self, index: usize) -> Option<&Figure> {
        self.steps.get(index)?.figure.as_ref()
    }

    /// Seconds for a step with so many to follow in its part.
    fn length(&self, more: usize) -> f64 {
        let left = self.part_end_s - self.bench.spent().as_secs_f64();
        (left / (more + 1) as f64).max(self.shortest())
    }

    fn shortest(&self) -> f64 {
        let (share, least, most) = SHORTEST;
        (self.terms.budget.as_secs_f64() * share).clamp(least, most)
    }

    fn job(&self, want: &Want, length_s: f64) -> Job {
        let warmup = (length_s * WARMUP).min(LONGEST_WARMUP);
        let nanos = |seconds: f64| Nanos::from_secs_f64(seconds).unwrap_or_default();
        let mut job = Job { target: self.terms.target.clone(), ..Job::default() };
        job.arrival = want.arrival;
        job.warmup = Warmup::Time(nanos(warmup));
        job.limit.time = nanos(length_s - warmup);
        job.threads = want.threads;
        // Each step visits other places: the same ones again would be those a cache holds.
        let seed = self.terms.seed.wrapping_add(self.steps.len() as u64);
        let update_pct = if want.writes { 100.0 } else { 0.0 };
        job.work = Work { update_pct, pattern: want.pattern, seed, ..Work::default() };
        job.file.block = want.block;
        job.file.dsync = want.dsync;
        job.file.size = Some(want.part.unwrap_or(self.bench.bytes()));
        job
    }

    /// The noise of throughput: the standard deviation of intervals around the mean of their own
    /// step as a share of it, pooled over all steps so far.
    pub fn noise(&self) -> f64 {
        let spreads = self.steps.iter().filter_map(|step| spread(&step.run.outcome.intervals));
        let (squares, degrees_of_freedom) =
            spreads.fold((0.0, 0.0), |(squares, degrees_of_freedom), (cv, count)| {
                (squares + cv * cv * (count - 1.0), degrees_of_freedom + count - 1.0)
            });
        if degrees_of_freedom > 0.0 {
            f64::sqrt(squares / degrees_of_freedom).max(LEAST_NOISE)
        } else {
            LEAST_NOISE
        }
    }

    /// Whether the throughput of one step is beyond doubt larger than that of another, by
    /// [`GROWTH`] or more: the gain, and the least it could be with 95 % confidence.
    pub fn has_grown(&self, from: usize, to: usize) -> bool {
        let (Some(before), Some(after)) = (self.figure(from), self.figure(to)) else {
            return false;
        };
        let gain = (after.per_second / before.per_second).ln();
        let count = |index: usize| {
            let intervals =
                self.steps.get(index).map_or(0, |step| step.run.outcome.intervals.len());
            intervals.max(1) as f64
        };
        let error = self.noise() * (1.0 / count(from) + 1.0 / count(to)).sqrt();
        gain >= (1.0 + GROWTH).ln() && gain > 1.645 * error
    }
}
