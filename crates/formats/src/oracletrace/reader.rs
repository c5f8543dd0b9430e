//! From the records of a trace to readings.

use std::borrow::Cow;

use isotherm_frame::{Clock, Nanos, Place, Reading, Rejection, Timestamp, Unit, UnmetAttribute};
use isotherm_oracle::trace::{
    Account, Damage, Notice, Parsing, Session, Stamp, Timeline, TraceUnit, Visitor, Wait, Wants,
};

use super::choice::{Choice, Fate};
use crate::file_part::refusal;
use crate::{Context, DecodeError, Note, Sink};

/// A wait to be placed in time: the number of its series, unless it is not asked for, and how long it
/// took.
type Placed = (Option<usize>, Nanos);

/// Where in a trace its records stand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    /// Before what is read: they say when things happened.
    Before,
    Within,
    /// Behind what is read: they say when it went on.
    After,
}

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
    stretch: Stretch,
    /// How often the wall clock was written.
    stamps: u64,
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
            stretch: Stretch::Within,
            stamps: 0,
            clock: None,
            waits: 0,
            unwanted: 0,
            clockless: 0,
            zero: 0,
        }
    }

    /// What follows stands there.
    pub(super) fn enter(&mut self, stretch: Stretch) {
        self.stretch = stretch;
    }

    /// Whether it is known what times count from.
    pub(super) fn is_settled(&self) -> bool {
        self.timeline.is_settled()
    }

    /// Whether waits are placed by the ones before them alone.
    pub(super) fn is_walked(&self) -> bool {
        self.timeline.is_walked()
    }

    /// Whether the moment of some waits is not known yet.
    pub(super) fn holds_any(&self) -> bool {
        self.timeline.holds_any()
    }

    /// How often the wall clock was written so far.
    pub(super) fn stamps(&self) -> u64 {
        self.stamps
    }

    /// Gives out what is still held, of a part of a trace. What the whole trace lacks is not known. An
    /// error if it is not known either which series are told apart.
    pub(super) fn finish_part(mut self, account: &Account) -> Result<(), DecodeError> {
        self.timeline.finish();
        self.give_ready();
        if let Some(most) = self.choice.overflowed() {
            return Err(refusal(&format!(
                "there are more than {most} series, and only the first ones of the trace stay apart: use \
                 fewer attributes, or read the whole file"
            )));
        }
        for remark in self.timeline.remarks().to_vec() {
            self.say(remark.to_string());
        }
        self.say_what_unit();
        let (common, others) =
            if self.waits > 0 { self.choice.never_met() } else { (Vec::new(), Vec::new()) };
        let never =
            common.into_iter().map(str::to_owned).chain(others.into_iter().map(|one| one.name));
        for name in never.collect::<Vec<_>>() {
            self.sink.note(Note::UnmetAttribute(UnmetAttribute { name, event: "wait of this range" }));
        }
        self.tell_left_out(account);
        Ok(())
    }

    /// Tells what is counted and no event.
    fn tell_left_out(&mut self, account: &Account) {
        for waits in self.choice.left_out() {
            self.sink.note(Note::Idle(waits));
        }
        for _ in 0..account.ignored {
            self.sink.note(Note::Ignored);
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
        self.tell_left_out(account);
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
        for name in common {
            let name = name.to_owned();
            self.sink.note(Note::UnmetAttribute(UnmetAttribute { name, event: "wait" }));
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

    /// Takes a wait of another part.
    fn pass(&mut self, wait: &Wait<'_>) {
        let latency = Nanos::new(wait.ela.saturating_mul(self.unit.as_nanos()));
        let what = match self.stretch {
            Stretch::Before | Stretch::Within => None,
            Stretch::After => match self.fate(wait) {
                Fate::Of(_) | Fate::Unwanted => Some((None, latency)),
                Fate::UnwantedIdle | Fate::Idle(_) => None,
            },
        };
        match self.timeline.wait(what, wait.ela, wait.tim) {
            Some((what, at)) => self.give(what, at),
            None => self.give_ready(),
        }
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
        if self.stretch != Stretch::Within {
            return self.pass(wait);
        }
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
        self.stamps += u64::from(Stamp::read(stamp).is_some());
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
        if self.stretch != Stretch::Within {
            return;
        }
        match notice {
            Notice::SizeLimited => self.say(
                "the trace reached its size limit: later waits are missing (raise \
                 max_dump_file_size)",
            ),
            Notice::Recreated => {
                self.say(
                    "the trace file was removed while it was written: earlier waits are missing",
                );
            }
            Notice::ContinuedFrom(path) => {
                let path = String::from_utf8_lossy(path).into_owned();
                self.say(format!("the trace continues {path}: earlier waits are there"));
            }
        }
    }

    fn damage(&mut self, damage: Damage) {
        if self.stretch != Stretch::Within {
            return;
        }
        let place = Place { line: damage.line, byte: damage.byte };
        let events = u64::from(damage.wait);
        self.sink.reject(Rejection { place, reason: damage.why.into(), events });
    }
}
