//! The last stop before a terminal, a pipe or a file: nothing passes that the reader's terminal,
//! browser or editor would obey, whatever names, marks or messages an input held.

use std::io::{self, Write};

use isotherm_frame::{REPLACEMENT, is_hidden};

/// What is written, which decides what may pass.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// Text for people: line feeds pass, every other hidden character is shown as [`REPLACEMENT`].
    Text,
    /// Text for a terminal: also the colours and the few cursor movements that our views write.
    /// Views keep these out of the text of inputs.
    Painted,
    /// JSON: hidden characters are written as `\u` escapes, so that whoever parses it gets the exact
    /// text.
    Json,
    /// Tables and scripts for programs, shown on a terminal: tabs and line ends pass too.
    Lines,
    /// Bytes for programs, as they are.
    Exact,
}

/// The control sequences of our views that are not colours.
const OWN: [&[u8]; 6] =
    [b"\x1b[K", b"\x1b[2K", b"\x1b[J", b"\x1b[H", b"\x1b[?2026h", b"\x1b[?2026l"];
/// The longest sequence of a view: both colours in full and bold.
const LONGEST: usize = 48;

/// A writer that lets pass only what its [`OutputForm`] may hold.
#[derive(Debug)]
pub struct Sanitizer<W: Write> {
    inner: W,
    form: OutputForm,
    /// The beginning of a character or of a sequence whose rest has not come yet.
    begun: Vec<u8>,
}

impl<W: Write> Sanitizer<W> {
    /// Writes to `inner`.
    pub fn new(inner: W, form: OutputForm) -> Sanitizer<W> {
        Sanitizer { inner, form, begun: Vec::new() }
    }
}

/// These bytes as `form` may hold them.
pub fn sanitized(form: OutputForm, content: &[u8]) -> Vec<u8> {
    let mut out = Sanitizer::new(Vec::with_capacity(content.len()), form);
    // A vector takes everything.
    let _infallible = out.write_all(content).and_then(|()| out.flush());
    out.inner
}

impl<W: Write> Write for Sanitizer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.form == OutputForm::Exact {
            return self.inner.write(bytes);
        }
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
        if self.begun.is_empty() && bytes.iter().all(plain) {
            return self.inner.write(bytes);
        }
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let (clean, rest) = cleaned(self.form, &all);
        self.begun = rest.to_vec();
        self.inner.write_all(&clean)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // The rest of it does not come any more.
        let begun = std::mem::take(&mut self.begun);
        for character in String::from_utf8_lossy(&begun).chars() {
            let mut clean = Vec::new();
            push(self.form, character, &mut clean);
            self.inner.write_all(&clean)?;
        }
        self.inner.flush()
    }
}

/// What may pass of these bytes, and what is not complete yet.
fn cleaned(form: OutputForm, mut bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut clean = Vec::with_capacity(bytes.len() + 16);
    while let Some(&first) = bytes.first() {
        let (length, step) = match (first, form) {
            (0x1b, OutputForm::Painted) => sequence(bytes),
            (b'\r', OutputForm::Painted | OutputForm::Lines) => line_end(bytes),
            _ => character(bytes),
        };
        match step {
            Step::Incomplete => break,
            Step::Pass => clean.extend_from_slice(&bytes[..length]),
            Step::Character(found) => push(form, found, &mut clean),
        }
        bytes = &bytes[length..];
    }
    (clean, bytes)
}

/// What stands at the beginning of some bytes.
enum Step {
    /// Something of ours.
    Pass,
    /// Text.
    Character(char),
    /// The beginning of something.
    Incomplete,
}

fn sequence(bytes: &[u8]) -> (usize, Step) {
    let body = bytes.get(1..).unwrap_or_default();
    let end = body.iter().skip(1).position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 3);
    let refused = (1, Step::Character('\u{1b}'));
    match (body.first(), end) {
        (Some(b'['), Some(end)) if end <= LONGEST => {
            let own = &bytes[..end];
            let colour = own.ends_with(b"m")
                && own[2..end - 1].iter().all(|byte| byte.is_ascii_digit() || *byte == b';');
            if colour || OWN.contains(&own) { (end, Step::Pass) } else { refused }
        }
        (None | Some(b'['), None) if bytes.len() < LONGEST => (0, Step::Incomplete),
        _ => refused,
    }
}

