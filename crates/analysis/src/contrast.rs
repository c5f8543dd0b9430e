//! How common one value of an attribute is on one side and on the other.

use std::fmt;

use isotherm_frame::{Nanos, shown_name};

use crate::amount::Amount;

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
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Count {
    /// Events that it has for certain.
    pub events: u64,
    /// How many more it may have; zero where the count is exact.
    pub over: u64,
    /// Nanoseconds waited in the events that it has for certain.
    pub waited_ns: u64,
    /// The sum of the squares of their lengths, in seconds.
    pub squares_s2: f64,
    /// How many of them are slow.
    pub slow: u64,
}

/// Of an amount, and of how many more events there may be.
impl From<(Amount, u64)> for Count {
    fn from((amount, over): (Amount, u64)) -> Count {
        let Amount { events, waited_ns, squares_s2, slow } = amount;
        Count { events, over, waited_ns, squares_s2, slow }
    }
}

/// The shares of a value in the time waited, inside a selection and outside it.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct TimeContrast {
    /// Its share of the time waited inside, 0 to 1.
    pub inside: f64,
    /// Its share of the time waited outside, 0 to 1.
    pub outside: f64,
    /// How surprising the difference is, in standard deviations.
    pub z: f64,
    /// What it contributes to telling the selection from the rest, in nats.
    pub weight: f64,
    /// Whether the difference is worth telling.
    pub telling: bool,
}

/// The shares of a value in the slow events, inside a selection and outside it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SlowContrast {
    /// Its share of the slow events inside, 0 to 1.
    pub inside: f64,
    /// Its share of the slow events outside, 0 to 1; `None` where none is slow there.
    pub outside: Option<f64>,
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
    /// The same of the time waited: few events may own most of it.
    pub time: TimeContrast,
    /// The same of slow events; `None` where none are known.
    pub slow: Option<SlowContrast>,
}

/// Of a facet with one value, differences of fewer standard deviations are not worth telling.
const TELLING: f64 = 3.0;

/// What contributes less is not worth telling, however certain it is: 3 % instead of 2 %, or 99 %
/// instead of 90 %.
const LEAST_WEIGHT: f64 = 0.01;

/// Shares of the time waited that are closer are not worth telling: time varies more than counts do.
const LEAST_SHIFT: f64 = 0.1;

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
        (whole, values): ((Amount, Amount), u64),
    ) -> Contrast {
        let all = (whole.0.events, whole.1.events);
        let counts = closest((inside, outside), all);
        let z = signed_root((counts.0, all.0), (counts.1, all.1));
        let weight = weight((counts.0, all.0), (counts.1, all.1));
        let least = TELLING * TELLING + 2.0 * (values.max(1) as f64).ln();
        let time = TimeContrast::of((inside, outside), whole, least);
        // Values counted together are nobody.
        let together = matches!(value, FacetValue::Others { .. });
        let time = TimeContrast { telling: time.telling && !together, ..time };
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
            time,
            slow: (whole.0.slow > 0).then(|| SlowContrast {
                inside: share(inside.slow, whole.0.slow),
                outside: (whole.1.slow > 0).then(|| share(outside.slow, whole.1.slow)),
            }),
        }
    }

    /// Whether its share of the events or of the time waited differs noticeably.
    pub fn differs(&self) -> bool {
        self.telling || self.time.telling
    }

    /// Whether its share of the time waited says more than that of the events: whichever is worth
    /// telling and contributes more.
    pub fn is_by_time(&self) -> bool {
        /// Where both say nearly the same, events are more certain.
        const CLEARLY: f64 = 2.0;
        self.time.telling && (!self.telling || self.time.weight > CLEARLY * self.weight)
    }

    /// Whether there is more of it inside, by what says more.
    pub fn is_more(&self) -> bool {
        if self.is_by_time() { self.time.z > 0.0 } else { self.z > 0.0 }
    }

    /// What it contributes, by what says more.
    pub fn contribution(&self) -> f64 {
        if self.is_by_time() { self.time.weight } else { self.weight }
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

impl TimeContrast {
    /// Shares of a whole that is a sum of waits of very different lengths: the variance of such a
    /// share `p` of `W` seconds is about `((1 - p)^2 S + p^2 R) / W^2`, with the sum of squares `S` of
    /// the waits that belong to the value and `R` of all others (a ratio estimator: Cochran 1977,
    /// *Sampling Techniques*, 6.3). One long wait that owns a share makes it no more certain.
    fn of(counts: (Count, Count), whole: (Amount, Amount), least: f64) -> TimeContrast {
        let side = |count: Count, all: Amount| {
            let waited = Nanos::new(all.waited_ns).as_secs_f64();
            let own = Nanos::new(count.waited_ns).as_secs_f64();
            if waited <= 0.0 {
                return None;
            }
            let share = (own / waited).min(1.0);
            let others = (all.squares_s2 - count.squares_s2).max(0.0);
            let spread = (1.0 - share).powi(2) * count.squares_s2 + share.powi(2) * others;
            // Of a value that is not there the next wait could be one.
            let next = all.squares_s2 / (all.events.max(1) as f64);
            Some((share, spread.max(next) / waited.powi(2)))
        };
        let sides = side(counts.0, whole.0).zip(side(counts.1, whole.1));
        let Some(((inside, one), (outside, two))) = sides else { return TimeContrast::default() };
        let deviation = (one + two).sqrt();
        let z = if deviation > 0.0 { (inside - outside) / deviation } else { 0.0 };
        let smoothed = |share: f64| share.max(LEAST_SHARE);
        let weight = (inside - outside) * (smoothed(inside) / smoothed(outside)).ln();
        let shift = (inside - outside).abs();
        let over = counts.0.over > 0 || counts.1.over > 0;
        let telling = z * z >= least && shift >= LEAST_SHIFT && !over;
        TimeContrast { inside, outside, z, weight, telling }
    }
}

/// Smaller shares contribute as much as this one.
const LEAST_SHARE: f64 = 0.001;

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
