//! What happened within which call.
//!
//! The server writes a line when something ends, so deeper calls and waits stand before the call
//! that they are part of. What has ended and belongs to no call yet lies on two stacks; a call
//! that ends takes from their tops everything that happened since it began. What a call of the
//! user leaves behind happened between calls.

use std::collections::BTreeMap;

use super::statements::Slot;

/// A wait that no call has taken yet, or several of one moment.
#[derive(Copy, Clone, Debug)]
pub(super) struct OpenWait {
    /// Its middle on the trace's clock: safe from ends that are rounded differently.
    middle: u64,
    /// The statement it was written for.
    pub slot: Slot,
    /// Its time, when it was for the database.
    pub busy_ns: u64,
    /// Its time, when it was idle.
    pub idle_ns: u64,
}

/// A finished call that no other has taken yet, or several of one statement.
#[derive(Copy, Clone, Debug)]
pub(super) struct OpenCall {
    middle: u64,
    /// How deep; [`LOB_DEPTH`] for LOB calls.
    depth: u32,
    /// The statement.
    pub slot: Slot,
    /// Elapsed time, with what is below it.
    pub elapsed_ns: u64,
    /// Processor time, with what is below it.
    pub cpu_ns: u64,
    /// Idle time, with what is below it.
    pub idle_ns: u64,
}

/// What a call took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "a unit belongs to every number")]
pub(super) struct WaitCosts {
    /// Its own waits for the database.
    pub busy_ns: u64,
    /// Its own idle waits.
    pub idle_ns: u64,
    /// Elapsed time of the calls right below it.
    pub elapsed_below_ns: u64,
    /// Their processor time.
    pub cpu_below_ns: u64,
    /// Their idle time.
    pub idle_below_ns: u64,
}

/// Where on the trace's clock a call lies, and how deep it is.
#[derive(Copy, Clone, Debug)]
pub(super) struct Span {
    /// When it began; `None` without a clock: then everything open is in it.
    pub start: Option<u64>,
    /// The middle.
    pub middle: u64,
    /// Recursion depth.
    pub depth: u32,
}

/// The depth of LOB calls, which do not say how deep they are: any call that spans one holds it.
pub(super) const LOB_DEPTH: u32 = u32::MAX;
/// How many waits, and how many calls, lie open before the older half is made coarser.
const MOST_OPEN: usize = 16_384;

/// The two stacks of one session.
#[derive(Clone, Debug, Default)]
pub(super) struct Nesting {
    waits: Vec<OpenWait>,
    calls: Vec<OpenCall>,
}

impl Nesting {
    /// A wait ended.
    pub fn wait(&mut self, middle: u64, slot: Slot, busy_ns: u64, idle_ns: u64) {
        if self.waits.len() >= MOST_OPEN {
            coarsen_waits(&mut self.waits);
        }
        self.waits.push(OpenWait { middle, slot, busy_ns, idle_ns });
    }

    /// A call ended: what happened in it. `below` is told the calls right below it.
    pub fn take(&mut self, span: Span, mut below: impl FnMut(&OpenCall)) -> WaitCosts {
        let mut costs = WaitCosts::default();
        let within = |middle: u64| span.start.is_none_or(|start| middle > start);
        while let Some(wait) = self.waits.pop_if(|wait| within(wait.middle)) {
            costs.busy_ns = costs.busy_ns.saturating_add(wait.busy_ns);
            costs.idle_ns = costs.idle_ns.saturating_add(wait.idle_ns);
        }
        let deeper = |call: &mut OpenCall| call.depth > span.depth && within(call.middle);
        while let Some(call) = self.calls.pop_if(deeper) {
            costs.elapsed_below_ns = costs.elapsed_below_ns.saturating_add(call.elapsed_ns);
            costs.cpu_below_ns = costs.cpu_below_ns.saturating_add(call.cpu_ns);
            costs.idle_below_ns = costs.idle_below_ns.saturating_add(call.idle_ns);
            below(&call);
        }
        costs
    }

    /// Leaves a finished call to the one it may be part of.
    pub fn leave(&mut self, span: Span, mut call: OpenCall) {
        if self.calls.len() >= MOST_OPEN {
            coarsen_calls(&mut self.calls);
        }
        (call.middle, call.depth) = (span.middle, span.depth);
        self.calls.push(call);
    }

    /// Everything still open: it is part of no call.
    pub fn drain(&mut self) -> (std::vec::Drain<'_, OpenWait>, std::vec::Drain<'_, OpenCall>) {
        (self.waits.drain(..), self.calls.drain(..))
    }

    /// Every statement held, to be changed when statements move.
    pub fn slots(&mut self) -> impl Iterator<Item = &mut Slot> {
        let waits = self.waits.iter_mut().map(|wait| &mut wait.slot);
        waits.chain(self.calls.iter_mut().map(|call| &mut call.slot))
    }
}

