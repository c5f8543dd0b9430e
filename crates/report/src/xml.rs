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

/// The beginning of a text that is longer than this many letters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
