//! Waits of sessions, found by looking at them often.
//!
//! A session's waits are numbered. One look shows its present or its last wait. What is known
//! exactly is a wait seen after its end, and one found in the session's history, which holds the
//! last ten without their numbers. Of a wait seen only while it went on, a lower bound is known:
//! it is not counted. Waits between two looks are known by their numbers only. Both are reported
//! as unseen, so that `seen + unseen` is how far the numbers advanced.

use std::collections::{BTreeMap, VecDeque};

use isotherm_frame::{Nanos, Reading, Series, Timestamp};

use crate::{Note, Sink};

use super::poll::{Past, Poll};
use super::record::{Seen, State};

/// What is known of the sessions looked at.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: BTreeMap<(u32, u64, u64), Session>,
    series: BTreeMap<(u32, Option<u64>, String), Series>,
    /// Whether series are told apart by session, too.
    by_session: bool,
    account: Account,
    /// Unseen waits not yet told, and when that was last done.
    untold: u64,
    told: Option<Timestamp>,
}

/// How much was seen.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) seen: u64,
    pub(super) unseen: u64,
    /// How long unseen ones had gone on when they were last looked at: a lower bound.
    pub(super) glimpsed: Nanos,
    /// Sessions looked at.
    sessions: u64,
}

#[derive(Debug)]
struct Session {
    /// The number of the last wait that is over.
    finished: u16,
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
    missing: Vec<(u16, Nanos)>,
    /// The present wait, and how long it had gone on.
    present: Option<(u16, Nanos)>,
    looked: Timestamp,
}

/// A wait that is over.
#[derive(Clone, Debug, PartialEq)]
struct Length {
    event: String,
    time: Nanos,
}

/// Waits in a session's history.
const HISTORY: u16 = 10;
/// Further from each other than this, numbers have begun anew or gone back.
const FAR: u16 = 1 << 15;
/// How often unseen waits are told of.
const TELL: Nanos = Nanos::new(10_000_000_000);
/// Sessions and series at most.
const MOST: usize = 100_000;

impl Sessions {
    pub(super) fn new(by_session: bool) -> Sessions {
        Sessions { by_session, ..Sessions::default() }
    }

    /// Whether a look at the histories of sessions can tell more.
    pub(crate) fn wants_history(&self) -> bool {
        self.known.values().any(|session| !session.missing.is_empty())
    }

    /// Takes what one look found.
    pub(super) fn look(&mut self, poll: &mut Poll, sink: &mut dyn Sink) {
        if poll.sessions.is_empty() && self.known.is_empty() {
            return;
        }
        let at = poll.at;
        let mut histories = histories(std::mem::take(&mut poll.pasts));
        let mut sessions: BTreeMap<_, Vec<Seen<'static>>> = BTreeMap::new();
        for seen in poll.sessions.drain(..) {
            sessions.entry(seen.session).or_default().push(seen);
        }
        for (key, seen) in sessions {
            let history = histories.remove(&(key.0, key.1));
            for Length { event, time } in self.look_at(at, key, seen, history.as_deref()) {
                self.account.seen += 1;
                let series = self.series_of(key, event);
                sink.reading(Reading::Event { at, series, latency: time });
            }
        }
        self.forget_others(at);
        self.tell(at, false, sink);
    }

    /// Takes what one look found of one session; gives the waits whose length is known by it.
    fn look_at(
        &mut self,
        at: Timestamp,
        key: (u32, u64, u64),
        mut seen: Vec<Seen<'static>>,
        history: Option<&[Length]>,
    ) -> Vec<Length> {
        let Some(mut session) = self.known.remove(&key) else {
            if self.known.len() < MOST {
                self.account.sessions += 1;
                self.known.insert(key, Session::begin(at, &seen));
            }
            return Vec::new();
        };
        session.looked = at;
        let old = session.missing.len();
        let mut ended = Vec::new();
        let from = session.finished;
        // A table of waits gives several: oldest first.
        seen.sort_by_key(|seen| seen.seq.wrapping_sub(from).wrapping_add(FAR));
        let alone = seen.len() == 1;
        for seen in &seen {
            let unreachable = session.advance(seen, alone, &mut ended);
            self.give_up(unreachable, Nanos::ZERO);
        }
        let given_up = match history.zip(seen.last()) {
            Some((history, latest)) => session.fill(history, latest, &mut ended),
            None => old,
        };
        for (_, glimpsed) in session.missing.drain(..given_up.min(session.missing.len())) {
            self.give_up(1, glimpsed);
        }
        self.known.insert(key, session);
        ended
    }

