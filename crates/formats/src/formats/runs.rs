//! Runs of a program that numbers what it sends: what each of them lost, and where they lie in time.

use std::collections::{BTreeSet, HashSet};

use crate::{Note, Sink};

/// What a program says at the end of a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct RunTotals {
    pub(super) sent: u64,
    /// None where it also counts what is no answer.
    pub(super) received: Option<u64>,
}

/// The runs of an input, one after the other.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// Numbers of the current run.
    sequence: Sequence,
    /// Where its first number lies, in intervals.
    base: u64,
    /// Where the run after it lies.
    end: Option<u64>,
    /// Whether the input has its beginning.
    is_begun: bool,
    /// Whether its totals were read: what follows is of the next one, or of a program beside it.
    is_closed: bool,
    /// Lines of it that say that one was lost, without its number.
    unnumbered: u64,
    /// What was sent and has no answer yet, where lines say so.
    pending: HashSet<u64>,
    /// How many runs there were.
    count: u64,
    /// Whether numbers stand for the time.
    are_placed: bool,
    /// All that was lost.
    lost: u64,
}

impl Runs {
    /// More are not remembered: numbers of 16 bits.
    const MOST_PENDING: usize = 1 << 16;

    /// A line begins a run.
    pub(super) fn begin(&mut self, sink: &mut dyn Sink) {
        if !self.is_closed {
            self.close(None, sink);
        }
        self.next_run();
        self.is_begun = true;
    }

    /// An answer has this number; gives where it lies, in intervals.
    pub(super) fn answered(&mut self, number: u64) -> u64 {
        self.enter(number);
        let number = self.sequence.arrived(number);
        self.base.saturating_add(number).saturating_sub(self.sequence.start.unwrap_or(number))
    }

    /// Numbers stand for the time of answers.
    pub(super) fn are_placed(&mut self) {
        self.are_placed = true;
    }

    /// Something that a line says was sent has its answer.
    pub(super) fn replied(&mut self, number: u64) {
        self.pending.remove(&number);
    }

    /// A line says that an event was lost.
    pub(super) fn lost(&mut self, number: Option<u64>, sink: &mut dyn Sink) {
        let Some(number) = number else {
            if self.is_closed {
                self.next_run();
            }
            self.unnumbered += 1;
            return self.say_lost(1, sink);
        };
        self.enter(number);
        self.sequence.lost(number);
    }

    /// A line says that something was sent.
    pub(super) fn sent(&mut self, number: u64, sink: &mut dyn Sink) {
        let is_remembered = self.pending.len() < Runs::MOST_PENDING && self.pending.insert(number);
        if !is_remembered {
            self.say_lost(1, sink);
        }
    }

    /// A run ends with its totals.
    pub(super) fn summary(&mut self, totals: RunTotals, sink: &mut dyn Sink) {
        if self.is_closed {
            self.next_run();
        }
        self.close(Some(totals), sink);
    }

