//! Statistics views of databases, printed again and again as CSV or with tabs: how often, and how long
//! in all.

mod meta;
pub(crate) mod record;
mod table;
mod view;

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{Histogram, Series};

use self::record::Records;
pub(crate) use self::record::fields as csv_fields;
pub(crate) use self::table::Table;
use crate::reading_option::ReadingOption;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::sure_totals::SureTotals;
use crate::{Context, DecodeError, Meta, Note, Sink, Source, Verdict};

/// Reads statistics views.
pub(crate) struct DbStats;

pub(crate) static SOURCE: DbStats = DbStats;

impl Source for DbStats {
    fn meta(&self) -> &'static Meta {
        &meta::META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let lines = head.split(|byte| *byte == b'\n').take(20);
        let any = lines.map(String::from_utf8_lossy).any(|line| Table::of_header(&line).is_some());
        if any { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut records = Records::new(input);
        let mut snapshots = Snapshots {
            prints: SureTotals::new(context),
            stamps: StampReader::new(context),
            table: None,
            totals: BTreeMap::new(),
        };
        while let Some((place, text, ended)) = records.next()? {
            if let Err(reason) = snapshots.line(&text, ended, sink) {
                snapshots.prints.rejected();
                reject(sink, place, reason, 0);
            }
        }
        snapshots.give(sink);
        snapshots.prints.finish(sink);
        Ok(())
    }
}

/// What was read so far.
struct Snapshots<'c> {
    prints: SureTotals<'c>,
    stamps: StampReader,
    /// What the last header said of the rows after it.
    table: Option<Table>,
    /// The totals of this print. Rows that differ in nothing that is kept are added up.
    totals: BTreeMap<Series, Histogram>,
}

impl Snapshots<'_> {
    fn line(&mut self, text: &str, ended: bool, sink: &mut dyn Sink) -> Result<(), String> {
        if text.trim().is_empty() || self.time(text, sink) {
            return Ok(());
        }
        if let Some(table) = Table::of_header(text) {
            // The same table again without a time between: the next print.
            if self.table.as_ref().is_some_and(|last| last.is_of(&table)) {
                self.give(sink);
            }
            for without in table.without_times() {
                let said = format!("{without}: no time of these events (track_io_timing is off?)");
                sink.note(Note::Said(said.into()));
            }
            self.table = Some(table);
            return Ok(());
        }
        let Some(table) = &self.table else {
            sink.note(Note::Ignored);
            return Ok(());
        };
        if !ended {
            return Err("the row is cut short".to_owned());
        }
        for (series, total) in table.row(text)? {
            let known = self.totals.entry(series);
            known.and_modify(|known| known.add(&total)).or_insert(total);
        }
        Ok(())
    }

    /// A line that says when what follows was read: `#t 1795237730.67`, `1795237730.67` or a date.
    fn time(&mut self, text: &str, sink: &mut dyn Sink) -> bool {
        let text = text.strip_prefix("#t").or(text.strip_prefix('#')).unwrap_or(text);
        let Some(stamp) = self.stamps.read(text.trim(), sink) else { return false };
        self.give(sink);
        self.prints.begin(stamp, sink);
        self.table = None;
        true
    }

    /// Gives the totals of a print that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        for (series, total) in std::mem::take(&mut self.totals) {
            self.prints.total(&series, total, sink);
        }
    }
}
