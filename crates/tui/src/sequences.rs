//! What the bytes of a terminal mean: keys, the mouse, pasted text. A pure function of bytes that
//! are asked for one by one, so that none beyond an event is ever read.
//!
//! The sequences are those of ECMA-48 (control sequences) and of xterm ("`XTerm` Control Sequences":
//! PC-style function keys, SGR mouse reports, bracketed paste).

use std::io;

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// Gives the next byte of a sequence; nothing where none follows at once.
pub(super) type Next<'a> = &'a mut dyn FnMut() -> io::Result<Option<u8>>;

/// What bytes meant.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Decoded {
    /// The event, if they meant one.
    pub(super) event: Option<Event>,
    /// A byte that belongs to the next one.
    pub(super) over: Option<u8>,
}

const ESCAPE: u8 = 0x1b;
/// The most bytes of a sequence, and of a text pasted at once.
const LONGEST: usize = 64;
const LONGEST_PASTE: usize = 1 << 16;
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// The event that begins with this byte.
pub(super) fn decode(first: u8, next: Next<'_>) -> io::Result<Decoded> {
    if first == ESCAPE {
        return escape(next);
    }
    let event = if first < 0x80 { Some(ascii(first)) } else { letter(first, next)? };
    Ok(Decoded { event, over: None })
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn plain(code: KeyCode) -> Event {
    key(code, KeyModifiers::NONE)
}

/// The key of a byte of ASCII. Control with a letter is the letter's place in the alphabet.
fn ascii(byte: u8) -> Event {
    match byte {
        b'\r' => plain(KeyCode::Enter),
        b'\t' => plain(KeyCode::Tab),
        0x08 | 0x7f => plain(KeyCode::Backspace),
        0 => key(KeyCode::Char(' '), KeyModifiers::CONTROL),
        0x01..=0x1a => key(KeyCode::Char(char::from(byte + b'a' - 1)), KeyModifiers::CONTROL),
        0x1c..=0x1f => key(KeyCode::Char(char::from(byte - 0x1c + b'4')), KeyModifiers::CONTROL),
        _ => character(char::from(byte)),
    }
}

fn character(letter: char) -> Event {
    let shift = if letter.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
    key(KeyCode::Char(letter), shift)
}

/// A character of several bytes of UTF-8; nothing where they are none.
fn letter(first: u8, next: Next<'_>) -> io::Result<Option<Event>> {
    let more = match first {
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => return Ok(None),
    };
    let mut bytes = vec![first];
    for _ in 0..more {
        bytes.extend(next()?);
    }
    let letter = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next());
    Ok(letter.map(character))
}

/// What follows an escape: a sequence, or a key of its own. No key is bound together with Alt, so
/// an escape with a letter close behind it is two keys.
fn escape(next: Next<'_>) -> io::Result<Decoded> {
    let event = match next()? {
        Some(b'[') => control_sequence(next)?,
        Some(b'O') => next()?.and_then(|last| named(last, KeyModifiers::NONE)),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => string(next)?,
        over => return Ok(Decoded { event: Some(plain(KeyCode::Esc)), over }),
    };
    Ok(Decoded { event, over: None })
}

/// An answer of the terminal that nobody waits for any more: up to its end, and ignored.
fn string(next: Next<'_>) -> io::Result<Option<Event>> {
    let mut before = 0;
    while let Some(byte) = next()? {
        if byte == 0x07 || (before, byte) == (ESCAPE, b'\\') {
            break;
        }
        before = byte;
    }
    Ok(None)
}

/// A control sequence: parameters and a last byte.
fn control_sequence(next: Next<'_>) -> io::Result<Option<Event>> {
    let mut parameters = Vec::new();
    loop {
        let Some(byte) = next()? else { return Ok(None) };
        match byte {
            b'[' if parameters.is_empty() => return linux_function_key(next),
            b'M' if parameters.is_empty() => return old_mouse(next),
            0x20..=0x3f if parameters.len() < LONGEST => parameters.push(byte),
            b'~' if parameters == b"200" => return pasted(next).map(Some),
            0x40..=0x7e => return Ok(finished(&parameters, byte)),
            _ => return Ok(None),
        }
    }
}

/// The event of a whole control sequence.
fn finished(parameters: &[u8], last: u8) -> Option<Event> {
    if let Some(report) = parameters.strip_prefix(b"<") {
        return mouse(&numbers(report)?, last == b'm');
    }
    let numbers = numbers(parameters)?;
    let modifiers = modifiers(numbers.get(1).copied().unwrap_or(1));
    match last {
        b'~' => numbered(*numbers.first()?).map(|code| key(code, modifiers)),
        b'Z' => Some(key(KeyCode::BackTab, KeyModifiers::SHIFT)),
        _ => named(last, modifiers),
    }
}

