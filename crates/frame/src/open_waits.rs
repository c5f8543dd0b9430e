//! Waits that go on.

use std::sync::Arc;

use crate::{Frame, Histogram, LogLinear, Quality, Scheme, Series, Timestamp};

/// A wait that has not ended yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenWait {
    /// What it belongs to.
    pub series: Series,
    /// When it began.
    pub begin: Timestamp,
    /// Whom it waits for, if that is known: `17706 (nightly-job)`.
    pub blocker: Option<Arc<str>>,
}

/// The waits that a source sees going on at a moment: what is known before any of them is an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenWaits {
    /// The moment.
    pub at: Timestamp,
    /// The waits.
    pub waits: Vec<OpenWait>,
}

impl OpenWaits {
    /// The time waited between two moments, by no event yet: for each wait what is to be added to the
    /// intervals in which it was waited. It is counted as so long as the wait has lasted, and replaced
    /// by the frames of the event once that ends: both hold the same time of the same intervals.
    pub fn so_far(&self, from: Timestamp, until: Timestamp) -> Vec<Frame> {
        let scheme = Scheme::log_linear();
        let frame = |wait: &OpenWait| {
            let (start, end) = (wait.begin.max(from), until.min(self.at));
            let bucket = LogLinear::EVENTS.index_of(self.at.since(wait.begin));
            let ns = (start < end).then(|| end.since(start).as_nanos())?;
            let counts = Histogram::empty(scheme.clone());
            let counts = counts.with_waited_in((bucket, vec![ns]), true).ok()?;
            let (series, quality) = (wait.series.clone(), Quality::Amendment);
            Some(Frame { series, start, end, counts, quality })
        };
        self.waits.iter().filter_map(frame).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nanos;

    #[test]
    fn a_wait_is_time_up_to_now_and_no_event() {
        let at = |ms: i64| Timestamp::new(ms * 1_000_000);
        let wait = |ms| OpenWait { series: Series::named("lock"), begin: at(ms), blocker: None };
        let open = OpenWaits { at: at(7_300), waits: vec![wait(300), wait(7_100)] };
        // Nothing is known of the time after 7 s yet.
        let [frame] = &open.so_far(at(0), at(7_000))[..] else { panic!("{open:?}") };
        assert_eq!((frame.start, frame.end, frame.counts.events()), (at(300), at(7_000), 0));
        assert!((frame.counts.time_waited().seconds - 6.7).abs() < 1e-9 && frame.is_amendment());
        let bucket = frame.counts.occupied().next().unwrap().0;
        let age = Nanos::from_millis(7_000);
        assert!(bucket.lo <= age && bucket.hi.unwrap() > age, "{bucket:?}");
        assert_eq!(open.so_far(at(0), at(9_000)).len(), 2);
        // Nothing was looked at before.
        assert_eq!(open.so_far(at(1_000), at(9_000))[0].start, at(1_000));
    }
}
