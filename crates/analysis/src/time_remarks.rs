//! What is worth saying of stretches of time without looking at latencies.

use crate::{Findings, Period, RankedRemark, Remark, RemarkClass, SampledTime};

impl Findings {
    pub(crate) fn of_sampled(&self, sampled: SampledTime) -> Option<RankedRemark> {
        let incident = self.of_incident(sampled.busiest?);
        Some(RankedRemark { remark: Remark::Sampled(sampled), exact: false, ..incident })
    }

    pub(crate) fn of_period(&self, period: Period) -> RankedRemark {
        let extra = (period.time_share - period.busy) * self.waited.seconds;
        let ranked = self.ranked_as(RemarkClass::Episode, extra, Remark::Every(period));
        self.owning(ranked, period.time_share * self.waited.seconds)
    }
}
