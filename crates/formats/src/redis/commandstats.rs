//! `INFO commandstats`, printed once or again and again: calls of each command and their total time.

use isotherm_frame::{Histogram, Nanos, Series};

use crate::sink::reject;
use crate::stamp::StampReader;
use crate::sure_totals::SureTotals;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// How a line of a command begins.
const COMMAND: &[u8] = b"cmdstat_";

/// Whether an input that begins with `head` holds the section.
pub(super) fn begins(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|line| command(line).is_some_and(|found| found.is_ok()))
}

/// Reads the sections one after the other.
pub(super) fn read(
    lines: &mut LineReader<'_>,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let (mut totals, mut stamps) = (SureTotals::new(context), StampReader::new(context));
    lines.each(|line| take(&line, (&mut totals, &mut stamps), sink))?;
    totals.finish(sink);
    Ok(())
}

fn take(line: &Line<'_>, (totals, stamps): (&mut SureTotals<'_>, &mut StampReader), sink: &mut dyn Sink) {
    let mut refuse = |reason: String, sink: &mut dyn Sink| {
        totals.rejected();
        reject(sink, line.place, reason, 0);
    };
    match command(line.bytes) {
        Some(_) if !line.ended => refuse("the line is cut short".to_owned(), sink),
        Some(Ok((series, total))) => totals.total(&series, total, sink),
        Some(Err(reason)) => refuse(reason, sink),
        None => {
            let text = line.bytes.trim_ascii();
            let text = text.strip_prefix(b"#t").or(text.strip_prefix(b"#")).unwrap_or(text);
            match stamps.read(&String::from_utf8_lossy(text.trim_ascii()), sink) {
                Some(stamp) => totals.begin(stamp, sink),
                None if text.is_empty() => {}
                None => sink.note(Note::Ignored),
            }
        }
    }
}

/// `cmdstat_set:calls=25203,usec=14275,...`; `None` of another line.
pub fn command(line: &[u8]) -> Option<Result<(Series, Histogram), String>> {
    let text = std::str::from_utf8(line.trim_ascii().strip_prefix(COMMAND)?).ok()?;
    Some(counted(text).ok_or_else(|| "calls and usec of a command are not whole numbers".to_owned()))
}

fn counted(text: &str) -> Option<(Series, Histogram)> {
    let (name, values) = text.split_once(':')?;
    let value = |key: &str| {
        let mut pairs = values.split(',').filter_map(|value| value.split_once('='));
        pairs.find(|(name, _)| *name == key)?.1.trim().parse::<u64>().ok()
    };
    let total = Nanos::new(value("usec")?.checked_mul(1_000)?);
    Some((Series::named(name), Histogram::of_averages(value("calls")?, total)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_calls_of_a_command_and_their_time() {
        let line = b"cmdstat_config|get:calls=8,usec=20,usec_per_call=2.50,rejected_calls=0\r";
        let (series, total) = command(line).unwrap().unwrap();
        assert_eq!(series.to_string(), "config|get");
        assert_eq!(total, Histogram::of_averages(8, Nanos::from_micros(20)));
        assert!(command(b"cmdstat_get:calls=x,usec=20").unwrap().is_err());
        assert!(command(b"cmdstat_get:calls=1").unwrap().is_err());
        assert!(command(b"used_memory:1").is_none());
        assert!(!begins(b"cmdstat_get:calls") && begins(b"$5\r\ncmdstat_get:calls=1,usec=2\r\n"));
    }
}
