//! Where several noisy tracks over time step from one level to another.

/// Something measured block by block, whose level may step.
pub(crate) struct Track {
    /// One value for each block of time.
    pub values: Vec<f64>,
    /// The least variance that one value can have, by the number of events behind it.
    pub least_variance: f64,
    /// Of how many tracks that are looked at for the same reason this is one: the more there are,
    /// the clearer each must step.
    pub among: usize,
}

/// Fewer blocks of time show no change.
pub(crate) const LEAST_BLOCKS: usize = 16;
/// The fewest blocks between two steps.
pub(crate) const LEAST_APART: usize = 4;
/// The limit of the test as a multiple of what the largest of so many normal deviates reaches.
/// Set by simulation, see the tests.
const STRICT: f64 = 1.25;
/// How often a value after a step lies beyond one before it, at least: a step moves most values,
/// a burst only some.
const MOST: f64 = 0.8;
/// How much more is asked of short runs, whose noise is not well known: this many blocks double it.
const SHORT: f64 = 12.0;

/// The blocks at which at least one track steps to another level, ascending.
///
/// Cumulative sums of each track (Page 1954) are scanned on seeded intervals, in O(n log n)
/// (Kovács, Bühlmann, Li & Munk 2023), the clearest step counts first, and each is then looked
/// for again between its neighbours. The tracks are taken together by their maximum (Jirak 2015), so that what they have
/// in common is not counted twice. Each is measured in its own long-run standard deviation, so
/// that a slow drift of noise is no step.
pub(crate) fn steps(tracks: &[Track]) -> Vec<usize> {
    let blocks = tracks.iter().map(|track| track.values.len()).min().unwrap_or(0);
    if blocks < LEAST_BLOCKS {
        return Vec::new();
    }
    let sums: Vec<Sums> = tracks.iter().map(Sums::new).collect();
    let strict = STRICT * (1.0 + SHORT / blocks as f64);
    let limit = |track: &Track| strict * (2.0 * ((blocks * track.among) as f64).ln()).sqrt();
    let scan = Scan { sums, limits: tracks.iter().map(limit).collect() };
    let found = scan.settled(scan.clearest_first(blocks), blocks);
    scan.sharpened(found, tracks)
}

/// How far a step may lie from where it shows most in values without spikes.
const NEAR: usize = 2;

/// A track ready to be scanned.
struct Sums {
    /// The values without lone spikes.
    smooth: Vec<f64>,
    /// Sums of the values before each block.
    before: Vec<f64>,
    /// The long-run standard deviation of one value.
    deviation: f64,
}

/// The best split of a stretch of blocks.
#[derive(Copy, Clone)]
struct Split {
    at: usize,
    track: usize,
    /// The difference of the means in standard errors.
    score: f64,
}

struct Scan {
    sums: Vec<Sums>,
    /// What a split's score must exceed, by track.
    limits: Vec<f64>,
}

impl Sums {
    fn new(track: &Track) -> Sums {
        let smooth = medians_of_three(&track.values);
        let mut sum = 0.0;
        let mut before = vec![0.0];
        before.extend(smooth.iter().map(|value| {
            sum += value;
            sum
        }));
        let variance = long_run_variance(&track.values).max(track.least_variance);
        Sums { smooth, before, deviation: variance.sqrt().max(f64::MIN_POSITIVE) }
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        (self.before[to] - self.before[from]) / (to - from) as f64
    }

    fn score(&self, from: usize, at: usize, to: usize) -> f64 {
        let (left, right) = ((at - from) as f64, (to - at) as f64);
        let apart = (self.mean(at, to) - self.mean(from, at)).abs();
        apart * (left * right / (left + right)).sqrt() / self.deviation
    }

    /// The split with the highest score. Nearly all the time that steps are looked for goes by here: so
    /// squares are compared, without what is the same for all splits, which takes no root and one division.
    fn farthest_apart(&self, from: usize, to: usize) -> Option<usize> {
        let first = from + LEAST_APART;
        let sums = self.before.get(first..(to + 1).checked_sub(LEAST_APART)?)?;
        let (base, length) = (self.before[from], (to - from) as f64);
        let total = self.before[to] - base;
        let mut left = LEAST_APART as f64;
        let mut best: Option<(usize, f64)> = None;
        for (place, sum) in sums.iter().enumerate() {
            let apart = total * left - (sum - base) * length;
            let square = apart * apart / (left * (length - left));
            if best.is_none_or(|(_, highest)| square >= highest) {
                best = Some((first + place, square));
            }
            left += 1.0;
        }
        best.map(|(at, _)| at)
    }

