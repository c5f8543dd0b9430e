//! Prometheus' query API, as far as it is asked.

use isotherm_formats::promquery::{number_in, problem};
use isotherm_frame::Nanos;

use crate::http::{HttpAnswer, HttpClient, HttpError};

const ACCEPT: &str = "application/json";

/// Asks one server.
#[derive(Debug)]
pub(super) struct QueryApi {
    client: HttpClient,
    /// What stands before `/api/v1`.
    base: String,
}

/// Why an answer is not there.
#[derive(Debug)]
pub(super) enum ApiError {
    /// It is too much at once.
    TooMuch(String),
    /// It is not to be had.
    Failed(String),
}

impl QueryApi {
    pub(super) fn new(client: HttpClient, base: String) -> QueryApi {
        QueryApi { client, base }
    }

    /// What time it is on the server, milliseconds since 1970.
    pub(super) fn now_ms(&self) -> Result<i64, String> {
        let answer = self.fetch("query?query=time()").map_err(|error| error.to_string())?;
        let second = number_in(&answer.body).filter(|second| second.abs() < 9e9);
        let second = second.ok_or_else(|| {
            format!(
                "{}: the answer is not from Prometheus' query API (status {}): name its server, \
                 with the path in front of /api/v1{}",
                self.client.server(),
                answer.status,
                HttpClient::hint(answer.status)
            )
        })?;
        #[expect(clippy::cast_possible_truncation, reason = "range checked")]
        Ok((second * 1e3).round() as i64)
    }

    /// The body of what stands behind `/api/v1/`, if the server has it.
    pub(super) fn body(&self, question: &str) -> Result<Vec<u8>, ApiError> {
        let answer = self.fetch(question).map_err(|error| {
            let why = error.to_string();
            match error {
                HttpError::TooLong { .. } | HttpError::NoRoom { .. } | HttpError::Late { .. } => {
                    ApiError::TooMuch(why)
                }
                HttpError::Unreachable { .. } | HttpError::Settings(_) => ApiError::Failed(why),
            }
        })?;
        if answer.status == 200 {
            return Ok(answer.body);
        }
        let words = problem(&answer.body).unwrap_or_else(|| format!("status {}", answer.status));
        let hint = HttpClient::hint(answer.status);
        let why = format!("{}: {words}{hint}", self.client.server());
        let too_much = words.contains("too many samples") || words.contains("timed out");
        Err(if too_much { ApiError::TooMuch(why) } else { ApiError::Failed(why) })
    }

    fn fetch(&self, question: &str) -> Result<HttpAnswer, HttpError> {
        self.client.get(&format!("{}/api/v1/{question}", self.base), ACCEPT)
    }
}

/// Seconds as the API reads them.
pub(super) fn seconds(ms: i64) -> String {
    format!("{}.{:03}", ms.div_euclid(1_000), ms.rem_euclid(1_000))
}

/// Whole milliseconds, as the API counts time.
pub(super) fn milliseconds(length: Nanos) -> i64 {
    i64::try_from(length.as_nanos() / 1_000_000).unwrap_or(i64::MAX)
}
