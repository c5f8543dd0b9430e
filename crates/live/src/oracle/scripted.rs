//! A server whose answers are written down, for tests.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};

use isotherm_formats::{Context, Message, Note};
use isotherm_frame::{
    Account, Anomaly, Assembler, BinnerLimits, Event, Frame, Mark, Nanos, Reading, Timestamp,
};

use testing::bounded::{self, Deadline};

use crate::feed::{Ending, MessageBatch, Outbox, Running, Stopped};

use super::{Connect, PollRequest, Session, SessionError, start};

/// What is answered to a query.
#[derive(Debug)]
pub(crate) enum Reply {
    Lines(String),
    Fail(SessionError),
    /// Never, until the test is over.
    Hang,
    Panic,
}

/// Answers a query, which may be looked at.
type Answers = Box<dyn FnMut(&str) -> Reply + Send>;

/// A server that is connected to as often as `connects` says, then always.
#[derive(Clone)]
pub(crate) struct Scripted {
    connects: Arc<Mutex<VecDeque<Result<(), SessionError>>>>,
    answers: Arc<Mutex<Answers>>,
    /// Every statement, in order.
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub(crate) fn new(answers: impl FnMut(&str) -> Reply + Send + 'static) -> Scripted {
        Scripted {
            connects: Arc::default(),
            answers: Arc::new(Mutex::new(Box::new(answers))),
            asked: Arc::default(),
        }
    }

    /// A server of one instance that gives these polls, one after the other, and then no more.
    pub(super) fn polls(polls: Vec<Reply>) -> Scripted {
        Scripted::server("I|1||19.0.0.0.0|NO\n", polls)
    }

    /// The same with these instances.
    pub(super) fn server(instances: &'static str, polls: Vec<Reply>) -> Scripted {
        let mut polls = VecDeque::from(polls);
        Scripted::new(move |sql| match sql {
            _ if is_survey(sql) => Reply::Lines(instances.into()),
            _ => polls.pop_front().unwrap_or(Reply::Fail(enough())),
        })
    }

    pub(super) fn connects(self, connects: Vec<Result<(), SessionError>>) -> Scripted {
        *self.connects.lock().unwrap() = connects.into();
        self
    }
}

/// Whether a statement asks which instances there are.
pub(super) fn is_survey(sql: &str) -> bool {
    sql.starts_with("SELECT 'I|'||")
}

/// How a script ends.
pub(super) fn enough() -> SessionError {
    SessionError::Refused("enough".into())
}

pub(crate) fn no_view() -> Reply {
    Reply::Fail(SessionError::Sql {
        code: 942,
        message: "ORA-00942: table or view does not exist".into(),
    })
}

impl Connect for Scripted {
    fn connect(&mut self) -> Result<Box<dyn Session>, SessionError> {
        match self.connects.lock().unwrap().pop_front() {
            Some(Err(error)) => Err(error),
            _ => Ok(Box::new(self.clone())),
        }
    }

    fn name(&self) -> &'static str {
        "mon@db1:1521/SALES"
    }
}

impl Session for Scripted {
    fn lines(&mut self, sql: &str, _: u32, line: &mut dyn FnMut(&str)) -> Result<(), SessionError> {
        self.asked.lock().unwrap().push(sql.to_owned());
        let reply = (self.answers.lock().unwrap())(sql);
        match reply {
            Reply::Lines(text) => {
                text.lines().for_each(line);
                Ok(())
            }
            Reply::Fail(error) => Err(error),
            Reply::Hang => loop {
                std::thread::park();
            },
            Reply::Panic => panic!("as a driver would"),
        }
    }
}

/// A feed of a scripted server.
pub(super) struct Fed {
    batches: Receiver<MessageBatch>,
    stopped: Stopped,
    running: Running,
}

/// How often these servers are asked.
const INTERVAL: Nanos = Nanos::from_millis(5);
/// How long it takes until a lost connection is tried again.
const AWAY: Nanos = Nanos::SECOND;

/// When polls were answered, as if nothing else ran on the machine that tests: each an interval
/// after the one before, and later by the time that a lost connection takes.
#[derive(Default)]
struct Timetable {
    /// What the real clock said at the last poll.
    polled: Option<Timestamp>,
    at: Timestamp,
}

impl Timetable {
    /// The moment of totals that the real clock says were read at `at`.
    fn moment(&mut self, at: Timestamp) -> Timestamp {
        if self.polled.replace(at) != Some(at) {
            self.at = self.at.plus(INTERVAL);
        }
        self.at
    }