    /// Tells what is known when all has been read; gives what was lost in all.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) -> u64 {
        if !self.is_closed {
            self.close(None, sink);
        }
        self.say_lost(self.pending.len() as u64, sink);
        if self.are_placed && self.count > 1 {
            let said = format!("{} runs without dates: each is placed right behind the one before", self.count);
            sink.note(Note::Assumed(said.into()));
        }
        self.lost
    }

    fn say_lost(&mut self, events: u64, sink: &mut dyn Sink) {
        self.lost = self.lost.saturating_add(events);
        if events > 0 {
            sink.note(Note::Lost(events));
        }
    }

    /// The current run ends: what it lost is known.
    fn close(&mut self, totals: Option<RunTotals>, sink: &mut dyn Sink) {
        let is_empty = self.sequence.start.is_none() && self.unnumbered == 0;
        if is_empty && totals.is_none() {
            return;
        }
        let missing = self.sequence.missing.len() as u64;
        let start = self.sequence.start.unwrap_or(1);
        let is_whole = self.is_begun || start <= 1;
        let lost = match totals {
            Some(RunTotals { sent, received: Some(received) }) => sent.saturating_sub(received),
            Some(RunTotals { sent, received: None }) if is_whole => sent.saturating_sub(self.sequence.answered),
            _ => missing.saturating_add(self.unnumbered),
        };
        self.say_lost(lost.saturating_sub(self.unnumbered), sink);
        let numbers = self.sequence.next.map_or(0, |next| next.saturating_sub(start));
        let sent = totals.map_or(0, |totals| totals.sent);
        let length = numbers.max(if is_whole { sent } else { sent.saturating_sub(start) });
        if self.count == 0 && self.sequence.start.is_none() {
            self.base = start;
        }
        self.end = Some(self.base.saturating_add(length));
        self.sequence.missing.clear();
        self.count += 1;
        self.is_closed = true;
    }

    /// What follows is of a run of its own.
    fn next_run(&mut self) {
        if let Some(end) = self.end {
            self.base = end;
        }
        self.sequence = Sequence::default();
        (self.unnumbered, self.is_closed, self.is_begun) = (0, false, self.end.is_some());
    }

    /// A number turns up: it may be the first of a run.
    fn enter(&mut self, number: u64) {
        if self.is_closed {
            if self.sequence.next.is_some_and(|next| number >= next) {
                // Another program wrote its totals into the same file, and this one goes on.
                (self.is_closed, self.is_begun, self.unnumbered) = (false, false, 0);
                self.count -= 1;
            } else {
                self.next_run();
            }
        }
        if self.sequence.start.is_some() {
            return;
        }
        // A run counts from 0 or from 1: what is passed over was lost.
        let first = if self.is_begun && number <= Sequence::MOST { number.min(1) } else { number };
        (self.sequence.start, self.sequence.next) = (Some(first), Some(first));
        if self.end.is_none() {
            self.base = first;
        }
    }
}

/// Numbers that count up, of 16 bits: after 65,535 comes 0.
#[derive(Debug, Default)]
struct Sequence {
    /// The first one.
    start: Option<u64>,
    /// The one that follows the greatest so far.
    next: Option<u64>,
    /// What was passed over and has not come since.
    missing: BTreeSet<u64>,
    /// How many came, each counted once.
    answered: u64,
}

impl Sequence {
    const WRAP: u64 = 1 << 16;
    /// A greater gap is another run.
    const MOST: u64 = 10_000;

    /// A number came; gives it as one that never goes back to 0.
    fn arrived(&mut self, number: u64) -> u64 {
        let number = self.unwrapped(number);
        let is_new = self.missing.remove(&number) || self.next.is_none_or(|next| number >= next);
        self.answered += u64::from(is_new);
        self.pass(number);
        number
    }

    fn lost(&mut self, number: u64) {
        let number = self.unwrapped(number);
        if self.next.is_none_or(|next| number >= next) {
            self.pass(number);
            self.missing.insert(number);
        }
    }

    /// All numbers up to this one have had their turn.
    fn pass(&mut self, number: u64) {
        let next = self.next.unwrap_or(number);
        if number >= next {
            if number - next <= Sequence::MOST {
                self.missing.extend(next..number);
            }
            self.next = Some(number.saturating_add(1));
        }
    }

    fn unwrapped(&self, number: u64) -> u64 {
        let Some(next) = self.next else { return number };
        if number >= Sequence::WRAP {
            return number;
        }
        let begin = next - next % Sequence::WRAP;
        let near = begin.saturating_add(number);
        if near.saturating_add(Sequence::WRAP / 2) < next {
            near.saturating_add(Sequence::WRAP)
        } else if near >= Sequence::WRAP && near - Sequence::WRAP / 2 > next {
            // It is late: the numbers behind it began anew.
            near - Sequence::WRAP
        } else {
            near
        }
    }
}
