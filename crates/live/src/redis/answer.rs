//! One poll of a server: the totals of its commands.

use std::collections::BTreeMap;

use isotherm_client::redis::replies::Reply;
use isotherm_formats::redis::histogram;
use isotherm_frame::{Nanos, Series};

use crate::polling::Totals;

/// What is said where the two sections count differently.
const INEXACT: &str = "INFO commandstats counts other calls than LATENCY HISTOGRAM: the time of \
    some commands is estimated";

/// Reads the answers to `INFO server` and to the transaction of `LATENCY HISTOGRAM` and
/// `INFO commandstats`.
pub(super) fn totals(server: &Reply<'_>, both: &Reply<'_>) -> Result<Totals, String> {
    let run = match server {
        Reply::Bulk(text) => line(text, "run_id:").unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let Reply::Array(both) = both else { return Err("no answer to a transaction".to_owned()) };
    let [Reply::Array(histograms), Reply::Bulk(stats)] = both.as_slice() else {
        let error = both.iter().find_map(|reply| match reply {
            Reply::Error(error) => Some(String::from_utf8_lossy(error).into_owned()),
            _ => None,
        });
        return Err(error.unwrap_or_else(|| "not an answer of LATENCY HISTOGRAM".to_owned()));
    };
    let times = times(&String::from_utf8_lossy(stats));
    let mut totals = Totals { run, ..Totals::default() };
    for pair in histograms.chunks(2) {
        let [Reply::Bulk(name), Reply::Array(about)] = pair else {
            return Err("LATENCY HISTOGRAM does not give names and histograms".to_owned());
        };
        let name = String::from_utf8_lossy(name).into_owned();
        let (calls, rows) =
            rows(about).ok_or("LATENCY HISTOGRAM has another form than that of Redis 7")?;
        let counts = histogram(calls, &rows).map_err(|why| (why, calls));
        let time = times.get(&name).filter(|(counted, _)| *counted == calls).map(|(_, time)| *time);
        // Its own call is counted in the one and not yet in the other.
        if time.is_none() && name != "latency|histogram" && totals.notes.is_empty() {
            totals.notes.push(INEXACT.into());
        }
        totals.series.insert(Series::named(name), counts.map(|counts| counts.with_sum(time)));
    }
    Ok(totals)
}

/// The number of calls, and the bounds in microseconds with the number of calls up to there.
fn rows(about: &[Reply<'_>]) -> Option<(u64, Vec<(u64, u64)>)> {
    let number = |reply: &Reply<'_>| match reply {
        Reply::Integer(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    let [Reply::Bulk(b"calls"), calls, Reply::Bulk(b"histogram_usec"), Reply::Array(rows)] = about
    else {
        return None;
    };
    let pairs = rows.chunks(2).map(|pair| match pair {
        [bound, count] => number(bound).zip(number(count)),
        _ => None,
    });
    Some((number(calls)?, pairs.collect::<Option<_>>()?))
}

/// How often each command was called, and how long that took, from `INFO commandstats`:
/// `cmdstat_set:calls=3,usec=12,...`.
fn times(text: &str) -> BTreeMap<String, (u64, Nanos)> {
    let one = |line: &str| {
        let (name, values) = line.strip_prefix("cmdstat_")?.split_once(':')?;
        let value = |key: &str| {
            let values = values.split(',').filter_map(|value| value.split_once('='));
            values.into_iter().find(|(name, _)| *name == key)?.1.trim().parse::<u64>().ok()
        };
        Some((name.to_owned(), (value("calls")?, Nanos::from_micros(value("usec")?))))
    };
    text.lines().filter_map(one).collect()
}

fn line<'a>(text: &'a [u8], name: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(text).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_end)
}

/// Reads bytes as the answers to a poll. For tests that feed anything at all.
pub(crate) fn read_any(server: &[u8], both: &[u8]) -> bool {
    use isotherm_client::redis::replies::{Read, read};
    match read(both) {
        Ok(Read::Whole(reply, _)) => totals(&Reply::Bulk(server), &reply).is_ok(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Reply<'_> {
        Reply::Bulk(text.as_bytes())
    }

    #[test]
    fn the_time_is_exact_where_both_sections_count_the_same_calls() {
        let rows = || Reply::Array([1, 4, 2, 6].map(Reply::Integer).to_vec());
        let about = |calls| {
            Reply::Array(vec![bulk("calls"), Reply::Integer(calls), bulk("histogram_usec"), rows()])
        };
        let histograms =
            Reply::Array(vec![bulk("get"), about(6), bulk("set"), about(6), bulk("x"), about(7)]);
        let stats = "# Commandstats\r\ncmdstat_get:calls=6,usec=9,usec_per_call=1.5\r\n\
                     cmdstat_set:calls=7,usec=9,usec_per_call=1.3\r\n";
        let both = Reply::Array(vec![histograms, bulk(stats)]);
        let totals = totals(&bulk("# Server\r\nrun_id:abc\r\nx:1\r\n"), &both).unwrap();
        assert_eq!((totals.run.as_str(), totals.notes.len()), ("abc", 1));
        let of = |name: &str| totals.series[&Series::named(name)].as_ref();
        assert_eq!(of("get").unwrap().sum(), Some(Nanos::from_micros(9)));
        assert_eq!((of("set").unwrap().sum(), of("set").unwrap().events()), (None, 6));
        assert_eq!(of("x").unwrap_err().1, 7);
    }

    #[test]
    fn an_answer_of_another_form_is_refused() {
        let server = bulk("");
        for reply in [
            Reply::Nil,
            Reply::Array(vec![]),
            Reply::Array(vec![Reply::Error(b"ERR no"), bulk("")]),
            Reply::Array(vec![Reply::Array(vec![bulk("get")]), bulk("")]),
            Reply::Array(vec![Reply::Array(vec![bulk("get"), Reply::Array(vec![])]), bulk("")]),
        ] {
            assert!(totals(&server, &reply).is_err(), "{reply:?}");
        }
    }
}
