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

/// How many nanoseconds a counter of 32 bits holds, with or without a sign, in each unit in which latencies are
/// counted. A difference below zero is nearly as long. What 64 bits hold is beyond [`TEN_YEARS`].
const FULL_COUNTERS: [(u64, &str); 5] = [
    (1 << 32, "2^32 ns"),
    ((1 << 31) * 1_000, "2^31 us"),
    ((1 << 32) * 1_000, "2^32 us"),
    ((1 << 31) * 1_000_000, "2^31 ms"),
    ((1 << 32) * 1_000_000, "2^32 ms"),
];

/// No shorter latency is nearly a full counter.
pub const LEAST_FULL_COUNTER: Nanos = Nanos::new((1 << 32) / 100 * 99);

/// Which full counter a latency is within one percent of, if it is any.
pub fn full_counter(latency: Nanos) -> Option<&'static str> {
    nearest(latency).map(|(_, name)| name)
}

/// How much shorter a latency is than the full counter that it is within one percent of; `None` if it is longer.
pub fn short_of_full_counter(latency: Nanos) -> Option<Nanos> {
    nearest(latency)?.0.checked_sub(latency.as_nanos()).map(Nanos::new)
}

fn nearest(latency: Nanos) -> Option<(u64, &'static str)> {
    if latency < LEAST_FULL_COUNTER {
        return None;
    }
    let is_near = |full: u64| latency.as_nanos().abs_diff(full) <= full / 100;
    FULL_COUNTERS.iter().find(|(full, _)| is_near(*full)).copied()
}

/// Why a latency cannot be true where all events of an input ended within `span`: it is nearly a full counter, and more
/// than a thousand times as long as that. A long event may have begun before the first one, and then its length is
/// hardly ever just that of a difference below zero.
pub fn below_zero(latency: Nanos, span: Nanos) -> Option<String> {
    const TIMES_LONGER: u64 = 1_000;
    /// Stamps may be whole seconds.
    const LEAST: Nanos = Nanos::SECOND;
    let least = if span == Nanos::ZERO { LEAST } else { span };
    let counter = full_counter(latency)?;
    (latency.as_nanos() / TIMES_LONGER > least.as_nanos()).then(|| {
        format!(
            "a latency of {latency}: within 1 % of {counter}, as where a larger count is subtracted from a smaller one, \
             and more than a thousand times the {span} between the first event and the last"
        )
    })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_below_zero_is_distinguished_from_a_long_event() {
        const MS: u64 = 1_000_000;
        let (four_seconds, hour) = (4_294_967_295, 4_294_967_295_000);
        for (latency, span, is_refused) in [
            // 2^32 - 1 microseconds and 30 seconds less in a millisecond, and in less than a thousandth of it.
            (hour, MS, true),
            (hour - 30_000_000_000, MS, true),
            (hour, 4_294 * MS, true),
            (hour, 4_295 * MS, false),
            (hour, 3_600_000 * MS, false),
            // More than one percent less or more.
            (hour - 43_000_000_000, MS, false),
            (hour + 43_000_000_000, MS, false),
            // As a tool prints it with two decimals.
            (4_294_970_000_000, MS, true),
            (four_seconds, MS, true),
            (four_seconds, 5 * MS, false),
            (2_147_483_647_000, MS, true),
            (2_147_483_647_000_000, 1_000 * MS, true),
            (4_294_967_295_000_000, 1_000 * MS, true),
            // In one second, as far as whole seconds show it.
            (hour, 0, true),
            (four_seconds, 0, false),
            (3_600_000_000_000, MS, false),
            (1_000_000, MS, false),
        ] {
            let reason = below_zero(Nanos::new(latency), Nanos::new(span));
            assert_eq!(reason.is_some(), is_refused, "{latency} {span} {reason:?}");
        }
        assert_eq!(full_counter(Nanos::new(hour)), Some("2^32 us"));
        // 99 % of 2^32 nanoseconds.
        let least = Nanos::new(4_252_017_624);
        assert_eq!(full_counter(least), Some("2^32 ns"));
        assert!(LEAST_FULL_COUNTER <= least);
    }
}
