//! The numbers and texts that packets consist of.

use super::error::MySqlError;

const SHORT: MySqlError = MySqlError::Wire("a packet is cut short");

/// What is left of a packet.
#[derive(Copy, Clone, Debug)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8], MySqlError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, MySqlError> {
        self.bytes(1)?.first().copied().ok_or(SHORT)
    }

    /// A number of at most eight bytes, the lowest first.
    pub(super) fn number(&mut self, length: usize) -> Result<u64, MySqlError> {
        let bytes = self.bytes(length)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    }

    pub(super) fn short(&mut self) -> Result<u16, MySqlError> {
        Ok(u16::from_le_bytes(self.bytes(2)?.try_into().map_err(|_| SHORT)?))
    }

    /// A text up to a zero, or to the end of the packet.
    pub(super) fn text(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        let (text, rest) = self.0.split_at(end);
        self.0 = rest.get(1..).unwrap_or_default();
        text
    }

    /// A text with its length before it; `None` for SQL's null.
    pub(super) fn value(&mut self) -> Result<Option<&'a [u8]>, MySqlError> {
        let length = match self.byte()? {
            0xfb => return Ok(None),
            first => self.length(first)?,
        };
        self.bytes(length).map(Some)
    }

    /// A length that begins with this byte.
    pub(super) fn length(&mut self, first: u8) -> Result<usize, MySqlError> {
        let length = match first {
            0..=0xfa => u64::from(first),
            0xfc => self.number(2)?,
            0xfd => self.number(3)?,
            0xfe => self.number(8)?,
            _ => return Err(MySqlError::Wire("a length that is none")),
        };
        usize::try_from(length).map_err(|_| SHORT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_one_three_four_or_nine_bytes() {
        let of = |bytes: &[u8]| {
            let mut fields = Fields(bytes);
            let value = fields.value().map(|value| value.map(<[u8]>::len));
            value.ok().map(|value| (value, fields.0.len()))
        };
        assert_eq!(of(&[2, b'a', b'b', 9]), Some((Some(2), 1)));
        assert_eq!(of(&[0xfb, 7]), Some((None, 1)));
        assert_eq!(of(&[&[0xfc, 0, 1][..], &[0; 256]].concat()), Some((Some(256), 0)));
        assert_eq!(of(&[&[0xfd, 0, 0, 1][..], &vec![0; 65_536]].concat()), Some((Some(65_536), 0)));
        for wrong in [&[][..], &[3, b'a'], &[0xfc, 1], &[0xff], &[0xfe; 9]] {
            assert_eq!(of(wrong), None, "{wrong:?}");
        }
    }
}
