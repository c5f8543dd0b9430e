//! Lines for people: `4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=1 time=147.7 us (warmup)`.

use std::io::BufRead;

use isotherm_frame::{Nanos, Unit};

use super::request::{Ended, Request, Requests};
use crate::lines::first_lines;
use crate::number;
use crate::sink::reject;
use crate::stamp::time_of_day;
use crate::{DecodeError, LineReader, Note, Sink};

pub(super) fn looks_like(head: &[u8]) -> bool {
    const ENOUGH: usize = 20;
    first_lines(head).take(ENOUGH).any(|line| {
        std::str::from_utf8(line).ok().and_then(request).is_some_and(|request| request.is_ok())
    })
}

pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    requests: &mut Requests<'_>,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    const CUT: &str = "the input ends in the middle of this line";
    let mut lines = LineReader::new(input);
    while let Some(line) = lines.next_line()? {
        let text = line.text();
        match request(text.trim()) {
            Some(_) if !line.ended && !text.trim_end().ends_with([')', 's']) => {
                reject(sink, line.place, CUT, 0);
            }
            Some(Ok(request)) => requests.take(request, sink),
            Some(Err(reason)) => reject(sink, line.place, reason, 1),
            None if text.trim().is_empty() => {}
            None if !line.ended && text.contains(" KiB ") => reject(sink, line.place, CUT, 0),
            None => {
                sink.note(Note::Ignored);
                if let Some((count, length)) = made(text.trim()) {
                    requests.made(count, length, sink);
                }
            }
        }
    }
    Ok(())
}

/// How many requests were made in how long a time, of a line of the summary:
/// `generated 120 requests in 12.0 s, 480 KiB, 10 iops, 40 KiB/s`.
fn made(line: &str) -> Option<(u64, Nanos)> {
    let (count, rest) = line.strip_prefix("generated ")?.split_once(" requests in ")?;
    let length = rest.split_once(',').map_or(rest, |(length, _)| length);
    Some((count.parse().ok()?, latency(length).ok()?))
}

/// Takes a line apart; `None` if it is none of a request.
fn request(line: &str) -> Option<Result<Request, String>> {
    let (what, rest) = line.rsplit_once(": request=")?;
    let (number, rest) = rest.split_once(" time=")?;
    let (before, operation, target) = match (what.split_once(" <<< "), what.split_once(" >>> ")) {
        (Some((before, target)), _) => (before, "read", target),
        (None, Some((before, target))) => (before, "write", target),
        // Before version 1.0: `4.0 KiB from . (ext4 /dev/vda1)`.
        (None, None) => of_old(what)?,
    };
    let (time, state) = match rest.split_once(" (") {
        Some((time, state)) => (time, state.trim_end_matches(')')),
        None => (rest, ""),
    };
    let mut words: Vec<&str> = before.split_whitespace().collect();
    let size = words.split_off(words.len().saturating_sub(2)).join(" ");
    let of_day = words.iter().find_map(|word| time_of_day(word)).map(Ended::OfDay);
    let target = target.rsplit_once(" (").map_or(target, |(target, _)| target);
    let made = latency(time).and_then(|latency| {
        let number = number.trim().parse().map_err(|_| format!("the request '{number}' has no number"))?;
        let (operation, target) = (operation.to_owned(), target.to_owned());
        let state = state.to_owned();
        Ok(Request { operation, size, target, state, number, latency, ended: of_day })
    });
    Some(made)
}

/// The size, the operation and the target as ioping before 1.0 wrote them.
fn of_old(what: &str) -> Option<(&str, &'static str, &str)> {
    const SIZES: [&str; 12] =
        ["b", "bytes", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "k", "m"];
    let read = what.split_once(" from ").map(|(before, target)| (before, "read", target));
    let found = read.or_else(|| what.split_once(" to ").map(|(before, target)| (before, "write", target)))?;
    let unit = found.0.split_whitespace().next_back()?.to_ascii_lowercase();
    let number = found.0.split_whitespace().nth_back(1)?;
    (SIZES.contains(&unit.as_str()) && number.parse::<f64>().is_ok()).then_some(found)
}

fn latency(text: &str) -> Result<Nanos, String> {
    let (number, unit) = text.trim().split_once(' ').ok_or_else(|| no_duration(text))?;
    let (unit, times) = match unit {
        "min" => (Unit::Seconds, 60),
        "hour" => (Unit::Seconds, 3_600),
        unit => (unit.parse::<Unit>().map_err(|_| no_duration(text))?, 1),
    };
    let ns = number::latency(number.as_bytes(), unit);
    ns.map(|ns| Nanos::new(ns.saturating_mul(times))).map_err(|wrong| wrong.about("time", number.as_bytes()))
}

fn no_duration(text: &str) -> String {
    format!("the time '{}' is not a number with a unit", number::shown(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_in_how_long_a_time_requests_were_made() {
        let of = |line| made(line).map(|(count, length)| (count, length.as_nanos()));
        let line = "generated 120 requests in 12.0 s, 480 KiB, 10 iops, 40 KiB/s";
        assert_eq!(of(line), Some((120, 12_000_000_000)));
        assert_eq!(of("generated 6 requests in 252.7 ms, 24 KiB"), Some((6, 252_700_000)));
        assert_eq!(of("generated 9 requests in 1.5 min"), Some((9, 90_000_000_000)));
        for other in ["119 requests completed in 83.1 ms, 476 KiB read", "generated x requests in 1 s"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn requests_are_read_with_their_units() {
        let of = |line: &str| request(line).unwrap().unwrap();
        let read = of("4 KiB <<< work/fio (ext4 /dev/vda 252.0 GiB): request=1 time=109.9 us (warmup)");
        let texts = (read.operation.as_str(), read.size.as_str(), read.target.as_str(), read.state.as_str());
        assert_eq!(texts, ("read", "4 KiB", "work/fio", "warmup"));
        assert_eq!((read.number, read.latency, read.ended), (1, Nanos::new(109_900), None));
        let write = of("Nov 23 05:24:44 1 MiB >>> a b (ext4 x 1 GiB): request=12 time=1.5 min");
        assert_eq!((write.operation.as_str(), write.size.as_str()), ("write", "1 MiB"));
        assert_eq!(write.latency, Nanos::new(90_000_000_000));
        assert_eq!(write.ended, Some(Ended::OfDay(Nanos::new(19_484_000_000_000))));
        assert_eq!(write.target, "a b");
        let old = of("4.0 KiB from . (ext4 /dev/vda1): request=2 time=1.6 ms");
        assert_eq!((old.operation.as_str(), old.size.as_str(), old.target.as_str()), ("read", "4.0 KiB", "."));
        assert_eq!(old.latency, Nanos::new(1_600_000));
        let old = of("4096 bytes to /data (xfs /dev/sdb): request=1 time=0.2 ms");
        assert_eq!((old.operation.as_str(), old.latency), ("write", Nanos::new(200_000)));
        assert!(request("answer from host: request=1 time=2 ms").is_none());
        assert!(request("4 KiB <<< . (ext4 x): request=1 time=1,5 us").unwrap().is_err());
        assert!(request("4 1046379 3823 15657807 189903 261595 329311 49528 5 4004326340").is_none());
    }
}
