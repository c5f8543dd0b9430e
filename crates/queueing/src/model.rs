//! The models: what each predicts, of which parameters, within which bounds.

use schemars::JsonSchema;
use serde::Serialize;

use crate::closed::{Station, asymptotic_bound, smooth_bound, usl};
use crate::open::{delayed_response, ggc_response, md1_response, mmc_response};
use crate::orapub::{orapub_cpu, orapub_io};

/// How operations arrive: which kind of model applies.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loop {
    /// A fixed number is in flight; throughput follows from it.
    Closed,
    /// They arrive at a rate; mean response time follows from it.
    Open,
}

/// A queueing model.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// X = \[(N/R0)^-k + Xmax^-k\]^(-1/k).
    SmoothBound,
    /// X = N/R0: throughput in proportion to the load, no saturation.
    Linear,
    /// X = min(N, M)/S: closed M/M/c without think time.
    Servers,
    /// The Universal Scalability Law without coherency penalty: speed and contention.
    Usl2,
    /// The Universal Scalability Law with all three.
    Usl3,
    /// A delay and one server, by mean value analysis.
    Mva,
    /// A delay and several servers with one queue.
    MvaServers,
    /// OraPub's R = S / (1 - (SL/M)^M).
    OrapubCpu,
    /// OraPub's R = S / (1 - SL/M).
    OrapubIo,
    /// M/M/c with any number of servers, whole or not.
    Mmc,
    /// M/D/1.
    Md1,
    /// G/G/c by Allen and Cunneen.
    Ggc,
    /// A fixed delay and M/M/1.
    DelayMm1,
}

/// What a parameter is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// S, seconds.
    Service,
    /// R0, the response time of one operation alone, seconds.
    LeastResponse,
    /// Z, time spent elsewhere, seconds.
    Delay,
    /// Xmax, operations per second.
    Capacity,
    /// M, effective servers.
    Servers,
    /// k, how sharply throughput turns.
    Sharpness,
    /// g, the throughput of one operation in flight, per second.
    Speed,
    /// a, the share that is done one after the other.
    Contention,
    /// b, the cost of keeping each two in agreement.
    Coherency,
    /// The mean of the squared coefficients of variation of arrivals and service.
    Variability,
}

/// The most parameters of a model.
pub const MOST_PARAMETERS: usize = 3;

/// The values of a model's parameters; those beyond its own are not used.
pub type Values = [f64; MOST_PARAMETERS];

/// The most in flight that a model is computed for whose cost grows with it.
const MOST_STEPS: u32 = 4_096;

/// Where a utilisation counts as full: above, the logarithm of response time goes on straight, so
/// that a fit finds its way back.
const FULL: f64 = 0.999;

impl Model {
    /// All of them, those recommended first.
    pub const ALL: [Model; 13] = [
        Model::SmoothBound,
        Model::Servers,
        Model::Usl2,
        Model::Usl3,
        Model::Mva,
        Model::Linear,
        Model::MvaServers,
        Model::OrapubCpu,
        Model::OrapubIo,
        Model::Mmc,
        Model::Md1,
        Model::Ggc,
        Model::DelayMm1,
    ];

