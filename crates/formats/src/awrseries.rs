//! AWR's history as CSV: wait events and their histograms, as `isotherm sqlplus-script --awr --queries`
//! and `PerfSheet4`'s scripts for SQL*Plus write them.
//!
//! Both tables count the same waits. Where they alternate, so that the rows of both of one interval stand beside each
//! other, the histograms have the exact times of the events; [`with_exact_times`] makes such a text of two files.

mod beside;
mod meta;
mod row;
mod snapshots;

use std::io::BufRead;

use isotherm_frame::Clock;

use self::row::Columns;
use self::snapshots::Snapshots;
use crate::dbstats::csv_fields;
use crate::lines::first_lines;
use crate::reading_option::ReadingOption;
use crate::sink::reject;
use crate::zone::LocalClock;
use crate::{Context, DecodeError, LineReader, Meta, Note, Sink, Source, Verdict};

pub use beside::with_exact_times;

/// Reads CSV files of AWR's history.
pub(crate) struct AwrSeries;

pub(crate) static SOURCE: AwrSeries = AwrSeries;

impl Source for AwrSeries {
    fn meta(&self) -> &'static Meta {
        &meta::META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let first = first_lines(head).next().map(String::from_utf8_lossy);
        let columns = first.and_then(|line| Columns::of(&csv_fields(&line, ',')));
        if columns.is_some() { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit, ReadingOption::TimeUnit, ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut lines = LineReader::new(input);
        let mut clock = LocalClock::new(context.zone.as_ref());
        let mut columns: Option<Columns> = None;
        let mut snapshots = Snapshots::new(context.leave_out_idle);
        while let Some(line) = lines.next_line()? {
            let text = line.text();
            let text = text.trim();
            let fields = csv_fields(text, ',');
            // SQL*Plus repeats the heads on every page and says how many rows there were.
            if let Some(heads) = Columns::of(&fields) {
                columns = Some(heads);
                continue;
            }
            let Some(columns) = columns.as_ref().filter(|_| !text.is_empty()) else { continue };
            if text.ends_with("rows selected.") {
                sink.note(Note::Ignored);
                continue;
            }
            let row = if line.ended {
                columns.row(&fields, &mut clock, sink)
            } else {
                Err("the line is cut short".to_owned())
            };
            match row {
                Ok(Some(row)) => snapshots.row(row, line.place, sink),
                Ok(None) => sink.note(Note::Ignored),
                Err(reason) => reject(sink, line.place, reason, 0),
            }
        }
        if columns.is_none() {
            let expected = "a CSV of wait events or their histograms, with its heads";
            return Err(DecodeError::Nothing(expected.to_owned()));
        }
        sink.note(Note::Clock(Clock::Epoch));
        snapshots.end(sink);
        Ok(())
    }
}
