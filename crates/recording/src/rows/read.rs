//! Rows to frames, in whatever order they come.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::BufRead;

use isotherm_frame::{Account, Detail, Frame, Nanos, Quality, Scheme, Series, Timestamp};
use percent_encoding::percent_decode_str;

use super::observed::ObservedParts;
use super::{ACCOUNT, AVERAGES, ObservedPart, ROW_COLUMNS, TimeKnown};
use crate::codec::{self, KeptQuality};
use crate::export::CSV_AVERAGES;
use crate::import::csv::{Counted, Field, Key, Records, Table, fields};
use crate::import::{ImportError, Imported};
use crate::limits;

/// What rows that belong together have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FrameKey {
    start: Timestamp,
    end: Timestamp,
    series: Series,
    quality: String,
}

/// The rows of one frame, added up.
#[derive(Debug, Default)]
struct Sums {
    sum_ns: Option<u64>,
    /// The count and the time waited of each bucket.
    cells: BTreeMap<(u64, u64), (u64, u64)>,
}

/// What one row says.
enum Row {
    Frame(FrameKey, Added),
    Account(usize, u64),
    Observed(ObservedPart),
}

/// What a row adds to its frame.
#[derive(Default)]
struct Added {
    sum_ns: Option<u64>,
    cell: Option<((u64, u64), (u64, u64))>,
}

/// Why a row is not taken.
enum Refusal {
    Malformed(String),
    Unsorted,
    /// More rows of one moment than fit in memory.
    TooMany,
    /// Rows that are impossible together.
    Impossible(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Malformed(why)
    }
}

impl Refusal {
    fn at(self, line: usize) -> ImportError {
        match self {
            Refusal::Malformed(why) => ImportError::Malformed { line, why },
            Refusal::Unsorted => ImportError::Unsorted { line },
            Refusal::TooMany => ImportError::TooMany { line },
            Refusal::Impossible(why) => ImportError::Impossible { why },
        }
    }
}

/// The rows of any number of tables, which are added up where they belong together: the rows of a frame may
/// be in several of them. All rows are held in memory if they fit in about so many bytes; if they do not,
/// each table must be in the order of `start_ns`, and those that begin at one moment must fit in a
/// quarter more.
pub struct RowTable {
    /// The rows that are held.
    frames: BTreeMap<FrameKey, Sums>,
    bytes: usize,
    most_bytes: usize,
    /// Frames that begin before are handed on.
    done_before: Option<Timestamp>,
    observed: ObservedParts,
}

/// A table that cannot be read, and why.
#[derive(Debug)]
pub struct UnreadableTable {
    /// Its place among those that were read together.
    pub place: usize,
    /// What is wrong with it.
    pub error: ImportError,
}

/// A table, the row of it that comes next, and what was counted of the input.
struct Reading<'i> {
    records: Records<'i>,
    next: Option<(FrameKey, Added)>,
    account: Account,
    /// What was read of it and not taken yet.
    observed: Vec<ObservedPart>,
}

/// Reads rows in whatever order they come, adds up those that belong together, and hands on the frames.
/// All rows are held in memory if they fit in about `most_bytes`; if they do not, they must come in the
/// order of `start_ns`.
pub fn read_rows(
    input: &mut (dyn BufRead + Send),
    most_bytes: usize,
    frames: &mut dyn FnMut(Frame),
) -> Result<Imported, ImportError> {
    let mut table = RowTable::new(most_bytes);
    let read = table.read(vec![input], frames).map_err(|unreadable| unreadable.error)?;
    table.finish(frames)?;
    Ok(read)
}

impl<'i> Reading<'i> {
    fn new(input: &'i mut (dyn BufRead + Send)) -> Result<Reading<'i>, ImportError> {
        let mut records = Records::new(input);
        // The names of the columns.
        records.next()?;
        let (account, observed) = (Account::default(), Vec::new());
        let mut reading = Reading { records, next: None, account, observed };
        reading.advance()?;
        Ok(reading)
    }

    /// Reads up to the next row of a frame; gives the one before it.
    fn advance(&mut self) -> Result<Option<(FrameKey, Added)>, ImportError> {
        let mut next = None;
        while next.is_none() && self.records.next()? {
            let (line, record) = self.records.current();
            match row(&fields(record)).map_err(|why| ImportError::Malformed { line, why })? {
                Row::Frame(key, added) => next = Some((key, added)),
                Row::Account(at, number) => count(&mut self.account, at, number),
                Row::Observed(part) => self.observed.push(part),
            }
        }
        Ok(std::mem::replace(&mut self.next, next))
    }

    fn start(&self) -> Option<Timestamp> {
        self.next.as_ref().map(|(key, _)| key.start)
    }
}

impl RowTable {
    /// Without a row.
    pub fn new(most_bytes: usize) -> RowTable {
        let (frames, observed) = (BTreeMap::new(), ObservedParts::default());
        RowTable { frames, bytes: 0, most_bytes, done_before: None, observed }
    }

