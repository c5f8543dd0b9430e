//! One session: the numbers of its waits, and which of them are known by a look at its history.

use std::collections::VecDeque;

use isotherm_frame::{Nanos, Timestamp};

use super::record::{Seen, State};

/// What is known of one session.
#[derive(Debug)]
pub(super) struct Session {
    /// The number of the last wait that is over.
    pub(super) finished: u16,
    /// The last waits whose length is known, latest last.
    recent: VecDeque<(u16, Length)>,
    /// Whether their numbers are the session's own, because one was seen after its end; else they
    /// are as good as any that follow each other.
    numbered: bool,
    /// Waits known by numbers that no longer hold: each may be among the next ones, and what equals
    /// one of them is not counted. Up to which number that is so.
    unplaced: (Vec<Length>, u16),
    /// Waits that are over and whose length is not known yet, and how long they had gone on when
    /// they were last looked at.
    pub(super) missing: Vec<(u16, Nanos)>,
    /// The present wait, and how long it had gone on.
    present: Option<(u16, Nanos)>,
    pub(super) looked: Timestamp,
}

/// A wait that is over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Length {
    pub(super) event: String,
    pub(super) time: Nanos,
}

/// Waits in a session's history.
const HISTORY: u16 = 10;
/// Further from each other than this, numbers have begun anew or gone back.
pub(super) const FAR: u16 = 1 << 15;
impl Session {
    /// A session looked at for the first time: what is over was over before.
    pub(super) fn begin(at: Timestamp, seen: &[Seen<'static>]) -> Session {
        let (recent, missing) = (VecDeque::new(), Vec::new());
        let (numbered, present) = (false, None);
        let unplaced = (Vec::new(), 0);
        let mut session =
            Session { finished: 0, recent, numbered, unplaced, missing, present, looked: at };
        // Of several waits the latest is the one that no other comes after.
        let Some(first) = seen.first() else { return session };
        let ahead = |seen: &&Seen| seen.seq.wrapping_sub(first.seq).wrapping_add(FAR);
        if let Some(latest) = seen.iter().max_by_key(ahead) {
            session.finished = latest.last_finished();
            session.note(latest);
        }
        session
    }

    /// Remembers what a look tells besides which waits are over.
    fn note(&mut self, seen: &Seen<'_>) {
        match seen.state {
            State::Waiting => self.present = Some((seen.seq, seen.length)),
            State::Waited => {
                self.numbered = true;
                self.remember(seen.seq, seen.ended());
            }
            State::Untimed => {}
        }
    }

    fn remember(&mut self, seq: u16, length: Length) {
        if self.recent.len() >= usize::from(2 * HISTORY) {
            self.recent.pop_front();
        }
        self.recent.push_back((seq, length));
    }

    /// Takes one look, which is `alone` if it is the session's only one now; gives how many waits
    /// are beyond all finding.
    pub(super) fn advance(&mut self, seen: &Seen<'_>, alone: bool, ended: &mut Vec<Length>) -> u64 {
        let finished = seen.last_finished();
        let advanced = finished.wrapping_sub(self.finished);
        if advanced >= FAR {
            // An older line of a table of waits; or the numbers went back, and begin anew.
            if alone {
                self.finished = finished;
                self.note(seen);
            }
            return 0;
        }
        if seen.seq.wrapping_sub(self.unplaced.1) < FAR {
            self.unplaced.0.clear();
        }
        let timed = advanced > 0 && seen.state == State::Waited;
        let open = advanced - u16::from(timed);
        let reachable = open.min(HISTORY);
        let after = self.finished.wrapping_add(open - reachable).wrapping_add(1);
        for seq in (0..reachable).map(|step| after.wrapping_add(step)) {
            let glimpsed = self.present.filter(|(present, _)| *present == seq);
            self.missing.push((seq, glimpsed.map_or(Nanos::ZERO, |(_, length)| length)));
        }
        let mut unreachable = u64::from(open - reachable);
        if timed {
            unreachable += self.renumber(seen.seq);
            match seen.ended() {
                known if self.unplaced.0.contains(&known) => unreachable += 1,
                fresh => ended.push(fresh),
            }
        }
        if timed || seen.state == State::Waiting {
            self.note(seen);
        }
        self.finished = finished;
        unreachable
    }

    /// The wait `seq`, seen after its end, has its true number. If those known so far had none,
    /// nothing of before can be told apart from them any more: gives how many missing ones that
    /// makes beyond all finding.
    fn renumber(&mut self, seq: u16) -> u64 {
        if self.numbered || self.recent.is_empty() {
            return 0;
        }
        self.set_apart(seq);
        self.missing.drain(..).len() as u64
    }

    /// Numbers of the waits known so far no longer hold after wait `seq`.
    fn set_apart(&mut self, seq: u16) {
        let (unplaced, until) = &mut self.unplaced;
        unplaced.extend(self.recent.drain(..).map(|(_, length)| length));
        let excess = unplaced.len().saturating_sub(usize::from(4 * HISTORY));
        unplaced.drain(..excess);
        // A history is late by no more than its own waits, and the numbers taken from it likewise.
        *until = seq.wrapping_add(2 * HISTORY);
    }

    /// Finds missing waits in a history, latest first, by the known ones beside them. Gives how
    /// many of those still missing, oldest first, will not be found any more.
    pub(super) fn fill(
        &mut self,
        history: &[Length],
        latest: &Seen<'_>,
        ended: &mut Vec<Length>,
    ) -> usize {
        let Some((first, not_over)) = self.place(history, latest) else {
            self.number(history, latest);
            return self.missing.len();
        };
        let found: Vec<(u16, Length)> = history
            .iter()
            .zip(0_u16..)
            .skip(usize::from(not_over))
            .map(|(length, rank)| (first.wrapping_sub(rank), length.clone()))
            .filter(|(seq, _)| self.missing.iter().any(|(missing, _)| missing == seq))
            .collect();
        for (seq, length) in found.into_iter().rev() {
            if self.unplaced.0.contains(&length) {
                continue;
            }
            self.missing.retain(|(missing, _)| *missing != seq);
            ended.push(length.clone());
            self.remember(seq, length);
        }
        let after = first.wrapping_sub(not_over).wrapping_add(1);
        let to_come = |seq: u16| seq.wrapping_sub(after) < FAR;
        self.missing.iter().take_while(|(seq, _)| !to_come(*seq)).count()
    }

    /// The number of the first wait in a history, and how many of its waits may not be over.
    fn place(&self, history: &[Length], latest: &Seen<'_>) -> Option<(u16, u16)> {
        // The history is read a moment after or before the session itself. Its first wait may be
        // the one that goes on, until there is a later one.
        let waiting = u16::from(latest.state == State::Waiting);
        let later = (0..=HISTORY).map(|by| (self.finished.wrapping_add(by), waiting));
        let earlier = (1..=2).map(|by| (self.finished.wrapping_sub(by), 1));
        later.chain(earlier).find(|(first, _)| self.fits(history, *first))
    }

    /// Numbers the waits of a history in which nothing is known, so that those after them are
    /// reported. They themselves are not: some may have been.
    fn number(&mut self, history: &[Length], latest: &Seen<'_>) {
        if latest.state == State::Waited {
            return;
        }
        self.numbered = false;
        self.set_apart(self.finished);
        let rows = history.iter().zip(0_u16..).skip(1).collect::<Vec<_>>();
        for (length, rank) in rows.into_iter().rev() {
            self.remember(self.finished.wrapping_sub(rank), length.clone());
        }
    }

    /// Whether every wait known exactly is in the history where it must be, and at least one is.
    fn fits(&self, history: &[Length], latest: u16) -> bool {
        let mut matches = 0;
        for (seq, known) in &self.recent {
            let rank = usize::from(latest.wrapping_sub(*seq));
            match history.get(rank) {
                Some(found) if found == known => matches += 1,
                Some(_) => return false,
                None => {}
            }
        }
        matches > 0
    }
}

impl Seen<'_> {
    /// The number of the session's last wait that is over.
    fn last_finished(&self) -> u16 {
        self.seq.wrapping_sub(u16::from(self.state == State::Waiting))
    }

    fn ended(&self) -> Length {
        Length { event: self.event.clone().into_owned(), time: self.length }
    }
}
