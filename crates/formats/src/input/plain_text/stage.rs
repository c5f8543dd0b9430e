//! One thing that is taken away from a text while it is read.

use crate::Note;

/// What is said of a text in UTF-16.
pub(crate) const IS_UTF16: &str = "the input is UTF-16, as Windows writes it: it is read as UTF-8";

/// What is taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Zero bytes before the text: a log that is cut while its writer keeps its place.
    LeadingZeros,
    /// UTF-16 as Windows writes it.
    Utf16Little,
    /// UTF-16 with the larger byte first.
    Utf16Big,
    /// The mark of UTF-8.
    ByteOrderMark,
    /// Carriage returns alone at the ends of lines.
    CarriageReturns,
    /// Escape sequences.
    Colours,
    /// Mark and escape sequences of a live input.
    Live,
    /// What each line begins with.
    Margin(Margin),
    /// Line ends within quotation marks become blanks.
    QuotedLineEnds,
    /// So many lines before a table, not counting empty ones.
    Foreword(usize),
}

/// What each line begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Margin {
    /// These blanks.
    Blanks(Vec<u8>),
    /// So many marks `>`, each with a blank behind it.
    Quoted(usize),
}

impl Change {
    /// Whether a text that begins with `head` has it; only of what is no matter of formats.
    pub(super) fn concerns(&self, head: &[u8]) -> bool {
        match self {
            Change::LeadingZeros => {
                /// A single zero begins a text in UTF-16.
                const LEAST: usize = 4;
                let zeros = head.iter().take_while(|byte| **byte == 0).count();
                let rest = &head[zeros..];
                // Nothing but zeros: the text begins behind them, if there is one.
                zeros >= LEAST && (rest.is_empty() || !looks_binary(rest))
            }
            Change::Utf16Little => {
                head.starts_with(b"\xff\xfe") && !head.starts_with(b"\xff\xfe\0\0")
                    || is_every_second_zero(head, 1)
            }
            Change::Utf16Big => head.starts_with(b"\xfe\xff") || is_every_second_zero(head, 0),
            Change::ByteOrderMark => head.starts_with(b"\xef\xbb\xbf"),
            Change::CarriageReturns => {
                let is_text =
                    |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\r' | 0x0c | 0x1b);
                memchr::memchr_iter(b'\r', head).nth(1).is_some() && head.iter().all(is_text)
            }
            Change::Colours => memchr::memmem::find(head, b"\x1b[").is_some(),
            _ => false,
        }
    }

    /// Whether what is left of the beginning may be read: a line that is left out before plain columns
    /// may have named them.
    pub(super) fn is_fit(&self, changed: &[u8]) -> bool {
        let Change::Foreword(_) = self else { return true };
        let mut lines = crate::lines::first_lines(changed);
        lines.next().is_some_and(|line| !is_numbers(line))
    }

    /// What there is to say to the user.
    pub(super) fn note(&self) -> Option<Note> {
        let said = match self {
            Change::LeadingZeros => {
                "the input begins with zero bytes, as a log does that was cut while it was written \
                 (copytruncate): they are left out"
                    .to_owned()
            }
            Change::Utf16Little | Change::Utf16Big => IS_UTF16.to_owned(),
            Change::CarriageReturns => {
                "the lines end with a carriage return alone (CR): each one is read as a line end"
                    .to_owned()
            }
            Change::Margin(Margin::Quoted(_)) => {
                "every line begins with >, as in a quoted message: the marks are left out"
                    .to_owned()
            }
            Change::Foreword(1) => {
                "the first line is no part of the data: it is left out".to_owned()
            }
            Change::Foreword(lines) => {
                format!("the first {lines} lines are no part of the data: they are left out")
            }
            Change::ByteOrderMark
            | Change::Colours
            | Change::Live
            | Change::QuotedLineEnds
            | Change::Margin(Margin::Blanks(_)) => return None,
        };
        Some(Note::Said(said.into()))
    }
}

/// Whether a line has no word, so that it may be data and the line above it names its columns.
fn is_numbers(line: &[u8]) -> bool {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t' | b',' | b';'));
    !words.any(|word| word.first().is_some_and(u8::is_ascii_alphabetic))
}

fn looks_binary(head: &[u8]) -> bool {
    head.iter().take(4_096).any(|byte| *byte == 0)
}

/// Whether every second byte is zero, from the first or the second on, and the others are letters:
/// UTF-16 without a mark.
fn is_every_second_zero(head: &[u8], from: usize) -> bool {
    const ENOUGH: usize = 16;
    let begin = &head[..head.len().min(64)];
    let text = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    begin.len() >= ENOUGH
        && begin
            .iter()
            .enumerate()
            .all(|(at, byte)| if at % 2 == from { *byte == 0 } else { text(*byte) })
}

