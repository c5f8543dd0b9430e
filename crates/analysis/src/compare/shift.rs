//! By what factor a measure differs between the sides, and how sure that is.

use isotherm_frame::{Bucket, Histogram};

use super::bootstrap::ChanceError;
use super::measure::Measure;
use super::side_numbers::SideNumbers;
use crate::student::t_quantile;
use crate::waited_bounds::bucket_bounds;

/// How one measure of B relates to the same measure of A.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// What is compared.
    pub measure: Measure,
    /// The value of A.
    pub a: Value,
    /// The value of B.
    pub b: Value,
    /// B divided by A: an estimate where the values are.
    pub ratio: f64,
    /// The ratios that chance leaves possible, with all judged measures together right 19 times
    /// in 20. Wider where a quantile is estimated within a wide bucket, and as wide as all that its
    /// bounds allow where both quantiles may lie at one place of such a bucket.
    /// `None` where there are too few columns or too few events to say.
    pub interval: Option<(f64, f64)>,
    /// The ratios that the bounds of the buckets leave possible; the upper one `None` where a
    /// bucket has no upper bound.
    pub possible: (f64, Option<f64>),
    /// Whether both quantiles lie in one bucket so wide that nothing is known of their ratio.
    pub within_one_bucket: bool,
    /// The way it has moved, if it has: by at least [`LEAST_EFFECT`], with an interval that leaves 1 out.
    pub moved: Option<Direction>,
    /// The way these two runs differ, if they do: as `moved`, or, where one run was clearly the less
    /// steady, by more than the steadier one moves by itself. The interval, of all such runs, may leave
    /// 1 possible then.
    pub differs: Option<Direction>,
}

/// A measure of one side.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Value {
    /// Events per second, seconds per second, or seconds: whatever the measure is in. A point
    /// estimate where a bucket is given or the side's time is estimated.
    pub amount: f64,
    /// Of a quantile, the bucket that holds it.
    pub bucket: Option<Bucket>,
}

/// Less or more.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// B is less than A.
    Less,
    /// B is more than A.
    More,
}

/// The least change that is called one: a twentieth.
pub const LEAST_EFFECT: f64 = 1.05;
/// The fewest columns of a side from which the error of chance can be estimated.
pub const LEAST_COLUMNS: usize = 8;
/// How often all intervals are right together.
pub const CONFIDENCE: f64 = 0.95;
/// Up to this width of a bucket, as a ratio, an estimate within it is as good as a value.
const FINE: f64 = 1.15;

impl Measure {
    /// The value of a whole side and the bounds within which the truth lies; `exact` if time
    /// waited is measured. `None` without events or time.
    pub(crate) fn of(self, total: &Histogram, side: &SideNumbers, exact: bool) -> Option<Ranged> {
        let events = total.events() as f64;
        let waited = total.time_waited().seconds;
        let spread = |amount: f64, per: f64| {
            let (lo, hi) = if exact { (waited, Some(waited)) } else { bucket_bounds(total) };
            let bounds = (lo / per, hi.map(|hi| hi / per));
            Ranged { value: Value { amount, bucket: None }, bounds }
        };
        let found = match self {
            Measure::Rate => {
                let amount = events / side.counted_s;
                Ranged { value: Value { amount, bucket: None }, bounds: (amount, Some(amount)) }
            }
            Measure::Waited => spread(waited / side.covered_s, side.covered_s),
            Measure::Mean => spread(waited / events, events),
            Measure::Quantile(q) => {
                let found = total.quantile(q).ok()?;
                let seconds = |ns: isotherm_frame::Nanos| ns.as_secs_f64();
                Ranged {
                    value: Value { amount: seconds(found.estimate), bucket: Some(found.bucket) },
                    bounds: (seconds(found.bucket.lo), found.bucket.hi.map(seconds)),
                }
            }
        };
        (found.value.amount.is_finite() && found.value.amount > 0.0).then_some(found)
    }
}

/// The chance errors of the logarithm of a measure, of A and of B.
#[derive(Clone, Debug)]
pub(crate) struct ShiftErrors {
    /// Those that each side's columns show: of them the interval is made.
    pub own: [ChanceError; 2],
    /// Those by which it is decided whether it has moved.
    pub tested: [ChanceError; 2],
}

