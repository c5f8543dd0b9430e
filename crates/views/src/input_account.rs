//! What was read and what was not: the account printed beside every statistic.

use isotherm_analysis::{FrameTotals, Window};
use isotherm_frame::{Account, Example, IdleWaits, Nanos, Series, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::numbers::{self, grouped, seconds, waited};
use crate::times::TimeFormat;

/// The account of an input, from the first byte to the last frame: beside what was read, what the
/// frames come to without their histograms, which [`FrameTotals`] holds and a report need not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputAccount {
    /// What was read.
    pub read: Account,
    /// Events lost, by what was read and within intervals.
    pub lost: u64,
    /// Times that counters were reset.
    pub resets: u64,
    /// Intervals of which nothing is known, resets included.
    pub gaps: u64,
    /// Events counted.
    pub events: u64,
    /// The earliest start and the latest end.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The stretches of time that lie far apart; one or none where none is far from the others.
    pub windows: Vec<Window>,
}

/// What mean and percentiles of sampled lengths are of.
const OF_SAMPLED: &str = "mean and percentiles are of the waits that samples saw: shorter ones are \
    missed, so both are too high where there are many";

/// The most windows that are listed.
const MOST_WINDOWS: usize = 10;
/// How many events the sentence about idle waits names.
const NAMED: usize = 3;

impl InputAccount {
    /// The account of an input and of the frames that were made of it.
    pub fn new(read: &Account, totals: &FrameTotals) -> InputAccount {
        let mut read = read.clone();
        let series = totals.by_time_waited();
        if series.iter().any(|summary| summary.latencies.length_error() > Nanos::ZERO) {
            read.assume(OF_SAMPLED.into());
        }
        InputAccount {
            lost: read.lost.saturating_add(totals.lost),
            read,
            resets: totals.resets,
            gaps: totals.gaps,
            events: totals.events,
            span: totals.span,
            windows: totals.windows(),
        }
    }

    /// The longest event of a series, where the source gives it and it lies in the time looked at.
    pub(crate) fn example(&self, series: &Series) -> Option<&Example> {
        let (start, end) = self.span?;
        let example = self.read.examples.get(series)?;
        (start <= example.at && example.at <= end).then_some(example)
    }

    /// Idle waits that take no part, by event.
    fn idle(&self) -> impl Iterator<Item = &IdleWaits> {
        self.read.idle.iter().filter(|idle| idle.waits > 0)
    }

    /// How many idle waits were left out, how long they were, and for what; nothing if there were
    /// none.
    pub fn idle_left_out(&self) -> Option<String> {
        let mut idle: Vec<&IdleWaits> = self.idle().collect();
        let seconds = |idle: &IdleWaits| idle.time.map_or(0.0, Nanos::as_secs_f64);
        idle.sort_by(|one, two| seconds(two).total_cmp(&seconds(one)));
        let waits = idle.iter().fold(0_u64, |sum, idle| sum.saturating_add(idle.waits));
        let all = idle.iter().map(|idle| seconds(idle)).sum();
        let exact = idle.iter().all(|idle| idle.exact || idle.time.is_none());
        let least = if idle.iter().all(|idle| idle.time.is_some()) { "" } else { "at least " };
        let named: Vec<String> = idle
            .iter()
            .take(NAMED)
            .map(|idle| match idle.time {
                Some(length) => {
                    format!("{} {}", idle.event, time(length.as_secs_f64(), idle.exact))
                }
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

    /// That there are windows far apart, where there are.
    pub fn windows_message(&self) -> Option<String> {
        let count = self.windows.len();
        let rest = match count.saturating_sub(MOST_WINDOWS) {
            0 => String::new(),
            rest => format!(" ({rest} not listed)"),
        };
        (count > 1).then(|| format!("{count} windows far apart{rest}; rates are per covered time"))
    }

    /// The numbers of each of these windows: when, events, rate, time waited, average waiting.
    pub(crate) fn each_window(&self) -> impl Iterator<Item = [String; 5]> + '_ {
        let far_apart = if self.windows.len() > 1 { self.windows.as_slice() } else { &[] };
        far_apart.iter().take(MOST_WINDOWS).map(|window| {
            let about = if window.waited.exact { "" } else { "≈" };
            let waiting =
                window.waiting().map_or("-".to_owned(), |one| format!("{about}{}", seconds(one)));
            let rate = window.rate().map_or("-".to_owned(), numbers::rate);
            [
                TimeFormat::new(self.read.clock, window.start).between(window.start, window.end),
                format!("{} events", grouped(window.events)),
                format!("{rate} events/s"),
                format!("{about}{} waited", waited(window.waited.seconds)),
                format!("{waiting} waiting"),
            ]
        })
    }

    /// The same on one line; nothing where there is one window.
    pub fn windows_line(&self) -> Option<String> {
        let each: Vec<String> = self.each_window().map(|window| window.join(", ")).collect();
        Some(format!("{}: {}", self.windows_message()?, each.join(" · ")))
    }

    /// The windows for programs.
    pub fn windows_json(&self) -> Vec<WindowJson> {
        let one = |window: &Window| WindowJson {
            start_ns: window.start.as_nanos(),
            end_ns: window.end.as_nanos(),
            covered_s: window.covered_s,
            events: window.events,
            rate_per_s: window.rate(),
            time_waited_s: window.waited.seconds,
            time_waited_exact: window.waited.exact,
            sessions_waiting: window.waiting(),
        };
        self.windows.iter().map(one).collect()
    }

    /// The idle waits for programs.
    pub fn idle_json(&self) -> Vec<IdleJson<'_>> {
        let idle = self.idle().map(|idle| IdleJson {
            event: &idle.event,
            waits: idle.waits,
            time_waited_s: idle.time.map(Nanos::as_secs_f64),
            time_waited_exact: idle.exact,
        });
        idle.collect()
    }
}

/// A stretch of time that lies far from others.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Window")]
pub struct WindowJson {
    /// Its beginning, in nanoseconds of the clock.
    pub start_ns: i64,
    /// Its end, in nanoseconds of the clock.
    pub end_ns: i64,
    /// Time in it about which the source said something.
    pub covered_s: f64,
    /// Events.
    pub events: u64,
    /// Events per second of covered time.
    pub rate_per_s: Option<f64>,
    /// Time waited.
    pub time_waited_s: f64,
    /// Whether that is measured; else it is estimated from buckets.
    pub time_waited_exact: bool,
    /// Events waiting on average.
    pub sessions_waiting: Option<f64>,
}

/// Idle waits of an event.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Idle")]
pub struct IdleJson<'a> {
    /// The event.
    pub event: &'a str,
    /// Waits.
    pub waits: u64,
    /// Their time; null if nothing tells.
    pub time_waited_s: Option<f64>,
    /// Whether that is measured; else it is estimated from buckets.
    pub time_waited_exact: bool,
}

