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

/// So many values at the end are a level of their own...
const LATE: usize = 3;
/// ...if each lies beyond all of so many before them, but for one in the middle of which it steps.
const BEFORE: usize = 16;

/// The step to a level that is there in the last few values only.
pub(crate) fn late_step(values: &[f64]) -> Option<usize> {
    let at = values.len().checked_sub(LATE)?;
    let (before, latest) =
        (&values[at.saturating_sub(BEFORE + 1)..at.checked_sub(1)?], &values[at..]);
    let ends = |values: &[f64]| {
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        (lowest, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((low, high), (bottom, top)) = (ends(before), ends(latest));
    (before.len() >= BEFORE / 2 && (bottom > high || top < low)).then_some(at)
}
