//! From the records of a trace to readings.

use std::borrow::Cow;

use isotherm_frame::{Clock, Nanos, Place, Reading, Rejection, Timestamp, Unit};
use isotherm_oracle::trace::{
    Account, Damage, Notice, Parsing, Session, Timeline, TraceUnit, Visitor, Wait, Wants,
};

use super::choice::{Choice, Fate};
use crate::{Context, Note, Sink};

/// A wait to be placed in time: the number of its series, unless it is not asked for, and how long it
/// took.
type Placed = (Option<usize>, Nanos);

/// Tells the sink every wait of a trace.
pub(super) struct Reader<'a> {
    sink: &'a mut dyn Sink,
    choice: Choice,
    session: Session,
    /// A wait that is left out passes time as well.
    timeline: Timeline<Option<Placed>>,
    /// The unit of latencies: of the release, of the user, or else microseconds.
    unit: Nanos,
    release_known: bool,
    unit_given: bool,
    clock: Option<Clock>,
    waits: u64,
    unwanted: u64,
    /// Waits without a time of their own, and waits of no length at all.
    clockless: u64,
    zero: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(context: &Context, sink: &'a mut dyn Sink) -> Reader<'a> {
        let unit = context.unit.map(Unit::as_nanos);
        let mut timeline = Timeline::new(context.zone.clone(), context.arrival.clone());
        if context.unit == Some(Unit::Centis) {
            timeline.set_unit(TraceUnit::Centiseconds);
        }
        Reader {
            sink,
            choice: Choice::new(context),
            session: Session::default(),
            timeline,
            unit: unit.unwrap_or(TraceUnit::Micros.as_nanos()),
            release_known: false,
            unit_given: unit.is_some(),
            clock: None,
            waits: 0,
            unwanted: 0,
            clockless: 0,
            zero: 0,
        }
    }

    /// Gives out what is still held and says what is to be said.
    pub(super) fn finish(mut self, account: &Account) {
        self.timeline.finish();
        self.give_ready();
        self.say_what_is_missing(account);
        for remark in self.timeline.remarks().to_vec() {
            self.say(remark.to_string());
        }
        self.say_what_unit();
        if let Some(most) = self.choice.overflowed() {
            self.say(format!("more than {most} series: the waits of the rest are in '(others)'"));
        }
        self.say_what_was_never_met();
        for waits in self.choice.left_out() {
            self.sink.note(Note::Idle(waits));
        }
        for _ in 0..account.ignored {
            self.sink.note(Note::Ignored);
        }
    }

    /// Without a header only `tim` on waits, which 10.2 began to write, tells that times are
    /// microseconds.
    fn say_what_unit(&mut self) {
        if self.release_known || self.unit_given || 2 * self.clockless <= self.waits {
            return;
        }
        let zero = match self.zero {
            0 => String::new(),
            zero => {
                format!("; {zero} of {} waits are 0, as 8i writes waits below 10 ms", self.waits)
            }
        };
        self.say(format!(
            "the trace does not show which release wrote it: 8i counts hundredths of a second, 9i \
             and 10.1 microseconds{zero}. Microseconds are assumed: use --unit cs for a trace of \
             8i"
        ));
    }

    fn say_what_was_never_met(&mut self) {
        if self.waits == 0 {
            return;
        }
        let (common, others) = self.choice.never_met();
        let words: Vec<String> =
            common.into_iter().map(|name| format!("no wait has the attribute '{name}'")).collect();
        for words in words {
            self.say(words);
        }
        for missing in others {
            self.sink.note(Note::MissingAttribute(missing));
        }
    }

    fn say_what_is_missing(&mut self, account: &Account) {
        if self.waits == 0 && account.damaged == 0 && account.calls + account.lobs > 0 {
            self.say(
                "the trace has calls but no waits: trace with waits=>true, or at level 8 or 12",
            );
        }
        if self.waits > 0 && self.unwanted == self.waits {
            self.say("no wait matches --where");
        }
    }

    fn say(&mut self, words: impl Into<Cow<'static, str>>) {
        self.sink.note(Note::Said(words.into()));
    }

    /// Gives out the waits whose moment has become known.
    fn give_ready(&mut self) {
        if !self.timeline.is_ready() {
            return;
        }
        let ready: Vec<_> = self.timeline.ready().collect();
        for (what, at) in ready {
            self.give(what, at);
        }
    }

    #[inline]
    fn give(&mut self, what: Option<Placed>, at: Timestamp) {
        let Some((series, latency)) = what else { return };
        if self.clock.is_none() {
            self.tell_clock();
        }
        match series {
            Some(number) => self.sink.event(at, self.choice.series(number), latency),
            None => self.sink.reading(Reading::Unselected { at, latency }),
        }
    }

    #[cold]
    fn tell_clock(&mut self) {
        let clock = self.timeline.clock();
        self.clock = Some(clock);
        self.sink.note(Note::Clock(clock));
    }

    /// Whether waits are told apart by their events alone, so that statements say nothing of them.
    pub(super) fn is_plain(&self) -> bool {
        self.choice.is_plain()
    }

    /// What becomes of a wait.
    #[inline]
    pub(super) fn fate(&mut self, wait: &Wait<'_>) -> Fate {
        self.choice.fate(wait, &self.session)
    }

    /// Takes a wait of which it is known what becomes of it.
    #[inline]
    pub(super) fn waited(&mut self, fate: Fate, ela: u64, tim: Option<u64>) {
        self.waits += 1;
        self.sink.record();
        self.clockless += u64::from(tim.is_none());
        self.zero += u64::from(ela == 0);
        let latency = Nanos::new(ela.saturating_mul(self.unit.as_nanos()));
        let what = match fate {
            Fate::Of(series) => Some((Some(series), latency)),
            Fate::Unwanted => {
                self.unwanted += 1;
                Some((None, latency))
            }
            Fate::UnwantedIdle => {
                self.unwanted += 1;
                None
            }
            Fate::Idle(place) => {
                self.choice.leave_out(place, latency);
                None
            }
        };
        match self.timeline.wait(what, ela, tim) {
            Some((what, at)) => self.give(what, at),
            None => self.give_ready(),
        }
    }
}

