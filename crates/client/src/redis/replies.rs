//! What a Redis server says: replies of RESP2, read from bytes that arrive in pieces.
//!
//! Format: the "Redis serialization protocol specification", version 2.

use std::borrow::Cow;

use thiserror::Error;

/// The longest reply that is read, bytes: what Redis itself allows a string to be.
pub const LONGEST: usize = 512 << 20;
/// The longest first line of a reply: lengths and numbers are short, errors one line of text.
const LONGEST_LINE: usize = 64 << 10;
/// Arrays within arrays.
const DEEPEST: u32 = 8;
/// Elements of all arrays of one reply.
const MOST_ELEMENTS: usize = 1 << 20;

/// What a server answers to `PING`.
pub const PONG: &str = "PONG";
/// Words for a server that answers something else.
pub const NOT_PONG: &str = "PING is not answered with PONG";
/// Words for a server that says more than it was asked.
pub const UNASKED: &str = "a reply that nobody asked for";

/// One reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// `+OK`
    Simple(&'a [u8]),
    /// `-ERR unknown command`
    Error(&'a [u8]),
    /// `:42`
    Integer(i64),
    /// `$5`, and five bytes.
    Bulk(&'a [u8]),
    /// `$-1` or `*-1`: there is nothing.
    Nil,
    /// `*2`, and two replies.
    Array(Vec<Reply<'a>>),
}

/// What the bytes at hand are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// A whole reply, and how many bytes it took.
    Whole(Reply<'a>, usize),
    /// The beginning of a reply: at least so many bytes are needed in all.
    Part(usize),
}

/// Why bytes are not a reply. The server is not Redis, or the connection is out of step: nothing
/// more can be read from it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// No reply begins so.
    #[error("a reply begins with byte {0:#04x}, not with one of + - : $ *")]
    Kind(u8),
    /// Not a number where a number has to be.
    #[error("'{0}' is not a number")]
    Number(String),
    /// A string that does not end where it said.
    #[error("a string of {0} bytes does not end with a new line")]
    End(usize),
    /// Too much: a line, a string, an array.
    #[error("a reply of more than {most} {unit}")]
    TooMuch {
        /// What is allowed.
        most: usize,
        /// Of what.
        unit: &'static str,
    },
}

/// Reads one reply from the beginning of `bytes`.
pub fn read(bytes: &[u8]) -> Result<Read<'_>, ReplyError> {
    let mut reader = Reader { bytes, at: 0, elements: 0 };
    match reader.reply(0)? {
        Ok(reply) => Ok(Read::Whole(reply, reader.at)),
        Err(Needed(bytes)) => Ok(Read::Part(bytes)),
    }
}

/// More bytes are needed: so many in all, at least.
struct Needed(usize);

type Partly<T> = Result<Result<T, Needed>, ReplyError>;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    elements: usize,
}

impl<'a> Reader<'a> {
    fn reply(&mut self, depth: u32) -> Partly<Reply<'a>> {
        let Some(&kind) = self.bytes.get(self.at) else { return Ok(Err(Needed(self.at + 1))) };
        if !b"+-:$*".contains(&kind) {
            return Err(ReplyError::Kind(kind));
        }
        let line = match self.line()? {
            Ok(line) => line,
            Err(needed) => return Ok(Err(needed)),
        };
        Ok(Ok(match kind {
            b'+' => Reply::Simple(line),
            b'-' => Reply::Error(line),
            b':' => Reply::Integer(number(line)?),
            b'$' => return self.bulk(number(line)?),
            _ => return self.array(number(line)?, depth),
        }))
    }

    /// The line that begins here, without its first byte and its end.
    fn line(&mut self) -> Partly<&'a [u8]> {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let searched = rest.get(..LONGEST_LINE).unwrap_or(rest);
        let Some(end) = searched.windows(2).position(|pair| pair == b"\r\n") else {
            return if searched.len() < LONGEST_LINE {
                Ok(Err(Needed(self.bytes.len() + 1)))
            } else {
                Err(ReplyError::TooMuch { most: LONGEST_LINE, unit: "bytes in a line" })
            };
        };
        self.at += end + 3;
        Ok(Ok(rest.get(..end).unwrap_or_default()))
    }

    fn bulk(&mut self, length: i64) -> Partly<Reply<'a>> {
        if length == -1 {
            return Ok(Ok(Reply::Nil));
        }
        let length = size(length, LONGEST, "bytes")?;
        let end = self.at + length;
        let Some(tail) = self.bytes.get(end..end + 2) else { return Ok(Err(Needed(end + 2))) };
        if tail != b"\r\n" {
            return Err(ReplyError::End(length));
        }
        let string = self.bytes.get(self.at..end).unwrap_or_default();
        self.at = end + 2;
        Ok(Ok(Reply::Bulk(string)))
    }

    fn array(&mut self, length: i64, depth: u32) -> Partly<Reply<'a>> {
        if length == -1 {
            return Ok(Ok(Reply::Nil));
        }
        let length = size(length, MOST_ELEMENTS, "elements")?;
        self.elements += length;
        if self.elements > MOST_ELEMENTS {
            return Err(ReplyError::TooMuch { most: MOST_ELEMENTS, unit: "elements" });
        }
        if depth >= DEEPEST {
            return Err(ReplyError::TooMuch { most: DEEPEST as usize, unit: "levels of arrays" });
        }
        // Grows as elements are there: a length is only a promise.
        let mut replies = Vec::new();
        for _ in 0..length {
            match self.reply(depth + 1)? {
                Ok(reply) => replies.push(reply),
                Err(needed) => return Ok(Err(needed)),
            }
        }
        Ok(Ok(Reply::Array(replies)))
    }
}

