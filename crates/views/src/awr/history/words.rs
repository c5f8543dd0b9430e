//! What stands out in AWR's history, in sentences.

use isotherm_frame::numbers::{quantity, seconds};
use isotherm_frame::{percent, visible};
use isotherm_oracle::awr::history::{Busiest, History, Interval, Part};
use jiff::Timestamp;

/// What a moment is called.
fn moment(at_us: i64, form: &str) -> String {
    let at = Timestamp::from_microsecond(at_us).unwrap_or_default();
    at.strftime(form).to_string()
}

/// An interval in words: from when to when, on which day.
fn interval(history: &History, interval: &Interval) -> String {
    let zone = if history.utc { " UTC" } else { "" };
    let (day, clock) = ("%Y-%m-%d", "%H:%M");
    let (from, to) = (interval.start_us, interval.end_us);
    let (start, end) = (moment(from, day), moment(to, day));
    if start == end {
        return format!("From {} to {}{zone} on {start}", moment(from, clock), moment(to, clock));
    }
    format!("From {start} {} to {end} {}{zone}", moment(from, clock), moment(to, clock))
}

/// What an instance is called: with its database where there are several.
pub(super) fn instance(history: &History, at: usize) -> String {
    let Some(instance) = history.instances.get(at) else { return String::new() };
    let several = history.instances.iter().any(|other| other.database != instance.database);
    let number = visible(&instance.number).into_owned();
    if several { format!("{number} of {}", visible(&instance.database)) } else { number }
}

/// The incident, and what its sessions waited for.
pub(super) fn sentences(history: &History, busiest: Option<&Busiest>) -> Vec<String> {
    let Some(busiest) = busiest else {
        return vec![
            "How busy the database was is not known: the files have neither wait classes nor all events."
                .to_owned(),
        ];
    };
    let Some(hour) = history.intervals.get(busiest.interval) else { return Vec::new() };
    let what = if busiest.cpu { "active sessions" } else { "waiting sessions" };
    let than = busiest.median.filter(|median| *median > 0.0).map_or_else(String::new, |median| {
        format!(
            ", {} times the median of its intervals ({})",
            quantity(busiest.sessions / median),
            seconds(median)
        )
    });
    let first = format!(
        "{}, instance {} had {} {what} on average{than}: {}.",
        interval(history, hour),
        instance(history, hour.instance),
        seconds(busiest.sessions),
        shares(busiest)
    );
    let mut sentences = vec![first];
    if !busiest.events.is_empty() {
        sentences.push(format!("Its sessions waited most for {}.", amounts(&busiest.events)));
    }
    sentences
}

/// What the sessions did, in shares of all.
fn shares(busiest: &Busiest) -> String {
    let share = |part: &Part| {
        let share = percent(part.sessions / busiest.sessions);
        match part.name.as_str() {
            "CPU" => format!("{share} on CPU"),
            name => format!("{share} waiting for {}", visible(name)),
        }
    };
    joined(&busiest.parts.iter().take(3).map(share).collect::<Vec<_>>())
}

/// The three largest parts, each with its average.
fn amounts(parts: &[Part]) -> String {
    let one = |(at, part): (usize, &Part)| {
        let unit = if at == 0 { " sessions" } else { "" };
        format!("{} ({}{unit})", visible(&part.name), seconds(part.sessions))
    };
    joined(&parts.iter().take(3).enumerate().map(one).collect::<Vec<_>>())
}

fn joined(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// How much there is, what is no part of it, and what was left out.
pub(super) fn notes(history: &History, busiest: Option<&Busiest>) -> Vec<String> {
    let mut notes = Vec::new();
    let from = history.intervals.iter().map(|interval| interval.start_us).min();
    let to = history.intervals.iter().map(|interval| interval.end_us).max();
    if let Some((from, to)) = from.zip(to) {
        let zone = if history.utc { "UTC" } else { "by the clock of the database's host" };
        let form = "%Y-%m-%d %H:%M";
        notes.push(format!(
            "{} to {} {zone}, {} of {}, {}.",
            moment(from, form),
            moment(to, form),
            count_of(history.intervals.len(), "interval"),
            count_of(history.instances.len(), "instance"),
            count_of(history.files.iter().filter(|file| file.kind.is_some()).count(), "file"),
        ));
    }
    if let Some(busiest) = busiest {
        notes.push(counted(busiest).to_owned());
    }
    for file in &history.files {
        let name = visible(&file.name);
        for left in &file.left {
            notes.push(format!(
                "{name}: {} left out: {}.",
                crate::numbers::counted(left.rows, "row"),
                visible(&left.reason)
            ));
        }
    }
    notes
}

/// What counts as an active session.
fn counted(busiest: &Busiest) -> &'static str {
    match (busiest.foreground, busiest.cpu) {
        (true, true) => {
            "Active sessions: time waited (without idle waits) and time on CPU of foreground sessions, divided \
             by the length of the interval. What ran while waiting for a processor counts as neither."
        }
        (false, true) => {
            "Active sessions: time waited (without idle waits) and time on CPU of all sessions, divided by the \
             length of the interval."
        }
        (_, false) => {
            "Waiting sessions: time waited (without idle waits), divided by the length of the interval; the \
             files do not say how long sessions were on CPU."
        }
    }
}
fn count_of(number: usize, what: &str) -> String {
    crate::numbers::counted(number as u64, what)
}
