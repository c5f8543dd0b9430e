//! From what a source says to what a view and a recording take.

use isotherm_formats::{Message, Note, Sink, without_impossible_total};
use isotherm_frame::numbers::counted;
use isotherm_frame::{
    Account, Anomaly, AnomalyKind, Assembler, BinnerLimits, Clock, Event, Nanos, OpenWaits, Place,
    Reading, Rejection, Series, Timestamp,
};

use crate::clock::date_and_time;
use crate::stray_dates::{self, StrayDates};

/// Where what happened goes.
pub(crate) trait Output {
    /// Takes what happened.
    fn put(&mut self, event: Event);

    /// Takes a single event; `false` if single events go into intervals. It has no series if it is not asked for.
    fn take_single(&mut self, _: Option<&Series>, _: Timestamp, _: Nanos) -> bool {
        false
    }
}

/// What is taken later.
impl Output for Vec<Event> {
    fn put(&mut self, event: Event) {
        self.push(event);
    }
}

/// Takes one event: its series, unless it is not asked for, when it ended, and how long it took.
pub(crate) type TakeEvent<'a> = dyn FnMut(Option<&Series>, Timestamp, Nanos) + 'a;

/// Hands everything on at once, so that nothing of a whole input piles up.
pub(crate) struct AtOnce<'a, 'e> {
    pub(crate) take: &'a mut dyn FnMut(Event),
    /// Where single events go, if not into intervals.
    pub(crate) events: Option<&'a mut TakeEvent<'e>>,
}

impl Output for AtOnce<'_, '_> {
    fn put(&mut self, event: Event) {
        (self.take)(event);
    }

    fn take_single(&mut self, series: Option<&Series>, at: Timestamp, latency: Nanos) -> bool {
        let Some(events) = &mut self.events else { return false };
        events(series, at, latency);
        true
    }
}

/// Assembles readings into frames and keeps the account of the input.
pub(crate) struct Intake<O = Vec<Event>> {
    assembler: Assembler,
    /// The account of the input so far.
    pub(crate) account: Account,
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
    out: O,
    /// Whether nothing is given before the input ends.
    is_whole: bool,
    /// What most ends of events are multiples of, where that is coarse: known at the end.
    stamps: Option<Nanos>,
    /// What it was said that events are stamped with, where that is coarser than intervals are.
    said_stamps: Option<Nanos>,
    /// The waits that go on.
    pub(crate) open: OpenWaits,
}

/// What is known of an input that was read to its end.
pub(crate) struct WholeInput {
    pub(crate) account: Account,
    /// The time of the latest event.
    latest: Option<Timestamp>,
    /// The width of the intervals of events.
    pub(crate) width: Nanos,
    /// How finely events are stamped, where that is so coarse that intervals follow it.
    pub(crate) stamps: Option<Nanos>,
    /// What there is to say if intervals are finer than the stamps of the events, and that was not said.
    pub(crate) coarse_stamps: Option<String>,
    /// Whether events or prints are dated far from all others.
    pub(crate) has_strays: bool,
}

impl WholeInput {
    /// What to say if events are dated after `now`, with a day to spare.
    pub(crate) fn in_the_future(&self, now: Timestamp) -> Option<String> {
        const DAY: Nanos = Nanos::new(86_400 * 1_000_000_000);
        let known = self.account.clock == Clock::Epoch;
        let latest = self.latest.filter(|&latest| known && latest > now.plus(DAY))?;
        let latest = date_and_time(latest);
        Some(format!(
            "the last event is dated {latest} UTC, which is in the future: check the unit of the \
             time (--time-unit) and the columns (--columns)"
        ))
    }
}

impl Intake {
    /// For an input that is read as it comes.
    pub(crate) fn new(interval: Nanos, limits: BinnerLimits) -> Intake {
        Intake::into(Vec::new(), Assembler::new(interval, limits), StrayDates::new(true))
    }

    /// What happened since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.out)
    }
}

impl<'a, 'e> Intake<AtOnce<'a, 'e>> {
    /// For an input that is read to its end at once; for a table, if its intervals may only be so wide: then
    /// they have the width that was asked for, since the parts of a file have to fit to each other.
    pub(crate) fn whole(
        out: AtOnce<'a, 'e>,
        interval: Nanos,
        limits: BinnerLimits,
        widest: Option<Nanos>,
    ) -> Intake<AtOnce<'a, 'e>> {
        let assembler = Assembler::new(interval, limits).fitting_stamps();
        let (assembler, is_whole) = match widest {
            None => (assembler, true),
            Some(widest) => (assembler.for_table(widest), false),
        };
        let intake = Intake::into(out, assembler, StrayDates::new(false));
        Intake { is_whole, lost: Some(0), ..intake }
    }

