//! Frames as rows of a table that other engines can add up.
//!
//! The table is closed under `GROUP BY` of everything but `sum_ns`, `count` and `waited_ns`: rows of the
//! same interval, series, quality and bucket from several files are added, and the result is a table of
//! the same form. So the exact sum of a frame stands in a row of its own, without a bucket, and what
//! tells frames whose time is known from others is part of the quality, and so is that only averages are
//! known: a column of numbers holds nothing else.

mod observed;
mod read;
mod sql;
mod write;

use isotherm_frame::Frame;

pub use observed::ObservedPart;
pub use read::{RowTable, UnreadableTable, read_rows};
pub use sql::{BucketQuery, Dialect, bucket_query};
pub use write::{write_account, write_head, write_observed, write_rows};

use crate::codec;
use crate::export::AVERAGES;

/// The columns. `attributes` is `name=value`, joined by semicolons, in the order of the names; a name or
/// value that holds a character of `%;=,"` or a control character has it as `%` and two hexadecimal
/// digits.
pub const ROW_COLUMNS: [&str; 10] = [
    "start_ns",
    "end_ns",
    "series",
    "attributes",
    "quality",
    "sum_ns",
    "lo_ns",
    "hi_ns",
    "count",
    "waited_ns",
];

/// Whether a table of rows begins like this.
pub fn are_rows(head: &[u8]) -> bool {
    let plain: Vec<u8> = head.iter().copied().filter(|byte| *byte != b'"').collect();
    plain.starts_with(ROW_COLUMNS.join(",").as_bytes())
}

/// What is known of the time of a frame: rows of which different things are known are not added.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TimeKnown {
    /// The sum is exact.
    exact: bool,
    /// It is known when it was waited.
    placed: bool,
    /// A part of it is in no interval.
    leaves_out: bool,
}

impl TimeKnown {
    /// Each with what is written behind the quality.
    const WORDS: [(TimeKnown, &'static str); 5] = [
        (TimeKnown::new(true, true), ""),
        (TimeKnown::new(true, false), "; counted where it ended"),
        (TimeKnown::new(false, false), "; time estimated"),
        (TimeKnown::new(false, true), "; time estimated where it was waited"),
        (
            TimeKnown { leaves_out: true, ..TimeKnown::new(true, true) },
            "; a part of the time is in no interval",
        ),
    ];

    const fn new(exact: bool, placed: bool) -> TimeKnown {
        TimeKnown { exact, placed, leaves_out: false }
    }

    fn of(frame: &Frame) -> TimeKnown {
        let counts = &frame.counts;
        let known = TimeKnown::new(codec::kept_sum(frame).is_some(), counts.has_waited_ns());
        TimeKnown { leaves_out: codec::leaves_out(counts), ..known }
    }

    fn words(self) -> &'static str {
        let found = TimeKnown::WORDS.iter().find(|(known, _)| *known == self);
        found.map_or("", |(_, words)| words)
    }
}

/// What rows of an account have as their quality, each with its number.
const ACCOUNT: [&str; 5] = [
    "tally.records",
    "tally.rejected",
    "tally.rejected_events",
    "tally.lost",
    "tally.ignored_lines",
];

/// Bytes that stand for themselves in no attribute.
const RESERVED: &percent_encoding::AsciiSet =
    &percent_encoding::CONTROLS.add(b'%').add(b';').add(b'=').add(b',').add(b'"');

#[cfg(test)]
mod tests;
