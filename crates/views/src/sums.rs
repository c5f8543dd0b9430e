//! The sums beside the rows of a map, as text.

use crate::numbers::quantity;

/// A whole number of events: exact up to seven digits.
pub(crate) fn count(value: f64) -> String {
    if value < 9_999_999.5 { format!("{value:.0}") } else { quantity(value) }
}

/// A share in percent: `0%` only for nothing, `<1%` for little.
pub(crate) fn percent(part: f64, whole: f64) -> String {
    let share = if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    if part > 0.0 && share < 0.5 { "<1%".to_owned() } else { format!("{share:.0}%") }
}
