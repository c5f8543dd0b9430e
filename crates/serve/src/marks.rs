//! A mark that a client makes.

use isotherm_frame::{Mark, Timestamp};
use serde::Deserialize;
use serde_json::json;

use crate::clock::now_us;
use crate::documents::us;
use crate::history::{LONGEST_MARK, LiveHistory, MOST_MARKS, MarkRefused};
use crate::http::Refusal;

/// What a client sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkRequest {
    text: String,
    #[serde(default)]
    at_us: Option<f64>,
    #[serde(default)]
    recording: Option<usize>,
}

/// The farthest moments that nanoseconds in 64 bits reach, in microseconds.
const FARTHEST_US: f64 = 9.2e15;

/// Keeps the mark that a body describes; gives what was made of it.
pub fn make(history: &LiveHistory, body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let wrong = |why: String| Refusal::Malformed(why);
    let request: MarkRequest = serde_json::from_slice(body).map_err(|error| {
        wrong(format!(
            "the body must be {{\"text\": ..., \"at_us\": ..., \"recording\": ...}}: {error}"
        ))
    })?;
    let text = request.text.trim();
    if text.is_empty() || text.chars().count() > LONGEST_MARK {
        return Err(wrong(format!("the text of a mark must have 1 to {LONGEST_MARK} characters")));
    }
    let sources = history.read().sources.len();
    if request.recording.is_some_and(|index| index >= sources) {
        return Err(wrong(format!("there are {sources} recordings, counted from 0")));
    }
    let at_us = request.at_us.unwrap_or_else(|| now_us() as f64);
    if !at_us.is_finite() || at_us.abs() > FARTHEST_US {
        return Err(wrong("at_us must be microseconds of the clock".to_owned()));
    }
    // Apart, as a number of both has no room for the nanoseconds of today.
    let (whole, rest) = (at_us.trunc(), (at_us.fract() * 1e3).round());
    #[expect(clippy::cast_possible_truncation, reason = "within the bounds above")]
    let at = Timestamp::new(whole as i64 * 1_000 + rest as i64);
    let mark = Mark { at, text: text.to_owned() };
    history.mark(request.recording, &mark).map_err(|refused| match refused {
        MarkRefused::Full => {
            wrong(format!("a source has {MOST_MARKS} marks already: no more are kept"))
        }
        MarkRefused::Closed => {
            wrong("the recording is finished: it takes no more marks".to_owned())
        }
    })?;
    Ok(json!({ "at_us": us(at), "text": text }).to_string().into_bytes())
}
