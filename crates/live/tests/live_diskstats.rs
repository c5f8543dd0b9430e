//! `diskstats:` on this machine: what is told lies between what the kernel says before and after.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;

use isotherm_formats::Message;
use isotherm_frame::{Nanos, Reading};
use isotherm_live::{Feed, LiveOptions};
use testing::bounded::Deadline;

/// The reads of each device and their milliseconds, as the kernel has counted until now.
fn reads() -> BTreeMap<String, (u64, u64)> {
    let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
    let of = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some((
            (*words.get(2)?).to_owned(),
            (words.get(3)?.parse().ok()?, words.get(6)?.parse().ok()?),
        ))
    };
    text.lines().filter_map(of).collect()
}

#[test]
fn totals_are_those_of_the_kernel() {
    let before = reads();
    let options = LiveOptions { interval: Some(Nanos::from_millis(50)), ..LiveOptions::default() };
    let feed = match Feed::open(&"diskstats:".parse().unwrap(), &options) {
        Ok(feed) => feed,
        Err(error) => {
            assert!(error.is_unreachable() && before.is_empty(), "{error}");
            return;
        }
    };
    let (mut told, deadline) = (BTreeMap::new(), Deadline::default());
    for _ in 0..4 {
        for message in deadline.recv(feed.receiver()).messages {
            let Message::Reading(Reading::Cumulative { series, total, .. }) = message else {
                continue;
            };
            assert!(total.is_averages() && series.name() == "disk I/O");
            let of =
                |key: &str| series.attributes().find(|(own, _)| *own == key).unwrap().1.to_owned();
            if of("op") == "read" {
                let ms = total.sum().unwrap().as_nanos() / 1_000_000;
                told.insert(of("device"), (total.events(), ms));
            }
        }
    }
    let after = reads();
    assert!(!told.is_empty() || before.values().all(|(count, _)| *count == 0));
    for (device, (count, ms)) in told {
        let (from, to) = (before[&device], after[&device]);
        assert!((from.0..=to.0).contains(&count), "{device}: {count} of {from:?} to {to:?}");
        assert!((from.1..=to.1).contains(&ms), "{device}: {ms} ms of {from:?} to {to:?}");
    }
}
