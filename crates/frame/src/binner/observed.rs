//! What is known of the time that is observed besides the events that are counted.

use crate::{Binner, Nanos, Timestamp};

impl Binner {
    /// The source has measured from one moment to another: what was waited before is not looked
    /// at, and silence up to the second is silence.
    pub fn observe(&mut self, from: Timestamp, until: Timestamp) {
        self.window.observe(from, until);
    }

    /// An event that ended `at` a moment is not counted, because nobody asks for it: the time it
    /// took is observed all the same.
    pub fn pass_over(&mut self, at: Timestamp, latency: Nanos) {
        let (stamp, end) = self.placed(at, latency);
        let interval = self.near.interval_of(end, self.width);
        if self.too_late(interval, at).is_none() {
            self.window.take((at, end), latency, stamp, false);
            self.stamps.take(at, latency);
        }
    }

    /// How much time after the last event is covered although the source does not say so, and how many
    /// events tell it; known once all is finished.
    pub fn beyond(&self) -> (Nanos, u64) {
        self.window.beyond()
    }
}
