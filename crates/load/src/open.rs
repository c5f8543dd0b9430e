//! From an address to a system that can be loaded.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use isotherm_client::leave;

use crate::engines::{Medium, Target};
use crate::log_on::not_answered;
use crate::{Address, Hooks, Job, LoadError, Progress, System};

/// How long a server that was asked to stop is waited for: what it does is cancelled meanwhile. Where nothing
/// is made there, nothing is to be said of how far it has come.
const GRACE_TO_OPEN: Duration = Duration::from_millis(100);
/// The same where tables or keys are made or removed.
const GRACE: Duration = Duration::from_millis(800);

/// Opens a system and makes it ready: a file is made where there is none; a database must have
/// been set up.
pub fn open(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
    until_stopped(address, job, hooks, GRACE_TO_OPEN, |target, job, hooks| target.open(job, hooks))
}

/// Whether an address and a job make sense. Nothing is asked of the system.
pub fn check_target(address: &Address, job: &Job) -> Result<(), LoadError> {
    address.leads_to().check(job)
}

/// Makes what is to be loaded, where that is not done on the way: the tables of a database.
/// Gives what was done, in sentences.
pub fn setup(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    until_stopped(address, job, hooks, GRACE, |target, job, hooks| target.setup(job, hooks))
}

/// Takes away what [`setup`] or [`open`] made, and nothing else. Gives what was done, in sentences.
pub fn teardown(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    until_stopped(address, job, hooks, GRACE, |target, job, hooks| target.teardown(job, hooks))
}

/// Does something with what an address leads to. Where that is a server, it is left a moment after we are
/// asked to stop, whether or not it answers: it is talked to in a thread that is left behind.
fn until_stopped<T: Send + 'static>(
    address: &Address,
    job: &Job,
    hooks: &mut Hooks,
    grace: Duration,
    act: fn(&dyn Target, &Job, &mut Hooks) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    if matches!(address.engine().medium(), Medium::Storage | Medium::Model) {
        return act(address.leads_to(), job, hooks);
    }
    let (sender, receiver) = sync_channel(16);
    let stop = Arc::new(AtomicBool::new(false));
    let (address, job, flag) = (address.clone(), job.clone(), Arc::clone(&stop));
    let work = move || {
        // How far it has come is said again soon, where there is no room for it.
        let mut progress = |progress| drop(sender.try_send(progress));
        act(address.leads_to(), &job, &mut Hooks { progress: &mut progress, stop: &flag })
    };
    let mut asked = None;
    let done = leave::unless(work, &mut || {
        pass_on(&receiver, hooks);
        if !hooks.stop.load(Ordering::Relaxed) {
            return None;
        }
        stop.store(true, Ordering::Relaxed);
        (asked.get_or_insert_with(Instant::now).elapsed() > grace).then_some(())
    });
    pass_on(&receiver, hooks);
    match done {
        Ok(Ok(done)) => done,
        Ok(Err(())) => Err(not_answered()),
        Err(error) => Err(not_started(&error)),
    }
}

fn pass_on(receiver: &Receiver<Progress>, hooks: &mut Hooks) {
    for progress in receiver.try_iter() {
        (hooks.progress)(progress);
    }
}

fn not_started(error: &io::Error) -> LoadError {
    LoadError::Failed(format!("cannot start a thread: {error}"))
}
