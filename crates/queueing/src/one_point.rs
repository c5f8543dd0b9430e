//! What one observation of a system implies: its effective servers, and with them its response time
//! at other loads.

use crate::model::Model;
use crate::msolver::{NoServers, msolver};
use crate::orapub::{orapub_cpu, orapub_io};
use crate::what_if::{Change, NoWhatIf, Situation};

/// One observation of a system.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Observation {
    /// Arrivals per second.
    pub arrival_per_s: f64,
    /// Service time, seconds.
    pub service_s: f64,
    /// Response time, seconds: service and queue time.
    pub response_s: f64,
}

/// An observation solved by one of `OraPub`'s forms.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SolvedForm {
    /// The form: [`Model::OrapubCpu`] or [`Model::OrapubIo`].
    pub form: Model,
    /// What was observed.
    pub observation: Observation,
    /// Effective servers.
    pub servers: f64,
}

impl Observation {
    /// The forms that give the observed response time: of one queue before all servers, and of a
    /// queue before each.
    pub fn solved(self) -> Result<[SolvedForm; 2], NoServers> {
        let queue = self.response_s - self.service_s;
        let solve = |form| {
            let servers = msolver(form, self.service_s, self.arrival_per_s, queue)?;
            Ok(SolvedForm { form, observation: self, servers })
        };
        Ok([solve(Model::OrapubCpu)?, solve(Model::OrapubIo)?])
    }

    /// Time spent queueing, seconds.
    pub fn queue_s(self) -> f64 {
        self.response_s - self.service_s
    }
}

impl SolvedForm {
    /// The system at another load.
    pub fn at(&self, arrival_per_s: f64) -> Situation {
        self.situation(arrival_per_s, self.observation.service_s, self.servers)
    }

    /// The system after a change, at the observed load or the one that the change says.
    pub fn changed(&self, change: &Change) -> Result<Situation, NoWhatIf> {
        self.changed_at(self.observation.arrival_per_s, change)
    }

    /// The same from another load on: `x1.2` is 1.2 times that load.
    pub fn changed_at(&self, load: f64, change: &Change) -> Result<Situation, NoWhatIf> {
        let of = |amount: Option<crate::Amount>, value: f64| {
            let changed = amount.map_or(value, |amount| amount.of(value));
            if changed.is_finite() && changed > 0.0 {
                Ok(changed)
            } else {
                Err(NoWhatIf::NotPositive)
            }
        };
        let service_s = self.observation.service_s;
        let (arrival, service) = (of(change.load, load)?, of(change.service, service_s)?);
        Ok(self.situation(arrival, service, of(change.servers, self.servers)?))
    }

    fn situation(&self, load: f64, service: f64, servers: f64) -> Situation {
        let response = match self.form {
            Model::OrapubIo => orapub_io(service, load, servers),
            _ => orapub_cpu(service, load, servers),
        };
        Situation {
            load,
            service,
            servers: Some(servers),
            utilisation: Some(service * load / servers),
            throughput: load.min(servers / service),
            response: response.unwrap_or(f64::INFINITY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Amount;

    /// `OraPub`'s baseline: 0.0914 ms of service, 0.1356 ms of queueing, 10.8445 a millisecond.
    const BASELINE: Observation =
        Observation { arrival_per_s: 10_844.5, service_s: 91.4e-6, response_s: 227e-6 };

    #[test]
    fn the_published_servers_and_responses_come_out() {
        let [cpu, io] = BASELINE.solved().unwrap();
        assert!((cpu.servers - 1.42348).abs() < 5e-6, "{}", cpu.servers);
        assert!((io.servers - 1.6593).abs() < 5e-5, "{}", io.servers);
        // Larger batches: a service time of 0.0613 ms, at the same load and at 16.2470 a millisecond.
        let service = Some(Amount::To(61.3e-6));
        let same = cpu.changed(&Change { service, ..Change::default() }).unwrap();
        assert!((same.response - 92.6363e-6).abs() < 2e-9, "{same:?}");
        let change = Change { service, load: Some(Amount::To(16_247.0)), servers: None };
        assert!((cpu.changed(&change).unwrap().response - 153.798e-6).abs() < 1e-8);
        // From another load on, half as much more is half of that load.
        let more = Change { load: Some(Amount::Times(1.5)), ..Change::default() };
        let at = cpu.changed_at(8_000.0, &more).unwrap();
        assert!((at.load - 12_000.0).abs() < 1e-9 && at == cpu.at(12_000.0), "{at:?}");
    }

    #[test]
    fn both_forms_go_through_the_observation() {
        for solved in BASELINE.solved().unwrap() {
            let there = solved.at(BASELINE.arrival_per_s);
            assert!((there.response / BASELINE.response_s - 1.0).abs() < 1e-6, "{there:?}");
            assert!((there.queue() / BASELINE.queue_s() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn more_work_than_servers_can_do_never_ends() {
        let [cpu, _] = BASELINE.solved().unwrap();
        assert!(cpu.at(1.01 * cpu.servers / BASELINE.service_s).response.is_infinite());
        let nothing = Change { servers: Some(Amount::Plus(-9.0)), ..Change::default() };
        assert_eq!(cpu.changed(&nothing), Err(NoWhatIf::NotPositive));
        let faster = Observation { response_s: 91.4e-6, ..BASELINE };
        assert_eq!(faster.solved(), Err(NoServers::NotPositive));
    }
}
