//! Whether a plan makes sense: which key, why not, what is allowed.

use isotherm_frame::Nanos;
use isotherm_load::{Arrival, HotSpot, Job, Mix, Think, Warmup, not_for};

use super::amount::{Amount, Kind};
use super::{FORMAT, MOST_REPEATS, Order, Plan, PlanError, Variable, What};

/// The longest that one run may be meant to take.
const LONGEST: Nanos = Nanos::new(30 * 86_400 * 1_000_000_000);
/// The largest whole number of a plan file.
const MOST_WHOLE: u64 = u64::MAX >> 1;

impl Plan {
    /// Whether it makes sense; the first thing that does not is the error.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.format != FORMAT {
            let why = format!("{} is not known to this isotherm; it reads {FORMAT}", self.format);
            return Err(PlanError::key("format", why));
        }
        if !(1..=MOST_REPEATS).contains(&self.repeats) {
            let why = format!("{} is not a number of runs from 1 to {MOST_REPEATS}", self.repeats);
            return Err(PlanError::key("repeats", why));
        }
        whole("seed", self.seed)?;
        at_most("cool-down", self.cool_down)?;
        self.most_time.map_or(Ok(()), |most| some_time("most-time", most))?;
        self.check_variables()?;
        self.check_stop_rules()?;
        check_job(&self.job)?;
        for point in self.points()? {
            check_job(&point.job).map_err(|error| match error {
                PlanError::Key { key, why } => {
                    PlanError::key(key, format!("{why} (at the point '{}')", point.label))
                }
                other => other,
            })?;
        }
        Ok(())
    }

    /// Whether what is varied means something to the kind of system that is loaded.
    pub fn check_engine(&self) -> Result<(), PlanError> {
        let target = &self.job.target;
        let foreign = |variable: &Variable| {
            let what = variable.what();
            not_for(what.name(), what.option()?, target)
        };
        let found = self.vary.iter().find_map(foreign);
        found.map_or(Ok(()), |why| Err(PlanError::key("vary", why)))
    }

    fn varies(&self, what: What) -> bool {
        self.vary.iter().any(|variable| variable.what() == what)
    }

    fn check_variables(&self) -> Result<(), PlanError> {
        for (index, variable) in self.vary.iter().enumerate() {
            let earlier = self.vary.get(..index).unwrap_or_default();
            if earlier.iter().any(|other| other.what() == variable.what()) {
                let why = format!(
                    "{} is varied twice: put all its values in one",
                    variable.what().name()
                );
                return Err(PlanError::key("vary", why));
            }
        }
        let open = matches!(self.job.arrival, Arrival::Open { .. });
        let thinks = matches!(self.job.arrival, Arrival::Closed { think: Some(_), .. });
        let wrong = if self.varies(What::Rate) && self.varies(What::InFlight) {
            "in-flight belongs to a closed loop and rate to an open one: vary one of them"
        } else if self.varies(What::InFlight) && open {
            "in-flight belongs to a closed loop, and the job has a rate: take the rate away, or vary rate or slots"
        } else if self.varies(What::Rate) && thinks {
            "a rate leaves no room for pauses (think) between operations: take think away"
        } else if self.varies(What::Slots) && !open && !self.varies(What::Rate) {
            "slots belong to an open loop: vary rate as well, or give the job a rate"
        } else {
            return Ok(());
        };
        Err(PlanError::key("vary", wrong))
    }

    fn check_stop_rules(&self) -> Result<(), PlanError> {
        if self.stop_when.is_empty() {
            return Ok(());
        }
        if self.order == Order::Random {
            let why = "needs loads that rise: use order rounds or as-written";
            return Err(PlanError::key("stop-when", why));
        }
        if !self.vary.iter().any(|variable| variable.what().is_load()) {
            let why = "stops raising the load: vary in-flight or rate";
            return Err(PlanError::key("stop-when", why));
        }
        Ok(())
    }
}

