//! Time between calls: waits for the client, where they are most of the time of a trace.

use isotherm_frame as frame;
use isotherm_oracle::trace::profile::{ClientTime, ClientWaits, Event, Profile, StatementKey};

use super::sentences::{mean, percent, time, within_calls};
use crate::numbers::{count, counted};

/// The heads of the table, but for the first.
pub(super) const HEADS: [&str; 6] = ["time", "%", "waits", "mean", "min", "max"];
/// How many statements and calls are listed.
const ROWS: usize = 10;

/// The answer: what dominates between calls, and where the response time went.
pub(super) fn answer(profile: &Profile) -> String {
    let client = headline(profile);
    let within = within_calls(profile);
    client.map_or_else(|| within.clone(), |client| format!("{client} {within}"))
}

/// That most of the time is between calls, whose it is, and what it was; nothing where it is not most.
pub(super) fn headline(profile: &Profile) -> Option<String> {
    let share = profile.dominant_client_share()?;
    let event = profile.client_event()?;
    let all = profile.between.all();
    let by_time = profile.between.by_time();
    let most = by_time.first().map_or_else(String::new, |(key, call, waits)| {
        let part = waits.total_ns as f64 / all.total_ns.max(1) as f64;
        format!(", {} of that {}", frame::percent(part), behind(*key, call))
    });
    Some(format!(
        "{} of {} was between calls: {} for the client, mean {}{most}. {}",
        frame::percent(share),
        time(profile.elapsed_ns()),
        counted(all.count, "wait"),
        mean(all.mean_ns()),
        what_it_was(profile, event)
    ))
}

/// Round trips or think time, with the reason.
pub(super) fn what_it_was(profile: &Profile, event: &Event) -> String {
    if event.count < ClientTime::LEAST {
        return "Too few waits to tell round trips from think time.".to_owned();
    }
    let at = |q: f64| event.quantile(q).unwrap_or_default();
    let usual = format!("{} to {}", time(at(0.1).0), time(at(0.9).1));
    match profile.client_time() {
        Some(ClientTime::RoundTrips) => format!(
            "Eight of ten took {usual}, short and nearly alike: round trips over the network, or work of \
             the client program, and no think time."
        ),
        Some(ClientTime::RoundTripsAndPauses { beyond_ns, pauses_ns }) => format!(
            "Eight of ten took {usual}, short and nearly alike: round trips, about {} in all. About {} \
             were in waits longer than {}: think time, or other work of the client.",
            time(event.total_ns.saturating_sub(pauses_ns)),
            time(pauses_ns),
            time(beyond_ns)
        ),
        Some(ClientTime::Pauses) => {
            "Most of that time was in waits of a second or longer: think time, or \
             a client with other work."
                .to_owned()
        }
        Some(ClientTime::Unclear) | None => format!(
            "Their lengths ({usual} for eight of ten) do not tell round trips from think time."
        ),
    }
}

/// `after fetch of 4y53369cbbaqf`.
pub(super) fn behind(key: StatementKey, call: &str) -> String {
    match call {
        "the beginning" => "before the first call".to_owned(),
        "any call" => "after calls of other statements".to_owned(),
        call => format!("after {call} of {}", key.id),
    }
}

/// Rows of [`HEADS`] with their names, most time first; shares are of all time.
pub(super) fn rows(profile: &Profile) -> Vec<(String, Vec<String>)> {
    let elapsed_ns = profile.elapsed_ns();
    let row = |(key, call, waits): (StatementKey, &str, ClientWaits)| {
        let share = (elapsed_ns > 0).then(|| waits.total_ns as f64 / elapsed_ns as f64);
        let values = vec![
            time(waits.total_ns),
            percent(share),
            count(waits.count),
            mean(waits.mean_ns()),
            time(waits.min_ns),
            time(waits.max_ns),
        ];
        (behind(key, call), values)
    };
    profile.between.by_time().into_iter().take(ROWS).map(row).collect()
}
