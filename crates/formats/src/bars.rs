//! Rows of the histograms that tracing tools draw in text: a label, a bar, a count.

use crate::number::{self, Wrong};

/// One row: `  1024 |@@@@@        30`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar<'t> {
    /// What stands before the bar, trimmed: most often the lower bound.
    pub(crate) label: &'t str,
    /// The count, or what is wrong with it.
    pub(crate) count: Result<u64, Wrong>,
    /// The count as written.
    pub(crate) written: &'t str,
}

/// Reads a row; `None` when the line is none.
pub(crate) fn bar(line: &str) -> Option<Bar<'_>> {
    let (label, drawn) = line.split_once('|')?;
    // A bar for a negative count is drawn to the left of the axis.
    let label = label.trim_end_matches(is_ink).trim();
    let drawn = drawn.trim_end();
    let split = drawn.rfind(|c: char| c.is_whitespace() || is_ink(c));
    let written = split.map_or(drawn, |at| drawn[at..].trim_start_matches(is_ink));
    let written = written.trim_start();
    let blank = drawn.strip_suffix(written)?.chars().all(is_ink);
    if !blank || label.is_empty() || !written.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(Bar { label, count: number::whole(written.as_bytes()), written })
}

/// What bars are drawn with; block characters in DTrace's UTF-8 bars.
fn is_ink(c: char) -> bool {
    matches!(c, '@' | ' ' | '\t' | '\u{2580}'..='\u{259f}')
}

/// Whether a line heads a DTrace distribution.
pub(crate) fn heads_dtrace(line: &str) -> bool {
    let mut words = line.split_whitespace().filter(|word| !word.bytes().all(|byte| byte == b'-'));
    words.next() == Some("value")
        && words.next() == Some("Distribution")
        && words.next() == Some("count")
        && words.next().is_none()
        && line.contains("--- Distribution ---")
}

/// Whether a line heads a SystemTap histogram.
pub(crate) fn heads_systemtap(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("value |---") else { return false };
    rest.trim_end().trim_start_matches('-') == " count"
}

/// Whether a line is the beginning of one that heads a DTrace distribution, up to any of its letters behind `value`.
pub(crate) fn begins_head_dtrace(line: &str) -> bool {
    let rest = line.trim().strip_prefix("value").map(str::trim_start);
    let Some(rest) = rest.filter(|rest| rest.starts_with('-')) else { return false };
    let rest = rest.trim_start_matches('-');
    let is_part = |text: &str, whole: &str| whole.starts_with(text.trim_start());
    match rest.trim_start().strip_prefix("Distribution") {
        Some(behind) => is_part(behind.trim_start().trim_start_matches('-'), "count"),
        None => is_part(rest, "Distribution"),
    }
}

/// The same of a SystemTap histogram.
pub(crate) fn begins_head_systemtap(line: &str) -> bool {
    let rest = line.trim().strip_prefix("value |-");
    rest.is_some_and(|rest| "count".starts_with(rest.trim_start_matches('-').trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_every_tool_are_read() {
        let read = |line: &'static str| bar(line).map(|bar| (bar.label, bar.count));
        assert_eq!(read("          262144 |@@@@@@@@@@@@ 12889    "), Some(("262144", Ok(12_889))));
        assert_eq!(read("   1024 |@                  30"), Some(("1024", Ok(30))));
        assert_eq!(read(">2000 |@                   99"), Some((">2000", Ok(99))));
        assert_eq!(read("     abs() < 256 |██▌         7 "), Some(("abs() < 256", Ok(7))));
        assert_eq!(read("   8   @@@@@@@|          -5"), Some(("8", Err(Wrong::Negative))));
        assert_eq!(read("   8 |@@@@@@@@@@12 "), Some(("8", Ok(12))));
    }

    #[test]
    fn other_lines_are_no_rows() {
        for line in [
            "",
            "value |------- count",
            "      ~",
            "[2, 4)   5 |@@@@ |",
            "a | b",
            "8 |@@@",
            "|@@ 5",
            "4 -> 7 : 3 |*** |",
        ] {
            assert_eq!(bar(line), None, "{line}");
        }
    }

    #[test]
    fn heads_that_are_cut_are_known_from_their_first_dash_on() {
        let dtrace = "           value  ------------- Distribution ------------- count    ";
        let systemtap = "  value |-------------------------------------------------- count";
        for end in dtrace.find('-').unwrap() + 1..dtrace.len() {
            assert!(begins_head_dtrace(&dtrace[..end]), "{}", &dtrace[..end]);
        }
        for end in systemtap.find('-').unwrap() + 1..systemtap.len() {
            assert!(begins_head_systemtap(&systemtap[..end]), "{}", &systemtap[..end]);
        }
        for line in [
            "value",
            "value - much",
            "values ---",
            "value 5",
            "- Distribution",
            "value --- Dist count",
        ] {
            assert!(!begins_head_dtrace(line) && !begins_head_systemtap(line), "{line}");
        }
    }

    #[test]
    fn heads_are_distinguished() {
        let dtrace = "           value  ------------- Distribution ------------- count    ";
        let systemtap = "  value |-------------------------------------------------- count";
        assert!(heads_dtrace(dtrace) && !heads_systemtap(dtrace));
        assert!(heads_systemtap(systemtap) && !heads_dtrace(systemtap));
        assert!(!heads_dtrace("value Distribution count"));
    }
}
