//! The points of a plan: what is varied, crossed.

use isotherm_load::{Arrival, Job};

use super::amount::Amount;
use super::order::{self, Turn};
use super::variable::What;
use super::{Plan, PlanError};

/// The most points of a plan.
pub const MOST_POINTS: usize = 1_000;

/// One point of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What the point is known by: `in-flight 8, update-pct 20`. No two points of a plan share it.
    pub label: String,
    /// What is varied, in the plan's order.
    pub settings: Vec<(What, Amount)>,
    /// What is done at this point.
    pub job: Job,
}

impl Plan {
    /// The points in the order in which they are written: every variable crossed with every other,
    /// the last fastest. Without variables there is one.
    pub fn points(&self) -> Result<Vec<Point>, PlanError> {
        let mut crossed: Vec<Vec<(What, Amount)>> = vec![Vec::new()];
        for variable in &self.vary {
            let values = variable.values()?;
            if crossed.len().saturating_mul(values.len()) > MOST_POINTS {
                let most = format!("more than {MOST_POINTS} points in all: take fewer values");
                return Err(PlanError::key("vary", most));
            }
            let with = |settings: &Vec<(What, Amount)>, value: &Amount| {
                settings.iter().cloned().chain([(variable.what(), value.clone())]).collect()
            };
            crossed = crossed
                .iter()
                .flat_map(|settings| values.iter().map(move |value| with(settings, value)))
                .collect();
        }
        Ok(crossed.into_iter().map(|settings| Point::new(&self.job, settings)).collect())
    }

    /// All runs in the order in which they are to be done, over so many points.
    pub fn turns(&self, points: &[Point]) -> Vec<Turn> {
        order::turns(self.order, self.seed, points.len(), self.repeats)
    }
}

impl Point {
    fn new(base: &Job, settings: Vec<(What, Amount)>) -> Point {
        let mut job = base.clone();
        // A rate makes an open loop, of which more can be set.
        let mut by_kind: Vec<&(What, Amount)> = settings.iter().collect();
        by_kind.sort_by_key(|(what, _)| *what);
        for (what, amount) in by_kind {
            what.set(&mut job, amount);
        }
        let mut words: Vec<String> = settings.iter().map(words_of).collect();
        if words.is_empty() {
            words.push(load_in_words(&job));
        }
        Point { label: words.join(", "), settings, job }
    }

    /// The load if it is varied, and everything else that is: points that share that are one
    /// curve.
    pub fn load(&self) -> Option<(f64, Vec<&(What, Amount)>)> {
        let (load, rest): (Vec<_>, Vec<_>) =
            self.settings.iter().partition(|(what, _)| what.is_load());
        match load.first()?.1 {
            Amount::Number(load) => Some((load, rest)),
            Amount::Word(_) => None,
        }
    }

    /// The job of one repeat. Each run visits places in an order of its own, lest it finds what an
    /// earlier one left in a cache.
    pub fn job_of(&self, number: u32, repeat: u32) -> Job {
        let mut job = self.job.clone();
        let own = u64::from(number) * 1_000 + u64::from(repeat);
        // Kept within what a plan file can hold.
        job.work.seed = job.work.seed.wrapping_add(own) & (u64::MAX >> 1);
        job
    }
}

fn words_of((what, amount): &(What, Amount)) -> String {
    format!("{} {}", what.name(), what.kind().text(amount))
}

fn load_in_words(job: &Job) -> String {
    match job.arrival {
        Arrival::Closed { in_flight, .. } => format!("{} {in_flight}", What::InFlight.name()),
        Arrival::Open { rate_hz, .. } => format!("{} {rate_hz}", What::Rate.name()),
    }
}
