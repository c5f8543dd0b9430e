//! Whether a job makes sense.

use crate::engine::KindMeta;
use crate::job::{Arrival, Job, Mix};
use crate::{LoadError, System};

/// The most operations in flight.
const MOST_IN_FLIGHT: u32 = 65_536;
/// The most operations per second that can be asked for.
const MOST_RATE: f64 = 1e8;

/// Refuses what makes no sense, before anything is done.
pub fn check(job: &Job, kinds: &[KindMeta]) -> Result<(), LoadError> {
    let wrong = |words: String| Err(LoadError::Job(words));
    let update_pct = job.work.update_pct;
    if !(0.0..=100.0).contains(&update_pct) {
        return wrong(format!("the share of updates is {update_pct} %: it lies between 0 and 100"));
    }
    if job.work.mix == Mix::Slob && update_pct > 50.0 && update_pct < 100.0 {
        return wrong(format!(
            "SLOB's mix has no {update_pct} % of updates: it allows 0 to 50, and 100; the \
             independent mix allows any"
        ));
    }
    if update_pct > 0.0 && !kinds.iter().any(KindMeta::writes) {
        return wrong("updates are asked for, and this engine only reads".to_owned());
    }
    if update_pct < 100.0 && kinds.iter().all(KindMeta::writes) {
        return wrong("reads are asked for, and this engine only writes".to_owned());
    }
    match job.arrival {
        Arrival::Closed { in_flight: n, .. } | Arrival::Open { slots: n, .. }
            if n == 0 || n > MOST_IN_FLIGHT =>
        {
            wrong(format!("{n} operations in flight: between 1 and {MOST_IN_FLIGHT} are possible"))
        }
        Arrival::Open { rate_hz, .. } if !(rate_hz > 0.0 && rate_hz <= MOST_RATE) => {
            wrong(format!("{rate_hz} operations per second: it lies above 0, at most {MOST_RATE}"))
        }
        Arrival::Closed { think: Some(think), .. } if think.most < think.least => {
            wrong("the longest pause is shorter than the shortest".to_owned())
        }
        _ => rest(job),
    }
}

fn rest(job: &Job) -> Result<(), LoadError> {
    let wrong = |words: String| Err(LoadError::Job(words));
    if let Some(hot) = job.work.hot {
        let inside = hot.size_pct > 0.0
            && hot.offset_pct >= 0.0
            && hot.size_pct + hot.offset_pct <= 100.0
            && hot.one_in > 0;
        if !inside {
            return wrong(format!(
                "a hot spot of {} % from {} % on, one operation in {}: it must lie within 0 and \
                 100 %",
                hot.size_pct, hot.offset_pct, hot.one_in
            ));
        }
    }
    if job.limit.time.as_nanos() == 0 {
        return wrong("the run is to last no time at all".to_owned());
    }
    if job.limit.operations == Some(0) {
        return wrong("the run is to do no operation at all".to_owned());
    }
    Ok(())
}

/// Refuses a system that cannot be driven.
pub fn check_lanes(system: &dyn System, slots: &[u32]) -> Result<(), LoadError> {
    if slots.is_empty() || slots.contains(&0) || system.places() == 0 {
        return Err(LoadError::Failed("the engine offers no place for any operation".to_owned()));
    }
    Ok(())
}
