//! What is drawn: stacks with equal beginnings put together.

use std::ops::Range;

use crate::names::NameId;
use crate::stacks::{StackId, Stacks};

/// The name of frames that are too narrow to be kept one by one.
const NARROW: NameId = NameId::MAX;

/// A frame as it is drawn: as wide as all stacks that begin like this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The name; meaningless for the root.
    pub name: NameId,
    /// The node below it; the root is its own.
    pub parent: usize,
    /// How many nodes are below it; 0 for the root.
    pub depth: usize,
    /// The count of all stacks through it.
    pub total: u64,
    /// The count of those that end in it.
    pub own: u64,
}

/// Nodes, the root first and each before those above it; neighbours are in the order of their names.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// For each stack the node that it ends in.
    pub ends: Vec<usize>,
    /// How many frames are too narrow to be kept one by one: each is a part of a node named [`Tree::NARROW`].
    pub narrow: usize,
}

/// What a function costs wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionTotal {
    /// The name.
    pub name: NameId,
    /// The count of stacks that it is in, each once.
    pub total: u64,
    /// The count of stacks that end in it.
    pub own: u64,
}

impl Tree {
    /// What frames that are too narrow are called.
    pub const NARROW: &'static str = "(narrower frames)";
    /// The most nodes of a page.
    const MOST: usize = 1_500_000;

    /// The tree of all stacks. Where there are too many nodes, the narrowest are added up.
    pub fn of(stacks: &Stacks, before: &[u64]) -> Tree {
        Tree::of_most(stacks, before, Tree::MOST)
    }

    /// The same of at most so many nodes. A stack weighs as much as the larger of its count and that in `before`.
    pub fn of_most(stacks: &Stacks, before: &[u64], most: usize) -> Tree {
        let mut paths = Paths::of(stacks);
        let mut sorted = paths.sorted();
        let weight =
            |id: StackId| stacks.count(id).max(before.get(id as usize).copied().unwrap_or(0));
        let mut widths = Widths::default();
        paths.each_node(&sorted, weight, |_, _, weight| widths.add(weight));
        let count = widths.count();
        if count >= most {
            let narrow = widths.narrow_of(most);
            let mut cuts = std::mem::take(&mut paths.cuts);
            paths.each_node(&sorted, weight, |depth, at, weight| {
                if Widths::class(weight) < narrow {
                    for &id in &sorted[at] {
                        cuts[id as usize] = u16::try_from(depth).unwrap_or(WHOLE);
                    }
                }
            });
            paths.cuts = cuts;
            sorted = paths.sorted();
        }
        let (nodes, ends) = paths.nodes(&sorted, count.min(most));
        let kept = nodes.iter().skip(1).filter(|node| node.name != NARROW).count();
        Tree { nodes, ends, narrow: count - kept }
    }

    /// Whether a node holds what is too narrow to be kept.
    pub fn is_narrow(&self, node: usize) -> bool {
        node > 0 && self.nodes.get(node).is_some_and(|node| node.name == NARROW)
    }

    /// The number of a node's name among the names of the stacks with [`Tree::NARROW`] behind them.
    pub fn name_number(stacks: &Stacks, node: &Node) -> usize {
        (node.name as usize).min(stacks.names().len())
    }

    /// The names of the frames of a node, the outermost first.
    pub fn path<'s>(&self, stacks: &'s Stacks, node: usize) -> Vec<&'s str> {
        let mut path = Vec::new();
        let mut at = node;
        while at > 0 {
            let node = &self.nodes[at];
            path.push(if node.name == NARROW { Tree::NARROW } else { stacks.name(node.name) });
            at = node.parent;
        }
        path.reverse();
        path
    }

    /// The counts of stacks, by number, as those of the nodes that they end in.
    pub fn own_of(&self, counts: &[u64]) -> Vec<u64> {
        let mut own = vec![0; self.nodes.len()];
        for (&end, &count) in self.ends.iter().zip(counts) {
            add(&mut own[end], count);
        }
        own
    }

    /// The node that a stack ends in.
    pub fn end_of(&self, stack: StackId) -> usize {
        self.ends.get(stack as usize).copied().unwrap_or(0)
    }
}

/// What each function costs, most of its own first.
pub(crate) fn functions(stacks: &Stacks) -> Vec<FunctionTotal> {
    let mut totals = totals_by_name(stacks, |_, count| count);
    totals.retain(|function| function.total > 0);
    totals
        .sort_by_key(|function| (std::cmp::Reverse((function.own, function.total)), function.name));
    totals
}

/// What each name costs by these counts of the stacks, in the order of their numbers.
pub(crate) fn totals_by_name(
    stacks: &Stacks,
    count_of: impl Fn(StackId, u64) -> u64,
) -> Vec<FunctionTotal> {
    let names = 0..NameId::try_from(stacks.names().len()).unwrap_or(NameId::MAX);
    let mut totals: Vec<FunctionTotal> =
        names.map(|name| FunctionTotal { name, total: 0, own: 0 }).collect();
    let mut seen: Vec<NameId> = Vec::new();
    for (id, frames, count) in stacks.iter() {
        let count = count_of(id, count);
        seen.clear();
        seen.extend_from_slice(frames);
        seen.sort_unstable();
        seen.dedup();
        for &name in &seen {
            add(&mut totals[name as usize].total, count);
        }
        if let Some(&last) = frames.last() {
            add(&mut totals[last as usize].own, count);
        }
    }
    totals
}

