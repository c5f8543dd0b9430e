//! Rows to frames, in whatever order they come.

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{Account, Detail, Nanos, Quality, Scheme, Series, Timestamp};
use percent_encoding::percent_decode_str;

use super::{ACCOUNT, ROW_COLUMNS, TimeKnown};
use crate::export::CSV_AVERAGES;
use crate::import::csv::{Counted, Field, Key, Records, Table, fields};
use crate::import::{ImportError, Imported};

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
}

/// What a row adds to its frame.
#[derive(Default)]
struct Added {
    sum_ns: Option<u64>,
    cell: Option<((u64, u64), (u64, u64))>,
}

/// The rows that are held.
struct Held {
    frames: BTreeMap<FrameKey, Sums>,
    bytes: usize,
    /// Frames that begin before are handed on.
    done_before: Option<Timestamp>,
}

/// Reads rows in whatever order they come, adds up those that belong together, and hands on the frames.
/// All rows are held in memory if they fit in about `most_bytes`; if they do not, they must come in the
/// order of `start_ns`.
pub fn read_rows(
    input: &mut (dyn BufRead + Send),
    most_bytes: usize,
    frames: &mut dyn FnMut(isotherm_frame::Frame),
) -> Result<Imported, ImportError> {
    let mut records = Records::new(input);
    let mut held = Held { frames: BTreeMap::new(), bytes: 0, done_before: None };
    let mut account = Account::default();
    let (mut is_head, mut last) = (true, 0);
    while records.next()? {
        let (line, record) = records.current();
        last = line;
        if std::mem::take(&mut is_head) {
            continue;
        }
        let fields = fields(record);
        let taken = row(&fields).and_then(|row| match row {
            Row::Frame(key, added) => held.add(key, added, most_bytes, frames),
            Row::Account(at, number) => {
                count(&mut account, at, number);
                Ok(())
            }
        });
        taken.map_err(|why| ImportError::Malformed { line, why })?;
    }
    let rest = std::mem::take(&mut held.frames);
    hand_on(rest, frames).map_err(|why| ImportError::Malformed { line: last, why })?;
    Ok(Imported { account, ..Imported::default() })
}

impl Held {
    fn add(
        &mut self,
        key: FrameKey,
        added: Added,
        most_bytes: usize,
        frames: &mut dyn FnMut(isotherm_frame::Frame),
    ) -> Result<(), String> {
        if self.done_before.is_some_and(|done| key.start < done) {
            return Err(
                "the rows do not fit in memory, and are not in the order of start_ns: sort \
                        them, or give more --memory"
                    .to_owned(),
            );
        }
        let is_later =
            self.frames.first_key_value().is_some_and(|(first, _)| first.start < key.start);
        if self.bytes >= most_bytes && is_later {
            let later = FrameKey {
                series: Series::named(""),
                quality: String::new(),
                end: key.start,
                ..key.clone()
            };
            let rest = self.frames.split_off(&later);
            hand_on(std::mem::replace(&mut self.frames, rest), frames)?;
            self.bytes = self.frames.values().map(bytes).sum();
            self.done_before = Some(key.start);
        }
        let sums = self.frames.entry(key).or_default();
        self.bytes += add(sums, added)?;
        Ok(())
    }
}

/// The memory that the rows of a frame take, about.
fn bytes(sums: &Sums) -> usize {
    const FRAME: usize = 256;
    FRAME + sums.cells.len() * BUCKET
}

/// The memory that a bucket takes, about.
const BUCKET: usize = 48;

/// Adds a row; gives how much more memory is held, about.
fn add(sums: &mut Sums, Added { sum_ns, cell }: Added) -> Result<usize, String> {
    let too_large = "the numbers of one frame are too large together";
    let mut more = if sums.cells.is_empty() && sums.sum_ns.is_none() { bytes(sums) } else { 0 };
    if let Some(ns) = sum_ns {
        sums.sum_ns = Some(sums.sum_ns.unwrap_or(0).checked_add(ns).ok_or(too_large)?);
    }
    if let Some((bucket, (count, waited_ns))) = cell {
        let before = sums.cells.len();
        let sum = sums.cells.entry(bucket).or_default();
        sum.0 = sum.0.checked_add(count).ok_or(too_large)?;
        sum.1 = sum.1.checked_add(waited_ns).ok_or(too_large)?;
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
    frames: &mut dyn FnMut(isotherm_frame::Frame),
) -> Result<(), String> {
    let mut table = Table::default();
    let counted: Result<Vec<Counted>, String> = held.into_iter().map(counted).collect();
    let counted = counted?;
    counted.iter().try_for_each(|frame| table.learn(frame))?;
    let mut schemes = table.schemes().map_err(|error| error.to_string())?;
    for frame in counted {
        frames(frame.in_scheme(schemes.next(&frame.key.series)?)?);
    }
    Ok(())
}

/// A frame of which the scheme is not known yet.
fn counted((key, sums): (FrameKey, Sums)) -> Result<Counted, String> {
    let FrameKey { start, end, series, quality } = key;
    let (quality, known) =
        quality_of(&quality).ok_or_else(|| format!("'{quality}' is no quality"))?;
    let cells = sums.cells.iter().map(|(&(lo, hi), &(count, _))| (lo, hi, count)).collect();
    let waited_ns = known.placed.then(|| sums.cells.values().map(|(_, ns)| *ns).collect());
    let sum = sums.sum_ns.filter(|_| known.exact).map(Nanos::new);
    let key = Key { start, end, series, quality };
    Ok(Counted { key, sum, cells, waited_ns })
}

fn quality_of(text: &str) -> Option<(Quality, TimeKnown)> {
    TimeKnown::WORDS.iter().rev().find_map(|(known, words)| {
        let quality = Quality::from_text(text.strip_suffix(words)?)?;
        Some((quality, *known))
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
        return Ok(Row::Account(at, number(count)?));
    }
    let time = |text: &str| {
        text.parse().map(Timestamp::new).map_err(|_| format!("'{text}' is no time in nanoseconds"))
    };
    let averages = lo == CSV_AVERAGES;
    let detail = if averages { Detail::Averages } else { Detail::Distribution };
    let series = Series::with_attributes(series, pairs(attributes)?).with_detail(detail);
    if quality_of(quality).is_none() {
        return Err(format!("'{quality}' is no quality"));
    }
    let key =
        FrameKey { start: time(start)?, end: time(end)?, series, quality: quality.to_owned() };
    let counts = (perhaps(count)?.unwrap_or(0), perhaps(waited)?.unwrap_or(0));
    let cell = match (averages, perhaps(if averages { "" } else { lo })?, perhaps(hi)?) {
        (true, ..) => Some(((0, Scheme::UNBOUNDED), counts)),
        (false, None, _) => None,
        (false, Some(lo), hi) => Some(((lo, hi.unwrap_or(Scheme::UNBOUNDED)), counts)),
    };
    if let Some(((lo, hi), _)) = cell.filter(|((lo, hi), _)| lo >= hi) {
        return Err(format!("the bucket from {lo} to {hi} ns is empty"));
    }
    Ok(Row::Frame(key, Added { sum_ns: perhaps(sum)?, cell }))
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
