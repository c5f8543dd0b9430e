//! Where decoders put what they read.

use std::borrow::Cow;

use isotherm_frame::{
    Account, Clock, CountedTotals, Example, IdleWaits, Mark, MissingAttribute, Nanos, OpenWaits,
    Place, Reading, Rejection, Series, Timestamp, UnmetAttribute,
};

/// One message from a source: what a decoder reads, or a running source measures.
#[derive(Debug)]
pub enum Message {
    /// A measurement.
    Reading(Reading),
    /// One record of the input is complete: what the input calls a record, print or line.
    Record,
    /// Something that looked like data and could not be used.
    Rejected(Rejection),
    /// Something to tell the user that is not a fault of the data.
    Note(Note),
    /// Something to tell the user at once: a line a program wrote to its standard error, a
    /// measurement that is not what it seems.
    Warning(String),
    /// The waits that go on, instead of those told before. Who only reads what has ended sends none.
    Waiting(OpenWaits),
    /// The source was measuring up to this moment: intervals before it that hold nothing are
    /// zero, not gaps.
    Alive(Timestamp),
}

impl Message {
    /// The measurement, if it is one. Records, rejections and notes are added to the account of their input.
    pub fn into_reading(self, account: &mut Account) -> Option<Reading> {
        match self {
            Message::Reading(reading) => return Some(reading),
            Message::Record => account.records += 1,
            Message::Rejected(rejection) => account.reject(rejection),
            Message::Note(note) => drop(note.account(account)),
            Message::Warning(_) | Message::Waiting(_) | Message::Alive(_) => {}
        }
        None
    }
}

/// Receives the messages of a source in the order of its input.
///
/// Only [`take`](Sink::take) has to be written: what else a source calls makes a message. A sink between a
/// decoder and the assembler also has [`event`](Sink::event) and [`events`](Sink::events): a message would need
/// a [`Series`] of its own for each of millions of events.
pub trait Sink {
    /// Takes one message.
    fn take(&mut self, message: Message);

    /// A measurement.
    fn reading(&mut self, reading: Reading) {
        self.take(Message::Reading(reading));
    }

    /// A single event: a measurement that is not worth a [`Reading`] of its own where there are
    /// millions.
    fn event(&mut self, at: Timestamp, series: &Series, latency: Nanos) {
        self.reading(Reading::Event { at, series: series.clone(), latency });
    }

    /// Single events of one series, each a record of its own.
    fn events(&mut self, series: &Series, events: &[(Timestamp, Nanos)]) {
        for &(at, latency) in events {
            self.record();
            self.event(at, series, latency);
        }
    }

    /// Where the event was read that is given next, and the moment that is written there: of a decoder that has read
    /// beyond it, or knows that this is its beginning.
    fn read_at(&mut self, _place: Place, _written: Timestamp) {}

    /// One record of the input is complete.
    fn record(&mut self) {
        self.take(Message::Record);
    }

    /// Something that looked like data and could not be used.
    fn reject(&mut self, rejection: Rejection) {
        self.take(Message::Rejected(rejection));
    }

    /// Something to tell the user that is not a fault of the data.
    fn note(&mut self, note: Note) {
        self.take(Message::Note(note));
    }

    /// The waits that go on.
    fn waiting(&mut self, waits: OpenWaits) {
        self.take(Message::Waiting(waits));
    }
}

/// Something to tell the user that is not a fault of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The clock the timestamps count from.
    Clock(Clock),
    /// The source itself says that it lost so many events.
    Lost(u64),
    /// A line outside the data.
    Ignored,
    /// Something assumed or noticed, in words for the user.
    Said(Cow<'static, str>),
    /// Something that is assumed of every such input and only sometimes matters: not worth a warning,
    /// but a line in the account.
    Assumed(Cow<'static, str>),
    /// Waits that take no part because nobody waited for the database.
    Idle(IdleWaits),
    /// An attribute the user names and no event of the input has.
    MissingAttribute(MissingAttribute),
    /// An attribute the user names, that events of the source may have, and no event of the input has.
    UnmetAttribute(UnmetAttribute),
    /// A series of running totals, and what of it was counted as events.
    RunningTotals(CountedTotals),
    /// The longest event of a series.
    Example(Series, Example),
    /// A moment the input itself marks.
    Mark(Mark),
}

impl Note {
    /// Adds the note to the account of its input; whether that did not know it before.
    pub fn account(&self, account: &mut Account) -> bool {
        match self {
            Note::Clock(clock) => account.clock = *clock,
            Note::Lost(events) => account.lost = account.lost.saturating_add(*events),
            Note::Ignored => account.ignored_lines += 1,
            Note::Said(words) => return account.notice(words.clone()),
            Note::Assumed(words) => account.assume(words.clone()),
            Note::Idle(waits) => account.leave_out(waits.clone()),
            Note::MissingAttribute(name) => account.missing_attributes.push(name.clone()),
            Note::UnmetAttribute(unmet) => {
                account.unmet(unmet.clone());
                return account.notice(unmet.to_string().into());
            }
            Note::RunningTotals(totals) => account.running_totals.push(totals.clone()),
            Note::Example(series, example) => account.exemplify(series.clone(), example.clone()),
            Note::Mark(_) => {}
        }
        true
    }
}

/// Tells the sink that something at `place` cannot be used, and how many events it stood for.
pub fn reject(
    sink: &mut dyn Sink,
    place: Place,
    reason: impl Into<Cow<'static, str>>,
    events: u64,
) {
    sink.reject(Rejection { place, reason: reason.into(), events });
}