    /// Its name on the command line and in files; it stays the same.
    pub fn name(self) -> &'static str {
        match self {
            Model::SmoothBound => "bound",
            Model::Linear => "linear",
            Model::Servers => "servers",
            Model::Usl2 => "usl2",
            Model::Usl3 => "usl",
            Model::Mva => "mva",
            Model::MvaServers => "mva-c",
            Model::OrapubCpu => "orapub-cpu",
            Model::OrapubIo => "orapub-io",
            Model::Mmc => "mmc",
            Model::Md1 => "md1",
            Model::Ggc => "ggc",
            Model::DelayMm1 => "delay-mm1",
        }
    }

    /// Whether it is tried without being named. A delay *and* a number of servers are hardly told
    /// apart by throughput alone, so that [`Model::MvaServers`] is left to those who ask for it.
    pub fn is_usual(self) -> bool {
        self != Model::MvaServers
    }

    /// The model of that name.
    pub fn named(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Which kind of system it describes.
    pub fn applies_to(self) -> Loop {
        match self {
            Model::SmoothBound
            | Model::Linear
            | Model::Servers
            | Model::Usl2
            | Model::Usl3
            | Model::Mva
            | Model::MvaServers => Loop::Closed,
            _ => Loop::Open,
        }
    }

    /// Its parameters in the order of their values.
    pub fn parameters(self) -> &'static [Parameter] {
        use Parameter as P;
        match self {
            Model::SmoothBound => &[P::LeastResponse, P::Capacity, P::Sharpness],
            Model::Linear => &[P::LeastResponse],
            Model::Servers | Model::OrapubCpu | Model::OrapubIo | Model::Mmc => {
                &[P::Service, P::Servers]
            }
            Model::Usl2 => &[P::Speed, P::Contention],
            Model::Usl3 => &[P::Speed, P::Contention, P::Coherency],
            Model::Mva | Model::DelayMm1 => &[P::Delay, P::Service],
            Model::MvaServers => &[P::Delay, P::Service, P::Servers],
            Model::Md1 => &[P::Service],
            Model::Ggc => &[P::Service, P::Servers, P::Variability],
        }
    }

    /// Whether it can be computed at these loads: some cost time in proportion to the number in
    /// flight.
    pub fn reaches(self, loads: &[f64]) -> bool {
        let stepwise = matches!(self, Model::Mva | Model::MvaServers);
        !stepwise || loads.iter().all(|load| *load <= f64::from(MOST_STEPS))
    }

    /// Throughput (closed) or mean response time (open) at a load: the number in flight, or arrivals
    /// per second. Infinite where an open system has more work than servers can do.
    pub fn predict(self, values: &Values, load: f64) -> f64 {
        match self.applies_to() {
            Loop::Closed => self.throughputs(values, &[load]).first().copied().unwrap_or(f64::NAN),
            Loop::Open => self.response(values, load).unwrap_or(f64::INFINITY),
        }
    }

    /// Mean response time at a load, by Little's law for closed systems.
    pub fn response_at(self, values: &Values, load: f64) -> f64 {
        let predicted = self.predict(values, load);
        if self.applies_to() == Loop::Closed { load / predicted } else { predicted }
    }

    /// Throughput at a load: in an open system what arrives, at most what servers can do.
    pub fn throughput_at(self, values: &Values, load: f64) -> f64 {
        match self.applies_to() {
            Loop::Closed => self.predict(values, load),
            Loop::Open => load.min(self.capacity(values).unwrap_or(f64::INFINITY)),
        }
    }

    /// The most operations a second that there can be; `None` where the model knows no limit.
    pub fn capacity(self, values: &Values) -> Option<f64> {
        let [first, second, third] = *values;
        match self {
            Model::SmoothBound => Some(second),
            Model::Linear => None,
            Model::Usl2 => (second > 0.0).then(|| first / second),
            Model::Usl3 => {
                let peak = super::closed::usl_peak(second, third);
                peak.map(|peak| usl(peak.max(1.0), first, second, third))
                    .or_else(|| (second > 0.0).then(|| first / second))
            }
            Model::Mva | Model::DelayMm1 => Some(1.0 / second),
            Model::MvaServers => Some(third / second),
            Model::Md1 => Some(1.0 / first),
            _ => Some(second / first),
        }
    }

    /// The logarithms of what is predicted at each load. Beyond capacity those of response time go
    /// on rising, so that a fit is led back.
    pub(crate) fn ln_predict(self, values: &Values, loads: &[f64], out: &mut [f64]) {
        if self.applies_to() == Loop::Closed {
            for (out, found) in out.iter_mut().zip(self.throughputs(values, loads)) {
                *out = found.ln();
            }
            return;
        }
        let capacity = self.capacity(values).unwrap_or(f64::INFINITY);
        for (out, load) in out.iter_mut().zip(loads) {
            let over = (load / capacity - FULL).max(0.0);
            let response = self.response(values, load.min(capacity * FULL));
            *out = response.map_or(f64::NAN, f64::ln) + over / (1.0 - FULL);
        }
    }

    fn response(self, values: &Values, load: f64) -> Option<f64> {
        let [first, second, third] = *values;
        match self {
            Model::OrapubCpu => orapub_cpu(first, load, second),
            Model::OrapubIo => orapub_io(first, load, second),
            Model::Mmc => mmc_response(first, load, second),
            Model::Md1 => md1_response(first, load),
            Model::Ggc => ggc_response(first, load, second, third),
            Model::DelayMm1 => delayed_response(first, second, load),
            _ => None,
        }
    }

    fn throughputs(self, values: &Values, loads: &[f64]) -> Vec<f64> {
        let [first, second, third] = *values;
        let each = |formula: &dyn Fn(f64) -> f64| loads.iter().map(|load| formula(*load)).collect();
        match self {
            Model::SmoothBound => each(&|load| smooth_bound(load, first, second, third)),
            Model::Linear => each(&|load| load / first),
            Model::Servers => each(&|load| asymptotic_bound(load, first, second)),
            Model::Usl2 => each(&|load| usl(load, first, second, 0.0)),
            Model::Usl3 => each(&|load| usl(load, first, second, third)),
            Model::Mva => {
                let station = Station { delay: first, service: second, servers: 1.0 };
                each(&|load| between(load, |n| station.throughput(n)))
            }
            Model::MvaServers => {
                let station = Station { delay: first, service: second, servers: third };
                each(&|load| between(load, |n| station.throughput(n)))
            }
            _ => vec![f64::NAN; loads.len()],
        }
    }
}

