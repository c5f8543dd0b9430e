//! Numbers and names in words.

use isotherm_frame::{self as frame, Nanos, tenths_of_percent};
use isotherm_oracle::trace::profile::{Event, Part, Profile, SpentOn};

use crate::numbers::{counted, quantity, waited};
use crate::ranges::{Digits, range};

/// How many parts of the response time the answer names.
const NAMED: usize = 3;
/// The least share that is named.
const LEAST_SHARE: f64 = 0.01;

/// A length of time; thousands of seconds are set apart.
pub(super) fn time(ns: u64) -> String {
    match ns {
        0 => "0".to_owned(),
        1_000_000_000_000.. => waited(ns as f64 / 1e9),
        _ => Nanos::new(ns).to_string(),
    }
}

/// A length of time that may be negative.
pub(super) fn signed_time(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}", time(ns.unsigned_abs()))
}

/// A mean length of time.
pub(super) fn mean(ns: Option<f64>) -> String {
    let mean = ns.and_then(|ns| Nanos::from_secs_f64(ns / 1e9));
    mean.map_or("-".to_owned(), |mean| time(mean.as_nanos()))
}

/// A number that is an estimate.
pub(super) fn estimate(number: f64) -> String {
    if number < 1_000.0 { format!("{number:.0}") } else { quantity(number) }
}

/// A share in percent.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), tenths_of_percent)
}

/// Where a quantile lies.
pub(super) fn quantile(event: &Event, q: f64) -> String {
    let Some((lo, hi)) = event.quantile(q) else { return "-".to_owned() };
    if lo == hi {
        return time(lo);
    }
    let bucket = isotherm_frame::Bucket { lo: Nanos::new(lo), hi: Some(Nanos::new(hi)) };
    let (low, high) = (time(lo), time(hi));
    // A range whose ends read the same is a number.
    if low == high { low } else { range(bucket, Digits::Three) }
}

/// Where the response time went, in one sentence.
pub(super) fn within_calls(profile: &Profile) -> String {
    let response = profile.spent.response_ns();
    let first = profile.dominant_client_share().map(|_| profile.between.all());
    let idle = profile.spent.idle_ns().saturating_sub(first.map_or(0, |waits| waits.total_ns));
    let apart = if idle > 0 { format!("; {} idle apart", time(idle)) } else { String::new() };
    if response == 0 {
        return format!("No response time: no call of the user and no wait took any time{apart}.");
    }
    let parts = profile.parts();
    let mut named: Vec<String> =
        parts.iter().filter(|part| worth_naming(part)).take(NAMED).map(spoken).collect();
    let rest = parts.iter().filter(|part| worth_naming(part)).skip(NAMED);
    let also = |part: &&Part<'_>| !matches!(part.on, SpentOn::Wait(_));
    named.extend(rest.filter(also).map(spoken));
    format!("{} of response time: {}{apart}.", time(response), named.join(", "))
}

fn worth_naming(part: &Part<'_>) -> bool {
    part.share.is_some_and(|share| share.abs() >= LEAST_SHARE)
}

fn spoken(part: &Part<'_>) -> String {
    let share = part.share.unwrap_or_default();
    match part.on {
        SpentOn::Wait(event) => format!(
            "{} {} ({}, mean {})",
            frame::percent(share),
            event.name,
            counted(event.count, "wait"),
            mean(event.mean_ns()),
        ),
        SpentOn::Cpu | SpentOn::Unaccounted => {
            format!("{} {}", frame::percent(share.abs()), part.name())
        }
    }
}

/// What was read, in one line.
pub(super) fn inputs(profile: &Profile) -> String {
    let inputs = &profile.inputs;
    let first = inputs.first.as_deref().unwrap_or("no file");
    let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
    let mut parts = vec![match inputs.files {
        0 | 1 => name.to_owned(),
        2 => format!("{name} and 1 more file"),
        files => format!("{name} and {} more files", files - 1),
    }];
    let releases: Vec<&str> = inputs.releases.iter().map(String::as_str).collect();
    match releases.as_slice() {
        [] => {}
        [one] => parts.push(format!("Oracle {one}")),
        several => parts.push(format!("{} of Oracle", counted(several.len() as u64, "release"))),
    }
    if !inputs.sessions.is_empty() {
        parts.push(counted(inputs.sessions.len() as u64, "session"));
    }
    if inputs.traced_ns > 0 {
        parts.push(format!("{} traced", time(inputs.traced_ns)));
    }
    parts.push(counted(inputs.calls, "call"));
    parts.push(counted(inputs.waits, "wait"));
    parts.join(" · ")
}
