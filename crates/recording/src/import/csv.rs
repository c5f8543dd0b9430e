//! CSV: frames and their exact sums.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::BufRead;

use isotherm_frame::{Detail, Frame, Histogram, Nanos, Scheme, Series, Timestamp};

use super::lines::{Lines, without_end};
use super::schemes::{Buckets, Cell, bucket};
use super::{CSV_OLDEST, ImportError};
use crate::codec::KeptQuality;
use crate::export::{AVERAGES, CSV_AVERAGES, CSV_COLUMNS};
use crate::{codec, limits};

/// Reads CSV: frames and their exact sums; marks, clock and tally are not in it, nor are buckets
/// that never held an event. Only all rows together show the buckets of a series, so the input is
/// read twice: `once` for the buckets, and `again` for the frames, which are handed on as they are
/// read. Gives the number of rows.
pub fn read_csv(
    (once, again): (&mut (dyn BufRead + Send), &mut (dyn BufRead + Send)),
    frames: &mut dyn FnMut(Frame),
) -> Result<u64, ImportError> {
    let mut table = Table::default();
    rows(once, &mut |frame| table.learn(&frame))?;
    let mut schemes = table.schemes()?;
    rows(again, &mut |frame| {
        frames(frame.in_scheme(schemes.next(&frame.key.series)?)?);
        Ok(())
    })
}

/// Reads all rows and hands on the frames they make; gives their number.
fn rows(
    input: &mut (dyn BufRead + Send),
    done: &mut dyn FnMut(Counted) -> Result<(), String>,
) -> Result<u64, ImportError> {
    let mut records = Records::new(input);
    let mut head: Option<Head> = None;
    let mut last: Option<Counted> = None;
    let mut count = 0;
    while records.next()? {
        let (line, record) = records.current();
        let fields = fields(record);
        count += u64::from(head.is_some());
        let taken = match &head {
            Some(head) => row(&fields, head).and_then(|row| take(&mut last, row, done)),
            None => self::head(&fields).map(|known| head = Some(known)),
        };
        taken.map_err(|why| ImportError::Malformed { line, why })?;
    }
    let line = records.first;
    last.map_or(Ok(()), done).map_err(|why| ImportError::Malformed { line, why })?;
    Ok(count)
}

/// After so many bytes a quote that was opened counts as closed: it belonged to no export.
const LONGEST_RECORD: usize = 1 << 20;

/// A line, or several where a quoted field holds line breaks.
pub(crate) struct Records<'i> {
    lines: Lines<'i>,
    /// The line that the record begins at.
    first: usize,
    text: String,
}

impl<'i> Records<'i> {
    /// The records of an input.
    pub(crate) fn new(input: &'i mut (dyn BufRead + Send)) -> Records<'i> {
        Records { lines: Lines::new(input), first: 0, text: String::new() }
    }

    /// The line that the present record begins at, and its text.
    pub(crate) fn current(&self) -> (usize, &str) {
        (self.first, without_end(&self.text))
    }

    /// Reads the next record; `false` at the end of the input.
    pub(crate) fn next(&mut self) -> Result<bool, ImportError> {
        self.text.clear();
        if !self.lines.append_to(&mut self.text)? {
            return Ok(false);
        }
        self.first = self.lines.number();
        let is_open = |text: &str| text.matches('"').count() % 2 == 1;
        while is_open(&self.text)
            && self.text.len() < LONGEST_RECORD
            && self.lines.append_to(&mut self.text)?
        {}
        Ok(true)
    }
}

/// A field, and whether it was in quotes: that tells an empty text from none.
#[derive(Debug, Default)]
pub(crate) struct Field {
    /// What stands in it.
    pub(crate) text: String,
    quoted: bool,
}

/// The fields of a record; quotes are doubled inside quotes.
pub(crate) fn fields(record: &str) -> Vec<Field> {
    let (mut fields, mut field, mut open) = (Vec::new(), Field::default(), false);
    let mut characters = record.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if open && characters.next_if_eq(&'"').is_some() => field.text.push('"'),
            '"' => (open, field.quoted) = (!open, true),
            ',' if !open => fields.push(std::mem::take(&mut field)),
            other => field.text.push(other),
        }
    }
    fields.push(field);
    fields
}

/// What the first line says of the others.
#[derive(Debug)]
struct Head {
    /// Columns before those of attributes.
    columns: usize,
    /// The names of the attribute columns.
    attributes: Vec<String>,
}