impl OpenCall {
    /// A call with what it cost and the idle time in it.
    pub fn new(slot: Slot, elapsed_ns: u64, cpu_ns: u64, idle_ns: u64) -> OpenCall {
        OpenCall { middle: 0, depth: 0, slot, elapsed_ns, cpu_ns, idle_ns }
    }
}

/// Makes pairs of the older half: a call that began amid a pair takes or leaves it whole.
fn coarsen_waits(waits: &mut Vec<OpenWait>) {
    let (older, newer) = waits.split_at(waits.len() / 2);
    let pairs = older.chunks(2).map(|pair| {
        let mut whole = pair[pair.len() - 1];
        if let [first, _] = pair {
            whole.busy_ns = whole.busy_ns.saturating_add(first.busy_ns);
            whole.idle_ns = whole.idle_ns.saturating_add(first.idle_ns);
        }
        whole
    });
    *waits = pairs.chain(newer.iter().copied()).collect();
}

/// Makes one of all calls of the same statement and depth in the older half; if these are too
/// many still, pairs.
fn coarsen_calls(calls: &mut Vec<OpenCall>) {
    let (older, newer) = calls.split_at(calls.len() / 2);
    let mut sums: BTreeMap<(u32, Slot), OpenCall> = BTreeMap::new();
    for call in older {
        let sum = sums.entry((call.depth, call.slot)).or_insert(OpenCall {
            elapsed_ns: 0,
            cpu_ns: 0,
            idle_ns: 0,
            ..*call
        });
        absorb(sum, call);
    }
    let mut merged: Vec<OpenCall> = sums.into_values().collect();
    merged.sort_by_key(|call| call.middle);
    if merged.len() > MOST_OPEN / 4 {
        let pairs = merged.chunks(2).map(|pair| {
            let mut whole = pair[pair.len() - 1];
            if let [first, _] = pair {
                whole.depth = whole.depth.max(first.depth);
                absorb(&mut whole, first);
            }
            whole
        });
        merged = pairs.collect();
    }
    merged.extend_from_slice(newer);
    *calls = merged;
}

fn absorb(whole: &mut OpenCall, call: &OpenCall) {
    whole.middle = whole.middle.max(call.middle);
    whole.elapsed_ns = whole.elapsed_ns.saturating_add(call.elapsed_ns);
    whole.cpu_ns = whole.cpu_ns.saturating_add(call.cpu_ns);
    whole.idle_ns = whole.idle_ns.saturating_add(call.idle_ns);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64, depth: u32) -> Span {
        Span { start: Some(start), middle: u64::midpoint(start, end), depth }
    }

    #[test]
    fn a_call_takes_what_happened_since_it_began_and_leaves_the_rest() {
        let mut nesting = Nesting::default();
        nesting.wait(50, 1, 5, 0);
        nesting.wait(120, 1, 7, 0);
        // A call one deeper from 150 to 190, with a wait in it.
        nesting.wait(160, 2, 11, 0);
        let child = span(150, 190, 1);
        let own = nesting.take(child, |_| panic!("nothing is below"));
        assert_eq!(own, WaitCosts { busy_ns: 11, ..WaitCosts::default() });
        nesting.leave(child, OpenCall::new(2, 40, 20, 0));
        nesting.wait(195, 1, 0, 13);
        let mut below = Vec::new();
        let costs = nesting.take(span(100, 200, 0), |call| below.push(call.slot));
        let expected = WaitCosts {
            busy_ns: 7,
            idle_ns: 13,
            elapsed_below_ns: 40,
            cpu_below_ns: 20,
            idle_below_ns: 0,
        };
        assert_eq!((costs, below), (expected, vec![2]));
        let (waits, calls) = nesting.drain();
        assert_eq!((waits.map(|wait| wait.busy_ns).sum::<u64>(), calls.len()), (5, 0));
    }

    #[test]
    fn many_open_waits_and_calls_keep_their_sums() {
        let mut nesting = Nesting::default();
        let all = 5 * MOST_OPEN as u64;
        for moment in 0..all {
            let slot = Slot::try_from(moment % 30_000).unwrap();
            nesting.wait(moment, slot, 1, 2);
            nesting.leave(span(moment, moment, 1), OpenCall::new(slot, 3, 4, 5));
        }
        assert!(nesting.waits.len() <= MOST_OPEN && nesting.calls.len() <= MOST_OPEN);
        let costs = nesting.take(Span { start: None, middle: 0, depth: 0 }, |_| {});
        let expected = WaitCosts {
            busy_ns: all,
            idle_ns: 2 * all,
            elapsed_below_ns: 3 * all,
            cpu_below_ns: 4 * all,
            idle_below_ns: 5 * all,
        };
        assert_eq!(costs, expected);
    }
}