    /// Reads tables side by side, always the row that begins first, and hands on the frames that no row can
    /// be added to any more, if memory asks for it.
    pub fn read(
        &mut self,
        inputs: Vec<&mut (dyn BufRead + Send)>,
        frames: &mut dyn FnMut(Frame),
    ) -> Result<Imported, UnreadableTable> {
        let mut readings = Vec::new();
        for (place, input) in inputs.into_iter().enumerate() {
            let reading = Reading::new(input);
            readings.push(reading.map_err(|error| UnreadableTable { place, error })?);
        }
        let begun = readings.iter().enumerate();
        let begun = begun.filter_map(|(place, reading)| Some(Reverse((reading.start()?, place))));
        let mut first: BinaryHeap<Reverse<(Timestamp, usize)>> = begun.collect();
        while let Some(Reverse((_, place))) = first.pop() {
            let Some(reading) = readings.get_mut(place) else { continue };
            // Rows that begin at the same time as the first of another table may wait.
            let until = first.peek().map_or(Timestamp::new(i64::MAX), |Reverse((start, _))| *start);
            self.take_from(reading, until, frames)
                .map_err(|error| UnreadableTable { place, error })?;
            first.extend(reading.start().map(|start| Reverse((start, place))));
        }
        let mut account = Account::default();
        for mut reading in readings {
            self.observe(&mut reading);
            account.add(reading.account);
        }
        Ok(Imported { account, ..Imported::default() })
    }

    /// Takes the next row of a table, and those that begin up to a moment.
    fn take_from(
        &mut self,
        reading: &mut Reading<'_>,
        until: Timestamp,
        frames: &mut dyn FnMut(Frame),
    ) -> Result<(), ImportError> {
        loop {
            let (line, _) = reading.records.current();
            let Some((key, added)) = reading.advance()? else { return Ok(()) };
            self.observe(reading);
            self.add(key, added, frames).map_err(|refusal| refusal.at(line))?;
            if reading.start().is_none_or(|start| start > until) {
                return Ok(());
            }
        }
    }

    /// Takes what a table says of how much was observed.
    fn observe(&mut self, reading: &mut Reading<'_>) {
        for part in reading.observed.drain(..) {
            let before = self.observed.bytes();
            self.observed.add(part);
            self.bytes += self.observed.bytes() - before;
        }
    }

    /// Hands on what is left.
    pub fn finish(self, frames: &mut dyn FnMut(Frame)) -> Result<(), ImportError> {
        hand_on(self.frames, &self.observed, frames).map_err(|refusal| refusal.at(0))
    }

    fn add(
        &mut self,
        key: FrameKey,
        added: Added,
        frames: &mut dyn FnMut(Frame),
    ) -> Result<(), Refusal> {
        if self.done_before.is_some_and(|done| key.start < done) {
            return Err(Refusal::Unsorted);
        }
        let is_later =
            self.frames.first_key_value().is_some_and(|(first, _)| first.start < key.start);
        if self.bytes >= self.most_bytes && is_later {
            let later = FrameKey {
                series: Series::named(""),
                quality: String::new(),
                end: key.start,
                ..key.clone()
            };
            let rest = self.frames.split_off(&later);
            let done = std::mem::replace(&mut self.frames, rest);
            hand_on(done, &self.observed, frames)?;
            let frames = self.frames.iter().map(|(key, sums)| key.bytes() + sums.bytes());
            self.bytes = self.observed.bytes() + frames.sum::<usize>();
            self.done_before = Some(key.start);
        } else if self.bytes >= self.most_bytes.saturating_add(self.most_bytes / 4) {
            let is_one_moment =
                self.frames.last_key_value().is_some_and(|(last, _)| last.start == key.start);
            return Err(if is_one_moment { Refusal::TooMany } else { Refusal::Unsorted });
        }
        let sums = match self.frames.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                self.bytes += new.key().bytes();
                new.insert(Sums::default())
            }
        };
        self.bytes += add(sums, added)?;
        Ok(())
    }
}

