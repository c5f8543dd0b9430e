//! A small workload whose wait histograms move, for demonstrations and whole-program tests.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::asked::Asked;
use crate::script::{Answer, Script};
use crate::sessions;

/// Buckets of `V$EVENT_HISTOGRAM_MICRO`: less than 1 µs, 2 µs ... 2^31 µs.
const BUCKETS: usize = 32;
/// What the unbounded bucket is called.
const UNBOUNDED: u64 = 4_294_967_295;
/// Every so many seconds the disks are slow for a while.
const SLOW_EVERY: f64 = 45.0;
/// How long they are slow, in seconds.
const SLOW_FOR: f64 = 6.0;
/// The containers and how much each has of the work.
const CONTAINERS: [(&str, f64); 2] = [("3", 0.7), ("4", 0.3)];
/// Instances as a whole: no container.
const WHOLE: [(&str, f64); 1] = [("", 1.0)];

/// A wait event of the workload.
struct Event {
    name: &'static str,
    idle: bool,
    /// Waits per second of each mode, its middle as a power of two of microseconds, its width
    /// likewise, and by how much it moves up while the disks are slow.
    modes: &'static [(f64, f64, f64, f64)],
}

const EVENTS: [Event; 10] = [
    Event {
        name: "db file sequential read",
        idle: false,
        modes: &[(900.0, 7.6, 0.6, 1.0), (260.0, 12.4, 0.7, 2.6)],
    },
    Event { name: "db file scattered read", idle: false, modes: &[(45.0, 10.5, 0.9, 2.2)] },
    Event { name: "direct path read", idle: false, modes: &[(120.0, 12.8, 0.8, 1.8)] },
    Event { name: "log file sync", idle: false, modes: &[(310.0, 9.7, 0.6, 2.8)] },
    Event { name: "log file parallel write", idle: false, modes: &[(290.0, 9.2, 0.5, 2.8)] },
    Event { name: "db file parallel write", idle: false, modes: &[(70.0, 11.5, 0.8, 2.0)] },
    Event { name: "control file sequential read", idle: false, modes: &[(4.0, 8.0, 0.7, 1.0)] },
    Event { name: "buffer busy waits", idle: false, modes: &[(3.0, 9.0, 1.8, 3.0)] },
    Event { name: "enq: TX - row lock contention", idle: false, modes: &[(0.4, 20.5, 1.6, 0.5)] },
    Event {
        name: "SQL*Net message from client",
        idle: true,
        modes: &[(1400.0, 11.0, 2.0, 0.0), (2.0, 22.0, 1.5, 0.0)],
    },
];

/// A workload on one or more instances, which goes on from the moment it is made.
///
/// It answers with lines of the `isotherm-oracle` format, of those kinds whose beginnings stand
/// in the statement: where `'H|'` occurs there are H lines, in microseconds if the view named
/// has them, all buckets of an event in one line if `LISTAGG` occurs. Conditions on events,
/// instances and sessions count in the forms that our own statements have.
pub struct Simulation {
    instances: u32,
    micro: bool,
    begun: Instant,
    startup: Duration,
    state: Mutex<State>,
}

struct State {
    /// Up to which second since the beginning the counters are.
    at: f64,
    /// For each instance and event, the waits per bucket, with the part of one not yet over.
    counts: Vec<[[f64; BUCKETS]; EVENTS.len()]>,
}

