//! Messages cut out of bytes, and fields cut out of messages.

use thiserror::Error;

/// Bytes that are no message of the protocol.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// The length in a message's head is below what a head has.
    #[error("a message of type '{}' says it is {length} bytes long", char::from(*tag))]
    Length {
        /// The type.
        tag: u8,
        /// What it says.
        length: i32,
    },
    /// The message is longer than anything expected here.
    #[error(
        "a message of type '{}' is {length} bytes long, at most {most} are taken",
        char::from(*tag)
    )]
    Long {
        /// The type.
        tag: u8,
        /// Its length.
        length: usize,
        /// The most that is taken.
        most: usize,
    },
    /// The message ends in the middle of a field.
    #[error("a message of type '{}' ends in the middle of a field", char::from(*tag))]
    Short {
        /// The type.
        tag: u8,
    },
    /// A message that does not belong here.
    #[error("a message of type '{}' where none is expected", char::from(*tag))]
    Unexpected {
        /// The type.
        tag: u8,
    },
}

/// The head of a message: its type and its length, of which the type is no part.
const HEAD: usize = 5;

/// One message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Its type.
    pub tag: u8,
    /// What follows its head.
    pub body: &'a [u8],
    /// Bytes of head and body.
    pub length: usize,
}

/// The message at the beginning of some bytes; `None` if it is not all there yet. Bodies longer
/// than `most` are an error, so that nobody can make us wait for gigabytes.
#[inline]
pub fn split(bytes: &[u8], most: usize) -> Result<Option<Message<'_>>, WireError> {
    let Some((&[tag, a, b, c, d], after)) = bytes.split_first_chunk::<HEAD>() else {
        return Ok(None);
    };
    let length = i32::from_be_bytes([a, b, c, d]);
    let body = usize::try_from(length).ok().and_then(|length| length.checked_sub(4));
    let Some(body) = body else { return Err(WireError::Length { tag, length }) };
    if body > most {
        return Err(WireError::Long { tag, length: body, most });
    }
    Ok(after.get(..body).map(|bytes| Message { tag, body: bytes, length: body + HEAD }))
}

/// The fields of a message's body, first to last.
#[derive(Copy, Clone, Debug)]
pub struct Fields<'a> {
    tag: u8,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of a body.
    pub fn of(message: &Message<'a>) -> Fields<'a> {
        Fields { tag: message.tag, rest: message.body }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (first, rest) =
            self.rest.split_first_chunk::<N>().ok_or(WireError::Short { tag: self.tag })?;
        self.rest = rest;
        Ok(*first)
    }

    /// One byte.
    pub fn byte(&mut self) -> Result<u8, WireError> {
        self.take().map(|[byte]| byte)
    }

    /// Two bytes.
    pub fn int16(&mut self) -> Result<i16, WireError> {
        self.take().map(i16::from_be_bytes)
    }

    /// Four bytes.
    pub fn int32(&mut self) -> Result<i32, WireError> {
        self.take().map(i32::from_be_bytes)
    }

    /// Bytes up to the next zero, which is left out.
    pub fn text(&mut self) -> Result<&'a [u8], WireError> {
        let at = self.rest.iter().position(|byte| *byte == 0);
        let at = at.ok_or(WireError::Short { tag: self.tag })?;
        let (text, rest) = self.rest.split_at(at);
        self.rest = rest.get(1..).unwrap_or_default();
        Ok(text)
    }

    /// A value with its length before it; `None` is SQL's null.
    pub fn value(&mut self) -> Result<Option<&'a [u8]>, WireError> {
        let Ok(length) = usize::try_from(self.int32()?) else { return Ok(None) };
        let (value, rest) =
            self.rest.split_at_checked(length).ok_or(WireError::Short { tag: self.tag })?;
        self.rest = rest;
        Ok(Some(value))
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u8] {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_message_is_cut_out_whole_or_not_at_all() {
        let bytes = b"Z\0\0\0\x05IC\0\0\0\x0dSELECT 1\0";
        assert_eq!(split(&bytes[..5], 10), Ok(None), "the head alone");
        let first = split(bytes, 10).unwrap().unwrap();
        assert_eq!((first.tag, first.body, first.length), (b'Z', &b"I"[..], 6));
        let second = split(&bytes[6..], 10).unwrap().unwrap();
        assert_eq!((second.tag, second.body), (b'C', &b"SELECT 1\0"[..]));
        assert_eq!(Fields::of(&second).text(), Ok(&b"SELECT 1"[..]));
    }

    #[test]
    fn lengths_that_cannot_be_are_refused_before_anything_is_awaited() {
        assert_eq!(split(b"D\0\0\0\x03", 10), Err(WireError::Length { tag: b'D', length: 3 }));
        assert_eq!(
            split(b"D\xff\xff\xff\xff", 10),
            Err(WireError::Length { tag: b'D', length: -1 })
        );
        let long = Err(WireError::Long { tag: b'D', length: 0x7fff_fffb, most: 10 });
        assert_eq!(split(b"D\x7f\xff\xff\xff", 10), long);
    }

    #[test]
    fn fields_end_where_the_message_ends() {
        let message = Message { tag: b'D', body: b"\0\x01\0\0\0\x04\0\0", length: 13 };
        let mut fields = Fields::of(&message);
        assert_eq!(fields.int16(), Ok(1));
        assert_eq!(fields.value(), Err(WireError::Short { tag: b'D' }));
        let null = Message { tag: b'D', body: b"\xff\xff\xff\xff", length: 9 };
        assert_eq!(Fields::of(&null).value(), Ok(None));
    }

    proptest! {
        #[test]
        fn anything_is_a_message_an_error_or_not_yet_one(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            if let Ok(Some(message)) = split(&bytes, 40) {
                prop_assert_eq!(message.length, message.body.len() + 5);
                prop_assert!(message.length <= bytes.len());
                let mut fields = Fields::of(&message);
                while fields.value().is_ok() {}
                let _ = (fields.text(), fields.int16(), fields.byte(), fields.rest());
            }
        }
    }
}
