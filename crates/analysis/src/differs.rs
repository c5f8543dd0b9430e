//! What tells the events of a selection from the rest: which series and which attributes.

use std::collections::BTreeMap;
use std::fmt;

use isotherm_frame::Series;

/// The events of one series inside a selection and outside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The series.
    pub series: Series,
    /// Its events inside.
    pub inside: u64,
    /// Its events outside.
    pub outside: u64,
}

/// What events are told apart by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Facet {
    /// The name of their series.
    Name,
    /// An attribute of their series.
    Attribute(String),
}

/// How common one value is inside a selection and outside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// What the value is a value of.
    pub facet: Facet,
    /// The value; `None` for all series without that attribute.
    pub value: Option<String>,
    /// Its events inside.
    pub events: u64,
    /// Its share of the events inside, 0 to 1.
    pub inside: f64,
    /// Its share of the events outside, 0 to 1.
    pub outside: f64,
    /// How surprising the difference is, in standard deviations; positive where the value is more
    /// common inside. Zero where there are no events on one of the sides.
    pub z: f64,
}

/// Differences of fewer standard deviations than this are not worth telling.
const TELLING: f64 = 3.0;

impl fmt::Display for Facet {
    /// The key of the attribute; `series` for the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Facet::Name => "series",
            Facet::Attribute(key) => key,
        })
    }
}

impl Contrast {
    /// The share inside less the share outside.
    pub fn shift(&self) -> f64 {
        self.inside - self.outside
    }
}

/// The shares of every value of every facet. The shares of one facet add up to one on each side
/// that has events; a series without an attribute counts as that attribute's `None`.
///
/// The score is the pooled z of two proportions: NIST/SEMATECH e-Handbook of Statistical Methods,
/// section 7.3.3. Events of one burst are no independent draws, so that it tells what to look at
/// first and is no probability.
pub fn shares(parts: &[Part]) -> Vec<Contrast> {
    let mut counts: BTreeMap<(Facet, Option<&str>), (u64, u64)> = BTreeMap::new();
    for (facet, part) in
        facets(parts).iter().flat_map(|facet| parts.iter().map(move |p| (facet, p)))
    {
        let value = match facet {
            Facet::Name => Some(part.series.name()),
            Facet::Attribute(key) => attribute(&part.series, key),
        };
        let (inside, outside) = counts.entry((facet.clone(), value)).or_default();
        *inside = inside.saturating_add(part.inside);
        *outside = outside.saturating_add(part.outside);
    }
    let total = |count: fn(&Part) -> u64| parts.iter().map(count).fold(0, u64::saturating_add);
    let all = (total(|part| part.inside), total(|part| part.outside));
    let contrast = |((facet, value), count): ((Facet, Option<&str>), (u64, u64))| Contrast {
        facet,
        value: value.map(str::to_owned),
        events: count.0,
        inside: share(count.0, all.0),
        outside: share(count.1, all.1),
        z: z_score(count, all),
    };
    counts.into_iter().map(contrast).collect()
}

/// At most `most` values whose share inside differs tellingly from that outside (|z| of at least
/// 3), the largest difference of shares first and of equal ones what is more common inside.
pub fn what_differs(parts: &[Part], most: usize) -> Vec<Contrast> {
    let mut telling = shares(parts);
    telling.retain(|contrast| contrast.z.abs() >= TELLING);
    telling.sort_by(|one, two| {
        // Shares of two values that make up a whole differ by the same, but for rounding.
        let size = |contrast: &Contrast| (contrast.shift().abs() * 1e9).round();
        size(two).total_cmp(&size(one)).then(two.z.total_cmp(&one.z))
    });
    telling.truncate(most);
    telling
}

/// Everything these series may differ by: more than one name, and each key that any of them has.
fn facets(parts: &[Part]) -> Vec<Facet> {
    let mut keys: Vec<&str> =
        parts.iter().flat_map(|part| part.series.attributes().map(|(key, _)| key)).collect();
    keys.sort_unstable();
    keys.dedup();
    let attributes = keys.into_iter().map(|key| Facet::Attribute(key.to_owned()));
    std::iter::once(Facet::Name).chain(attributes).collect()
}

fn attribute<'a>(series: &'a Series, wanted: &str) -> Option<&'a str> {
    series.attributes().find(|(key, _)| *key == wanted).map(|(_, value)| value)
}

fn share(count: u64, all: u64) -> f64 {
    if all > 0 { count as f64 / all as f64 } else { 0.0 }
}

