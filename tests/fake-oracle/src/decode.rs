//! Reading values the way TTC writes them.

use crate::encode::Writer;

/// A message being read. `None` means that it goes on in a packet not yet received.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    pub(crate) fn raw(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, which stays.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.raw(1)?.first().copied()
    }

    /// A number after its length in bytes.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let length = self.u8()?;
        let bytes = self.raw(usize::from(length & 0x7f))?;
        Some(bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.number().map(drop))
    }

    /// Bytes after their length, put together if they come in pieces.
    pub(crate) fn text(&mut self) -> Option<Vec<u8>> {
        let length = self.u8()?;
        if length != 254 {
            return Some(self.raw(usize::from(length))?.to_vec());
        }
        let mut whole = Writer::default();
        loop {
            match usize::try_from(self.number()?).ok()? {
                0 => return Some(whole.into_bytes()),
                piece => _ = whole.raw(self.raw(piece)?),
            }
        }
    }

    /// Bytes after their length as a number and, unless they are none, as in [`Reader::text`].
    pub(crate) fn counted(&mut self) -> Option<String> {
        if self.number()? == 0 {
            return Some(String::new());
        }
        self.text().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// What a NUMBER says that is whole and not negative, as a value bound; nothing if it is not one.
pub fn whole_number(bytes: &[u8]) -> Option<u64> {
    let (exponent, digits) = bytes.split_first()?;
    let places = usize::from(exponent.checked_sub(if digits.is_empty() { 128 } else { 192 })?);
    if digits.len() > places {
        return None;
    }
    let digits = digits.iter().map(|digit| digit.checked_sub(1));
    digits
        .chain(std::iter::repeat(Some(0)))
        .take(places)
        .try_fold(0_u64, |value, digit| value.checked_mul(100)?.checked_add(u64::from(digit?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_what_is_cut_asks_for_more() {
        let long = vec![b'x'; 70_000];
        let mut writer = Writer::default();
        writer.number(4_294_967_296).text(b"abc").text(&long).counted(b"").counted(b"key");
        let bytes = writer.into_bytes();
        let read = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            let number = reader.number()?;
            let (short, long) = (reader.text()?, reader.text()?);
            Some((number, short, long, reader.counted()?, reader.counted()?))
        };
        let expected = (4_294_967_296, b"abc".to_vec(), long, String::new(), "key".to_owned());
        assert_eq!(read(&bytes), Some(expected));
        for cut in [0, 1, 7, 100, bytes.len() - 1] {
            assert_eq!(read(&bytes[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn whole_numbers_read_back() {
        for value in [0, 1, 99, 100, 123, 10_000, 1_000_001, 123_456_789_012] {
            let mut writer = Writer::default();
            writer.oracle_number(value);
            assert_eq!(whole_number(&writer.into_bytes()[1..]), Some(value), "{value}");
        }
        assert_eq!(whole_number(&[192, 51]), None, "a half");
        assert_eq!(whole_number(&[]), None);
    }
}
