//! Which rows of a picture each line of text shows.

use isotherm_analysis::{Row, RowKind};

/// One line of text of a map: a row, or two rows one above the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The row in the upper half.
    pub(super) upper: Option<usize>,
    /// The row in the lower half; the same as the upper one where a row fills the line.
    pub(super) lower: Option<usize>,
    /// The edge at the bottom of the line, if it is to be named.
    pub(super) label: Option<String>,
}

impl Line {
    /// The rows on the line, longest latencies first, each once.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        let lower = self.lower.filter(|lower| Some(*lower) != self.upper);
        self.upper.into_iter().chain(lower)
    }

    pub(super) fn holds(&self, row: usize) -> bool {
        self.upper == Some(row) || self.lower == Some(row)
    }
}

/// The largest number of rows that [`stack`] can show on so many lines.
pub(super) fn most_rows(lines: u16, halves: bool) -> usize {
    let lines = usize::from(lines);
    // Overflow and underflow take a line each.
    if halves { (2 * lines).saturating_sub(2).max(lines) } else { lines }
}

/// The lines of a map, longest latencies first: at most `room`.
///
/// Rows take whole lines, several if there is room. Where there are more rows than lines, `halves`
/// puts two rows of the body on each line.
pub(super) fn stack(rows: &[Row], room: u16, halves: bool) -> Vec<Line> {
    let room = usize::from(room);
    let mut lines = if rows.len() <= room || !halves { whole(rows, room) } else { halved(rows) };
    if lines.len() > room {
        lines = paired(rows);
    }
    // Only a screen of very few lines still has too many.
    lines.truncate(room);
    lines
}

fn whole(rows: &[Row], room: usize) -> Vec<Line> {
    let height = (room / rows.len().max(1)).clamp(1, 3);
    let lines = rows.iter().enumerate().rev().flat_map(|(index, row)| {
        (0..height).rev().map(move |above| Line {
            upper: Some(index),
            lower: Some(index),
            label: if above == 0 { label(row) } else { None },
        })
    });
    lines.collect()
}

fn halved(rows: &[Row]) -> Vec<Line> {
    let body = |row: &Row| row.kind == RowKind::Body;
    let first = rows.iter().position(body).unwrap_or(0);
    let end = rows.iter().rposition(body).map_or(0, |last| last + 1);
    let single = |index: usize| Line {
        upper: Some(index),
        lower: Some(index),
        label: rows.get(index).and_then(label),
    };
    let below = (0..first).map(single);
    let pairs = (first..end).step_by(2).map(|index| pair(rows, index, end));
    let above = (end.max(first)..rows.len()).map(single);
    let mut lines: Vec<Line> = below.chain(pairs).chain(above).collect();
    lines.reverse();
    lines
}

/// Two rows to a line whatever they are.
fn paired(rows: &[Row]) -> Vec<Line> {
    let pairs = (0..rows.len()).step_by(2).map(|index| pair(rows, index, rows.len()));
    let mut lines: Vec<Line> = pairs.collect();
    lines.reverse();
    lines
}

fn pair(rows: &[Row], index: usize, end: usize) -> Line {
    let upper = (index + 1 < end).then_some(index + 1);
    Line { upper, lower: Some(index), label: rows.get(index).and_then(label) }
}

/// The true edge of a row that is to be labelled.
fn label(row: &Row) -> Option<String> {
    row.labelled.then(|| match row.kind {
        RowKind::Underflow => row.hi.map_or_else(|| row.lo.to_string(), |hi| format!("<{hi}")),
        RowKind::Body => row.lo.to_string(),
        RowKind::Overflow => format!(">{}", row.lo),
    })
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::choose_rows;
    use isotherm_frame::{Histogram, Nanos, Scheme};

    use super::*;

    fn rows(most: usize) -> Vec<Row> {
        let mut counts = Histogram::empty(Scheme::log_linear());
        [80, 900, 9_000].map(|us| counts.record(Nanos::from_micros(us)));
        choose_rows(&counts, most, None)
    }

    #[test]
    fn every_row_is_on_exactly_one_line_and_longer_is_higher() {
        for lines in 3..60 {
            for halves in [false, true] {
                let rows = rows(most_rows(lines, halves));
                let stacked = stack(&rows, lines, halves);
                assert!(stacked.len() <= usize::from(lines));
                let mut shown: Vec<usize> = stacked.iter().flat_map(Line::rows).collect();
                assert!(shown.is_sorted_by(|one, two| one >= two));
                shown.dedup();
                shown.reverse();
                assert_eq!(shown, (0..rows.len()).collect::<Vec<_>>(), "{lines} {halves}");
            }
        }
    }

    #[test]
    fn labels_are_the_true_edges_of_octaves() {
        let rows = rows(most_rows(11, true));
        let labels: Vec<String> =
            stack(&rows, 11, true).into_iter().filter_map(|line| line.label).collect();
        let expected = [
            ">16.8ms", "8.39ms", "4.19ms", "2.1ms", "1.05ms", "524µs", "262µs", "131µs", "65.5µs",
            "<65.5µs",
        ];
        assert_eq!(labels, expected);
    }
}