fn number(line: &[u8]) -> Result<i64, ReplyError> {
    let text = std::str::from_utf8(line).ok();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        let start = line.get(..32).unwrap_or(line);
        ReplyError::Number(String::from_utf8_lossy(start).escape_default().to_string())
    })
}

fn size(length: i64, most: usize, unit: &'static str) -> Result<usize, ReplyError> {
    let size = usize::try_from(length).map_err(|_| ReplyError::Number(length.to_string()))?;
    if size > most { Err(ReplyError::TooMuch { most, unit }) } else { Ok(size) }
}

/// Adds a command to what is to be sent: an array of strings.
pub fn command(to: &mut Vec<u8>, words: &[&[u8]]) {
    to.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
    for word in words {
        to.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        to.extend_from_slice(word);
        to.extend_from_slice(b"\r\n");
    }
}

/// What an error is counted as: its code word, and what that means. The rest of an error names
/// keys, addresses and numbers, so that no two are the same.
pub fn fault(error: &[u8]) -> Cow<'static, str> {
    let code = code(error);
    let known = KNOWN.iter().find(|(word, _)| word.as_bytes() == code);
    known.map_or_else(
        || match std::str::from_utf8(code) {
            Ok(word) if is_code(code) => Cow::Owned(format!("{word}: refused by the server")),
            _ => Cow::Borrowed("an error without a code word"),
        },
        |(_, words)| Cow::Borrowed(*words),
    )
}

/// The first word of an error.
pub fn code(error: &[u8]) -> &[u8] {
    error.split(|&byte| byte == b' ').next().unwrap_or_default()
}

fn is_code(word: &[u8]) -> bool {
    (1..=16).contains(&word.len()) && word.iter().all(u8::is_ascii_uppercase)
}

