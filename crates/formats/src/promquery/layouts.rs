//! Which bounds the series of histograms have: counts up to a bound can only be added up where all have it.

use std::collections::BTreeMap;

use isotherm_frame::Unit;

use super::increases::quantities_by;
use crate::prometheus::Edges;

/// Samples of one bound may be missing to this share, such as those of a scrape that was cut.
const MISSING: f64 = 0.005;

/// How many samples there are of each bound. Each scrape has one of each bound, whatever its spelling: fewer are
/// those of series without the bound, or of a time without it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundCounts {
    /// By the bound in nanoseconds.
    samples: BTreeMap<u64, f64>,
}

impl BoundCounts {
    /// What `sum by (le, LABEL) (count_over_time(...))` has come to, by the value of the label.
    pub fn read(
        body: &[u8],
        label: &str,
        unit: Unit,
    ) -> Result<BTreeMap<String, BoundCounts>, String> {
        let mut all: BTreeMap<String, BoundCounts> = BTreeMap::new();
        for ([bound, value], numbers) in quantities_by(body, ["le", label])? {
            let Ok(Edges::UpTo(bound)) = Edges::read(b"le", bound.as_bytes(), unit) else { continue };
            let Some(count) = numbers.into_values().next_back() else { continue };
            *all.entry(value).or_default().samples.entry(bound).or_default() += count;
        }
        Ok(all)
    }

    /// Whether all bounds have exactly as many samples.
    pub fn are_equal(&self) -> bool {
        self.least() >= self.most()
    }

    /// Whether all of the series have all of the bounds at all times.
    pub fn are_of_one_layout(&self) -> bool {
        self.least() >= self.most() * (1.0 - MISSING)
    }

    fn least(&self) -> f64 {
        self.samples.values().copied().fold(f64::MAX, f64::min)
    }

    fn most(&self) -> f64 {
        self.samples.values().copied().fold(0.0, f64::max)
    }

    /// The bounds, nanoseconds.
    pub fn bounds(&self) -> Vec<u64> {
        self.samples.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rows: &[(&str, &str, &str)]) -> BTreeMap<String, BoundCounts> {
        let row = |(host, le, count): &(&str, &str, &str)| {
            format!(r#"{{"metric":{{"host":"{host}","le":"{le}"}},"values":[[60,"{count}"]]}}"#)
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        let body = format!(
            r#"{{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}}"#,
            rows.join(",")
        );
        BoundCounts::read(body.as_bytes(), "host", Unit::Seconds).unwrap()
    }

    #[test]
    fn series_with_the_same_bounds_are_told_from_others() {
        let found = read(&[
            ("a", "0.1", "4"),
            ("a", "+Inf", "4"),
            ("b", "0.1", "4"),
            ("b", "0.5", "2"),
            ("b", "+Inf", "6"),
        ]);
        assert!(found["a"].are_of_one_layout() && !found["b"].are_of_one_layout());
        assert_eq!(found["a"].bounds(), [100_000_000, u64::MAX]);
        // One bound in two spellings has all samples, of other series or at other times.
        let found = read(&[("a", "1", "2"), ("a", "1.0", "2"), ("a", "+Inf", "4")]);
        assert!(found["a"].are_equal());
        let found = read(&[("a", "1", "1"), ("a", "1.0", "1"), ("a", "+Inf", "4")]);
        assert!(!found["a"].are_of_one_layout());
        // A scrape that was cut is no other layout.
        let found = read(&[("a", "1", "999"), ("a", "+Inf", "1000")]);
        assert!(!found["a"].are_equal() && found["a"].are_of_one_layout());
    }
}
