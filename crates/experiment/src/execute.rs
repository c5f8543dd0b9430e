//! One run: a system opened, loaded, judged.

use std::sync::atomic::AtomicBool;

use isotherm_analysis::DeviceClass;
use isotherm_frame::Event;
use isotherm_load::{Address, Hooks, Job, LoadError, Observer, Progress, System};

use crate::Run;
use crate::steady::steady;
use crate::verdict::{Evidence, verdicts};

/// What a run needs to know.
#[derive(Copy, Clone, Debug)]
pub struct Setting<'a> {
    /// What is loaded, or calibrated.
    pub address: &'a Address,
    /// How.
    pub job: &'a Job,
    /// The class of device, if it was declared: what is too fast for it is reported.
    pub device: Option<DeviceClass>,
    /// Asks it to stop; what was measured until then is the result.
    pub stop: &'a AtomicBool,
}

/// Opens the system, runs the job and judges what came of it. `progress` is told how far making
/// things ready has come, `observer` is given what happens in the run and how it goes. Point, repeat, label and recording are
/// left for the caller to fill in.
pub fn execute(
    setting: &Setting,
    progress: &mut dyn FnMut(Progress),
    observer: &mut dyn Observer,
) -> Result<Run, LoadError> {
    let mut hooks = Hooks { progress, stop: setting.stop };
    let system = isotherm_load::open(setting.address, setting.job, &mut hooks)?;
    observer.events(system.notes().into_iter().map(Event::Message).collect());
    execute_on(system.as_ref(), setting, observer)
}

/// The same on a system that is open already, for this job or one that visits the same places.
pub fn execute_on(
    system: &dyn System,
    setting: &Setting,
    observer: &mut dyn Observer,
) -> Result<Run, LoadError> {
    let Setting { job, device, stop, .. } = *setting;
    let facts = system.facts();
    let outcome = isotherm_load::run(system, job, stop, observer)?;
    let damage = system.verify();
    let steady = steady(&outcome.intervals);
    let evidence = Evidence {
        job,
        facts: &facts,
        outcome: &outcome,
        steady: &steady,
        device,
        damage: &damage,
    };
    let verdicts = verdicts(&evidence);
    Ok(Run {
        format: Run::FORMAT,
        point: 0,
        repeat: 0,
        label: String::new(),
        job: job.clone(),
        facts,
        outcome,
        steady,
        verdicts,
        recording: None,
    })
}
