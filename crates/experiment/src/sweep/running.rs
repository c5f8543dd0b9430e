//! Doing the runs of a sweep, one after the other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use isotherm_frame::{Event, Nanos};
use isotherm_load::{Address, Ended, LoadError, Observer, Progress as Preparation};
use isotherm_recording::About;

use super::failed::failed;
use super::keep::Keep;
use super::pace::Pace;
use super::{Sweep, SweepError};
use crate::progress::RunProgress;
use crate::{Progress, Run, Setting, Turn};

/// So many failures in a row end a sweep.
const MOST_FAILURES: u32 = 3;
/// How often it is told how far a rest has come.
const TICK: Duration = Duration::from_millis(100);

/// Executes one run, as [`crate::execute`] does.
pub type Execute<'a> = dyn FnMut(&Setting, &mut dyn FnMut(Preparation), &mut dyn Observer) -> Result<Run, LoadError>
    + 'a;

/// What a sweep is given to be done with.
pub struct Stage<'a> {
    /// What is loaded; the plan's target with what a plan does not hold.
    pub address: &'a Address,
    /// Whether what was not made by isotherm may be written to.
    pub i_mean_it: bool,
    /// Whether a file to be loaded is made if it is not there and the plan has no size.
    pub create: bool,
    /// What each recording says about itself.
    pub about: &'a About,
    /// Asks to stop: the run that is being done is cut short and kept as such.
    pub stop: &'a AtomicBool,
    /// Does one run.
    pub execute: &'a mut Execute<'a>,
    /// Is told how it goes, ten times a second at least while a run is measured.
    pub tell: &'a mut dyn FnMut(&Position, Progress),
}

/// How far a sweep has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    /// Runs of this sweep that are done, also those done earlier and those that failed now.
    pub done: usize,
    /// Runs there are in all.
    pub of: usize,
    /// The point at work, in words.
    pub label: String,
    /// Its repeat, counted from 0.
    pub repeat: u32,
    /// How long the rest will take, by the plan and by what runs took so far.
    pub left: Duration,
}

/// How a sweep ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything was done once; what failed is left for the next time.
    Done,
    /// It was asked to stop.
    Interrupted,
    /// So many runs would have ended after the most time it may take.
    OutOfTime(usize),
}

/// What changes from run to run.
struct SweepState {
    began: Instant,
    pace: Pace,
    failures: u32,
    /// Whether any run was made.
    begun: bool,
    /// Runs that were made and did not come to their end.
    tried: Vec<Turn>,
    position: Position,
}

/// One run that is to be done now.
struct Due {
    turn: Turn,
    number: u32,
    job: isotherm_load::Job,
    name: String,
    /// What is left when it is done.
    after: Duration,
}

impl Sweep {
    /// Does what is left to be done. What was done is in the run table when this returns, in each
    /// case.
    pub fn run(&mut self, stage: &mut Stage) -> Result<Ending, SweepError> {
        let mut course = SweepState {
            began: Instant::now(),
            pace: Pace::default(),
            failures: 0,
            begun: false,
            tried: Vec::new(),
            position: Position::default(),
        };
        loop {
            // What failed is left for the next time.
            let mut left = self.left();
            left.retain(|turn| !course.tried.contains(turn));
            let Some(&turn) = left.first() else { return Ok(Ending::Done) };
            let due = self.due(turn, &left, &mut course);
            if self.is_too_late(&due, &course) {
                return Ok(Ending::OutOfTime(left.len()));
            }
            let rested = !course.begun || self.rest(stage, &due, &course);
            if !rested || stage.stop.load(Ordering::Relaxed) {
                return Ok(Ending::Interrupted);
            }
            if self.take_turn(stage, &due, &mut course)?.is_break() {
                return Ok(Ending::Interrupted);
            }
        }
    }

    /// What is to be done in a turn. Everything is left that a failure or a stop rule may yet
    /// change, so this is reported for each.
    fn due(&self, turn: Turn, left: &[Turn], course: &mut SweepState) -> Due {
        let point = &self.points[turn.point];
        let number = self.numbers[turn.point];
        let rest = Duration::from_nanos(self.plan.cool_down.as_nanos());
        let jobs = left.iter().skip(1).map(|turn| &self.points[turn.point].job);
        let after = jobs
            .map(|job| course.pace.of(job).saturating_add(rest))
            .fold(Duration::ZERO, Duration::saturating_add);
        let all = self.plan.turns(&self.points).len();
        course.position = Position {
            done: all.saturating_sub(left.len() + self.stopped_runs()),
            of: all.saturating_sub(self.stopped_runs()),
            label: point.label.clone(),
            repeat: turn.repeat,
            left: after.saturating_add(course.pace.of(&point.job)),
        };
        let name = self.directory.recording(number, &point.label, turn.repeat);
        Due { turn, number, job: point.job_of(number, turn.repeat), name, after }
    }

    /// Runs that are not done because of a stop rule.
    fn stopped_runs(&self) -> usize {
        let done = self.done();
        let stopped = |turn: &&Turn| {
            let number = self.numbers[turn.point];
            let stops = self.ceiling.stops(&self.points[turn.point]).is_some();
            stops && !done.contains(&(number, turn.repeat))
        };
        self.plan.turns(&self.points).iter().filter(stopped).count()
    }

