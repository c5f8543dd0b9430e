//! What is said of waits that go on.

use std::collections::BTreeMap;

use isotherm_frame::{Nanos, OpenWait, OpenWaits, Series, shown_name};

use crate::times::span;

/// A wait that has just begun is worth no sentence.
const AFTER: Nanos = Nanos::SECOND;
/// Sessions that wait for their client keep nobody waiting: who waits for them is said.
const OF_CLIENT: &str = "Client:";
/// The most sentences.
const MOST: usize = 2;

/// `8 sessions have waited for Lock:relation for 7s; blocker 17706 (nightly-job).`: a sentence for each
/// thing that is waited for, that with the most time waited first.
pub fn still_waiting(open: &OpenWaits) -> Vec<String> {
    let mut groups: BTreeMap<(&str, Option<&str>), Vec<&OpenWait>> = BTreeMap::new();
    for wait in open.waits.iter().filter(|wait| !wait.series.name().starts_with(OF_CLIENT)) {
        groups.entry((wait.series.name(), wait.blocker.as_deref())).or_default().push(wait);
    }
    let age = |wait: &OpenWait| open.at.since(wait.begin);
    let mut found: Vec<(f64, String)> = Vec::new();
    for ((name, blocker), waits) in groups {
        let longest = waits.iter().map(|wait| age(wait)).max().unwrap_or_default();
        let shortest = waits.iter().map(|wait| age(wait)).min().unwrap_or_default();
        if longest < AFTER {
            continue;
        }
        let whole = |age: Nanos| span(Nanos::new(age.as_nanos() / 1_000_000_000 * 1_000_000_000));
        let up_to = if whole(shortest) == whole(longest) { "" } else { "up to " };
        let who = match waits.len() {
            1 => "1 session has".to_owned(),
            many => format!("{many} sessions have"),
        };
        let blocker =
            blocker.map_or_else(String::new, |who| format!("; blocker {}", shown_name(who)));
        let name = shown_name(name);
        let text = format!("{who} waited for {name} for {up_to}{}{blocker}.", whole(longest));
        found.push((waits.iter().map(|wait| age(wait).as_secs_f64()).sum(), text));
    }
    found.sort_by(|one, two| two.0.total_cmp(&one.0));
    found.into_iter().take(MOST).map(|(_, text)| text).collect()
}

/// The series of the waits that go on that is to be looked at first: the one with the most time waited
/// of those that a sentence is about.
pub fn longest_waiting(open: &OpenWaits) -> Option<&Series> {
    let age = |wait: &OpenWait| open.at.since(wait.begin);
    let mut ages: BTreeMap<&Series, f64> = BTreeMap::new();
    let waits = open.waits.iter().filter(|wait| !wait.series.name().starts_with(OF_CLIENT));
    for wait in waits.filter(|wait| age(wait) >= AFTER) {
        *ages.entry(&wait.series).or_default() += age(wait).as_secs_f64();
    }
    ages.into_iter().max_by(|one, two| one.1.total_cmp(&two.1)).map(|(series, _)| series)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Timestamp;

    use super::*;

    #[test]
    fn who_waits_for_what_how_long_and_for_whom() {
        let at = |ms: i64| Timestamp::new(ms * 1_000_000);
        let wait = |name: &str, ms: i64, blocker: Option<&str>| OpenWait {
            series: Series::named(name),
            begin: at(ms),
            blocker: blocker.map(Into::into),
        };
        let job = Some("17706 (nightly-job)");
        let mut waits: Vec<OpenWait> =
            (0..8).map(|n| wait("Lock:relation", 100 + n, job)).collect();
        waits.push(wait("Lock:tuple", 2_000, None));
        waits.push(wait("Lock:transactionid", 7_100, None));
        waits.push(wait("Client:idle in transaction", 100, None));
        let said = still_waiting(&OpenWaits { at: at(7_300), waits: waits.clone() });
        assert_eq!(
            said,
            [
                "8 sessions have waited for Lock:relation for 7s; blocker 17706 (nightly-job).",
                "1 session has waited for Lock:tuple for 5s.",
            ]
        );
        let open = OpenWaits { at: at(7_300), waits: waits.clone() };
        assert_eq!(longest_waiting(&open), Some(&Series::named("Lock:relation")));
        waits[7] = wait("Lock:relation", 4_000, job);
        let said = still_waiting(&OpenWaits { at: at(7_300), waits });
        assert!(said[0].contains("for Lock:relation for up to 7s"), "{said:?}");
        assert_eq!(still_waiting(&OpenWaits::default()), [] as [&str; 0]);
        assert_eq!(longest_waiting(&OpenWaits::default()), None);
    }
}
