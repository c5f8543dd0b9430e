//! The keys that are ours, and what is in them.

use super::replies::command;
use crate::random::of_lane;

/// What all our keys begin with.
const PREFIX: &str = "isotherm:";
/// The key that says that the others were made by us, and how many they are.
pub const MARKER: &[u8] = b"isotherm:marker";
/// Digits of a key's number: all keys are equally long.
const DIGITS: usize = 12;

/// The key of a place.
pub fn key(place: u64) -> Vec<u8> {
    format!("{PREFIX}{place:0DIGITS$}").into_bytes()
}

/// What the marker says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Keys below this number are ours.
    pub keys: u64,
    /// Keys below this number were written with values of this size.
    pub written: u64,
    /// Bytes of each value.
    pub value_bytes: u32,
}

impl Marker {
    /// As it is kept.
    pub fn text(self) -> String {
        let Marker { keys, written, value_bytes } = self;
        format!("isotherm load keys={keys} written={written} value={value_bytes}")
    }

    /// Reads it back; nothing if it is not a marker of ours.
    pub fn parse(text: &[u8]) -> Option<Marker> {
        let text = std::str::from_utf8(text).ok()?.strip_prefix("isotherm load ")?;
        let mut words = text.split(' ');
        let mut number = |name: &str| words.next()?.strip_prefix(name)?.strip_prefix('=');
        let (keys, written, value) = (number("keys")?, number("written")?, number("value")?);
        let marker = Marker {
            keys: keys.parse().ok()?,
            written: written.parse().ok()?,
            value_bytes: value.parse().ok()?,
        };
        (marker.written <= marker.keys).then_some(marker)
    }
}

/// Commands as they go over the wire, made once; only key and value are filled in.
pub struct Commands {
    get: Vec<u8>,
    set: Vec<u8>,
    value_at: usize,
    value_bytes: usize,
    writes: u64,
}

/// Where the digits of the key are in both commands: after `*2`, `$3`, `GET`, `$21`, the prefix.
const DIGITS_AT: usize = 4 + 4 + 5 + 5 + PREFIX.len();

impl Commands {
    /// For values of so many bytes. What is written differs with `seed`.
    pub fn new(value_bytes: u32, seed: u64) -> Commands {
        let value_bytes = value_bytes as usize;
        let (mut get, mut set) = (Vec::new(), Vec::new());
        command(&mut get, &[b"GET", &key(0)]);
        command(&mut set, &[b"SET", &key(0), &noise(value_bytes, seed)]);
        let value_at = set.len() - value_bytes - 2;
        Commands { get, set, value_at, value_bytes, writes: seed }
    }

    /// Reads a place.
    pub fn get(&mut self, place: u64) -> &[u8] {
        digits(&mut self.get, place);
        &self.get
    }

    /// Writes a place: its number, a number that is different each time, and noise that cannot
    /// be compressed.
    pub fn set(&mut self, place: u64) -> &[u8] {
        digits(&mut self.set, place);
        self.writes = self.writes.wrapping_add(1);
        let value = self.set.get_mut(self.value_at..self.value_at + self.value_bytes);
        let numbers = place.to_le_bytes().into_iter().chain(self.writes.to_le_bytes());
        value.into_iter().flatten().zip(numbers).for_each(|(to, from)| *to = from);
        &self.set
    }
}

/// Whether a value is one that was written to this place.
pub fn belongs(value: &[u8], place: u64, value_bytes: u32) -> bool {
    let number = place.to_le_bytes();
    let shown = number.len().min(value.len());
    value.len() == value_bytes as usize && value.get(..shown) == number.get(..shown)
}

fn digits(command: &mut [u8], place: u64) {
    let mut rest = place;
    let field = command.get_mut(DIGITS_AT..DIGITS_AT + DIGITS).unwrap_or_default();
    for digit in field.iter_mut().rev() {
        // A digit is below 10.
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
}

fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = of_lane(seed, 0);
    std::iter::repeat_with(|| random.next().to_le_bytes()).flatten().take(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::super::replies::{Read, Reply, read};
    use super::*;

    fn words(bytes: &[u8]) -> Vec<Vec<u8>> {
        let Ok(Read::Whole(Reply::Array(words), length)) = read(bytes) else { panic!("{bytes:?}") };
        assert_eq!(length, bytes.len());
        let bulk = |reply: &Reply| match reply {
            Reply::Bulk(word) => word.to_vec(),
            other => panic!("{other:?}"),
        };
        words.iter().map(bulk).collect()
    }

    #[test]
    fn commands_are_whole_for_every_place_and_size() {
        for value_bytes in [1, 7, 8, 15, 16, 100, 9_999] {
            let mut commands = Commands::new(value_bytes, 5);
            for place in [0, 7, 123_456, 999_999_999_999] {
                assert_eq!(words(commands.get(place)), [b"GET".to_vec(), key(place)]);
                let set = words(commands.set(place));
                assert_eq!(set[..2], [b"SET".to_vec(), key(place)]);
                assert!(belongs(&set[2], place, value_bytes));
                assert!(!belongs(&set[2], place ^ 0x55, value_bytes));
                assert!(!belongs(&set[2], place, value_bytes + 1));
            }
        }
        assert_eq!(key(42), b"isotherm:000000000042");
    }

    #[test]
    fn a_value_changes_each_time() {
        let mut commands = Commands::new(100, 1);
        let first = commands.set(3).to_vec();
        assert_ne!(first, commands.set(3));
    }

    #[test]
    fn markers_read_back_and_others_are_none() {
        let marker = Marker { keys: 20, written: 5, value_bytes: 100 };
        assert_eq!(Marker::parse(marker.text().as_bytes()), Some(marker));
        for text in ["", "isotherm load keys=1", "isotherm load keys=1 written=2 value=3", "x"] {
            assert_eq!(Marker::parse(text.as_bytes()), None, "{text}");
        }
    }
}
