//! What no measurement is: the one place for decoders and for tables of numbers.

use crate::total::{Total, Waited};
use crate::{Bucket, Histogram, Nanos};

/// No operation takes longer.
pub const TEN_YEARS: Nanos = Nanos::new(10 * 365 * 86_400 * 1_000_000_000);

/// More events than that in one interval or total nobody has counted: the numbers that a float can
/// count exactly.
pub const MOST_EVENTS: u64 = 1 << 53;

/// Why a latency of more than [`TEN_YEARS`] is refused.
pub const TOO_LONG: &str = "more than ten years cannot be true";

/// How far beyond the bounds a total is still taken: bounds are printed rounded, and many tools cut single
/// latencies to whole units before they add them.
const ROUNDING: f64 = 1e-3;

/// Whether counts can be true.
#[derive(Clone, Debug, PartialEq)]
pub enum Plausible {
    /// They can.
    Yes,
    /// They can without so many events that took too long.
    Without(u64, Histogram),
    /// They cannot, for this reason.
    No(String),
}

impl Histogram {
    /// Whether there are at most [`MOST_EVENTS`], of which none took longer than [`TEN_YEARS`]. Larger numbers
    /// are counters that were subtracted from larger ones, or memory that nobody set.
    pub fn plausible(&self) -> Plausible {
        let events = self.events();
        if events > MOST_EVENTS {
            return Plausible::No(too_many(events));
        }
        let time = self.sum().or(self.partly_known_sum());
        let mean_ns = time.and_then(|time| time.as_nanos().checked_div(events));
        if let Some(mean_ns) = mean_ns.filter(|mean_ns| *mean_ns > TEN_YEARS.as_nanos()) {
            return Plausible::No(format!("a mean of {}: {TOO_LONG}", Nanos::new(mean_ns)));
        }
        let is_long = self.non_zero().next_back().is_some_and(|(bucket, _)| bucket.lo > TEN_YEARS);
        if !is_long {
            return Plausible::Yes;
        }
        let kept: Vec<u64> = self
            .counts()
            .into_iter()
            .zip(self.scheme().bounds())
            .map(|(count, lo)| if *lo > TEN_YEARS.as_nanos() { 0 } else { count })
            .collect();
        match Histogram::new(self.scheme().clone(), kept, None) {
            Ok(rest) => Plausible::Without(events.saturating_sub(rest.events()), rest),
            Err(_) => Plausible::No(TOO_LONG.to_owned()),
        }
    }

    /// Why the exact total cannot be the time of all events, if the buckets that hold them rule that out.
    pub fn contradiction_of_total(&self) -> Option<String> {
        let total = self.sum()?;
        let sum = |bound: fn(Bucket) -> f64| -> f64 {
            self.non_zero().map(|(bucket, count)| bound(bucket) * count as f64).sum()
        };
        let least = sum(|bucket| bucket.lo.as_nanos() as f64);
        let most = sum(|bucket| bucket.hi.map_or(f64::INFINITY, |hi| hi.as_nanos() as f64));
        let given = total.as_nanos() as f64;
        let time =
            |ns: f64| Nanos::from_secs_f64(ns / 1e9).map_or_else(String::new, |ns| ns.to_string());
        if given < least * (1.0 - ROUNDING) {
            Some(format!("{total}, and at least {} in buckets", time(least)))
        } else if given > most * (1.0 + ROUNDING) {
            Some(format!("{total}, and at most {} in buckets", time(most)))
        } else {
            None
        }
    }

    /// The same counts and times, of which no total is known exactly.
    #[must_use]
    pub fn without_total(self) -> Histogram {
        let waited = self.waited.map(|waited| Waited { exact: false, ..waited });
        Histogram { total: Total::Buckets, waited, ..self }
    }
}

/// Why so many events are refused, if they are more than [`MOST_EVENTS`].
pub fn too_many(events: u64) -> String {
    format!("{events} events cannot be true")
}
