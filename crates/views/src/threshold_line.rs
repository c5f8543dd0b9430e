//! What conditions of `--fail-if` came to, a line for each.

use crate::threshold_json::{ThresholdJson, ThresholdVerdict};
use crate::{Depth, Style};

/// The line: a check mark or a cross, the condition, and the value.
pub(crate) fn line(threshold: &ThresholdJson, style: Style) -> String {
    let is_ascii = style.depth == Depth::Ascii;
    let (sign, word, verb) = match threshold.verdict {
        ThresholdVerdict::Pass => ("✓", "PASS", "does not hold"),
        ThresholdVerdict::Fail => ("✗", "FAIL", "holds"),
        ThresholdVerdict::Unsure => ("✗", "UNSURE", "cannot be ruled out"),
    };
    let sign = if is_ascii { word } else { sign };
    let value = threshold.value.as_deref().unwrap_or("no events");
    format!("{sign} {} {verb}: {value}", threshold.condition)
}

/// The same with what it was asked of, where that is one of several.
pub(crate) fn line_of(threshold: &ThresholdJson, style: Style) -> String {
    let of = threshold.of.as_ref().map(|of| format!(" ({of})"));
    format!("{}{}", line(threshold, style), of.unwrap_or_default())
}
