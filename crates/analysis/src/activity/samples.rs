//! The samples that are kept, and what is known of them together.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use isotherm_frame::{ActiveSession, NameKind, Nanos, SessionSample, Timestamp};

use super::dimension::ActivityFilter;
use super::estimate::{Estimate, Sum, Weights};
use super::keys::Keys;
use super::waits::{LastSample, Seen, WaitAge, Waits};

/// The samples of the last minutes.
#[derive(Debug)]
pub struct Activity {
    keep: Nanos,
    /// The time between two samples that are due.
    pub(super) period: Nanos,
    pub(super) samples: VecDeque<Looked>,
    /// Sessions in all samples together.
    seen: usize,
    pub(super) keys: Keys,
    pub(super) waits: Waits,
    names: HashMap<(NameKind, Arc<str>), Arc<str>>,
    /// When nothing was known: from the loss of the connection until it was back.
    pub(super) gaps: VecDeque<(Timestamp, Option<Timestamp>)>,
}

/// One sample.
#[derive(Debug)]
pub(super) struct Looked {
    pub(super) at: Timestamp,
    hidden: u32,
    took_ns: u64,
    /// The time before and after it that it stands for: up to half of the way to its neighbours.
    pub(super) before: Nanos,
    pub(super) after: Nanos,
    /// What each session did.
    pub(super) sessions: Vec<Seen>,
}

impl Looked {
    pub(super) fn stands_for_ns(&self) -> u64 {
        self.before.as_nanos().saturating_add(self.after.as_nanos()).max(1)
    }
}

/// What is known of a stretch of time besides its sessions.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct ActivityTotals {
    /// The samples taken.
    pub samples: usize,
    /// The first and the last of them.
    pub first: Option<Timestamp>,
    /// The last of them.
    pub last: Option<Timestamp>,
    /// The time that the samples stand for. Half of the way to the next belongs to each; nothing stands for
    /// the middle of a long silence.
    pub sampled: Nanos,
    /// The average number of active sessions in the time that was sampled.
    pub active: Estimate,
    /// The most that were active in one sample.
    pub most: usize,
    /// Those that were active in the last sample.
    pub now: usize,
    /// How long the one of them has waited, or worked, that has done so longest.
    pub longest: Option<WaitAge>,
    /// The most sessions in one sample of which it could not be seen whether they are active.
    pub hidden: u32,
    /// The mean time that the server took to answer, in nanoseconds.
    pub took_ns: u64,
}

/// Totals that are being added up.
#[derive(Default)]
pub(super) struct TotalSum {
    totals: ActivityTotals,
    weights: Weights,
    sum: Sum,
    took_ns: u128,
}

impl TotalSum {
    /// Adds a sample with this number of active sessions and the longest of their waits.
    pub(super) fn add(&mut self, sample: &Looked, (active, longest): (usize, Option<WaitAge>)) {
        let totals = &mut self.totals;
        totals.first.get_or_insert(sample.at);
        totals.last = Some(sample.at);
        totals.most = totals.most.max(active);
        (totals.now, totals.longest) = (active, longest);
        totals.hidden = totals.hidden.max(sample.hidden);
        self.took_ns += u128::from(sample.took_ns);
        self.sum.add(self.weights.samples, active, sample.stands_for_ns());
        self.weights.add(sample.stands_for_ns());
    }

    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(super) fn finish(&self) -> ActivityTotals {
        let samples = self.weights.samples;
        let nanos = |ns: u128| u64::try_from(ns).unwrap_or(u64::MAX);
        ActivityTotals {
            samples,
            sampled: Nanos::new(nanos(self.weights.total_ns)),
            active: self.sum.estimate(&self.weights),
            took_ns: nanos(self.took_ns / (samples.max(1) as u128)),
            ..self.totals
        }
    }
}

/// Of a longer silence, or one of this many samples, nothing is known.
const LONG: Nanos = Nanos::SECOND;
const LONG_SAMPLES: u64 = 5;
/// More sessions than this in all samples together are not kept.
const MOST_SEEN: usize = 4 << 20;
/// Identifiers and names that are kept before those of old samples are let go.
pub(super) const MOST_NAMES: usize = 20_000;

/// The time between two samples, of which so many are taken each second.
pub fn sample_period(hz: u32) -> Nanos {
    Nanos::new(Nanos::SECOND.as_nanos() / u64::from(hz.max(1)))
}

impl Activity {
    /// Nothing yet; a sample is due every `period`, and those older than `keep` are let go.
    pub fn new(keep: Nanos, period: Nanos) -> Activity {
        Activity {
            keep,
            period,
            samples: VecDeque::new(),
            seen: 0,
            keys: Keys::default(),
            waits: Waits::default(),
            names: HashMap::new(),
            gaps: VecDeque::new(),
        }
    }

    /// Adds a sample. One older than the last is of a clock that stepped back: it counts at the last's time.
    pub fn push(&mut self, sample: SessionSample) {
        let at = self.latest().map_or(sample.at, |latest| latest.max(sample.at));
        for name in sample.names {
            self.names.insert((name.kind, name.id), name.text);
        }
        let keys: Vec<u32> =
            sample.sessions.into_iter().map(|session| self.keys.number(session)).collect();
        let (before, is_close) = (self.half_way_to(at), self.is_close(at));
        let last = self.samples.back();
        let last = last.map(|last| LastSample { at: last.at, sessions: &last.sessions, is_close });
        let sessions = self.waits.add((at, &keys), &sample.waits, last.as_ref(), &self.keys);
        self.seen += sessions.len();
        let (hidden, took_ns) = (sample.hidden, sample.took_ns);
        self.samples.back_mut().into_iter().for_each(|last| last.after = before);
        let after = self.half_a_period();
        self.samples.push_back(Looked { at, hidden, took_ns, before, after, sessions });
        self.forget(at.minus(self.keep));
    }