    /// The same with intervals of the width that was asked for, however finely events are stamped.
    pub(crate) fn with_fixed_width(self) -> Intake<AtOnce<'a, 'e>> {
        Intake { is_whole: false, ..self }
    }

    /// Finishes everything at the end of the input; gives what is known of it.
    pub(crate) fn end(mut self) -> WholeInput {
        self.finish();
        WholeInput {
            latest: self.latest,
            width: self.assembler.interval(),
            stamps: self.stamps,
            coarse_stamps: self.coarse_stamps(),
            has_strays: self.has_strays,
            account: self.account,
        }
    }
}

impl<O: Output> Intake<O> {
    fn into(out: O, assembler: Assembler, strays: StrayDates) -> Intake<O> {
        Intake {
            assembler,
            account: Account::default(),
            first: None,
            latest: None,
            measured: None,
            strays,
            has_strays: false,
            has_impossible_totals: false,
            lost: None,
            out,
            is_whole: false,
            stamps: None,
            said_stamps: None,
            open: OpenWaits::default(),
        }
    }

    /// Finishes the event intervals that the latest event has left `slack` behind; with no slack
    /// its own interval, too.
    pub(crate) fn finish_behind(&mut self, slack: Nanos) {
        let Some(latest) = self.latest else { return };
        let until = if slack == Nanos::ZERO {
            latest.plus(self.assembler.interval())
        } else {
            latest.minus(slack)
        };
        self.finish_until(until);
    }

    /// Finishes the event intervals that end at or before `until`.
    pub(crate) fn finish_until(&mut self, until: Timestamp) {
        let (out, account) = (&mut self.out, &mut self.account);
        self.assembler.finish_until(until, &mut |event| hand_on(event, account, out));
        self.say_coarse_stamps();
    }

    /// Takes the waits that go on: their series are known although none of their events has ended.
    fn wait(&mut self, waits: OpenWaits) {
        waits.waits.iter().for_each(|wait| self.assembler.know(&wait.series));
        self.open = waits;
    }

    /// The source was measuring up to this moment.
    pub(crate) fn alive(&mut self, until: Timestamp) {
        let began = self.measured.map_or(until, |(began, _)| began);
        let began = began.min(self.first.unwrap_or(began));
        self.measured = Some((began, until.max(began)));
        let (out, account) = (&mut self.out, &mut self.account);
        let emit = &mut |event| hand_on(event, account, out);
        self.assembler.observe(began, until.max(began), emit);
        self.finish_until(until);
    }

    fn say_lost(&mut self, events: u64) {
        self.out.put(Event::Message(format!("the source lost {}", counted(events, "event"))));
    }

    /// Finishes everything at the end of the input.
    pub(crate) fn finish(&mut self) {
        if let Some(lost) = self.lost.take().filter(|lost| *lost > 0) {
            self.say_lost(lost);
        }
        self.finish_strays();
        let (out, account) = (&mut self.out, &mut self.account);
        let emit = &mut |event| hand_on(event, account, out);
        if self.is_whole {
            self.stamps = self.assembler.fit_stamps(emit);
        }
        self.assembler.finish(emit);
        self.say_coarse_stamps();
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
        if let Some(text) = text {
            self.out.put(Event::Message(text));
        }
    }