/// Reads the first line. Exports of the first format have no column for the time waited.
fn head(head: &[Field]) -> Result<Head, String> {
    let known = head.iter().zip(CSV_COLUMNS).take_while(|(field, column)| field.text == *column);
    let columns = known.count();
    if columns < CSV_OLDEST {
        return Err(format!("the first line does not begin with {}", CSV_COLUMNS.join(",")));
    }
    let names = head.iter().skip(columns);
    let name = |name: &Field| name.text.strip_prefix("attribute.").unwrap_or(&name.text).to_owned();
    Ok(Head { columns, attributes: names.map(name).collect() })
}

/// What a row says of its frame.
#[derive(Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) series: Series,
    pub(crate) kept: KeptQuality,
}

/// One row: a filled bucket of a frame, or a frame without any.
struct Row {
    key: Key,
    sum: Option<Nanos>,
    cell: Option<Cell>,
    /// The time waited in it, where it is known when it was waited.
    waited_ns: Option<u64>,
}

fn row(fields: &[Field], Head { columns, attributes }: &Head) -> Result<Row, String> {
    let expected = columns + attributes.len();
    let [start, end, series, quality, sum, lo, hi, count, ..] = fields else {
        return Err(format!("{} fields instead of {expected}", fields.len()));
    };
    if fields.len() != expected {
        return Err(format!("{} fields instead of {expected}", fields.len()));
    }
    let values = &fields[*columns..];
    let waited = fields[..*columns].get(CSV_OLDEST).filter(|field| !field.text.is_empty());
    let number = |field: &Field| {
        field.text.parse::<u64>().map_err(|_| format!("'{}' is no number", field.text))
    };
    let time = |field: &Field| {
        let ns = field.text.parse().map_err(|_| format!("'{}' is no time", field.text))?;
        Ok::<_, String>(Timestamp::new(ns))
    };
    let given = attributes.iter().zip(values);
    let given = given.filter(|(_, value)| value.quoted || !value.text.is_empty());
    let given: BTreeMap<&str, &str> = given.map(|(k, v)| (k.as_str(), v.text.as_str())).collect();
    let marked = quality.text.strip_suffix(AVERAGES);
    let kept = codec::quality_from(marked.unwrap_or(&quality.text))
        .ok_or_else(|| format!("'{}' is no quality", quality.text))?;
    let series = Series::with_attributes(&series.text, given);
    if marked.is_some() && !lo.text.is_empty() {
        return Err(format!("averages have no bucket, and here is '{}'", lo.text));
    }
    // Exports of earlier versions have the word in the place of the bucket.
    let averages = marked.is_some() || lo.text == CSV_AVERAGES;
    let detail = if averages { Detail::Averages } else { Detail::Distribution };
    let series = series.with_detail(detail);
    let key = Key { start: time(start)?, end: time(end)?, series, kept };
    limits::check_interval(key.start, key.end)?;
    let sum = if sum.text.is_empty() { None } else { Some(Nanos::new(number(sum)?)) };
    limits::check_sum(sum)?;
    let waited_ns = waited.map(number).transpose()?;
    if averages {
        let cell = Some((0, Scheme::UNBOUNDED, number(count)?));
        return Ok(Row { key, sum, cell, waited_ns });
    }
    if lo.text.is_empty() {
        return Ok(Row { key, sum, cell: None, waited_ns });
    }
    let hi = if hi.text.is_empty() { Scheme::UNBOUNDED } else { number(hi)? };
    let lo = number(lo)?;
    if lo >= hi {
        return Err(format!("the bucket from {lo} to {hi} ns is empty"));
    }
    Ok(Row { key, sum, cell: Some((lo, hi, number(count)?)), waited_ns })
}

/// The buckets of each series, anew whenever they can no longer belong to one scheme, each with the
/// number of frames in a row that count in them.
#[derive(Debug, Default)]
pub(crate) struct Table(HashMap<Series, Vec<(Buckets, u64)>>);

/// The schemes of the frames of each series, in their order, each with the number of frames.
pub(crate) struct Schemes(HashMap<Series, VecDeque<(Scheme, u64)>>);

/// A frame whose scheme is not known yet.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) key: Key,
    pub(crate) sum: Option<Nanos>,
    pub(crate) cells: Vec<Cell>,
    /// The time of each cell, if it is known when it was waited.
    pub(crate) waited_ns: Option<Vec<u64>>,
}

