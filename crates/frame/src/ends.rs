//! When the first of some things begins, and the last of them ends.

use crate::Timestamp;

/// The earliest start and the latest end of some ranges of time; none of no range.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends(Option<(Timestamp, Timestamp)>);

impl Ends {
    /// Reaches as far as from `start` to `end`, too.
    pub fn reach(&mut self, start: Timestamp, end: Timestamp) {
        let known = self.0.map_or((start, end), |(from, to)| (from.min(start), to.max(end)));
        self.0 = Some(known);
    }

    /// The earliest start and the latest end.
    pub fn get(self) -> Option<(Timestamp, Timestamp)> {
        self.0
    }
}

impl Extend<(Timestamp, Timestamp)> for Ends {
    fn extend<I: IntoIterator<Item = (Timestamp, Timestamp)>>(&mut self, ranges: I) {
        ranges.into_iter().for_each(|(start, end)| self.reach(start, end));
    }
}

impl FromIterator<(Timestamp, Timestamp)> for Ends {
    fn from_iter<I: IntoIterator<Item = (Timestamp, Timestamp)>>(ranges: I) -> Ends {
        let mut ends = Ends::default();
        ends.extend(ranges);
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(ranges: &[(i64, i64)]) -> Option<(i64, i64)> {
        let at = |&(from, to): &(i64, i64)| (Timestamp::new(from), Timestamp::new(to));
        let found = ranges.iter().map(at).collect::<Ends>().get();
        found.map(|(from, to)| (from.as_nanos(), to.as_nanos()))
    }

    #[test]
    fn they_reach_over_gaps_and_are_none_of_nothing() {
        assert_eq!(ends(&[]), None);
        assert_eq!(ends(&[(5, 9)]), Some((5, 9)));
        assert_eq!(ends(&[(5, 9), (-3, 2), (6, 8)]), Some((-3, 9)));
        assert_eq!(ends(&[(1, 2), (7, 30)]), Some((1, 30)));
    }
}
