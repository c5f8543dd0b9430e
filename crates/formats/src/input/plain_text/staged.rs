//! A text without what is taken away from it, as it is read.

use std::io::{self, Read};

use super::line_stages::{Forewords, Margins, QuotedLineEnds};
use super::stage::{Begin, CarriageReturns, Change, Escapes, LeadingZeros, LiveText, Stage, Utf16};

/// A reader of what a stage leaves.
pub(crate) struct Staged {
    reader: Box<dyn Read + Send>,
    stage: Box<dyn Stage>,
    raw: Vec<u8>,
    ready: Vec<u8>,
    used: usize,
    ended: bool,
}

impl Staged {
    pub(super) fn new(reader: Box<dyn Read + Send>, change: &Change) -> Staged {
        const CHUNK: usize = 64 << 10;
        let (raw, ready) = (vec![0; CHUNK], Vec::new());
        Staged { reader, stage: stage_of(change), raw, ready, used: 0, ended: false }
    }
}

impl Read for Staged {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.used == self.ready.len() && !self.ended {
            self.ready.clear();
            self.used = 0;
            let read = self.reader.read(&mut self.raw)?;
            if read == 0 {
                self.ended = true;
                self.stage.end(&mut self.ready);
            } else {
                self.stage.pass(&self.raw[..read], &mut self.ready);
            }
        }
        let read = (&self.ready[self.used..]).read(into)?;
        self.used += read;
        Ok(read)
    }
}

fn stage_of(change: &Change) -> Box<dyn Stage> {
    match change {
        Change::LeadingZeros => Box::new(LeadingZeros::default()),
        Change::Utf16Little => Box::new(Utf16::new(u16::from_le_bytes)),
        Change::Utf16Big => Box::new(Utf16::new(u16::from_be_bytes)),
        Change::ByteOrderMark => Box::new(Begin { left: 3 }),
        Change::CarriageReturns => Box::new(CarriageReturns::default()),
        Change::Colours => Box::new(Escapes::default()),
        Change::Live => Box::new(LiveText::default()),
        Change::Margin(margin) => Box::new(Margins::new(margin)),
        Change::QuotedLineEnds => Box::new(QuotedLineEnds::default()),
        Change::Foreword(lines) => Box::new(Forewords::new(*lines)),
    }
}
