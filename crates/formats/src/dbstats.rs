//! Statistics views of databases, printed again and again as CSV or with tabs: how often, and how long
//! in all.

mod meta;
pub(crate) mod record;
mod sampled;
mod table;
mod view;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::BufRead;

use isotherm_frame::{Clock, Histogram, Nanos, Series, Timestamp};

use self::record::Records;
pub use self::sampled::SampleTimes;
use self::sampled::{Sample, SampledTable};
pub(crate) use self::record::fields as csv_fields;
pub use self::table::Table;
use crate::reading_option::ReadingOption;
use crate::sink::reject;
use crate::stamp::{Stamp, StampReader};
use crate::sure_totals::SureTotals;
use crate::zone::LocalClock;
use crate::{Context, DecodeError, Meta, Note, Sink, Source, Verdict};

/// Reads statistics views.
pub struct DbStats;

/// The decoder.
pub static SOURCE: DbStats = DbStats;

impl Source for DbStats {
    fn meta(&self) -> &'static Meta {
        &meta::META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let lines = head.split(|byte| *byte == b'\n').take(20);
        let is_header = |line: &str| Table::of_header(line).is_some() || SampledTable::of_header(line).is_some();
        let any = lines.map(String::from_utf8_lossy).any(|line| is_header(&line));
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
            moment: None,
            sampled: Sampled { local: LocalClock::new(context.zone.as_ref()), ..Sampled::default() },
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
    sampled: Sampled,
    /// When the last row says that it was read.
    moment: Option<String>,
}

/// What is known of samples of sessions.
#[derive(Default)]
struct Sampled {
    /// What the last header said of the rows after it, if they are samples.
    table: Option<SampledTable>,
    /// When this print was made.
    at: Option<Stamp>,
    /// Whether this print has a table of sessions at its moment, with rows or without.
    has_now: bool,
    /// How many sessions this print has of each event.
    now: BTreeMap<Series, u64>,
    /// The same, of moments that the rows say.
    then: BTreeMap<Timestamp, BTreeMap<Series, u64>>,
    moments: SampleTimes,
    /// Where the moments of rows are.
    local: LocalClock,
}

impl Sampled {
    /// A table of samples begins.
    fn begin(&mut self, table: SampledTable) {
        self.has_now |= table.is_of_moment();
        self.table = Some(table);
    }

    /// The moment of a row.
    fn moment(&mut self, written: &str, sink: &mut dyn Sink) -> Option<Timestamp> {
        let date = crate::calendar::date(written)?;
        self.local.place_date(&date, sink).map(Timestamp::new)
    }

    /// Tells the samples of a print that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        let (now, then) = (std::mem::take(&mut self.now), std::mem::take(&mut self.then));
        self.moments.add_all(&then, sink);
        if !std::mem::take(&mut self.has_now) {
            return;
        }
        match self.at {
            Some(Stamp::Running(at, clock)) => {
                sink.note(Note::Clock(clock));
                self.moments.add(at, &now, sink);
            }
            _ => sink.note(Note::Said(UNTIMED.into())),
        }
    }
}

const UNTIMED: &str = "samples without a time are left out: print date +%s.%N before each table";
const ADDED_UP: &str = "rows that differ in no column that tells them apart are added up: if they are one row read several \
    times, print the time in a column (select now(), *)";
const SAMPLES: &str = "these are samples of sessions, each of which stands for the time since the one \
    before: time waited is an estimate, and neither the number of waits nor their lengths are known. Sessions that wait \
    for their client (ClientRead) and background processes without work (Activity) are left out";
const COUNTED: &str = "these are numbers of samples, each of which is taken to stand for 10 ms \
    (pg_wait_sampling.profile_period): time waited is an estimate, and neither the number of waits nor \
    their lengths are known. Sessions that wait for their client (ClientRead) and background processes without work \
    (Activity) are left out";

/// Whether a line is what psql draws around a table: `-----+----` or `(3 rows)`.
fn is_ruled(text: &str) -> bool {
    let text = text.trim();
    let counts = text.strip_prefix('(').and_then(|text| text.strip_suffix(" rows)").or(text.strip_suffix(" row)")));
    let is_count = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.len() > 2 && text.bytes().all(|byte| matches!(byte, b'-' | b'+')) || counts.is_some_and(is_count)
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
            (self.table, self.sampled.table) = (Some(table), None);
            return Ok(());
        }
        if let Some(table) = SampledTable::of_header(text) {
            if self.sampled.table.as_ref().is_some_and(|last| last.is_of(&table)) {
                self.give(sink);
            }
            self.sampled.begin(table);
            self.table = None;
            return Ok(());
        }
        if self.table.is_none() && self.sampled.table.is_none() {
            sink.note(Note::Ignored);
            return Ok(());
        }
        if is_ruled(text) {
            sink.note(Note::Ignored);
            return Ok(());
        }
        if !ended {
            return Err("the row is cut short".to_owned());
        }
        if let Some(table) = &mut self.table {
            table.find_moment(text);
        }
        if let Some(moment) = self.table.as_ref().and_then(|table| table.moment(text)) {
            self.polled(moment, sink)?;
        }
        let Some(table) = &self.table else { return self.sample(text, sink) };
        for (series, total) in table.row(text)? {
            match self.totals.entry(series) {
                Entry::Vacant(new) => {
                    new.insert(total);
                }
                Entry::Occupied(mut known) => {
                    sink.note(Note::Said(ADDED_UP.into()));
                    known.get_mut().add(&total);
                }
            }
        }
        Ok(())
    }

    /// A row says when it was read: another moment is another print.
    fn polled(&mut self, moment: String, sink: &mut dyn Sink) -> Result<(), String> {
        if self.moment.as_ref() == Some(&moment) {
            return Ok(());
        }
        let Some(stamp) = self.stamps.stamp_or_date(&moment, sink) else {
            return Err(format!("'{}' is no date and time", crate::number::shown(moment.as_bytes())));
        };
        self.give(sink);
        self.prints.begin(stamp, sink);
        self.moment = Some(moment);
        Ok(())
    }

    /// A row of a table of samples.
    fn sample(&mut self, text: &str, sink: &mut dyn Sink) -> Result<(), String> {
        let Some(sample) = self.sampled.table.as_ref().map(|table| table.row(text)).transpose()?.flatten()
        else {
            return Ok(());
        };
        match sample {
            Sample::Now(series) => {
                sink.note(Note::Said(SAMPLES.into()));
                *self.sampled.now.entry(series).or_default() += 1;
            }
            Sample::At(written, series) => {
                sink.note(Note::Said(SAMPLES.into()));
                let Some(at) = self.sampled.moment(&written, sink) else {
                    return Err(format!("'{written}' is no date and time"));
                };
                sink.note(Note::Clock(Clock::Epoch));
                let then = self.sampled.then.entry(at).or_default();
                if let Some(series) = series {
                    *then.entry(series).or_default() += 1;
                }
            }
            Sample::Counted(series, samples) => {
                sink.note(Note::Said(COUNTED.into()));
                let ns = SampledTable::PERIOD.as_nanos().saturating_mul(samples);
                let total = Histogram::of_sampled_time(Nanos::new(ns));
                let known = self.totals.entry(series);
                known.and_modify(|known| known.add(&total)).or_insert(total);
            }
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
        self.sampled.table = None;
        self.sampled.at = Some(stamp);
        true
    }

    /// Gives the totals of a print that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        self.sampled.give(sink);
        for (series, total) in std::mem::take(&mut self.totals) {
            self.prints.total(&series, total, sink);
        }
    }
}
