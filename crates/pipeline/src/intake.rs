//! From what a source says to what a view and a recording take.

use isotherm_formats::{Message, Note, Sink, without_impossible_total};
use isotherm_frame::numbers::counted;
use isotherm_frame::{
    Account, Anomaly, AnomalyKind, Assembler, BinnerLimits, Clock, Event, Nanos, OpenWaits, Place,
    Reading, Rejection, Series, Timestamp,
};

use crate::clock::date_and_time;
use crate::stray_dates::{self, StrayDates};

/// Assembles readings into frames and keeps the account of the input.
pub struct Intake {
    assembler: Assembler,
    /// The account of the input so far.
    pub account: Account,
    /// When the first event began.
    first: Option<Timestamp>,
    /// The time of the latest event.
    latest: Option<Timestamp>,
    /// When the source that confirms that it measures began to, and how far it has got.
    measured: Option<(Timestamp, Timestamp)>,
    /// Events dated far from all others.
    strays: StrayDates,
    has_strays: bool,
    /// Whether it was said that a total contradicts its buckets.
    has_impossible_totals: bool,
    /// Events that an input says were lost so far, if all of them are added up until it ends.
    lost: Option<u64>,
    out: Vec<Event>,
    /// Whether nothing is given before the input ends.
    is_whole: bool,
    /// What most ends of events are multiples of, where that is coarse: known at the end.
    stamps: Option<Nanos>,
    /// What it was said that events are stamped with, where that is coarser than intervals are.
    said_stamps: Option<Nanos>,
    /// The waits that go on.
    pub open: OpenWaits,
}

impl Intake {
    /// For an input that is read to its end at once; for a table, if its intervals may only be so wide: then
    /// they have the width that was asked for, since the parts of a file have to fit to each other.
    pub(crate) fn whole(interval: Nanos, limits: BinnerLimits, widest: Option<Nanos>) -> Intake {
        let strays = StrayDates::new(false);
        let live = Intake::new(interval, limits);
        let assembler = live.assembler.fitting_stamps();
        let intake = Intake { assembler, strays, is_whole: true, lost: Some(0), ..live };
        let Some(widest) = widest else { return intake };
        Intake { assembler: intake.assembler.for_table(widest), ..intake }.with_fixed_width()
    }

    /// The same with intervals of the width that was asked for, however finely events are stamped.
    pub(crate) fn with_fixed_width(self) -> Intake {
        Intake { is_whole: false, ..self }
    }

    /// For an input that is read as it comes.
    pub fn new(interval: Nanos, limits: BinnerLimits) -> Intake {
        let assembler = Assembler::new(interval, limits);
        Intake {
            assembler,
            account: Account::default(),
            first: None,
            latest: None,
            measured: None,
            strays: StrayDates::new(true),
            has_strays: false,
            has_impossible_totals: false,
            lost: None,
            out: Vec::new(),
            is_whole: false,
            stamps: None,
            said_stamps: None,
            open: OpenWaits::default(),
        }
    }

    /// What to say if events are dated after `now`, with a day to spare.
    pub fn in_the_future(&self, now: Timestamp) -> Option<String> {
        const DAY: Nanos = Nanos::new(86_400 * 1_000_000_000);
        let known = self.account.clock == Clock::Epoch;
        let latest = self.latest.filter(|&latest| known && latest > now.plus(DAY))?;
        let latest = date_and_time(latest);
        Some(format!(
            "the last event is dated {latest} UTC, which is in the future: check the unit of the \
             time (--time-unit) and the columns (--columns)"
        ))
    }

    /// Whether events or prints are dated far from all others.
    pub(crate) fn has_strays(&self) -> bool {
        self.has_strays
    }

    /// How finely events are stamped, where that is so coarse that intervals follow it.
    pub fn stamps(&self) -> Option<Nanos> {
        self.stamps
    }

    /// The present width of the intervals of events.
    pub fn interval(&self) -> Nanos {
        self.assembler.interval()
    }

    /// Finishes the event intervals that the latest event has left `slack` behind; with no slack
    /// its own interval, too.
    pub fn finish_behind(&mut self, slack: Nanos) {
        let Some(latest) = self.latest else { return };
        let until = if slack == Nanos::ZERO {
            latest.plus(self.assembler.interval())
        } else {
            latest.minus(slack)
        };
        self.finish_until(until);
    }

