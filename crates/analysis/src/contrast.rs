//! How common one value of an attribute is on one side and on the other.

use std::fmt;

use isotherm_frame::shown_name;

/// What events are distinguished by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Facet {
    /// The name of their series.
    Name,
    /// An attribute of their series.
    Attribute(String),
}

/// A value of a facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FacetValue {
    /// A name, or a value of the attribute.
    Is(String),
    /// All series without that attribute.
    Missing,
    /// Values that are not counted one by one.
    Others {
        /// How many.
        values: u64,
        /// Whether there may be more.
        at_least: bool,
    },
}

/// How many events a value has on one side of the selection.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Events that it has for certain.
    pub events: u64,
    /// How many more it may have; zero where the count is exact.
    pub over: u64,
    /// Nanoseconds waited in the events that it has for certain.
    pub waited_ns: u64,
}

/// How common one value is inside a selection and outside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// What the value is a value of.
    pub facet: Facet,
    /// The value.
    pub value: FacetValue,
    /// Its events inside.
    pub in_selection: Count,
    /// Its events outside.
    pub in_rest: Count,
    /// Its share of the events inside, 0 to 1.
    pub inside: f64,
    /// Its share of the events outside, 0 to 1.
    pub outside: f64,
    /// How surprising the difference is, in standard deviations; positive where the value is more
    /// common inside. Zero where there are no events on one of the sides.
    pub z: f64,
    /// What the value contributes to telling the selection from the rest, in nats; see
    /// [`distinguishing`](crate::distinguishing).
    pub weight: f64,
    /// Whether the difference is worth telling: more than chance, for as many values as the facet
    /// has, and not small.
    pub telling: bool,
}

/// Of a facet with one value, differences of fewer standard deviations are not worth telling.
const TELLING: f64 = 3.0;

/// What contributes less is not worth telling, however certain it is: 3 % instead of 2 %, or 99 %
/// instead of 90 %.
const LEAST_WEIGHT: f64 = 0.01;

impl Facet {
    /// Whether this is what somebody means who names an attribute. The events of a SQL trace are the
    /// names of its series.
    pub fn is_called(&self, name: &str) -> bool {
        match self {
            Facet::Name => matches!(name.trim(), "series" | "name" | "event" | "wait" | "nam"),
            Facet::Attribute(key) => key == name.trim(),
        }
    }
}

impl Facet {
    /// The exact key of the attribute; `series` for the name.
    pub fn key(&self) -> &str {
        match self {
            Facet::Name => "series",
            Facet::Attribute(key) => key,
        }
    }
}

impl fmt::Display for Facet {
    /// As [`Facet::key`], for people: see [`shown_name`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&shown_name(self.key()))
    }
}

impl fmt::Display for FacetValue {
    /// The value; `(none)` where it is missing, `(other: 12 values)` for those not counted one by
    /// one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FacetValue::Is(value) => f.pad(&shown_name(value)),
            FacetValue::Missing => f.pad("(none)"),
            FacetValue::Others { values, at_least } => {
                let more = if *at_least { "at least " } else { "" };
                f.pad(&format!("(other: {more}{values} values)"))
            }
        }
    }
}

impl Contrast {
    /// What these counts of a value come to, of so many events inside and outside, when the facet
    /// has so many values. Where counts are not exact the smallest difference counts.
    pub(crate) fn of(
        facet: &Facet,
        value: FacetValue,
        (inside, outside): (Count, Count),
        (all, values): ((u64, u64), u64),
    ) -> Contrast {
        let counts = closest((inside, outside), all);
        let z = signed_root((counts.0, all.0), (counts.1, all.1));
        let weight = weight((counts.0, all.0), (counts.1, all.1));
        let least = TELLING * TELLING + 2.0 * (values.max(1) as f64).ln();
        Contrast {
            facet: facet.clone(),
            value,
            in_selection: inside,
            in_rest: outside,
            inside: share(inside.events, all.0),
            outside: share(outside.events, all.1),
            z,
            weight,
            telling: z * z >= least && weight >= LEAST_WEIGHT,
        }
    }

    /// The share inside less the share outside.
    pub fn shift(&self) -> f64 {
        self.inside - self.outside
    }

    /// How many times as common the value is inside; `None` where there is none outside.
    pub fn lift(&self) -> Option<f64> {
        (self.outside > 0.0).then(|| self.inside / self.outside)
    }
}

/// The counts inside and outside, within what is known of them, with the closest shares.
fn closest((inside, outside): (Count, Count), all: (u64, u64)) -> (u64, u64) {
    let most = |count: Count| count.events.saturating_add(count.over);
    if share(inside.events, all.0) >= share(most(outside), all.1) {
        (inside.events, most(outside))
    } else if share(most(inside), all.0) <= share(outside.events, all.1) {
        (most(inside), outside.events)
    } else {
        // The shares may be the same.
        let same = (share(outside.events, all.1) * all.0 as f64).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
        let same = same as u64;
        (same.clamp(inside.events, most(inside)), outside.events)
    }
}

fn share(count: u64, all: u64) -> f64 {
    if all > 0 { count as f64 / all as f64 } else { 0.0 }
}

/// The signed root of the log-likelihood ratio of two proportions, in standard deviations.
fn signed_root((inside, all_in): (u64, u64), (outside, all_out): (u64, u64)) -> f64 {
    if all_in == 0 || all_out == 0 {
        return 0.0;
    }
    let (n, m) = (all_in as f64, all_out as f64);
    let (k, l) = (inside as f64, outside as f64);
    let pooled = (k + l) / (n + m);
    let term = |count: f64, expected: f64| {
        if count > 0.0 && expected > 0.0 { count * (count / expected).ln() } else { 0.0 }
    };
    let ratio = term(k, n * pooled)
        + term(n - k, n * (1.0 - pooled))
        + term(l, m * pooled)
        + term(m - l, m * (1.0 - pooled));
    let root = (2.0 * ratio).max(0.0).sqrt();
    if k / n < l / m { -root } else { root }
}

/// The part of a value in the divergence of the two sides, with half an event added to each.
fn weight((inside, all_in): (u64, u64), (outside, all_out): (u64, u64)) -> f64 {
    let smoothed = |count: u64, all: u64| (count as f64 + 0.5) / (all as f64 + 1.0);
    let (p, q) = (smoothed(inside, all_in), smoothed(outside, all_out));
    (p - q) * (p / q).ln()
}
