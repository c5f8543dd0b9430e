//! The durations of entries as events.

use isotherm_frame::{Nanos, Place, Timestamp};

use super::message::{Duration, Kind, duration, statement_of_plan};
use super::plans::{Judged, Logged, Plan, Plans, first_line};
use super::server_work::{Finding, Findings, finding};
use crate::fingerprint::{Dialect, fingerprint};
use crate::grouping::Grouping;
use crate::longest::TextEvent;
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
    plans: Plans,
    /// Whether the user asks for plans, also for those that repeat a duration.
    wants_plans: bool,
    plans_left_out: u64,
    time_left_out: Nanos,
    /// What the server did, and whether any of it is asked for.
    findings: Findings,
    read: u64,
    /// Durations of which the time or the number cannot be read, and the first of each.
    untimed: Unread,
    unreadable: Unread,
    fingerprint: Vec<u8>,
}

/// Messages that could not be used: how many, and where the first is.
#[derive(Copy, Clone, Debug, Default)]
struct Unread {
    messages: u64,
    first: Option<u64>,
}

impl Unread {
    fn one(&mut self, place: Place) {
        self.messages += 1;
        self.first.get_or_insert(place.line);
    }

    /// That so many messages have a duration and none has what is missed.
    fn words(self, missed: &str) -> Option<String> {
        let first = self.first?;
        let (messages, have) = (self.messages, if self.messages == 1 { "message has" } else { "messages have" });
        Some(format!("{messages} {have} a duration, and none {missed} (first: line {first})"))
    }
}

impl Durations {
    const NO_TIME: &'static str = "the entry has no time: log_line_prefix needs %m, %t or %n";
    const NONE: &'static str = "the log has no durations: set log_min_duration_statement = 0 or \
        load auto_explain. Messages must be English (lc_messages = 'C')";

    pub(super) fn new(context: &Context) -> Durations {
        let grouping =
            Grouping::new(context, "statements", ATTRIBUTES, &["statement", "step"]);
        let wants_plans = grouping.names("step", b"plan");
        let (plans, plans_left_out, time_left_out) = (Plans::default(), 0, Nanos::ZERO);
        Durations {
            grouping,
            plans,
            wants_plans,
            plans_left_out,
            time_left_out,
            findings: Findings::default(),
            read: 0,
            untimed: Unread::default(),
            unreadable: Unread::default(),
            fingerprint: Vec::new(),
        }
    }

    /// An entry of which all is read.
    pub(super) fn entry(&mut self, entry: Entry<'_>, sink: &mut dyn Sink) {
        let found = match duration(entry.message) {
            Some(Ok(found)) => found,
            Some(Err(reason)) => {
                self.unreadable.one(entry.place);
                return reject(sink, entry.place, reason, 1);
            }
            None => return self.server_work(&entry, sink),
        };
        let Some(at) = entry.at else {
            self.untimed.one(entry.place);
            return reject(sink, entry.place, Durations::NO_TIME, 1);
        };
        sink.record();
        self.read += 1;
        let Duration { latency, kind, statement } = found;
        if matches!(kind, Kind::Statement | Kind::DurationOnly) && !self.wants_plans {
            let judged = self.plans.statement(entry.process, Logged { at, latency, statement });
            self.judged(judged, sink);
        }
        let (step, statement) = match kind {
            Kind::Statement | Kind::DurationOnly => ("", statement),
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
        if kind == Kind::Plan && !self.wants_plans {
            let line = first_line(statement).to_vec();
            let plan = Plan { at, latency, place: entry.place, line, values: values.map(<[u8]>::to_vec) };
            let judged = self.plans.plan(entry.process, plan);
            return self.judged(judged, sink);
        }
        let event = TextEvent { at, latency, place: entry.place, text: statement };
        self.grouping.tell_text(&values, event, sink);
    }

    /// A message without the duration of a statement.
    fn server_work(&mut self, entry: &Entry<'_>, sink: &mut dyn Sink) {
        let (Some(found), Some(at)) = (finding(entry.message), entry.at) else {
            return sink.note(Note::Ignored);
        };
        self.findings.add(&found, at, sink);
        let Finding { work, name, latency: Some(latency), within, .. } = found else { return };
        let step = work.step();
        // Beside statements their time would count twice, or be most of it.
        if self.grouping.names("step", step.as_bytes()) {
            sink.record();
            self.read += 1;
            let values = [
                name.as_bytes(),
                step.as_bytes(),
                entry.database,
                entry.user,
                entry.process,
                entry.application,
            ];
            self.grouping.tell_within(&values, (at, latency), within, sink);
        }
    }

    /// Counts the plans whose duration is logged nowhere else.
    fn judged(&mut self, judged: Judged, sink: &mut dyn Sink) {
        for plan in judged.repeated {
            self.plans_left_out += 1;
            let sum = self.time_left_out.as_nanos().saturating_add(plan.latency.as_nanos());
            self.time_left_out = Nanos::new(sum);
        }
        for Plan { at, latency, place, line, values } in judged.counted {
            let values = values.each_ref().map(Vec::as_slice);
            let event = TextEvent { at, latency, place, text: &line };
            self.grouping.tell_text(&values, event, sink);
        }
    }

    pub(super) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        let counted = self.plans.finish();
        self.judged(Judged { counted, ..Judged::default() }, sink);
        self.grouping.finish(sink);
        if self.plans_left_out > 0 {
            let words = format!(
                "durations of plans left out: {}, {} together: the same backend logged the duration \
                 of the statement too, which would count twice (--where step=plan reads the plans)",
                self.plans_left_out, self.time_left_out
            );
            sink.note(Note::Said(words.into()));
        }
        let (found, advice) = (self.findings.words(), self.findings.advice());
        if let Some(found) = &found {
            let advice = advice.as_ref().map(|asked| format!("; {asked} shows how long they took"));
            let words = format!("also in the log: {found}; the longest are marks{}", advice.unwrap_or_default());
            sink.note(Note::Assumed(words.into()));
        }
        if self.read > 0 {
            return Ok(());
        }
        let untimed = self.untimed.words("has a time that could be read");
        let untimed = untimed.map(|words| format!("{words}: log_line_prefix needs %m, %t or %n"));
        let unreadable = || self.unreadable.words("is a number that could be read");
        let none = || match found.zip(self.findings.advice()) {
            Some((found, asked)) => format!("{}. It has {found}: use {asked}", Durations::NONE),
            None => Durations::NONE.to_owned(),
        };
        let why = untimed.or_else(unreadable).unwrap_or_else(none);
        Err(DecodeError::Nothing(why))
    }
}

