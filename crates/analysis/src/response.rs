//! How latency responds to load.

use isotherm_frame::Histogram;

use crate::dispersion::Dispersion;
use crate::ranks::{Correlation, correlation, quantile, shifted_beyond};
use crate::{Column, Timeline};

/// How the mean latency of columns goes with their rate of events.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LoadResponse {
    /// What there is between the two.
    pub kind: ResponseKind,
    /// Spearman's rank correlation of rate and mean latency, -1 to 1.
    pub correlation: f64,
    /// Low and high load: the 10th and 90th percentile of the rates, in events per second; in a
    /// remark the levels between which load stepped, if it did.
    pub rates: (f64, f64),
    /// The mean latency of the fifth of the time with the least load, and of that with the most,
    /// in nanoseconds; of [`ResponseKind::VariesWithoutLoad`] of the fastest and the slowest fifth.
    pub means_ns: (f64, f64),
    /// The mean number waiting, N = X R (Little 1961).
    pub waiting: f64,
}

/// What there is between load and latency.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum ResponseKind {
    /// Latency rises with load: a queue. With the rate from which on it rises more steeply, in
    /// events per second, where there is such a knee.
    Follows(Option<f64>),
    /// Latency is much longer at times, and load is no higher then.
    VariesWithoutLoad,
    /// Load falls as latency rises, and their product stays: a fixed number of callers, each of
    /// which waits for one answer before it asks again.
    Closed,
    /// Load varies and latency does not go with it.
    Unrelated,
}

/// The most stretches of time compared.
const MOST: usize = 1_000;
/// The fewest.
const LEAST: usize = 20;
/// Events in a stretch that make its mean latency worth comparing.
const EVENTS: f64 = 30.0;
/// High load is so many times low load, at least, where anything is said of load.
const RANGE: f64 = 1.5;
/// The least factor from the mean latency at low to that at high load, where it follows.
const RISE: f64 = 1.3;
/// How strong, and how many standard errors from none, a correlation must be.
const CLEAR: (f64, f64) = (0.4, 3.3);
/// Where values depend on their neighbours for so long that no error can be given: how strong it
/// must be, and which share of the same values shifted against each other may be as strong.
const CLEAR_SHIFTED: (f64, f64) = (0.7, 0.01);
/// A correlation that certainly, by two standard errors, is nearer to none than this is none.
const NONE: f64 = 0.35;
/// The number waiting stays if the logarithm of its spread is at most this share of that of load.
const STAYS: f64 = 0.6;
/// The factor between the fastest and the slowest fifth of the time that is much longer.
const MUCH_LONGER: f64 = 2.0;

/// One stretch of time.
#[derive(Copy, Clone)]
struct Segment {
    events: f64,
    rate: f64,
    mean_ns: f64,
}

/// How latency responds to load; `None` where load varies too little, time is too short, or the
/// answer is not clear.
///
/// Rank correlation (Spearman 1904), with as many independent observations as the autocorrelation
/// of both leaves (Pyper & Peterman 1998), or against the same values shifted against each other in
/// a circle where these are too few, as in a ramp (Theiler, Eubank, Longtin, Galdrikian & Farmer
/// 1992); the knee by a continuous fit of two straight lines against one. Load that is no more
/// uneven than events that come at random is constant: its index of dispersion is one, and nothing
/// is said of it.
pub fn response(timeline: &Timeline) -> Option<LoadResponse> {
    let stretches = stretches(timeline);
    if stretches.len() < LEAST {
        return None;
    }
    let rates: Vec<f64> = stretches.iter().map(|stretch| stretch.rate).collect();
    let means: Vec<f64> = stretches.iter().map(|stretch| stretch.mean_ns).collect();
    let found = correlation(&rates, &means);
    let shifted = shifted_beyond(&rates, &means);
    let counts: Vec<(f64, f64)> = stretches.iter().map(|s| (s.events, s.events / s.rate)).collect();
    let dispersion = Dispersion::of(&counts)?;
    let rates = (quantile(&rates, 0.1), quantile(&rates, 0.9));
    let rates = (dispersion.without_chance(rates.0), dispersion.without_chance(rates.1));
    let load = Load { stretches, found, shifted, rates, uneven: dispersion.is_uneven() };
    load.follows().or_else(|| load.varies_without()).or_else(|| load.is_unrelated())
}