    /// What there is to say if intervals are finer than the stamps of the events, and that was not said.
    pub(crate) fn coarse_stamps(&self) -> Option<String> {
        let unit = self.assembler.coarse_stamps().filter(|_| self.said_stamps.is_none())?;
        let word = if unit > Nanos::SECOND { "minute" } else { "second" };
        let width = self.assembler.interval();
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

    /// The first total that contradicts its buckets is said.
    fn without_impossible_total(&mut self, reading: Reading) -> Reading {
        let (reading, contradiction) = without_impossible_total(reading);
        if let Some(words) = contradiction.filter(|_| !self.has_impossible_totals) {
            self.has_impossible_totals = true;
            self.note(Note::Said(words.into()));
        }
        reading
    }

    /// Takes a reading unless it is dated far from all others.
    fn admit(&mut self, reading: Reading) {
        let reading = self.without_impossible_total(reading);
        if self.strays.passes(&reading) {
            return self.assemble(reading);
        }
        let mut admitted = Vec::new();
        let apart = self.strays.hold(reading, &mut |reading| admitted.push(reading));
        for reading in admitted {
            self.assemble(reading);
        }
        if apart {
            self.has_strays = true;
            self.out.put(Event::Message(stray_dates::APART.to_owned()));
        }
    }

    /// The input has ended: takes what was still held back, and rejects what is dated far from all others.
    fn finish_strays(&mut self) {
        let mut admitted = Vec::new();
        let left_out = self.strays.finish(&mut |reading| admitted.push(reading));
        for reading in admitted {
            self.assemble(reading);
        }
        self.has_strays |= !left_out.is_empty();
        for left_out in left_out {
            let message = left_out.message();
            self.out.put(Event::Message(message.clone()));
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
        if self.out.take_single(Some(series), at, latency) {
            return;
        }
        self.ended(at, latency);
        let (out, account) = (&mut self.out, &mut self.account);
        self.assembler.event(at, series, latency, &mut |event| hand_on(event, account, out));
    }

    fn assemble(&mut self, reading: Reading) {
        let single = match &reading {
            Reading::Event { at, series, latency }
            | Reading::Sampled { at, series, latency, .. } => Some((Some(series), *at, *latency)),
            Reading::Unselected { at, latency } => Some((None, *at, *latency)),
            Reading::Cumulative { .. } | Reading::Delta(_) => None,
        };
        if let Some((series, at, latency)) = single {
            if self.out.take_single(series, at, latency) {
                return;
            }
            self.ended(at, latency);
        }
        let (out, account) = (&mut self.out, &mut self.account);
        self.assembler.push(reading, &mut |event| hand_on(event, account, out));
    }

    /// An event ended at this moment.
    fn ended(&mut self, at: Timestamp, latency: Nanos) {
        self.first.get_or_insert(at.minus(latency));
        self.latest = self.latest.max(Some(at));
    }

    fn tell(&mut self, note: Note) {
        let is_new = note.account(&mut self.account);
        match note {
            Note::Said(words) if is_new => self.out.put(Event::Message(words.into_owned())),
            Note::UnmetAttribute(unmet) if is_new => {
                self.out.put(Event::Message(unmet.to_string()));
            }
            Note::Lost(events) => match &mut self.lost {
                Some(lost) => *lost = lost.saturating_add(events),
                None => self.say_lost(events),
            },
            Note::Mark(mark) => self.out.put(Event::Mark(mark)),
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
}

/// Hands on what the assembler gives. Events that have no place on the time axis are rejected: they
/// were read and are in no interval.
fn hand_on(event: Event, account: &mut Account, out: &mut impl Output) {
    match event {
        Event::Anomaly(Anomaly { kind: kind @ AnomalyKind::Unplaced(events), series, .. }) => {
            let reason = format!("{kind}: {series}").into();
            reject(account, Rejection { place: Place::default(), reason, events }, out);
        }
        Event::Anomaly(Anomaly {
            kind: kind @ AnomalyKind::TotalsLeftOut(totals), series, ..
        }) => {
            let reason = format!("{kind}: {series}").into();
            // How many events they count beyond the last ones is not known.
            reject(account, Rejection { place: Place::default(), reason, events: 0 }, out);
            account.rejected = account.rejected.saturating_add(totals.saturating_sub(1));
        }
        Event::Anomaly(Anomaly {
            kind: kind @ AnomalyKind::WaitedDaysBefore(_), series, ..
        }) => {
            let words = format!("{series}: {kind}");
            if account.notice(words.clone().into()) {
                out.put(Event::Message(words));
            }
        }
        other => out.put(other),
    }
}

/// Accounts for a rejection; the first ones are reported.
fn reject(account: &mut Account, rejection: Rejection, out: &mut impl Output) {
    if account.rejections.len() < Account::SHOWN {
        let at = if rejection.place.line > 0 { " at " } else { ": " };
        out.put(Event::Message(format!("rejected{at}{rejection}")));
    }
    account.reject(rejection);
}

impl<O: Output> Sink for Intake<O> {
    fn take(&mut self, message: Message) {
        match message {
            Message::Reading(reading) => self.admit(reading),
            Message::Record => self.account.records += 1,
            Message::Rejected(rejection) => reject(&mut self.account, rejection, &mut self.out),
            Message::Note(note) => self.tell(note),
            Message::Warning(text) => self.out.put(Event::Message(text)),
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
