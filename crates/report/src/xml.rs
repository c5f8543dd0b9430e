//! Text inside XML and SVG.

use isotherm_frame::visible_char;

/// Text as it may stand in an element: what XML cannot hold is replaced.
pub(crate) fn element(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            _ => safe.push(visible_char(letter)),
        }
    }
    safe
}

/// Text as it may stand in an element or in an attribute's value.
pub(crate) fn attribute(text: &str) -> String {
    element(text).replace('"', "&quot;").replace('\'', "&#39;")
}
