//! Two sets of stacks beside each other.

use crate::stacks::Stacks;
use crate::tree::{FunctionTotal, totals_by_name};

/// Two sets of stacks as one.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The stacks of both, with their counts of B.
    pub stacks: Stacks,
    /// The count of A of each stack.
    pub counts_a: Vec<u64>,
}

/// What a function costs in A and in B, wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionChange {
    /// In A.
    pub a: FunctionTotal,
    /// In B.
    pub b: FunctionTotal,
}

/// What each function of A or B costs in both, the most changed share of its own first; the stacks
/// have the counts of B.
pub fn changes_of_functions(both: &Stacks, counts_a: &[u64]) -> Vec<FunctionChange> {
    let a = totals_by_name(both, |id, _| counts_a.get(id as usize).copied().unwrap_or(0));
    let b = totals_by_name(both, |_, count| count);
    let total_a = counts_a.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
    let total_b = both.total();
    let mut changes: Vec<FunctionChange> = a
        .into_iter()
        .zip(b)
        .map(|(a, b)| FunctionChange { a, b })
        .filter(|change| change.a.total > 0 || change.b.total > 0)
        .collect();
    let size = |change: &FunctionChange| {
        (share(change.b.own, total_b) - share(change.a.own, total_a)).abs()
    };
    changes.sort_by(|one, two| size(two).total_cmp(&size(one)).then(two.b.total.cmp(&one.b.total)));
    changes
}

/// Puts two sets of stacks together by the names of their frames.
pub fn difference(a: Stacks, b: &Stacks) -> Difference {
    let mut both = a;
    let mut counts_a = both.take_counts(b.most_bytes());
    for (_, frames, count) in b.iter() {
        let names: Vec<&str> = frames.iter().map(|&frame| b.name(frame)).collect();
        both.add_named(&names, count);
    }
    counts_a.resize(both.len(), 0);
    Difference { stacks: both, counts_a }
}

/// A count as a part of all.
fn share(count: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { count as f64 / total as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that are not UTF-8 are replaced alike in names that differ in them alone.
    #[test]
    fn stacks_differ_in_nothing_from_themselves_whatever_bytes_their_names_have() {
        let mut stacks = Stacks::default();
        for (name, count) in
            [(&b"read\xff"[..], 3), (b"read\xfe", 4), ("read\u{fffd}".as_bytes(), 5)]
        {
            let name = stacks.name_id(name);
            stacks.add(&[name], count);
        }
        let found = difference(stacks.clone(), &stacks);
        let counts: Vec<u64> = found.stacks.iter().map(|(.., count)| count).collect();
        assert_eq!((counts, found.counts_a), (vec![12], vec![12]));
    }

    #[test]
    fn shares_are_compared_not_counts() {
        let (mut a, mut b) = (Stacks::default(), Stacks::default());
        a.add_named(&["p", "parse"], 10);
        a.add_named(&["p", "gone"], 10);
        b.add_named(&["p", "parse"], 300);
        b.add_named(&["p", "new"], 100);
        let found = difference(a, &b);
        let functions: Vec<(&str, [u64; 4])> = changes_of_functions(&found.stacks, &found.counts_a)
            .iter()
            .map(|FunctionChange { a, b }| {
                (found.stacks.name(a.name), [a.own, b.own, a.total, b.total])
            })
            .collect();
        let expected = [
            ("gone", [10, 0, 10, 0]),
            ("parse", [10, 300, 10, 300]),
            ("new", [0, 100, 0, 100]),
            ("p", [0, 0, 20, 400]),
        ];
        assert_eq!(functions, expected);
        let mut folded = Vec::new();
        crate::folded::write_folded_difference(&found.stacks, &found.counts_a, &mut folded)
            .unwrap();
        assert_eq!(
            String::from_utf8(folded).unwrap(),
            "p;gone 10 0\np;new 0 100\np;parse 10 300\n"
        );
    }
}
