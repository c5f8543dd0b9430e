//! Exports read back.

use std::collections::BTreeMap;
use std::io::BufRead;

use isotherm_frame::{Clock, Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use serde_json::Value;
use thiserror::Error;

use crate::export::CSV_COLUMNS;
use crate::{Mark, Tally};

/// Why an export cannot be read back.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The bytes could not be read.
    #[error("line {line}: {source}")]
    Io {
        /// The line.
        line: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not what an export has there.
    #[error("line {line}: {why}; this is no export of isotherm, or it was changed or cut")]
    Malformed {
        /// The line.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// What an export holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The frames, in the order of the export.
    pub frames: Vec<Frame>,
    /// The marks.
    pub marks: Vec<Mark>,
    /// The clock, if the export says so.
    pub clock: Clock,
    /// The account of the original input, if the export has it.
    pub tally: Tally,
}

/// Whether an export in JSON lines begins like this.
pub fn is_jsonl(head: &[u8]) -> bool {
    head.starts_with(b"{\"isotherm_export\":")
}

/// Whether an export in CSV begins like this.
pub fn is_csv(head: &[u8]) -> bool {
    head.starts_with(CSV_COLUMNS.join(",").as_bytes())
}

fn lines(input: &mut dyn BufRead) -> impl Iterator<Item = Result<(usize, String), ImportError>> {
    input.lines().enumerate().map(|(index, line)| {
        let line_number = index + 1;
        line.map(|line| (line_number, line))
            .map_err(|source| ImportError::Io { line: line_number, source })
    })
}

/// Reads JSON lines: everything that was exported.
pub fn read_jsonl(input: &mut dyn BufRead) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    for line in lines(input) {
        let (line, text) = line?;
        let malformed = |why: String| ImportError::Malformed { line, why };
        let value: Value =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        if value.get("isotherm_export").is_some() {
            let clock = value["clock"].as_str().and_then(Clock::from_text);
            imported.clock = clock.unwrap_or_default();
            imported.tally = tally(&value["tally"]);
        } else if let Some(at) = value.get("mark_at_ns").and_then(Value::as_i64) {
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let at = Timestamp::new(at);
            imported.marks.push(Mark { at, text: text("text"), origin: text("origin") });
        } else {
            imported.frames.push(frame(&value).map_err(malformed)?);
        }
    }
    Ok(imported)
}

fn tally(value: &Value) -> Tally {
    let number = |key: &str| value[key].as_u64().unwrap_or_default();
    Tally {
        records: number("records"),
        rejected: number("rejected"),
        rejected_events: number("rejected_events"),
        lost: number("lost"),
        ignored_lines: number("ignored_lines"),
    }
}

fn frame(value: &Value) -> Result<Frame, String> {
    let moment = |key: &str| value[key].as_i64().map(Timestamp::new).ok_or(format!("no {key}"));
    let numbers = |key: &str| value[key].as_array().ok_or(format!("no {key}"));
    let bound = |bound: &Value| match bound {
        Value::Null => Ok(Scheme::UNBOUNDED),
        bound => bound.as_u64().ok_or(format!("the bound {bound} is no number")),
    };
    let bounds = numbers("bounds_ns")?.iter().map(bound).collect::<Result<_, _>>()?;
    let scheme = Scheme::new(bounds).map_err(|error| error.to_string())?;
    let count = |count: &Value| count.as_u64().ok_or("a count is no number".to_owned());
    let counts = numbers("counts")?.iter().map(count).collect::<Result<_, _>>()?;
    let sum = value["sum_ns"].as_u64().map(Nanos::new);
    let attributes = value["attributes"].as_object().into_iter().flatten();
    let attributes = attributes.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")));
    let name = value["series"].as_str().ok_or("no series")?;
    let quality = value["quality"].as_str().and_then(Quality::from_text).ok_or("no quality")?;
    Ok(Frame {
        series: Series::with_attributes(name, attributes),
        start: moment("start_ns")?,
        end: moment("end_ns")?,
        counts: Histogram::new(scheme, counts, sum).map_err(|error| error.to_string())?,
        quality,
    })
}

/// A frame of a CSV export being put together from its rows.
type Key = (i64, i64, String, String, BTreeMap<String, String>);

/// The rows of one frame: the exact sum and the buckets.
type Rows = (Option<u64>, Vec<(u64, u64, u64)>);

/// Reads CSV: frames and their exact sums; marks, clock and tally are not in it.
pub fn read_csv(input: &mut dyn BufRead) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut open: Option<(Key, Rows)> = None;
    let mut attributes: Option<Vec<String>> = None;
    let mut last = 0;
    for record in records(input) {
        let (line, text) = record?;
        last = line;
        let malformed = |why: String| ImportError::Malformed { line, why };
        let fields = fields(&text);
        let Some(attributes) = &attributes else {
            attributes = Some(attribute_names(&fields).map_err(malformed)?);
            continue;
        };
        let (key, sum, cell) = row(&fields, attributes).map_err(malformed)?;
        // A sum, or a row without a bucket, begins a frame even if its key is the last one's.
        let same = open.as_ref().is_some_and(|(known, _)| *known == key) && sum.is_none();
        let same = same && cell.is_some();
        if !same && let Some(done) = open.replace((key, (sum, Vec::new()))) {
            imported.frames.push(assembled(done).map_err(malformed)?);
        }
        if let (Some((_, (_, cells))), Some(cell)) = (&mut open, cell) {
            cells.push(cell);
        }
    }
    let frame = open.map(assembled).transpose();
    let frame = frame.map_err(|why| ImportError::Malformed { line: last, why })?;
    imported.frames.extend(frame);
    Ok(imported)
}

