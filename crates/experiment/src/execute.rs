//! One run: a system opened, loaded, judged.

use std::sync::atomic::AtomicBool;

use isotherm_analysis::DeviceClass;
use isotherm_load::{Address, Job, LoadError, Progress, Told};

use crate::Run;

/// What a run needs to know.
#[derive(Copy, Clone, Debug)]
pub struct Setting<'a> {
    /// What is loaded.
    pub address: &'a Address,
    /// How.
    pub job: &'a Job,
    /// The class of device, if it was declared: what is too fast for it is told.
    pub device: Option<DeviceClass>,
    /// Asks it to stop; what was measured until then is the result.
    pub stop: &'a AtomicBool,
}

/// Opens the system, runs the job and judges what came of it. `progress` is told how far making
/// things ready has come, `tell` what happens in the run. Point, repeat, label and recording are
/// left for the caller to fill in.
pub fn execute(
    setting: &Setting,
    progress: &mut dyn FnMut(Progress),
    tell: &mut dyn FnMut(Told),
) -> Result<Run, LoadError> {
    let _ = (setting, progress, tell);
    Err(LoadError::Job("not built yet".to_owned()))
}