    /// Whether most values from `at` on lie on one side of those before it: the probability of
    /// superiority (Mann & Whitney 1947).
    fn most_step(&self, from: usize, at: usize, to: usize) -> bool {
        let mut left = self.smooth[from..at].to_vec();
        left.sort_unstable_by(f64::total_cmp);
        let beyond = |&value: &f64| {
            let (below, up_to) =
                (left.partition_point(|&l| l < value), left.partition_point(|&l| l <= value));
            (below + up_to) as f64 / 2.0
        };
        let pairs = (left.len() * (to - at)) as f64;
        let share = self.smooth[at..to].iter().map(beyond).sum::<f64>() / pairs;
        share.max(1.0 - share) >= MOST
    }
}

impl Scan {
    /// The clearest split of those that are steps; of all where none is.
    fn best(&self, from: usize, to: usize) -> Option<Split> {
        let of_track = |track: usize| {
            let sums = &self.sums[track];
            let at = sums.farthest_apart(from, to)?;
            Some(Split { at, track, score: sums.score(from, at, to) })
        };
        let mut best: Vec<Split> = (0..self.sums.len()).filter_map(of_track).collect();
        let clear = |split: &Split| split.score / self.limits[split.track];
        best.sort_by(|one, two| clear(two).total_cmp(&clear(one)));
        let step = best.iter().find(|split| self.passes(**split, from, to));
        step.or(best.first()).copied()
    }

    fn passes(&self, split: Split, from: usize, to: usize) -> bool {
        split.score > self.limits[split.track]
            && self.sums[split.track].most_step(from, split.at, to)
    }

    /// The best splits of the seeded intervals, the clearest first, one for each stretch.
    fn clearest_first(&self, blocks: usize) -> Vec<usize> {
        let mut splits: Vec<(Split, usize, usize)> = seeded_intervals(blocks)
            .into_iter()
            .filter_map(|(from, to)| Some((self.best(from, to)?, from, to)))
            .filter(|&(split, from, to)| self.passes(split, from, to))
            .collect();
        let clear = |split: &Split| split.score / self.limits[split.track];
        splits.sort_by(|one, two| clear(&two.0).total_cmp(&clear(&one.0)));
        let mut found: Vec<usize> = Vec::new();
        for (split, from, to) in splits {
            if !found.iter().any(|&at| from < at && at < to) {
                found.push(split.at);
            }
        }
        found.sort_unstable();
        found
    }

    /// The steps looked for again between their neighbours; those that do not stand there go.
    fn settled(&self, mut found: Vec<usize>, blocks: usize) -> Vec<usize> {
        loop {
            for index in 0..found.len() {
                let (from, to) = between(&found, index, blocks);
                if let Some(split) = self.best(from, to) {
                    found[index] = split.at;
                }
            }
            let weakest = (0..found.len()).find(|&index| {
                let (from, to) = between(&found, index, blocks);
                self.best(from, to).is_none_or(|split| !self.passes(split, from, to))
            });
            let Some(weakest) = weakest else { return found };
            found.remove(weakest);
        }
    }
}

impl Scan {
    /// The steps where the values themselves say they are: those without spikes are a little late
    /// or early.
    fn sharpened(&self, mut found: Vec<usize>, tracks: &[Track]) -> Vec<usize> {
        let blocks = self.sums.first().map_or(0, |sums| sums.smooth.len());
        for index in 0..found.len() {
            let (from, to) = between(&found, index, blocks);
            let Some(track) = self.best(from, to).and_then(|split| tracks.get(split.track)) else {
                continue;
            };
            let at = found[index];
            let least = (from + LEAST_APART).max(at.saturating_sub(NEAR));
            let most = to.saturating_sub(LEAST_APART).min(at + NEAR);
            let apart = |at: usize| apart(&track.values[from..to], at - from);
            let best = (least..=most).max_by(|&one, &two| apart(one).total_cmp(&apart(two)));
            found[index] = best.unwrap_or(at);
        }
        found
    }
}

