//! Text of unknown origin, made fit for people to read.

use std::borrow::Cow;

/// Whether a terminal, a browser or an editor would obey this character instead of showing it: a
/// control character (C0, DEL, C1), one that changes the direction of text, one without width, a
/// variation selector or a tag, a line or paragraph separator, or no character at all.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fdd0}'..='\u{fdef}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{13430}'..='\u{1345f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// What is shown in place of a hidden character: as wide as any other, so that columns stay aligned.
pub const REPLACEMENT: char = '\u{fffd}';

/// The character itself, or [`REPLACEMENT`] if it is hidden.
pub fn visible_char(character: char) -> char {
    if is_hidden(character) { REPLACEMENT } else { character }
}

/// The text as it may be shown to people: line feeds stay, every other hidden character becomes
/// [`REPLACEMENT`].
pub fn visible(text: &str) -> Cow<'_, str> {
    let obeyed = |character: char| character != '\n' && is_hidden(character);
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |character| if obeyed(character) { REPLACEMENT } else { character };
    Cow::Owned(text.chars().map(shown).collect())
}

/// The text, at most `most` characters long, its middle replaced by `…` if it is longer.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let length = text.chars().count();
    if length <= most {
        return Cow::Borrowed(text);
    }
    let kept = most.saturating_sub(1);
    let head: String = text.chars().take(kept.div_ceil(2)).collect();
    let tail: String = text.chars().skip(length - kept / 2).collect();
    Cow::Owned(format!("{head}…{tail}"))
}

/// The most characters of a name that are shown to people; of a longer one the middle is left out.
pub const LONGEST_NAME: usize = 200;

/// A name of unknown origin as people are shown it: on one line, every character visible, and at
/// most [`LONGEST_NAME`] characters long.
pub fn shown_name(name: &str) -> String {
    shortened(name, LONGEST_NAME).chars().map(visible_char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_replaced_one_for_one() {
        assert_eq!(
            visible("a\x1b]52;c;AA\x07\u{9b}2J\rb"),
            "a\u{fffd}]52;c;AA\u{fffd}\u{fffd}2J\u{fffd}b"
        );
        assert_eq!(
            visible("x\u{202e}y\u{200b}z\u{feff}\u{fe0f}"),
            "x\u{fffd}y\u{fffd}z\u{fffd}\u{fffd}"
        );
        assert!(matches!(visible("log file sync µs – ≈\nnext"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_name_is_one_short_line() {
        assert_eq!(shown_name("a\nb"), "a\u{fffd}b");
        assert_eq!(shown_name(&"n".repeat(1 << 20)).chars().count(), LONGEST_NAME);
    }

    #[test]
    fn long_text_keeps_its_ends() {
        assert_eq!(shortened("abcdefghij", 5), "ab…ij");
        assert_eq!(shortened("µµµµµ", 5), "µµµµµ");
        assert_eq!(shortened("log file sync", 13), "log file sync");
        assert_eq!(shortened("log file sync", 7), "log…ync");
        assert_eq!(shortened("log file sync", 6), "log…nc");
        assert_eq!(shortened("abc", 1), "…");
        assert_eq!(shortened("abc", 0), "…");
    }
}
