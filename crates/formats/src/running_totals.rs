//! The running totals of one series that is read at times of its own.

use isotherm_frame::{Differ, Frame, Gap, Histogram, Nanos, Quality, Series, Timestamp};

/// About how many bytes a series with such totals takes while it is told apart from others.
pub fn series_memory(series: &Series, total: &Histogram) -> usize {
    /// Tables of its own, in which the allocator leaves room.
    const SERIES: usize = 2 << 10;
    const BUCKET: usize = 48;
    let text = series.to_string().len();
    SERIES + 4 * text + BUCKET * total.scheme().buckets()
}

/// The running totals of one series, and what is known of how often they are read.
///
/// Series that are scraped at different moments cannot share a [`Differ`], which takes what is
/// missing at a moment for vanished: each has its own.
#[derive(Debug)]
pub struct RunningTotals {
    series: Series,
    differ: Differ,
    last: Option<Timestamp>,
}

impl RunningTotals {
    /// Nothing read yet.
    pub fn new(series: Series) -> RunningTotals {
        RunningTotals { series, differ: Differ::new(), last: None }
    }

    /// The series.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// When they were last read.
    pub fn last(&self) -> Option<Timestamp> {
        self.last
    }

    /// Takes the totals at a moment; gives the frame since the last. What is not later than the last
    /// moment is left alone. A changed `epoch` means that the counters were reset.
    pub fn take(
        &mut self,
        at: Timestamp,
        total: Histogram,
        epoch: Option<Timestamp>,
    ) -> Option<Frame> {
        if self.last.is_some_and(|last| at <= last) {
            return None;
        }
        self.last = Some(at);
        self.differ.push(at, &self.series, total, epoch).frame
    }

    /// Takes totals of which it is not known whether they went on from the last ones: gives a gap.
    pub fn take_after_gap(
        &mut self,
        at: Timestamp,
        total: Histogram,
        epoch: Option<Timestamp>,
    ) -> Option<Frame> {
        if self.last.is_some_and(|last| at <= last) {
            return None;
        }
        let (start, counts) = (self.last, total.cleared());
        self.differ = Differ::new();
        self.take(at, total, epoch);
        let quality = Quality::Gap(Gap::SourceAway);
        start.map(|start| Frame { series: self.series.clone(), start, end: at, counts, quality })
    }
}

/// Whether an interval is so long that readings in between are missing.
pub(crate) fn is_gap(length: Nanos, usual: Nanos) -> bool {
    let limit = u128::from(usual.as_nanos()) * 3 / 2;
    usual > Nanos::ZERO && u128::from(length.as_nanos()) > limit
}

/// Whether counters were reset in this interval.
pub fn is_reset(frame: &Frame) -> bool {
    frame.quality == Quality::Gap(Gap::Reset)
}
