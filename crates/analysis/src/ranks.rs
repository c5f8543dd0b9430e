//! How two things that are measured over time go together, by rank.

/// A correlation, and how sure it is.
#[derive(Copy, Clone)]
pub(crate) struct Correlation {
    /// Spearman's rank correlation, -1 to 1.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// How many standard errors it is from none, after Fisher's transformation.
    pub errors: f64,
    /// The correlation of the second with itself one step later.
    pub second_autocorrelation: f64,
}

/// The most steps over which values are compared with themselves, as a share of all.
const LAGS: usize = 5;
/// Fewer independent values say nothing.
const LEAST: f64 = 8.0;

/// The rank correlation of two series (Spearman 1904). As values over time are like their
/// neighbours, there are fewer independent ones than values (Pyper & Peterman 1998). `None` where
/// there are too few, or nothing varies.
pub(crate) fn correlation(one: &[f64], two: &[f64]) -> Option<Correlation> {
    let (one, two) = (ranks(one), ranks(two));
    let value = product(&one, &two)?;
    let count = one.len() as f64;
    let lags = (1..=one.len() / LAGS).map(|lag| lagged(&one, lag) * lagged(&two, lag));
    let common: f64 = lags.take_while(|product| *product > 0.0).sum();
    let independent = count / (1.0 + 2.0 * common);
    if independent < LEAST {
        return None;
    }
    // 1.06: the variance of Fisher's transformation of a rank correlation (Fieller et al. 1957).
    let error = 1.06_f64.sqrt() / (independent - 3.0).sqrt();
    let errors = value.clamp(-0.999_999, 0.999_999).atanh().abs() / error;
    Some(Correlation { value, error, errors, second_autocorrelation: lagged(&two, 1) })
}

/// The rank correlation, and the share of all ways to shift one series against the other in a circle
/// in which they go together as much: each keeps its own course, and only what they have in common
/// is lost (Theiler, Eubank, Longtin, Galdrikian & Farmer 1992). `None` where nothing varies.
pub(crate) fn shifted_beyond(one: &[f64], two: &[f64]) -> Option<(f64, f64)> {
    let (one, two) = (ranks(one), ranks(two));
    let value = product(&one, &two)?;
    let all = dot(&one, &two).abs();
    let shifted = |by: usize| {
        let (head, tail) = two.split_at(by);
        dot(&one[..tail.len()], tail) + dot(&one[tail.len()..], head)
    };
    let as_strong = (1..two.len()).filter(|&by| shifted(by).abs() >= all).count();
    Some((value, (1 + as_strong) as f64 / two.len() as f64))
}

/// The ranks, less their mean; equal values share theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &two| values[one].total_cmp(&values[two]));
    let mut ranks = vec![0.0; values.len()];
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let mut below = 0;
    for equal in order.chunk_by(|&one, &two| values[one].total_cmp(&values[two]).is_eq()) {
        let rank = below as f64 + (equal.len() as f64 - 1.0) / 2.0 - middle;
        for &index in equal {
            ranks[index] = rank;
        }
        below += equal.len();
    }
    ranks
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(a, b)| a * b).sum()
}

fn product(one: &[f64], two: &[f64]) -> Option<f64> {
    let size = (dot(one, one) * dot(two, two)).sqrt();
    (size > 0.0).then(|| dot(one, two) / size)
}

/// The correlation of centred values with themselves so many steps later.
fn lagged(values: &[f64], lag: usize) -> f64 {
    let all = dot(values, values);
    if all > 0.0 { dot(values, &values[lag.min(values.len())..]) / all } else { 0.0 }
}

/// The value at a share of the sorted values, by nearest rank; 0 of none.
pub(crate) fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = usize::try_from(isotherm_frame::nearest_rank(q, sorted.len() as u64)).unwrap_or(1);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_go_together_whatever_the_curve() {
        let one: Vec<f64> = (0..50).map(f64::from).collect();
        let squares: Vec<f64> = one.iter().map(|value| value * value).collect();
        assert!((product(&ranks(&one), &ranks(&squares)).unwrap() - 1.0).abs() < 1e-12);
        let down: Vec<f64> = one.iter().map(|value| -value).collect();
        assert!((product(&ranks(&one), &ranks(&down)).unwrap() + 1.0).abs() < 1e-12);
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [0.5, -1.0, 0.5]);
    }

    #[test]
    fn what_drifts_together_by_chance_is_few_observations() {
        // Two slow waves: 200 values, but hardly more than a few independent ones.
        let wave =
            |per: f64| -> Vec<f64> { (0..200).map(|x| (f64::from(x) / per).sin()).collect() };
        assert!(correlation(&wave(40.0), &wave(45.0)).is_none());
        assert!(correlation(&[1.0; 30], &[2.0; 30]).is_none());
    }

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        for (q, expected) in [(0.0, 1.0), (0.1, 1.0), (0.5, 3.0), (0.9, 5.0), (1.0, 5.0)] {
            assert!((quantile(&values, q) - expected).abs() < 1e-12, "{q}");
        }
    }
}