/// Columns taken together until most hold enough events; those with hardly any are left out.
fn stretches(timeline: &Timeline) -> Vec<Segment> {
    let known: Vec<&Column> = timeline.known().collect();
    let each = timeline.total.events() as f64 / known.len().max(1) as f64;
    if each <= 0.0 {
        return Vec::new();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above zero")]
    let together = ((EVENTS / each).ceil() as usize).max(known.len().div_ceil(MOST));
    let stretch = |part: &[&Column]| {
        let latencies = Histogram::merged(part.iter().filter_map(|c| c.latencies.as_ref()))?;
        let (events, mean_ns) = (latencies.events() as f64, latencies.mean_ns()?);
        let covered: f64 = part.iter().map(|column| column.covered_s).sum();
        (events >= EVENTS / 4.0 && covered > 0.0).then(|| Segment {
            events,
            rate: events / covered,
            mean_ns,
        })
    };
    known.chunks(together).filter_map(stretch).collect()
}

struct Load {
    stretches: Vec<Segment>,
    /// `None` where there are too few independent values.
    found: Option<Correlation>,
    /// The correlation, and the share of shifts of one against the other that are as strong.
    shifted: Option<(f64, f64)>,
    rates: (f64, f64),
    /// Whether load varies more than by chance.
    uneven: bool,
}

impl Load {
    fn answer(&self, kind: ResponseKind, means_ns: (f64, f64)) -> LoadResponse {
        let waiting = self.stretches.iter().map(|s| s.rate * s.mean_ns / 1e9).sum::<f64>();
        LoadResponse {
            kind,
            correlation: self.correlation(),
            rates: self.rates,
            means_ns,
            waiting: waiting / self.stretches.len() as f64,
        }
    }

    fn varies(&self) -> bool {
        self.uneven && self.rates.1 >= RANGE * self.rates.0
    }

    fn correlation(&self) -> f64 {
        let shifted = || self.shifted.map(|(value, _)| value);
        self.found.map(|found| found.value).or_else(shifted).unwrap_or_default()
    }

    /// Whether the two go together more than by chance.
    fn is_clear(&self) -> bool {
        let found = |found: Correlation| found.value.abs() >= CLEAR.0 && found.errors >= CLEAR.1;
        let shifted = |(value, as_strong): (f64, f64)| {
            value >= CLEAR_SHIFTED.0 && as_strong <= CLEAR_SHIFTED.1
        };
        self.found.is_some_and(found) || self.shifted.is_some_and(shifted)
    }

    /// The means of the latency in the first and the last fifth of the stretches by `key`.
    fn fifths(&self, key: fn(&Segment) -> f64) -> (f64, f64) {
        let mut sorted = self.stretches.clone();
        sorted.sort_by(|one, two| key(one).total_cmp(&key(two)));
        let fifth = (sorted.len() / 5).max(1);
        let mean = |part: &[Segment]| {
            let events: f64 = part.iter().map(|stretch| stretch.rate).sum();
            part.iter().map(|s| s.rate * s.mean_ns).sum::<f64>() / events
        };
        (mean(&sorted[..fifth]), mean(&sorted[sorted.len() - fifth..]))
    }

    /// Latency that goes up with load, or makes load go down.
    fn follows(&self) -> Option<LoadResponse> {
        let (low, high) = self.fifths(|stretch| stretch.rate);
        if !self.varies() || !self.is_clear() {
            return None;
        }
        if self.correlation() > 0.0 {
            let knee = self.knee();
            return (high >= RISE * low)
                .then(|| self.answer(ResponseKind::Follows(knee), (low, high)));
        }
        let waiting: Vec<f64> = self.stretches.iter().map(|s| s.rate * s.mean_ns / 1e9).collect();
        let spread = quantile(&waiting, 0.9) / quantile(&waiting, 0.1).max(f64::MIN_POSITIVE);
        let stays = spread.ln() <= STAYS * (self.rates.1 / self.rates.0).ln();
        (stays && quantile(&waiting, 0.5) >= 1.0)
            .then(|| self.answer(ResponseKind::Closed, (low, high)))
    }

    /// Latency that is much longer for some time, earlier or later, at no more load. What is so
    /// from one stretch to the next only is chance.
    fn varies_without(&self) -> Option<LoadResponse> {
        let (fast, slow) = self.fifths(|stretch| stretch.mean_ns);
        let found = self.found?;
        let lasts = found.second_autocorrelation >= 0.5;
        let no_more = found.value + 2.0 * found.error < NONE + CLEAR.0 / 2.0;
        (lasts && no_more && slow >= MUCH_LONGER * fast)
            .then(|| self.answer(ResponseKind::VariesWithoutLoad, (fast, slow)))
    }

    fn is_unrelated(&self) -> Option<LoadResponse> {
        let found = self.found?;
        let none = found.value.abs() + 2.0 * found.error < NONE;
        let means = self.fifths(|stretch| stretch.rate);
        (self.varies() && none).then(|| self.answer(ResponseKind::Unrelated, means))
    }

    /// The rate at which a line through the means of equal parts by rate bends upwards, if two
    /// lines fit much better than one.
    fn knee(&self) -> Option<f64> {
        let points = self.points();
        let inner = points.get(PARTS / 5..PARTS - PARTS / 5)?;
        let straight = bent_fit(&points, f64::INFINITY)?;
        let bends = inner.iter().filter_map(|&(rate, _)| bent_fit(&points, rate));
        let best = bends.min_by(|one, two| one.error.total_cmp(&two.error))?;
        let steeper = best.after > 0.0 && best.after >= STEEPER * best.before.max(0.0);
        (steeper && best.error <= BETTER * straight.error).then_some(best.at)
    }

    /// Rate and mean latency of parts with equally many stretches, by rate.
    fn points(&self) -> Vec<(f64, f64)> {
        let mut sorted = self.stretches.clone();
        sorted.sort_by(|one, two| one.rate.total_cmp(&two.rate));
        let mean = |part: &[Segment], of: fn(&Segment) -> f64| {
            part.iter().map(of).sum::<f64>() / part.len() as f64
        };
        let edge = |part: usize| part * sorted.len() / PARTS;
        (0..PARTS)
            .map(|part| &sorted[edge(part)..edge(part + 1)])
            .filter(|part| !part.is_empty())
            .map(|part| (mean(part, |s| s.rate), mean(part, |s| s.mean_ns)))
            .collect()
    }
}

/// Parts by rate that lines are fitted to.
const PARTS: usize = 20;
/// After the knee latency rises so many times as steeply as before, at least.
const STEEPER: f64 = 3.0;
/// Two lines leave this share of the squared error of one, at most.
const BETTER: f64 = 0.4;

/// A line with a bend.
struct Bent {
    at: f64,
    before: f64,
    after: f64,
    /// The sum of squared distances.
    error: f64,
}

/// The least-squares fit of `y = c + s x + t max(0, x - at)`; of a straight line if `at` is beyond
/// all points.
fn bent_fit(points: &[(f64, f64)], at: f64) -> Option<Bent> {
    let rows = points.iter().map(|&(x, y)| ([1.0, x, (x - at).max(0.0)], y));
    let size = if at.is_finite() { 3 } else { 2 };
    let mut system = [[0.0; 4]; 3];
    for (terms, y) in rows.clone() {
        for one in 0..size {
            for (two, term) in terms.iter().enumerate().take(size) {
                system[one][two] += terms[one] * term;
            }
            system[one][3] += terms[one] * y;
        }
    }
    let [constant, slope, bend] = solved(system, size)?;
    let error = rows.map(|(terms, y)| (y - constant - slope * terms[1] - bend * terms[2]).powi(2));
    Some(Bent { at, before: slope, after: slope + bend, error: error.sum() })
}

/// Gaussian elimination of the first `size` equations, the right side in the last column.
fn solved(mut system: [[f64; 4]; 3], size: usize) -> Option<[f64; 3]> {
    for pivot in 0..size {
        let largest = (pivot..size)
            .max_by(|&one, &two| system[one][pivot].abs().total_cmp(&system[two][pivot].abs()))?;
        system.swap(pivot, largest);
        let row = system[pivot];
        if row[pivot].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for other in (0..size).filter(|&other| other != pivot) {
            let factor = system[other][pivot] / row[pivot];
            for (cell, term) in system[other].iter_mut().zip(row) {
                *cell -= factor * term;
            }
        }
    }
    let mut found = [0.0; 3];
    for (index, value) in found.iter_mut().enumerate().take(size) {
        *value = system[index][3] / system[index][index];
    }
    Some(found)
}
