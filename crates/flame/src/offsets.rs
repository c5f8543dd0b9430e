//! Samples by second and by offset within the second.

use crate::stacks::StackId;

/// How many parts a second has.
pub const ROWS: usize = 50;
/// Nanoseconds in such a part.
const ROW_NS: u64 = 1_000_000_000 / ROWS as u64;

/// How many samples lie in each part of each second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatMap {
    /// The number of seconds, from that of the first sample to that of the last.
    pub columns: usize,
    /// The first second, counted from the first sample of the input.
    pub first_s: u64,
    /// What lies in each cell: its number (column × [`ROWS`] + row, row 0 is the beginning of the
    /// second), the stack, and how often, in this order.
    pub entries: Vec<(usize, StackId, u64)>,
}

/// Puts samples into cells; their times count from the first of the input. `None` if they span more
/// than `most_columns` seconds.
pub fn heat_map(samples: &[(u64, StackId)], most_columns: usize) -> Option<HeatMap> {
    let second = |ns: u64| ns / 1_000_000_000;
    let first_s = samples.iter().map(|(ns, _)| second(*ns)).min().unwrap_or(0);
    let last_s = samples.iter().map(|(ns, _)| second(*ns)).max().unwrap_or(0);
    let columns =
        usize::try_from(last_s - first_s + 1).ok().filter(|columns| *columns <= most_columns)?;
    let mut cells: Vec<(usize, StackId)> = samples
        .iter()
        .map(|&(ns, stack)| {
            let column = second(ns) - first_s;
            let row = ns % 1_000_000_000 / ROW_NS;
            let cell = column.saturating_mul(ROWS as u64).saturating_add(row);
            (usize::try_from(cell).unwrap_or(usize::MAX), stack)
        })
        .collect();
    cells.sort_unstable();
    let entries =
        cells.chunk_by(|one, two| one == two).map(|same| (same[0].0, same[0].1, same.len() as u64));
    Some(HeatMap { columns, first_s, entries: entries.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_lies_in_one_cell() {
        let samples =
            [(2_000_000_000, 7), (2_019_999_999, 7), (2_020_000_000, 7), (3_999_999_999, 8)];
        let map = heat_map(&samples, 10).unwrap();
        assert_eq!((map.columns, map.first_s), (2, 2));
        assert_eq!(map.entries, [(0, 7, 2), (1, 7, 1), (99, 8, 1)]);
        assert_eq!(heat_map(&samples, 1), None);
    }
}
