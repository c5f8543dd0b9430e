//! Time between calls for programs.

use isotherm_oracle::trace::profile::{ClientTime, Profile};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::between::what_it_was;
use super::seconds::seconds;

/// Waits for the client.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BetweenCalls")]
pub(super) struct BetweenCallsJson {
    /// How many.
    waits: u64,
    /// Their time.
    total_s: f64,
    /// Their share of all time of the trace; null where that took no time.
    share_of_elapsed: Option<f64>,
    /// What the lengths of the waits tell: short ones nearly alike are round trips.
    #[schemars(extend("enum" = ["round_trips", "round_trips_and_pauses", "pauses", "unclear"]))]
    kind: &'static str,
    /// The reason, in words.
    why: String,
    /// By statement and call before the wait, most time first.
    by_call: Vec<BehindJson>,
}

/// Waits for the client behind calls of one kind of one statement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BehindCall")]
struct BehindJson {
    /// The statement.
    statement: String,
    /// The kind of call.
    call: &'static str,
    /// How many waits.
    waits: u64,
    /// Their time.
    total_s: f64,
    /// The shortest.
    min_s: f64,
    /// The longest.
    max_s: f64,
}

impl BetweenCallsJson {
    pub(super) fn new(profile: &Profile, top: usize) -> Option<BetweenCallsJson> {
        let event = profile.client_event()?;
        let (elapsed_ns, all) = (profile.elapsed_ns(), profile.between.all());
        let by_call = profile.between.by_time().into_iter().take(top);
        let kind = match profile.client_time()? {
            ClientTime::RoundTrips => "round_trips",
            ClientTime::RoundTripsAndPauses { .. } => "round_trips_and_pauses",
            ClientTime::Pauses => "pauses",
            ClientTime::Unclear => "unclear",
        };
        Some(BetweenCallsJson {
            waits: all.count,
            total_s: seconds(all.total_ns),
            share_of_elapsed: (elapsed_ns > 0).then(|| all.total_ns as f64 / elapsed_ns as f64),
            kind,
            why: what_it_was(profile, event),
            by_call: by_call
                .map(|(key, call, waits)| BehindJson {
                    statement: key.id.to_string(),
                    call,
                    waits: waits.count,
                    total_s: seconds(waits.total_ns),
                    min_s: seconds(waits.min_ns),
                    max_s: seconds(waits.max_ns),
                })
                .collect(),
        })
    }
}