    /// Finishes the event intervals that end at or before `until`.
    pub fn finish_until(&mut self, until: Timestamp) {
        let (out, account) = (&mut self.out, &mut self.account);
        let take = &mut |event| out.push(event);
        self.assembler.finish_until(until, &mut |event| hand_on(event, account, take));
        self.say_coarse_stamps();
    }

    /// Takes the waits that go on: their series are known although none of their events has ended.
    fn wait(&mut self, waits: OpenWaits) {
        waits.waits.iter().for_each(|wait| self.assembler.know(&wait.series));
        self.open = waits;
    }

    /// The source was measuring up to this moment.
    pub fn alive(&mut self, until: Timestamp) {
        let began = self.measured.map_or(until, |(began, _)| began);
        let began = began.min(self.first.unwrap_or(began));
        self.measured = Some((began, until.max(began)));
        let (out, account) = (&mut self.out, &mut self.account);
        let take = &mut |event| out.push(event);
        let emit = &mut |event| hand_on(event, account, take);
        self.assembler.observe(began, until.max(began), emit);
        self.finish_until(until);
    }

    fn say_lost(&mut self, events: u64) {
        self.out.push(Event::Message(format!("the source lost {}", counted(events, "event"))));
    }

    /// Finishes everything at the end of the input, and hands it on.
    pub fn finish_into(&mut self, take: &mut dyn FnMut(Event)) {
        if let Some(lost) = self.lost.take().filter(|lost| *lost > 0) {
            self.say_lost(lost);
        }
        self.finish_strays(&mut |intake, reading| intake.assemble(reading));
        self.out.drain(..).for_each(&mut *take);
        let account = &mut self.account;
        if self.is_whole {
            let emit = &mut |event| hand_on(event, account, take);
            self.stamps = self.assembler.fit_stamps(emit);
        }
        self.assembler.finish(&mut |event| hand_on(event, account, take));
        self.say_coarse_stamps();
        self.out.drain(..).for_each(take);
        self.assume_end();
    }

    /// What there is to say, once, of an input that is shown as it comes if its intervals are finer than the
    /// stamps of its events: what is shown of one of them is that of a whole second or minute.
    fn say_coarse_stamps(&mut self) {
        if self.is_whole {
            return;
        }
        let text = self.coarse_stamps();
        self.said_stamps = self.said_stamps.or(self.assembler.coarse_stamps());
        self.out.extend(text.map(Event::Message));
    }

    /// What there is to say if intervals are finer than the stamps of the events, and that was not said.
    pub(crate) fn coarse_stamps(&self) -> Option<String> {
        let unit = self.assembler.coarse_stamps().filter(|_| self.said_stamps.is_none())?;
        let word = if unit > Nanos::SECOND { "minute" } else { "second" };
        let width = self.interval();
        Some(format!(
            "events are stamped with whole {word}s: intervals of {width} do not show when in a {word} they \
             ended; use --interval {unit}"
        ))
    }

    /// Says what is covered after the last event where that is a good part of the time.
    fn assume_end(&mut self) {
        /// A smaller part of the time between the first event and the last is not worth a word.
        const PART: u64 = 20;
        let (beyond, events) = self.assembler.beyond();
        // Up to a unit of stamps later than its own the last one ended.
        let is_assumed = self.stamps.is_none_or(|unit| beyond > unit);
        let ends = self.first.zip(self.latest).filter(|_| is_assumed);
        let Some((first, last)) = ends else { return };
        if beyond.as_nanos().saturating_mul(PART) > last.since(first).as_nanos() {
            let words = format!(
                "the input does not say when it ends: it is taken to go on for {beyond} \
                 after the last of its {events} events (the usual time between two), as \
                 rates would be too high otherwise"
            );
            self.account.assume(words.into());
        }
    }

    /// Finishes everything at the end of the input.
    pub fn finish(&mut self) {
        let mut events = Vec::new();
        self.finish_into(&mut |event| events.push(event));
        self.out = events;
    }