impl Simulation {
    /// A workload on so many instances (at least one). Without `micro` there is no view with
    /// microseconds, as before 12.1.0.2.
    pub fn new(instances: u32, micro: bool) -> Simulation {
        let instances = instances.max(1);
        let mut counts = vec![[[0.0; BUCKETS]; EVENTS.len()]; index(instances)];
        for instance in &mut counts {
            advance(instance, 0.0, 3600.0);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let startup = now.saturating_sub(Duration::from_hours(1));
        let state = Mutex::new(State { at: 0.0, counts });
        Simulation { instances, micro, begun: Instant::now(), startup, state }
    }

    /// The script that answers every statement with it.
    pub fn script(self) -> Script {
        let simulation = Arc::new(self);
        Script::default().on_call("", move |sql| simulation.answer(sql))
    }

    /// What is answered to a statement.
    pub fn answer(&self, sql: &str) -> Answer {
        let asked = Asked::read(sql);
        if !asked.views_exist(self.micro) {
            return Answer::no_such_view();
        }
        Answer::lines(if asked.mentions("1 = 0") { Vec::new() } else { self.lines(&asked) })
    }

    /// The lines of every kind, in the order in which they stand in a poll.
    fn lines(&self, asked: &Asked) -> Vec<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut lines = Vec::new();
        if asked.mentions("'isotherm-oracle") {
            lines.push("isotherm-oracle 1".to_owned());
        }
        if asked.mentions("'t|") {
            lines.push(format!("T|{}", rfc3339(now)));
        }
        if asked.mentions("'i|") {
            lines.extend(self.instances(asked));
        }
        lines.extend(self.counters(asked));
        if asked.mentions("'e|'") {
            lines.extend(self.events());
        }
        lines.extend(sessions::lines(asked, now));
        if asked.mentions("select name as line") {
            let idle = EVENTS.iter().filter(|event| event.idle);
            lines.extend(idle.map(|event| event.name.to_owned()));
        }
        if asked.mentions("'.'") {
            lines.push(".".to_owned());
        }
        if lines.is_empty() && asked.mentions("from dual") {
            lines.push("1".to_owned());
        }
        lines
    }

    fn instances(&self, asked: &Asked) -> Vec<String> {
        let startup = rfc3339(self.startup);
        let cluster = if self.instances > 1 { "YES" } else { "NO" };
        let all = asked.mentions("gv$instance");
        let last = if all { self.instances } else { 1 };
        (1..=last)
            .filter(|number| asked.wants_instance(*number))
            .map(|number| {
                if asked.mentions("parallel") {
                    format!("I|{number}||19.0.0.0.0|{cluster}")
                } else {
                    format!("I|{number}|{startup}|19.0.0.0.0|fake{number}")
                }
            })
            .collect()
    }

    /// The E lines: class and totals of each event over all instances.
    fn events(&self) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.advance_to(self.begun.elapsed().as_secs_f64());
        let events = EVENTS.iter().enumerate().map(|(index, event)| {
            let counts = state.counts.iter().filter_map(|events| events.get(index));
            let sums = counts.map(total).fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1));
            format!("E|{}|{}|{}|{}", class(event), sums.0, sums.1, event.name)
        });
        events.collect()
    }

    /// The H lines, then the S lines.
    fn counters(&self, asked: &Asked) -> Vec<String> {
        let histograms = asked.mentions("'h|");
        let totals = asked.mentions("'s|");
        let (mut lines, mut last) = (Vec::new(), Vec::new());
        if !histograms && !totals {
            return lines;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.advance_to(self.begun.elapsed().as_secs_f64());
        let shares = if asked.mentions("v$con_") { &CONTAINERS[..] } else { &WHOLE[..] };
        let wanted = |event: &Event| asked.wants_event(event.name, event.idle);
        for (number, events) in (1..).zip(&state.counts) {
            if !asked.wants_instance(number) {
                continue;
            }
            for (event, counts) in EVENTS.iter().zip(events).filter(|(event, _)| wanted(event)) {
                for (container, share) in shares {
                    let counts = counts.map(|count| count * share);
                    let key = format!("{number}|{container}");
                    if histograms {
                        add_histogram(asked, &key, event.name, &counts, &mut lines);
                    }
                    if totals {
                        let (waits, time) = total(&counts);
                        last.push(format!("S|{key}|{waits}|{time}|{}", event.name));
                    }
                }
            }
        }
        lines.extend(last);
        lines
    }
}

/// The class a server puts an event in.
fn class(event: &Event) -> &'static str {
    match event.name {
        _ if event.idle => "Idle",
        "log file sync" => "Commit",
        "log file parallel write" | "db file parallel write" | "control file sequential read" => {
            "System I/O"
        }
        "buffer busy waits" => "Concurrency",
        name if name.starts_with("enq:") => "Application",
        _ => "User I/O",
    }
}

