//! What goes over the wire: messages of the protocol, version 3.

mod answer;
mod fault;
mod frame;
pub mod write;

pub use answer::{Answer, Fed};
pub use fault::ServerFault;
pub use frame::{Fields, Message, WireError, split};

/// Reads bytes as a server's answers to prepared statements, as a lane does, handed over in pieces
/// of `piece` bytes (at least 1). Gives how many answers were complete, or what is wrong with the
/// bytes. For tests that feed anything at all.
pub fn answers(bytes: &[u8], piece: usize) -> Result<u64, String> {
    let mut answer = Answer::default();
    let mut complete = 0;
    for part in bytes.chunks(piece.max(1)) {
        let mut rest = part;
        while !rest.is_empty() {
            match answer.feed(rest).map_err(|error| error.to_string())? {
                Fed::More => break,
                Fed::Ready { used } => {
                    complete += 1;
                    answer.clear();
                    rest = rest.get(used..).unwrap_or_default();
                }
            }
        }
    }
    Ok(complete)
}