/// Changes bytes as they come.
pub(super) trait Stage: Send {
    /// Takes bytes, and gives those that are left.
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>);

    /// There are no more.
    fn end(&mut self, _into: &mut Vec<u8>) {}
}

/// Leaves out zeros before the text.
#[derive(Default)]
pub(super) struct LeadingZeros {
    begun: bool,
}

impl Stage for LeadingZeros {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        let zeros =
            if self.begun { 0 } else { bytes.iter().take_while(|byte| **byte == 0).count() };
        self.begun |= zeros < bytes.len();
        into.extend_from_slice(&bytes[zeros..]);
    }
}

/// Leaves out the first bytes.
pub(super) struct Begin {
    pub(super) left: usize,
}

impl Stage for Begin {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        let skipped = self.left.min(bytes.len());
        self.left -= skipped;
        into.extend_from_slice(&bytes[skipped..]);
    }
}

/// Writes each carriage return as a line end, and together with one as one.
#[derive(Default)]
pub(super) struct CarriageReturns {
    was_return: bool,
}

impl Stage for CarriageReturns {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        for byte in bytes {
            if *byte != b'\n' || !self.was_return {
                into.push(if *byte == b'\r' { b'\n' } else { *byte });
            }
            self.was_return = *byte == b'\r';
        }
    }
}

/// Writes UTF-16 as UTF-8.
pub(super) struct Utf16 {
    unit: fn([u8; 2]) -> u16,
    /// The first byte of a unit.
    half: Option<u8>,
    /// The first unit of a pair.
    high: Option<u16>,
    begun: bool,
}

impl Utf16 {
    pub(super) fn new(unit: fn([u8; 2]) -> u16) -> Utf16 {
        Utf16 { unit, half: None, high: None, begun: false }
    }

    fn character(&mut self, unit: u16, into: &mut Vec<u8>) {
        const MARK: u16 = 0xfeff;
        if !std::mem::replace(&mut self.begun, true) && unit == MARK {
            return;
        }
        let units = [self.high.take(), Some(unit)];
        for found in char::decode_utf16(units.into_iter().flatten()) {
            match found {
                Err(lone) if (0xd800..0xdc00).contains(&lone.unpaired_surrogate()) => {
                    self.high = Some(lone.unpaired_surrogate());
                }
                found => {
                    let found = found.unwrap_or(char::REPLACEMENT_CHARACTER);
                    into.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
    }
}

impl Stage for Utf16 {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        for byte in bytes {
            match self.half.take() {
                Some(first) => self.character((self.unit)([first, *byte]), into),
                None => self.half = Some(*byte),
            }
        }
    }
}

/// Where in an escape sequence a text is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// Behind ESC.
    Begun,
    /// In `ESC [ 1 ; 31 m`.
    Control,
    /// In `ESC ( B`.
    Charset,
    /// In `ESC ] 0 ; title BEL`.
    Title,
}

/// Leaves out escape sequences.
#[derive(Default)]
pub(super) struct Escapes {
    state: Escape,
}

impl Escapes {
    const ESC: u8 = 0x1b;
    const BEL: u8 = 0x07;

    fn next(state: Escape, byte: u8) -> Escape {
        match (state, byte) {
            (Escape::Begun, b'[') | (Escape::Control, b' '..=b'?') => Escape::Control,
            (Escape::Begun, b'(' | b')') => Escape::Charset,
            // A title without an end must not swallow the text.
            (Escape::Title, Escapes::BEL | b'\n') => Escape::None,
            (Escape::Title, Escapes::ESC) => Escape::Begun,
            (Escape::Begun, b']') | (Escape::Title, _) => Escape::Title,
            _ => Escape::None,
        }
    }
}

impl Stage for Escapes {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if self.state == Escape::None {
                let text = memchr::memchr(Escapes::ESC, rest);
                into.extend_from_slice(&rest[..text.unwrap_or(rest.len())]);
                rest = text.map_or(&[], |at| &rest[at + 1..]);
                self.state = text.map_or(Escape::None, |_| Escape::Begun);
                continue;
            }
            self.state = Escapes::next(self.state, *first);
            rest = &rest[1..];
        }
    }
}

/// A byte order mark and escapes, found out as they come.
#[derive(Default)]
pub(super) struct LiveText {
    /// Whether it is text: known with the first bytes.
    is_text: Option<bool>,
    escapes: Escapes,
}

impl Stage for LiveText {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        let mut bytes = bytes;
        if self.is_text.is_none() {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            self.is_text = Some(std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0));
        }
        if self.is_text == Some(true) {
            self.escapes.pass(bytes, into);
        } else {
            into.extend_from_slice(bytes);
        }
    }
}