    fn is_too_late(&self, due: &Due, course: &SweepState) -> bool {
        let rest = if course.begun { self.plan.cool_down.as_nanos() } else { 0 };
        let run = Duration::from_nanos(crate::Plan::run_time(&due.job).as_nanos());
        let end = course.began.elapsed() + Duration::from_nanos(rest) + run;
        self.plan.most_time.is_some_and(|most| end > Duration::from_nanos(most.as_nanos()))
    }

    /// Rests before a run; `false` when asked to stop.
    fn rest(&self, stage: &mut Stage, due: &Due, course: &SweepState) -> bool {
        let rest = Duration::from_nanos(self.plan.cool_down.as_nanos());
        let began = Instant::now();
        let run = course.pace.of(&due.job);
        while !stage.stop.load(Ordering::Relaxed) {
            let left = rest.saturating_sub(began.elapsed());
            if left.is_zero() {
                return true;
            }
            let all = due.after.saturating_add(run).saturating_add(left);
            let position = Position { left: all, ..course.position.clone() };
            (stage.tell)(&position, Progress::Resting);
            thread::sleep(left.min(TICK));
        }
        false
    }

    /// Does one run and puts it into the table. Breaks when it was cut short.
    fn take_turn(
        &mut self,
        stage: &mut Stage,
        due: &Due,
        course: &mut SweepState,
    ) -> Result<std::ops::ControlFlow<()>, SweepError> {
        let began = Instant::now();
        let (result, recorded) = self.execute(stage, due, course);
        let stopped = stage.stop.load(Ordering::Relaxed);
        let (mut run, error) = match result {
            Ok(run) => (run, None),
            Err(_) if stopped => return Ok(std::ops::ControlFlow::Break(())),
            Err(error) if self.is_hopeless(&error, course) => return Err(error.into()),
            Err(error) => (failed(&due.job, &error), Some(error)),
        };
        course.begun = true;
        (run.point, run.repeat) = (due.number, due.turn.repeat);
        run.label.clone_from(&self.points[due.turn.point].label);
        run.recording = recorded.then(|| due.name.clone());
        self.directory.append(&run)?;
        if run.is_usable() {
            course.pace.push(&run, began.elapsed());
        }
        course.position.done += 1;
        if !run.is_whole() {
            course.tried.push(due.turn);
        }
        course.position.left = due.after;
        (stage.tell)(&course.position, Progress::Finished(&run));
        let interrupted = run.outcome.ended == Ended::Interrupted;
        let error = error.or_else(|| failure_of(&run));
        self.table.runs.push(run);
        self.look(due.turn);
        if interrupted {
            return Ok(std::ops::ControlFlow::Break(()));
        }
        course.failures = if error.is_some() { course.failures + 1 } else { 0 };
        match error {
            Some(last) if course.failures >= MOST_FAILURES => {
                Err(SweepError::Failing { runs: course.failures, last })
            }
            _ => Ok(std::ops::ControlFlow::Continue(())),
        }
    }

    /// Whether what goes wrong with the first run will go wrong with every other.
    fn is_hopeless(&self, error: &LoadError, course: &SweepState) -> bool {
        match error {
            LoadError::Unreachable(_) | LoadError::Password(_) | LoadError::Unsafe(_) => {
                !course.begun
            }
            // Once other points were run, it may be this one only.
            LoadError::Job(_) => self.table.runs.is_empty(),
            LoadError::Failed(_) => false,
        }
    }

    /// Executes a run and records it. Gives also whether there is a recording.
    fn execute(
        &self,
        stage: &mut Stage,
        due: &Due,
        course: &SweepState,
    ) -> (Result<Run, LoadError>, bool) {
        let mut job = due.job.clone();
        job.file.i_mean_it = stage.i_mean_it;
        job.file.create = stage.create;
        let Stage { address, stop, about, execute, tell, .. } = stage;
        let setting = Setting { address, job: &job, device: self.plan.device, stop };
        let mut keep = Keep::new(self.directory.join(&due.name), about);
        let (began, planned) = (Instant::now(), course.pace.of(&job));
        let listener = std::cell::RefCell::new(tell);
        let say = |what: Progress| {
            let left = due.after.saturating_add(planned.saturating_sub(began.elapsed()));
            let position = Position { left, ..course.position.clone() };
            (listener.borrow_mut())(&position, what);
        };
        let label = &course.position.label;
        say(Progress::Started { phase: None, label, elapsed: Nanos::ZERO });
        let prepare = &mut |preparation| say(Progress::Preparing(preparation));
        let mut hand_on = |progress: Progress| {
            if let Progress::Events(events) = &progress {
                keep.take(events);
            }
            say(progress);
        };
        let result = execute(&setting, prepare, &mut RunProgress(&mut hand_on));
        let (recorded, failure) = keep.finish();
        if let Some(failure) = failure {
            say(Progress::Events(vec![Event::Message(failure)]));
        }
        (result, recorded)
    }
}

/// What went wrong with a run that has numbers: it could not go on, or nothing succeeded.
fn failure_of(run: &Run) -> Option<LoadError> {
    match &run.outcome.ended {
        Ended::Failed(words) => Some(LoadError::Failed(words.clone())),
        Ended::Time | Ended::Operations if run.outcome.operations() == 0 => {
            let fault = run.outcome.faults.first().map(|(words, _)| words.as_str());
            let words = fault.unwrap_or("no operation ended");
            Some(LoadError::Failed(format!("no operation succeeded: {words}")))
        }
        _ => None,
    }
}
