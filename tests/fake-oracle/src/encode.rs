//! Writing values the way TTC does.

/// Bytes beyond this are sent in pieces.
const SHORT: usize = 252;
/// What stands where a length would when pieces follow.
const PIECES: u8 = 254;
/// The largest piece.
const PIECE: usize = 32767;

/// A message being put together.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    /// The number of the call that it answers.
    pub(crate) call_number: u8,
}

impl Writer {
    /// An answer to the call of this number.
    pub(crate) fn answer(call_number: u8) -> Writer {
        Writer { call_number, ..Writer::default() }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn u8(&mut self, value: u8) -> &mut Writer {
        self.bytes.push(value);
        self
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Writer {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(crate) fn zeros(&mut self, count: usize) -> &mut Writer {
        self.bytes.resize(self.bytes.len() + count, 0);
        self
    }

    pub(crate) fn u16(&mut self, value: u16) -> &mut Writer {
        self.raw(&value.to_be_bytes())
    }

    pub(crate) fn u32(&mut self, value: u32) -> &mut Writer {
        self.raw(&value.to_be_bytes())
    }

    /// A number as its length in bytes and those bytes, the most significant first.
    pub(crate) fn number(&mut self, value: u64) -> &mut Writer {
        let bytes = value.to_be_bytes();
        let skip = usize::try_from(value.leading_zeros() / 8).unwrap_or(8);
        let used = &bytes[skip..];
        self.u8(u8::try_from(used.len()).unwrap_or(8)).raw(used)
    }

    /// A length or count as a number.
    pub(crate) fn count(&mut self, value: usize) -> &mut Writer {
        self.number(u64::try_from(value).unwrap_or(u64::MAX))
    }

    /// Bytes after their length, in pieces if they are many.
    pub(crate) fn text(&mut self, bytes: &[u8]) -> &mut Writer {
        if let Ok(length) = u8::try_from(bytes.len())
            && bytes.len() <= SHORT
        {
            return self.u8(length).raw(bytes);
        }
        self.u8(PIECES);
        for piece in bytes.chunks(PIECE) {
            self.count(piece.len()).raw(piece);
        }
        self.number(0)
    }

    /// Bytes after their length as a number and, unless they are none, as in [`Writer::text`].
    pub(crate) fn counted(&mut self, bytes: &[u8]) -> &mut Writer {
        self.count(bytes.len());
        if bytes.is_empty() { self } else { self.text(bytes) }
    }

    /// A whole number in the format of a NUMBER column: an exponent of 100, then digits to the
    /// base of 100, one added to each.
    pub(crate) fn oracle_number(&mut self, value: u64) -> &mut Writer {
        let mut digits = Vec::new();
        let mut rest = value;
        while rest > 0 {
            digits.push(u8::try_from(rest % 100).unwrap_or(0) + 1);
            rest /= 100;
        }
        let exponent = u8::try_from(digits.len()).unwrap_or(0);
        digits.reverse();
        while digits.last() == Some(&1) {
            digits.pop();
        }
        let mut number = vec![if value == 0 { 128 } else { 192 + exponent }];
        number.extend(digits);
        self.text(&number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer::default();
        write(&mut writer);
        writer.into_bytes()
    }

    #[test]
    fn numbers_take_no_more_bytes_than_they_need() {
        for (value, bytes) in [
            (0, vec![0]),
            (1, vec![1, 1]),
            (255, vec![1, 255]),
            (256, vec![2, 1, 0]),
            (65536, vec![3, 1, 0, 0]),
        ] {
            assert_eq!(written(|w| _ = w.number(value)), bytes, "{value}");
        }
    }

    #[test]
    fn whole_numbers_have_the_bytes_that_dump_shows_on_a_server() {
        for (value, bytes) in [
            (0, vec![1, 128]),
            (1, vec![2, 193, 2]),
            (100, vec![2, 194, 2]),
            (123, vec![3, 194, 2, 24]),
            (1_000_000, vec![2, 196, 2]),
        ] {
            assert_eq!(written(|w| _ = w.oracle_number(value)), bytes, "{value}");
        }
    }

    #[test]
    fn long_texts_go_in_pieces() {
        assert_eq!(written(|w| _ = w.text(&[7; 252])).len(), 253);
        let bytes = written(|w| _ = w.text(&[7; 253]));
        assert_eq!(&bytes[..3], &[254, 1, 253]);
        assert_eq!(bytes.last(), Some(&0));
    }
}
