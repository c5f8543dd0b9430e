//! What of the findings is worth saying, and in which order.

use isotherm_frame::QuantileInterval;

use crate::{Change, Doubt, Findings, Gaps, LoadResponse, Mode, Period, TailShare};

/// Something worth saying about latencies.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// There are no events.
    Nothing,
    /// Latencies gather in several places.
    Bands {
        /// Where, shortest first.
        modes: Vec<Mode>,
        /// The mean latency in nanoseconds.
        mean_ns: f64,
        /// Whether the mean is exact.
        exact: bool,
    },
    /// Something changed.
    Changed(Change),
    /// Something comes again and again.
    Every(Period),
    /// Few events hold much of the time.
    Tail(TailShare),
    /// How latency goes with load.
    Response(LoadResponse),
    /// Latencies may not be those of a device.
    Doubtful(Doubt),
    /// A percentile on the edge of two modes.
    Unstable(QuantileInterval),
    /// Of some time nothing is known.
    Missing(Gaps),
    /// Nothing stands out: where most latencies lie.
    Plain {
        /// Where half of the events lie below.
        median: QuantileInterval,
        /// Where all but the slowest hundredth lie below.
        high: QuantileInterval,
    },
}

impl Findings {
    /// What is worth saying, most important first: one remark at least, five at most.
    pub fn remarks(&self) -> Vec<Remark> {
        let Some(mean_ns) = self.mean_ns else { return vec![Remark::Nothing] };
        let mut remarks: Vec<Remark> = self.doubts.iter().copied().map(Remark::Doubtful).collect();
        remarks.extend(self.changes.iter().cloned().map(Remark::Changed));
        remarks.extend(self.period.map(Remark::Every));
        if self.modes.len() > 1 {
            let (modes, exact) = (self.modes.clone(), self.waited.exact);
            remarks.push(Remark::Bands { modes, mean_ns, exact });
        }
        let tail = self.tail.filter(|tail| tail.time >= 0.25 && tail.events < 0.05);
        remarks.extend(tail.map(Remark::Tail));
        remarks.extend(self.response.map(Remark::Response));
        remarks.extend(self.gaps.map(Remark::Missing));
        if remarks.is_empty()
            && let [(median, _), _, (high, _), ..] = self.quantiles.as_slice()
        {
            remarks.push(Remark::Plain { median: *median, high: *high });
        }
        remarks.truncate(5);
        remarks
    }
}
