//! The thread that asks for a history, part by part.

use isotherm_formats::promquery::HistoryReader;
use isotherm_frame::Unit;

use super::address::{Kind, Query, encoded};
use super::api::{ApiError, QueryApi, milliseconds, seconds};
use super::page::PLACE;
use crate::feed::{Ending, FeedError, Outbox};
use crate::http::HttpClient;

/// The first part that is asked for, and the shortest, in milliseconds.
const FIRST_MS: i64 = 3_600_000;
const SHORTEST_MS: i64 = 60_000;
/// The most steps that a server gives at once.
const MOST_STEPS: i64 = 10_000;

/// Asks for the history of a histogram.
pub(super) struct History {
    api: QueryApi,
    query: Query,
    unit: Option<Unit>,
    outbox: Outbox,
}

impl History {
    pub(super) fn new(
        client: HttpClient,
        query: Query,
        unit: Option<Unit>,
        outbox: Outbox,
    ) -> History {
        let api = QueryApi::new(client, query.base.clone());
        History { api, query, unit, outbox }
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
        let end_ms = self.api.now_ms().map_err(FeedError::Server)?;
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
                Err(ApiError::TooMuch(_))
                    if part_ms / 2 >= SHORTEST_MS.max(step_ms.unwrap_or(0)) =>
                {
                    part_ms /= 2;
                    continue;
                }
                Err(ApiError::TooMuch(why) | ApiError::Failed(why)) => {
                    return Err(FeedError::Server(why));
                }
            }
            self.outbox.flush();
            from_ms = to_ms + step_ms.unwrap_or(0);
        }
        reader.finish(&mut self.outbox).map_err(FeedError::Decode)
    }

    /// The samples of a part of the time; both ends belong to it.
    fn part(&self, from_ms: i64, to_ms: i64) -> Result<Vec<u8>, ApiError> {
        self.api.body(&self.question(from_ms, to_ms)).map_err(|error| match error {
            ApiError::TooMuch(why) => {
                ApiError::TooMuch(format!("{why}: choose labels, or a longer step="))
            }
            failed @ ApiError::Failed(_) => failed,
        })
    }

    fn question(&self, from_ms: i64, to_ms: i64) -> String {
        let Query { name, kind, matchers, step, .. } = &self.query;
        let selector = match kind {
            // The sum goes with the buckets: with it the time is exact.
            Kind::Classic => format!("{{__name__=~\"{name}_(bucket|sum|count)\",{matchers}}}"),
            Kind::Native => format!("{{__name__=\"{name}\",{matchers}}}"),
        };
        let (from, to) = (seconds(from_ms), seconds(to_ms));
        if let Some(step) = step {
            let (query, step) = (encoded(&selector, b""), seconds(milliseconds(*step)));
            return format!("query_range?query={query}&start={from}&end={to}&step={step}");
        }
        // A millisecond more: newer servers leave out what is exactly so old.
        let query = format!("{selector}[{}ms]", to_ms - from_ms + 1);
        format!("query?query={}&time={to}", encoded(&query, b""))
    }
}
