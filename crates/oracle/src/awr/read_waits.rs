//! How many of an instance's reads somebody waited for: waits for reads by requests to read.

use schemars::JsonSchema;
use serde::Serialize;

use super::names;
use super::number::Printed;
use super::report::{EventLine, Report};

/// Waits for reads, and how many requests to read there were.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReadWaits {
    /// Waits of all sessions for the events below.
    pub waits: u64,
    /// `physical read total IO requests`: of data files, control files, logs and backups.
    pub requests: u64,
    /// Waits by requests.
    pub ratio: Printed,
    /// The events that count as waits for reads, as far as the report lists them.
    pub events: Vec<String>,
    /// What the ratio means.
    pub meaning: String,
}

/// Events of which each is a wait for a read, be it of one request or of several; what some
/// releases print behind them (`: flash cache`) belongs to them.
const READS: [&str; 16] = [
    "cell list of blocks physical read",
    "cell multiblock physical read",
    "cell multiblock read request",
    "cell single block physical read",
    "cell single block read request",
    "cell smart index scan",
    "cell smart table scan",
    "control file sequential read",
    "db file parallel read",
    "db file scattered read",
    "db file sequential read",
    "direct path read",
    "direct path read temp",
    "external table read",
    "log file sequential read",
    "recovery read",
];

/// Where a ratio counts as one.
const ONE: std::ops::RangeInclusive<f64> = 0.95..=1.05;

fn is_read(event: &str) -> bool {
    let cut = event.chars().count() >= names::HISTOGRAM_WIDTH;
    READS.iter().any(|read| {
        let own =
            event.strip_prefix(read).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        own || cut && read.starts_with(event)
    })
}

impl Report {
    /// Waits for reads by read requests. `None` if the report prints no number of requests, or no
    /// tables of all waits with their numbers.
    pub fn read_waits(&self) -> Option<ReadWaits> {
        let requests = self.statistic("physical read total IO requests")?;
        let lines = self.lines_of_all()?;
        let reads: Vec<&EventLine> =
            lines.into_iter().filter(|line| is_read(&line.event)).collect();
        let waits: u64 = reads.iter().map(|line| line.waits).sum::<Option<u64>>()?;
        let half: f64 = reads.iter().map(|line| line.waits_half).sum();
        if requests.total == 0 || reads.is_empty() {
            return None;
        }
        let total = requests.total as f64;
        let value = waits as f64 / total;
        let ratio = Printed { value, half: (half + value * requests.total_half) / total };
        let mut events: Vec<String> = reads.iter().map(|line| line.event.clone()).collect();
        events.sort_unstable();
        events.dedup();
        let meaning = meaning(value).to_owned();
        Some(ReadWaits { waits, requests: requests.total, ratio, events, meaning })
    }

    /// The waits of all sessions: as the report has them together, else of the foreground and the
    /// background, which are two tables.
    fn lines_of_all(&self) -> Option<Vec<&EventLine>> {
        let events = &self.events;
        if !events.all.is_empty() {
            return Some(events.all.iter().collect());
        }
        let both = !events.foreground.is_empty() && !events.background.is_empty();
        both.then(|| events.foreground.iter().chain(&events.background).collect())
    }
}

fn meaning(ratio: f64) -> &'static str {
    if ONE.contains(&ratio) {
        "about one wait for each read: wait times add up to the time of the reads"
    } else if ratio < *ONE.start() {
        "fewer waits than reads (asynchronous, or several reads in one wait): the sum of wait times \
         understates the time of the reads"
    } else {
        "more waits than reads: do not take the number of waits for one of reads"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_reads_are_known_by_name_cut_or_not() {
        for read in [
            "db file sequential read",
            "cell single block physical read: flash cache",
            "cell single block physical",
            "control file sequential re",
            "direct path read temp",
        ] {
            assert!(is_read(read), "{read}");
        }
        for other in
            ["db file", "direct path write", "read by other session", "db file parallel write"]
        {
            assert!(!is_read(other), "{other}");
        }
    }

    #[test]
    fn a_ratio_near_one_is_one() {
        assert!(meaning(0.95).starts_with("about") && meaning(1.05).starts_with("about"));
        assert!(meaning(0.71).starts_with("fewer") && meaning(1.2).starts_with("more"));
    }
}
