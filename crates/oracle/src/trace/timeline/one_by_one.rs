//! The moment of one record after the other, where none is held back.

use isotherm_frame::Timestamp;

use super::{Clocked, Timeline};

impl<T> Timeline<T> {
    /// When a record ended: at `tim`, or where it does not say, `ela` after the one before. `None`
    /// before the clock is known. A timeline that is asked this is not given waits to place.
    pub fn moment(&mut self, ela: u64, tim: Option<u64>) -> Option<Timestamp> {
        let Some(tim) = tim.and_then(|tim| self.sound(tim)) else {
            self.walked = self.walked.plus(self.unit.times(ela));
            return self.stamped.then_some(self.walked);
        };
        self.settle(tim);
        self.last = Some(tim);
        let at = match self.clock {
            Clocked::Epoch | Clocked::Arbitrary => self.since_epoch(tim),
            Clocked::Anchored(zero, moment) => self.after(zero, moment, tim),
            Clocked::Unknown | Clocked::Walked => return None,
        };
        (self.walked, self.stamped) = (at, true);
        Some(at)
    }
}
