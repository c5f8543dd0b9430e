//! OraPub's rule: if a commit has a limit, its sync must take at most 75 % of it.

use isotherm_frame::numbers::counted;
use isotherm_frame::{nearest_rank, percent};
use isotherm_views::waited;

use super::round::{Round, Scenario, Series};

/// The share of a commit's limit that the sync may take.
const RULE: f64 = 0.75;
/// The limit of the rule is the time that this share of commits keeps.
const LIMIT: f64 = 0.9;

/// The rule, counted on single commits.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Rule {
    /// The longest that a commit should take: the limit that was asked for, or one that most commits keep.
    limit_s: f64,
    was_asked: bool,
    /// Commits with a sync that kept 75 % of the limit.
    with_short_sync: Commits,
    /// The others.
    with_long_sync: Commits,
    /// What the line gives for a sync of exactly 75 % of the limit.
    at_limit_s: Option<f64>,
}

/// Some commits.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Commits {
    pub count: u64,
    /// Those of them that kept the limit.
    pub within: u64,
}

impl Rule {
    /// Of the idle session, which commits one by one; none of another scenario, and without a commit.
    pub fn of(series: &Series, asked_s: Option<f64>) -> Option<Rule> {
        if series.scenario != Scenario::Idle || series.rounds.is_empty() {
            return None;
        }
        let mut times: Vec<f64> = series.rounds.iter().map(|round| round.commit_s).collect();
        times.sort_by(f64::total_cmp);
        let rank = nearest_rank(LIMIT, times.len() as u64);
        let usual_s = *times.get(usize::try_from(rank).ok()?.checked_sub(1)?)?;
        let limit_s = asked_s.unwrap_or(usual_s);
        let has_short_sync = |round: &&Round| round.sync_s <= RULE * limit_s;
        let (short, long): (Vec<&Round>, Vec<&Round>) =
            series.rounds.iter().partition(has_short_sync);
        let commits = |of: &[&Round]| Commits {
            count: of.len() as u64,
            within: of.iter().filter(|round| round.commit_s <= limit_s).count() as u64,
        };
        Some(Rule {
            limit_s,
            was_asked: asked_s.is_some(),
            with_short_sync: commits(&short),
            with_long_sync: commits(&long),
            at_limit_s: series.line().map(|line| line.at(RULE * limit_s)),
        })
    }

    /// Its numbers for programs.
    pub fn figures(&self) -> [(&'static str, f64); 5] {
        [
            ("limit_s", self.limit_s),
            ("with_short_sync", self.with_short_sync.count as f64),
            ("with_short_sync_within_limit", self.with_short_sync.within as f64),
            ("with_long_sync", self.with_long_sync.count as f64),
            ("with_long_sync_within_limit", self.with_long_sync.within as f64),
        ]
    }

    /// The rule as a sentence.
    pub fn in_words(&self) -> String {
        let origin = if self.was_asked {
            "--commit-limit; commits of the idle session"
        } else {
            "the p90 of the idle session"
        };
        let begin = format!(
            "The 75 % rule with a limit of {} for a commit ({origin}): the sync must take at most {}",
            waited(self.limit_s),
            waited(RULE * self.limit_s)
        );
        let (short, long) = (self.with_short_sync, self.with_long_sync);
        if short.count == 0 {
            return format!("{begin}. In no commit did it.");
        }
        let at_limit = self.at_limit_s.map_or_else(String::new, |commit_s| {
            format!("; at exactly 75 % the line gives a commit of {}", waited(commit_s))
        });
        // The limit is one that most commits keep anyway: the rule tells as much as the two differ.
        let others = if long.count == 0 {
            String::new()
        } else {
            let (count, within) = (long.count, long.within);
            format!("; of the {count} with a longer sync {within} did ({})", long.share())
        };
        format!(
            "{begin}. In {} it did, and {} of them kept the limit ({}){others}{at_limit}.",
            counted(short.count, "commit"),
            short.within,
            short.share()
        )
    }
}

impl Commits {
    fn share(self) -> String {
        percent(self.within as f64 / self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::round::Counted;
    use super::*;

    /// What is said of commits of 1 ms with a sync that took these shares of it.
    fn said(shares: &[f64], asked_s: Option<f64>) -> String {
        let round = |&share: &f64| {
            let after = Counted { syncs: 10, time_s: share * 1e-3 * 10.0, seen: None };
            Round::new(1, &[1e-3; 10], Counted::default(), after)
        };
        let rounds = shares.iter().map(round).collect();
        Rule::of(&Series { scenario: Scenario::Idle, rounds, left_out: 0 }, asked_s)
            .unwrap()
            .in_words()
    }

    #[test]
    fn the_rule_is_counted_on_single_commits() {
        // Commits of 1 ms: the limit is 1 ms, and a sync of at most 0.75 ms was in two of four.
        let text = said(&[0.5, 0.7, 0.8, 0.9], None);
        assert!(text.contains("at most 750 µs. In 2 commits it did, and 2 of them"), "{text}");
        let text = said(&[0.8, 0.9], None);
        assert!(text.ends_with("In no commit did it."), "{text}");
        // A limit of 2 ms: a sync of at most 1.5 ms was in all of them, and each took 1 ms.
        let text = said(&[0.5, 0.7, 0.8, 0.9], Some(2e-3));
        let expected = "a limit of 2.00 ms for a commit (--commit-limit; commits of the idle session): the \
                        sync must take at most 1.50 ms. In 4 commits it did, and 4 of them kept the limit \
                        (100 %)";
        assert!(text.contains(expected) && !text.contains("longer sync"), "{text}");
        // A limit of 0.9 ms, which no commit kept: a sync of at most 0.675 ms was in one of them.
        let text = said(&[0.5, 0.7, 0.8, 0.9], Some(9e-4));
        let expected = "at most 675 µs. In 1 commit it did, and 0 of them kept the limit (0 %); of the 3 \
                        with a longer sync 0 did (0 %)";
        assert!(text.contains(expected), "{text}");
    }
}