fn check_job(job: &Job) -> Result<(), PlanError> {
    if job.target.trim().is_empty() {
        let why = format!("nothing to load: give {}", isotherm_load::examples());
        return Err(PlanError::key("job.target", why));
    }
    if job.target.chars().any(char::is_control) {
        return Err(PlanError::key("job.target", "holds a control character"));
    }
    some_time("job.limit.for", job.limit.time)?;
    job.limit.operations.map_or(Ok(()), |most| positive("job.limit.operations", most))?;
    match job.warmup {
        Warmup::Time(time) => at_most("job.warmup.time", time)?,
        Warmup::UntilSteady(time) => some_time("job.warmup.until-steady", time)?,
    }
    check_arrival(job.arrival)?;
    let pct = job.work.update_pct;
    setting("job.work.update-pct", What::UpdatePct, pct)?;
    if job.work.mix == Mix::Slob && pct > 50.0 && pct < 100.0 {
        let why = format!("{pct} is not possible with mix slob: 0 to 50, or 100");
        return Err(PlanError::key("job.work.update-pct", why));
    }
    whole("job.work.seed", job.work.seed)?;
    job.work.hot.map_or(Ok(()), check_hot_spot)?;
    count("job.threads", What::Threads, job.threads.map(u64::from))?;
    count("job.file.block", What::Block, Some(job.file.block))?;
    count("job.file.size", What::Size, job.file.size)?;
    count("job.file.chunk", What::Chunk, job.file.chunk.map(u64::from))?;
    count("job.database.schemas", What::Schemas, Some(job.database.schemas.into()))?;
    count("job.database.scale", What::Scale, Some(job.database.scale))?;
    count("job.database.work-unit", What::WorkUnit, Some(job.database.work_unit.into()))
}

fn check_arrival(arrival: Arrival) -> Result<(), PlanError> {
    match arrival {
        Arrival::Closed { in_flight, think } => {
            count("job.arrival.in-flight", What::InFlight, Some(in_flight.into()))?;
            think.map_or(Ok(()), check_think)
        }
        Arrival::Open { rate_hz, slots, .. } => {
            setting("job.arrival.rate-hz", What::Rate, rate_hz)?;
            count("job.arrival.slots", What::Slots, Some(slots.into()))
        }
    }
}

fn check_think(think: Think) -> Result<(), PlanError> {
    positive("job.arrival.think.one-in", think.one_in.into())?;
    at_most("job.arrival.think.most", think.most)?;
    if think.least > think.most {
        let why = "longer than most: the shortest pause comes first";
        return Err(PlanError::key("job.arrival.think.least", why));
    }
    Ok(())
}

fn check_hot_spot(hot: HotSpot) -> Result<(), PlanError> {
    positive("job.work.hot.one-in", hot.one_in.into())?;
    let (size, offset) = (hot.size_pct, hot.offset_pct);
    let share = |key, pct: f64| {
        let within = (0.0..=100.0).contains(&pct);
        let why = || format!("{pct} is not a number from 0 to 100");
        if within { Ok(()) } else { Err(PlanError::key(key, why())) }
    };
    share("job.work.hot.size-pct", size)?;
    share("job.work.hot.offset-pct", offset)?;
    if size == 0.0 {
        return Err(PlanError::key("job.work.hot.size-pct", "0 is no hot spot: give it some size"));
    }
    if size + offset > 100.0 {
        let why = format!("{offset} leaves no room for {size} per cent: together at most 100");
        return Err(PlanError::key("job.work.hot.offset-pct", why));
    }
    Ok(())
}

/// The same limits as when it is varied.
fn setting(key: &'static str, what: What, number: f64) -> Result<(), PlanError> {
    let kind: Kind = what.kind();
    let found = || kind.text(&Amount::Number(number));
    let why = || format!("{} is not {}", found(), kind.allowed());
    if kind.admits(number) { Ok(()) } else { Err(PlanError::key(key, why())) }
}

fn count(key: &'static str, what: What, value: Option<u64>) -> Result<(), PlanError> {
    value.map_or(Ok(()), |value| setting(key, what, value as f64))
}

fn positive(key: &'static str, value: u64) -> Result<(), PlanError> {
    if value == 0 {
        return Err(PlanError::key(key, "0 is none: write 1 or more"));
    }
    whole(key, value)
}

fn whole(key: &'static str, value: u64) -> Result<(), PlanError> {
    let why = || format!("{value} does not fit: at most {MOST_WHOLE}");
    if value <= MOST_WHOLE { Ok(()) } else { Err(PlanError::key(key, why())) }
}

fn some_time(key: &'static str, time: Nanos) -> Result<(), PlanError> {
    if time == Nanos::ZERO {
        return Err(PlanError::key(key, "no time at all: write 30s, 5m or 2h"));
    }
    at_most(key, time)
}

fn at_most(key: &'static str, time: Nanos) -> Result<(), PlanError> {
    let why = || "longer than 30 days: write 30s, 5m or 2h".to_owned();
    if time <= LONGEST { Ok(()) } else { Err(PlanError::key(key, why())) }
}
