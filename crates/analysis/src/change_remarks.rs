//! How much a change is worth a word.

use crate::{Change, ChangeKind, Findings, RankedRemark, Remark, RemarkClass};

impl Findings {
    /// The remark of a change, with how much more, or less, was waited because of it.
    pub(crate) fn of_change(&self, change: &Change) -> RankedRemark {
        if let ChangeKind::Stalls(stall) = change.kind {
            let seconds = stall.time_share * self.waited.seconds;
            let remark = Remark::Changed(change.clone());
            return self.owning(self.ranked_as(RemarkClass::Episode, seconds, remark), seconds);
        }
        let end = change.end.or(self.known_until).unwrap_or(change.start);
        let length = end.since(change.start).as_secs_f64().min(self.covered_s);
        let extra = (change.after.waiting - change.before.waiting) * length;
        let passing = change.end.is_some() && extra > 0.0;
        let class = if passing { RemarkClass::Episode } else { RemarkClass::Level };
        let remark = self.as_ramp(change).unwrap_or_else(|| Remark::Changed(change.clone()));
        let faster = extra < 0.0 && change.end.is_none() && change.kind.is_of_latency();
        // What got faster and stays so cost time before.
        let seconds = if faster {
            (change.before.waiting - change.after.waiting) * (self.covered_s - length).max(0.0)
        } else {
            extra.abs()
        };
        let ranked = self.ranked_as(class, seconds, remark);
        if faster && change.kind == ChangeKind::Moves {
            // What the new latencies take is not what matters of them.
            return ranked;
        }
        let owned = match change.kind {
            // Its events may have waited before the change began.
            ChangeKind::Appears(band) | ChangeKind::Grows(band) => {
                band.time_share * change.after.rate * change.after.mean_ns / 1e9
            }
            _ => change.after.waiting,
        };
        self.owning(ranked, owned * length)
    }
}
