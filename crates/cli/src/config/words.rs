//! Words that somebody mistyped.

use isotherm_formats::nearest;

/// ` (did you mean 'theme'?)`, or all the words there are.
pub fn hint(unknown: &str, known: &[&'static str]) -> String {
    match nearest(unknown, known).first() {
        Some(near) => format!("; did you mean '{near}'?"),
        None => format!("; there are {}", known.join(", ")),
    }
}
