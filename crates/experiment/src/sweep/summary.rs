//! What came of a sweep so far.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{PointSummary, RunTable};

/// What came of a sweep so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepSummary<'a> {
    /// What was loaded, without secrets.
    pub target: &'a str,
    /// The points by number.
    pub points: Vec<PointSummary<'a>>,
    /// Warnings about runs, each code once: serious ones first.
    pub verdicts: Vec<VerdictSummary<'a>>,
    /// Points that were not run because the load was not raised that far.
    pub stopped: Vec<StoppedPoint<'a>>,
    /// Runs that are still to be done.
    pub runs_left: usize,
}

/// A verdict over all runs that it was found on.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VerdictSummary<'a> {
    /// A short name that stays the same.
    pub code: &'a str,
    /// Whether the numbers must not be used without it.
    pub serious: bool,
    /// The first point it was found at.
    pub first_at: &'a str,
    /// In how many runs.
    pub runs: usize,
    /// The words of the first.
    pub words: &'a str,
}

/// A point that was not run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoppedPoint<'a> {
    /// The point in words.
    pub label: &'a str,
    /// The rule, and where it held.
    pub why: &'a str,
}

impl RunTable {
    /// Warnings about any run, each code once, serious ones first.
    pub fn verdicts(&self) -> Vec<VerdictSummary<'_>> {
        let mut found: Vec<VerdictSummary> = Vec::new();
        for run in self.latest() {
            for verdict in &run.verdicts {
                match found.iter_mut().find(|one| one.code == verdict.code) {
                    Some(one) => {
                        one.runs += 1;
                        one.serious |= verdict.serious;
                    }
                    None => found.push(VerdictSummary {
                        code: &verdict.code,
                        serious: verdict.serious,
                        first_at: &run.label,
                        runs: 1,
                        words: &verdict.words,
                    }),
                }
            }
        }
        found.sort_by_key(|verdict| !verdict.serious);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::sample_runs::run;

    #[test]
    fn a_verdict_counts_its_runs_and_keeps_the_first_words() {
        let mut runs = vec![run(0, 0, 10), run(1, 0, 20), run(1, 1, 30)];
        let verdict = |code: &str, serious, words: &str| Verdict {
            code: code.to_owned(),
            serious,
            words: words.to_owned(),
        };
        runs[0].verdicts = vec![verdict("short", false, "1 s"), verdict("little", false, "3 %")];
        runs[2].verdicts = vec![verdict("little", true, "9 %")];
        let table = RunTable { runs, ..RunTable::default() };
        let little = VerdictSummary {
            code: "little",
            serious: true,
            first_at: "in-flight 1",
            runs: 2,
            words: "3 %",
        };
        let short = VerdictSummary {
            code: "short",
            serious: false,
            first_at: "in-flight 1",
            runs: 1,
            words: "1 s",
        };
        assert_eq!(table.verdicts(), [little, short]);
    }
}
