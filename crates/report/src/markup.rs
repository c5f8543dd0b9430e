//! Texts from inputs where nothing in them may be markup.

use isotherm_frame::visible_char;

/// A text as it may stand in a page, between tags or in an attribute's value.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' => safe.push('\n'),
            other => safe.push(visible_char(other)),
        }
    }
    safe
}

/// A text from an input as it may stand in a line of Markdown: nothing in it is markup.
pub(super) fn inline(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' => {
                safe.push('\\');
                safe.push(character);
            }
            '\n' | '\r' | '\t' => safe.push(' '),
            other => safe.push(visible_char(other)),
        }
    }
    safe
}
