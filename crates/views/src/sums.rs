//! The sums beside the rows of a map, as text.

use crate::numbers::quantity;

/// A whole number of events: exact up to seven digits.
pub(crate) fn count(value: f64) -> String {
    if value < 9_999_999.5 { format!("{value:.0}") } else { quantity(value) }
}
