//! Steps in their trees, and what there is of each level.

use std::collections::BTreeMap;
use std::sync::Arc;

use isotherm_frame::{Nanos, PathLevel, PathStep, TimeRange, Timestamp};

/// Steps as trees, in the order in which they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IoPath {
    /// Every step that is placed, and what it belongs to comes before it.
    pub steps: Vec<PlacedStep>,
    /// What there is of each level, the outermost first; levels without a step are left out.
    pub levels: Vec<PathTotal>,
    /// Block requests that no step of their thread asked for, by program, most first.
    pub unplaced: Vec<UnplacedRequests>,
    /// The first beginning and the last end; `None` without steps.
    pub span: Option<(Timestamp, Timestamp)>,
    /// What was asked for.
    pub range: TimeRange,
}

/// A step in its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedStep {
    /// The step.
    pub step: PathStep,
    /// The number of its input, from 0.
    pub input: usize,
    /// How many steps it is in.
    pub depth: u32,
    /// The index of the step it is in.
    pub parent: Option<usize>,
    /// The part of its duration in which no step in it was in progress.
    pub own: Nanos,
    /// How long it went on after the step it is in had ended: reading ahead, which nobody waits for.
    pub beyond: Nanos,
}

/// All steps of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTotal {
    /// The level.
    pub level: PathLevel,
    /// How many.
    pub count: u64,
    /// How many of these are in no other step.
    pub outermost: u64,
    /// Their durations together, in nanoseconds.
    pub total_ns: u128,
    /// The longest.
    pub longest: Nanos,
    /// Bytes read or written.
    pub bytes: u128,
}

/// Block requests that no step of their thread asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnplacedRequests {
    /// The program that asked for them.
    pub program: Arc<str>,
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u128,
}

impl IoPath {
    /// Trees of several inputs and threads one after the other, by their beginning.
    pub(super) fn put_in_order(&mut self) {
        let roots: Vec<usize> =
            (0..self.steps.len()).filter(|&at| self.steps[at].parent.is_none()).collect();
        let mut trees: Vec<(Timestamp, std::ops::Range<usize>)> = Vec::with_capacity(roots.len());
        for (number, &root) in roots.iter().enumerate() {
            let end = roots.get(number + 1).copied().unwrap_or(self.steps.len());
            trees.push((self.steps[root].step.start, root..end));
        }
        if trees.is_sorted_by_key(|(start, _)| *start) {
            return;
        }
        trees.sort_by_key(|(start, tree)| (*start, tree.start));
        let mut ordered = Vec::with_capacity(self.steps.len());
        for (_, tree) in trees {
            let (from, to) = (tree.start, ordered.len());
            for placed in &self.steps[tree] {
                let parent = placed.parent.map(|parent| parent - from + to);
                ordered.push(PlacedStep { parent, ..placed.clone() });
            }
        }
        self.steps = ordered;
    }

    /// Adds a step to what there is of its level.
    pub(super) fn count(&mut self, step: &PathStep, outermost: bool) {
        let at = match self.levels.binary_search_by_key(&step.level, |total| total.level) {
            Ok(at) => at,
            Err(at) => {
                let longest = Nanos::ZERO;
                let level = step.level;
                let none =
                    PathTotal { level, count: 0, outermost: 0, total_ns: 0, longest, bytes: 0 };
                self.levels.insert(at, none);
                at
            }
        };
        let total = &mut self.levels[at];
        total.count += 1;
        total.outermost += u64::from(outermost);
        total.total_ns += u128::from(step.duration.as_nanos());
        total.longest = total.longest.max(step.duration);
        total.bytes += u128::from(step.bytes.unwrap_or(0));
    }

    /// Counts requests that have no place.
    pub(super) fn leave_out(&mut self, requests: &[PathStep]) {
        let mut programs: BTreeMap<Arc<str>, (u64, u128)> =
            self.unplaced.drain(..).map(|one| (one.program, (one.count, one.bytes))).collect();
        for request in requests {
            let known = programs.entry(Arc::clone(&request.program)).or_default();
            known.0 += 1;
            known.1 += u128::from(request.bytes.unwrap_or(0));
        }
        self.unplaced = programs
            .into_iter()
            .map(|(program, (count, bytes))| UnplacedRequests { program, count, bytes })
            .collect();
        self.unplaced
            .sort_by(|one, two| two.count.cmp(&one.count).then(one.program.cmp(&two.program)));
    }

    /// How many block requests have no place.
    pub fn unplaced_count(&self) -> u64 {
        self.unplaced.iter().map(|one| one.count).sum()
    }
}
