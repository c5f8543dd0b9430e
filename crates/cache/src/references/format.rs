//! Which kinds of inputs have block references, and how each is recognised.

use std::io::Read;

use isotherm_formats::is_block_trace;
use isotherm_oracle::trace::{NO_SQL_TRACE, begins_trace};

use super::reference::{Reference, ReferenceError, ReferenceOptions};
use super::totals::ReferenceTotals;
use super::{block_trace, csv, oracle};

/// What an input is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReferenceFormat {
    /// A SQL trace of Oracle: waits for single-block and multi-block reads.
    OracleTrace,
    /// A block trace: reads that were issued to a device.
    BlockTrace,
    /// CSV with a column `block`.
    Csv,
}

impl ReferenceFormat {
    /// The bytes of the beginning of an input that tell what it is.
    pub const HEAD: usize = 64 << 10;

    /// What an input is that begins like this; none if it has no block references.
    pub fn of(head: &[u8]) -> Option<ReferenceFormat> {
        if begins_trace(head) {
            Some(ReferenceFormat::OracleTrace)
        } else if csv::is_headed(head) {
            Some(ReferenceFormat::Csv)
        } else {
            is_block_trace(head).then_some(ReferenceFormat::BlockTrace)
        }
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            ReferenceFormat::OracleTrace => "SQL trace",
            ReferenceFormat::BlockTrace => "block trace",
            ReferenceFormat::Csv => "CSV",
        }
    }

    /// Reads an input to its end and gives each reference to `take` in the order of the input.
    pub fn read<R: Read + Send>(
        self,
        input: &mut R,
        options: &ReferenceOptions,
        take: &mut dyn FnMut(Reference),
    ) -> Result<ReferenceTotals, ReferenceError> {
        let buffered = &mut std::io::BufReader::with_capacity(1 << 18, input);
        let totals = match self {
            ReferenceFormat::OracleTrace => oracle::read(buffered, options, take)?,
            ReferenceFormat::BlockTrace => block_trace::read(buffered, options, take)?,
            ReferenceFormat::Csv => csv::read(buffered, take)?,
        };
        match totals.blocks {
            0 => Err(ReferenceError::Nothing(self.nothing(&totals))),
            _ => Ok(totals),
        }
    }

    /// Why an input of this format has no references.
    fn nothing(self, totals: &ReferenceTotals) -> String {
        let rejected = totals.rejections.first();
        match (self, rejected) {
            (_, Some(why)) => format!("{} rejected, the first is {why}", totals.rejected),
            (ReferenceFormat::OracleTrace, _) if totals.left_out.is_empty() => {
                NO_SQL_TRACE.to_owned()
            }
            (ReferenceFormat::OracleTrace, _) => {
                "no wait for db file sequential read or db file scattered read".to_owned()
            }
            (ReferenceFormat::BlockTrace, _) => {
                "no read was issued to a device (action D). For a device of device-mapper or md, trace \
                 the disk below it"
                    .to_owned()
            }
            (ReferenceFormat::Csv, _) => "no line follows the heading".to_owned(),
        }
    }
}

/// Reads any bytes, whatever they are.
pub fn read_references(
    input: &[u8],
    options: &ReferenceOptions,
    take: &mut dyn FnMut(Reference),
) -> Result<ReferenceTotals, ReferenceError> {
    let mut input = input;
    let head = &input[..input.len().min(ReferenceFormat::HEAD)];
    let format = ReferenceFormat::of(head).ok_or(ReferenceError::Unrecognised)?;
    format.read(&mut input, options, take)
}
