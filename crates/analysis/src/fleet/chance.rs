//! How far some of the events can be from all of them by chance.
//!
//! Where no host differs, the events of one are a random part of the events of all: drawn without putting
//! back from the pool. Of a part of `n` events let `S` be the time waited below a bound, less the pool's share of
//! time below the bound times all of the part's time. `S` is a sum of `n` draws of mean 0. How large it becomes by chance is
//! bounded by Chernoff's inequality, which holds for draws without putting back as for those with (Hoeffding
//! 1963, theorem 4): no normal distribution is assumed, so few slow events are no trap. The noise of the others is
//! counted, too: they are what the draw leaves, and the distance is a multiple of `S`.

use isotherm_frame::Scheme;

/// In one of so many fleets without differences a host is said to differ, at most.
const LEVEL: f64 = 0.01;
/// Steps of the search for the closest bound: each divides the range by 1.6.
const STEPS: usize = 40;
/// The logarithms of how far the closest bound is from where the normal distribution has it, at most.
const REACH: f64 = 14.0;

/// A host counts in the pool with at most so many times the time that the median host waited: one that is very
/// slow hides no other.
const MOST_OF_MEDIAN: f64 = 2.0;

/// The events of all hosts.
#[derive(Debug)]
pub(super) struct Pool {
    /// Events in each bucket; of hosts that waited most only as many as count.
    counts: Vec<f64>,
    /// Nanoseconds that an event of each bucket stands for.
    pub(super) weights: Vec<f64>,
    /// The indices of the bounds that divide the events, each just above a filled bucket.
    pub(super) divisions: Vec<usize>,
    /// The time of one host that counts, at most, nanoseconds.
    most_time: f64,
    /// How many hosts waited more than that, if they waited more than half of all time together.
    pub(super) dominant: usize,
    /// The logarithm of how many tests there are of each level.
    log_tests: f64,
}

impl Pool {
    pub(super) fn of(hosts: &[&[u64]], scheme: &Scheme) -> Pool {
        let weight = |index| scheme.bucket(index).mid_point().as_nanos() as f64;
        let weights: Vec<f64> = (0..scheme.buckets()).map(weight).collect();
        let times: Vec<f64> = hosts.iter().map(|own| time_of(own, &weights)).collect();
        let most_time = MOST_OF_MEDIAN * median(&times);
        let is_above = |time: &&f64| **time > most_time;
        let above = times.iter().filter(is_above).sum::<f64>();
        let dominates = above * 2.0 > times.iter().sum::<f64>();
        let mut pool = Pool {
            counts: vec![0.0; weights.len()],
            dominant: if dominates { times.iter().filter(is_above).count() } else { 0 },
            divisions: Vec::new(),
            weights,
            most_time,
            log_tests: 0.0,
        };
        for own in hosts {
            let part = pool.part_of(own);
            let counts = pool.counts.iter_mut().zip(*own);
            counts.for_each(|(all, own)| *all += *own as f64 * part);
        }
        let filled: Vec<usize> =
            (0..pool.counts.len()).filter(|index| pool.counts[*index] > 0.0).collect();
        let below_last = filled.len().saturating_sub(1);
        pool.divisions = filled[..below_last].iter().map(|index| index + 1).collect();
        let tests = 2 * hosts.len().max(1) * pool.divisions.len().max(1);
        pool.log_tests = (tests as f64 / LEVEL).ln();
        pool
    }

    /// The part of a host's events that counts in the pool.
    fn part_of(&self, own: &[u64]) -> f64 {
        let time = time_of(own, &self.weights);
        if time > self.most_time { self.most_time / time } else { 1.0 }
    }

    /// The events in each bucket of all hosts but one.
    fn others(&self, own: &[u64]) -> Vec<f64> {
        let part = self.part_of(own);
        let others = self.counts.iter().zip(own);
        others.map(|(all, own)| (all - *own as f64 * part).max(0.0)).collect()
    }

    /// Nanoseconds waited in each bucket by one host and by all others.
    pub(super) fn times(&self, own: &[u64]) -> (Vec<f64>, Vec<f64>) {
        let own_counts = own.iter().map(|count| *count as f64);
        let times = |(count, weight): (f64, &f64)| count * weight;
        let own_times = own_counts.zip(&self.weights).map(times).collect();
        (own_times, self.others(own).into_iter().zip(&self.weights).map(times).collect())
    }