/// What is known of how far chance moves a ratio.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Chance<'a> {
    /// The errors of both sides, where there are enough columns and events.
    pub errors: Option<&'a ShiftErrors>,
    /// The ratios that typical columns of short runs leave possible ([`super::typical`]).
    pub typical: Option<(f64, f64)>,
    /// By what factors the value of each side may be off below and above because its events had to be
    /// divided among the buckets of the other ([`super::sample::Sample::divided`]).
    pub divided: [(f64, f64); 2],
    /// How many intervals are to be right together.
    pub judged: usize,
}

/// A value and the bounds within which the truth lies.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Ranged {
    value: Value,
    bounds: (f64, Option<f64>),
}

impl Shift {
    /// Whether chance leaves no ratio of 1 possible, however small the change is.
    pub fn excludes_one(&self) -> bool {
        self.interval.is_some_and(leaves_out_one)
    }

    /// The shift from `a` to `b`.
    pub(crate) fn between(
        measure: Measure,
        (a, b): (Ranged, Ranged),
        Chance { errors, typical, divided, judged }: Chance<'_>,
    ) -> Shift {
        let ratio = b.value.amount / a.value.amount;
        let possible = (over(b.bounds.0, a.bounds.1), b.bounds.1.map(|hi| hi / a.bounds.0));
        let possible = (possible.0, possible.1.filter(|ratio| ratio.is_finite()));
        let buckets = a.value.bucket.zip(b.value.bucket);
        let within_one_bucket = buckets.is_some_and(|(one, two)| one == two && is_wide(one));
        let most = |of: fn(Ranged) -> f64| of(a).max(of(b));
        let one_bucket = buckets
            .filter(|&(one, two)| overlap(one, two) && (is_wide(one) || is_wide(two)))
            .map(|_| (possible.0, possible.1.unwrap_or(f64::INFINITY)));
        let by_chance = |errors: &[ChanceError; 2]| {
            let (lo, hi) = by_chance(ratio, errors, judged);
            let [of_a, of_b] = divided;
            (lo * of_b.0 / of_a.1, hi * of_b.1 / of_a.0)
        };
        // Where nothing has changed both estimates are off by the same.
        let narrow = |errors: &[ChanceError; 2]| {
            let chance = by_chance(errors);
            widened(chance, most(guessed_of_wide), one_bucket)
        };
        let interval = errors.map(|errors| {
            let chance = by_chance(&errors.own);
            beyond_one(widened(chance, most(guessed), one_bucket), narrow(&errors.own))
        });
        let tested = errors.map(|errors| narrow(&errors.tested));
        // The interval is of all events: what is typical proves nothing that they do not show.
        let typical = typical
            .map(|(lo, hi)| widened((lo.min(ratio), hi.max(ratio)), most(guessed), one_bucket));
        let interval = match (interval, typical) {
            (Some(bootstrap), Some(typical)) if is_better(typical, bootstrap) => Some(typical),
            (bootstrap, typical) => bootstrap.or(typical),
        };
        let moved = interval.and_then(|interval| direction(ratio, interval));
        let differs = moved.or_else(|| tested.and_then(|tested| direction(ratio, tested)));
        Shift {
            measure,
            a: a.value,
            b: b.value,
            ratio,
            interval,
            possible,
            within_one_bucket,
            moved,
            differs,
        }
    }
}

fn over(lo: f64, hi: Option<f64>) -> f64 {
    hi.map_or(0.0, |hi| lo / hi)
}

/// The part of a wide bucket's height in octaves that an estimate within it may be off: of buckets
/// of one octave some 8 % of a p99 and 13 % of a p99.9 on average over shapes of distributions.
const OFF: f64 = 0.15;
/// The part of a narrow one's: where latencies end within the bucket, as what is uniform does, an
/// estimate is off by up to half of it, which is more than chance once there are many events.
const OFF_NARROW: f64 = 0.5;

/// By what factor an estimate within these bounds may be off; 1 where the value is known.
fn guessed(of: Ranged) -> f64 {
    let (lo, Some(hi)) = of.bounds else { return f64::INFINITY };
    let height = hi / lo;
    height.powf(OFF).max(height.min(FINE).powf(OFF_NARROW))
}

