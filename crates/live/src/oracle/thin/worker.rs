//! The thread that holds a connection, and the session that talks to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use isotherm_oracle::client::oracledb::Connection;
use isotherm_oracle::client::{ClientError, Limits, Logon, connect, no_answer, panicked, shelter};

use super::driver;
use crate::oracle::{Session, SessionError};

/// Rows that are handed over together.
const BATCH: usize = 1024;
/// Batches that may wait to be taken, so that memory stays bounded.
const WAITING: usize = 4;
/// How long the end of a session waits for the server to take note.
const GOODBYE: Duration = Duration::from_millis(250);

/// A session whose connection a thread of its own holds.
pub(super) struct Worker {
    logon: Logon,
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
    logon: Logon,
    limits: Limits,
    was_connected: bool,
    jobs: Receiver<Job>,
    answers: SyncSender<Answer>,
}

impl Worker {
    /// Starts a thread that connects, and waits until it has.
    pub(super) fn start(
        logon: &Logon,
        limits: Limits,
        was_connected: bool,
        threads: &Arc<AtomicUsize>,
    ) -> Result<Worker, SessionError> {
        let (jobs, queue) = channel();
        let (sender, answers) = sync_channel(WAITING);
        let thread =
            Thread { logon: logon.clone(), limits, was_connected, jobs: queue, answers: sender };
        let counted = Counted::new(threads);
        thread::Builder::new()
            .name("oracle driver".to_owned())
            .spawn(move || {
                let _counted = counted;
                // Whoever waits for an answer of this thread sees that none will come.
                let _ = shelter(|| thread.run());
            })
            .map_err(|error| lost(logon, &format!("cannot start a thread: {error}")))?;
        let worker = Worker { logon: logon.clone(), call: limits.call, jobs: Some(jobs), answers };
        match worker.answers.recv_timeout(limits.connect) {
            Ok(Answer::Failed(error)) => Err(error),
            Ok(_) => Ok(worker),
            Err(RecvTimeoutError::Timeout) => Err(no_answer(logon, limits.connect).into()),
            Err(RecvTimeoutError::Disconnected) => Err(vanished(logon)),
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
            return Err(vanished(&self.logon));
        }
        loop {
            match self.answers.recv_timeout(self.patience()) {
                Ok(Answer::Lines(lines)) => lines.iter().for_each(|text| line(text)),
                Ok(Answer::Done) => return Ok(()),
                Ok(Answer::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) => {
                    // What might still come belongs to a query that nobody waits for.
                    self.jobs = None;
                    let text = format!(
                        "no answer within {:?}: the connection is given up",
                        self.patience()
                    );
                    return Err(lost(&self.logon, &text));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(vanished(&self.logon)),
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
        let connection = match connect(&self.logon, self.limits, self.was_connected) {
            Ok(connection) => connection,
            Err(error) => return drop(self.answers.send(Answer::Failed(error.into()))),
        };
        let mut known = self.answers.send(Answer::Done).is_ok();
        while known && let Ok(job) = self.jobs.recv() {
            match shelter(|| self.answer(&connection, &job)) {
                Ok(answer) => known = self.answers.send(answer).is_ok(),
                Err(panic) => {
                    // Its destructor would use what the panic left in disorder.
                    std::mem::forget(connection);
                    let error = panicked(&self.logon, &panic);
                    return drop(self.answers.send(Answer::Failed(error.into())));
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
                let error = ClientError::of_statement(&self.logon, &error, self.limits.call);
                Answer::Failed(error.into())
            }
            Ok(()) if batch.is_empty() => Answer::Done,
            Ok(()) => match self.answers.send(Answer::Lines(batch)) {
                Ok(()) | Err(_) => Answer::Done,
            },
        }
    }
}

fn lost(logon: &Logon, text: &str) -> SessionError {
    ClientError::lost(logon, text).into()
}

/// The thread has ended, after an error that was reported before.
fn vanished(logon: &Logon) -> SessionError {
    lost(logon, "the connection has ended")
}
