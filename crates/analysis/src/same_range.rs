//! Whether two remarks are about the same stretch of time.

use isotherm_frame::{Nanos, Timestamp};

use crate::{Incident, RankedRemark, Remark};

/// Two stretches of time that have this part of both together in common are the same one.
const SAME: f64 = 0.6;

impl RankedRemark {
    /// When it was, if it is about a stretch of time; what lasts ends at `until`.
    pub(crate) fn span(&self, until: Option<Timestamp>) -> Option<(Timestamp, Timestamp)> {
        match &self.remark {
            Remark::Incident(incident) => Some((incident.start, incident.end)),
            Remark::Sampled(time) => time.busiest.map(|busiest| (busiest.start, busiest.end)),
            Remark::Bursts(bursts) => {
                let (first, last) = (bursts.stretches.first()?, bursts.stretches.last()?);
                Some((first.0, last.1))
            }
            Remark::Changed(change) | Remark::Ramp { load: change, .. } => {
                Some((change.start, change.end.or(until)?))
            }
            _ => None,
        }
    }

    /// Where each of its stretches begins, and how exactly that is known.
    pub(crate) fn begins(&self) -> Vec<(Timestamp, Nanos)> {
        let of = |one: &Incident| (one.start, one.exact_to);
        match &self.remark {
            Remark::Incident(incident) => vec![of(incident)],
            Remark::Sampled(time) => time.busiest.as_ref().map(of).into_iter().collect(),
            Remark::Bursts(bursts) => {
                bursts.stretches.iter().map(|one| (one.0, bursts.exact_to)).collect()
            }
            Remark::Changed(change) => vec![(change.start, change.exact_to)],
            _ => Vec::new(),
        }
    }

    /// Whether both are about the same stretch of time, or the same rhythm.
    pub(crate) fn is_about_when(&self, other: &RankedRemark, until: Option<Timestamp>) -> bool {
        if let (Remark::Every(one), Remark::Every(two)) = (&self.remark, &other.remark) {
            let times = one.every.as_secs_f64() / two.every.as_secs_f64();
            return (0.9..1.1).contains(&times);
        }
        let (Some(one), Some(two)) = (self.span(until), other.span(until)) else { return false };
        let length = |from: Timestamp, to: Timestamp| to.since(from).as_secs_f64();
        let common = length(one.0.max(two.0), one.1.min(two.1));
        common > 0.0 && common >= SAME * length(one.0.min(two.0), one.1.max(two.1))
    }
}
