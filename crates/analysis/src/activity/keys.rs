//! Numbers for what sessions do: the same thing is seen in many samples.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use isotherm_frame::{ActiveSession, NameKind};

use super::dimension::{ActivityFilter, Dimension};

/// Everything that was seen, numbered.
#[derive(Debug, Default)]
pub(super) struct Keys {
    sessions: Vec<Arc<ActiveSession>>,
    numbers: HashMap<Arc<ActiveSession>, u32>,
}

/// Which keys a filter takes.
pub(super) struct Taken(Vec<bool>);

impl Taken {
    pub(super) fn takes(&self, number: u32) -> bool {
        self.0.get(number as usize).copied().unwrap_or(false)
    }
}

impl Keys {
    pub(super) fn number(&mut self, session: ActiveSession) -> u32 {
        if let Some(number) = self.numbers.get(&session) {
            return *number;
        }
        let number = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        let session = Arc::new(session);
        self.sessions.push(Arc::clone(&session));
        self.numbers.insert(session, number);
        number
    }

    pub(super) fn session(&self, number: u32) -> Option<&ActiveSession> {
        self.sessions.get(number as usize).map(|session| &**session)
    }

    /// What this session did last, of what is new.
    pub(super) fn find(&self, session: &str) -> Option<&ActiveSession> {
        self.sessions.iter().rev().find(|known| &*known.session == session).map(|known| &**known)
    }

    pub(super) fn len(&self) -> usize {
        self.sessions.len()
    }

    pub(super) fn taken(&self, filter: &ActivityFilter) -> Taken {
        Taken(self.sessions.iter().map(|session| filter.takes(session)).collect())
    }

    /// The value of every key in one dimension, numbered: the numbers by key, and the values.
    pub(super) fn values(&self, by: Dimension) -> (Vec<usize>, Vec<Arc<str>>) {
        let mut known: HashMap<&Arc<str>, usize> = HashMap::new();
        let mut values: Vec<Arc<str>> = Vec::new();
        let mut numbers = Vec::with_capacity(self.sessions.len());
        for session in &self.sessions {
            let value = by.of(session);
            let next = values.len();
            let number = *known.entry(value).or_insert(next);
            if number == next {
                values.push(Arc::clone(value));
            }
            numbers.push(number);
        }
        (numbers, values)
    }

    /// The identifiers of statements and blockers that any key has.
    pub(super) fn named(&self) -> HashSet<(NameKind, &str)> {
        let mut named = HashSet::new();
        for session in &self.sessions {
            named.insert((NameKind::Sql, &*session.sql));
            named.extend(session.blocker.split(", ").map(|id| (NameKind::Blocker, id)));
        }
        named
    }
}