/// The z score of two proportions with the variance of both together.
fn z_score((inside, outside): (u64, u64), (all_in, all_out): (u64, u64)) -> f64 {
    let (n, m) = (all_in as f64, all_out as f64);
    let pooled = (inside as f64 + outside as f64) / (n + m);
    let deviation = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)).sqrt();
    let z = (share(inside, all_in) - share(outside, all_out)) / deviation;
    if all_in > 0 && all_out > 0 && z.is_finite() { z } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(name: &str, attributes: &[(&str, &str)], inside: u64, outside: u64) -> Part {
        let series = Series::with_attributes(name, attributes.iter().copied());
        Part { series, inside, outside }
    }

    fn told(contrast: &Contrast) -> (String, Option<&str>, f64, f64) {
        let Contrast { facet, value, inside, outside, .. } = contrast;
        (facet.to_string(), value.as_deref(), *inside, *outside)
    }

    #[test]
    fn a_planted_program_is_told_first() {
        // RMAN reads 71 of 100 blocks of the burst and 3 of 100 elsewhere; files hardly differ.
        let parts = [
            part("read", &[("program", "RMAN"), ("file", "1")], 355, 15),
            part("read", &[("program", "RMAN"), ("file", "2")], 355, 15),
            part("read", &[("program", "app"), ("file", "1")], 140, 480),
            part("read", &[("program", "app"), ("file", "2")], 150, 490),
        ];
        let differences = what_differs(&parts, 10);
        assert_eq!(told(&differences[0]), ("program".into(), Some("RMAN"), 0.71, 0.03));
        assert_eq!(told(&differences[1]), ("program".into(), Some("app"), 0.29, 0.97));
        // By hand: pooled 0.37, deviation sqrt(0.37 * 0.63 * 2 / 1000) = 0.021591.
        assert!((differences[0].z - 31.494).abs() < 0.01, "{}", differences[0].z);
        assert!((differences[0].z + differences[1].z).abs() < 1e-9);
        assert_eq!(differences[0].events, 710);
        assert_eq!(differences.len(), 2, "neither files nor the only name differ: {differences:?}");
        assert_eq!(what_differs(&parts, 1).len(), 1);
    }

    #[test]
    fn names_differ_too_and_a_missing_attribute_is_a_value() {
        let parts = [part("read", &[("disk", "a")], 90, 10), part("sync", &[], 10, 90)];
        let differences = what_differs(&parts, 10);
        let told: Vec<_> = differences.iter().map(told).collect();
        assert!(told.contains(&("series".into(), Some("read"), 0.9, 0.1)));
        assert!(told.contains(&("disk".into(), None, 0.1, 0.9)));
        assert_eq!(told.len(), 4);
        assert!(differences[0].z > 0.0, "what is more common inside comes first");
    }

    #[test]
    fn chance_and_empty_sides_tell_nothing() {
        let alike =
            [part("read", &[("disk", "a")], 52, 500), part("read", &[("disk", "b")], 48, 500)];
        assert_eq!(what_differs(&alike, 10), []);
        let nothing_outside = [part("read", &[("disk", "a")], 5, 0), part("sync", &[], 9, 0)];
        assert_eq!(what_differs(&nothing_outside, 10), []);
        assert_eq!(what_differs(&[], 10), []);
    }

    #[test]
    fn an_attribute_called_series_is_not_the_name() {
        let parts = [part("read", &[("series", "read")], 90, 10), part("sync", &[], 10, 90)];
        assert_eq!(what_differs(&parts, 10).len(), 4);
    }

    fn any_parts() -> impl Strategy<Value = Vec<Part>> {
        let attributes = proptest::collection::btree_map("[abc]", "[xyz]", 0..3);
        let part = ("[mn]", attributes, 0..1_000_u64, 0..1_000_u64).prop_map(
            |(name, attributes, inside, outside)| Part {
                series: Series::with_attributes(name, attributes),
                inside,
                outside,
            },
        );
        proptest::collection::vec(part, 0..12)
    }

    proptest! {
        #[test]
        fn shares_of_a_facet_are_a_whole(parts in any_parts()) {
            let mut sums: BTreeMap<Facet, (f64, f64, u64)> = BTreeMap::new();
            for contrast in shares(&parts) {
                let sum = sums.entry(contrast.facet).or_default();
                sum.0 += contrast.inside;
                sum.1 += contrast.outside;
                sum.2 += contrast.events;
            }
            let events: u64 = parts.iter().map(|part| part.inside).sum();
            let whole = |any: bool| if any { 1.0 } else { 0.0 };
            let outside = parts.iter().any(|part| part.outside > 0);
            for (facet, (inside_sum, outside_sum, counted)) in sums {
                prop_assert!((inside_sum - whole(events > 0)).abs() < 1e-9, "{facet}");
                prop_assert!((outside_sum - whole(outside)).abs() < 1e-9, "{facet}");
                prop_assert_eq!(counted, events);
            }
        }

        #[test]
        fn the_other_way_round_differs_the_other_way(parts in any_parts()) {
            let swapped: Vec<Part> = parts
                .iter()
                .map(|part| Part { inside: part.outside, outside: part.inside, ..part.clone() })
                .collect();
            for (one, two) in shares(&parts).iter().zip(shares(&swapped)) {
                prop_assert!((one.z + two.z).abs() < 1e-9);
                prop_assert!((one.shift() + two.shift()).abs() < 1e-12);
            }
        }

        #[test]
        fn what_is_told_is_ordered_and_telling(parts in any_parts(), most in 0..6_usize) {
            let told = what_differs(&parts, most);
            prop_assert!(told.len() <= most);
            prop_assert!(told.iter().all(|contrast| contrast.z.abs() >= 3.0));
            let sizes: Vec<f64> = told.iter().map(|contrast| contrast.shift().abs()).collect();
            prop_assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1] - 1e-8));
        }
    }
}