/// The names of the attribute columns, from the fields of the first line.
fn attribute_names(head: &[String]) -> Result<Vec<String>, String> {
    let names = head.get(CSV_COLUMNS.len()..).unwrap_or_default();
    if head.iter().zip(CSV_COLUMNS).filter(|(field, column)| field == column).count()
        < CSV_COLUMNS.len()
    {
        return Err(format!("the first line does not begin with {}", CSV_COLUMNS.join(",")));
    }
    let name = |name: &String| name.strip_prefix("attribute.").unwrap_or(name).to_owned();
    Ok(names.iter().map(name).collect())
}

/// After so many bytes a quote that was opened counts as closed: it belonged to no export.
const LONGEST_RECORD: usize = 1 << 20;

/// The records of a CSV file with the line each begins at: a line, or several where a quoted
/// field holds line breaks.
fn records(input: &mut dyn BufRead) -> impl Iterator<Item = Result<(usize, String), ImportError>> {
    let mut lines = 0;
    std::iter::from_fn(move || {
        let (first, mut text) = (lines + 1, String::new());
        loop {
            let before = text.len();
            match input.read_line(&mut text) {
                Err(source) => return Some(Err(ImportError::Io { line: lines + 1, source })),
                Ok(0) if before == 0 => return None,
                Ok(read) => {
                    lines += 1;
                    let open = text.matches('"').count() % 2 == 1;
                    if open && read > 0 && text.len() < LONGEST_RECORD {
                        continue;
                    }
                }
            }
            let ended = text.strip_suffix('\n').unwrap_or(&text);
            let ended = ended.strip_suffix('\r').unwrap_or(ended);
            return Some(Ok((first, ended.to_owned())));
        }
    })
}

type Cell = Option<(u64, u64, u64)>;

fn row(fields: &[String], attributes: &[String]) -> Result<(Key, Option<u64>, Cell), String> {
    let [start, end, series, quality, sum, lo, hi, count, values @ ..] = fields else {
        return Err(format!("{} fields instead of at least 8", fields.len()));
    };
    let whole = |text: &str| text.parse::<i64>().map_err(|_| format!("'{text}' is no time"));
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("'{text}' is no number"));
    let attributes = attributes.iter().zip(values).filter(|(_, value)| !value.is_empty());
    let attributes = attributes.map(|(key, value)| (key.clone(), value.clone())).collect();
    let key = (whole(start)?, whole(end)?, series.clone(), quality.clone(), attributes);
    let sum = if sum.is_empty() { None } else { Some(number(sum)?) };
    if lo.is_empty() {
        return Ok((key, sum, None));
    }
    let hi = if hi.is_empty() { Scheme::UNBOUNDED } else { number(hi)? };
    Ok((key, sum, Some((number(lo)?, hi, number(count)?))))
}

fn assembled(
    ((start, end, name, quality, attributes), (sum, cells)): (Key, Rows),
) -> Result<Frame, String> {
    let mut bounds: Vec<u64> = cells.iter().flat_map(|&(lo, hi, _)| [lo, hi]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    if bounds.is_empty() {
        bounds = vec![0, Scheme::UNBOUNDED];
    }
    let scheme = Scheme::new(bounds).map_err(|error| error.to_string())?;
    let mut counts = vec![0_u64; scheme.buckets()];
    for (lo, hi, count) in cells {
        let hi = (hi != Scheme::UNBOUNDED).then_some(Nanos::new(hi));
        let bucket = isotherm_frame::Bucket { lo: Nanos::new(lo), hi };
        let index = scheme.position_of(bucket).ok_or("buckets of one frame overlap")?;
        counts[index] = counts[index].saturating_add(count);
    }
    Ok(Frame {
        series: Series::with_attributes(name, attributes),
        start: Timestamp::new(start),
        end: Timestamp::new(end),
        counts: Histogram::new(scheme, counts, sum.map(Nanos::new))
            .map_err(|error| error.to_string())?,
        quality: Quality::from_text(&quality).ok_or(format!("'{quality}' is no quality"))?,
    })
}

/// The fields of a line of CSV; quotes are doubled inside quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}
