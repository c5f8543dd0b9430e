//! The thread that holds a connection, and the session that talks to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use oracledb::Connection;

use super::contained::{self, CONTAINED};
use super::{Plan, driver, explain};
use crate::oracle::{Session, SessionError};

/// Rows that are handed over together.
const BATCH: usize = 1024;
/// Batches that may wait to be taken, so that memory stays bounded.
const WAITING: usize = 4;
/// How long the end of a session waits for the server to take note.
const GOODBYE: Duration = Duration::from_millis(250);

/// How long things may take.
#[derive(Copy, Clone)]
pub(super) struct Limits {
    /// Connecting, all in all.
    pub(super) connect: Duration,
    /// One call to the server.
    pub(super) call: Duration,
}

/// A session whose connection a thread of its own holds.
pub(super) struct Worker {
    plan: Plan,
    call: Duration,
    jobs: Option<Sender<Job>>,
    answers: Receiver<Answer>,
}

/// A query to run.
struct Job {
    sql: String,
    rows: u32,
}

enum Answer {
    Lines(Vec<String>),
    Done,
    Failed(SessionError),
}

/// Counts a thread as long as it exists.
struct Counted(Arc<AtomicUsize>);

/// What the thread owns.
struct Thread {
    plan: Plan,
    limits: Limits,
    was_connected: bool,
    jobs: Receiver<Job>,
    answers: SyncSender<Answer>,
}

impl Worker {
    /// Starts a thread that connects, and waits until it has.
    pub(super) fn start(
        plan: &Plan,
        limits: Limits,
        was_connected: bool,
        threads: &Arc<AtomicUsize>,
    ) -> Result<Worker, SessionError> {
        contained::silence();
        explain::usable(plan)?;
        let (jobs, queue) = channel();
        let (sender, answers) = sync_channel(WAITING);
        let thread =
            Thread { plan: plan.clone(), limits, was_connected, jobs: queue, answers: sender };
        let counted = Counted::new(threads);
        thread::Builder::new()
            .name(format!("{CONTAINED}: oracle driver"))
            .spawn(move || {
                let _counted = counted;
                contained::shelter(|| thread.run());
            })
            .map_err(|error| explain::no_thread(plan, &error))?;
        let worker = Worker { plan: plan.clone(), call: limits.call, jobs: Some(jobs), answers };
        match worker.answers.recv_timeout(limits.connect) {
            Ok(Answer::Failed(error)) => Err(error),
            Ok(_) => Ok(worker),
            Err(RecvTimeoutError::Timeout) => Err(explain::no_answer(plan, limits.connect)),
            Err(RecvTimeoutError::Disconnected) => Err(explain::vanished(plan)),
        }
    }

    /// The driver waits for twice its timeout at worst: once for the answer, and once for the
    /// server to break it off.
    fn patience(&self) -> Duration {
        self.call.saturating_mul(2).saturating_add(Duration::from_secs(1))
    }
}

impl Session for Worker {
    fn lines(
        &mut self,
        sql: &str,
        rows: u32,
        line: &mut dyn FnMut(&str),
    ) -> Result<(), SessionError> {
        let job = Job { sql: sql.to_owned(), rows };
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        if !sent {
            return Err(explain::vanished(&self.plan));
        }
        loop {
            match self.answers.recv_timeout(self.patience()) {
                Ok(Answer::Lines(lines)) => lines.iter().for_each(|text| line(text)),
                Ok(Answer::Done) => return Ok(()),
                Ok(Answer::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {
                    // What might still come belongs to a query that nobody waits for.
                    self.jobs = None;
                    return Err(explain::silent(&self.plan, self.patience()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(explain::vanished(&self.plan)),
            }
        }
    }
}

impl Drop for Worker {
    /// Lets the thread log off, which can hang where the server has died, so that it is not
    /// waited for long.
    fn drop(&mut self) {
        if self.jobs.take().is_some() {
            while self.answers.recv_timeout(GOODBYE).is_ok() {}
        }
    }
}

impl Counted {
    fn new(threads: &Arc<AtomicUsize>) -> Counted {
        threads.fetch_add(1, Ordering::AcqRel);
        Counted(Arc::clone(threads))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Thread {
    /// Connects and answers queries until nobody asks any more. An answer that cannot be sent is
    /// one that nobody waits for.
    fn run(&self) {
        let Limits { connect, call } = self.limits;
        let connection = match contained::catch(|| driver::connect(&self.plan, connect, call)) {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => {
                let error = explain::not_connected(&self.plan, &error, self.was_connected);
                return drop(self.answers.send(Answer::Failed(error)));
            }
            Err(panic) => {
                let error = explain::panicked_connecting(&self.plan, &panic);
                return drop(self.answers.send(Answer::Failed(error)));
            }
        };
        let mut known = self.answers.send(Answer::Done).is_ok();
        while known && let Ok(job) = self.jobs.recv() {
            match contained::catch(|| self.answer(&connection, &job)) {
                Ok(answer) => known = self.answers.send(answer).is_ok(),
                Err(panic) => {
                    // Its destructor would use what the panic left in disorder.
                    std::mem::forget(connection);
                    let error = explain::panicked(&self.plan, &panic);
                    return drop(self.answers.send(Answer::Failed(error)));
                }
            }
        }
    }

    fn answer(&self, connection: &Connection, job: &Job) -> Answer {
        let mut batch = Vec::new();
        let ran = driver::query(connection, &job.sql, job.rows, &mut |line| {
            batch.push(line);
            if batch.len() == BATCH {
                // If nobody takes it, the next answer finds out.
                let _ = self.answers.send(Answer::Lines(std::mem::take(&mut batch)));
            }
        });
        match ran {
            Err(error) => {
                Answer::Failed(explain::not_answered(&self.plan, &error, self.limits.call))
            }
            Ok(()) if batch.is_empty() => Answer::Done,
            Ok(()) => match self.answers.send(Answer::Lines(batch)) {
                Ok(()) | Err(_) => Answer::Done,
            },
        }
    }
}
