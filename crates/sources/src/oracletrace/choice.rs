//! Which waits are wanted, and which series each belongs to.

use isotherm_frame::Series;
use isotherm_oracle::trace::{Names, Wait};

use super::attribute::Attribute;
use super::session::Session;
use crate::Context;
use crate::wildcard::matches;

/// The series of waits.
pub(super) struct Choice {
    by: Vec<Attribute>,
    /// Attributes with the patterns any of which they must match.
    only: Vec<(Attribute, Vec<Vec<u8>>)>,
    /// Whether nothing but the event matters.
    plain: bool,
    /// By the value of each attribute that matters.
    keys: Names,
    /// For each key: its series, unless its waits are not wanted.
    series: Vec<Option<Series>>,
    /// For each attribute in `by` and then in `only`: whether any wait had it.
    met: Vec<bool>,
    key: Vec<u8>,
    /// Where in `key` each value ends; none if the wait does not have the attribute.
    ends: Vec<Option<usize>>,
    others: Series,
    /// The most series told apart.
    most: usize,
    overflowed: bool,
}

impl Choice {
    pub(super) fn new(context: &Context) -> Choice {
        let named = |name: &String| Attribute::named(name.trim());
        let mut by: Vec<_> = context.by.iter().map(named).collect();
        if by.is_empty() {
            by.push(Attribute::named("event"));
        }
        let mut only: Vec<(Attribute, Vec<Vec<u8>>)> = Vec::new();
        for (name, pattern) in &context.only {
            let attribute = named(name);
            let pattern = pattern.as_bytes().to_vec();
            match only.iter_mut().find(|(known, _)| *known == attribute) {
                Some((_, patterns)) => patterns.push(pattern),
                None => only.push((attribute, vec![pattern])),
            }
        }
        let events = only.iter().all(|(attribute, _)| attribute.is_event());
        let plain = events && matches!(by.as_slice(), [only] if only.is_event());
        Choice {
            met: vec![plain; by.len() + only.len()],
            plain,
            by,
            only,
            keys: Names::new(context.most_series()),
            series: Vec::new(),
            key: Vec::new(),
            ends: Vec::new(),
            others: Series::named("(others)"),
            most: context.most_series(),
            overflowed: false,
        }
    }

    /// The series a wait belongs to; none if it is not wanted.
    #[inline]
    pub(super) fn series(&mut self, wait: &Wait<'_>, session: &Session) -> Option<&Series> {
        if self.plain {
            let number = self.keys.number(wait.event);
            if number.is_some_and(|number| number < self.series.len()) {
                return number.and_then(|number| self.series.get(number)?.as_ref());
            }
        }
        self.sought(wait, session)
    }

    fn sought(&mut self, wait: &Wait<'_>, session: &Session) -> Option<&Series> {
        if !self.wanted(wait, session) {
            if self.plain && self.keys.number(wait.event).is_some() {
                self.series.push(None);
            }
            return None;
        }
        self.describe(wait, session);
        let key = if self.plain { wait.event } else { &self.key };
        let Some(number) = self.keys.number(key) else {
            self.overflowed = true;
            return Some(&self.others);
        };
        if number >= self.series.len() {
            let series = self.made();
            self.series.push(Some(series));
        }
        self.series.get(number)?.as_ref()
    }

    fn wanted(&mut self, wait: &Wait<'_>, session: &Session) -> bool {
        let met = self.met.iter_mut().skip(self.by.len());
        let mut wanted = true;
        for ((attribute, patterns), met) in self.only.iter().zip(met) {
            self.key.clear();
            let has = attribute.append(wait, session, &mut self.key);
            *met |= has;
            wanted &= has && patterns.iter().any(|pattern| matches(pattern, &self.key));
        }
        wanted
    }

    /// Makes the key of a wait: its values one after another, each with its length behind it.
    fn describe(&mut self, wait: &Wait<'_>, session: &Session) {
        self.key.clear();
        self.ends.clear();
        let mut start = 0;
        for (attribute, met) in self.by.iter().zip(&mut self.met) {
            let has = attribute.append(wait, session, &mut self.key);
            *met |= has;
            let end = has.then_some(self.key.len());
            self.ends.push(end);
            let length = end.map_or(usize::MAX, |end| end - start);
            self.key.extend_from_slice(&length.to_le_bytes());
            start = self.key.len();
        }
    }

    /// The series of the key at hand.
    fn made(&self) -> Series {
        let (mut name, mut attributes, mut start) = (None, Vec::new(), 0);
        for (attribute, end) in self.by.iter().zip(&self.ends) {
            let value = end.and_then(|end| self.key.get(start..end));
            let value = value.map(|value| String::from_utf8_lossy(value).into_owned());
            start = end.unwrap_or(start) + size_of::<usize>();
            match value {
                Some(value) if attribute.is_event() => name = Some(value),
                Some(value) => attributes.push((attribute.name.clone(), value)),
                None => {}
            }
        }
        Series::with_attributes(name.unwrap_or_else(|| "waits".to_owned()), attributes)
    }

    /// Attributes that the user named and no wait had.
    pub(super) fn never_met(&self) -> impl Iterator<Item = &str> {
        let attributes = self.by.iter().chain(self.only.iter().map(|(attribute, _)| attribute));
        let never = attributes.zip(&self.met).filter(|(_, met)| !**met);
        never.map(|(attribute, _)| attribute.name.as_str())
    }

    /// How many series were told apart, if some waits had to go to a series for the rest.
    pub(super) fn overflowed(&self) -> Option<usize> {
        self.overflowed.then_some(self.most)
    }
}
