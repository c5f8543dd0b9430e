//! What is worth saying of how latency goes with load.

use crate::{
    Change, ChangeKind, Findings, Incident, LoadResponse, RankedRemark, Remark, RemarkClass,
    ResponseKind,
};

/// That latency does not go with load is worth a word where high load is so many times low load.
const VARIES: f64 = 2.0;

impl Findings {
    /// How latency goes with load; that it rises without says nothing where a change says when.
    pub(crate) fn of_load(&self, quiet: bool) -> Option<RankedRemark> {
        let response = self.response.filter(|_| self.ramp().is_none())?;
        let (low, high) = response.means_ns;
        let class = match response.kind {
            ResponseKind::VariesWithoutLoad if !quiet => return None,
            ResponseKind::Unrelated if response.rates.1 < VARIES * response.rates.0 => return None,
            ResponseKind::Unrelated => RemarkClass::Hint,
            _ => RemarkClass::Load,
        };
        // What the fifth of the time with the most load waits beyond that with the least.
        let extra = (high - low) / 1e9 * response.rates.1 * self.covered_s / 5.0;
        let response = self.at_levels(response);
        Some(self.ranked_as(class, extra.max(0.0), Remark::Response(response)))
    }

    /// With the levels between which load stepped where latency does not go with it: percentiles of
    /// the rates lie in the noise about them.
    fn at_levels(&self, response: LoadResponse) -> LoadResponse {
        let steps = self.changes.iter().filter(|change| change.kind == ChangeKind::Rate);
        let levels: Vec<f64> = steps.flat_map(|step| [step.before.rate, step.after.rate]).collect();
        let drifts = self.changes.iter().any(|change| change.kind == ChangeKind::RateDrifts);
        if response.kind != ResponseKind::Unrelated || levels.is_empty() || drifts {
            return response;
        }
        let low = levels.iter().copied().fold(f64::INFINITY, f64::min);
        let high = levels.iter().copied().fold(0.0, f64::max);
        LoadResponse { rates: (low, high), ..response }
    }

    /// The load that grows or falls bit by bit, the longest such time, if latency goes with it.
    fn ramp(&self) -> Option<(&Change, LoadResponse)> {
        let follows = |found: &LoadResponse| matches!(found.kind, ResponseKind::Follows(_));
        let response = self.response.filter(follows)?;
        let loads = self.changes.iter().filter(|change| change.kind == ChangeKind::RateDrifts);
        let length =
            |load: &&Change| load.end.or(self.known_until).map(|end| end.since(load.start));
        Some((loads.max_by_key(length)?, response))
    }

    /// A change as that load, if it is it.
    pub(crate) fn as_ramp(&self, change: &Change) -> Option<Remark> {
        let (load, response) = self.ramp().filter(|(load, _)| *load == change)?;
        Some(Remark::Ramp { load: load.clone(), response })
    }

    /// Whether a stretch is the busy end of a load that grows or falls, and latency that goes with
    /// it.
    pub(crate) fn is_end_of_ramp(&self, incident: &Incident) -> bool {
        self.ramp().is_some_and(|(load, _)| {
            let until = load.end.or(self.known_until).unwrap_or(load.start);
            load.start < incident.end
                && incident.start < until
                && incident.inside.rate > incident.outside.rate
        })
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Scheme;

    use crate::simulated::{Peak, at, run};
    use crate::{Circumstances, Findings, Remark, RemarkClass};

    #[test]
    fn a_ramp_into_saturation_is_one_remark_and_the_first() {
        for seed in 1..=6 {
            // From 50 to 180 events/s at a server that answers 200: 1 / (200 - rate).
            let rate = |second: usize| 50.0 + 130.0 * second as f64 / 600.0;
            let ramp = run(seed, 600, &Scheme::log_linear(), |second, _| {
                vec![Peak(rate(second), 1e6 / (200.0 - rate(second)), 0.8)]
            });
            let remarks = Findings::of(&ramp, &Circumstances::default()).remarks();
            let Remark::Ramp { load, response } = &remarks[0].remark else { panic!("{remarks:?}") };
            assert_eq!(remarks[0].class, RemarkClass::Level, "{remarks:?}");
            assert!(load.start <= at(8) && load.end.is_none(), "{load:?}");
            assert!(load.before.rate < 70.0 && load.after.rate > 160.0, "{load:?}");
            assert!(response.means_ns.1 > 3.0 * response.means_ns.0, "{response:?}");
            let again = |remark: &Remark| {
                matches!(remark, Remark::Incident(_) | Remark::Bursts(_) | Remark::Response(_))
            };
            assert!(!remarks.iter().any(|one| again(&one.remark)), "{remarks:?}");
        }
    }
}