impl State {
    fn advance_to(&mut self, now: f64) {
        for (instance, counts) in self.counts.iter_mut().enumerate() {
            // The instances do not slow down at the same time.
            advance(counts, self.at + instance as f64 * 20.0, now - self.at);
        }
        self.at = now;
    }
}

/// Lets a workload run for some seconds, in steps short against a slow-down.
fn advance(events: &mut [[f64; BUCKETS]; EVENTS.len()], from: f64, seconds: f64) {
    let step = if seconds > 60.0 { seconds } else { 0.5 };
    let mut done = 0.0;
    while done < seconds {
        let took = step.min(seconds - done);
        let phase = (from + done).rem_euclid(SLOW_EVERY);
        let slow = seconds <= 60.0 && phase > SLOW_EVERY - SLOW_FOR;
        let busy = 1.0 + 0.25 * ((from + done) / 11.0).sin();
        for (event, counts) in EVENTS.iter().zip(events.iter_mut()) {
            for (rate, middle, width, moves) in event.modes {
                let middle = if slow { middle + moves } else { *middle };
                let rate = if slow { rate * 0.6 } else { *rate };
                spread(counts, rate * busy * took, middle, *width);
            }
        }
        done += took;
    }
}

/// Spreads so many waits over the buckets around a middle.
fn spread(counts: &mut [f64; BUCKETS], waits: f64, middle: f64, width: f64) {
    let weight = |bucket: usize| {
        let away = (bucket as f64 - 0.5 - middle) / width;
        (-0.5 * away * away).exp()
    };
    let whole: f64 = (0..BUCKETS).map(weight).sum();
    for (bucket, count) in counts.iter_mut().enumerate() {
        *count += waits * weight(bucket) / whole;
    }
}

/// The buckets with whole waits in them by their exclusive upper bounds, in microseconds or
/// milliseconds. As on a server they are contiguous from the smallest.
fn buckets(counts: &[f64; BUCKETS], micro: bool) -> Vec<(u64, u64)> {
    let mut buckets: Vec<(u64, u64)> = Vec::new();
    for (bucket, count) in counts.iter().enumerate() {
        let bound = match (micro, bucket) {
            (_, 31) => UNBOUNDED,
            (true, bucket) => 1 << bucket,
            (false, bucket) => 1 << bucket.saturating_sub(10),
        };
        match buckets.last_mut() {
            Some((last, sum)) if *last == bound => *sum += whole(*count),
            _ => buckets.push((bound, whole(*count))),
        }
    }
    let used = buckets.iter().rposition(|(_, count)| *count > 0).map_or(0, |last| last + 1);
    buckets.truncate(used);
    buckets
}

/// Waits and microseconds waited, a little less than the middles of the buckets would give.
fn total(counts: &[f64; BUCKETS]) -> (u64, u64) {
    let time = |(bucket, count): (usize, &f64)| whole(*count) * ((1 << bucket) * 11 / 16);
    let waits = counts.iter().map(|count| whole(*count)).sum();
    (waits, counts.iter().enumerate().map(time).sum())
}

fn add_histogram(
    asked: &Asked,
    key: &str,
    event: &str,
    counts: &[f64; BUCKETS],
    lines: &mut Vec<String>,
) {
    let micro = asked.mentions("histogram_micro");
    let unit = if micro { "us" } else { "ms" };
    let buckets = buckets(counts, micro);
    let pairs = buckets.iter().map(|(bound, count)| format!("{bound}:{count}"));
    let pairs: Vec<String> = pairs.collect();
    let line = |pairs: &str| format!("H|{key}|{unit}|{pairs}|{event}");
    if asked.mentions("listagg") {
        lines.push(line(&pairs.join(",")));
    } else {
        lines.extend(pairs.iter().map(|pair| line(pair)));
    }
}