impl Stacks {
    /// What each function costs, most of its own first.
    pub fn functions(&self) -> Vec<FunctionTotal> {
        functions(self)
    }
}

fn add(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}

/// The numbers of stacks in the order of their frames' names.
pub(crate) fn in_order(stacks: &Stacks) -> Vec<StackId> {
    Paths::of(stacks).sorted()
}

/// A stack of which no frame is cut away.
const WHOLE: u16 = u16::MAX;

/// The frames of stacks as far as they are kept.
struct Paths<'s> {
    stacks: &'s Stacks,
    /// The place of each name in their order.
    ranks: Vec<u32>,
    /// How many frames of each stack are kept.
    cuts: Vec<u16>,
}

impl<'s> Paths<'s> {
    fn of(stacks: &'s Stacks) -> Paths<'s> {
        let mut ordered: Vec<NameId> = (0..).take(stacks.names().len()).collect();
        ordered.sort_by_key(|&name| (stacks.name(name), name));
        let mut ranks = vec![0; ordered.len()];
        for (rank, name) in (0..).zip(ordered) {
            ranks[name as usize] = rank;
        }
        Paths { stacks, ranks, cuts: vec![WHOLE; stacks.len()] }
    }

    /// The names of a stack's frames, with [`NARROW`] for what is cut away.
    fn path(&self, id: StackId) -> impl Iterator<Item = NameId> {
        let frames = self.stacks.frames(id);
        let kept = usize::from(self.cuts.get(id as usize).copied().unwrap_or(WHOLE));
        let is_cut = kept < frames.len();
        frames.iter().copied().take(kept).chain(is_cut.then_some(NARROW))
    }

    /// The stacks in the order of their frames; what is cut away comes last.
    fn sorted(&self) -> Vec<StackId> {
        let rank = |name: NameId| self.ranks.get(name as usize).copied().unwrap_or(NARROW);
        let mut ids: Vec<StackId> = (0..).take(self.stacks.len()).collect();
        ids.sort_by(|&one, &two| self.path(one).map(rank).cmp(self.path(two).map(rank)));
        ids
    }

    /// Gives each node but the root once all of it is known: its depth from 0, where its stacks are in `sorted`, and
    /// what they weigh.
    fn each_node(
        &self,
        sorted: &[StackId],
        weight: impl Fn(StackId) -> u64,
        mut closed: impl FnMut(usize, Range<usize>, u64),
    ) {
        let mut open: Vec<(NameId, usize, u64)> = Vec::new();
        let mut close = |open: &mut Vec<(NameId, usize, u64)>, shared: usize, at: usize| {
            while open.len() > shared
                && let Some((_, first, weight)) = open.pop()
            {
                closed(open.len(), first..at, weight);
                if let Some((.., outer)) = open.last_mut() {
                    add(outer, weight);
                }
            }
        };
        for (at, &id) in sorted.iter().enumerate() {
            let same =
                open.iter().zip(self.path(id)).take_while(|((name, ..), other)| name == other);
            let shared = same.count();
            close(&mut open, shared, at);
            open.extend(self.path(id).skip(shared).map(|name| (name, at, 0)));
            if let Some((.., last)) = open.last_mut() {
                add(last, weight(id));
            }
        }
        close(&mut open, 0, sorted.len());
    }

    /// The nodes, about so many, and the one that each stack ends in.
    fn nodes(&self, sorted: &[StackId], about: usize) -> (Vec<Node>, Vec<usize>) {
        let mut nodes = Vec::with_capacity(about + 1);
        nodes.push(Node { name: 0, parent: 0, depth: 0, total: 0, own: 0 });
        let mut ends = vec![0; sorted.len()];
        let mut open: Vec<usize> = vec![0];
        for &id in sorted {
            let same = open.iter().skip(1).zip(self.path(id));
            let shared = same.take_while(|(at, name)| nodes[**at].name == *name).count();
            open.truncate(shared + 1);
            for name in self.path(id).skip(shared) {
                let (parent, depth) = (open[open.len() - 1], open.len());
                open.push(nodes.len());
                nodes.push(Node { name, parent, depth, total: 0, own: 0 });
            }
            let end = open[open.len() - 1];
            add(&mut nodes[end].own, self.stacks.count(id));
            ends[id as usize] = end;
        }
        // What is above a node stands behind it.
        for at in (0..nodes.len()).rev() {
            let Node { own, parent, total, .. } = nodes[at];
            let total = total.saturating_add(own);
            nodes[at].total = total;
            if at > 0 {
                add(&mut nodes[parent].total, total);
            }
        }
        (nodes, ends)
    }
}

/// How many nodes there are by their weight: of each power of two.
struct Widths([usize; 65]);

impl Default for Widths {
    fn default() -> Widths {
        Widths([0; 65])
    }
}

impl Widths {
    fn class(weight: u64) -> u32 {
        u64::BITS - weight.leading_zeros()
    }

