//! The histograms of `LATENCY HISTOGRAM`.

use std::sync::LazyLock;

use isotherm_frame::{Histogram, Scheme};

/// The last bounds in nanoseconds that belong to a bucket: `1032 * 2^k - 1`, of which Redis prints
/// whole microseconds.
const BUCKETS: usize = 21;

static SCHEME: LazyLock<Scheme> = LazyLock::new(|| {
    let ends = (0..BUCKETS - 1).map(|power| 1_032_u64 << power);
    // A second or more is counted as one second.
    let bounds = std::iter::once(0).chain(ends).chain([Scheme::UNBOUNDED]).collect();
    Scheme::new(bounds).unwrap_or_else(|_| Scheme::log_linear())
});

/// The bucket whose upper bound Redis prints as so many microseconds.
fn index_of(label_us: u64) -> Option<usize> {
    (0..BUCKETS).find(|power| ((1_032_u64 << power) - 1) / 1_000 == label_us)
}

/// What `LATENCY HISTOGRAM` tells of one command: bounds in microseconds with the number of calls
/// up to there. Buckets in which nothing was counted are left out. Why it cannot be read, if so.
pub fn histogram(calls: u64, rows: &[(u64, u64)]) -> Result<Histogram, String> {
    let mut counts = vec![0_u64; SCHEME.buckets()];
    let (mut reached, mut last) = (0, None);
    for &(label, up_to) in rows {
        let index = index_of(label);
        let Some(slot) = index.and_then(|index| counts.get_mut(index)) else {
            return Err(format!("{label} microseconds is not a bound of Redis 7"));
        };
        if index <= last || up_to < reached {
            return Err(format!("the counts up to {label} microseconds do not follow one another"));
        }
        *slot = up_to - reached;
        (reached, last) = (up_to, index);
    }
    if reached != calls {
        return Err(format!("{reached} calls in buckets where there were {calls}: it is cut short"));
    }
    Histogram::new(SCHEME.clone(), counts, None).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_that_redis_prints() {
        let labels = [
            1, 2, 4, 8, 16, 33, 66, 132, 264, 528, 1_056, 2_113, 4_227, 8_454, 16_908, 33_816,
            67_633, 135_266, 270_532, 541_065, 1_082_130,
        ];
        for (index, label) in labels.into_iter().enumerate() {
            assert_eq!(index_of(label), Some(index), "{label}");
        }
        assert_eq!(index_of(3), None);
    }

    #[test]
    fn counts_are_up_to_a_bound() {
        let counted = histogram(8, &[(1, 4), (2, 6), (8, 8)]).unwrap();
        let parts: Vec<_> =
            counted.non_zero().map(|(b, n)| (b.lo.as_nanos(), b.hi.unwrap().as_nanos(), n)).collect();
        assert_eq!(parts, [(0, 1_032, 4), (1_032, 2_064, 2), (4_128, 8_256, 2)]);
        assert!(histogram(9, &[(1, 4)]).is_err());
        assert!(histogram(4, &[(2, 4), (1, 4)]).is_err());
        assert!(histogram(4, &[(3, 4)]).is_err());
    }
}
