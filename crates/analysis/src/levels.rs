//! How well levels with steps between them describe values.

/// The fewest values between two steps that are looked for.
const APART: usize = 4;

/// The least sums of squared distances from levels, by the number of steps between them from none to
/// the most (Fisher 1958).
pub(crate) fn errors_of_steps(values: &[f64], most: usize) -> Vec<f64> {
    let count = values.len();
    let mut sums = vec![(0.0, 0.0)];
    for value in values {
        let (sum, square) = sums[sums.len() - 1];
        sums.push((sum + value, square + value * value));
    }
    let level = |from: usize, to: usize| {
        let sum = sums[to].0 - sums[from].0;
        (sums[to].1 - sums[from].1 - sum * sum / (to - from) as f64).max(0.0)
    };
    // The least error of the first so many values.
    let mut least: Vec<f64> =
        (0..=count).map(|to| if to < APART { f64::INFINITY } else { level(0, to) }).collect();
    let mut errors = vec![least[count]];
    for _ in 0..most {
        let with_one_more = |to: usize| {
            let places = 0..(to + 1).saturating_sub(APART);
            places.map(|at| least[at] + level(at, to)).fold(f64::INFINITY, f64::min)
        };
        least = (0..=count).map(with_one_more).collect();
        errors.push(least[count]);
    }
    errors
}
