//! Who waited: the series, or the value of an attribute, that owns the most of all time waited.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Series, TimeWaited};

use crate::Facet;

/// The series of one name, or with one value of an attribute, that own much of all time waited.
#[derive(Clone, Debug, PartialEq)]
pub struct Owner {
    /// What the value is a value of.
    pub facet: Facet,
    /// The value: the name of the series, or what the attribute says.
    pub value: String,
    /// The time waited.
    pub waited: TimeWaited,
    /// Its share of all time waited in the window, 0 to 1.
    pub time_share: f64,
    /// Its share of all events, 0 to 1; 0 where there is only time without events.
    pub event_share: f64,
    /// How many values there are.
    pub of: usize,
}

/// What one series, or several of one value, counted.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
struct Sums {
    seconds: f64,
    events: f64,
    estimated: bool,
}

/// The least share of all time waited...
const LEAST_SHARE: f64 = 0.5;
/// ...or so many times the share that each of the values would have if all were alike.
const TIMES: f64 = 3.0;

/// The value of a facet whose share of all time waited is furthest beyond an even one; `None` where
/// there is one series only, or the time is divided too evenly to name anybody.
pub fn owner(frames: &[Frame]) -> Option<Owner> {
    let mut series: BTreeMap<&Series, Sums> = BTreeMap::new();
    for frame in frames.iter().filter(|frame| !frame.is_gap()) {
        let (sums, waited) = (series.entry(&frame.series).or_default(), frame.counts.time_waited());
        sums.seconds += waited.seconds;
        sums.events += frame.counts.events() as f64;
        sums.estimated |= !waited.exact && waited.seconds > 0.0;
    }
    let beyond = |owner: &Owner| owner.time_share - 1.0 / owner.of as f64;
    let candidates = facets(&series).into_iter().filter_map(|facet| first_of(facet, &series));
    // Of equals the first: the name before attributes.
    candidates.reduce(|best, next| if beyond(&next) > beyond(&best) + 1e-9 { next } else { best })
}

/// The name, and every attribute that any of the series has.
fn facets(series: &BTreeMap<&Series, Sums>) -> Vec<Facet> {
    let mut keys: Vec<&str> =
        series.keys().flat_map(|series| series.attributes().map(|(key, _)| key)).collect();
    keys.sort_unstable();
    keys.dedup();
    let attributes = keys.into_iter().map(|key| Facet::Attribute(key.to_owned()));
    std::iter::once(Facet::Name).chain(attributes).collect()
}

/// The value with the most time waited, if it owns enough to be named.
fn first_of(facet: Facet, series: &BTreeMap<&Series, Sums>) -> Option<Owner> {
    let mut values: BTreeMap<Option<&str>, Sums> = BTreeMap::new();
    for (series, sums) in series {
        let value = match &facet {
            Facet::Name => Some(series.name()),
            Facet::Attribute(key) => {
                series.attributes().find(|(own, _)| own == key).map(|(_, value)| value)
            }
        };
        values.entry(value).or_default().add(*sums);
    }
    let mut all = Sums::default();
    for sums in values.values() {
        all.add(*sums);
    }
    let most = |one: &(Option<&str>, Sums), two: &(Option<&str>, Sums)| {
        one.1.seconds.total_cmp(&two.1.seconds)
    };
    let of = values.len();
    let is_single = |(value, _): &(Option<&str>, Sums)| *value != Some(Series::OTHER);
    let (value, sums) = values.into_iter().filter(is_single).max_by(most)?;
    let time_share = sums.seconds / all.seconds;
    let enough = time_share >= LEAST_SHARE.min(TIMES / of as f64);
    (of > 1 && all.seconds > 0.0 && enough).then_some(())?;
    Some(Owner {
        value: value?.to_owned(),
        facet,
        waited: TimeWaited { seconds: sums.seconds, exact: !sums.estimated },
        time_share,
        event_share: if all.events > 0.0 { sums.events / all.events } else { 0.0 },
        of,
    })
}

impl Sums {
    fn add(&mut self, other: Sums) {
        self.seconds += other.seconds;
        self.events += other.events;
        self.estimated |= other.estimated;
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme, Timestamp};

    use super::*;

    fn frame(name: &str, attributes: &[(&str, &str)], events: u64, us: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_micros(us)));
        Frame {
            series: Series::with_attributes(name, attributes.iter().copied()),
            start: Timestamp::new(0),
            end: Timestamp::new(1_000_000_000),
            counts,
            quality: Quality::Complete,
        }
    }

    #[test]
    fn a_culprit_of_fifty_sessions_is_named_with_its_share() {
        // 49 sessions wait 100 x 1 ms each, s11 100 x 49 ms: 4.9 s of 9.8 s.
        let session = |number: u64| {
            let id = format!("s{number}");
            let us = if number == 11 { 49_000 } else { 1_000 };
            frame("read", &[("session", &id), ("file", &(number % 5).to_string())], 100, us)
        };
        let found = owner(&(0..50).map(session).collect::<Vec<_>>()).unwrap();
        assert_eq!(
            (found.facet, found.value.as_str(), found.of),
            (Facet::Attribute("session".to_owned()), "s11", 50)
        );
        assert!((found.time_share - 0.5).abs() < 1e-9 && (found.event_share - 0.02).abs() < 1e-9);
        assert!((found.waited.seconds - 4.9).abs() < 1e-9 && found.waited.exact);
    }

    #[test]
    fn of_what_says_the_same_the_name_is_said() {
        let frames =
            [frame("read", &[("op", "r")], 90, 100), frame("sync", &[("op", "w")], 10, 100)];
        let found = owner(&frames).unwrap();
        assert_eq!((found.facet, found.value.as_str(), found.of), (Facet::Name, "read", 2));
        assert!((found.time_share - 0.9).abs() < 1e-9, "{}", found.time_share);
    }

    #[test]
    fn one_series_and_even_shares_name_nobody() {
        assert_eq!(owner(&[frame("read", &[("op", "r")], 90, 100)]), None);
        let even: Vec<Frame> =
            (0..10).map(|number| frame(&format!("e{number}"), &[], 100, 100)).collect();
        assert_eq!(owner(&even), None);
        assert_eq!(owner(&[]), None);
        assert_eq!(owner(&[frame("a", &[], 0, 1), frame("b", &[], 0, 1)]), None);
    }
}
