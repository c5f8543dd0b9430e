//! Time between calls: waits for the client, by the call before them.

use std::collections::BTreeMap;

use super::statement::{StatementId, StatementKey};

/// The event of a session that its client has yet to call again.
pub(super) const CLIENT: &str = "SQL*Net message from client";
/// What is behind no call.
const FIRST: &str = "the beginning";
/// What is behind calls that are not kept apart.
const ANY: &str = "any call";
/// How many statements and kinds of calls are kept apart.
const MOST: usize = 1_000;

/// Waits for the client behind calls of one kind.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientWaits {
    /// How many.
    pub count: u64,
    /// Their time in nanoseconds.
    pub total_ns: u64,
    /// The shortest, in nanoseconds.
    pub min_ns: u64,
    /// The longest, in nanoseconds.
    pub max_ns: u64,
}

/// Waits for the client, by the statement that was called before them and by the kind of the call.
#[derive(Clone, Debug, Default)]
pub struct BetweenCalls(BTreeMap<(StatementKey, &'static str), ClientWaits>);

impl BetweenCalls {
    /// A wait behind a call, or at the beginning of the trace.
    pub(super) fn add(&mut self, behind: Option<(StatementKey, &'static str)>, ns: u64) {
        let first = (StatementKey { id: StatementId::None, recursive: false }, FIRST);
        self.waits_behind(behind.unwrap_or(first)).record(&ClientWaits {
            count: 1,
            total_ns: ns,
            min_ns: ns,
            max_ns: ns,
        });
    }

    fn waits_behind(&mut self, behind: (StatementKey, &'static str)) -> &mut ClientWaits {
        let known = self.0.len() < MOST || self.0.contains_key(&behind);
        let others = (StatementKey { id: StatementId::Others, recursive: false }, ANY);
        self.0.entry(if known { behind } else { others }).or_default()
    }

    /// The statements and kinds of calls, most time behind them first.
    pub fn by_time(&self) -> Vec<(StatementKey, &'static str, ClientWaits)> {
        let mut all: Vec<_> =
            self.0.iter().map(|(&(key, call), &waits)| (key, call, waits)).collect();
        all.sort_by_key(|(key, call, waits)| (std::cmp::Reverse(waits.total_ns), *key, *call));
        all
    }

    /// All of them.
    pub fn all(&self) -> ClientWaits {
        self.0.values().fold(ClientWaits::default(), |mut all, waits| {
            all.record(waits);
            all
        })
    }

    pub(super) fn merge(&mut self, other: &BetweenCalls) {
        for (&behind, waits) in &other.0 {
            self.waits_behind(behind).record(waits);
        }
    }
}

impl ClientWaits {
    fn record(&mut self, other: &ClientWaits) {
        if other.count == 0 {
            return;
        }
        self.min_ns = if self.count == 0 { other.min_ns } else { self.min_ns.min(other.min_ns) };
        self.max_ns = self.max_ns.max(other.max_ns);
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
    }

    /// The mean in nanoseconds; `None` without waits.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_beyond_those_kept_apart_keep_their_time() {
        let mut between = BetweenCalls::default();
        for hash in 0..MOST as u64 + 50 {
            let key = StatementKey { id: StatementId::Hash(hash), recursive: false };
            between.add(Some((key, "exec")), 2);
        }
        between.add(None, 5);
        let all = between.by_time();
        assert_eq!(all.len(), MOST + 1);
        assert_eq!(
            all.iter().map(|(_, _, waits)| waits.total_ns).sum::<u64>(),
            2 * (MOST as u64 + 50) + 5
        );
        let mut twice = between.clone();
        twice.merge(&between);
        assert_eq!(twice.by_time()[0].2.total_ns, 2 * all[0].2.total_ns);
    }
}