    fn half_a_period(&self) -> Nanos {
        Nanos::new(self.period.as_nanos() / 2)
    }

    /// The time that the last sample and one at this moment stand for each, of the time between them.
    fn half_way_to(&self, at: Timestamp) -> Nanos {
        let last = self.latest().filter(|_| self.is_close(at));
        last.map_or(self.half_a_period(), |last| Nanos::new(at.since(last).as_nanos() / 2))
    }

    /// Whether nothing is known to be missing between the last sample and one at this moment.
    fn is_close(&self, at: Timestamp) -> bool {
        let long = LONG.max(Nanos::new(self.period.as_nanos().saturating_mul(LONG_SAMPLES)));
        let gap_since = |last: Timestamp| self.gaps.back().is_some_and(|(start, _)| *start >= last);
        self.latest().is_some_and(|last| at.since(last) <= long && !gap_since(last))
    }

    /// Nothing is known from here on.
    pub fn lost(&mut self, at: Timestamp) {
        if self.gaps.back().is_none_or(|(_, end)| end.is_some()) {
            self.gaps.push_back((at, None));
        }
    }

    /// From here on something is known again.
    pub fn back(&mut self, at: Timestamp) {
        if let Some((_, end)) = self.gaps.back_mut() {
            end.get_or_insert(at);
        }
    }

    /// When the last sample was taken.
    pub fn latest(&self) -> Option<Timestamp> {
        self.samples.back().map(|sample| sample.at)
    }

    /// Sessions of which the last sample could not see whether they are active.
    pub fn hidden(&self) -> u32 {
        self.samples.back().map_or(0, |sample| sample.hidden)
    }

    /// The text of a statement; what a blocker does.
    pub fn name(&self, kind: NameKind, id: &str) -> Option<&str> {
        self.names.get(&(kind, Arc::from(id))).map(|text| &**text)
    }

    /// Who a session is that was seen: its user and program.
    pub fn who(&self, session: &str) -> Option<String> {
        let known = self.keys.find(session)?;
        let parts = [&known.user, &known.program].into_iter().filter(|part| !part.is_empty());
        let parts: Vec<&str> = parts.map(|part| &**part).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Since when nothing is known, if nothing is.
    pub fn lost_since(&self) -> Option<Timestamp> {
        self.gaps.back().and_then(|(start, end)| end.is_none().then_some(*start))
    }

    /// How much of a stretch of time nothing is known of, and in how many pieces.
    pub fn unknown(&self, (start, end): (Timestamp, Timestamp)) -> (usize, Nanos) {
        let (mut pieces, mut length) = (0, 0_u64);
        for (lost, back) in &self.gaps {
            let (from, to) = ((*lost).max(start), back.unwrap_or(end).min(end));
            if from < to {
                pieces += 1;
                length = length.saturating_add(to.since(from).as_nanos());
            }
        }
        (pieces, Nanos::new(length))
    }

    /// Sums of the samples between two moments, both included, of the sessions that `filter` takes.
    pub fn totals(
        &self,
        within: (Timestamp, Timestamp),
        filter: &ActivityFilter,
    ) -> ActivityTotals {
        let taken = self.keys.taken(filter);
        let mut total = TotalSum::default();
        for sample in self.between(within) {
            let taken = sample.sessions.iter().filter(|seen| taken.takes(seen.key));
            let longest =
                WaitAge::longest(taken.clone().map(|seen| self.waits.age(*seen, sample.at)));
            total.add(sample, (taken.count(), longest));
        }
        total.finish()
    }

    /// The samples that were due between two moments, from the first that is kept on.
    pub fn due(&self, (start, end): (Timestamp, Timestamp)) -> usize {
        let Some(earliest) = self.earliest() else { return 0 };
        let slots = end.since(earliest.max(start)).as_nanos() / self.period.as_nanos().max(1);
        let slots = usize::try_from(slots).unwrap_or(usize::MAX);
        if earliest < start { slots } else { slots.saturating_add(1) }
    }

    pub(super) fn between(
        &self,
        (start, end): (Timestamp, Timestamp),
    ) -> impl Iterator<Item = &Looked> {
        let first = self.samples.partition_point(|sample| sample.at < start);
        self.samples.range(first..).take_while(move |sample| sample.at <= end)
    }

    /// When the first sample that is kept was taken.
    pub fn earliest(&self) -> Option<Timestamp> {
        self.samples.front().map(|sample| sample.at)
    }

    fn forget(&mut self, before: Timestamp) {
        while let Some(oldest) = self.samples.front()
            && self.samples.len() > 1
            && (oldest.at < before || self.seen > MOST_SEEN)
        {
            self.seen -= oldest.sessions.len();
            self.samples.pop_front();
        }
        let oldest = self.samples.front().map_or(before, |sample| sample.at);
        self.waits.forget(oldest);
        while self.gaps.front().is_some_and(|(_, end)| end.is_some_and(|end| end < oldest)) {
            self.gaps.pop_front();
        }
        if self.keys.len() > MOST_NAMES && self.keys.len() > self.seen {
            self.compact();
        }
        if self.names.len() > 2 * MOST_NAMES {
            let named = self.keys.named();
            self.names.retain(|(kind, id), _| named.contains(&(*kind, &**id)));
        }
    }

    /// Lets go of the keys that no sample has any more.
    fn compact(&mut self) {
        let old = std::mem::take(&mut self.keys);
        for seen in self.samples.iter_mut().flat_map(|sample| &mut sample.sessions) {
            if let Some(session) = old.session(seen.key) {
                seen.key = self.keys.number(ActiveSession::clone(session));
            }
        }
    }
}