    fn note(&mut self, mark: &str) {
        if mark == "connection lost" {
            self.at = self.at.plus(AWAY);
        }
    }
}

/// What a feed gave.
#[derive(Default)]
pub(super) struct Collected {
    timetable: Timetable,
    pub(super) frames: Vec<Frame>,
    pub(super) anomalies: Vec<Anomaly>,
    pub(super) tally: Account,
    pub(super) warnings: Vec<String>,
    pub(super) marks: Vec<String>,
    pub(super) ending: Option<Ending>,
}

impl Fed {
    pub(super) fn start(server: &Scripted, wanted: PollRequest) -> Fed {
        let (sender, batches) = sync_channel(8);
        let stopped = Stopped::default();
        let outbox = Outbox::new(sender, stopped.clone());
        let (connect, context) = (Box::new(server.clone()), Context::default());
        let running = start(connect, wanted, INTERVAL, &context, outbox).expect("started");
        Fed { batches, stopped, running }
    }

    /// Listens to the end.
    pub(super) fn listen(self) -> Collected {
        self.listen_until(|_| false)
    }

    /// Listens until it is enough, stops the feed, and takes what is still under way.
    pub(super) fn listen_until(self, enough: impl Fn(&Collected) -> bool) -> Collected {
        let mut collected = Collected::default();
        let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        let deadline = Deadline::default();
        while !enough(&collected) {
            let batch = match self.batches.recv_timeout(deadline.left()) {
                Ok(batch) => batch,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(error) => panic!("{error}: {:?} {:?}", collected.text(), collected.warnings),
            };
            collected.take_batch(batch, &mut assembler);
        }
        self.stopped.set();
        (self.running.wake)();
        bounded::join(self.running.worker);
        for batch in self.batches.try_iter() {
            collected.take_batch(batch, &mut assembler);
        }
        assembler.finish(&mut |output| collected.put(output));
        collected
    }
}

impl Collected {
    fn take_batch(&mut self, batch: MessageBatch, assembler: &mut Assembler) {
        for message in batch.messages {
            self.take(message, assembler);
        }
        self.ending = batch.ending.or(self.ending.take());
    }

    fn take(&mut self, message: Message, assembler: &mut Assembler) {
        match message {
            Message::Reading(mut reading) => {
                if let Reading::Cumulative { at, .. } = &mut reading {
                    *at = self.timetable.moment(*at);
                }
                assembler.push(reading, &mut |output| self.put(output));
            }
            Message::Record => self.tally.records += 1,
            Message::Rejected(rejection) => self.tally.reject(rejection),
            Message::Note(Note::Mark(Mark { text, .. })) => {
                self.timetable.note(&text);
                self.marks.push(text);
            }
            // How fast the machine is that tests is not what they are about.
            Message::Note(Note::Said(text)) if text.contains("polling takes longer than ") => {}
            Message::Note(note) => drop(note.account(&mut self.tally)),
            Message::Warning(text) => self.warnings.push(text),
            Message::Alive(_) | Message::Waiting(_) => {}
        }
    }

    fn put(&mut self, event: Event) {
        match event {
            Event::Frame(frame) => self.frames.push(frame),
            Event::Anomaly(anomaly) => self.anomalies.push(anomaly),
            other => panic!("an assembler gives no {other:?}"),
        }
    }

    /// Each frame as `series: upper bound in microseconds x count, ... = sum in microseconds,
    /// quality`.
    pub(super) fn text(&self) -> Vec<String> {
        let micros = |nanos: Nanos| nanos.as_nanos() / 1_000;
        let lines = self.frames.iter().map(|frame| {
            let buckets: Vec<String> = frame
                .counts
                .non_zero()
                .map(|(bucket, count)| {
                    let hi = bucket.hi.map_or("inf".to_owned(), |hi| micros(hi).to_string());
                    format!("{hi}x{count}")
                })
                .collect();
            let sum = frame.counts.sum().map_or("?".to_owned(), |sum| micros(sum).to_string());
            format!("{}: {} = {sum}, {}", frame.series, buckets.join(" "), frame.quality)
        });
        lines.collect()
    }

    pub(super) fn error(&self) -> String {
        let error = self.ending.as_ref().and_then(|ending| ending.error.as_ref());
        error.map(ToString::to_string).unwrap_or_default()
    }
}
