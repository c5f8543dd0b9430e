//! Both sides as maps over the same axes in the same colours, and where they differ.

use crate::{ColourMax, ColumnState, Picture, Request, Timeline};

use super::dependence::Parts;
use super::shift::LEAST_COLUMNS;

/// The heat maps of both sides, and the map of their difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    /// One picture of A's columns and, after them, as many of B's: so the latency axis and the
    /// colours of both are one.
    pub both: Picture,
    /// The columns of each side.
    pub columns: usize,
    /// For each cell of a side, row-major, how much more (above zero) or less (below) B has than
    /// A, in standard deviations of what chance and the unsteadiness of both runs explain; `None`
    /// where nothing is known of one side.
    pub z: Vec<Option<f64>>,
    /// One for each row: what the row's share of events and of time has become.
    pub shares: Vec<ShareShift>,
}

/// What has become of one row's share.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ShareShift {
    /// Events per second of A and of B.
    pub rates: [f64; 2],
    /// The share of B's events less that of A's: -1 to 1.
    pub events: f64,
    /// The share of B's time waited less that of A's: -1 to 1.
    pub waited: f64,
    /// The change of the share of events in standard errors, those of the steadier side; `None`
    /// with too few columns.
    pub z: Option<f64>,
}

/// From so many standard deviations on, a difference is more than noise.
pub const NOISE: f64 = 3.0;

impl Maps {
    /// Draws both sides, of as many columns each; the grid of the request is not used.
    pub fn draw(a: &Timeline, b: &Timeline, request: &Request) -> Maps {
        let columns = a.columns.len().min(b.columns.len());
        let side = a.columns.iter().take(columns);
        let both = Timeline {
            columns: side.chain(b.columns.iter().take(columns)).cloned().collect(),
            column: a.column,
            total: a.total.merge(&b.total),
            outside: a.outside + b.outside,
            has_length: a.has_length && b.has_length,
        };
        let (mut frequency, mut intensity) = (ColourMax::default(), ColourMax::default());
        let both = Picture::of(both, request, &mut frequency, &mut intensity);
        let rows = (0..both.rows.len()).map(|row| Row::of(&both, columns, row));
        let rows: Vec<Row> = rows.collect();
        let z = rows.iter().flat_map(Row::differences).collect();
        let totals = [0, 1].map(|side| Totals::of(&both, side * columns, columns));
        let shares = rows.iter().map(|row| row.share(&totals)).collect();
        Maps { both, columns, z, shares }
    }
}

/// A side without its rows.
struct Totals {
    /// Of each column about which something is known.
    events: Vec<f64>,
    all_events: f64,
    all_counted_s: f64,
    all_waited_s: f64,
}

impl Totals {
    fn of(both: &Picture, first: usize, columns: usize) -> Totals {
        let known = both.columns.iter().skip(first).take(columns);
        let known: Vec<_> = known.filter(|column| column.state == ColumnState::Data).collect();
        let events: Vec<f64> = known.iter().map(|column| column.events as f64).collect();
        Totals {
            all_events: events.iter().sum(),
            all_counted_s: known.iter().map(|column| column.counted_s).sum(),
            all_waited_s: known.iter().map(|column| column.waited.seconds).sum(),
            events,
        }
    }
}

/// A row of both sides.
struct Row {
    /// For each column of a side, its count and the time in which ends were counted; `None` where they
    /// were not.
    cells: [Vec<Option<(f64, f64)>>; 2],
    waited_s: [f64; 2],
}

impl Row {
    fn of(both: &Picture, columns: usize, row: usize) -> Row {
        let cell = |column: usize| {
            let known = both.columns.get(column)?;
            let data = known.state == ColumnState::Data && known.counted_s > 0.0;
            data.then(|| (both.counts[both.cell(row, column)] as f64, known.counted_s))
        };
        let side = |first: usize| (first..first + columns).map(cell).collect::<Vec<_>>();
        let waited = |first: usize| {
            let inside = both.columns.iter().enumerate().skip(first).take(columns);
            inside.map(|(at, c)| both.intensity.cells[both.cell(row, at)] * c.covered_s).sum()
        };
        Row { cells: [side(0), side(columns)], waited_s: [waited(0), waited(columns)] }
    }

