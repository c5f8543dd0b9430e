//! The samples that are kept, and what is known of them together.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use isotherm_frame::{ActiveSession, NameKind, Nanos, SessionSample, Timestamp};

use super::dimension::ActivityFilter;
use super::estimate::{Estimate, Sum};
use super::keys::Keys;

/// The samples of the last minutes.
#[derive(Debug)]
pub struct Activity {
    keep: Nanos,
    pub(super) samples: VecDeque<Looked>,
    /// Sessions in all samples together.
    seen: usize,
    pub(super) keys: Keys,
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
    /// What each session did, by its number in the keys.
    pub(super) sessions: Vec<u32>,
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
    /// The average number of active sessions.
    pub active: Estimate,
    /// The most that were active in one sample.
    pub most: usize,
    /// The most sessions in one sample of which it could not be seen whether they are active.
    pub hidden: u32,
    /// The mean time that the server took to answer, in nanoseconds.
    pub took_ns: u64,
}

/// More sessions than this in all samples together are not kept.
const MOST_SEEN: usize = 4 << 20;
/// Identifiers and names that are kept before those of old samples are let go.
pub(super) const MOST_NAMES: usize = 20_000;

impl Activity {
    /// Nothing yet; samples older than `keep` are let go.
    pub fn new(keep: Nanos) -> Activity {
        Activity {
            keep,
            samples: VecDeque::new(),
            seen: 0,
            keys: Keys::default(),
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
        let sessions: Vec<u32> =
            sample.sessions.into_iter().map(|session| self.keys.number(session)).collect();
        self.seen += sessions.len();
        let (hidden, took_ns) = (sample.hidden, sample.took_ns);
        self.samples.push_back(Looked { at, hidden, took_ns, sessions });
        self.forget(at.minus(self.keep));
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
        let takes = self.keys.taken(filter);
        let mut totals = ActivityTotals::default();
        let (mut sum, mut took) = (Sum::default(), 0_u128);
        for sample in self.between(within) {
            let active = sample.sessions.iter().filter(|number| takes.takes(**number)).count();
            sum.add(active);
            totals.first.get_or_insert(sample.at);
            totals.last = Some(sample.at);
            totals.most = totals.most.max(active);
            totals.hidden = totals.hidden.max(sample.hidden);
            took += u128::from(sample.took_ns);
        }
        totals.samples = sum.samples();
        totals.active = sum.estimate();
        totals.took_ns = u64::try_from(took / (totals.samples.max(1) as u128)).unwrap_or(u64::MAX);
        totals
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
        for number in self.samples.iter_mut().flat_map(|sample| &mut sample.sessions) {
            if let Some(session) = old.session(*number) {
                *number = self.keys.number(ActiveSession::clone(session));
            }
        }
    }
}