/// Time waited.
fn time(seconds: f64, exact: bool) -> String {
    format!("{}{}", if exact { "" } else { "≈" }, waited(seconds))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Quality, Scheme, TimeWaited};

    use super::*;

    #[test]
    fn what_samples_missed_is_said_of_sampled_lengths_only() {
        let account = |within: u64| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            counts.record(Nanos::from_millis(300));
            let counts = counts.with_length_error(Nanos::from_millis(within));
            let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
            let (series, quality) = (Series::named("lock"), Quality::Complete);
            let mut totals = FrameTotals::default();
            totals.add(&Frame { series, start, end, counts, quality });
            InputAccount::new(&Account::default(), &totals).read.assumptions
        };
        assert_eq!(account(50), [OF_SAMPLED]);
        assert!(account(0).is_empty());
    }

    #[test]
    fn idle_waits_are_reported_longest_first() {
        let idle = |event: &str, waits, seconds, exact| IdleWaits {
            event: event.to_owned(),
            waits,
            time: Nanos::from_secs_f64(seconds),
            exact,
        };
        let mut account = InputAccount::default();
        assert_eq!(account.idle_left_out(), None);
        account.read.idle.push(idle("pmon timer", 20, 60.0, true));
        account.read.idle.push(idle("SQL*Net message from client", 1_200, 86_400.4, true));
        let message = account.idle_left_out().unwrap();
        let expected =
            "1,220 idle waits, 86,460 s: SQL*Net message from client 86,400 s, pmon timer 60.0 s";
        assert_eq!(message, expected);
        account.read.idle.push(idle("a", 1, 0.5, false));
        account.read.idle.push(idle("b", 1, 0.25, false));
        let message = account.idle_left_out().unwrap();
        assert!(message.starts_with("1,222 idle waits, ≈86,461 s: "), "{message}");
        assert!(message.ends_with(", a ≈500 ms, 1 more event"), "{message}");
        assert_eq!(account.idle_json()[1].waits, 1_200);
        account.read.idle = vec![IdleWaits { time: None, ..idle("smon timer", 3, 0.0, false) }];
        account.read.idle.push(idle("pmon timer", 20, 60.0, true));
        let expected =
            "23 idle waits, at least 60.0 s: pmon timer 60.0 s, smon timer of unknown length";
        assert_eq!(account.idle_left_out().as_deref(), Some(expected));
    }

    #[test]
    fn windows_far_apart_are_reported_with_rates_of_their_own() {
        let window = |year: i64, events: u64| {
            let start = Timestamp::new(year * 31_536_000_000_000_000);
            let (covered_s, end) = (60.0, start.plus(Nanos::new(60_000_000_000)));
            let waited = TimeWaited { seconds: 30.0, exact: true };
            Window { start, end, covered_s, counted_s: covered_s, events, waited, has_length: true }
        };
        let mut account = InputAccount { windows: vec![window(1, 120)], ..InputAccount::default() };
        assert_eq!((account.windows_message(), account.windows_line()), (None, None));
        account.windows.push(window(2, 6));
        let message = account.windows_line().unwrap();
        assert!(
            message.starts_with("2 windows far apart; rates are per covered time: 1971-"),
            "{message}"
        );
        assert!(
            message.contains("120 events, 2.00 events/s, 30.0 s waited, 0.5 waiting"),
            "{message}"
        );
        assert!(message.contains("6 events, 0.1 events/s"), "{message}");
        assert_eq!(account.windows_json()[1].rate_per_s, Some(0.1));
        account.windows = (1..=13).map(|year| window(year, 1)).collect();
        let message = account.windows_message().unwrap();
        assert_eq!(message, "13 windows far apart (3 not listed); rates are per covered time");
        assert_eq!(account.each_window().count(), 10);
    }
}