fn line_end(bytes: &[u8]) -> (usize, Step) {
    match bytes.get(1) {
        Some(b'\n') => (2, Step::Pass),
        Some(_) => (1, Step::Character('\r')),
        None => (0, Step::Incomplete),
    }
}

fn character(bytes: &[u8]) -> (usize, Step) {
    let most = bytes.len().min(4);
    let head = bytes.get(..most).unwrap_or_default();
    match std::str::from_utf8(head) {
        Ok(text) => first_of(text),
        Err(error) if error.valid_up_to() > 0 => {
            first_of(std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default())
        }
        Err(error) => match error.error_len() {
            Some(length) => (length, Step::Character(REPLACEMENT)),
            None => (0, Step::Incomplete),
        },
    }
}

fn first_of(text: &str) -> (usize, Step) {
    let first = text.chars().next().unwrap_or(REPLACEMENT);
    (first.len_utf8(), Step::Character(first))
}

/// Adds a character as it may stand there.
fn push(form: OutputForm, character: char, clean: &mut Vec<u8>) {
    let passes = match character {
        '\n' => true,
        '\t' => form == OutputForm::Lines,
        other => !is_hidden(other),
    };
    if form == OutputForm::Json && !passes {
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            clean.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        }
        return;
    }
    let shown = if passes { character } else { REPLACEMENT };
    clean.extend_from_slice(shown.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn through(form: OutputForm, bytes: &[u8]) -> String {
        String::from_utf8(sanitized(form, bytes)).unwrap()
    }

    #[test]
    fn text_has_no_control_character_but_line_feeds() {
        let osc = b"a\x1b]52;c;QQ==\x07b\r\n\tc\x9b2Jd\xc2\x9be";
        assert_eq!(
            through(OutputForm::Text, osc),
            "a\u{fffd}]52;c;QQ==\u{fffd}b\u{fffd}\n\u{fffd}c\u{fffd}2Jd\u{fffd}e"
        );
        assert_eq!(through(OutputForm::Lines, b"a\tb\r\nc\rd"), "a\tb\r\nc\u{fffd}d");
        assert_eq!(through(OutputForm::Text, "µ – ≈ é\n".as_bytes()), "µ – ≈ é\n");
        assert_eq!(sanitized(OutputForm::Exact, osc), osc);
    }

    #[test]
    fn painted_text_keeps_the_colours_and_movements_of_our_views_only() {
        let own =
            "\x1b[?2026h\x1b[H\x1b[38;2;255;128;0;48;5;24;1mx\x1b[0m\x1b[K\r\ny\x1b[J\x1b[?2026l";
        assert_eq!(through(OutputForm::Painted, own.as_bytes()), own);
        for foreign in
            ["\x1b[2J", "\x1b[6n", "\x1b[?1049h", "\x1b]0;t\x07", "\x1bc", "\x1bP1$q", "\x1b[1;1H"]
        {
            let shown = through(OutputForm::Painted, format!("a{foreign}b").as_bytes());
            assert!(!shown.contains(char::is_control), "{foreign:?}: {shown:?}");
        }
    }

    #[test]
    fn json_says_the_same_in_escapes() {
        let value = serde_json::json!({"name": "a\u{202e}b\u{9b}\u{e0041}\u{feff}\x1b\n\u{7f}"});
        let shown = through(OutputForm::Json, value.to_string().as_bytes());
        assert!(!shown.contains(is_hidden), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_writes_are_cut(
            text in "(\\PC|\x1b\\[[0-9;]{0,5}m|\x1b|\r|\n|\u{202e}|\u{9b}){0,40}",
            cut in 1_usize..5,
        ) {
            for form in [OutputForm::Text, OutputForm::Painted, OutputForm::Json, OutputForm::Lines] {
                let mut out = Sanitizer::new(Vec::new(), form);
                for part in text.as_bytes().chunks(cut) {
                    out.write_all(part).unwrap();
                }
                out.flush().unwrap();
                prop_assert_eq!(out.inner, sanitized(form, text.as_bytes()));
            }
        }

        #[test]
        fn any_bytes_become_text_without_hidden_characters(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let shown = through(OutputForm::Text, &bytes);
            prop_assert!(!shown.contains(|c: char| c != '\n' && is_hidden(c)));
        }
    }
}
