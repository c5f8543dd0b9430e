//! The time of waits that reach back over intervals before the one they end in.

use std::collections::BTreeMap;
use std::ops::Range;

/// For each interval and bucket: the time of waits that begin or end within the interval, and by
/// how much the number of waits that cover all of it differs from that of the interval before.
///
/// A wait of an hour takes three entries whatever the width of the intervals is.
#[derive(Debug, Default)]
pub(super) struct Spread {
    at: BTreeMap<(i64, usize), Entry>,
}

#[derive(Copy, Clone, Debug, Default)]
struct Entry {
    /// Nanoseconds; below zero only as a correction of what the cover says.
    partial_ns: i128,
    /// How many more waits of this bucket cover this interval than the one before.
    more: i64,
}

/// How many waits of each bucket cover all of an interval.
pub(super) type Cover = BTreeMap<usize, i64>;

impl Spread {
    /// What an entry takes in memory, about.
    pub const BYTES: usize = 64;

    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// A wait that takes so much of an interval.
    pub fn add_part(&mut self, interval: i64, bucket: usize, ns: u64) {
        self.at.entry((interval, bucket)).or_default().partial_ns += i128::from(ns);
    }

    /// So many waits do not cover an interval of this width, although those after it.
    pub fn take_back(&mut self, interval: i64, bucket: usize, waits: i64, width_ns: u64) {
        let ns = i128::from(waits) * i128::from(width_ns);
        self.at.entry((interval, bucket)).or_default().partial_ns -= ns;
    }

    /// A wait that takes all of these intervals.
    pub fn add_cover(&mut self, intervals: Range<i64>, bucket: usize) {
        if intervals.start < intervals.end {
            self.at.entry((intervals.start, bucket)).or_default().more += 1;
            self.at.entry((intervals.end, bucket)).or_default().more -= 1;
        }
    }

    /// How many intervals something waits in from before they begin until after they end.
    pub fn covered(&self) -> u64 {
        let (mut covered, mut waits, mut since) = (0_u64, 0_i64, 0);
        for (&(interval, _), entry) in &self.at {
            let is_covered = waits != 0;
            covered = covered.saturating_add(if is_covered { interval.abs_diff(since) } else { 0 });
            (waits, since) = (waits + entry.more, interval);
        }
        covered
    }

    /// The first interval with an entry, and the one after the last.
    pub fn span(&self) -> Option<(i64, i64)> {
        let (first, last) = (self.at.keys().next()?.0, self.at.keys().next_back()?.0);
        Some((first, last.saturating_add(1)))
    }

    /// The intervals of a range that have entries, in order.
    pub fn intervals(&self, range: Range<i64>) -> impl Iterator<Item = i64> + '_ {
        self.at.range((range.start, 0)..(range.end, 0)).map(|((interval, _), _)| *interval)
    }

    /// Takes the entries of an interval: changes `cover` to that of this interval and gives the
    /// partial times.
    pub fn take(&mut self, interval: i64, cover: &mut Cover) -> Vec<(usize, i128)> {
        let entries = self.at.range((interval, 0)..=(interval, usize::MAX));
        let entries: Vec<(usize, Entry)> = entries.map(|((_, b), entry)| (*b, *entry)).collect();
        let mut partial = Vec::new();
        for (bucket, entry) in entries {
            self.at.remove(&(interval, bucket));
            let waits = cover.entry(bucket).or_default();
            *waits += entry.more;
            if *waits == 0 {
                cover.remove(&bucket);
            }
            if entry.partial_ns != 0 {
                partial.push((bucket, entry.partial_ns));
            }
        }
        partial
    }

    /// The same times in intervals twice as wide; `width_ns` is the old width. A cover that begins
    /// or ends in the middle of a wide interval becomes a part of it.
    #[must_use]
    pub fn widened(self, width_ns: u64, parts: i64) -> Spread {
        let mut wide = Spread::default();
        for ((interval, bucket), Entry { partial_ns, more }) in self.at {
            let (whole, part) = (interval.div_euclid(parts), interval.rem_euclid(parts));
            let (rest, next) = if part > 0 { (parts - part, 1) } else { (0, 0) };
            let covered = i128::from(rest) * i128::from(more) * i128::from(width_ns);
            if partial_ns + covered != 0 {
                wide.at.entry((whole, bucket)).or_default().partial_ns += partial_ns + covered;
            }
            if more != 0 {
                wide.at.entry((whole + next, bucket)).or_default().more += more;
            }
        }
        wide.at.retain(|_, entry| entry.partial_ns != 0 || entry.more != 0);
        wide
    }
}
