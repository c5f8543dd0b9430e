//! A trace read by several threads: each takes blocks apart into records, and one tells these in
//! their order, so that what a session said before is known.

use std::io::{self, BufRead, Cursor, Read as _};

use isotherm_oracle::trace::{Account, LineBefore, last_record, scan_piece, scan_rest};

use super::reader::Reader;
use super::records::Records;
use crate::Context;
use crate::blocks::{Block, Blocks};
use crate::in_order::{SpentBlock, in_order};

/// What was read of a block.
struct Part {
    block: Block,
    records: Records,
    account: Account,
    /// The length of the records that end in the block, and what the last line of them says.
    used: usize,
    before: LineBefore,
}

/// Reads a trace to its end, from a record on whose line before says something of it.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    context: &Context,
    reader: &mut Reader<'_>,
    (account, before): (&mut Account, LineBefore),
) -> io::Result<()> {
    let length = context.block_length();
    let blocks = Blocks::new(input, account.bytes, length, last_record);
    let mut in_turn = InTurn { reader, account, before, open: Vec::new() };
    let blocks = in_order(context.readers(), blocks, &taken_apart, &mut |part| {
        let bytes = in_turn.take(part);
        SpentBlock { bytes, more: !in_turn.is_too_long() }
    });
    let InTurn { before, open, .. } = in_turn;
    let (rest, input) = blocks.into_rest();
    let mut input = Cursor::new(open).chain(Cursor::new(rest)).chain(input);
    scan_rest(&mut input, reader, account, before)
}

/// Takes a block apart as if it began with a record.
fn taken_apart(block: Block) -> Part {
    let (mut records, mut before) = (Records::new(), LineBefore::default());
    let mut account = Account { bytes: block.at, ..Account::default() };
    let used = scan_piece(&block.bytes, &mut records, &mut account, &mut before);
    account.bytes -= block.at;
    Part { block, records, account, used, before }
}

/// What was reported so far.
struct InTurn<'t, 's> {
    reader: &'t mut Reader<'s>,
    account: &'t mut Account,
    before: LineBefore,
    /// What was read and is part of no record that has ended.
    open: Vec<u8>,
}

impl InTurn<'_, '_> {
    /// From something longer on one thread reads: how much of it is held decides what it is.
    const LONGEST: usize = 256 << 10;

    /// Tells the next block; gives its bytes back.
    fn take(&mut self, part: Part) -> Vec<u8> {
        let bytes = part.block.bytes;
        if self.open.is_empty() {
            part.records.tell(self.reader, self.account.lines);
            self.account.add(&part.account);
            self.before = part.before;
            self.open.extend_from_slice(bytes.get(part.used..).unwrap_or_default());
        } else {
            // The block began inside a record.
            let too_long = self.is_too_long();
            self.open.extend_from_slice(&bytes);
            if !too_long {
                let used = scan_piece(&self.open, self.reader, self.account, &mut self.before);
                self.open.drain(..used);
            }
        }
        bytes
    }

    fn is_too_long(&self) -> bool {
        self.open.len() > InTurn::LONGEST
    }
}
