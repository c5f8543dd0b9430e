//! How a text is written as a cell of a table of comma-separated values.

/// A text as RFC 4180 writes it: in quotes where it has a comma, a quote, a line break or a space at an
/// end; quotes inside are doubled.
///
/// ```
/// assert_eq!(isotherm_frame::csv_text("plain"), "plain");
/// assert_eq!(isotherm_frame::csv_text("b, \"b\""), "\"b, \"\"b\"\"\"");
/// ```
pub fn csv_text(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
