//! The selection, or the window, beside another stretch of time.

use isotherm_analysis::{Grid, Maps, Request, ShareShift, Timeline, compare};
use isotherm_frame::Nanos;

use crate::app::{App, Mode};
use crate::clock::{clock, span};
use crate::compared::Compared;
use crate::selection::SelectedTime;

/// The most columns of a side: what a stretch is compared by takes time that grows with them.
const MOST_COLUMNS: u64 = 600;
/// The most rows of the profile.
const MOST_ROWS: usize = 24;

impl App {
    /// Opens the comparison: of what is selected, or of the window, with the baseline, or else
    /// with as much time just before. It stands as it is while data arrive.
    pub(super) fn open_comparison(&mut self) {
        if let Some(compared) = self.compared() {
            self.mode = Mode::Compare { scroll: 0, compared: Box::new(compared) };
        } else {
            let why = "there is nothing to compare with: no frames of the time before";
            self.ledger.answer(Ok(why));
        }
        self.changed();
    }

    /// Sets what comparisons are with; the same again: nothing.
    pub(super) fn set_baseline(&mut self) {
        let stretch = self.stretch();
        self.baseline = stretch.filter(|_| self.baseline != stretch);
        let text = match self.baseline {
            Some(stretch) => format!(
                "baseline for comparisons: {} of {}",
                clock(self, stretch.start),
                span(stretch.length())
            ),
            None => "no baseline: comparisons are with the time before".to_owned(),
        };
        self.ledger.answer(Ok(&text));
        self.changed();
    }

    fn compared(&self) -> Option<Compared> {
        let b = self.stretch()?;
        let own = self.baseline.filter(|baseline| *baseline != b);
        let a = own.unwrap_or_else(|| b.before());
        let native = self.window.native().as_nanos();
        let longest = a.length().max(b.length()).as_nanos();
        let column = native.saturating_mul(longest.div_ceil(native).div_ceil(MOST_COLUMNS).max(1));
        let sides = [a, b].map(|stretch| self.timeline(stretch, Nanos::new(column)));
        if sides.iter().any(|side| side.covered_s() <= 0.0) {
            return None;
        }
        let comparison = compare(&sides[0], &sides[1], 1);
        let rows = if sides[0].columns.len() == sides[1].columns.len() {
            profile(&sides)
        } else {
            // Columns of sides of unlike lengths have no partners: each is one column then.
            profile(&[a, b].map(|stretch| self.timeline(stretch, stretch.length())))
        };
        Some(Compared { a, b, baseline: own.is_some(), comparison, rows })
    }

    fn timeline(&self, stretch: SelectedTime, column: Nanos) -> Timeline {
        let columns = stretch.length().as_nanos().div_ceil(column.as_nanos().max(1)).max(1);
        let columns = usize::try_from(columns).unwrap_or(usize::MAX);
        let grid = Grid { end: stretch.end, column, columns };
        let frames = self.ledger.frames(&self.members(), grid.start(), stretch.end);
        let timeline = Timeline::place(&frames, grid);
        timeline.with_unseen_start(self.ledger.history.unseen_start())
    }
}

/// The rows of both sides with anything in them, longest latencies first.
fn profile([a, b]: &[Timeline; 2]) -> Vec<(String, ShareShift)> {
    let request = Request::on(
        Grid { end: isotherm_frame::Timestamp::default(), column: a.column, columns: 1 },
        MOST_ROWS,
    );
    let maps = Maps::draw(a, b, &request);
    let rows = maps.both.rows.iter().zip(maps.shares);
    let filled = rows.filter(|(_, share)| share.rates.iter().any(|rate| *rate > 0.0));
    filled.rev().map(|(row, share)| (isotherm_views::ranges::edge(row), share)).collect()
}
