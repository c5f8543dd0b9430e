//! How wide the intervals of a binner are.

use crate::{Nanos, Timestamp};

use super::Binner;
use super::grid::Near;
use super::series::Bins;
use super::spread::Spread;
use super::stamps::no_finer;

impl Binner {
    /// Doubles the width and merges pairs of intervals. `false` when that no longer helps.
    pub(super) fn coarsen(&mut self) -> bool {
        let before = self.cells;
        self.widen() && (self.cells < before || self.series.len() < before)
    }

    /// [`Binner::fit_stamps`] will be called once all events are recorded.
    pub fn will_fit_stamps(&mut self) {
        self.fits_stamps = true;
    }

    /// Decides from the first events, of which none was recorded yet, whether the stamps of all are cut to
    /// whole seconds or minutes: the end and the latency of each.
    pub fn place_by(&mut self, first: impl Iterator<Item = (Timestamp, Nanos)>) {
        self.stamps.decide(first);
    }

    /// How coarse stamps may be for the events to be placed within a unit of them. What is counted in a
    /// table does not depend on other events.
    pub(super) fn coarsest_placed(&self) -> Nanos {
        match self.widest_of_table {
            Some(_) => Nanos::ZERO,
            None if self.fits_stamps => Nanos::new(u64::MAX),
            None => self.width,
        }
    }

    /// The stamp of an event that is said to have ended `at` a moment, and when it is taken to have ended.
    pub(super) fn placed(&self, at: Timestamp, latency: Nanos) -> (Timestamp, Timestamp) {
        let cut = self.stamps.delay(at, latency, self.coarsest_placed());
        cut.map_or((at, at), |(stamp, delay)| (stamp, at.plus(delay)))
    }

    /// The last event ended up to a unit after its stamp, where nothing says until when was measured.
    pub(super) fn reach_to_the_last_end(&mut self) {
        let unit = self.stamps.cut_to().filter(|unit| *unit <= self.coarsest_placed());
        if let Some(unit) = unit.filter(|_| self.window.until.is_none()) {
            self.window.reach_beyond(unit);
        }
    }

    /// The whole seconds or minutes that stamps are cut to, where intervals are finer: these do not show
    /// when in one of them an event ended.
    pub fn coarse_stamps(&self) -> Option<Nanos> {
        self.stamps.cut_to().filter(|unit| *unit > self.width)
    }

    /// Makes intervals no finer than the stamps of the events, of which none was given yet; gives what
    /// those are multiples of. What is stamped with a second ended somewhere in it: the last one is
    /// covered as a whole.
    pub fn fit_stamps(&mut self) -> Option<Nanos> {
        let unit = self.stamps.unit().filter(|_| self.open_from == i64::MIN)?;
        self.window.reach_beyond(unit);
        let factor = no_finer(self.width, unit).as_nanos() / self.width.as_nanos();
        self.widen_by(factor);
        Some(unit)
    }

    /// Doubles the width and merges pairs of intervals. `false` when it cannot be doubled.
    pub(super) fn widen(&mut self) -> bool {
        self.widen_by(2)
    }

    /// Makes the width so many times as long. `false` when that cannot be.
    fn widen_by(&mut self, factor: u64) -> bool {
        let width = self.width.as_nanos().checked_mul(factor);
        let (Some(width), Ok(parts)) = (width, i64::try_from(factor)) else { return false };
        if factor < 2 || i64::try_from(width).is_err() {
            return false;
        }
        let narrow = std::mem::replace(&mut self.width, Nanos::new(width));
        for bins in &mut self.series {
            bins.widen(narrow, parts, self.open_from);
        }
        if self.open_from > i64::MIN {
            self.open_from = self.open_from.div_euclid(parts);
        }
        (self.recent, self.near) = (None, Near::default());
        self.count();
        true
    }

    /// Counts what is held anew.
    pub(super) fn count(&mut self) {
        self.cells = self.series.iter().map(Bins::len).sum();
        let entries = |bins: &Bins| (bins.spread.len() + bins.late.len()) * Spread::BYTES;
        self.bytes = self.series.iter().map(|bins| bins.bytes() + entries(bins)).sum();
    }
}
