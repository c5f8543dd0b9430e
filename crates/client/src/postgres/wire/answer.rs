//! The answer to one prepared statement, put together from pieces as they arrive.

use super::fault::ServerFault;
use super::frame::{Fields, Message, WireError, split};

/// The longest message taken: rows are a number each, errors a few texts.
const MOST: usize = 1 << 16;

/// What a server has answered so far.
#[derive(Debug, Default)]
pub struct Answer {
    /// Bytes of a message that was not all there.
    carried: Vec<u8>,
    /// The number in the first column of the first row.
    pub value: Option<i64>,
    /// The number at the end of the command's tag: rows read or changed.
    pub rows: Option<u64>,
    /// What went wrong.
    pub fault: Option<ServerFault>,
    /// Whether the server accepted the statement that was prepared along with this execution.
    pub prepared: bool,
}

/// What bytes fed to an [`Answer`] made of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fed {
    /// More is to come; all bytes are taken.
    More,
    /// The server is ready for the next statement; so many of the bytes were used.
    Ready {
        /// Bytes of what was fed that belong to this answer.
        used: usize,
    },
}

impl Answer {
    /// Ready for the next answer.
    #[inline]
    pub fn clear(&mut self) {
        self.carried.clear();
        self.value = None;
        self.rows = None;
        self.fault = None;
        self.prepared = false;
    }

    /// Takes bytes off the wire, up to the end of the answer.
    #[inline]
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Fed, WireError> {
        if self.carried.is_empty() {
            let (used, ready) = self.read(bytes)?;
            if ready {
                return Ok(Fed::Ready { used });
            }
            self.carried.extend_from_slice(bytes.get(used..).unwrap_or_default());
            return Ok(Fed::More);
        }
        self.feed_carried(bytes)
    }

    fn feed_carried(&mut self, bytes: &[u8]) -> Result<Fed, WireError> {
        let before = self.carried.len();
        let mut carried = std::mem::take(&mut self.carried);
        carried.extend_from_slice(bytes);
        let (used, ready) = self.read(&carried)?;
        if ready {
            return Ok(Fed::Ready { used: used.saturating_sub(before) });
        }
        carried.drain(..used);
        self.carried = carried;
        Ok(Fed::More)
    }

    /// Reads whole messages; gives the bytes they took and whether the last ended the answer.
    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<(usize, bool), WireError> {
        let mut used = 0;
        while let Some(message) = split(bytes.get(used..).unwrap_or_default(), MOST)? {
            used += message.length;
            if self.take(&message)? {
                return Ok((used, true));
            }
        }
        Ok((used, false))
    }

    #[inline]
    fn take(&mut self, message: &Message) -> Result<bool, WireError> {
        match message.tag {
            b'D' if self.value.is_none() => self.value = number(message)?,
            // Further rows; bound; no row; what the server says by the way: notices, settings,
            // notifications.
            b'D' | b'2' | b'n' | b'N' | b'S' | b'A' => {}
            b'C' => self.rows = rows(Fields::of(message).text()?),
            b'1' => self.prepared = true,
            b'E' => self.fault = Some(ServerFault::read(message)),
            b'Z' => return Ok(true),
            tag => return Err(WireError::Unexpected { tag }),
        }
        Ok(false)
    }
}

/// The first column of a row as a number of four or eight bytes.
fn number(row: &Message) -> Result<Option<i64>, WireError> {
    let mut fields = Fields::of(row);
    if fields.int16()? < 1 {
        return Ok(None);
    }
    Ok(fields.value()?.and_then(|value| {
        let short = || value.try_into().ok().map(|four| i32::from_be_bytes(four).into());
        value.try_into().ok().map(i64::from_be_bytes).or_else(short)
    }))
}

/// The number a command's tag ends with: `SELECT 1`, `UPDATE 63`.
fn rows(tag: &[u8]) -> Option<u64> {
    let digits = tag.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = tag.get(tag.len() - digits..).filter(|digits| !digits.is_empty())?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bound, one row with a count of 64, complete, ready.
    const GOOD: &[u8] = b"2\0\0\0\x04D\0\0\0\x12\0\x01\0\0\0\x08\0\0\0\0\0\0\0\x40\
        C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I";
    const FAILED: &[u8] = b"E\0\0\0\x0dC57014\0\0\0Z\0\0\0\x05I";

    #[test]
    fn an_answer_holds_its_value_and_its_rows() {
        let mut answer = Answer::default();
        assert_eq!(answer.feed(GOOD), Ok(Fed::Ready { used: GOOD.len() }));
        assert_eq!((answer.value, answer.rows, &answer.fault), (Some(64), Some(1), &None));
        answer.clear();
        assert_eq!(answer.feed(FAILED), Ok(Fed::Ready { used: FAILED.len() }));
        assert_eq!(answer.fault.unwrap().code, "57014");
    }

    #[test]
    fn what_a_connection_is_not_to_say_here_is_an_error() {
        let mut answer = Answer::default();
        assert_eq!(answer.feed(b"G\0\0\0\x04"), Err(WireError::Unexpected { tag: b'G' }));
    }

    #[test]
    fn only_numbers_at_the_end_of_a_tag_are_rows() {
        assert_eq!(rows(b"UPDATE 63"), Some(63));
        assert_eq!(rows(b"INSERT 0 7"), Some(7));
        assert_eq!(rows(b"BEGIN"), None);
        assert_eq!(rows(b"UPDATE 99999999999999999999"), None);
    }

    proptest! {
        #[test]
        fn pieces_make_the_same_answers_as_the_whole(
            kinds in prop::collection::vec(any::<bool>(), 0..8), piece in 1usize..50,
        ) {
            let bytes: Vec<u8> =
                kinds.iter().flat_map(|good| if *good { GOOD } else { FAILED }).copied().collect();
            let expected = u64::try_from(kinds.len()).unwrap();
            prop_assert_eq!(super::super::answers(&bytes, piece), Ok(expected));
        }

        #[test]
        fn a_truncated_answer_is_never_complete(cut in 0usize..GOOD.len(), piece in 1usize..50) {
            prop_assert_eq!(super::super::answers(&GOOD[..cut], piece), Ok(0));
        }

        #[test]
        fn anything_at_all_ends_well_or_as_an_error(
            bytes in prop::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(b"12DCEZNS\0\0\0\0\x05".to_vec())],
                0..200,
            ),
            piece in 1usize..70,
        ) {
            let whole = super::super::answers(&bytes, usize::MAX);
            prop_assert_eq!(super::super::answers(&bytes, piece), whole);
        }
    }
}
