//! The durations of entries as events.

use isotherm_frame::{Nanos, Place, Reading, Timestamp};

use super::message::{Duration, Kind, duration, statement_of_plan};
use crate::fingerprint::{Dialect, fingerprint};
use crate::grouping::Grouping;
use crate::sink::reject;
use crate::{Context, DecodeError, Note, Sink};

/// One entry of a log.
#[derive(Copy, Clone, Debug)]
pub(super) struct Entry<'e> {
    pub(super) place: Place,
    pub(super) at: Option<Timestamp>,
    pub(super) message: &'e [u8],
    pub(super) database: &'e [u8],
    pub(super) user: &'e [u8],
    pub(super) process: &'e [u8],
    pub(super) application: &'e [u8],
}

/// What statements can be told apart by.
const ATTRIBUTES: &[&str] = &["statement", "step", "database", "user", "pid", "application"];

/// Tells the durations of entries as events.
pub(super) struct Durations {
    grouping: Grouping,
    /// Whether plans are durations of their own, and not told a second time.
    counts_plans: bool,
    plans_left_out: u64,
    time_left_out: Nanos,
    read: u64,
    fingerprint: Vec<u8>,
}

impl Durations {
    const NO_TIME: &'static str = "the entry has no time: log_line_prefix needs %m, %t or %n";
    const NONE: &'static str = "the log tells no durations: set log_min_duration_statement = 0 or \
        load auto_explain. Messages must be English (lc_messages = 'C')";

    /// `head` is the beginning of the log: where statements are told, plans repeat them.
    pub(super) fn new(context: &Context, head: &[u8]) -> Durations {
        let grouping =
            Grouping::new(context, "statements", ATTRIBUTES, &["statement", "step"]);
        let tells = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let counts_plans = !(tells(b" ms  statement: ") || tells(b" ms  execute "))
            || grouping.names("step", b"plan");
        let (plans_left_out, time_left_out) = (0, Nanos::ZERO);
        let (read, fingerprint) = (0, Vec::new());
        Durations { grouping, counts_plans, plans_left_out, time_left_out, read, fingerprint }
    }

    /// An entry of which all is read.
    pub(super) fn entry(&mut self, entry: Entry<'_>, sink: &mut dyn Sink) {
        let found = match duration(entry.message) {
            Some(Ok(found)) => found,
            Some(Err(reason)) => return reject(sink, entry.place, reason, 1),
            None => return sink.note(Note::Ignored),
        };
        let Some(at) = entry.at else {
            return reject(sink, entry.place, Durations::NO_TIME, 1);
        };
        sink.record();
        self.read += 1;
        if found.kind == Kind::Plan && !self.counts_plans {
            self.plans_left_out += 1;
            self.time_left_out = Nanos::new(self.time_left_out.as_nanos().saturating_add(found.latency.as_nanos()));
            return;
        }
        let Duration { latency, kind, statement } = found;
        let (step, statement) = match kind {
            Kind::Statement | Kind::Untold => ("", statement),
            Kind::Step(step) => (step, statement),
            Kind::Plan => ("plan", statement_of_plan(statement)),
        };
        fingerprint(statement, Dialect::Postgres, &mut self.fingerprint);
        if self.fingerprint.is_empty() {
            self.fingerprint.extend_from_slice(b"(not logged)");
        }
        let values = [
            &self.fingerprint,
            step.as_bytes(),
            entry.database,
            entry.user,
            entry.process,
            entry.application,
        ];
        if let Some(series) = self.grouping.series(&values) {
            sink.reading(Reading::Event { at, series, latency });
        }
    }

    pub(super) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        self.grouping.finish(sink);
        if self.plans_left_out > 0 {
            let words = format!(
                "durations of plans left out: {}, {} together: statements are logged too, and where \
                 a plan's own statement is, it would count twice (--where step=plan reads the plans)",
                self.plans_left_out, self.time_left_out
            );
            sink.note(Note::Said(words.into()));
        }
        if self.read == 0 {
            return Err(DecodeError::Nothing(Durations::NONE.to_owned()));
        }
        Ok(())
    }
}

