//! TNS packets: a length, a kind, and what is inside.

use std::io::{self, Read, Write};

pub(crate) const CONNECT: u8 = 1;
pub(crate) const ACCEPT: u8 = 2;
pub(crate) const REFUSE: u8 = 4;
pub(crate) const DATA: u8 = 6;
pub(crate) const MARKER: u8 = 12;

/// The flag of a DATA packet that says that nothing follows on this connection.
const LAST: u16 = 0x0040;
/// The flag of a DATA packet that says that the answer ends with it.
const END_OF_RESPONSE: u16 = 0x2000;
/// No message of a client is longer.
const LONGEST: usize = 4 << 20;

/// A packet that was received.
pub(crate) struct Packet {
    pub(crate) kind: u8,
    /// What follows the header; of DATA, what follows its flags.
    pub(crate) body: Vec<u8>,
    /// Whether the client said that it sends no more.
    pub(crate) last: bool,
}

/// How packets are framed: lengths have two bytes until the connection is accepted, then four.
#[derive(Copy, Clone)]
pub(crate) struct Framing {
    /// Lengths have four bytes.
    pub(crate) long: bool,
    /// The largest packet, in bytes.
    pub(crate) largest: usize,
    /// Answers say where they end.
    pub(crate) marks_end: bool,
}

impl Framing {
    pub(crate) fn receive(self, stream: &mut impl Read) -> io::Result<Packet> {
        let mut header = [0; 8];
        stream.read_exact(&mut header)?;
        let [a, b, c, d, kind, ..] = header;
        let length = if self.long {
            usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX)
        } else {
            usize::from(u16::from_be_bytes([a, b]))
        };
        if !(header.len()..=LONGEST).contains(&length) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a TNS packet"));
        }
        let mut body = vec![0; length - header.len()];
        stream.read_exact(&mut body)?;
        let mut last = false;
        if let (DATA, [high, low, ..]) = (kind, body.as_slice()) {
            last = u16::from_be_bytes([*high, *low]) & LAST != 0;
            body.drain(..2);
        }
        Ok(Packet { kind, body, last })
    }

    /// Sends one packet that is not DATA.
    pub(crate) fn send(self, stream: &mut impl Write, kind: u8, body: &[u8]) -> io::Result<()> {
        let mut packet = self.header(kind, body.len());
        packet.extend_from_slice(body);
        stream.write_all(&packet)
    }

    /// Sends an answer in as many DATA packets as it needs, all at once.
    pub(crate) fn send_data(self, stream: &mut impl Write, answer: &[u8]) -> io::Result<()> {
        let room = self.largest - 10;
        let pieces = answer.chunks(room).count();
        let mut packets = Vec::with_capacity(answer.len() + pieces * 10);
        for (index, piece) in answer.chunks(room).enumerate() {
            let ends = self.marks_end && index + 1 == pieces;
            packets.extend(self.header(DATA, piece.len() + 2));
            packets.extend(if ends { END_OF_RESPONSE } else { 0 }.to_be_bytes());
            packets.extend_from_slice(piece);
        }
        stream.write_all(&packets)
    }

    fn header(self, kind: u8, body: usize) -> Vec<u8> {
        let length = u32::try_from(body + 8).unwrap_or(u32::MAX);
        let mut header = if self.long {
            length.to_be_bytes().to_vec()
        } else {
            let short = u16::try_from(length).unwrap_or(u16::MAX);
            [short.to_be_bytes(), [0, 0]].concat()
        };
        header.extend([kind, 0, 0, 0]);
        header
    }
}
