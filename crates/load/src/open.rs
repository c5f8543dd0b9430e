//! From an address to a system that can be loaded.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use isotherm_client::leave;

use crate::engines::{Medium, Target};
use crate::log_on::{not_answered, not_ready};
use crate::{Address, Hooks, Job, LoadError, Progress, System};

/// How long a server that was asked to stop is waited for: what it does is cancelled meanwhile. Where nothing
/// is made there, nothing is to be said of how far it has come.
const GRACE_TO_OPEN: Duration = Duration::from_millis(100);
/// The waits where tables or keys are made or removed: an index of a large table takes as long as it takes.
const MAKING: Waits = Waits { grace: Duration::from_millis(800), most: None };

/// How long a server is waited for.
#[derive(Copy, Clone)]
struct Waits {
    /// After we were asked to stop.
    grace: Duration,
    /// In all, or since keys were last written.
    most: Option<Duration>,
}

/// Opens a system and makes it ready: a file is made where there is none; a database must have
/// been set up. A server is left when it has not answered everything within [`Target::opening_limit`].
pub fn open(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
    let waits = Waits { grace: GRACE_TO_OPEN, most: Some(address.leads_to().opening_limit()) };
    until_stopped(address, job, hooks, waits, |target, job, hooks| target.open(job, hooks))
}

/// Whether an address and a job make sense. Nothing is asked of the system.
pub fn check_target(address: &Address, job: &Job) -> Result<(), LoadError> {
    address.leads_to().check(job)
}

/// Makes what is to be loaded, where that is not done on the way: the tables of a database.
/// Gives what was done, in sentences.
pub fn setup(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    until_stopped(address, job, hooks, MAKING, |target, job, hooks| target.setup(job, hooks))
}

/// Takes away what [`setup`] or [`open`] made, and nothing else. Gives what was done, in sentences.
pub fn teardown(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    until_stopped(address, job, hooks, MAKING, |target, job, hooks| target.teardown(job, hooks))
}

/// Does something with what an address leads to. Where that is a server, it is left a moment after we are
/// asked to stop, whether or not it answers: it is talked to in a thread that is left behind.
fn until_stopped<T: Send + 'static>(
    address: &Address,
    job: &Job,
    hooks: &mut Hooks,
    waits: Waits,
    act: fn(&dyn Target, &Job, &mut Hooks) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    if matches!(address.engine().medium(), Medium::Storage | Medium::Model) {
        return act(address.leads_to(), job, hooks);
    }
    let (target, (sender, receiver)) = (address.target(), sync_channel(16));
    let stop = Arc::new(AtomicBool::new(false));
    let (address, job, flag) = (address.clone(), job.clone(), Arc::clone(&stop));
    let work = move || {
        // How far it has come is said again soon, where there is no room for it.
        let mut progress = |progress| drop(sender.try_send(progress));
        act(address.leads_to(), &job, &mut Hooks { progress: &mut progress, stop: &flag })
    };
    let (mut asked, mut since, mut late) = (None, Instant::now(), None);
    let done = leave::unless(work, &mut || {
        if pass_on(&receiver, hooks) {
            since = Instant::now();
        }
        late = late.or(waits.most.filter(|most| since.elapsed() > *most));
        if !hooks.stop.load(Ordering::Relaxed) && late.is_none() {
            return None;
        }
        stop.store(true, Ordering::Relaxed);
        (asked.get_or_insert_with(Instant::now).elapsed() > waits.grace).then_some(())
    });
    pass_on(&receiver, hooks);
    match (done, late) {
        (Ok(Ok(Ok(done))), _) => Ok(done),
        // Asked to stop by us, it says that it was stopped.
        (Ok(_), Some(most)) => Err(not_ready(&target, most)),
        (Ok(Ok(Err(error))), None) => Err(error),
        (Ok(Err(())), None) => Err(not_answered()),
        (Err(error), _) => Err(not_started(&error)),
    }
}

/// Passes on how far the work has come; whether there was anything.
fn pass_on(receiver: &Receiver<Progress>, hooks: &mut Hooks) -> bool {
    let mut is_any = false;
    for progress in receiver.try_iter() {
        (hooks.progress)(progress);
        is_any = true;
    }
    is_any
}

fn not_started(error: &io::Error) -> LoadError {
    LoadError::Failed(format!("cannot start a thread: {error}"))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn opened(
        most: Option<Duration>,
        act: fn(&dyn Target, &Job, &mut Hooks) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let address = Address::parse("redis://127.0.0.1:1").unwrap();
        let (stop, waits) = (AtomicBool::new(false), Waits { grace: GRACE_TO_OPEN, most });
        let mut hooks = Hooks { progress: &mut |_| {}, stop: &stop };
        until_stopped(&address, &Job::default(), &mut hooks, waits, act)
    }

    #[test]
    fn a_server_that_does_not_get_ready_in_time_is_left_whether_or_not_it_can_be_stopped() {
        const SOON: Option<Duration> = Some(Duration::from_millis(30));
        let unready = |error: LoadError| {
            let LoadError::Unreachable(words) = error else { panic!("{error:?}") };
            assert!(words.starts_with("127.0.0.1:1 was not ready to be loaded within"), "{words}");
        };
        let never = |_: &dyn Target, _: &Job, _: &mut Hooks| {
            let (_sender, receiver) = channel::<()>();
            // ends: the thread is left behind, and ends with the test's process
            receiver.recv().map_err(|_| LoadError::Failed("never".to_owned()))
        };
        unready(opened(SOON, never).unwrap_err());
        let until_stopped = |_: &dyn Target, _: &Job, hooks: &mut Hooks| {
            // ends: once the time is over
            while !hooks.stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            Err(LoadError::Failed("stopped".to_owned()))
        };
        unready(opened(SOON, until_stopped).unwrap_err());
    }

    #[test]
    fn what_ends_in_time_is_what_it_is() {
        let failed = |_: &dyn Target, _: &Job, _: &mut Hooks| {
            Err(LoadError::Failed("no such table".to_owned()))
        };
        for most in [None, Some(Duration::from_mins(1))] {
            assert_eq!(opened(most, |_, _, _| Ok(())), Ok(()));
            assert_eq!(opened(most, failed), Err(LoadError::Failed("no such table".to_owned())));
        }
    }
}
