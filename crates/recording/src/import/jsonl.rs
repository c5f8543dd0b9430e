//! JSON lines: everything that was exported.

use std::collections::HashMap;
use std::io::BufRead;

use isotherm_frame::{
    Account, Clock, Frame, Histogram, MemoryAccount, Nanos, Scheme, Series, Timestamp,
};
use serde_json::Value;

use super::lines::{Lines, without_end};
use super::{ImportError, Imported};
use crate::{RecordedMark, codec, limits};

/// Reads JSON lines: everything that was exported. The frames are handed on as they are read.
pub fn read_jsonl(
    input: &mut (dyn BufRead + Send),
    frames: &mut dyn FnMut(Frame),
) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut known = Known { schemes: HashMap::new(), room: MemoryAccount::of_bytes(Known::MEMORY) };
    let (mut lines, mut text) = (Lines::new(input), String::new());
    while lines.append_to(&mut text)? {
        let line = lines.number();
        let value = serde_json::from_str(without_end(&text)).map_err(|error| error.to_string());
        value
            .and_then(|value| take(&value, (&mut imported, &mut *frames), &mut known))
            .map_err(|why| ImportError::Malformed { line, why })?;
        text.clear();
    }
    Ok(imported)
}

/// What is kept of the lines before, and the memory that it and the marks may take.
struct Known {
    schemes: HashMap<u64, Scheme>,
    room: MemoryAccount,
}

impl Known {
    /// Room for half a million marks, or as many schemes as a recording has series.
    const MEMORY: usize = 64 << 20;

    fn take_room(&mut self, bytes: usize) -> Result<(), String> {
        let fits = self.room.take(bytes);
        if fits { Ok(()) } else { Err("more marks and schemes than fit in memory".to_owned()) }
    }
}

/// Takes one line, whichever kind it is.
fn take(
    value: &Value,
    (imported, frames): (&mut Imported, &mut dyn FnMut(Frame)),
    known: &mut Known,
) -> Result<(), String> {
    if value.get("isotherm_export").is_some() {
        let clock = value["clock"].as_str().and_then(Clock::from_text);
        imported.clock = clock.unwrap_or_default();
        imported.account = account(&value["tally"])?;
    } else if let Some(at) = value.get("mark_at_ns") {
        let at = Timestamp::new(at.as_i64().ok_or("mark_at_ns is no whole number")?);
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let mark = RecordedMark { at, text: text("text"), origin: text("origin") };
        known.take_room(2 * size_of::<RecordedMark>() + mark.text.len() + mark.origin.len())?;
        imported.marks.push(mark);
    } else if value.get("start_ns").is_some() {
        frames(frame(value, &known.schemes)?);
    } else {
        let number = value["scheme"].as_u64().ok_or("neither a frame, nor a scheme, nor a mark")?;
        let averages = value["averages"].as_bool().unwrap_or_default();
        let scheme = if averages { Scheme::averages() } else { scheme(value)? };
        known.take_room(size_of_val(scheme.bounds()) + 128)?;
        known.schemes.insert(number, scheme);
    }
    Ok(())
}

fn account(value: &Value) -> Result<Account, String> {
    let number = |key: &str| {
        let number = value[key].as_u64().unwrap_or_default();
        limits::check_tally(key, number).map(|()| number)
    };
    Ok(Account {
        records: number("records")?,
        rejected: number("rejected")?,
        rejected_events: number("rejected_events")?,
        lost: number("lost")?,
        ignored_lines: number("ignored_lines")?,
        ..Account::default()
    })
}

fn frame(value: &Value, schemes: &HashMap<u64, Scheme>) -> Result<Frame, String> {
    let moment = |key: &str| value[key].as_i64().map(Timestamp::new).ok_or(format!("no {key}"));
    let quality = value["quality"].as_str().and_then(codec::quality_from);
    let kept = quality.ok_or("no quality")?;
    let (start, end) = (moment("start_ns")?, moment("end_ns")?);
    limits::check_interval(start, end)?;
    let counts = histogram(value, schemes)?;
    limits::check_sum(counts.sum())?;
    let (counts, quality) = (kept.applied(counts)?, kept.quality);
    Ok(Frame { series: series(value)?, start, end, counts, quality }.with_own_detail())
}

fn series(value: &Value) -> Result<Series, String> {
    let name = value["series"].as_str().ok_or("no series")?;
    let attributes =
        value["attributes"].as_object().ok_or("no attributes")?.iter().map(|(key, value)| {
            let text = value.as_str().ok_or_else(|| format!("the attribute {key} is no text"))?;
            Ok((key.as_str(), text))
        });
    Ok(Series::with_attributes(name, attributes.collect::<Result<Vec<_>, String>>()?))
}

/// The bounds of a line: of a scheme all of them, of a frame those of the counts it has.
fn scheme(value: &Value) -> Result<Scheme, String> {
    let bound = |bound: &Value| match bound {
        Value::Null => Ok(Scheme::UNBOUNDED),
        bound => bound.as_u64().ok_or_else(|| format!("the bound {bound} is no number")),
    };
    let bounds = value["bounds_ns"].as_array().ok_or("no bounds_ns")?.iter().map(bound);
    Scheme::new(bounds.collect::<Result<_, String>>()?).map_err(|error| error.to_string())
}

fn histogram(value: &Value, schemes: &HashMap<u64, Scheme>) -> Result<Histogram, String> {
    let number = |number: &Value| number.as_u64().ok_or_else(|| "a count is no number".to_owned());
    let numbers = |numbers: &Vec<Value>| numbers.iter().map(number).collect::<Result<Vec<_>, _>>();
    let counts = numbers(value["counts"].as_array().ok_or("no counts")?)?;
    let waited = value["waited_ns"].as_array().map(numbers).transpose()?;
    let sum = match &value["sum_ns"] {
        Value::Null => None,
        sum => Some(Nanos::new(sum.as_u64().ok_or("sum_ns is no number")?)),
    };
    let filled = scheme(value)?;
    let part = Histogram::new(filled, counts, sum).and_then(|counts| match waited {
        Some(ns) => counts.with_waited(ns, sum.is_some()),
        None => Ok(counts),
    });
    let part = part.map_err(|error| error.to_string())?;
    let whole = match &value["scheme"] {
        // A line that says nothing of a scheme has only the buckets it shows.
        Value::Null => return Ok(part),
        number => number.as_u64().and_then(|number| schemes.get(&number)),
    };
    let whole = whole.ok_or("its scheme is not among the lines before")?;
    widened(&part, whole).ok_or_else(|| "its bounds are not those of its scheme".to_owned())
}

/// The same counts in a scheme that has these buckets and others.
fn widened(part: &Histogram, whole: &Scheme) -> Option<Histogram> {
    let first = whole.bounds().binary_search(part.scheme().bounds().first()?).ok()?;
    let end = first.checked_add(part.scheme().buckets())?;
    if whole.bounds().get(first..=end)? != part.scheme().bounds() {
        return None;
    }
    let placed = |numbers: Vec<u64>| {
        let mut all = vec![0; whole.buckets()];
        all.get_mut(first..end)?.copy_from_slice(&numbers);
        Some(all)
    };
    let counts = Histogram::new(whole.clone(), placed(part.counts())?, part.sum()).ok()?;
    let Some(waited) = part.waited_ns() else { return Some(counts) };
    counts.with_waited(placed(waited)?, part.is_time_exact()).ok()
}
