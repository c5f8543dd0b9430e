//! Which waits are wanted, and which series each belongs to.

use std::collections::BTreeSet;

use isotherm_frame::{IdleWaits, MissingAttribute, Nanos, Series};
use isotherm_oracle::idle::is_idle;
use isotherm_oracle::trace::{Attribute, COMMON_ATTRIBUTES, Names, Session, Wait};

use crate::Context;
use crate::wildcard::Patterns;

/// The series of waits.
pub(super) struct Choice {
    by: Vec<Attribute>,
    /// Attributes with what they must and must not match.
    only: Vec<(Attribute, Patterns)>,
    /// Whether nothing but the event matters.
    plain: bool,
    /// By the value of each attribute that matters.
    keys: Names,
    /// For each key: what becomes of its waits.
    fates: Vec<Fate>,
    series: Vec<Series>,
    /// Idle events where they take no part; none if all waits do.
    idle: Option<Idle>,
    /// For each attribute in `by` and then in `only`: whether any wait had it.
    met: Vec<bool>,
    key: Vec<u8>,
    /// Where in `key` each value ends; none if the wait does not have the attribute.
    ends: Vec<Option<usize>>,
    others: Series,
    /// The most series told apart.
    most: usize,
    overflowed: bool,
    /// Names of parameters of waits that have not all attributes asked for.
    parameters: BTreeSet<String>,
}

/// What becomes of a wait.
#[derive(Copy, Clone, Debug)]
pub(super) enum Fate {
    /// It is one of the series with this number.
    Of(usize),
    /// It is not asked for.
    Unwanted,
    /// It is not asked for, and idle: nothing is said of its time either.
    UnwantedIdle,
    /// It is idle: the place of its event among those left out.
    Idle(usize),
}

/// Events by number, and of the idle ones how many waits there were and how long.
struct Idle {
    names: Names,
    /// For each event: its place among those left out.
    places: Vec<Option<usize>>,
    left_out: Vec<IdleWaits>,
    /// Idle events that are asked for by their names.
    asked: Vec<Vec<u8>>,
}

impl Idle {
    fn new(only: &[(Attribute, Patterns)]) -> Idle {
        let events = only.iter().filter(|(attribute, _)| attribute.is_event());
        let asked = events.flat_map(|(_, patterns)| patterns.any.iter().cloned()).collect();
        let names = Names::new(Context::MOST_SERIES);
        Idle { names, places: Vec::new(), left_out: Vec::new(), asked }
    }

    /// The place of an event among those left out.
    fn place(&mut self, event: &[u8]) -> Option<usize> {
        let number = self.names.number(event)?;
        if number >= self.places.len() {
            let idle = is_idle(event) && !self.asked.iter().any(|asked| asked == event);
            let place = idle.then(|| {
                let event = String::from_utf8_lossy(event).into_owned();
                let (waits, time) = (0, Some(Nanos::ZERO));
                self.left_out.push(IdleWaits { event, waits, time, exact: true });
                self.left_out.len() - 1
            });
            self.places.push(place);
        }
        self.places.get(number).copied().flatten()
    }
}

impl Choice {
    /// The number of the series of all waits beyond the most that are told apart.
    const OTHERS: usize = usize::MAX;

    pub(super) fn new(context: &Context) -> Choice {
        let named = |name: &String| Attribute::named(name.trim());
        let mut by: Vec<_> = context.by.iter().map(named).collect();
        if by.is_empty() {
            by.push(Attribute::named("event"));
        }
        let mut only: Vec<(Attribute, Patterns)> = Vec::new();
        for condition in &context.only {
            let attribute = named(&condition.attribute);
            let known = only.iter().position(|(known, _)| *known == attribute);
            let at = known.unwrap_or_else(|| {
                only.push((attribute, Patterns::default()));
                only.len() - 1
            });
            let patterns = &mut only[at].1;
            let into = if condition.other { &mut patterns.none } else { &mut patterns.any };
            into.push(condition.pattern.as_bytes().to_vec());
        }
        let events = only.iter().all(|(attribute, _)| attribute.is_event());
        let plain = events && matches!(by.as_slice(), [only] if only.is_event());
        Choice {
            met: vec![plain; by.len() + only.len()],
            idle: context.leave_out_idle.then(|| Idle::new(&only)),
            plain,
            by,
            only,
            keys: Names::new(context.most_series()),
            fates: Vec::new(),
            key: Vec::new(),
            ends: Vec::new(),
            series: Vec::new(),
            others: Series::named("(others)"),
            most: context.most_series(),
            overflowed: false,
            parameters: BTreeSet::new(),
        }
    }

    /// Whether nothing but the event of a wait matters.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The series with this number.
    #[inline]
    pub(super) fn series(&self, number: usize) -> &Series {
        self.series.get(number).unwrap_or(&self.others)
    }

    /// What becomes of a wait.
    #[inline]
    pub(super) fn fate(&mut self, wait: &Wait<'_>, session: &Session) -> Fate {
        if self.plain {
            let number = self.keys.number(wait.event);
            if let Some(&fate) = number.and_then(|number| self.fates.get(number)) {
                return fate;
            }
        }
        self.sought(wait, session)
    }