impl Visitor for Reader<'_> {
    const WANTS: Wants = Wants::ALL_BUT_STATS;

    #[inline]
    fn wait(&mut self, wait: &Wait<'_>) {
        let fate = self.fate(wait);
        self.waited(fate, wait.ela, wait.tim);
    }

    fn parsing(&mut self, parsing: &Parsing<'_>) {
        if !self.is_plain() {
            self.session.parsed(parsing);
        }
        self.tim(parsing.tim);
    }

    fn tim(&mut self, tim: Option<u64>) {
        if let Some(tim) = tim {
            self.timeline.tim(tim);
            self.give_ready();
        }
    }

    fn stamp(&mut self, stamp: &[u8]) {
        self.session.stamped(stamp);
        self.timeline.stamp(stamp);
    }

    fn label(&mut self, label: &[u8], value: &[u8]) {
        self.session.labelled(label, value);
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.session.header(key, value);
        let unit = Some(value).filter(|_| key == b"banner").and_then(TraceUnit::of_banner);
        let Some(unit) = unit else { return };
        self.release_known = true;
        self.timeline.set_unit(unit);
        self.unit = unit.as_nanos();
        if unit == TraceUnit::Centiseconds {
            self.say(
                "8i writes hundredths of a second: latencies are exact to 10 ms, and 0 means less \
                 than 10 ms",
            );
        }
    }

    fn notice(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::SizeLimited => self.say(
                "the trace reached its size limit: later waits are missing (raise \
                 max_dump_file_size)",
            ),
            Notice::Recreated => {
                self.say("the trace file was removed while it was written: earlier waits are missing");
            }
            Notice::ContinuedFrom(path) => {
                let path = String::from_utf8_lossy(path).into_owned();
                self.say(format!("the trace continues {path}: earlier waits are there"));
            }
        }
    }

    fn damage(&mut self, damage: Damage) {
        let place = Place { line: damage.line, byte: damage.byte };
        let events = u64::from(damage.wait);
        self.sink.reject(Rejection { place, reason: damage.why.into(), events });
    }
}
