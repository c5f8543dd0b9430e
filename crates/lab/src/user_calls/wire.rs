//! What is seen on the wire between a client and a server, from the bytes alone.

use std::ops::Sub;

use isotherm_client::postgres::wire::{Fields, Message, WireError, split};

use super::calls::Calls;

/// The longest message taken: the lab's statements and rows are short.
const MOST: usize = 1 << 20;
/// A client's first message: a length, which counts itself, and no type.
const LENGTH: usize = 4;
/// How the tags of commands begin that only give rows.
const ROWS_ONLY: [&[u8]; 2] = [b"SELECT", b"FETCH"];

/// What was counted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages of the client.
    pub calls: Calls,
    /// The executes that asked for rows, by the server's answers: Oracle's fetches.
    pub fetches: u64,
    /// Rows that the server sent.
    pub rows: u64,
    /// Answers that the client waited for: one for each Sync and each Query.
    pub round_trips: u64,
}

impl Counts {
    /// The calls as Oracle names them: PARSE, EXEC and FETCH. What opens a cursor there is Bind here.
    /// Execute is a fetch if it asks for rows; otherwise it completes its Bind. The simple protocol
    /// has all of them in one.
    pub fn user_calls(self) -> u64 {
        self.calls.parses + self.calls.binds + self.fetches + self.calls.queries
    }
}

impl Sub for Counts {
    type Output = Counts;

    /// What came since an earlier count.
    fn sub(self, before: Counts) -> Counts {
        Counts {
            calls: self.calls - before.calls,
            fetches: self.fetches - before.fetches,
            rows: self.rows - before.rows,
            round_trips: self.round_trips - before.round_trips,
        }
    }
}

/// Bytes of one direction, cut into messages.
#[derive(Debug, Default)]
struct Cutter {
    carried: Vec<u8>,
    /// Whether a message without a type comes first.
    startup: bool,
}

/// The conversation so far.
#[derive(Debug)]
pub struct Wire {
    client: Cutter,
    server: Cutter,
    counts: Counts,
    /// Whether the answer that comes in has rows.
    has_rows: bool,
    /// Whether it is the answer to a Query, which is one call with all of its rows.
    is_simple: bool,
    fault: Option<WireError>,
}

impl Default for Wire {
    fn default() -> Wire {
        Wire {
            client: Cutter { carried: Vec::new(), startup: true },
            server: Cutter::default(),
            counts: Counts::default(),
            has_rows: false,
            is_simple: false,
            fault: None,
        }
    }
}

impl Wire {
    /// What was counted; an error if it was not the protocol.
    pub fn counts(&self) -> Result<Counts, WireError> {
        self.fault.map_or(Ok(self.counts), Err)
    }

    /// Takes bytes that the client sends.
    pub fn client_says(&mut self, bytes: &[u8]) {
        let (counts, is_simple) = (&mut self.counts, &mut self.is_simple);
        let fed = self.client.feed(bytes, |message| {
            match message.tag {
                b'P' => counts.calls.parses += 1,
                b'B' => counts.calls.binds += 1,
                b'E' => counts.calls.executes += 1,
                b'Q' => {
                    *is_simple = true;
                    counts.calls.queries += 1;
                    counts.round_trips += 1;
                }
                b'S' => counts.round_trips += 1,
                _ => {}
            }
            Ok(())
        });
        self.fault = self.fault.or(fed.err());
    }

    /// Takes bytes that the server sends.
    pub fn server_says(&mut self, bytes: &[u8]) {
        let (counts, has_rows, is_simple) =
            (&mut self.counts, &mut self.has_rows, &mut self.is_simple);
        let fed = self.server.feed(bytes, |message| {
            match message.tag {
                b'D' => (*has_rows, counts.rows) = (true, counts.rows + 1),
                // The end of an execute: complete, suspended, an empty statement, an error.
                b'C' | b's' | b'I' | b'E' => {
                    let asked = *has_rows || message.tag == b's' || is_rows_only(message)?;
                    counts.fetches += u64::from(asked && !*is_simple);
                    *has_rows = false;
                }
                b'Z' => *is_simple = false,
                _ => {}
            }
            Ok(())
        });
        self.fault = self.fault.or(fed.err());
    }
}

fn is_rows_only(message: &Message<'_>) -> Result<bool, WireError> {
    if message.tag != b'C' {
        return Ok(false);
    }
    let tag = Fields::of(message).text()?;
    Ok(ROWS_ONLY.iter().any(|name| tag.starts_with(name)))
}