impl FrameKey {
    /// The memory that a frame takes besides its buckets, about: its place in the table, a series of its own,
    /// and a table of buckets, of which the first part has room for eleven.
    fn bytes(&self) -> usize {
        const FRAME: usize = 640;
        const ATTRIBUTE: usize = 112;
        let attributes = self.series.attributes();
        let attributes: usize =
            attributes.map(|(name, value)| ATTRIBUTE + name.len() + value.len()).sum();
        FRAME + self.series.name().len() + self.quality.len() + attributes
    }
}

impl Sums {
    /// The memory that the buckets take, about.
    fn bytes(&self) -> usize {
        self.cells.len() * BUCKET
    }
}

/// The memory that a bucket takes, about.
const BUCKET: usize = 48;

/// Adds a row; gives how much more memory is held, about.
fn add(sums: &mut Sums, Added { sum_ns, cell }: Added) -> Result<usize, String> {
    let too_large = "the numbers of one frame are too large together";
    let mut more = 0;
    if let Some(ns) = sum_ns {
        let sum = sums.sum_ns.unwrap_or(0).checked_add(ns).ok_or(too_large)?;
        limits::check_sum(Some(Nanos::new(sum)))?;
        sums.sum_ns = Some(sum);
    }
    if let Some((bucket, (count, waited_ns))) = cell {
        let before = sums.cells.len();
        let sum = sums.cells.entry(bucket).or_default();
        sum.0 = sum.0.checked_add(count).ok_or(too_large)?;
        sum.1 = sum.1.checked_add(waited_ns).ok_or(too_large)?;
        limits::check_bucket(bucket.0, *sum)?;
        more += (sums.cells.len() - before) * BUCKET;
    }
    Ok(more)
}

/// Adds a number of an account to it.
fn count(account: &mut Account, at: usize, number: u64) {
    let sums = [
        &mut account.records,
        &mut account.rejected,
        &mut account.rejected_events,
        &mut account.lost,
        &mut account.ignored_lines,
    ];
    for sum in sums.into_iter().skip(at).take(1) {
        *sum = sum.saturating_add(number);
    }
}

/// Makes frames of all rows that belong together; those of a series have one scheme where they can.
fn hand_on(
    held: BTreeMap<FrameKey, Sums>,
    observed: &ObservedParts,
    frames: &mut dyn FnMut(Frame),
) -> Result<(), Refusal> {
    let observed = observed.with_whole(|interval, series| {
        let (start, end, series) = (interval.0, interval.1, series.clone());
        let key = FrameKey { start, end, series, quality: Quality::Complete.to_string() };
        held.range(&key..).next().is_some_and(|(found, _)| {
            let is_same = (found.start, found.end) == (key.start, key.end);
            is_same && found.series == key.series && found.quality.starts_with(&key.quality)
        })
    });
    let counted: Result<Vec<Vec<Counted>>, String> = held.into_iter().map(counted).collect();
    let counted = counted?;
    let mut table = Table::default();
    counted.iter().flatten().try_for_each(|part| table.learn(part))?;
    let mut schemes = table.schemes().map_err(|error| error.to_string())?;
    for parts in counted {
        let mut whole: Option<Frame> = None;
        for part in parts {
            let part = part.in_scheme(schemes.next(&part.key.series)?)?;
            match &mut whole {
                Some(whole) => whole.counts.add(&part.counts),
                None => whole = Some(part),
            }
        }
        if let Some(whole) = whole {
            let refused = |why| {
                let (start, end) = (whole.start.as_nanos(), whole.end.as_nanos());
                let series = &whole.series;
                Refusal::Impossible(format!(
                    "the rows of {series} from {start} to {end} ns together: {why}"
                ))
            };
            limits::check_counts(&whole.counts).map_err(refused)?;
            frames(observed.applied(whole));
        }
    }
    Ok(())
}