    fn sought(&mut self, wait: &Wait<'_>, session: &Session) -> Fate {
        let wanted = self.wanted(wait, session);
        let idle = self.idle.as_mut().and_then(|idle| idle.place(wait.event));
        let passed_by = match idle {
            Some(_) if !wanted => Some(Fate::UnwantedIdle),
            None if !wanted => Some(Fate::Unwanted),
            Some(place) => Some(Fate::Idle(place)),
            None => None,
        };
        if let Some(fate) = passed_by {
            return self.keep_apart(wait, fate);
        }
        self.describe(wait, session);
        let key = if self.plain { wait.event } else { &self.key };
        let Some(number) = self.keys.number(key) else {
            self.overflowed = true;
            return Fate::Of(Choice::OTHERS);
        };
        if number >= self.fates.len() {
            let series = self.made();
            self.fates.push(Fate::Of(self.series.len()));
            self.series.push(series);
        }
        self.fates.get(number).copied().unwrap_or(Fate::Of(Choice::OTHERS))
    }

    /// A wait that is of no series; where only the event matters this is remembered by the event.
    fn keep_apart(&mut self, wait: &Wait<'_>, fate: Fate) -> Fate {
        if self.plain && self.keys.number(wait.event).is_some() {
            self.fates.push(fate);
        }
        fate
    }

    /// Counts an idle wait that is left out.
    pub(super) fn leave_out(&mut self, place: usize, latency: Nanos) {
        let Some(idle) = &mut self.idle else { return };
        if let Some(known) = idle.left_out.get_mut(place) {
            let event = String::new();
            known.add(&IdleWaits { event, waits: 1, time: Some(latency), exact: true });
        }
    }

    /// The idle waits that were left out, by event.
    pub(super) fn left_out(&mut self) -> Vec<IdleWaits> {
        let left_out = self.idle.as_mut().map(|idle| std::mem::take(&mut idle.left_out));
        left_out.into_iter().flatten().filter(|waits| waits.waits > 0).collect()
    }

    fn wanted(&mut self, wait: &Wait<'_>, session: &Session) -> bool {
        let met = self.met.iter_mut().skip(self.by.len());
        let (mut wanted, mut lacks) = (true, false);
        for ((attribute, patterns), met) in self.only.iter().zip(met) {
            self.key.clear();
            let has = attribute.append(wait, session, &mut self.key);
            *met |= has;
            lacks |= !*met && !attribute.common;
            wanted &= patterns.allow(has.then_some(self.key.as_slice()));
        }
        if lacks {
            self.note_parameters(wait);
        }
        wanted
    }

    /// Notes what the parameters of a wait are called, for who asks for one there is not.
    #[cold]
    fn note_parameters(&mut self, wait: &Wait<'_>) {
        const MOST: usize = 64;
        for (name, _) in wait.parameters() {
            let name = String::from_utf8_lossy(name);
            if self.parameters.len() < MOST && !self.parameters.contains(&*name) {
                self.parameters.insert(name.into_owned());
            }
        }
    }

    /// Makes the key of a wait: its values one after another, each with its length behind it.
    fn describe(&mut self, wait: &Wait<'_>, session: &Session) {
        self.key.clear();
        self.ends.clear();
        let (mut start, mut lacks) = (0, false);
        for (attribute, met) in self.by.iter().zip(&mut self.met) {
            let has = attribute.append(wait, session, &mut self.key);
            *met |= has;
            lacks |= !*met && !attribute.common;
            let end = has.then_some(self.key.len());
            self.ends.push(end);
            let length = end.map_or(usize::MAX, |end| end - start);
            self.key.extend_from_slice(&length.to_le_bytes());
            start = self.key.len();
        }
        if lacks {
            self.note_parameters(wait);
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

    /// Attributes that the user named and no wait had: those that waits of any event may have, and
    /// the others, with what there is.
    pub(super) fn never_met(&self) -> (Vec<&str>, Vec<MissingAttribute>) {
        let attributes = self.by.iter().chain(self.only.iter().map(|(attribute, _)| attribute));
        let never = attributes.zip(&self.met).filter(|(_, met)| !**met);
        let (common, other): (Vec<_>, Vec<_>) =
            never.map(|(attribute, _)| attribute).partition(|attribute| attribute.common);
        let known: Vec<String> =
            COMMON_ATTRIBUTES.iter().map(|name| (*name).to_owned()).chain(self.parameters.clone()).collect();
        let missing = |attribute: &Attribute| MissingAttribute {
            name: attribute.name.clone(),
            known: known.clone(),
        };
        let common = common.into_iter().map(|attribute| attribute.name.as_str()).collect();
        (common, other.into_iter().map(missing).collect())
    }

    /// How many series were told apart, if some waits had to go to a series for the rest.
    pub(super) fn overflowed(&self) -> Option<usize> {
        self.overflowed.then_some(self.most)
    }
}