/// The same of a percentile in a wide bucket alone.
fn guessed_of_wide(of: Ranged) -> f64 {
    let Some(bucket) = of.value.bucket.filter(|bucket| is_wide(*bucket)) else { return 1.0 };
    let height = bucket.hi.map(|hi| hi.as_secs_f64() / bucket.lo.as_secs_f64());
    height.map_or(f64::INFINITY, |height| height.powf(OFF))
}

/// Whether there are latencies that lie in both.
fn overlap(one: Bucket, two: Bucket) -> bool {
    let reaches = |one: Bucket, two: Bucket| one.hi.is_none_or(|hi| hi > two.lo);
    reaches(one, two) && reaches(two, one)
}

/// An interval where estimates may be off by this factor; as wide as bounds allow where both may be one
/// latency.
fn widened((lo, hi): (f64, f64), off: f64, one_bucket: Option<(f64, f64)>) -> (f64, f64) {
    let (least, most) = one_bucket.unwrap_or((f64::INFINITY, 0.0));
    ((lo / off).min(least), (hi * off).max(most))
}

/// The interval, not across a ratio of 1 that `tested` leaves out: estimates are off by different
/// factors only as far as something has changed, at most by as much as that.
fn beyond_one((lo, hi): (f64, f64), tested: (f64, f64)) -> (f64, f64) {
    (
        if tested.0 > 1.0 { lo.max(tested.0.sqrt()) } else { lo },
        if tested.1 < 1.0 { hi.min(tested.1.sqrt()) } else { hi },
    )
}

/// Whether what typical columns leave possible says more than what the bootstrap does.
fn is_better(typical: (f64, f64), bootstrap: (f64, f64)) -> bool {
    let width = |(lo, hi): (f64, f64)| hi / lo;
    !leaves_out_one(bootstrap) && (leaves_out_one(typical) || width(typical) < width(bootstrap))
}

/// Whether a ratio of 1 is not possible.
fn leaves_out_one((lo, hi): (f64, f64)) -> bool {
    lo > 1.0 || hi < 1.0
}

fn is_wide(bucket: Bucket) -> bool {
    bucket.hi.is_none_or(|hi| hi.as_nanos() as f64 > FINE * bucket.lo.as_nanos() as f64)
}

/// The interval of a ratio whose logarithm has these errors, at a confidence that leaves all
/// `judged` measures right together as often as [`CONFIDENCE`] (Bonferroni): as far as Student's t
/// reaches with the degrees of freedom of Welch (1947), and as far as the resamples themselves go,
/// which matters where a percentile jumps between two modes. Where two ways to estimate a percentile
/// within its bucket give two ratios, the interval is around both.
fn by_chance(ratio: f64, [a, b]: &[ChanceError; 2], judged: usize) -> (f64, f64) {
    let variance = |error: &ChanceError| error.deviation.powi(2);
    let (one, two) = (variance(a), variance(b));
    let both = one + two;
    if both <= 0.0 {
        return (ratio, ratio);
    }
    let degrees_of_freedom =
        both.powi(2) / (one.powi(2) / a.degrees_of_freedom + two.powi(2) / b.degrees_of_freedom);
    let miss = (1.0 - CONFIDENCE) / judged.max(1) as f64;
    let half_width = t_quantile(miss, degrees_of_freedom) * both.sqrt();
    // Both sides are drawn from the same random numbers, so those of one draw are no pair; that of
    // half a round later is, from whichever side one looks.
    let half = b.offs.len() / 2;
    let later = b.offs.iter().cycle().skip(half);
    let mut offs: Vec<f64> = a.offs.iter().zip(later).map(|(a, b)| b - a).collect();
    offs.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= x < len")]
    let beyond = (offs.len() as f64 * miss / 2.0) as usize;
    let lowest = offs.get(beyond).copied().unwrap_or(0.0);
    let highest = offs.iter().rev().nth(beyond).copied().unwrap_or(0.0);
    let resampled = (b.log - a.log).exp();
    let (least, most) = (ratio.min(resampled), ratio.max(resampled));
    (least * lowest.min(-half_width).exp(), most * highest.max(half_width).exp())
}

fn direction(ratio: f64, (lo, hi): (f64, f64)) -> Option<Direction> {
    if lo > 1.0 && ratio >= LEAST_EFFECT {
        Some(Direction::More)
    } else if hi < 1.0 && ratio <= 1.0 / LEAST_EFFECT {
        Some(Direction::Less)
    } else {
        None
    }
}