/// A frame of which the scheme is not known yet: in parts where buckets overlap, because tables with
/// different buckets were added up. The first part has the whole sum.
fn counted((key, sums): (FrameKey, Sums)) -> Result<Vec<Counted>, String> {
    let FrameKey { start, end, series, quality } = key;
    let (kept, known) = quality_of(&quality).ok_or_else(|| format!("'{quality}' is no quality"))?;
    let sum = sums.sum_ns.filter(|_| known.exact);
    let key = || Key { start, end, series: series.clone(), kept };
    let part = |sum: Option<u64>| Counted {
        key: key(),
        sum: sum.map(Nanos::new),
        cells: Vec::new(),
        waited_ns: known.placed.then(Vec::new),
    };
    let mut parts = vec![part(sum)];
    for ((lo, hi), (count, ns)) in sums.cells {
        let fits = |part: &Counted| part.cells.last().is_none_or(|&(_, end, _)| end <= lo);
        let place = parts.iter().position(fits).unwrap_or(parts.len());
        if place == parts.len() {
            parts.push(part(sum.map(|_| 0)));
        }
        if let Some(part) = parts.get_mut(place) {
            part.cells.push((lo, hi, count));
            part.waited_ns.iter_mut().for_each(|times| times.push(ns));
        }
    }
    Ok(parts)
}

fn quality_of(text: &str) -> Option<(KeptQuality, TimeKnown)> {
    let (text, length_error) = codec::without_length_error(text)?;
    TimeKnown::WORDS.iter().rev().find_map(|(known, words)| {
        let quality = Quality::from_text(text.strip_suffix(words)?)?;
        let leaves_out = known.leaves_out;
        Some((KeptQuality { quality, leaves_out, length_error }, *known))
    })
}

fn row(fields: &[Field]) -> Result<Row, String> {
    let all: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
    let [start, end, series, attributes, quality, sum, lo, hi, count, waited] = all[..] else {
        return Err(format!("{} fields instead of {}", fields.len(), ROW_COLUMNS.len()));
    };
    let number =
        |text: &str| text.parse::<u64>().map_err(|_| format!("'{text}' is no whole number"));
    // ClickHouse writes what is not there as `\N`.
    let is_there = |text: &&str| !text.is_empty() && *text != "\\N";
    let perhaps = |text: &str| Some(text).filter(is_there).map(number).transpose();
    if let Some(at) = ACCOUNT.iter().position(|name| *name == quality) {
        let number = number(count)?;
        limits::check_tally(quality, number)?;
        return Ok(Row::Account(at, number));
    }
    let time = |text: &str| {
        text.parse().map(Timestamp::new).map_err(|_| format!("'{text}' is no time in nanoseconds"))
    };
    // Tables of earlier versions have the word in the place of the bucket.
    let (quality, lo) = match (quality.strip_suffix(AVERAGES), lo == CSV_AVERAGES) {
        (None, false) => (quality, Some(lo)),
        (None, true) => (quality, None),
        (Some(quality), false) if !is_there(&lo) => (quality, None),
        (Some(_), _) => return Err(format!("averages have no bucket, and here is '{lo}'")),
    };
    let detail = if lo.is_none() { Detail::Averages } else { Detail::Distribution };
    let series = Series::with_attributes(series, pairs(attributes)?).with_detail(detail);
    if let Some(part) = ObservedPart::parse(quality) {
        let observed = ObservedPart { interval: (time(start)?, time(end)?), series, part: part? };
        observed.check()?;
        return Ok(Row::Observed(observed));
    }
    if quality_of(quality).is_none() {
        return Err(format!("'{quality}' is no quality"));
    }
    let key =
        FrameKey { start: time(start)?, end: time(end)?, series, quality: quality.to_owned() };
    limits::check_interval(key.start, key.end)?;
    let sum_ns = perhaps(sum)?;
    limits::check_sum(sum_ns.map(Nanos::new))?;
    let counts = (perhaps(count)?.unwrap_or(0), perhaps(waited)?.unwrap_or(0));
    let cell = match (lo.map(perhaps).transpose()?, perhaps(hi)?) {
        (None, _) => Some(((0, Scheme::UNBOUNDED), counts)),
        (Some(None), _) => None,
        (Some(Some(lo)), hi) => Some(((lo, hi.unwrap_or(Scheme::UNBOUNDED)), counts)),
    };
    if let Some(((lo, hi), counts)) = cell {
        if lo >= hi {
            return Err(format!("the bucket from {lo} to {hi} ns is empty"));
        }
        limits::check_bucket(lo, counts)?;
    }
    Ok(Row::Frame(key, Added { sum_ns, cell }))
}

/// The attributes of a series as they are written in one column.
fn pairs(text: &str) -> Result<BTreeMap<String, String>, String> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pair = |pair: &str| {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| format!("'{pair}' is no name=value"))?;
        Ok((decoded(name), decoded(value)))
    };
    text.split(';').filter(|pair| !pair.is_empty()).map(pair).collect()
}