    fn add(&mut self, weight: u64) {
        self.0[Widths::class(weight) as usize] += 1;
    }

    fn count(&self) -> usize {
        self.0.iter().sum()
    }

    /// The least class of which nodes are kept, so that these are at most so many with one for the narrower frames
    /// above each.
    fn narrow_of(&self, most: usize) -> u32 {
        let mut kept = 0;
        for class in (0..=u64::BITS).rev() {
            kept += self.0[class as usize];
            if kept > most / 2 {
                return class + 1;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_beginnings_are_put_together_in_order() {
        let mut stacks = Stacks::default();
        stacks.add_named(&["b", "z"], 1);
        stacks.add_named(&["a", "y"], 2);
        stacks.add_named(&["b", "a"], 4);
        stacks.add_named(&["b"], 8);
        let tree = Tree::of(&stacks, &[]);
        let shown: Vec<(&str, usize, u64, u64)> = tree.nodes[1..]
            .iter()
            .map(|node| (stacks.name(node.name), node.parent, node.total, node.own))
            .collect();
        let expected =
            [("a", 0, 2, 0), ("y", 1, 2, 2), ("b", 0, 13, 8), ("a", 3, 4, 4), ("z", 3, 1, 1)];
        assert_eq!(shown, expected);
        assert_eq!(tree.ends, [5, 2, 4, 3]);
    }

    #[test]
    fn a_function_that_calls_itself_counts_once() {
        let mut stacks = Stacks::default();
        stacks.add_named(&["f", "f", "g", "f"], 3);
        stacks.add_named(&["f", "g"], 2);
        let all: Vec<(&str, u64, u64)> = stacks
            .functions()
            .iter()
            .map(|function| (stacks.name(function.name), function.total, function.own))
            .collect();
        assert_eq!(all, [("f", 5, 3), ("g", 5, 2)]);
    }

    proptest! {
        #[test]
        fn a_node_is_as_wide_as_what_ends_in_it_and_above_it(
            given in prop::collection::vec((prop::collection::vec("[a-c]", 1..6), 0..100_u64), 1..30)
        ) {
            let mut stacks = Stacks::default();
            for (frames, count) in &given {
                stacks.add_named(frames, *count);
            }
            let tree = Tree::of(&stacks, &[]);
            let mut sums: Vec<u64> = tree.nodes.iter().map(|node| node.own).collect();
            for at in (1..tree.nodes.len()).rev() {
                prop_assert!(tree.nodes[at].parent < at);
                prop_assert_eq!(sums[at], tree.nodes[at].total);
                let sum = sums[at];
                sums[tree.nodes[at].parent] += sum;
            }
            prop_assert_eq!(sums[0], stacks.total());
        }

        #[test]
        fn the_narrowest_frames_are_added_up_where_there_are_too_many(
            given in prop::collection::vec((prop::collection::vec("[a-e]", 1..6), 0..1_000_u64), 1..60),
            most in 2_usize..40,
        ) {
            let mut stacks = Stacks::default();
            for (frames, count) in &given {
                stacks.add_named(frames, *count);
            }
            let (whole, some) = (Tree::of(&stacks, &[]), Tree::of_most(&stacks, &[], most));
            prop_assert!(some.nodes.len() <= most + 2, "{} of {most}", some.nodes.len());
            prop_assert_eq!((whole.narrow, some.nodes[0].total), (0, stacks.total()));
            // By their paths: every frame that is kept is as wide as it was, and what is left is counted.
            let widths = |tree: &Tree| -> std::collections::BTreeMap<Vec<String>, u64> {
                let path = |at| tree.path(&stacks, at).into_iter().map(str::to_owned).collect();
                (1..tree.nodes.len()).map(|at| (path(at), tree.nodes[at].total)).collect()
            };
            let (all, kept) = (widths(&whole), widths(&some));
            prop_assert_eq!(kept.len() + 1, some.nodes.len(), "one node for each path");
            let is_narrow = |path: &[String]| path.last().is_some_and(|name| name == Tree::NARROW);
            for (path, width) in &kept {
                prop_assert!(is_narrow(path) || all.get(path) == Some(width));
            }
            let named = kept.keys().filter(|path| !is_narrow(path)).count();
            prop_assert_eq!(named + some.narrow, all.len());
            let widest_gone = all.iter().filter(|(path, _)| !kept.contains_key(*path)).map(|(_, width)| width).max();
            let narrowest_kept = kept.iter().filter(|(path, _)| !is_narrow(path)).map(|(_, width)| width).min();
            if let (Some(gone), Some(kept)) = (widest_gone, narrowest_kept) {
                prop_assert!(gone < kept, "{gone} gone, {kept} kept");
            }
        }
    }
}