/// Numbers with `;` between them; one that is left out is 0.
fn numbers(text: &[u8]) -> Option<Vec<u16>> {
    let text = std::str::from_utf8(text).ok()?;
    let number = |part: &str| if part.is_empty() { Some(0) } else { part.parse().ok() };
    text.split(';').map(number).collect()
}

/// Modifiers as xterm sends them: one more than the sum of Shift 1, Alt 2, Control 4.
fn modifiers(sent: u16) -> KeyModifiers {
    let bits = sent.saturating_sub(1);
    let all = [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)];
    let pressed = all.into_iter().filter(|(bit, _)| bits & bit != 0);
    pressed.fold(KeyModifiers::NONE, |sum, (_, modifier)| sum | modifier)
}

/// The keys that a letter ends.
fn named(last: u8, modifiers: KeyModifiers) -> Option<Event> {
    let code = match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    };
    Some(key(code, modifiers))
}

/// The keys that a number names.
fn numbered(number: u16) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(u8::try_from(number - 10).ok()?),
        17..=21 => KeyCode::F(u8::try_from(number - 11).ok()?),
        23 | 24 => KeyCode::F(u8::try_from(number - 12).ok()?),
        _ => return None,
    })
}

/// F1 to F5 of the Linux console.
fn linux_function_key(next: Next<'_>) -> io::Result<Option<Event>> {
    let last = next()?.filter(|last| (b'A'..=b'E').contains(last));
    Ok(last.map(|last| plain(KeyCode::F(last - b'A' + 1))))
}

/// Three bytes of a mouse report without SGR: a button and a place.
fn old_mouse(next: Next<'_>) -> io::Result<Option<Event>> {
    let (Some(button), Some(column), Some(row)) = (next()?, next()?, next()?) else {
        return Ok(None);
    };
    let report = [button, column, row].map(|byte| u16::from(byte.saturating_sub(32)));
    Ok(mouse(&report, report[0] & 3 == 3))
}

/// A mouse report: button bits (Shift 4, Alt 8, Control 16, motion 32, wheel 64), column and row
/// counted from 1.
fn mouse(report: &[u16], released: bool) -> Option<Event> {
    let &[bits, column, row] = report else { return None };
    let button = [MouseButton::Left, MouseButton::Middle, MouseButton::Right];
    let button = button.get(usize::from(bits & 3)).copied();
    let kind = match (bits & 0x40 != 0, bits & 0x20 != 0, button) {
        (true, ..) => match bits & 3 {
            0 => MouseEventKind::ScrollUp,
            1 => MouseEventKind::ScrollDown,
            2 => MouseEventKind::ScrollLeft,
            _ => MouseEventKind::ScrollRight,
        },
        (_, true, Some(button)) => MouseEventKind::Drag(button),
        (_, true, None) => MouseEventKind::Moved,
        (_, _, button) if released => MouseEventKind::Up(button.unwrap_or(MouseButton::Left)),
        (_, _, button) => MouseEventKind::Down(button?),
    };
    let all = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let pressed = all.into_iter().filter(|(bit, _)| bits & bit != 0);
    let modifiers = pressed.fold(KeyModifiers::NONE, |sum, (_, modifier)| sum | modifier);
    let (column, row) = (column.saturating_sub(1), row.saturating_sub(1));
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
}

