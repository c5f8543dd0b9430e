//! The histograms of a server, read again and again.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use isotherm_client::mysql::{MySqlError, Rows, Session, answer};
use isotherm_formats::mysql::{Found, Naming, Table};
use isotherm_frame::Series;

use super::address::MySqlAddress;
use super::server::{AskError, Histograms};
use crate::polling::{PollError, Polled, Totals};

/// How much less than the time that passed a server may have been up without having been started anew:
/// it counts whole seconds.
const SLACK: Duration = Duration::from_secs(3);

/// The numbers of errors that pass: too many connections, and that the server goes down.
const PASSING: [u16; 3] = [1040, 1053, 1203];

/// A server and how we log on there.
pub(super) struct Server {
    pub(super) address: MySqlAddress,
    pub(super) password: Option<String>,
    /// What tells statements apart, if anything does.
    pub(super) naming: Option<Naming>,
    pub(super) kept: KeptSeries,
    pub(super) starts: Starts,
}

/// A connection, and what is asked on it.
pub(super) struct Asked {
    session: Session,
    histograms: Histograms,
}

/// The series that are told apart; what is more is counted together.
pub(super) struct KeptSeries {
    most: usize,
    known: BTreeSet<Series>,
}

/// How often the server was started, as far as we saw.
#[derive(Default)]
pub(super) struct Starts {
    count: u64,
    last: Option<(Instant, u64)>,
}

impl Server {
    /// Connects, and finds out what there is.
    pub(super) fn open(&self) -> Result<Asked, AskError> {
        let mut session = Session::open(&self.address.login(self.password.as_deref()))?;
        let histograms = Histograms::of(&mut session, self.naming.is_some())?;
        Ok(Asked { session, histograms })
    }

    /// Why the server cannot be asked, and what to do about it.
    pub(super) fn explained(&self, error: AskError) -> PollError {
        let target = self.address.target();
        let error = match error {
            AskError::Missing(why) => return PollError::Refused(format!("{target}: {why}")),
            AskError::Client(error) => error,
        };
        let next = match &error {
            MySqlError::Lost(_) => "",
            error if error.is(&[1045]) => {
                ": wrong user or password (MYSQL_PWD, ?password_file=FILE)"
            }
            error if error.is(&[1130]) => ": the server allows that user from other hosts only",
            error if error.is(&[1044, 1142, 1227]) => {
                ": GRANT SELECT ON performance_schema.* TO that user"
            }
            _ => "",
        };
        let words = format!("{target}: {error}{next}");
        match error {
            MySqlError::Lost(_) | MySqlError::Late(_) => PollError::Lost(words),
            error if error.is(&PASSING) => PollError::Lost(words),
            _ => PollError::Refused(words),
        }
    }
}

impl Polled for Server {
    type Session = Asked;

    fn connect(&mut self) -> Result<Asked, PollError> {
        self.open().map_err(|error| self.explained(error))
    }

    fn poll(&mut self, asked: &mut Asked) -> Result<Totals, PollError> {
        let rows = asked.session.rows(asked.histograms.statement());
        let rows = rows.map_err(|error| self.explained(error.into()))?;
        let (found, up_s) = found(&rows, self.naming.as_ref())
            .map_err(|why| PollError::Refused(format!("{}: {why}", self.address.target())))?;
        let run = self.starts.take(Instant::now(), up_s).to_string();
        let mut totals = Totals { run, ..Totals::default() };
        for one in found {
            self.kept.add(one, &mut totals);
        }
        Ok(totals)
    }
}

/// The histograms of an answer, and how many seconds the server has been up.
fn found(rows: &Rows, naming: Option<&Naming>) -> Result<(Vec<Found>, u64), String> {
    let columns: Vec<&str> = rows.columns.iter().map(String::as_str).collect();
    let mut table = match (Table::of(&columns), naming) {
        (Some(Table::Buckets(buckets)), Some(naming)) => {
            Table::Buckets(buckets.named(naming.clone()))
        }
        (Some(table), _) => table,
        (None, _) => return Err("the answer has other columns than were asked for".to_owned()),
    };
    let mut up_s = 0;
    for row in &rows.rows {
        let cells: Vec<Option<&str>> = row.iter().map(Option::as_deref).collect();
        if cells.first() == Some(&Some("UPTIME")) {
            up_s = cells.get(1).copied().flatten().and_then(|text| text.parse().ok()).unwrap_or(0);
        } else if !table.row(&cells)? {
            return Err("the answer has the same bucket twice".to_owned());
        }
    }
    Ok((table.found(), up_s))
}

impl KeptSeries {
    pub(super) fn new(most: usize) -> KeptSeries {
        KeptSeries { most, known: BTreeSet::new() }
    }

