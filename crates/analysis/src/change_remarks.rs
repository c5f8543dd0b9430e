//! How much a change is worth a word.

use crate::{Change, ChangeKind, Findings, RankedRemark, Remark, RemarkClass};

/// Latencies so many times as long are worth a word.
const LONGER: f64 = 1.3;

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
        let said = in_words(change);
        let class = self.class_of(&said, extra);
        let remark = self.as_ramp(change).unwrap_or(Remark::Changed(said));
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
        let of_band = self.of_bands.iter().find(|(start, _)| *start == change.start);
        if let (ChangeKind::Appears(_), Some((_, seconds))) = (&change.kind, of_band) {
            return self.owning(ranked, *seconds);
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

    /// Less waiting is good news. Work that stops altogether may be broken; where only waits or slow
    /// statements are seen, nobody has to wait any more.
    fn class_of(&self, change: &Change, extra: f64) -> RemarkClass {
        let work_ends = matches!(change.kind, ChangeKind::Silent | ChangeKind::Stops);
        match change.end {
            _ if work_ends && !self.waits_only => RemarkClass::Level,
            // A range that became emptier is never what happened.
            _ if work_ends || extra < 0.0 => RemarkClass::Relief,
            _ if matches!(change.kind, ChangeKind::Vanishes(_)) => RemarkClass::Relief,
            Some(_) if extra > 0.0 => RemarkClass::Episode,
            _ => RemarkClass::Level,
        }
    }
}

/// A change as it is reported: where a band became emptier and more is waited, the others' latencies are
/// what happened.
fn in_words(change: &Change) -> Change {
    let (before, after) = (change.before, change.after);
    let longer = after.mean_ns >= LONGER * before.mean_ns && after.waiting > before.waiting;
    match change.kind {
        ChangeKind::Vanishes(_) if longer => Change { kind: ChangeKind::Moves, ..change.clone() },
        _ => change.clone(),
    }
}
