//! Commits that were measured together, and what they come to.

use crate::{Estimate, regression::Regression};

/// How commits are issued.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// One session that pauses between commits.
    Idle,
    /// One session without pauses.
    Serial,
    /// Ten sessions without pauses.
    Competing,
}

/// Syncs so far.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// By the server.
    pub syncs: u64,
    /// Their seconds.
    pub time_s: f64,
    /// Those that strace has timed; none where the server timed them itself.
    pub seen: Option<u64>,
}

/// Commits between two looks at the server's counters.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// Rows of each transaction.
    pub batch: u64,
    pub commits: u64,
    pub syncs: u64,
    /// The mean time of COMMIT.
    pub commit_s: f64,
    /// The mean time of a sync.
    pub sync_s: f64,
    /// The share of the time of COMMIT that was waited for a sync.
    pub share: f64,
    /// Whether what timed the syncs has seen all of them.
    pub has_all_syncs: bool,
}

/// All rounds of a scenario.
#[derive(Debug)]
pub struct Series {
    pub scenario: Scenario,
    pub rounds: Vec<Round>,
    /// Rounds in which not every sync was that of a commit, such as the sync of a full WAL segment.
    pub left_out: usize,
}

impl Scenario {
    pub const ALL: [Scenario; 3] = [Scenario::Idle, Scenario::Serial, Scenario::Competing];

    pub fn name(self) -> &'static str {
        match self {
            Scenario::Idle => "idle",
            Scenario::Serial => "serial",
            Scenario::Competing => "ten sessions",
        }
    }

    pub fn sessions(self) -> usize {
        if self == Scenario::Competing { 10 } else { 1 }
    }
}

impl Round {
    /// A round by the times of its commits, and the counters before and after it.
    pub fn new(batch: u64, times: &[f64], before: Counted, after: Counted) -> Round {
        let syncs = after.syncs.saturating_sub(before.syncs);
        let seen = after.seen.zip(before.seen).map(|(after, before)| after.saturating_sub(before));
        let mut round = Round {
            batch,
            commits: times.len() as u64,
            syncs,
            commit_s: times.iter().sum::<f64>() / times.len() as f64,
            has_all_syncs: seen.is_none_or(|seen| seen == syncs),
            ..Round::default()
        };
        round.sync_s = (after.time_s - before.time_s) / round.syncs as f64;
        round.share = round.sync_s / round.commit_s;
        round
    }

    /// Whether its syncs are those of its commits, each of one. Sessions that compete share syncs.
    pub fn is_clean(&self, scenario: Scenario) -> bool {
        let as_many = self.syncs == self.commits || scenario == Scenario::Competing;
        self.syncs > 0 && as_many && self.has_all_syncs && self.share.is_finite()
    }
}

impl Series {
    pub fn share(&self) -> Option<Estimate> {
        self.share_of(|_| true)
    }

    /// The share at one number of rows.
    pub fn share_at(&self, batch: u64) -> Option<Estimate> {
        self.share_of(|round| round.batch == batch)
    }

    fn share_of(&self, which: impl Fn(&Round) -> bool) -> Option<Estimate> {
        let rounds = self.rounds.iter().filter(|round| which(round));
        Estimate::of(&rounds.map(|round| round.share).collect::<Vec<f64>>())
    }

    /// The time of COMMIT by the time of a sync.
    pub fn line(&self) -> Option<Regression> {
        let points = self.rounds.iter().map(|round| (round.sync_s, round.commit_s));
        Regression::of(&points.collect::<Vec<(f64, f64)>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_what_the_counters_grew_by() {
        // Two commits of 2 and 4 ms; two syncs of 3 ms together.
        let counted = |syncs, time_s| Counted { syncs, time_s, seen: None };
        let (before, after) = (counted(5, 1.0), counted(7, 1.003));
        let round = Round::new(10, &[0.002, 0.004], before, after);
        assert!((round.commit_s - 0.003).abs() < 1e-12 && (round.sync_s - 0.0015).abs() < 1e-12);
        assert!((round.share - 0.5).abs() < 1e-9 && round.is_clean(Scenario::Idle));
        // A third sync is not that of a commit, unless sessions compete.
        let other = Round::new(10, &[0.002, 0.004], before, counted(8, 1.003));
        assert!(!other.is_clean(Scenario::Serial) && other.is_clean(Scenario::Competing));
        let none = Round::new(10, &[0.002], before, before);
        assert!(!none.is_clean(Scenario::Competing));
        // strace must have seen as many as the server counted, of whichever session.
        let seen = |seen, counted: Counted| Counted { seen: Some(seen), ..counted };
        for (new, is_clean) in [(2, true), (1, false), (3, false)] {
            let round = Round::new(10, &[0.002, 0.004], seen(7, before), seen(7 + new, after));
            assert_eq!(round.is_clean(Scenario::Competing), is_clean, "{new}");
            assert_eq!(round.is_clean(Scenario::Serial), is_clean, "{new}");
        }
    }
}
