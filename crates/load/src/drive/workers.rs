//! What the lanes of a run share.

use std::any::Any;
use std::sync::atomic::AtomicBool;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use isotherm_frame::Series;

use super::run_clock::RunClock;
use super::start_gate::StartGate;
use crate::engine::System;
use crate::fault::Broken;
use crate::job::{Arrival, Job};

/// How often the gatherer looks.
pub const LOOK: Duration = Duration::from_millis(50);

/// What every lane of a run is made of.
pub struct Workers<'a> {
    pub system: &'a dyn System,
    pub job: &'a Job,
    pub course: &'a RunClock,
    /// Slots of each lane.
    pub slots: &'a [u32],
    /// Lanes wait here until all of them are ready.
    pub gate: &'a StartGate,
    /// Lanes that are still to open need not.
    pub refused: &'a AtomicBool,
}

/// How a lane ended.
pub fn joined(lane: ScopedJoinHandle<Result<(), Broken>>) -> Result<(), Broken> {
    lane.join().unwrap_or_else(|panic| Err(Broken(words_of(&*panic))))
}

pub fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("the engine panicked: {}", text.unwrap_or_default())
}

/// How many operations may be in flight.
pub fn in_flight(arrival: Arrival) -> u32 {
    match arrival {
        Arrival::Closed { in_flight, .. } => in_flight,
        Arrival::Open { slots, .. } => slots,
    }
    .max(1)
}

/// How the kinds of operations that are asked for are called in frames.
pub fn series(system: &dyn System, job: &Job) -> Vec<Option<Series>> {
    let engine = crate::engine_of(&job.target).name();
    let wanted = |writes: bool| {
        if writes { job.work.update_pct > 0.0 } else { job.work.update_pct < 100.0 }
    };
    let only = system.kinds().len() == 1;
    let named = |kind: &crate::KindMeta| {
        (only || wanted(kind.writes()))
            .then(|| Series::with_attributes(kind.name, [("engine", engine)]))
    };
    system.kinds().iter().map(named).collect()
}
