//! Frames of a table, which add up with those of other parts of the same events.

use crate::{Binner, Nanos};

use super::series::Run;

impl Binner {
    /// Gives the frames of a table: what is counted in an interval does not depend on the events of others.
    /// An event that ends where an interval begins is of that one, also if it is the last, and the time
    /// waited while nothing ends is in single intervals, as many as the cells that may be held; a frame is not
    /// always older than the next. Where the intervals would be wider than this, nothing is given.
    #[must_use]
    pub fn for_table(self, widest: Nanos) -> Binner {
        Binner { widest_of_table: Some(widest), ..self }
    }

    /// Makes the intervals of a table wider until those that something waits in are not more than the cells
    /// that may be held: each gets a frame, and the waits of a small file may be decades long.
    pub(super) fn bound_waits(&mut self) {
        let most = self.limits.max_cells as u64;
        let covered = |binner: &Binner| {
            let each = binner.series.iter().map(|bins| bins.spread.covered());
            each.fold(0, u64::saturating_add)
        };
        while self.widest_of_table.is_some() && covered(self) > most && self.widen() {}
    }

    /// Whether the intervals are wider than those of the table may be.
    pub(super) fn is_too_wide(&self) -> bool {
        self.widest_of_table.is_some_and(|widest| self.width > widest)
    }

    /// Gives a run: in a table one of many intervals as they are, unless it is silence.
    pub(super) fn give_run(&self, run: Run, give: &mut dyn FnMut(Run)) {
        let is_split = self.widest_of_table.is_some() && run.is_long() && run.has_waits();
        if !is_split {
            return give(run);
        }
        run.intervals.clone().for_each(|number| give(run.single(number)));
    }
}
