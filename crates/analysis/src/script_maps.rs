//! Maps of one tracing script, which may count the same events.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Series};

use crate::{History, Summary};

/// The maps of a script, of which only one is looked at: nothing says whether `@lin` and `@usecs`
/// count different events or the same ones twice, so they are not added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptMaps {
    /// The map with the most time waited.
    pub foremost: String,
    /// The other maps.
    pub others: Vec<String>,
}

/// What waited how long.
type Waited<'a> = (&'a Series, f64);

impl ScriptMaps {
    /// The maps that frames are of; `None` if they are of one map or none.
    pub fn of_frames(frames: &[Frame]) -> Option<ScriptMaps> {
        let waited = |frame: &Frame| frame.counts.time_waited().seconds;
        ScriptMaps::of(frames.iter().map(|frame| (&frame.series, waited(frame))))
    }

    /// The maps that the series of a history are of; `None` if they are of one map or none.
    pub fn of_history(history: &History) -> Option<ScriptMaps> {
        let totals = history.by_time_waited();
        ScriptMaps::of(totals.iter().map(|(series, total)| (series, total.waited.seconds)))
    }

    /// The maps that sums are of; `None` if they are of one map or none.
    pub fn of_summaries(summaries: &[&Summary]) -> Option<ScriptMaps> {
        let waited = |summary: &&Summary| summary.waited().seconds;
        ScriptMaps::of(summaries.iter().map(|summary| (&summary.series, waited(summary))))
    }

    fn of<'a>(all: impl Iterator<Item = Waited<'a>>) -> Option<ScriptMaps> {
        let mut maps: BTreeMap<&str, f64> = BTreeMap::new();
        for (series, seconds) in all.filter(|(series, _)| is_map(series)) {
            *maps.entry(series.name()).or_default() += seconds;
        }
        let most = maps.iter().max_by(|one, other| one.1.total_cmp(other.1));
        let (&foremost, _) = most.filter(|_| maps.len() > 1)?;
        let others = maps.keys().filter(|map| **map != foremost);
        let others = others.map(|&map| map.to_owned()).collect();
        Some(ScriptMaps { foremost: foremost.to_owned(), others })
    }

    /// Whether a series may be added up with the foremost map.
    pub fn holds(&self, series: &Series) -> bool {
        !is_map(series) || series.name() == self.foremost
    }
}

/// bpftrace's maps are named `@` and a word; scripts that say what they count have other names.
fn is_map(series: &Series) -> bool {
    series.name().starts_with('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(series: &[(&str, f64)]) -> Option<ScriptMaps> {
        let series: Vec<(Series, f64)> =
            series.iter().map(|&(name, seconds)| (Series::named(name), seconds)).collect();
        ScriptMaps::of(series.iter().map(|(series, seconds)| (series, *seconds)))
    }

    #[test]
    fn the_map_with_the_most_time_stands_for_the_others() {
        let maps = of(&[("@lin", 16.1), ("@usecs", 15.6), ("@kusecs", 9.0), ("@kusecs", 8.0)]);
        let maps = maps.unwrap();
        assert_eq!(maps.foremost, "@kusecs");
        assert_eq!(maps.others, ["@lin", "@usecs"]);
        assert!(maps.holds(&Series::with_attributes("@kusecs", [("key", "RS")])));
        assert!(maps.holds(&Series::named("log file sync")) && !maps.holds(&Series::named("@lin")));
    }

    #[test]
    fn one_map_and_events_with_names_of_their_own_are_added_up() {
        assert_eq!(of(&[("@usecs", 1.0), ("@usecs", 2.0)]), None);
        assert_eq!(of(&[("log file sync", 1.0), ("latch free", 2.0), ("@usecs", 1.0)]), None);
        assert_eq!(of(&[]), None);
    }
}
