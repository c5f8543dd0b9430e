//! Which rows of a picture each line of text shows.

use isotherm_analysis::{Row, RowKind};
use isotherm_views::ranges::edge;

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

/// How many rows to ask for on so many lines, most first. Overflow and underflow rows that hold
/// something take a line each, which is known only afterwards.
pub(super) fn preferences(lines: u16, halves: bool) -> Vec<usize> {
    let lines = usize::from(lines);
    let single = [lines + 2, lines + 1, lines];
    let double = [2 * lines + 2, 2 * lines, (2 * lines).saturating_sub(2)];
    if halves { [double, single].concat() } else { single.to_vec() }
}

/// The lines of a map, longest latencies first; `None` when they are more than `room`.
///
/// Rows take whole lines, several if there is room. Where there are more rows than lines, `halves`
/// puts two rows of the body on each line, unless a row needs one for itself (`alone`). Overflow and
/// underflow rows that are `empty` give way.
pub(super) fn stack(
    rows: &[Row],
    (empty, alone): (&dyn Fn(usize) -> bool, &dyn Fn(usize) -> bool),
    (room, halves): (u16, bool),
) -> Option<Vec<Line>> {
    let room = usize::from(room);
    let mut shown: Vec<usize> = (0..rows.len()).collect();
    for kind in [RowKind::Overflow, RowKind::Underflow] {
        let lines = if shown.len() <= room || !halves {
            whole(rows, &shown, room)
        } else {
            halved(rows, &shown, alone)
        };
        if lines.len() <= room {
            return Some(lines);
        }
        shown.retain(|&index| rows[index].kind != kind || !empty(index));
    }
    let lines = if shown.len() <= room || !halves {
        whole(rows, &shown, room)
    } else {
        halved(rows, &shown, alone)
    };
    (lines.len() <= room).then_some(lines)
}

/// The lines of a map on a screen too low for [`stack`]: two rows to a line whatever they are,
/// and as many as there is room for.
pub(super) fn squeezed(rows: &[Row], room: u16) -> Vec<Line> {
    let shown: Vec<usize> = (0..rows.len()).collect();
    let mut lines = paired(rows, &shown);
    lines.reverse();
    lines.truncate(usize::from(room));
    lines
}

fn whole(rows: &[Row], shown: &[usize], room: usize) -> Vec<Line> {
    let height = (room / shown.len().max(1)).clamp(1, 3);
    let lines = shown.iter().rev().flat_map(|&index| {
        (0..height).rev().map(move |above| Line {
            upper: Some(index),
            lower: Some(index),
            label: if above == 0 { label(&rows[index]) } else { None },
        })
    });
    lines.collect()
}

fn halved(rows: &[Row], shown: &[usize], alone: &dyn Fn(usize) -> bool) -> Vec<Line> {
    let kind = |wanted: RowKind| {
        shown.iter().copied().filter(|&index| rows[index].kind == wanted).collect::<Vec<_>>()
    };
    let single = |&index: &usize| Line {
        upper: Some(index),
        lower: Some(index),
        label: label(&rows[index]),
    };
    let mut lines: Vec<Line> = kind(RowKind::Underflow).iter().map(single).collect();
    let body = kind(RowKind::Body);
    for run in body.chunk_by(|&one, &next| alone(one) == alone(next)) {
        match run.first() {
            Some(&first) if alone(first) => lines.extend(run.iter().map(single)),
            _ => lines.extend(paired(rows, run)),
        }
    }
    lines.extend(kind(RowKind::Overflow).iter().map(single));
    lines.reverse();
    lines
}

/// Two rows to a line, shortest latencies first.
fn paired(rows: &[Row], shown: &[usize]) -> Vec<Line> {
    let line = |pair: &[usize]| Line {
        upper: pair.get(1).copied(),
        lower: pair.first().copied(),
        label: pair.first().and_then(|&index| label(&rows[index])),
    };
    shown.chunks(2).map(line).collect()
}

/// The true edge of a row that is to be labelled.
fn label(row: &Row) -> Option<String> {
    row.labelled.then(|| edge(row))
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::choose_rows;
    use isotherm_frame::{Histogram, Nanos, Scheme};

    use super::*;

    fn rows(most: usize) -> (Vec<Row>, Histogram) {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for us in [80, 900, 9_000] {
            counts.record(Nanos::from_micros(us));
        }
        (choose_rows(&counts, most, None), counts)
    }

    #[test]
    fn every_row_that_holds_something_is_on_exactly_one_line_and_longer_is_higher() {
        for lines in 3..60 {
            for halves in [false, true] {
                let stacked = preferences(lines, halves).into_iter().find_map(|most| {
                    let (rows, counts) = rows(most);
                    let empty = |index: usize| {
                        let row = rows[index];
                        let inside = |lo| lo >= row.lo && row.hi.is_none_or(|hi| lo < hi);
                        !counts.non_zero().any(|(bucket, _)| inside(bucket.lo))
                    };
                    let lines = stack(&rows, (&empty, &|_| false), (lines, halves))?;
                    Some((rows.len(), (0..rows.len()).filter(|&row| !empty(row)).collect(), lines))
                });
                let (count, filled, stacked): (usize, Vec<usize>, Vec<Line>) = stacked.unwrap();
                assert!(stacked.len() <= usize::from(lines));
                let mut shown: Vec<usize> = stacked.iter().flat_map(Line::rows).collect();
                assert!(shown.is_sorted_by(|one, two| one >= two));
                shown.dedup();
                assert!(shown.len() + 2 >= count, "{lines} {halves}");
                assert!(filled.iter().all(|row| shown.contains(row)), "{lines} {halves}");
            }
        }
    }

    #[test]
    fn labels_are_the_true_edges_of_octaves() {
        let (rows, _) = rows(20);
        let lines = stack(&rows, (&|_| true, &|_| false), (11, true)).unwrap();
        let labels: Vec<String> = lines.into_iter().filter_map(|line| line.label).collect();
        let expected = [
            ">16.8ms", "8.39ms", "4.19ms", "2.1ms", "1.05ms", "524µs", "262µs", "131µs", "65.5µs",
            "<65.5µs",
        ];
        assert_eq!(labels, expected);
    }

    #[test]
    fn an_empty_overflow_gives_way_to_finer_rows() {
        let (rows, _) = rows(20);
        let lines = stack(&rows, (&|_| true, &|_| false), (8, true)).unwrap();
        assert_eq!(lines.len(), 8);
        assert_eq!(lines[0].label.as_deref(), Some("8.39ms"));
        assert_eq!(stack(&rows, (&|_| false, &|_| false), (8, true)), None);
        let alone = |row: usize| rows[row].lo >= Nanos::from_millis(4);
        let lines = stack(&rows, (&|_| true, &alone), (10, true)).unwrap();
        assert!(lines.iter().flat_map(Line::rows).is_sorted_by(|one, two| one > two));
        assert!(lines.iter().all(|line| line.rows().count() == 1 || !line.rows().any(alone)));
        assert_eq!(squeezed(&rows, 3).len(), 3);
    }
}
