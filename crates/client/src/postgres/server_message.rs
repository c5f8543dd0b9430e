//! A message of a server in our own memory.

use super::wire::{Fields, Message, ServerFault};

/// A message in our own memory.
#[derive(Debug)]
pub struct ServerMessage {
    /// Its type.
    pub tag: u8,
    /// What follows its head.
    pub body: Vec<u8>,
}

impl ServerMessage {
    /// The fields of its body.
    pub fn fields(&self) -> Fields<'_> {
        Fields::of(&self.message())
    }

    /// The error it tells of.
    pub fn fault(&self) -> ServerFault {
        ServerFault::read(&self.message())
    }

    fn message(&self) -> Message<'_> {
        Message { tag: self.tag, body: &self.body, length: self.body.len() + 5 }
    }
}
