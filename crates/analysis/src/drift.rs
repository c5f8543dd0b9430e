//! Slow changes: a level that goes up or down steadily for some time.

use crate::levels::{errors_of_steps, late_step};
use crate::segments::{Track, long_run_variance, steps};

/// A level that goes steadily from one value to another.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Drift {
    /// The value with which it begins.
    pub from: usize,
    /// The value after that with which it ends.
    pub to: usize,
    /// The levels at its two ends.
    pub levels: (f64, f64),
}

/// The most means that lines are fitted to.
const MOST: usize = 200;
/// The fewest.
const LEAST: usize = 16;
/// What is shorter than this share of the time is a step.
const LEAST_SHARE: f64 = 0.1;
/// A level goes by a factor of 1.3 at least, on a logarithmic track.
const LEAST_RISE: f64 = 0.26;
/// A kink passes so many times what the largest of so many normal deviates reaches.
const STRICT: f64 = 1.5;
/// No kink lies nearer to the ends than this share of the values.
const END_SHARE: f64 = 0.05;
/// A kink takes at least so many times the logarithm of the number of values from the squared
/// distances, in variances.
const WORTH: f64 = 4.0;
/// The most kinks: what goes up and down more often has no direction.
const MOST_KINKS: usize = 4;
/// So much better than steps a line must fit, as a difference of information criteria.
const BETTER: f64 = 6.0;
/// A line is so much more likely than a step, as a difference of information criteria.
const CLEARER: f64 = 6.0;
/// A part of a drift that goes by less than this share of it is level.
const LEVEL: f64 = 0.1;

/// What goes one way in a track: bit by bit, or at once.
#[derive(Default)]
pub(crate) struct Lines {
    pub drifts: Vec<Drift>,
    /// Steps so near to the end that they are not looked for as such.
    pub late_steps: Vec<usize>,
}

