//! What if: the same system with other service times, another load, more servers.

use crate::closed::{Station, usl};
use crate::fitted::Fitted;
use crate::model::{Loop, Model, Values};

/// A number made another one.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Amount {
    /// So many times what it is.
    Times(f64),
    /// So much more, or less.
    Plus(f64),
    /// This instead.
    To(f64),
}

/// What is changed.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Service time, seconds; of all parts of it alike where a model has several.
    pub service: Option<Amount>,
    /// Operations in flight (closed), or arrivals per second (open).
    pub load: Option<Amount>,
    /// Effective servers.
    pub servers: Option<Amount>,
}

/// A system at a load, by a model.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Situation {
    /// In flight (closed), or arrivals per second (open).
    pub load: f64,
    /// Response time without any queueing, seconds.
    pub service: f64,
    /// Effective servers; `None` where the model has none.
    pub servers: Option<f64>,
    /// The share of capacity that is used.
    pub utilisation: Option<f64>,
    /// Operations per second.
    pub throughput: f64,
    /// Mean response time, seconds; infinite where there is more work than servers can do.
    pub response: f64,
}

/// Before and after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    /// The model it is computed by.
    pub model: Model,
    /// What was changed.
    pub change: Change,
    /// As it is.
    pub before: Situation,
    /// As it would be.
    pub after: Situation,
    /// Whether the load of either side lies outside of what was measured, as a share of the nearest
    /// measured load: 1.5 is half as much again.
    pub beyond: Option<f64>,
}

/// Why a change cannot be computed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWhatIf {
    /// The model has no servers that could become more.
    #[error("the model has no servers that could become more or fewer")]
    NoServers,
    /// A change leaves nothing.
    #[error("a change must leave more than zero")]
    NotPositive,
}

impl Amount {
    /// The number after the change.
    pub fn of(self, value: f64) -> f64 {
        match self {
            Amount::Times(factor) => value * factor,
            Amount::Plus(more) => value + more,
            Amount::To(fixed) => fixed,
        }
    }
}

impl Situation {
    /// Time spent waiting, seconds.
    pub fn queue(&self) -> f64 {
        (self.response - self.service).max(0.0)
    }

    /// How many times its service an operation takes.
    pub fn stretch(&self) -> f64 {
        self.response / self.service
    }
}

/// A system in the terms that can be changed.
#[derive(Copy, Clone, Debug)]
struct System {
    model: Model,
    values: Values,
    /// Servers, where the model is computed with another number than its parameters tell.
    servers: Option<f64>,
}

impl WhatIf {
    /// What a change would do at `load` by a fitted model. `measured` is the range of loads it was
    /// fitted to.
    pub fn of(
        fitted: &Fitted,
        load: f64,
        change: Change,
        measured: (f64, f64),
    ) -> Result<WhatIf, NoWhatIf> {
        let before = System { model: fitted.model, values: fitted.values, servers: None };
        let after = before.changed(&change)?;
        let after_load = positive(change.load.map_or(load, |amount| amount.of(load)))?;
        Ok(WhatIf {
            model: fitted.model,
            change,
            before: before.at(load),
            after: after.at(after_load),
            beyond: beyond([load, after_load], measured),
        })
    }
}

impl WhatIf {
    /// The system at another load without the change and with it; `None` where the change cannot
    /// be computed.
    pub fn at(&self, fitted: &Fitted, load: f64) -> Option<(Situation, Situation)> {
        let before = System { model: fitted.model, values: fitted.values, servers: None };
        Some((before.at(load), before.changed(&self.change).ok()?.at(load)))
    }
}

/// How far the further of two loads lies outside.
fn beyond(loads: [f64; 2], (least, most): (f64, f64)) -> Option<f64> {
    let over = |load: f64| if load > most { load / most } else { (least / load).max(1.0) };
    let furthest = loads.into_iter().map(over).fold(1.0, f64::max);
    (furthest > 1.0 + 1e-9).then_some(furthest)
}

fn positive(value: f64) -> Result<f64, NoWhatIf> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(NoWhatIf::NotPositive) }
}

impl System {
    fn changed(self, change: &Change) -> Result<System, NoWhatIf> {
        let mut system = self;
        if let Some(amount) = change.service {
            let service = system.service();
            system.scale_service(positive(amount.of(service))? / service);
        }
        if let Some(amount) = change.servers {
            let servers = system.servers().ok_or(NoWhatIf::NoServers)?;
            system.set_servers(positive(amount.of(servers))?)?;
        }
        Ok(system)
    }

    /// The part of response time that is service: what a faster device makes shorter.
    fn service(&self) -> f64 {
        match self.model {
            Model::Usl2 | Model::Usl3 => 1.0 / self.values[0],
            Model::Mva | Model::MvaServers | Model::DelayMm1 => self.values[1],
            _ => self.values[0],
        }
    }

    fn scale_service(&mut self, factor: f64) {
        match self.model {
            Model::Usl2 | Model::Usl3 => self.values[0] /= factor,
            Model::SmoothBound => {
                self.values[0] *= factor;
                self.values[1] /= factor;
            }
            Model::Mva | Model::MvaServers | Model::DelayMm1 => self.values[1] *= factor,
            _ => self.values[0] *= factor,
        }
    }

    fn servers(&self) -> Option<f64> {
        self.servers.or(match self.model {
            Model::SmoothBound => Some(self.values[0] * self.values[1]),
            Model::Mva => Some(1.0),
            Model::MvaServers => Some(self.values[2]),
            Model::Linear | Model::Usl2 | Model::Usl3 | Model::Md1 | Model::DelayMm1 => None,
            _ => Some(self.values[1]),
        })
    }

    fn set_servers(&mut self, servers: f64) -> Result<(), NoWhatIf> {
        match self.model {
            Model::SmoothBound => self.values[1] = servers / self.values[0],
            Model::Mva => {
                self.model = Model::MvaServers;
                self.values[2] = servers;
            }
            Model::MvaServers => self.values[2] = servers,
            Model::Linear | Model::Usl2 | Model::Usl3 | Model::Md1 | Model::DelayMm1 => {
                return Err(NoWhatIf::NoServers);
            }
            _ => self.values[1] = servers,
        }
        Ok(())
    }

    fn at(&self, load: f64) -> Situation {
        let throughput = self.model.throughput_at(&self.values, load);
        let capacity = self.model.capacity(&self.values);
        let asked = if self.model.applies_to() == Loop::Open { load } else { throughput };
        Situation {
            load,
            service: self.alone(),
            servers: self.servers(),
            utilisation: capacity.map(|capacity| asked / capacity),
            throughput,
            response: self.model.response_at(&self.values, load),
        }
    }

    /// Response time of one operation alone.
    fn alone(&self) -> f64 {
        match self.model {
            Model::Usl2 | Model::Usl3 => 1.0 / usl(1.0, self.values[0], 0.0, 0.0),
            Model::Mva | Model::MvaServers => {
                let [delay, service, _] = self.values;
                1.0 / Station { delay, service, servers: 1.0 }.throughput(1)
            }
            Model::DelayMm1 => self.values[0] + self.values[1],
            _ => self.values[0],
        }
    }
}
