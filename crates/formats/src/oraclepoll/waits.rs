//! Waits of sessions, found by looking at them often.
//!
//! A session's waits are numbered. One look shows its present or its last wait. What is known
//! exactly is a wait seen after its end, and one found in the session's history, which holds the
//! last ten without their numbers. Of a wait seen only while it went on, a lower bound is known:
//! it is not counted. Waits between two looks are known by their numbers only. Both are reported
//! as unseen, so that `seen + unseen` is how far the numbers advanced.

use std::collections::BTreeMap;

use isotherm_frame::{Nanos, Reading, Series, Timestamp};

use crate::{Note, Sink};

use super::poll::{Past, Poll};
use super::record::Seen;
use super::session::{FAR, Length, Session};

/// What is known of the sessions looked at.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: BTreeMap<(u32, u64, u64), Session>,
    series: BTreeMap<(u32, Option<u64>, String), Series>,
    /// Whether series are told apart by session, too.
    by_session: bool,
    account: Account,
    /// Unseen waits not yet reported, and when that was last done.
    unreported: u64,
    reported: Option<Timestamp>,
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

/// How often unseen waits are reported of.
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
        self.unreported += waits;
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
        let due = end || at.since(*self.reported.get_or_insert(at)) >= TELL;
        if due {
            self.reported = Some(at);
            match std::mem::take(&mut self.unreported) {
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
            format!("; at least {glimpsed} of the others was seen")
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