/// The drifts of a track on a logarithmic scale, in the order of time; none where steps from level
/// to level describe it as well, or nothing. And what a line was fitted to although it is a step
/// shortly before the end.
///
/// Kinks are found by narrowest-over-threshold (Baranowski, Chen & Fryzlewicz 2019): on intervals
/// of all lengths a line with a kink is held against a straight one, and of those where it is much
/// better the narrowest counts, so that no other kink lies in it. A continuous line with these kinks
/// is then held against the steps of the same track by Schwarz's criterion (as their sSIC), in the
/// long-run variance of the track, so that noise that wanders is no drift.
pub(crate) fn lines(track: &Track) -> Lines {
    let together = track.values.len().div_ceil(MOST).max(1);
    let values: Vec<f64> = track.values.chunks_exact(together).map(mean).collect();
    if values.len() < LEAST {
        return Lines::default();
    }
    let least = track.least_variance / together as f64;
    let about_ramp = variance_about_a_ramp(&values).unwrap_or(f64::INFINITY);
    let variance = long_run_variance(&values).min(about_ramp).max(least).max(f64::MIN_POSITIVE);
    let mut kinks = kinks(&values, variance);
    let Some(line) = pruned(&values, &mut kinks, variance) else { return Lines::default() };
    if kinks.len() > MOST_KINKS || !better_than_steps(&values, &line, (variance, least)) {
        return Lines::default();
    }
    let length = track.values.len();
    let stretch = |drift: &Drift| &values[drift.from..(drift.to + 1).min(values.len())];
    let (steady, sudden): (Vec<Drift>, Vec<Drift>) =
        line.monotone().into_iter().partition(|drift| is_steady(stretch(drift)));
    let whole = |drift: Drift| Drift {
        from: drift.from * together,
        to: if drift.to == values.len() { length } else { drift.to * together },
        ..drift
    };
    let at_end = sudden.iter().any(|drift| drift.to == values.len());
    let late_steps = if at_end { late_step(&track.values) } else { None };
    Lines {
        drifts: steady.into_iter().map(whole).collect(),
        late_steps: late_steps.into_iter().collect(),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Whether values go from one level to another bit by bit: a straight line is clearly nearer to them than
/// two levels are, wherever they meet, in the noise of these values themselves. A few values after a step
/// can lie on a line by chance. A level that steps in the middle of a value is no line: that value is of
/// neither level.
fn is_steady(values: &[f64]) -> bool {
    let apart = |at: usize| squares(&values[..at]) + squares(&values[at..]);
    let within = |at: usize| squares(&values[..at]) + squares(&values[at + 1..]);
    let steps = (1..values.len()).map(apart);
    let within_one = (1..values.len().saturating_sub(1)).map(within);
    let step = steps.chain(within_one).fold(f64::INFINITY, f64::min);
    let clearer = |line: Line| values.len() as f64 * (step / line.error).ln();
    Line::fit(values, &[]).is_some_and(|line| clearer(line) > CLEARER)
}

/// The long-run variance about the best line with two kinks: where most of the time is a ramp,
/// differences of values are the ramp's.
fn variance_about_a_ramp(values: &[f64]) -> Option<f64> {
    let mut kinks = [values.len() / 3, values.len() * 2 / 3];
    let line = settled(values, &mut kinks)?;
    let between = |x: usize| {
        let pair = line.knots.windows(2).find(|knots| x <= knots[1].0)?;
        let part = (x - pair[0].0) as f64 / (pair[1].0 - pair[0].0).max(1) as f64;
        Some(pair[0].1 + part * (pair[1].1 - pair[0].1))
    };
    let rest: Option<Vec<f64>> =
        values.iter().enumerate().map(|(x, value)| Some(value - between(x)?)).collect();
    Some(long_run_variance(&rest?))
}

/// Whether a line describes values better than steps and than a constant do.
fn better_than_steps(values: &[f64], line: &Line, (variance, least): (f64, f64)) -> bool {
    let penalty = (values.len() as f64).ln();
    let steps = steps(&[Track { values: values.to_vec(), least_variance: least, among: 1 }]);
    let mut edges = vec![0];
    edges.extend(&steps);
    edges.push(values.len());
    let of_steps: f64 = edges.windows(2).map(|pair| squares(&values[pair[0]..pair[1]])).sum();
    let criterion = |error: f64, parameters: usize| error / variance + parameters as f64 * penalty;
    let steps = criterion(of_steps, 1 + 2 * steps.len());
    // A step that nearly all of the noise is made of is not clear enough to be found as one.
    let by_number = errors_of_steps(values, line.kinks.len() + 1).into_iter().enumerate();
    let any = by_number.map(|(steps, error)| criterion(error, 1 + 2 * steps));
    let best = any.fold(steps, f64::min);
    criterion(line.error, 2 + 2 * line.kinks.len()) + BETTER < best
}

/// The sum of squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// A continuous line with kinks.
struct Line {
    kinks: Vec<usize>,
    /// Its value at the first point, the kinks and the last point.
    knots: Vec<(usize, f64)>,
    /// The sum of squared distances.
    error: f64,
}

impl Line {
    /// The least-squares fit.
    fn fit(values: &[f64], kinks: &[usize]) -> Option<Line> {
        let terms = |x: usize| -> Vec<f64> {
            let hinge = |&kink: &usize| x.saturating_sub(kink) as f64;
            [1.0, x as f64].into_iter().chain(kinks.iter().map(hinge)).collect()
        };
        let size = kinks.len() + 2;
        let mut system = vec![vec![0.0; size + 1]; size];
        for (x, y) in values.iter().enumerate() {
            let terms = terms(x);
            for (row, one) in system.iter_mut().zip(&terms) {
                row.iter_mut().zip(&terms).for_each(|(cell, two)| *cell += one * two);
                row[size] += one * y;
            }
        }
        let factors = solved(system)?;
        let at = |x: usize| terms(x).iter().zip(&factors).map(|(term, f)| term * f[0]).sum::<f64>();
        let error = values.iter().enumerate().map(|(x, y)| (y - at(x)).powi(2)).sum();
        let last = values.len().checked_sub(1)?;
        let places = std::iter::once(0).chain(kinks.iter().copied()).chain([last]);
        let knots = places.map(|x| (x, at(x))).collect();
        Some(Line { kinks: kinks.to_vec(), knots, error })
    }

    /// Its parts that go one way far and long enough.
    fn monotone(&self) -> Vec<Drift> {
        let parts: Vec<(usize, usize, f64)> =
            self.knots.windows(2).map(|k| (k[0].0, k[1].0, k[1].1 - k[0].1)).collect();
        let last = self.knots.last().map_or(0, |knot| knot.0);
        let mut found = Vec::new();
        for run in parts.chunk_by(|one, two| (one.2 > 0.0) == (two.2 > 0.0)) {
            let rise: f64 = run.iter().map(|part| part.2).sum();
            let steep = |part: &(usize, usize, f64)| part.2.abs() >= LEVEL * rise.abs();
            let first = run.iter().position(steep).unwrap_or(0);
            let end = run.iter().rposition(steep).map_or(0, |last| last + 1);
            let steep = run.get(first..end).unwrap_or_default();
            let (Some(&(from, ..)), Some(&(_, to, _))) = (steep.first(), steep.last()) else {
                continue;
            };
            let rise: f64 = steep.iter().map(|part| part.2).sum();
            let long = (to - from) as f64 >= LEAST_SHARE * last as f64;
            let at = |x: usize| self.knots.iter().find(|knot| knot.0 == x).map_or(0.0, |k| k.1);
            if long && rise.abs() >= LEAST_RISE {
                let to_end = if to == last { to + 1 } else { to };
                found.push(Drift { from, to: to_end, levels: (at(from), at(to)) });
            }
        }
        found
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
fn ends(length: usize) -> usize {
    (END_SHARE * length as f64) as usize + 1
}

/// The line with the kinks that are worth their two parameters.
fn pruned(values: &[f64], kinks: &mut Vec<usize>, variance: f64) -> Option<Line> {
    let worth = WORTH * (values.len() as f64).ln() * variance;
    let tails = Tails::about_the_mean(values);
    loop {
        // To move many kinks takes long: first the least of them go.
        let few = kinks.len() <= MOST_KINKS;
        let line = if few { settled(values, kinks) } else { Line::fit(values, kinks) }?;
        let losses = tails.losses(kinks)?.into_iter().enumerate();
        let weakest =
            losses.min_by(|one, two| one.1.total_cmp(&two.1)).filter(|(_, loss)| *loss < worth);
        let Some((weakest, _)) = weakest else { return Some(line) };
        kinks.remove(weakest);
    }
}

/// Kinks by narrowest-over-threshold, ascending.
fn kinks(values: &[f64], variance: f64) -> Vec<usize> {
    let limit = (STRICT * STRICT) * 2.0 * (values.len() as f64).ln() * variance;
    let mut over: Vec<(usize, usize, usize)> = intervals(values.len())
        .into_iter()
        .filter_map(|(from, to)| {
            let (at, gain) = best_kink(&values[from..to])?;
            (gain > limit).then_some((from, to, from + at))
        })
        .collect();
    over.sort_by_key(|&(from, to, _)| to - from);
    let mut found: Vec<usize> = Vec::new();
    for (from, to, at) in over {
        if !found.iter().any(|&kink| from < kink && kink + 1 < to) {
            found.push(at);
        }
    }
    // At the very ends a kink is a few wild values.
    let ends = ends(values.len());
    found.retain(|&kink| kink >= ends && kink + ends <= values.len());
    found.sort_unstable();
    found.dedup();
    found
}

/// Intervals of all lengths, each half overlapping the next.
fn intervals(count: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut length = count;
    while length >= LEAST / 2 {
        let mut from = 0;
        while from + length < count {
            found.push((from, from + length));
            from += (length / 4).max(1);
        }
        found.push((count - length, count));
        length = length * 3 / 4;
    }
    found
}

/// The kink that takes most from the squared distances of a straight line, and how much.
fn best_kink(values: &[f64]) -> Option<(usize, f64)> {
    let count = values.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let spread = count * (count * count - 1.0) / 12.0;
    let x = |index: usize| index as f64 - middle;
    let level = mean(values);
    let slope = values.iter().enumerate().map(|(i, y)| x(i) * y).sum::<f64>() / spread;
    let rest: Vec<f64> = values.iter().enumerate().map(|(i, y)| y - level - slope * x(i)).collect();
    let tails = Tails::of(&rest);
    let gain = |kink: usize| {
        // The hinge, less what a straight line has of it.
        let longest = (values.len() - 1 - kink) as f64;
        let (sum, square) = (triangular(longest), pyramidal(longest));
        let with_x = square + x(kink) * sum;
        let with_rest = tails.with_hinge(kink);
        let own = square - sum * sum / count - with_x * with_x / spread;
        if own > 1e-9 { with_rest * with_rest / own } else { 0.0 }
    };
    let inner = 2..values.len().saturating_sub(2);
    inner.map(|kink| (kink, gain(kink))).max_by(|one, two| one.1.total_cmp(&two.1))
}

/// The line with each kink moved, between its neighbours, to where it fits best.
fn settled(values: &[f64], kinks: &mut [usize]) -> Option<Line> {
    let tails = Tails::about_the_mean(values);
    for _ in 0..2 {
        for index in 0..kinks.len() {
            let ends = ends(values.len());
            let from = index.checked_sub(1).map_or(ends, |before| kinks[before] + 2);
            let to = kinks.get(index + 1).map_or(values.len() - ends, |next| next - 2);
            let mut trial = kinks.to_vec();
            let fits = (from..to).filter_map(|kink| {
                trial[index] = kink;
                Some((kink, tails.explained(&trial)?))
            });
            // Of several that fit as well the first.
            if let Some((kink, _)) = fits.rev().max_by(|one, two| one.1.total_cmp(&two.1)) {
                kinks[index] = kink;
            }
        }
    }
    Line::fit(values, kinks)
}

/// Sums of values from each place to the end, from which those of a line with kinks follow: fits of many
/// places of a kink go over the values once.
struct Tails {
    /// The sum of the values from here on, and of each times its place.
    sums: Vec<(f64, f64)>,
}

impl Tails {
    fn of(values: &[f64]) -> Tails {
        let mut sums = vec![(0.0, 0.0); values.len() + 1];
        for (x, value) in values.iter().enumerate().rev() {
            let (sum, with_x) = sums[x + 1];
            sums[x] = (sum + value, with_x + value * x as f64);
        }
        Tails { sums }
    }

    /// The sum of the values times `max(x - kink, 0)`.
    fn with_hinge(&self, kink: usize) -> f64 {
        let (sum, with_x) = self.sums[kink];
        with_x - kink as f64 * sum
    }

    fn about_the_mean(values: &[f64]) -> Tails {
        let level = mean(values);
        let about_level: Vec<f64> = values.iter().map(|value| value - level).collect();
        Tails::of(&about_level)
    }

    /// How much of the squares of the values the best line with these kinks, in order, takes away.
    fn explained(&self, kinks: &[usize]) -> Option<f64> {
        let system = self.normal_equations(kinks)?;
        let size = system.len();
        let with_values: Vec<f64> = system.iter().map(|row| row[size]).collect();
        let solutions = solved(system)?;
        Some(solutions.iter().zip(&with_values).map(|(row, with)| row[0] * with).sum())
    }

    /// How much less the best line takes away without each of its kinks: the square of a factor over its
    /// place on the diagonal of the inverse, so that all of them take one inverse and no further fits.
    fn losses(&self, kinks: &[usize]) -> Option<Vec<f64>> {
        let mut system = self.normal_equations(kinks)?;
        let size = system.len();
        for (index, row) in system.iter_mut().enumerate() {
            row.extend((0..size).map(|column| f64::from(u8::from(column == index))));
        }
        let solutions = solved(system)?;
        let of_terms =
            solutions.iter().enumerate().map(|(index, row)| row[0].powi(2) / row[index + 1]);
        Some(of_terms.skip(2).collect())
    }

    /// The normal equations of the line with these kinks: a row for the constant, the straight line and
    /// each kink, with its product with the values in the last column.
    fn normal_equations(&self, kinks: &[usize]) -> Option<Vec<Vec<f64>>> {
        let size = kinks.len() + 2;
        let last = self.sums.len().checked_sub(2)?;
        // The constant is a hinge that begins nowhere; the straight line is one that begins at 0.
        let hinges: Vec<usize> = std::iter::once(0).chain(kinks.iter().copied()).collect();
        let products = |one: usize, other: usize| {
            let longest = (last - one.max(other)) as f64;
            pyramidal(longest) + one.abs_diff(other) as f64 * triangular(longest)
        };
        let mut system = vec![vec![0.0; size + 1]; size];
        system[0][0] = (last + 1) as f64;
        system[0][size] = self.sums[0].0;
        for (row, &one) in hinges.iter().enumerate() {
            let sum = triangular((last - one) as f64);
            (system[0][row + 1], system[row + 1][0]) = (sum, sum);
            system[row + 1][size] = self.with_hinge(one);
            for (column, &other) in hinges.iter().enumerate() {
                system[row + 1][column + 1] = products(one, other);
            }
        }
        Some(system)
    }
}

/// 1 + 2 + ... + n.
fn triangular(n: f64) -> f64 {
    n * (n + 1.0) / 2.0
}

/// 1 + 4 + ... + n².
fn pyramidal(n: f64) -> f64 {
    n * (n + 1.0) * (2.0 * n + 1.0) / 6.0
}

/// Gaussian elimination: what stands right of the square are right sides, and of each row come the
/// solutions for them.
fn solved(mut system: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = system.len();
    for pivot in 0..size {
        let largest = (pivot..size)
            .max_by(|&one, &two| system[one][pivot].abs().total_cmp(&system[two][pivot].abs()))?;
        system.swap(pivot, largest);
        let row = system[pivot].clone();
        if row[pivot].abs() < 1e-12 {
            return None;
        }
        for (_, other) in system.iter_mut().enumerate().filter(|(index, _)| *index != pivot) {
            let factor = other[pivot] / row[pivot];
            other.iter_mut().zip(&row).for_each(|(cell, term)| *cell -= factor * term);
        }
    }
    let solutions = |(index, row): (usize, &Vec<f64>)| -> Vec<f64> {
        row[size..].iter().map(|right| right / row[index]).collect()
    };
    Some(system.iter().enumerate().map(solutions).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Chance, drifting};

    fn drifts(track: &Track) -> Vec<Drift> {
        lines(track).drifts
    }

    #[test]
    fn what_tails_explain_is_what_the_fit_takes_away() {
        let mut chance = Chance::new(5);
        let values: Vec<f64> =
            (0..120).map(|x| chance.normal() + f64::from(x % 40) / 9.0).collect();
        let level = mean(&values);
        let about_level: Vec<f64> = values.iter().map(|value| value - level).collect();
        let tails = Tails::of(&about_level);
        for kinks in [vec![], vec![7], vec![30, 61], vec![11, 40, 41, 100]] {
            let fit = Line::fit(&values, &kinks).unwrap();
            let left = squares(&values) - tails.explained(&kinks).unwrap();
            assert!((left / fit.error - 1.0).abs() < 1e-9, "{kinks:?}: {left} of {}", fit.error);
        }
    }

    #[test]
    fn a_kink_is_worth_what_a_fit_without_it_lacks() {
        let mut chance = Chance::new(6);
        let values: Vec<f64> =
            (0..120).map(|x| chance.normal() + f64::from(x % 40) / 9.0).collect();
        let tails = Tails::about_the_mean(&values);
        for kinks in [vec![60], vec![30, 61], (3..118).step_by(5).collect()] {
            let error = Line::fit(&values, &kinks).unwrap().error;
            let losses = tails.losses(&kinks).unwrap();
            assert_eq!(losses.len(), kinks.len());
            for (index, loss) in losses.iter().enumerate() {
                let mut fewer = kinks.clone();
                fewer.remove(index);
                let without = Line::fit(&values, &fewer).unwrap().error - error;
                let near = (loss - without).abs() < 1e-6 * squares(&values);
                assert!(near, "{kinks:?} less {index}: {loss}, {without}");
            }
        }
    }

    #[test]
    fn the_best_kink_is_that_of_the_best_fit() {
        let mut chance = Chance::new(9);
        for bend in [10_usize, 33, 50] {
            let value = |x: usize| x.saturating_sub(bend) as f64 * 0.3 + chance.normal();
            let values: Vec<f64> = (0..64).map(value).collect();
            let error = |kinks: &[usize]| Line::fit(&values, kinks).unwrap().error;
            let fits = (2..62).map(|kink| (kink, error(&[]) - error(&[kink])));
            let best = fits.max_by(|one, two| one.1.total_cmp(&two.1)).unwrap();
            let (kink, gain) = best_kink(&values).unwrap();
            assert_eq!(kink, best.0);
            assert!((gain / best.1 - 1.0).abs() < 1e-9, "{gain} of {}", best.1);
        }
    }

    fn track(seed: u64, memory: f64, level: impl Fn(usize) -> f64) -> Track {
        let mut chance = Chance::new(seed);
        let mut noise = drifting(memory);
        let values = (0..600).map(|x| level(x) + 0.1 * noise(&mut chance)).collect();
        Track { values, least_variance: 1e-4, among: 1 }
    }

    #[test]
    fn a_ramp_is_one_drift_from_where_to_where_it_goes() {
        for seed in 0..20 {
            let all = drifts(&track(seed, 0.0, |x| 1.1 * x as f64 / 600.0));
            let [drift] = all[..] else { panic!("{all:?}") };
            assert_eq!((drift.from, drift.to), (0, 600));
            assert!((drift.levels.1 - drift.levels.0 - 1.1).abs() < 0.1, "{drift:?}");
        }
        // Between two levels, in noise that lasts: nearly always.
        let ramp = |x: usize| (x.clamp(200, 400) - 200) as f64 / 200.0;
        let right = |seed: &u64| {
            let [drift] = drifts(&track(*seed, 0.5, ramp))[..] else { return false };
            drift.from.abs_diff(200) < 25 && drift.to.abs_diff(400) < 25
        };
        let found = (0..20).filter(right).count();
        assert!(found >= 16, "{found} of 20");
    }

    #[test]
    fn a_quarter_of_few_values_that_is_higher_is_no_drift() {
        let mut found = 0;
        for seed in 0..200 {
            let mut chance = Chance::new(seed);
            let level = |x: usize| if (33..53).contains(&x) { 1.8 } else { 0.0 };
            let values = (0..80).map(|x| level(x) + 0.3 * chance.normal()).collect();
            found += drifts(&Track { values, least_variance: 0.07, among: 1 }).len();
        }
        assert!(found <= 2, "{found} of 200");
    }

    /// A band of which there are some ten events in each value makes the level noisier, too.
    #[test]
    fn a_few_noisy_values_after_a_step_are_no_line() {
        let mut found = 0;
        for seed in 0..200 {
            let mut chance = Chance::new(seed);
            let after = 4 + usize::try_from(seed % 8).unwrap();
            let level = |x: usize| if x < 42 { (0.0, 0.03) } else { (0.4, 0.12) };
            let noisy = |x: usize| level(x).0 + level(x).1 * chance.normal();
            let values = (0..42 + after).map(noisy).collect();
            found += drifts(&Track { values, least_variance: 0.001, among: 1 }).len();
        }
        assert!(found <= 8, "{found} of 200");
    }

    #[test]
    fn the_best_levels_are_those_that_are_there() {
        let around = |level: &f64| [level - 0.1, *level, *level, level + 0.1];
        let values: Vec<f64> = [0.0, 0.0, 3.0, 1.0].iter().flat_map(around).collect();
        let errors = errors_of_steps(&values, 2);
        // By hand: 0.02 within each four; of 0, 0, 3 and 1 about their mean 1, four times 6; of 0, 0
        // against 3 and 1, four times 2.
        for (found, right) in errors.iter().zip([24.08, 8.08, 0.08]) {
            assert!((found - right).abs() < 1e-9, "{errors:?}");
        }
    }

    #[test]
    fn steps_and_noise_that_wanders_are_no_drift() {
        let mut found = 0;
        for seed in 0..100 {
            let memory = [0.0, 0.5, 0.9, 0.95][usize::try_from(seed % 4).unwrap()];
            found += drifts(&track(seed, memory, |_| 0.0)).len();
            found += drifts(&track(seed, memory, |x| if x < 333 { 0.0 } else { 1.0 })).len();
            found += drifts(&track(seed, memory, |x| if x / 150 == 1 { 0.7 } else { 0.0 })).len();
        }
        assert!(found <= 3, "{found} of 300");
    }
}
