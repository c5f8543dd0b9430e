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
    values: [Values; Dimension::ALL.len()],
    /// The key that each session was last seen with, in the order in which sessions were first seen.
    last: Vec<u32>,
}

/// The values of one dimension, numbered.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    of_keys: Vec<u32>,
}

impl Values {
    /// The number of the value of a key.
    pub(super) fn of(&self, key: u32) -> Option<usize> {
        self.of_keys.get(key as usize).map(|number| *number as usize)
    }

    /// Numbers the value of the next key.
    fn add(&mut self, value: &Arc<str>) {
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(Arc::clone(value)).or_insert(next);
        if number == next {
            self.texts.push(Arc::clone(value));
        }
        self.of_keys.push(number);
    }
}

/// Which keys a filter takes.
pub(super) struct FilterMask(Vec<bool>);

impl FilterMask {
    pub(super) fn takes(&self, number: u32) -> bool {
        self.0.get(number as usize).copied().unwrap_or(false)
    }
}

impl Keys {
    /// The number of what a session does now.
    pub(super) fn number(&mut self, session: ActiveSession) -> u32 {
        let number = match self.numbers.get(&session) {
            Some(number) => *number,
            None => self.add(session),
        };
        match self.values(Dimension::Session).of(number) {
            Some(who) if who < self.last.len() => self.last[who] = number,
            _ => self.last.push(number),
        }
        number
    }

    fn add(&mut self, session: ActiveSession) -> u32 {
        let number = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        for (by, values) in Dimension::ALL.into_iter().zip(&mut self.values) {
            values.add(by.of(&session));
        }
        let session = Arc::new(session);
        self.sessions.push(Arc::clone(&session));
        self.numbers.insert(session, number);
        number
    }

    pub(super) fn session(&self, number: u32) -> Option<&ActiveSession> {
        self.sessions.get(number as usize).map(|session| &**session)
    }

    /// What this session did last.
    pub(super) fn find(&self, session: &str) -> Option<&ActiveSession> {
        let who = self.values(Dimension::Session).numbers.get(session)?;
        self.session(*self.last.get(*who as usize)?)
    }

    pub(super) fn len(&self) -> usize {
        self.sessions.len()
    }

    pub(super) fn taken(&self, filter: &ActivityFilter) -> FilterMask {
        let mut taken = vec![true; self.sessions.len()];
        for (by, value) in &filter.0 {
            let values = self.values(*by);
            let wanted = values.numbers.get(value);
            for (taken, number) in taken.iter_mut().zip(&values.of_keys) {
                *taken &= wanted == Some(number);
            }
        }
        FilterMask(taken)
    }

    /// The values of every key in one dimension.
    pub(super) fn values(&self, by: Dimension) -> &Values {
        &self.values[by as usize]
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