/// Takes a row into the last frame, or hands that on and begins another one: a sum, or a row without
/// a bucket, begins a frame even if its key is the last one's; so does a bucket that does not come
/// after the last one.
fn take(
    last: &mut Option<Counted>,
    Row { key, sum, cell, waited_ns }: Row,
    done: &mut dyn FnMut(Counted) -> Result<(), String>,
) -> Result<(), String> {
    let follows =
        |last: &Counted, (lo, ..): Cell| last.cells.last().is_none_or(|&(before, ..)| before < lo);
    let same = last.as_mut().filter(|last| last.key == key && sum.is_none());
    match (same, cell) {
        (Some(last), Some(cell)) if follows(last, cell) => {
            last.cells.push(cell);
            let times = last.waited_ns.as_mut().zip(waited_ns);
            last.waited_ns = times.map(|(times, ns)| {
                times.push(ns);
                std::mem::take(times)
            });
            Ok(())
        }
        _ => {
            let waited_ns = waited_ns.map(|ns| cell.iter().map(|_| ns).collect());
            let next = Counted { key, sum, cells: cell.into_iter().collect(), waited_ns };
            last.replace(next).map_or(Ok(()), done)
        }
    }
}

impl Table {
    /// Adds the buckets of a frame to those of its series.
    pub(crate) fn learn(&mut self, frame: &Counted) -> Result<(), String> {
        if !self.0.contains_key(&frame.key.series) {
            if self.0.len() >= limits::MOST_SERIES {
                return Err(format!("more than {} series", limits::MOST_SERIES));
            }
            self.0.insert(frame.key.series.clone(), Vec::new());
        }
        let Some(all) = self.0.get_mut(&frame.key.series) else { return Ok(()) };
        if let Some((buckets, frames)) = all.last_mut()
            && buckets.add(&frame.cells)
        {
            *frames += 1;
            return Ok(());
        }
        let mut buckets = Buckets::default();
        if overlap(&frame.cells) || !buckets.add(&frame.cells) {
            return Err("buckets of one frame overlap".to_owned());
        }
        all.push((buckets, 1));
        Ok(())
    }

    pub(crate) fn schemes(self) -> Result<Schemes, ImportError> {
        let none = Scheme::new(vec![0, Scheme::UNBOUNDED]);
        let none = none.map_err(|e| ImportError::Malformed { line: 0, why: e.to_string() })?;
        let of_series = |detail: Detail, all: Vec<(Buckets, u64)>| {
            let scheme = |(buckets, frames): (Buckets, u64)| match detail {
                Detail::Averages => (Scheme::averages(), frames),
                Detail::Distribution => (buckets.scheme().unwrap_or_else(|| none.clone()), frames),
            };
            all.into_iter().map(scheme).collect()
        };
        let all = self.0.into_iter().map(|(series, all)| {
            let schemes = of_series(series.detail(), all);
            (series, schemes)
        });
        Ok(Schemes(all.collect()))
    }
}

impl Schemes {
    /// The scheme of the next frame of a series.
    pub(crate) fn next(&mut self, series: &Series) -> Result<&Scheme, String> {
        let changed = || "the file has changed while it was read".to_owned();
        let all = self.0.get_mut(series).ok_or_else(changed)?;
        while all.front().is_some_and(|(_, frames)| *frames == 0) {
            all.pop_front();
        }
        let (scheme, frames) = all.front_mut().ok_or_else(changed)?;
        *frames -= 1;
        Ok(scheme)
    }
}

/// Whether two of the buckets, which are sorted, overlap.
fn overlap(cells: &[Cell]) -> bool {
    cells.iter().zip(cells.iter().skip(1)).any(|(&(_, hi, _), &(lo, ..))| lo < hi)
}

impl Counted {
    pub(crate) fn in_scheme(&self, scheme: &Scheme) -> Result<Frame, String> {
        let mut counts = vec![0_u64; scheme.buckets()];
        for &(lo, hi, count) in &self.cells {
            let index = scheme.position_of(bucket(lo, hi));
            let place = index.and_then(|index| counts.get_mut(index));
            *place.ok_or("buckets of one frame overlap")? = count;
        }
        let Key { start, end, ref series, kept } = self.key;
        let counts = Histogram::new(scheme.clone(), counts, self.sum);
        let counts = counts.and_then(|counts| match &self.waited_ns {
            None => Ok(counts),
            Some(times) => {
                let mut ns = vec![0_u64; scheme.buckets()];
                for (&(lo, hi, _), &time) in self.cells.iter().zip(times) {
                    let index = scheme.position_of(bucket(lo, hi));
                    index.and_then(|i| ns.get_mut(i)).into_iter().for_each(|place| *place = time);
                }
                counts.with_waited(ns, self.sum.is_some())
            }
        });
        let counts = counts.map_err(|error| error.to_string())?;
        let (counts, quality) = (kept.applied(counts)?, kept.quality);
        Ok(Frame { series: series.clone(), start, end, counts, quality })
    }
}