    /// The differences of all cells. Counts vary as Poisson's do, and more where a run is
    /// unsteady: by the ratio of variance to mean over the columns of the steadier side, so that
    /// what both runs do anyway is noise and what only one of them does is not.
    fn differences(&self) -> Vec<Option<f64>> {
        let [a, b] = &self.cells;
        let unsteady = unsteadiness(a).min(unsteadiness(b)).max(1.0);
        a.iter().zip(b).map(|(a, b)| Some(difference((*a)?, (*b)?, unsteady))).collect()
    }

    fn share(&self, totals: &[Totals; 2]) -> ShareShift {
        let [a, b] = [0, 1].map(|side| RowShare::of(self, side, &totals[side]));
        let unsteady = a.unsteady.zip(b.unsteady).map(|(one, two)| one.min(two).max(1.0));
        let all = [totals[0].all_events, totals[1].all_events];
        let pooled = part(a.count + b.count, all[0] + all[1]);
        let variance = pooled * (1.0 - pooled) * (1.0 / all[0] + 1.0 / all[1]);
        let z = unsteady.map(|unsteady| part(b.events - a.events, (unsteady * variance).sqrt()));
        ShareShift {
            rates: [part(a.count, totals[0].all_counted_s), part(b.count, totals[1].all_counted_s)],
            events: b.events - a.events,
            waited: b.waited - a.waited,
            z,
        }
    }
}

/// A row's part of one side.
struct RowShare {
    count: f64,
    /// Shares of events and of time waited.
    events: f64,
    waited: f64,
    /// The long-run variance of the share in units of what independent events would have.
    unsteady: Option<f64>,
}

impl RowShare {
    fn of(row: &Row, side: usize, totals: &Totals) -> RowShare {
        let counts: Vec<f64> = row.cells[side].iter().flatten().map(|cell| cell.0).collect();
        let count: f64 = counts.iter().sum();
        let events = part(count, totals.all_events);
        let excess = counts.iter().zip(&totals.events).map(|(in_row, all)| in_row - events * all);
        let excess: Vec<f64> = excess.collect();
        let error = |excess: &[f64]| Parts::of(excess).standard_error_of_sum().powi(2);
        let unsteady = (excess.len() >= LEAST_COLUMNS).then(|| part(error(&excess), count));
        RowShare { count, events, waited: part(row.waited_s[side], totals.all_waited_s), unsteady }
    }
}

fn part(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The variance of a row's counts over the columns of a side, in units of their mean; 1 where
/// there are too few columns or events to say.
fn unsteadiness(cells: &[Option<(f64, f64)>]) -> f64 {
    let known: Vec<(f64, f64)> = cells.iter().flatten().copied().collect();
    let (count, covered) =
        known.iter().fold((0.0, 0.0), |(count, covered), cell| (count + cell.0, covered + cell.1));
    if known.len() < LEAST_COLUMNS || count <= 0.0 {
        return 1.0;
    }
    let rate = count / covered;
    let squares: f64 = known.iter().map(|(n, s)| (n - rate * s).powi(2) / (rate * s)).sum();
    squares / (known.len() - 1) as f64
}

/// The difference of two counts over times of their own, in standard deviations: of their square
/// roots, whose variance hardly depends on the counts (Anscombe 1948; Huffman 1984).
fn difference((a, time_a): (f64, f64), (b, time_b): (f64, f64), unsteady: f64) -> f64 {
    let longer = time_b / time_a;
    let root = |count: f64| (count + 0.375).sqrt();
    2.0 * (root(b) - longer.sqrt() * root(a)) / (unsteady * (1.0 + longer)).sqrt()
}