/// What a split into two levels takes from the squared distances of values from their mean.
fn apart(values: &[f64], at: usize) -> f64 {
    let (left, right) = values.split_at(at);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (count, others) = (left.len() as f64, right.len() as f64);
    (mean(left) - mean(right)).powi(2) * count * others / (count + others)
}

/// The neighbours of a step: the blocks it may lie between.
fn between(found: &[usize], index: usize, blocks: usize) -> (usize, usize) {
    let from = index.checked_sub(1).map_or(0, |left| found[left]);
    (from, found.get(index + 1).copied().unwrap_or(blocks))
}

/// Intervals of all lengths, each layer shorter by the square root of two and half overlapping.
fn seeded_intervals(blocks: usize) -> Vec<(usize, usize)> {
    let mut intervals = Vec::new();
    let mut length = blocks as f64;
    while length >= 2.0 * LEAST_APART as f64 {
        let count = (2.0 * (blocks as f64 / length).ceil() - 1.0).max(1.0);
        let shift = if count > 1.0 { (blocks as f64 - length) / (count - 1.0) } else { 0.0 };
        let mut from = 0.0;
        while from + length <= blocks as f64 + 1e-6 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the number of blocks"
            )]
            let (start, end) = (from as usize, ((from + length).ceil() as usize).min(blocks));
            intervals.push((start, end));
            if shift <= 0.0 {
                break;
            }
            from += shift;
        }
        length /= std::f64::consts::SQRT_2;
    }
    intervals
}

/// Each value replaced by the median of it and its neighbours: lone spikes go, steps stay.
pub(crate) fn medians_of_three(values: &[f64]) -> Vec<f64> {
    let at = |index: usize| values.get(index).copied();
    (0..values.len())
        .map(|index| {
            let here = values[index];
            let left = index.checked_sub(1).and_then(at).unwrap_or(here);
            let right = at(index + 1).unwrap_or(here);
            left.max(here).min(left.min(here).max(right))
        })
        .collect()
}

/// The most lags looked at.
const MOST_LAGS: usize = 64;

/// The variance of a mean of many values, times their number: the variance of one and all their
/// covariances, up to the lag at which these end (Geyer 1992). From robust variances of
/// differences (Chakar, Lebarbier, Lévy-Leduc & Robin 2017), in which a few steps weigh little.
pub(crate) fn long_run_variance(values: &[f64]) -> f64 {
    let most = (values.len() / 8).clamp(1, MOST_LAGS);
    let all = half_variance_of_differences(values, most)
        .max(half_variance_of_differences(values, most.div_ceil(2)));
    let covariances = (1..most).map(|lag| all - half_variance_of_differences(values, lag));
    let positive = covariances.take_while(|&covariance| covariance > 0.1 * all);
    all + 2.0 * positive.sum::<f64>()
}

/// The median absolute deviation of normal deviates.
const NORMAL_MAD: f64 = 0.674_489_75;

/// Half of the variance of differences of values so many blocks apart.
fn half_variance_of_differences(values: &[f64], lag: usize) -> f64 {
    let pairs = values.iter().zip(values.iter().skip(lag));
    let mut apart: Vec<f64> = pairs.map(|(one, two)| (two - one).abs()).collect();
    if apart.is_empty() {
        return 0.0;
    }
    let middle = apart.len() / 2;
    let (_, median, _) = apart.select_nth_unstable_by(middle, f64::total_cmp);
    (*median / NORMAL_MAD).powi(2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::Chance;

    #[test]
    fn the_split_that_is_found_has_the_highest_score_of_all() {
        for seed in 0..40 {
            let mut chance = Chance::new(seed);
            let level = |block: usize| if block >= 70 { 14.3 } else { 14.0 };
            let values: Vec<f64> =
                (0..120).map(|block| level(block) + 0.2 * chance.normal()).collect();
            let sums = Sums::new(&Track { values, least_variance: 0.0, among: 1 });
            for (from, to) in seeded_intervals(120) {
                let scores =
                    (from + LEAST_APART..=to - LEAST_APART).map(|at| sums.score(from, at, to));
                let highest = scores.fold(0.0, f64::max);
                let at = sums.farthest_apart(from, to).unwrap();
                assert!(
                    sums.score(from, at, to) >= highest * (1.0 - 1e-9),
                    "{seed}: {from}..{to} at {at}"
                );
            }
            assert_eq!(sums.farthest_apart(3, 3 + 2 * LEAST_APART - 1), None);
        }
    }
}
