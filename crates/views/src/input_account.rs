//! What was read and what was not: the account printed beside every statistic.

use isotherm_frame::{Clock, Nanos, Timestamp};
use serde_json::{Value, json};

use crate::numbers::grouped;

/// The account of an input, from the first byte to the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputAccount {
    /// Records (or events, or lines of data) understood.
    pub records: u64,
    /// Records that could not be understood or used.
    pub rejected: u64,
    /// Events known to be in rejected records.
    pub rejected_events: u64,
    /// Events the source itself says it lost.
    pub lost: u64,
    /// Lines that are no data and need not be.
    pub ignored_lines: u64,
    /// Times that counters began anew.
    pub resets: u64,
    /// Intervals of which nothing is known, resets included.
    pub gaps: u64,
    /// Events counted.
    pub events: u64,
    /// The clock of the timestamps.
    pub clock: Clock,
    /// The earliest start and the latest end.
    pub span: Option<(Timestamp, Timestamp)>,
    /// Idle waits that take no part, by event.
    pub idle: Vec<IdleWaits>,
}

/// Waits for an event during which nobody waited for the database, and which take no part.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleWaits {
    /// The event.
    pub event: String,
    /// How many waits.
    pub waits: u64,
    /// How long they were altogether, in seconds; `None` if nothing tells.
    pub seconds: Option<f64>,
    /// Whether that is measured, not estimated from buckets.
    pub exact: bool,
}

/// How many events the sentence about idle waits names.
const NAMED: usize = 3;

impl InputAccount {
    /// How many idle waits were left out, how long they were, and for what; nothing if there were
    /// none.
    pub fn idle_left_out(&self) -> Option<String> {
        let mut idle: Vec<&IdleWaits> = self.idle.iter().filter(|idle| idle.waits > 0).collect();
        let seconds = |idle: &IdleWaits| idle.seconds.unwrap_or(0.0);
        idle.sort_by(|one, two| seconds(two).total_cmp(&seconds(one)));
        let waits = idle.iter().fold(0_u64, |sum, idle| sum.saturating_add(idle.waits));
        let all = idle.iter().map(|idle| seconds(idle)).sum();
        let exact = idle.iter().all(|idle| idle.exact || idle.seconds.is_none());
        let least = if idle.iter().all(|idle| idle.seconds.is_some()) { "" } else { "at least " };
        let named: Vec<String> = idle
            .iter()
            .take(NAMED)
            .map(|idle| match idle.seconds {
                Some(seconds) => format!("{} {}", idle.event, time(seconds, idle.exact)),
                None => format!("{} of unknown length", idle.event),
            })
            .collect();
        let more = match idle.len().saturating_sub(NAMED) {
            0 => String::new(),
            1 => ", 1 more event".to_owned(),
            more => format!(", {more} more events"),
        };
        let what = if waits == 1 { "wait" } else { "waits" };
        (waits > 0).then(|| {
            format!(
                "{} idle {what}, {least}{}: {}{more}",
                grouped(waits),
                time(all, exact),
                named.join(", ")
            )
        })
    }

    /// The same for programs.
    pub(crate) fn idle_value(&self) -> Value {
        let one = |idle: &IdleWaits| {
            json!({
                "event": idle.event,
                "waits": idle.waits,
                "time_waited_s": idle.seconds,
                "time_waited_exact": idle.exact,
            })
        };
        self.idle.iter().map(one).collect()
    }
}

/// Time waited: in whole seconds where there are thousands.
fn time(seconds: f64, exact: bool) -> String {
    let about = if exact { "" } else { "≈" };
    let length = Nanos::from_secs_f64(seconds).unwrap_or(Nanos::new(u64::MAX));
    let whole = length.as_nanos() / 1_000_000_000;
    if whole < 1_000 { format!("{about}{length}") } else { format!("{about}{}s", grouped(whole)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_waits_are_told_longest_first() {
        let idle = |event: &str, waits, seconds, exact| IdleWaits {
            event: event.to_owned(),
            waits,
            seconds: Some(seconds),
            exact,
        };
        let mut account = InputAccount::default();
        assert_eq!(account.idle_left_out(), None);
        account.idle.push(idle("pmon timer", 20, 60.0, true));
        account.idle.push(idle("SQL*Net message from client", 1_200, 86_400.4, true));
        let told = account.idle_left_out().unwrap();
        let expected =
            "1,220 idle waits, 86,460s: SQL*Net message from client 86,400s, pmon timer 60s";
        assert_eq!(told, expected);
        account.idle.push(idle("a", 1, 0.5, false));
        account.idle.push(idle("b", 1, 0.25, false));
        let told = account.idle_left_out().unwrap();
        assert!(told.starts_with("1,222 idle waits, ≈86,461s: "), "{told}");
        assert!(told.ends_with(", a ≈500ms, 1 more event"), "{told}");
        assert_eq!(account.idle_value()[1]["waits"], 1_200);
        account.idle = vec![IdleWaits { seconds: None, ..idle("smon timer", 3, 0.0, false) }];
        account.idle.push(idle("pmon timer", 20, 60.0, true));
        let expected = "23 idle waits, at least 60s: pmon timer 60s, smon timer of unknown length";
        assert_eq!(account.idle_left_out().as_deref(), Some(expected));
    }
}