const KNOWN: [(&str, &str); 15] = [
    ("ASK", "ASK: the key is being moved to another node of the cluster"),
    ("BUSY", "BUSY: a script keeps the server from answering"),
    ("CLUSTERDOWN", "CLUSTERDOWN: the cluster does not serve all keys"),
    ("ERR", "ERR: the server did not take the command"),
    ("EXECABORT", "EXECABORT: a transaction was given up"),
    ("LOADING", "LOADING: the server is still reading its data from disk"),
    ("MASTERDOWN", "MASTERDOWN: the replica has lost its master"),
    ("MISCONF", "MISCONF: the server cannot save to disk and takes no writes"),
    ("MOVED", "MOVED: the key lives on another node of the cluster"),
    ("NOAUTH", "NOAUTH: the server wants a password"),
    ("NOPERM", "NOPERM: the user may not run the command or touch the key"),
    ("NOREPLICAS", "NOREPLICAS: too few replicas to take writes"),
    ("OOM", "OOM: memory is at maxmemory and nothing may be evicted"),
    ("READONLY", "READONLY: a replica takes no writes"),
    ("TRYAGAIN", "TRYAGAIN: the keys are being moved in the cluster"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(bytes: &[u8]) -> (Reply<'_>, usize) {
        match read(bytes) {
            Ok(Read::Whole(reply, used)) => (reply, used),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_the_examples_of_the_specification() {
        assert_eq!(whole(b"+OK\r\n"), (Reply::Simple(b"OK"), 5));
        assert_eq!(whole(b"-ERR no\r\nrest"), (Reply::Error(b"ERR no"), 9));
        assert_eq!(whole(b":-7\r\n"), (Reply::Integer(-7), 5));
        assert_eq!(whole(b"$5\r\nhe\r\nl\r\n"), (Reply::Bulk(b"he\r\nl"), 11));
        assert_eq!(whole(b"$0\r\n\r\n"), (Reply::Bulk(b""), 6));
        assert_eq!(whole(b"$-1\r\n"), (Reply::Nil, 5));
        assert_eq!(whole(b"*-1\r\n"), (Reply::Nil, 5));
        let nested = Reply::Array(vec![Reply::Array(vec![Reply::Integer(1)]), Reply::Nil]);
        assert_eq!(whole(b"*2\r\n*1\r\n:1\r\n$-1\r\n"), (nested, 17));
    }

    #[test]
    fn says_how_much_is_missing() {
        assert_eq!(read(b""), Ok(Read::Part(1)));
        assert_eq!(read(b"$100\r\nabc"), Ok(Read::Part(108)));
        assert_eq!(read(b"+O"), Ok(Read::Part(3)));
    }

    #[test]
    fn refuses_what_is_no_reply() {
        assert_eq!(read(b"HTTP/1.1 400\r\n"), Err(ReplyError::Kind(b'H')));
        assert_eq!(read(b"$12x\r\n"), Err(ReplyError::Number("12x".to_owned())));
        assert_eq!(read(b"$-2\r\n"), Err(ReplyError::Number("-2".to_owned())));
        assert_eq!(read(b"$2\r\nabcd"), Err(ReplyError::End(2)));
        assert!(matches!(read(b"$999999999999\r\n"), Err(ReplyError::TooMuch { .. })));
        assert!(matches!(read(b"*9223372036854775807\r\n"), Err(ReplyError::TooMuch { .. })));
        assert!(matches!(read(&b"*1\r\n".repeat(20)), Err(ReplyError::TooMuch { .. })));
        assert!(matches!(read(&b"+".repeat(70_000)), Err(ReplyError::TooMuch { .. })));
    }

    #[test]
    fn faults_are_the_same_words_for_the_same_fault() {
        assert_eq!(fault(b"MOVED 3999 127.0.0.1:6381"), fault(b"MOVED 12 10.0.0.1:7000"));
        assert_eq!(fault(b"NEWWORD of a later server"), "NEWWORD: refused by the server");
        assert_eq!(fault(b"err? 17"), "an error without a code word");
        assert_eq!(fault(b""), "an error without a code word");
    }

    fn written(reply: &Reply, to: &mut Vec<u8>) {
        let framed = |to: &mut Vec<u8>, kind: u8, line: &[u8]| {
            to.push(kind);
            to.extend_from_slice(line);
            to.extend_from_slice(b"\r\n");
        };
        match reply {
            Reply::Simple(line) => framed(to, b'+', line),
            Reply::Error(line) => framed(to, b'-', line),
            Reply::Integer(number) => framed(to, b':', number.to_string().as_bytes()),
            Reply::Nil => framed(to, b'$', b"-1"),
            Reply::Bulk(bytes) => {
                framed(to, b'$', bytes.len().to_string().as_bytes());
                to.extend_from_slice(bytes);
                to.extend_from_slice(b"\r\n");
            }
            Reply::Array(replies) => {
                framed(to, b'*', replies.len().to_string().as_bytes());
                for reply in replies {
                    written(reply, to);
                }
            }
        }
    }

    fn any_reply() -> impl Strategy<Value = Reply<'static>> {
        let line = "[ -~]{0,20}".prop_map(|text| &*text.into_bytes().leak());
        let leaf = prop_oneof![
            line.clone().prop_map(Reply::Simple),
            line.prop_map(Reply::Error),
            any::<i64>().prop_map(Reply::Integer),
            proptest::collection::vec(any::<u8>(), 0..40).prop_map(|b| Reply::Bulk(b.leak())),
            Just(Reply::Nil),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            proptest::collection::vec(inner, 0..4).prop_map(Reply::Array)
        })
    }

    proptest! {
        #[test]
        fn any_reply_reads_back_and_any_beginning_of_it_asks_for_no_more_than_it(
            reply in any_reply(), after in proptest::collection::vec(any::<u8>(), 0..5)
        ) {
            let mut bytes = Vec::new();
            written(&reply, &mut bytes);
            let length = bytes.len();
            for end in 0..length {
                match read(&bytes[..end]) {
                    Ok(Read::Part(needed)) => prop_assert!(needed > end && needed <= length),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            bytes.extend(after);
            prop_assert_eq!(read(&bytes), Ok(Read::Whole(reply, length)));
        }

        #[test]
        fn a_command_is_an_array_of_its_words(
            words in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..9), 1..5)
        ) {
            let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            let mut bytes = Vec::new();
            command(&mut bytes, &words);
            let expected = Reply::Array(words.iter().map(|word| Reply::Bulk(word)).collect());
            prop_assert_eq!(read(&bytes), Ok(Read::Whole(expected, bytes.len())));
        }
    }
}
