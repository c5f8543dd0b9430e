//! Puts steps into each other: by time within their thread, block requests by the moment at which
//! their thread asked for them.

use std::cmp::Reverse;
use std::collections::HashMap;

use isotherm_frame::{Nanos, PathLevel, PathStep, TimeRange, Timestamp};

use super::steps::{IoPath, PlacedStep};

/// Steps that are on one clock.
#[derive(Clone, Debug, Default)]
pub struct PathInput {
    /// The steps, in any order.
    pub steps: Vec<PathStep>,
    /// How much later a step may seem to end than the one it is in: what is lost where times are
    /// rounded.
    pub rounding: Nanos,
}

/// A step and those in it, by their indices.
struct Node {
    step: PathStep,
    parent: Option<usize>,
    children: Vec<usize>,
}

/// Places the steps of an input behind those there are.
pub(super) fn place(number: usize, input: PathInput, range: &TimeRange, path: &mut IoPath) {
    let PathInput { steps, rounding } = input;
    let mut others = steps;
    let is_request = |step: &mut PathStep| step.level == PathLevel::BlockRequest;
    let requests: Vec<PathStep> = others.extract_if(.., is_request).collect();
    let mut nodes = nested(others, rounding);
    let unplaced = add_requests(&mut nodes, requests);
    let unplaced: Vec<PathStep> =
        unplaced.into_iter().filter(|step| touches(range, step.asked(), step.end())).collect();
    for step in &unplaced {
        path.count(step, true);
    }
    path.leave_out(&unplaced);
    let reaches = reaches(&nodes);
    let is_shown = |at: usize| touches(range, nodes[at].step.asked(), reaches[at]);
    let mut roots: Vec<usize> =
        (0..nodes.len()).filter(|&at| nodes[at].parent.is_none() && is_shown(at)).collect();
    // Of one input they are in order then, and need not be moved.
    roots.sort_by_key(|&root| nodes[root].step.start);
    path.steps.reserve((0..nodes.len()).filter(|&at| is_shown(at)).count());
    for root in roots {
        write(&nodes, root, (number, &is_shown), path);
    }
}

/// Whether something from a start to an end lies in the range, at least in part.
fn touches(range: &TimeRange, start: Timestamp, end: Timestamp) -> bool {
    range.from.is_none_or(|from| end >= from) && range.to.is_none_or(|to| start < to)
}

/// When each step and all in it have ended.
fn reaches(nodes: &[Node]) -> Vec<Timestamp> {
    let mut reaches: Vec<Timestamp> = nodes.iter().map(|node| node.step.end()).collect();
    // What is in a step stands behind it.
    for at in (0..nodes.len()).rev() {
        if let Some(parent) = nodes[at].parent {
            reaches[parent] = reaches[parent].max(reaches[at]);
        }
    }
    reaches
}

/// Steps in each other by time, each thread by itself, in the order of their beginnings.
fn nested(mut steps: Vec<PathStep>, rounding: Nanos) -> Vec<Node> {
    steps.sort_by_key(|step| {
        (step.process, step.thread, step.start, Reverse(step.end()), rank(step))
    });
    let mut nodes: Vec<Node> = Vec::with_capacity(steps.len());
    // Those that the next one may be in, the outermost first.
    let mut open: Vec<usize> = Vec::new();
    for step in steps {
        while let Some(&last) = open.last() {
            let outer = &nodes[last].step;
            let same = (outer.process, outer.thread) == (step.process, step.thread);
            let within = step.end() <= outer.end().plus(rounding) && step.start < outer.end();
            if same && within && rank(outer) < rank(&step) {
                break;
            }
            open.pop();
        }
        let (at, parent) = (nodes.len(), open.last().copied());
        if let Some(parent) = parent {
            nodes[parent].children.push(at);
        }
        nodes.push(Node { step, parent, children: Vec::new() });
        open.push(at);
    }
    nodes
}

/// What holds what, the outermost first: a call of the database may hold statements that the database
/// sends itself; waits and what is below them hold none.
fn rank(step: &PathStep) -> (u32, PathLevel) {
    let is_of_database = step.level < PathLevel::Wait;
    (if is_of_database { step.recursion } else { u32::MAX }, step.level)
}

/// Gives each block request to the innermost step of its thread during which it was asked for, and
/// gives back those without one.
fn add_requests(nodes: &mut Vec<Node>, mut requests: Vec<PathStep>) -> Vec<PathStep> {
    requests.sort_by_key(PathStep::asked);
    let mut threads: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        threads.entry((node.step.process, node.step.thread)).or_default().push(at);
    }
    let mut unplaced = Vec::new();
    for request in requests {
        let asked = request.asked();
        let thread = threads.get(&(request.process, request.thread));
        let found = thread.and_then(|steps| {
            // In the order of their beginnings: the last before it, or one that this one is in.
            let after = steps.partition_point(|&at| nodes[at].step.start <= asked);
            let mut candidate = after.checked_sub(1).map(|last| steps[last]);
            while let Some(at) = candidate {
                if nodes[at].step.end() >= asked {
                    return Some(at);
                }
                candidate = nodes[at].parent;
            }
            None
        });
        let Some(parent) = found else {
            unplaced.push(request);
            continue;
        };
        let at = nodes.len();
        nodes[parent].children.push(at);
        nodes.push(Node { step: request, parent: Some(parent), children: Vec::new() });
    }
    unplaced
}

/// Writes a tree down, each step before those in it: of what is shown.
fn write(
    nodes: &[Node],
    root: usize,
    (input, is_shown): (usize, &dyn Fn(usize) -> bool),
    path: &mut IoPath,
) {
    let mut open: Vec<(usize, u32, Option<usize>)> = vec![(root, 0, None)];
    while let Some((at, depth, parent)) = open.pop() {
        let node = &nodes[at];
        let (own, index) = (own(nodes, node), path.steps.len());
        let outer = parent.map(|parent| path.steps[parent].step.end());
        let beyond = outer.map_or(Nanos::ZERO, |outer| node.step.end().since(outer));
        path.count(&node.step, parent.is_none());
        let step = node.step.clone();
        path.steps.push(PlacedStep { step, input, depth, parent, own, beyond });
        let mut children = node.children.clone();
        children.retain(|&child| is_shown(child));
        children.sort_by_key(|&child| nodes[child].step.asked());
        open.extend(children.into_iter().rev().map(|child| (child, depth + 1, Some(index))));
    }
}

/// The part of a step in which nothing in it was in progress.
fn own(nodes: &[Node], node: &Node) -> Nanos {
    let (start, end) = (node.step.start, node.step.end());
    let mut inner: Vec<(Timestamp, Timestamp)> = node
        .children
        .iter()
        .map(|&child| &nodes[child].step)
        .map(|step| (step.asked().max(start), step.end().min(end)))
        .collect();
    inner.sort_unstable();
    let (mut covered, mut reached) = (Nanos::ZERO, start);
    for (from, to) in inner {
        let more = to.since(from.max(reached));
        covered = covered.checked_add(more).unwrap_or(covered);
        reached = reached.max(to);
    }
    node.step.duration.checked_sub(covered).unwrap_or(Nanos::ZERO)
}