impl Cutter {
    /// Gives each message that is complete, in order.
    fn feed(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&Message<'_>) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        self.carried.extend_from_slice(bytes);
        let mut used = 0;
        if self.startup {
            let Some(length) = startup(&self.carried)? else { return Ok(()) };
            (used, self.startup) = (length, false);
        }
        while let Some(message) = split(self.carried.get(used..).unwrap_or_default(), MOST)? {
            each(&message)?;
            used += message.length;
        }
        self.carried.drain(..used);
        Ok(())
    }
}

/// The bytes of the first message; none while it is not all there.
fn startup(bytes: &[u8]) -> Result<Option<usize>, WireError> {
    let Some((head, _)) = bytes.split_first_chunk::<LENGTH>() else { return Ok(None) };
    let said = i32::from_be_bytes(*head);
    let length = usize::try_from(said).ok().filter(|length| (LENGTH..=MOST).contains(length));
    let length = length.ok_or(WireError::Length { tag: b' ', length: said })?;
    Ok((bytes.len() >= length).then_some(length))
}

#[cfg(test)]
mod tests {
    use isotherm_client::postgres::wire::write;

    use super::*;

    fn sent(messages: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        messages(&mut out);
        out
    }

    fn answered(messages: &[(u8, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        for (tag, body) in messages {
            out.push(*tag);
            out.extend_from_slice(&i32::try_from(body.len() + 4).unwrap().to_be_bytes());
            out.extend_from_slice(body);
        }
        out
    }

    /// A conversation in turns of the client and the server: three rows by two, an insert, a Query.
    fn turns() -> Vec<(Vec<u8>, Vec<u8>)> {
        let row = (b'D', &b"\0\0"[..]);
        let (suspended, ready) = ((b's', &b""[..]), (b'Z', &b"I"[..]));
        let next = |out: &mut Vec<u8>| {
            write::execute_portal(out, "c", 2);
            write::sync(out);
        };
        vec![
            (
                // Types of messages within texts are no messages.
                sent(|out| write::startup(out, &[("user", "PBEQS")])),
                answered(&[(b'R', b"\0\0\0\0"), (b'K', b"DDDDCCCC"), ready]),
            ),
            (
                sent(|out| {
                    write::parse(out, "", "select");
                    write::bind(out, "c", "");
                    next(out);
                }),
                answered(&[(b'1', b""), (b'2', b""), row, row, suspended, ready]),
            ),
            (sent(next), answered(&[row, (b'C', b"SELECT 1\0"), ready])),
            (
                sent(|out| {
                    write::parse(out, "", "insert");
                    write::execute(out, "", 1);
                }),
                answered(&[(b'1', b""), (b'2', b""), (b'C', b"INSERT 0 1\0"), ready]),
            ),
            (
                sent(|out| write::query(out, "select")),
                answered(&[(b'T', b""), row, row, (b'C', b"SELECT 2\0"), ready]),
            ),
        ]
    }

    #[test]
    fn a_conversation_is_counted_in_whatever_pieces_it_comes() {
        for piece in [1, 2, 3, 7, 1_000] {
            let mut wire = Wire::default();
            for (client, server) in turns() {
                client.chunks(piece).for_each(|bytes| wire.client_says(bytes));
                server.chunks(piece).for_each(|bytes| wire.server_says(bytes));
            }
            let counts = wire.counts().unwrap();
            let calls = Calls { parses: 2, binds: 2, executes: 3, queries: 1 };
            assert_eq!(counts, Counts { calls, fetches: 2, rows: 5, round_trips: 4 });
            // Parse, exec and two fetches; parse and exec; one.
            assert_eq!(counts.user_calls(), 4 + 2 + 1);
        }
    }

    #[test]
    fn a_fetch_without_rows_is_a_fetch_and_a_failed_statement_is_none() {
        let mut wire = Wire::default();
        wire.server_says(&answered(&[(b'C', b"SELECT 0\0"), (b'Z', b"I")]));
        assert_eq!(wire.counts().unwrap().fetches, 1);
        wire.server_says(&answered(&[(b'E', b"C42P01\0\0"), (b'C', b"DO\0"), (b'I', b"")]));
        assert_eq!(wire.counts().unwrap().fetches, 1);
    }

    #[test]
    fn what_is_not_the_protocol_gives_no_counts() {
        for (client, server) in [
            (&b"GET / HTTP/1.1\r\n"[..], &b""[..]),
            (b"\0\0\0\x03", b""),
            (b"", b"S"),
            (b"", b"Z\0\0\0\0"),
        ] {
            let mut wire = Wire::default();
            wire.client_says(client);
            wire.server_says(server);
            // One byte may be the beginning of a message.
            assert_eq!(wire.counts().is_ok(), server == b"S", "{client:?} {server:?}");
        }
    }
}
