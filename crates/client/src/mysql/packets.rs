//! Packets in and out of a connection: a length, a number, and the bytes.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use super::error::MySqlError;

/// What is longer goes on in the next packet.
const LONGEST: usize = 0x00ff_ffff;
/// The longest message that is taken, bytes.
const MOST: usize = 64 << 20;

/// A connection, seen as packets.
#[derive(Debug)]
pub(super) struct Packets<S> {
    stream: S,
    /// The number of the next packet.
    next: u8,
    /// When the answer is to be whole.
    due: Instant,
}

/// The longest that the whole answer to one request may take, however much the server says.
const ANSWER: Duration = Duration::from_secs(30);

impl<S: Read + Write> Packets<S> {
    pub(super) fn new(stream: S) -> Packets<S> {
        Packets { stream, next: 0, due: Instant::now() + ANSWER }
    }

    /// A new exchange begins: packets count from zero.
    pub(super) fn begin(&mut self) {
        self.next = 0;
        self.due = Instant::now() + ANSWER;
    }

    /// Sends a message that fits one packet.
    pub(super) fn send(&mut self, body: &[u8]) -> Result<(), MySqlError> {
        let length = u32::try_from(body.len()).ok().filter(|length| (*length as usize) < LONGEST);
        let length = length.ok_or(MySqlError::Wire("a statement is too long"))?;
        let mut bytes = Vec::with_capacity(body.len() + 4);
        bytes.extend_from_slice(length.to_le_bytes().get(..3).unwrap_or_default());
        bytes.push(self.next);
        bytes.extend_from_slice(body);
        self.next = self.next.wrapping_add(1);
        Ok(self.stream.write_all(&bytes)?)
    }

    /// Waits for a whole message.
    pub(super) fn receive(&mut self) -> Result<Vec<u8>, MySqlError> {
        let mut message = Vec::new();
        loop {
            let mut head = [0; 4];
            self.read(&mut head)?;
            let [low, middle, high, number] = head;
            if number != self.next {
                return Err(MySqlError::Wire("packets out of order"));
            }
            self.next = number.wrapping_add(1);
            let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
            let from = message.len();
            if from + length > MOST {
                return Err(MySqlError::Wire("a message of more than 64 MiB"));
            }
            message.resize(from + length, 0);
            self.read(message.get_mut(from..).unwrap_or_default())?;
            if length < LONGEST {
                return Ok(message);
            }
        }
    }

    fn read(&mut self, mut to: &mut [u8]) -> Result<(), MySqlError> {
        while !to.is_empty() {
            if Instant::now() > self.due {
                return Err(MySqlError::Late(ANSWER.as_secs()));
            }
            match self.stream.read(to) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(read) => to = to.get_mut(read..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn messages_longer_than_a_packet_are_put_together() {
        let mut bytes = vec![0xff, 0xff, 0xff, 0];
        bytes.extend(std::iter::repeat_n(b'a', LONGEST));
        bytes.extend([2, 0, 0, 1, b'b', b'c', 1, 0, 0, 2, b'd']);
        let mut packets = Packets::new(Cursor::new(bytes));
        let long = packets.receive().unwrap();
        assert_eq!((long.len(), long.last()), (LONGEST + 2, Some(&b'c')));
        assert_eq!(packets.receive().unwrap(), b"d");
        assert!(matches!(packets.receive(), Err(MySqlError::Lost(_))));
    }

    #[test]
    fn packets_out_of_order_are_refused() {
        let mut packets = Packets::new(Cursor::new(vec![1, 0, 0, 7, 0]));
        assert!(matches!(packets.receive(), Err(MySqlError::Wire(_))));
    }
}
