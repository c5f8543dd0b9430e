//! Frames to rows.

use std::io::{self, Write};

use isotherm_frame::{Account, Frame, Series, csv_text};
use percent_encoding::utf8_percent_encode;

use super::{ACCOUNT, AVERAGES, ObservedPart, RESERVED, ROW_COLUMNS, TimeKnown};
use crate::codec;
use crate::export::waited_of_averages;

/// The first line.
pub fn write_head(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", ROW_COLUMNS.join(","))
}

/// The rows of a frame: one without a bucket that has its exact sum, and one for each bucket with events
/// or time. A frame without either, such as a gap, has one row.
pub fn write_rows(frame: &Frame, out: &mut dyn Write) -> io::Result<()> {
    let known = TimeKnown::of(frame);
    let averages = if frame.counts.is_averages() { AVERAGES } else { "" };
    let head = format!(
        "{},{},{},{},{}{}{}{averages}",
        frame.start.as_nanos(),
        frame.end.as_nanos(),
        csv_text(frame.series.name()),
        attributes(&frame.series),
        frame.quality,
        known.words(),
        codec::length_error_text(&frame.counts),
    );
    let counts = &frame.counts;
    let sum = codec::kept_sum(frame);
    if counts.is_averages() {
        let sum = sum.map(|sum| sum.as_nanos().to_string()).unwrap_or_default();
        let waited = waited_of_averages(counts);
        return writeln!(out, "{head},{sum},,,{},{waited}", counts.events());
    }
    if let Some(sum) = sum {
        writeln!(out, "{head},{},,,0,", sum.as_nanos())?;
    } else if counts.is_blank() {
        writeln!(out, "{head},,,,0,")?;
    }
    for index in counts.occupied_range() {
        let waited_ns = known.placed.then(|| counts.waited_in(index));
        let count = counts.count(index);
        if count == 0 && waited_ns.unwrap_or(0) == 0 {
            continue;
        }
        let bucket = counts.scheme().bucket(index);
        let hi = bucket.hi.map(|hi| hi.as_nanos().to_string()).unwrap_or_default();
        let waited = waited_ns.map(|ns| ns.to_string()).unwrap_or_default();
        writeln!(out, "{head},,{},{hi},{count},{waited}", bucket.lo.as_nanos())?;
    }
    Ok(())
}

/// What became of the input, as rows that add up, too; numbers that are zero have none.
pub fn write_account(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let Account { records, rejected, rejected_events, lost, ignored_lines, .. } = *account;
    let numbers = [records, rejected, rejected_events, lost, ignored_lines];
    for (name, number) in ACCOUNT.iter().zip(numbers).filter(|(_, number)| *number > 0) {
        writeln!(out, "0,0,,,{name},,,,{number},")?;
    }
    Ok(())
}

/// How much was observed of an interval, of which other rows are those of all of it.
pub fn write_observed(observed: &ObservedPart, out: &mut dyn Write) -> io::Result<()> {
    let (start, end) = observed.interval;
    writeln!(
        out,
        "{},{},{},{},{},,,,0,",
        start.as_nanos(),
        end.as_nanos(),
        csv_text(observed.series.name()),
        attributes(&observed.series),
        observed.words(),
    )
}

fn attributes(series: &Series) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, RESERVED).to_string();
    let pair = |(name, value): (&str, &str)| format!("{}={}", encoded(name), encoded(value));
    let mut pairs: Vec<String> = series.attributes().map(pair).collect();
    pairs.sort_unstable();
    pairs.join(";")
}
