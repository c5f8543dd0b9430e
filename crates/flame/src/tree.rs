//! What is drawn: stacks with equal beginnings put together.

use std::collections::HashMap;

use ahash::RandomState;

use crate::names::NameId;
use crate::stacks::{StackId, Stacks};

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
    /// The tree of all stacks.
    pub fn of(stacks: &Stacks) -> Tree {
        let mut nodes = vec![Node { name: 0, parent: 0, depth: 0, total: 0, own: 0 }];
        let mut children: HashMap<(usize, NameId), usize, RandomState> = HashMap::default();
        let mut ends = vec![0; stacks.len()];
        for (id, frames, count) in stacks.iter() {
            let mut at = 0;
            add(&mut nodes[0].total, count);
            for &name in frames {
                let (parent, depth) = (at, nodes[at].depth + 1);
                at = *children.entry((parent, name)).or_insert_with(|| {
                    nodes.push(Node { name, parent, depth, total: 0, own: 0 });
                    nodes.len() - 1
                });
                add(&mut nodes[at].total, count);
            }
            add(&mut nodes[at].own, count);
            ends[id as usize] = at;
        }
        let places = order(&nodes, |name| stacks.name(name));
        Tree { nodes: moved(nodes, &places), ends: ends.iter().map(|&at| places[at]).collect() }
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

/// The new place of each node, so that each stands before those above it and neighbours are in the
/// order of their names.
fn order<'n>(nodes: &[Node], name_of: impl Fn(NameId) -> &'n str) -> Vec<usize> {
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        above[node.parent].push(at);
    }
    for siblings in &mut above {
        // The first is the last to be pushed, and the first to be taken.
        siblings.sort_by(|&one, &two| name_of(nodes[two].name).cmp(name_of(nodes[one].name)));
    }
    let mut places = vec![0; nodes.len()];
    let mut open = vec![0];
    let mut next = 0;
    while let Some(at) = open.pop() {
        places[at] = next;
        next += 1;
        open.append(&mut above[at]);
    }
    places
}

fn moved(nodes: Vec<Node>, places: &[usize]) -> Vec<Node> {
    let mut numbered: Vec<(usize, Node)> = places
        .iter()
        .copied()
        .zip(nodes)
        .map(|(place, node)| (place, Node { parent: places[node.parent], ..node }))
        .collect();
    numbered.sort_unstable_by_key(|(place, _)| *place);
    numbered.into_iter().map(|(_, node)| node).collect()
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
        let tree = Tree::of(&stacks);
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
            let tree = Tree::of(&stacks);
            let mut sums: Vec<u64> = tree.nodes.iter().map(|node| node.own).collect();
            for at in (1..tree.nodes.len()).rev() {
                prop_assert!(tree.nodes[at].parent < at);
                prop_assert_eq!(sums[at], tree.nodes[at].total);
                let sum = sums[at];
                sums[tree.nodes[at].parent] += sum;
            }
            prop_assert_eq!(sums[0], stacks.total());
        }
    }
}
