//! A distribution in a few characters.

use isotherm_frame::Histogram;

/// How many characters a distribution has: up to 1 µs, then one for each factor of 4.
const CELLS: usize = 16;
/// Where the second begins, as a power of two of nanoseconds.
const FIRST_EXPONENT: u32 = 10;
/// Octaves in a character.
const OCTAVES: u32 = 2;

/// What stands above distributions: below each letter begin microseconds, milliseconds, seconds.
pub(super) const SCALE: &str = "·µs   ms   s    ";

/// Bars of equal width, as high as their counts; what is counted at all is seen.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The distribution as bars.
pub(super) fn bars(latencies: &Histogram) -> String {
    let mut cells = [0_u64; CELLS];
    for (bucket, count) in latencies.non_zero() {
        cells[cell_of(bucket.lo.as_nanos())] += count;
    }
    let most = cells.iter().copied().max().unwrap_or(0);
    cells.iter().map(|&count| bar(count, most)).collect()
}

fn cell_of(ns: u64) -> usize {
    let octaves = ns.checked_ilog2().and_then(|exponent| exponent.checked_sub(FIRST_EXPONENT));
    octaves.map_or(0, |octaves| 1 + (octaves / OCTAVES) as usize).min(CELLS - 1)
}

fn bar(count: u64, most: u64) -> char {
    let eighths = count.saturating_mul(8).div_ceil(most.max(1)).min(8);
    BARS[usize::try_from(eighths).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{LogLinear, Nanos, Scheme};

    use super::*;

    #[test]
    fn each_character_is_a_factor_of_four() {
        let scheme = Scheme::log_linear();
        let mut counts = vec![0; scheme.buckets()];
        for (ns, count) in
            [(500, 4), (1_100, 8), (4_100, 1), (1_048_576, 2), (1 << 30, 1), (u64::MAX, 1)]
        {
            counts[LogLinear::EVENTS.index_of(Nanos::new(ns))] += count;
        }
        let latencies = Histogram::new(scheme, counts, None).unwrap();
        assert_eq!(bars(&latencies), "▄█▁   ▂    ▁   ▁");
        assert_eq!(SCALE.chars().count(), CELLS);
    }
}
