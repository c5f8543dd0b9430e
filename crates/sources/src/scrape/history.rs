//! The thread that asks for a history, part by part.

use isotherm_frame::{Nanos, Unit};

use super::address::{Kind, Query, encoded};
use super::page::PLACE;
use crate::feed::{Ending, FeedError, Outbox};
use crate::http::{HttpClient, HttpError};
use crate::promquery::{HistoryReader, number_in, problem};

const ACCEPT: &str = "application/json";
/// The first part that is asked for, and the shortest, in milliseconds.
const FIRST_MS: i64 = 3_600_000;
const SHORTEST_MS: i64 = 60_000;
/// The most steps that a server gives at once.
const MOST_STEPS: i64 = 10_000;

/// Asks for the history of a histogram.
pub(super) struct History {
    client: HttpClient,
    query: Query,
    unit: Option<Unit>,
    outbox: Outbox,
}

/// Why a part of the history is not there.
enum PartError {
    /// It is too much at once.
    TooMuch(String),
    /// It is not to be had.
    Failed(String),
}

impl History {
    pub(super) fn new(
        client: HttpClient,
        query: Query,
        unit: Option<Unit>,
        outbox: Outbox,
    ) -> History {
        History { client, query, unit, outbox }
    }

    /// Asks until it has all, is stopped, or cannot go on.
    pub(super) fn run(mut self) {
        let failure = self.read().err();
        let stopped = self.outbox.stopped().is_set();
        let status = match (&failure, stopped) {
            (_, true) => "stopped",
            (None, false) => "end of the history",
            (Some(_), false) => "the history broke off",
        };
        let error = failure.filter(|_| !stopped);
        self.outbox.end(Ending { error, status: status.to_owned(), stderr_tail: Vec::new() });
    }

    fn read(&mut self) -> Result<(), FeedError> {
        let end_ms = self.now_ms().map_err(FeedError::Server)?;
        let step_ms = self.query.step.map(milliseconds);
        let mut reader = HistoryReader::new(self.unit, self.query.step);
        let mut from_ms = end_ms - milliseconds(self.query.range);
        let mut part_ms =
            step_ms.map_or(FIRST_MS, |step| FIRST_MS.max(step).min(step * MOST_STEPS));
        while from_ms < end_ms && !self.outbox.stopped().is_set() {
            let mut to_ms = end_ms.min(from_ms + part_ms);
            if let Some(step) = step_ms {
                // The next part begins with a step of its own.
                to_ms = from_ms + (to_ms - from_ms) / step * step;
            }
            match self.part(from_ms, to_ms) {
                Ok(body) => reader.bytes(PLACE, &body, &mut self.outbox),
                Err(PartError::TooMuch(_))
                    if part_ms / 2 >= SHORTEST_MS.max(step_ms.unwrap_or(0)) =>
                {
                    part_ms /= 2;
                    continue;
                }
                Err(PartError::TooMuch(why) | PartError::Failed(why)) => {
                    return Err(FeedError::Server(why));
                }
            }
            self.outbox.flush();
            from_ms = to_ms + step_ms.unwrap_or(0);
        }
        reader.finish(&mut self.outbox).map_err(FeedError::Decode)
    }

    /// What time it is on the server.
    fn now_ms(&self) -> Result<i64, String> {
        let path = format!("{}/api/v1/query?query=time()", self.query.base);
        let answer = self.client.get(&path, ACCEPT).map_err(|error| error.to_string())?;
        let second = number_in(&answer.body).filter(|second| second.abs() < 9e9);
        let second = second.ok_or_else(|| {
            format!(
                "{}: the answer is not from Prometheus' query API (status {}): name its server, \
                 with the path in front of /api/v1",
                self.client.server(),
                answer.status
            )
        })?;
        #[expect(clippy::cast_possible_truncation, reason = "range checked")]
        Ok((second * 1e3).round() as i64)
    }

    /// The samples of a part of the time; both ends belong to it.
    fn part(&self, from_ms: i64, to_ms: i64) -> Result<Vec<u8>, PartError> {
        let answer = self.client.get(&self.path(from_ms, to_ms), ACCEPT).map_err(|error| {
            let why = error.to_string();
            match error {
                HttpError::TooLong { .. } | HttpError::Late { .. } => {
                    PartError::TooMuch(format!("{why}: choose labels, or a longer step="))
                }
                HttpError::Unreachable { .. } => PartError::Failed(why),
            }
        })?;
        if answer.status == 200 {
            return Ok(answer.body);
        }
        let words = problem(&answer.body).unwrap_or_else(|| format!("status {}", answer.status));
        let why = format!("{}: {words}", self.client.server());
        let too_much = words.contains("too many samples") || words.contains("timed out");
        Err(if too_much { PartError::TooMuch(why) } else { PartError::Failed(why) })
    }

    fn path(&self, from_ms: i64, to_ms: i64) -> String {
        let Query { base, name, kind, matchers, step, .. } = &self.query;
        let selector = match kind {
            // The sum goes with the buckets: with it the time is exact.
            Kind::Classic => format!("{{__name__=~\"{name}_(bucket|sum|count)\",{matchers}}}"),
            Kind::Native => format!("{{__name__=\"{name}\",{matchers}}}"),
        };
        let seconds = |ms: i64| format!("{}.{:03}", ms.div_euclid(1_000), ms.rem_euclid(1_000));
        let (from, to) = (seconds(from_ms), seconds(to_ms));
        if let Some(step) = step {
            let (query, step) = (encoded(&selector, b""), seconds(milliseconds(*step)));
            return format!(
                "{base}/api/v1/query_range?query={query}&start={from}&end={to}&step={step}"
            );
        }
        // A millisecond more: newer servers leave out what is exactly so old.
        let query = format!("{selector}[{}ms]", to_ms - from_ms + 1);
        format!("{base}/api/v1/query?query={}&time={to}", encoded(&query, b""))
    }
}

fn milliseconds(length: Nanos) -> i64 {
    i64::try_from(length.as_nanos() / 1_000_000).unwrap_or(i64::MAX)
}