    /// The first total that contradicts its buckets is said.
    fn without_impossible_total(&mut self, reading: Reading) -> Reading {
        let (reading, contradiction) = without_impossible_total(reading);
        if let Some(words) = contradiction.filter(|_| !self.has_impossible_totals) {
            self.has_impossible_totals = true;
            self.note(Note::Said(words.into()));
        }
        reading
    }

    /// Passes a reading on unless it is dated far from all others.
    fn admit(&mut self, reading: Reading, pass: &mut dyn FnMut(&mut Intake, Reading)) {
        let reading = self.without_impossible_total(reading);
        if self.strays.passes(&reading) {
            return pass(self, reading);
        }
        let mut admitted = Vec::new();
        let apart = self.strays.hold(reading, &mut |reading| admitted.push(reading));
        for reading in admitted {
            pass(self, reading);
        }
        if apart {
            self.has_strays = true;
            self.out.push(Event::Message(stray_dates::APART.to_owned()));
        }
    }

    /// The input has ended: passes on what was still held back, and rejects what is dated far from
    /// all others.
    fn finish_strays(&mut self, pass: &mut dyn FnMut(&mut Intake, Reading)) {
        let mut admitted = Vec::new();
        let left_out = self.strays.finish(&mut |reading| admitted.push(reading));
        for reading in admitted {
            pass(self, reading);
        }
        self.has_strays |= !left_out.is_empty();
        for left_out in left_out {
            let message = left_out.message();
            self.out.push(Event::Message(message.clone()));
            self.account.reject(Rejection {
                place: Place::default(),
                reason: message.into(),
                events: left_out.events,
            });
            // Each was a record, and counts as one rejection.
            self.account.rejected = self.account.rejected.saturating_add(left_out.records - 1);
            self.account.records = self.account.records.saturating_sub(left_out.records);
        }
    }

    /// Takes a single event: what nearly all readings of a large input are.
    fn assemble_event(&mut self, at: Timestamp, series: &Series, latency: Nanos) {
        self.first.get_or_insert(at.minus(latency));
        self.latest = self.latest.max(Some(at));
        let (out, account) = (&mut self.out, &mut self.account);
        let take = &mut |event| out.push(event);
        self.assembler.event(at, series, latency, &mut |event| hand_on(event, account, take));
    }

    fn assemble(&mut self, reading: Reading) {
        if let Reading::Event { at, latency, .. }
        | Reading::Sampled { at, latency, .. }
        | Reading::Unselected { at, latency } = &reading
        {
            self.first.get_or_insert(at.minus(*latency));
            self.latest = self.latest.max(Some(*at));
        }
        let (out, account) = (&mut self.out, &mut self.account);
        let take = &mut |event| out.push(event);
        self.assembler.push(reading, &mut |event| hand_on(event, account, take));
    }

    fn tell(&mut self, note: Note) {
        let is_new = note.account(&mut self.account);
        match note {
            Note::Said(words) if is_new => self.out.push(Event::Message(words.into_owned())),
            Note::UnmetAttribute(unmet) if is_new => {
                self.out.push(Event::Message(unmet.to_string()));
            }
            Note::Lost(events) => match &mut self.lost {
                Some(lost) => *lost = lost.saturating_add(events),
                None => self.say_lost(events),
            },
            Note::Mark(mark) => self.out.push(Event::Mark(mark)),
            Note::Said(_)
            | Note::Assumed(_)
            | Note::Clock(_)
            | Note::Ignored
            | Note::Idle(_)
            | Note::MissingAttribute(_)
            | Note::UnmetAttribute(_)
            | Note::RunningTotals(_)
            | Note::Example(..) => {}
        }
    }

    /// What happened since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.out)
    }
}

