//! From what a source says to what a view and a recording take.

use isotherm_frame::{
    Anomaly, AnomalyKind, Assembler, BinnerLimits, Frame, Nanos, Output, Reading, Series, Timestamp,
};
use isotherm_sources::{Ending, Item, Note, Rejection, Sink, Tally};

/// One thing that happened, in the order it happened.
#[derive(Clone, Debug)]
pub enum Happening {
    /// An interval is finished.
    Frame(Frame),
    /// Something odd about a series.
    Anomaly(Anomaly),
    /// A moment is marked.
    Mark { at: Timestamp, text: String },
    /// Something to tell the user.
    Said(String),
}

/// What a source says besides its readings.
pub enum Aside {
    /// Something to tell the user at once.
    Warning(String),
    /// The source has ended.
    Ended(Ending),
}

/// Assembles readings into frames and keeps the account of the input.
pub struct Intake {
    assembler: Assembler,
    pub tally: Tally,
    /// When the first event began.
    first: Option<Timestamp>,
    /// The time of the latest event.
    latest: Option<Timestamp>,
    /// When the source that confirms that it measures began to, and how far it has got.
    measured: Option<(Timestamp, Timestamp)>,
    out: Vec<Happening>,
}

impl Intake {
    pub fn new(interval: Nanos, limits: BinnerLimits) -> Intake {
        let assembler = Assembler::new(interval, limits);
        Intake {
            assembler,
            tally: Tally::default(),
            first: None,
            latest: None,
            measured: None,
            out: Vec::new(),
        }
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
        let out = &mut self.out;
        self.assembler.finish_until(until, &mut |output| out.push(happening(output)));
    }

    /// Takes one thing that a running source says; gives back what is none of its business.
    pub fn item(&mut self, item: Item) -> Option<Aside> {
        match item {
            Item::Reading(reading) => self.reading(reading),
            Item::Record => self.record(),
            Item::Rejected(rejection) => self.reject(rejection),
            Item::Note(note) => self.note(note),
            Item::Alive(until) => self.alive(until),
            Item::Warning(text) => return Some(Aside::Warning(text)),
            Item::Ended(ending) => return Some(Aside::Ended(ending)),
        }
        None
    }

    /// The source was measuring up to this moment.
    pub fn alive(&mut self, until: Timestamp) {
        let began = self.measured.map_or(until, |(began, _)| began);
        let began = began.min(self.first.unwrap_or(began));
        self.measured = Some((began, until.max(began)));
        self.assembler.observe(began, until.max(began));
        self.finish_until(until);
    }

    /// Finishes everything at the end of the input, and hands it on.
    pub fn finish_into(&mut self, take: &mut dyn FnMut(Happening)) {
        self.out.drain(..).for_each(&mut *take);
        self.assembler.finish(&mut |output| take(happening(output)));
    }

    /// Finishes everything at the end of the input.
    pub fn finish(&mut self) {
        let mut happened = Vec::new();
        self.finish_into(&mut |happening| happened.push(happening));
        self.out = happened;
    }

    /// What happened since the last call.
    pub fn take(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.out)
    }
}

/// The interval without the part before `began`.
fn happening(output: Output) -> Happening {
    match output {
        Output::Frame(frame) => Happening::Frame(frame),
        Output::Anomaly(anomaly) => Happening::Anomaly(anomaly),
    }
}

impl Sink for Intake {
    fn reading(&mut self, reading: Reading) {
        if let Reading::Event { at, latency, .. } = &reading {
            self.first.get_or_insert(at.minus(*latency));
            self.latest = self.latest.max(Some(*at));
        }
        let (out, lost) = (&mut self.out, &mut self.tally.lost);
        self.assembler.push(reading, &mut |output| match output {
            // The step of the clock itself is told; how many events it cost is in the account.
            Output::Anomaly(Anomaly { kind: AnomalyKind::Unplaced(events), .. }) => {
                *lost = lost.saturating_add(events);
            }
            other => out.push(happening(other)),
        });
    }

    fn record(&mut self) {
        self.tally.records += 1;
    }

    fn reject(&mut self, rejection: Rejection) {
        if self.tally.examples.len() < Tally::SHOWN {
            let text = format!("rejected at {}: {}", rejection.place, rejection.reason);
            self.out.push(Happening::Said(text));
        }
        self.tally.reject(rejection);
    }

    fn note(&mut self, note: Note) {
        let known = self.tally.said.len();
        self.tally.note(&note);
        match note {
            Note::Said(words) if self.tally.said.len() > known => {
                self.out.push(Happening::Said(words.into_owned()));
            }
            Note::Lost(events) => {
                self.out.push(Happening::Said(format!("the source lost {events} events")));
            }
            Note::Mark { at, text } => self.out.push(Happening::Mark { at, text }),
            Note::Said(_)
            | Note::Assumed(_)
            | Note::Clock(_)
            | Note::Ignored
            | Note::LeftOut(_)
            | Note::NoAttribute(_) => {}
        }
    }
}

/// Takes one event: its series, when it ended, and how long it took.
pub type TakeEvent<'a> = dyn FnMut(&Series, Timestamp, Nanos) + 'a;

/// A sink for a whole input that hands every happening on at once, so that nothing piles up.
pub struct Through<'a, 'e> {
    pub intake: Intake,
    pub take: &'a mut dyn FnMut(Happening),
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
        self.intake.finish_into(self.take);
        self.intake
    }
}

impl Sink for Through<'_, '_> {
    fn reading(&mut self, reading: Reading) {
        if let (Some(events), Reading::Event { at, series, latency }) = (&mut self.events, &reading)
        {
            return events(series, *at, *latency);
        }
        self.intake.reading(reading);
        self.pass_on();
    }

    fn record(&mut self) {
        self.intake.record();
    }

    fn reject(&mut self, rejection: Rejection) {
        self.intake.reject(rejection);
        self.pass_on();
    }

    fn note(&mut self, note: Note) {
        self.intake.note(note);
        self.pass_on();
    }
}
