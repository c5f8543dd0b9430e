//! What is said of bursts: one by one, or of several alike at once.

use crate::busiest::LAST;
use crate::{Burst, Bursts, Findings, Incident, Level, RankedRemark, Remark, RemarkClass};

/// Bursts are alike if neither the mean nor what waits of one is more than so many times that of
/// another.
const ALIKE: f64 = 2.0;

impl Findings {
    pub(crate) fn of_incident(&self, incident: Incident) -> RankedRemark {
        let length = incident.end.since(incident.start).as_secs_f64();
        let extra = (incident.inside.waiting - incident.outside.waiting) * length;
        let owned = incident.time_share * self.waited.seconds;
        // In a stall hardly anything is done: all that is waited in it is because of it.
        let explained = if incident.is_stall() { owned } else { extra };
        let ranked = self.ranked_as(RemarkClass::Episode, explained, Remark::Incident(incident));
        self.owning(ranked, owned)
    }

    pub(crate) fn incident_of(&self, burst: &Burst) -> Incident {
        let (inside, outside) = self.inside_and_outside(&[burst]);
        Incident {
            start: burst.start,
            end: burst.end,
            lasts: self.known_until.is_some_and(|until| until <= burst.end)
                && burst.end.since(burst.start).as_nanos()
                    >= burst.exact_to.as_nanos().saturating_mul(LAST as u64),
            exact_to: burst.exact_to,
            time_share: burst.time_share,
            inside,
            outside,
        }
    }

    /// Puts one remark in the place of those of single bursts, where the bursts are alike.
    pub(crate) fn taken_together(&self, happened: Vec<RankedRemark>) -> Vec<RankedRemark> {
        let is_of = |one: &RankedRemark, burst: &Burst| matches!(&one.remark, Remark::Incident(incident) if (incident.start, incident.end) == (burst.start, burst.end));
        let single: Vec<&Burst> = self
            .bursts
            .iter()
            .filter(|burst| happened.iter().any(|one| is_of(one, burst)))
            .collect();
        let varies = |of: &dyn Fn(&Burst) -> f64| {
            let all = || single.iter().map(|burst| of(burst));
            all().fold(0.0, f64::max) > ALIKE * all().fold(f64::MAX, f64::min)
        };
        let Some(first) = single.first().filter(|_| single.len() > 1) else { return happened };
        if varies(&|burst| burst.mean_ns) || varies(&|burst| burst.time_share / length_s(&[burst]))
        {
            return happened;
        }
        let (inside, outside) = self.inside_and_outside(&single);
        let bursts = Bursts {
            stretches: single.iter().map(|burst| (burst.start, burst.end)).collect(),
            exact_to: first.exact_to,
            inside,
            outside,
        };
        let extra = (inside.waiting - outside.waiting) * length_s(&single);
        let owned: f64 = single.iter().map(|burst| burst.time_share).sum();
        let ranked = self.ranked_as(RemarkClass::Episode, extra, Remark::Bursts(bursts));
        let ranked = self.owning(ranked, owned * self.waited.seconds);
        let is_left = |one: &RankedRemark| !single.iter().any(|burst| is_of(one, burst));
        happened.into_iter().filter(is_left).chain([ranked]).collect()
    }

    /// What is in some bursts, and what is usual in the rest of the window.
    fn inside_and_outside(&self, bursts: &[&Burst]) -> (Level, Level) {
        let sum = |of: &dyn Fn(&Burst) -> f64| bursts.iter().map(|burst| of(burst)).sum::<f64>();
        let length_s = length_s(bursts);
        let owned_s = sum(&|burst| burst.time_share) * self.waited.seconds;
        let events = sum(&|burst| burst.events as f64);
        let ended_ns = sum(&|burst| burst.mean_ns * burst.events as f64);
        let others = self.events as f64 - events;
        let all_ns = self.mean_ns.unwrap_or(0.0) * self.events as f64;
        let level = |events: f64, latencies_ns: f64, waited_s: f64, lengths: (f64, f64)| {
            let (counted_s, covered_s) = lengths;
            let mean_ns = if events > 0.0 { (latencies_ns / events).max(0.0) } else { 0.0 };
            Level {
                rate: events / counted_s.max(f64::MIN_POSITIVE),
                waiting: waited_s / covered_s.max(f64::MIN_POSITIVE),
                mean_ns,
                median: None,
                high: None,
            }
        };
        let rest = || {
            let waited_s = self.waited.seconds - owned_s;
            let rest = (self.counted_s - length_s, self.covered_s - length_s);
            level(others, all_ns - ended_ns, waited_s, rest)
        };
        // The rest holds what else happened: a stall in it would make everything else look fast.
        (level(events, ended_ns, owned_s, (length_s, length_s)), self.usual.unwrap_or_else(rest))
    }
}

fn length_s(bursts: &[&Burst]) -> f64 {
    bursts.iter().map(|burst| burst.end.since(burst.start).as_secs_f64()).sum()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Scheme;

    use super::*;
    use crate::Circumstances;
    use crate::simulated::{Peak, at, run};

    #[test]
    fn three_bursts_alike_are_one_remark_against_the_rest() {
        // 200 events/s of 0.5 ms; three times five seconds with 100/s of 22 ms besides.
        let planted = [(120, 125), (300, 305), (480, 485)];
        let slow = |second: usize| planted.iter().any(|(from, to)| (*from..*to).contains(&second));
        let run = run(7, 600, &Scheme::log_linear(), |second, _| {
            vec![
                Peak(200.0, 500.0, 0.2),
                Peak(if slow(second) { 100.0 } else { 0.0 }, 22_000.0, 0.2),
            ]
        });
        let remarks = Findings::of(&run, &Circumstances::default()).remarks();
        let Remark::Bursts(bursts) = &remarks[0].remark else { panic!("{remarks:#?}") };
        let expected = planted.map(|(from, to)| (at(from), at(to)));
        assert_eq!(bursts.stretches, expected);
        // By hand: in a burst 200 × 0.5 ms and 100 × 22 ms a second.
        let mean_ns = (200.0 * 0.5e6 + 100.0 * 22e6) / 300.0;
        assert!((bursts.inside.mean_ns / mean_ns - 1.0).abs() < 0.1, "{bursts:?}");
        assert!((bursts.inside.rate / 300.0 - 1.0).abs() < 0.1, "{bursts:?}");
        assert!((bursts.outside.mean_ns / 0.5e6 - 1.0).abs() < 0.1, "{bursts:?}");
        let share = 15.0 * 2.3 / (15.0 * 2.3 + 585.0 * 0.1);
        assert!((remarks[0].time_share.unwrap() - share).abs() < 0.03, "{remarks:?}");
        let is_single = |one: &RankedRemark| matches!(one.remark, Remark::Incident(_));
        assert!(!remarks.iter().any(is_single), "{remarks:#?}");
    }
}