/// The whole numbers below and above, at most as many as are computed.
fn whole(load: f64) -> (u32, u32) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a range that fits"
    )]
    let at_most = |value: f64| value.clamp(0.0, f64::from(MOST_STEPS)) as u32;
    (at_most(load.floor()), at_most(load.ceil()))
}

/// A value between those at the whole numbers beside it.
fn between(load: f64, at: impl Fn(u32) -> f64) -> f64 {
    let (below, above) = whole(load);
    let low = at(below);
    if below == above { low } else { low + (at(above) - low) * (load - f64::from(below)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for model in Model::ALL {
            assert_eq!(Model::named(model.name()), Some(model));
        }
        assert_eq!(Model::named("mm1"), None);
    }

    #[test]
    fn every_model_gives_a_positive_number_within_its_capacity() {
        let values = [0.01, 4.0, 2.0];
        for model in Model::ALL {
            let values = match model {
                Model::SmoothBound => [0.01, 400.0, 2.0],
                Model::Usl2 | Model::Usl3 => [100.0, 0.05, 0.001],
                Model::Mva | Model::MvaServers | Model::DelayMm1 => [0.02, 0.01, 3.0],
                _ => values,
            };
            let capacity = model.capacity(&values).unwrap_or(f64::INFINITY);
            for load in [1.0, 2.5, 17.0, 63.0] {
                let found = model.predict(&values, load);
                assert!(found > 0.0 && found.is_finite(), "{model:?} {load}: {found}");
                assert!(model.throughput_at(&values, load) <= capacity * 1.000_001, "{model:?}");
            }
        }
    }

    #[test]
    fn beyond_capacity_the_logarithm_goes_on_rising() {
        for model in [Model::OrapubCpu, Model::OrapubIo, Model::Mmc, Model::Md1, Model::Ggc] {
            let values = [0.01, 1.0, 1.0];
            let loads = [50.0, 99.0, 99.9, 100.0, 130.0];
            let mut found = [0.0; 5];
            model.ln_predict(&values, &loads, &mut found);
            assert!(found.windows(2).all(|pair| pair[1] > pair[0]), "{model:?} {found:?}");
            assert!(model.predict(&values, 130.0).is_infinite());
        }
    }
}
