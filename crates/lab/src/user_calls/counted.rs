//! The user calls of one piece of work, by three counts.

use super::calls::Calls;
use super::wire::Counts;

/// One piece of work.
#[derive(Clone, Debug)]
pub struct Counted {
    /// What was done.
    pub name: &'static str,
    /// Rows written by statements that the server ran by itself.
    pub inside: u64,
    /// The user calls that it should have.
    pub law: u64,
    /// The user calls that were published for Oracle; empty if none were.
    pub published: &'static str,
    /// Whether statements were sent together.
    pub is_pipeline: bool,
    /// By the proxy.
    pub wire: Counts,
    /// What the client counted that sent it.
    pub client: Calls,
    /// What the server has in its log.
    pub server: Calls,
}

impl Counted {
    /// Whether the proxy, the client and the server have the same numbers of each message.
    pub fn agrees(&self) -> bool {
        self.wire.calls == self.client && self.wire.calls == self.server
    }

    /// Whether there are as many user calls as there should be, and no other.
    pub fn keeps_the_law(&self) -> bool {
        self.wire.user_calls() == self.law
    }
}

/// Rows that were fetched in arrays.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub rows: u64,
    /// The most rows of a fetch.
    pub array: u64,
    pub counted: Counted,
    /// The time of each repetition without the proxy, seconds; empty if it was not measured.
    pub times_s: Vec<f64>,
}

impl Fetched {
    /// The median of the times.
    pub fn time_s(&self) -> Option<f64> {
        let mut times = self.times_s.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }
}

/// The fetches that `PostgreSQL` needs: those that hold the rows, and one that finds none where the last
/// of them is full, because a full array does not say that it was the last.
pub fn fetches(rows: u64, array: u64) -> u64 {
    rows.div_ceil(array) + u64::from(rows.is_multiple_of(array))
}

/// PARSE, EXEC and the fetches.
pub fn user_calls(rows: u64, array: u64) -> u64 {
    2 + fetches(rows, array)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fetches by hand: until one is not full.
    fn by_hand(mut rows: u64, array: u64) -> u64 {
        for fetch in 1.. {
            if rows < array {
                return fetch;
            }
            rows -= array;
        }
        unreachable!("an array holds at least one row")
    }

    #[test]
    fn the_law_is_that_of_fetching_until_an_array_is_not_full() {
        for rows in 0..200 {
            for array in 1..50 {
                assert_eq!(fetches(rows, array), by_hand(rows, array), "{rows} by {array}");
            }
        }
    }

    #[test]
    fn published_counts_follow_from_the_law() {
        assert_eq!([user_calls(71_353, 15), user_calls(71_353, 200)], [4_759, 359]);
    }
}
