//! Times, ranges and shares in words.

use isotherm_frame::{Bucket, Nanos, QuantileInterval};
use isotherm_views::ranges::{self, Digits};

use crate::app::App;

/// Ranges wider than this share of their lower edge are shown as ranges.
const NARROW: f64 = 0.15;

/// A quantile as honestly as its bucket allows: `≈457µs`, `16–33ms`, `>1.07s`.
pub(super) fn quantile(interval: &QuantileInterval) -> String {
    let Bucket { lo, hi } = interval.bucket;
    let narrow = hi.is_some_and(|hi| {
        let (lo, hi) = (lo.as_nanos() as f64, hi.as_nanos() as f64);
        hi - lo < NARROW * lo
    });
    if narrow { format!("≈{}", interval.estimate) } else { range(lo, hi) }
}

/// A range of latency with its edges rounded outwards: `16–33ms`.
pub(super) fn range(lo: Nanos, hi: Option<Nanos>) -> String {
    ranges::range(Bucket { lo, hi }, Digits::Two)
}

/// The latencies of a selection, as far as it is not of all: ` × 5.8–23ms`.
pub(super) fn selected(app: &App, edges: (Nanos, Option<Nanos>)) -> String {
    if app.cursor.columns { String::new() } else { format!(" × {}", range(edges.0, edges.1)) }
}

/// How much one number is of another, in words: `+62%`, `-8%`, `×2.50`, `×34.0`.
pub(super) fn change(from: f64, to: f64) -> String {
    let ratio = to / from;
    if !ratio.is_finite() {
        return String::new();
    }
    match ratio {
        0.5..2.0 => format!("{:+.0}%", (ratio - 1.0) * 100.0).replace("-0%", "+0%"),
        _ => isotherm_views::compare::figures::ratio(ratio),
    }
}

/// The same to three digits: `16.3–32.8ms`.
pub(super) fn edges(lo: Nanos, hi: Option<Nanos>) -> String {
    ranges::range(Bucket { lo, hi }, Digits::Three)
}

/// An estimate in nanoseconds to two digits: `≈230µs`.
pub(super) fn about(ns: f64) -> String {
    let digits = 10_f64.powf(ns.max(1.0).log10().floor() - 1.0).max(1.0);
    let rounded = Nanos::from_secs_f64((ns / digits).round() * digits / 1e9);
    format!("≈{}", rounded.unwrap_or_default())
}

/// Seconds waited per second as the average number waiting: `23.1 waiting`, `0.4 waiting`.
pub(super) fn waiting(waited: f64) -> String {
    format!("{} waiting", isotherm_views::seconds(waited))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Scheme, Unit};

    use super::*;

    #[test]
    fn wide_buckets_give_ranges_and_narrow_ones_estimates() {
        let mut coarse = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
        coarse.record(Nanos::from_micros(20_000));
        assert_eq!(quantile(&coarse.quantile(0.99).unwrap()), "16–33ms");
        let mut fine = Histogram::empty(Scheme::log_linear());
        fine.record(Nanos::from_micros(457));
        let shown = quantile(&fine.quantile(0.5).unwrap());
        assert!(shown.starts_with('≈') && shown.ends_with("µs"), "{shown}");
    }

    #[test]
    fn ranges_are_rounded_outwards() {
        let micros = Nanos::from_micros;
        assert_eq!(range(micros(524), Some(micros(1_048))), "0.52–1.1ms");
        assert_eq!(range(micros(8_192), Some(micros(16_384))), "8.1–17ms");
        assert_eq!(range(Nanos::ZERO, Some(micros(64))), "<64µs");
        assert_eq!(range(micros(2_000), None), ">2ms");
    }

    #[test]
    fn small_changes_are_percentages_and_large_ones_factors() {
        let shown = [62.0, 199.0, 92.0, 99.9, 250.0, 3_400.0, 60_000.0, 40.0, 2.0];
        let shown = shown.map(|to| change(100.0, to));
        let expected = ["-38%", "+99%", "-8%", "+0%", "×2.50", "×34.0", "×600", "×0.4", "×0.02"];
        assert_eq!(shown, expected);
        assert_eq!(change(0.0, 3.0), "");
    }
}