    /// The difference between the shares of time below a bound, of `own` and of all others, that chance exceeds
    /// with the level of one test. `is_more` says whether own has the larger share there.
    pub(super) fn difference_by_chance(&self, own: &[u64], division: usize, is_more: bool) -> f64 {
        let (own_times, others_times) = self.times(own);
        let sum = |times: &[f64]| times.iter().sum::<f64>();
        let (own_time, others_time) = (sum(&own_times), sum(&others_times));
        let all_time = own_time + others_time;
        let below = (sum(&own_times[..division]) + sum(&others_times[..division])) / all_time;
        let counts: Vec<f64> =
            self.others(own).iter().zip(own).map(|(others, own)| others + *own as f64).collect();
        let own_events = own.iter().map(|count| *count as f64).sum::<f64>();
        let events = sum(&counts);
        // What one side has too much the other has too little: the smaller is the closer to independent draws.
        let is_smaller = own_events * 2.0 <= events;
        let sign = if is_more == is_smaller { 1.0 } else { -1.0 };
        let mean = all_time / events;
        let steps = counts.iter().zip(&self.weights).enumerate();
        let steps =
            steps.filter(|(_, (count, _))| **count > 0.0).map(|(index, (count, weight))| {
                let is_below = f64::from(u8::from(index < division));
                (count / events, sign * weight / mean * (is_below - below))
            });
        let draws = Draws { steps: steps.collect(), number: own_events.min(events - own_events) };
        draws.most(self.log_tests) * mean * all_time / (own_time * others_time)
    }
}

/// Nanoseconds that a host waited.
fn time_of(own: &[u64], weights: &[f64]) -> f64 {
    own.iter().zip(weights).map(|(count, weight)| *count as f64 * weight).sum()
}

/// The middle of several times, the lower one of two.
fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

/// A sum of so many independent draws.
struct Draws {
    /// The probability and the value of each result; the mean is 0.
    steps: Vec<(f64, f64)>,
    number: f64,
}

impl Draws {
    /// What the sum exceeds with a probability of at most `exp(-log_level)`: the least of Chernoff's bounds, each of
    /// which holds.
    fn most(&self, log_level: f64) -> f64 {
        let variance = self.steps.iter().map(|(share, value)| share * value * value).sum::<f64>();
        let normal = (2.0 * log_level / (self.number * variance)).sqrt();
        if !normal.is_finite() {
            return 0.0;
        }
        let bound = |log_rate: f64| {
            let rate = log_rate.exp();
            (self.number * self.log_moment(rate) + log_level) / rate
        };
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (normal.ln() - REACH, normal.ln() + REACH);
        let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
        let (mut at_left, mut at_right) = (bound(left), bound(right));
        for _ in 0..STEPS {
            if at_left < at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - golden * (high - low);
                at_left = bound(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + golden * (high - low);
                at_right = bound(right);
            }
        }
        at_left.min(at_right)
    }

    /// The logarithm of the mean of `exp(rate * value)`.
    fn log_moment(&self, rate: f64) -> f64 {
        let top = self.steps.iter().map(|(_, value)| rate * value).fold(f64::MIN, f64::max);
        if top < 1.0 {
            let sum = self.steps.iter().map(|(share, value)| share * (rate * value).exp_m1());
            return sum.sum::<f64>().ln_1p();
        }
        let sum = self.steps.iter().map(|(share, value)| share * (rate * value - top).exp());
        top + sum.sum::<f64>().ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_coins_in_closed_form() {
        // Of n coins, Chernoff's bound is exp(-n D(p || 1/2)), with the divergence D of Kullback and Leibler.
        let coins = Draws { steps: vec![(0.5, -1.0), (0.5, 1.0)], number: 100.0 };
        let share = 0.8_f64;
        let divergence = share * (2.0 * share).ln() + (1.0 - share) * (2.0 * (1.0 - share)).ln();
        let most = coins.most(100.0 * divergence);
        assert!((most - 60.0).abs() < 1e-6, "{most}");
        // No more than all heads is possible.
        let most = coins.most(1e4);
        assert!((100.0..101.0).contains(&most), "{most}");
    }

    #[test]
    fn few_heavy_draws_are_those_of_a_poisson_distribution() {
        // The rare value r = 1,000, one in 1,000 draws, with a mean of 10: Chernoff's bound of Poisson's
        // distribution is exp(-(k ln(k / 10) - k + 10)).
        let rare = 1e-6;
        let steps = vec![(1.0 - rare, -rare / (1.0 - rare)), (rare, 1.0)];
        let draws = Draws { steps, number: 1e7 };
        let reached = 40.0_f64;
        let level = reached * (reached / 10.0).ln() - reached + 10.0;
        assert!((draws.most(level) - (reached - 10.0)).abs() < 1e-2, "{}", draws.most(level));
    }
}