/// The waits that are over.
fn whole(count: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are positive and far from 2^53"
    )]
    let whole = count as u64;
    whole
}

fn index(instance: u32) -> usize {
    usize::try_from(instance).unwrap_or(usize::MAX)
}

/// A moment since 1970 as RFC 3339 in UTC, to the microsecond.
fn rfc3339(since: Duration) -> String {
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Years from March, in which leap days come last: eras of 400 years have 146,097 days.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + carry;
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let micros = since.subsec_micros();
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{:02}.{micros:06}Z", second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn lines(answer: &Answer) -> Vec<String> {
        let Answer::Rows(_, rows) = answer else { panic!("{answer:?}") };
        let text = |row: &Vec<Value>| match &row[0] {
            Value::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        rows.iter().map(text).collect()
    }

    #[test]
    fn moments_are_written_as_calendars_have_them() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (1_795_255_200, "2026-11-21T10:00:00.000000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000000Z"),
        ] {
            assert_eq!(rfc3339(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn a_poll_has_what_the_statement_mentions() {
        let simulation = Simulation::new(2, true);
        let sql = "select 'T|' from dual union all select 'I|' from gv$instance union all \
                   select 'H|' listagg(x) from gv$event_histogram_micro where inst_id = 2 and \
                   lower(event) = 'log file sync' union all select 'S|' from gv$system_event \
                   union all select '.' from dual";
        let lines = lines(&simulation.answer(sql));
        let starts: Vec<&str> = lines.iter().map(|line| line.get(..4).unwrap_or(line)).collect();
        assert_eq!(starts, ["T|20", "I|2|", "H|2|", "S|2|", "."]);
        assert!(lines[2].starts_with("H|2||us|1:0,2:0,"), "{}", lines[2]);
        assert!(lines[2].ends_with("|log file sync"), "{}", lines[2]);
        let probe = simulation.answer("select '1' as line from gv$system_event where 1 = 0");
        assert!(matches!(probe, Answer::Rows(_, rows) if rows.is_empty()));
    }

    #[test]
    fn containers_share_the_work() {
        let simulation = Simulation::new(1, true);
        let sql = "select 'S|' from v$con_system_event where lower(event) = 'log file sync'";
        let lines = lines(&simulation.answer(sql));
        let starts: Vec<&str> = lines.iter().map(|line| &line[..6]).collect();
        assert_eq!(starts, ["S|1|3|", "S|1|4|"]);
    }

    #[test]
    fn totals_are_the_sum_of_the_buckets_in_both_units() {
        let sum = |pairs: &[(u64, u64)]| pairs.iter().map(|(_, count)| count).sum::<u64>();
        let mut counts = [0.0; BUCKETS];
        counts[3] = 5.0;
        counts[10] = 7.5;
        counts[11] = 2.0;
        counts[31] = 1.0;
        assert_eq!(sum(&buckets(&counts, true)), 15);
        assert_eq!(sum(&buckets(&counts, false)), 15);
        assert_eq!(buckets(&counts, false)[..2], [(1, 12), (2, 2)]);
        assert_eq!(buckets(&counts, true).last(), Some(&(UNBOUNDED, 1)));
        assert_eq!(total(&counts).0, 15);
    }

    #[test]
    fn without_the_view_with_microseconds_only_milliseconds_are_answered() {
        let simulation = Simulation::new(1, false);
        let micro = simulation.answer("select 'H|' from v$event_histogram_micro");
        assert!(matches!(micro, Answer::Error(942, _)));
        let milli = lines(&simulation.answer("select 'H|' from v$event_histogram"));
        assert!(milli[0].starts_with("H|1||ms|1:"), "{}", milli[0]);
    }

    #[test]
    fn counters_never_fall() {
        let mut state = State { at: 0.0, counts: vec![[[0.0; BUCKETS]; EVENTS.len()]] };
        let mut before = 0;
        for second in 1..120_u8 {
            state.advance_to(f64::from(second));
            let waits = total(&state.counts[0][0]).0;
            assert!(waits > before, "{second}");
            before = waits;
        }
    }
}