/// Hands on what the assembler gives. Events that have no place on the time axis are rejected: they
/// were read and are in no interval.
fn hand_on(event: Event, account: &mut Account, take: &mut dyn FnMut(Event)) {
    match event {
        Event::Anomaly(Anomaly { kind: kind @ AnomalyKind::Unplaced(events), series, .. }) => {
            let reason = format!("{kind}: {series}").into();
            reject(account, Rejection { place: Place::default(), reason, events }, take);
        }
        Event::Anomaly(Anomaly {
            kind: kind @ AnomalyKind::TotalsLeftOut(totals), series, ..
        }) => {
            let reason = format!("{kind}: {series}").into();
            // How many events they count beyond the last ones is not known.
            reject(account, Rejection { place: Place::default(), reason, events: 0 }, take);
            account.rejected = account.rejected.saturating_add(totals.saturating_sub(1));
        }
        Event::Anomaly(Anomaly {
            kind: kind @ AnomalyKind::WaitedDaysBefore(_), series, ..
        }) => {
            let words = format!("{series}: {kind}");
            if account.notice(words.clone().into()) {
                take(Event::Message(words));
            }
        }
        other => take(other),
    }
}

/// Accounts for a rejection; the first ones are reported.
fn reject(account: &mut Account, rejection: Rejection, take: &mut dyn FnMut(Event)) {
    if account.rejections.len() < Account::SHOWN {
        let at = if rejection.place.line > 0 { " at " } else { ": " };
        take(Event::Message(format!("rejected{at}{rejection}")));
    }
    account.reject(rejection);
}

impl Sink for Intake {
    fn take(&mut self, message: Message) {
        match message {
            Message::Reading(reading) => self.admit(reading, &mut Intake::assemble),
            Message::Record => self.account.records += 1,
            Message::Rejected(rejection) => {
                let out = &mut self.out;
                reject(&mut self.account, rejection, &mut |event| out.push(event));
            }
            Message::Note(note) => self.tell(note),
            Message::Warning(text) => self.out.push(Event::Message(text)),
            Message::Waiting(waits) => self.wait(waits),
            Message::Alive(until) => self.alive(until),
        }
    }

    fn event(&mut self, at: Timestamp, series: &Series, latency: Nanos) {
        if self.strays.passes_at(at.as_nanos()) {
            return self.assemble_event(at, series, latency);
        }
        self.reading(Reading::Event { at, series: series.clone(), latency });
    }
}

/// Takes one event: its series, unless it is not asked for, when it ended, and how long it took.
pub type TakeEvent<'a> = dyn FnMut(Option<&Series>, Timestamp, Nanos) + 'a;

/// Hands on a single event, and has anything else assembled.
fn single(events: &mut TakeEvent<'_>, intake: &mut Intake, reading: Reading) {
    match reading {
        Reading::Event { at, series, latency } | Reading::Sampled { at, series, latency, .. } => {
            events(Some(&series), at, latency);
        }
        Reading::Unselected { at, latency } => events(None, at, latency),
        other => intake.assemble(other),
    }
}

/// A sink for a whole input that hands every event on at once, so that nothing piles up.
pub struct Through<'a, 'e> {
    pub intake: Intake,
    pub take: &'a mut dyn FnMut(Event),
    /// Where single events go, if not into intervals.
    pub events: Option<&'a mut TakeEvent<'e>>,
}

impl Through<'_, '_> {
    fn pass_on(&mut self) {
        if !self.intake.out.is_empty() {
            self.intake.out.drain(..).for_each(&mut *self.take);
        }
    }

    /// Finishes everything at the end of the input.
    pub fn finish(mut self) -> Intake {
        if let Some(events) = &mut self.events {
            self.intake.finish_strays(&mut |intake, reading| single(events, intake, reading));
        }
        self.intake.finish_into(self.take);
        self.intake
    }
}

impl Sink for Through<'_, '_> {
    fn take(&mut self, message: Message) {
        match (message, &mut self.events) {
            (Message::Reading(reading), Some(events)) => {
                self.intake.admit(reading, &mut |intake, reading| single(events, intake, reading));
            }
            (message, _) => self.intake.take(message),
        }
        self.pass_on();
    }

    fn event(&mut self, at: Timestamp, series: &Series, latency: Nanos) {
        match &mut self.events {
            Some(events) if self.intake.strays.passes_at(at.as_nanos()) => {
                events(Some(series), at, latency);
            }
            Some(_) => self.reading(Reading::Event { at, series: series.clone(), latency }),
            None => self.intake.event(at, series, latency),
        }
        self.pass_on();
    }
}