    fn give_up(&mut self, waits: u64, glimpsed: Nanos) {
        self.account.unseen += waits;
        self.untold += waits;
        let glimpsed = self.account.glimpsed.checked_add(glimpsed);
        self.account.glimpsed = glimpsed.unwrap_or(self.account.glimpsed);
    }

    fn series_of(&mut self, (instance, sid, _): (u32, u64, u64), event: String) -> Series {
        let key = (instance, self.by_session.then_some(sid), event);
        if let Some(series) = self.series.get(&key) {
            return series.clone();
        }
        let sid = self.by_session.then(|| ("sid", sid.to_string()));
        let attributes = [Some(("inst", instance.to_string())), sid];
        let series = Series::with_attributes(key.2.clone(), attributes.into_iter().flatten());
        if self.series.len() < MOST {
            self.series.insert(key, series.clone());
        }
        series
    }

    /// Gives up what sessions that are gone, or no longer asked for, had left open.
    fn forget_others(&mut self, at: Timestamp) {
        let mut gone = Vec::new();
        self.known.retain(|_, session| {
            let stays = session.looked == at;
            if !stays {
                gone.append(&mut session.missing);
            }
            stays
        });
        for (_, glimpsed) in gone {
            self.give_up(1, glimpsed);
        }
    }

    /// Tells of unseen waits from time to time, and at the end.
    fn tell(&mut self, at: Timestamp, end: bool, sink: &mut dyn Sink) {
        let due = end || at.since(*self.told.get_or_insert(at)) >= TELL;
        if due {
            self.told = Some(at);
            match std::mem::take(&mut self.untold) {
                0 => {}
                unseen => sink.note(Note::Lost(unseen)),
            }
        }
    }

    /// Gives up what is still open and says how much was seen.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) {
        for (_, session) in std::mem::take(&mut self.known) {
            for (_, glimpsed) in session.missing {
                self.give_up(1, glimpsed);
            }
        }
        self.tell(Timestamp::new(0), true, sink);
        let Account { seen, unseen, glimpsed, sessions } = self.account;
        if sessions == 0 {
            return;
        }
        let all = seen.saturating_add(unseen);
        // Rounded down: 100 % means all.
        let share = if all == 0 { 100.0 } else { (seen as f64 * 1e3 / all as f64).floor() / 10.0 };
        let rest = if glimpsed == Nanos::ZERO {
            String::new()
        } else {
            format!("; of the others at least {glimpsed} were seen to pass")
        };
        let word = if sessions == 1 { "session" } else { "sessions" };
        let said = format!("seen {seen} of {all} waits ({share:.1} %) of {sessions} {word}{rest}");
        sink.note(Note::Said(said.into()));
    }

    #[cfg(test)]
    pub(super) fn account(&self) -> Account {
        self.account
    }
}

impl Session {
    /// A session looked at for the first time: what is over was over before.
    fn begin(at: Timestamp, seen: &[Seen<'static>]) -> Session {
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
    fn advance(&mut self, seen: &Seen<'_>, alone: bool, ended: &mut Vec<Length>) -> u64 {
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
    fn fill(
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
    /// told. They themselves are not: some may have been.
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

/// The histories of sessions, latest wait first.
fn histories(mut pasts: Vec<Past>) -> BTreeMap<(u32, u64), Vec<Length>> {
    pasts.sort_by_key(|past| (past.instance, past.sid, past.rank));
    let mut histories: BTreeMap<_, Vec<Length>> = BTreeMap::new();
    for Past { instance, sid, rank, length: time, event } in pasts {
        let history = histories.entry((instance, sid)).or_default();
        // A place left out would shift those after it.
        if usize::from(rank) == history.len() + 1 {
            history.push(Length { event, time });
        }
    }
    histories
}

#[cfg(test)]
#[path = "waits_tests.rs"]
mod tests;