    /// Adds the totals of one series. Which ones are told apart never changes: their totals would jump.
    fn add(&mut self, found: Found, totals: &mut Totals) {
        let is_known = self.known.contains(&found.series);
        let series = if is_known || self.known.len() < self.most {
            self.known.insert(found.series.clone());
            found.series
        } else {
            let words = format!("more than {} series: the others are counted together", self.most);
            if totals.notes.is_empty() {
                totals.notes.push(words.into());
            }
            Series::other()
        };
        let total = found.total.map_err(|why| (why, found.events));
        match (totals.series.get_mut(&series), total) {
            (Some(Ok(sum)), Ok(total)) => sum.add(&total),
            (Some(Err(_)), _) => {}
            (_, total) => drop(totals.series.insert(series, total)),
        }
    }
}

impl Starts {
    /// Takes for how long the server says that it has been up; how often it was started since the first
    /// time.
    fn take(&mut self, now: Instant, up_s: u64) -> u64 {
        if let Some((then, before_s)) = self.last {
            let expected = Duration::from_secs(before_s) + now.saturating_duration_since(then);
            self.count += u64::from(Duration::from_secs(up_s) + SLACK < expected);
        }
        self.last = Some((now, up_s));
        self.count
    }
}

/// Reads bytes as the messages of an answer, with their lengths in two bytes before them. For tests that
/// feed anything at all.
pub(crate) fn read_any(bytes: &[u8]) -> bool {
    let mut left = bytes;
    let next = || {
        let (head, rest) = left.split_at_checked(2).ok_or(MySqlError::Wire("no more"))?;
        let length = usize::from(u16::from_le_bytes([head[0], head[1]])).min(rest.len());
        let (message, rest) = rest.split_at(length);
        left = rest;
        Ok(message.to_vec())
    };
    answer(next).is_ok_and(|rows| found(&rows, None).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(columns: &[&str], rows: &[&[&str]]) -> Rows {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        let row = |row: &&[&str]| row.iter().map(|cell| Some((*cell).to_owned())).collect();
        Rows { columns, rows: rows.iter().map(row).collect() }
    }

    const BUCKETS: [&str; 6] = [
        "BUCKET_TIMER_LOW",
        "BUCKET_TIMER_HIGH",
        "COUNT_BUCKET",
        "COUNT_BUCKET_AND_LOWER",
        "SCHEMA_NAME",
        "DIGEST",
    ];

    #[test]
    fn an_answer_is_histograms_and_for_how_long_the_server_is_up() {
        let answer = rows(
            &BUCKETS,
            &[
                &["0", "10000000", "2", "2", "a", "x"],
                &["10000000", "10471285", "1", "3", "a", "x"],
                &["0", "10000000", "5", "5", "b", "y"],
                &["UPTIME", "17", "", "", "", ""],
            ],
        );
        let by = Naming::by(&["schema".to_owned()]).unwrap();
        let (found, up_s) = found(&answer, Some(&by)).unwrap();
        let events: Vec<_> = found.iter().map(|one| (one.series.full(), one.events)).collect();
        let name = |schema| format!("statements{{schema={schema}}}");
        assert_eq!((events, up_s), (vec![(name("a"), 3), (name("b"), 5)], 17));
        let bucket: &[&str] = &["0", "10000000", "2", "2", "a", "x"];
        let twice = rows(&BUCKETS, &[bucket, bucket]);
        assert!(super::found(&twice, None).is_err());
        assert!(super::found(&rows(&["x"], &[]), None).is_err());
    }

    #[test]
    fn what_is_more_than_can_be_distinguished_is_counted_together() {
        let one = |name: &str, count| {
            let answer = rows(&BUCKETS, &[&["0", "10000000", count, count, "", name]]);
            found(&answer, None).unwrap().0.remove(0)
        };
        let (mut kept, mut totals) = (KeptSeries::new(1), Totals::default());
        for (name, count) in [("x", "3"), ("y", "4"), ("z", "5")] {
            kept.add(one(name, count), &mut totals);
        }
        let counted: Vec<u64> =
            totals.series.values().map(|total| total.as_ref().unwrap().events()).collect();
        assert_eq!((counted.iter().sum::<u64>(), counted.len(), totals.notes.len()), (12, 2, 1));
        let mut later = Totals::default();
        kept.add(one("y", "4"), &mut later);
        assert!(later.series.contains_key(&Series::other()), "its total would jump");
    }

    #[test]
    fn a_server_that_is_up_for_less_than_it_must_be_was_started_anew() {
        let began = Instant::now(); // wall clock: any moment will do
        let after = |seconds| began + Duration::from_secs(seconds);
        let mut starts = Starts::default();
        assert_eq!(starts.take(began, 100), 0);
        assert_eq!(starts.take(after(10), 109), 0);
        assert_eq!(starts.take(after(20), 5), 1);
        assert_eq!(starts.take(after(200), 120), 2, "it has been up for longer than before");
    }
}