/// Pasted text, to the sequence that ends it.
fn pasted(next: Next<'_>) -> io::Result<Event> {
    let mut text = Vec::new();
    while !text.ends_with(PASTE_ENDS) && text.len() < LONGEST_PASTE {
        let Some(byte) = next()? else { break };
        text.push(byte);
    }
    let text = text.strip_suffix(PASTE_ENDS).unwrap_or(&text);
    Ok(Event::Paste(String::from_utf8_lossy(text).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of some bytes, each asked for only when it is needed, and what is left.
    fn events(bytes: &[u8]) -> Vec<Event> {
        let mut rest = bytes.iter().copied();
        let (mut events, mut over) = (Vec::new(), None);
        while let Some(first) = over.take().or_else(|| rest.next()) {
            let decoded = decode(first, &mut || Ok(rest.next())).unwrap();
            events.extend(decoded.event);
            over = decoded.over;
        }
        events
    }

    fn keys(bytes: &[u8]) -> Vec<(KeyCode, KeyModifiers)> {
        let key = |event| match event {
            Event::Key(key) => (key.code, key.modifiers),
            other => panic!("{other:?}"),
        };
        events(bytes).into_iter().map(key).collect()
    }

    #[test]
    fn no_byte_beyond_an_event_is_asked_for() {
        for event in ["q", "\r", "ü", "\x1b[A", "\x1b[5;2~", "\x1bOP", "\x1b[<0;5;7M", "\x03"] {
            let bytes = event.as_bytes();
            let mut rest = bytes[1..].iter().copied().chain(*b"echo");
            let decoded = decode(bytes[0], &mut || Ok(rest.next())).unwrap();
            assert!(decoded.event.is_some() && decoded.over.is_none(), "{event:?}");
            assert!(rest.eq(*b"echo"), "{event:?}");
        }
    }

    #[test]
    fn keys_are_those_of_xterm_and_of_the_linux_console() {
        use KeyCode as K;
        let (none, shift) = (KeyModifiers::NONE, KeyModifiers::SHIFT);
        let control = KeyModifiers::CONTROL;
        let table: [(&[u8], KeyCode, KeyModifiers); 24] = [
            (b"a", K::Char('a'), none),
            (b"A", K::Char('A'), shift),
            ("µ".as_bytes(), K::Char('µ'), none),
            ("€".as_bytes(), K::Char('€'), none),
            ("😀".as_bytes(), K::Char('😀'), none),
            (b"\r", K::Enter, none),
            (b"\t", K::Tab, none),
            (b"\x7f", K::Backspace, none),
            (b"\x03", K::Char('c'), control),
            (b"\x1a", K::Char('z'), control),
            (b"\x1b", K::Esc, none),
            (b"\x1b[A", K::Up, none),
            (b"\x1bOB", K::Down, none),
            (b"\x1b[1;2C", K::Right, shift),
            (b"\x1b[1;5D", K::Left, control),
            (b"\x1b[H", K::Home, none),
            (b"\x1b[4~", K::End, none),
            (b"\x1b[5~", K::PageUp, none),
            (b"\x1b[6;2~", K::PageDown, shift),
            (b"\x1bOP", K::F(1), none),
            (b"\x1b[[A", K::F(1), none),
            (b"\x1b[15~", K::F(5), none),
            (b"\x1b[24~", K::F(12), none),
            (b"\x1b[Z", K::BackTab, shift),
        ];
        for (bytes, code, modifiers) in table {
            assert_eq!(keys(bytes), [(code, modifiers)], "{bytes:?}");
        }
    }

    #[test]
    fn an_escape_with_a_key_close_behind_it_is_two_keys() {
        let none = KeyModifiers::NONE;
        assert_eq!(keys(b"\x1bq"), [(KeyCode::Esc, none), (KeyCode::Char('q'), none)]);
        assert_eq!(keys(b"\x1b\x1b[A"), [(KeyCode::Esc, none), (KeyCode::Up, none)]);
    }

    #[test]
    fn the_mouse_presses_drags_and_scrolls() {
        let of = |bytes: &[u8]| match events(bytes).as_slice() {
            [Event::Mouse(mouse)] => (mouse.kind, mouse.column, mouse.row, mouse.modifiers),
            other => panic!("{other:?}"),
        };
        let (none, left) = (KeyModifiers::NONE, MouseButton::Left);
        assert_eq!(of(b"\x1b[<0;5;7M"), (MouseEventKind::Down(left), 4, 6, none));
        assert_eq!(of(b"\x1b[<0;5;7m"), (MouseEventKind::Up(left), 4, 6, none));
        assert_eq!(of(b"\x1b[<32;300;7M"), (MouseEventKind::Drag(left), 299, 6, none));
        assert_eq!(of(b"\x1b[<35;5;7M"), (MouseEventKind::Moved, 4, 6, none));
        assert_eq!(of(b"\x1b[<64;1;1M"), (MouseEventKind::ScrollUp, 0, 0, none));
        let shift = KeyModifiers::SHIFT;
        assert_eq!(of(b"\x1b[<69;1;1M"), (MouseEventKind::ScrollDown, 0, 0, shift));
        assert_eq!(of(b"\x1b[M !!"), (MouseEventKind::Down(left), 0, 0, none));
        assert_eq!(of(b"\x1b[M#!!"), (MouseEventKind::Up(left), 0, 0, none));
    }

    #[test]
    fn pasted_text_is_one_event_whatever_it_holds() {
        let paste = |text: &str| vec![Event::Paste(text.to_owned())];
        assert_eq!(events(b"\x1b[200~q \x1b[A \xc3\xbc\x1b[201~"), paste("q \x1b[A ü"));
        assert_eq!(events(b"\x1b[200~cut short"), paste("cut short"));
    }

    #[test]
    fn what_means_nothing_is_dropped_and_does_no_harm() {
        // A late answer to a question for the background, a focus report, half a letter.
        for bytes in ["\x1b]11;rgb:0000/0000/0000\x1b\\q", "\x1b]11;x\x07q", "\x1b[Iq"] {
            assert_eq!(keys(bytes.as_bytes()), [(KeyCode::Char('q'), KeyModifiers::NONE)]);
        }
        for bytes in [&b"\xff"[..], b"\xc3", b"\x1b[", b"\x1b[1;", b"\x1b[99999999~", b"\x1b[<1M"] {
            assert_eq!(events(bytes), [], "{bytes:?}");
        }
    }
}
