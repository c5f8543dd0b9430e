//! Where the parameters of a model are searched: bounds and starts, from the scale of the points.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Loop, MOST_PARAMETERS, Model, Parameter, Values};
use crate::points::Points;

/// Bounds and starts of the logarithms of a model's parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Space {
    /// The least and greatest of each.
    pub bounds: Vec<(f64, f64)>,
    /// Where to begin.
    pub starts: Vec<Values>,
}

/// At which end of what is searched a parameter lies.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// At the least: as good as zero, or no more can be said than that it is small.
    Least,
    /// At the most: no more can be said than that it is large.
    Most,
}

/// The scales of a sweep.
#[derive(Copy, Clone, Debug)]
struct Scales {
    /// The shortest mean response time.
    response: f64,
    /// The highest throughput.
    throughput: f64,
    /// The heaviest load.
    load: f64,
    /// The load of the highest throughput.
    at_most: f64,
}

impl Scales {
    fn of(points: &Points) -> Scales {
        let mut scales = Scales { response: f64::MAX, throughput: 0.0, load: 0.0, at_most: 0.0 };
        for point in &points.points {
            let throughput = points.throughput(point);
            if throughput > scales.throughput {
                scales.throughput = throughput;
                scales.at_most = point.load;
            }
            scales.response = scales.response.min(points.response(point));
            scales.load = scales.load.max(point.load);
        }
        scales
    }

    /// How many are in flight where throughput would be highest without any queueing.
    fn knee(&self) -> f64 {
        (self.throughput * self.response).max(1.0)
    }

    fn bounds(&self, model: Model, parameter: Parameter) -> (f64, f64) {
        let closed = model.applies_to() == Loop::Closed;
        let response = |less: f64, more: f64| (self.response / less, self.response * more);
        match parameter {
            Parameter::Service | Parameter::Delay if closed => response(1e4, 1e3),
            Parameter::Service | Parameter::Delay => response(1e3, 2.0),
            Parameter::LeastResponse => response(20.0, 20.0),
            Parameter::Capacity => (self.throughput / 2.0, self.throughput * 1e3),
            // More servers than were ever in flight at once make no difference.
            Parameter::Servers if model == Model::Servers => (1.0, self.load.max(1.0)),
            Parameter::Servers if closed => (1.0, self.load * 1e3),
            Parameter::Servers => (0.02, 1_024.0),
            Parameter::Sharpness => (0.2, 40.0),
            Parameter::Speed => (0.01 / self.response, 100.0 / self.response),
            Parameter::Contention => (1e-4 / self.load, 1.0),
            Parameter::Coherency => (1e-4 / self.load.powi(2), 1.0),
            Parameter::Variability => (0.01, 100.0),
        }
    }

    fn starts(&self, model: Model) -> Vec<Values> {
        let (r, x, knee) = (self.response, self.throughput, self.knee());
        let busy = self.load * r;
        match model {
            Model::SmoothBound => [1.0, 2.5, 10.0].map(|k| [r, x * 1.05, k]).to_vec(),
            Model::Linear => vec![[r, 0.0, 0.0]],
            Model::Servers => [1.0, 0.7, 1.4].map(|more| [r, knee * more, 0.0]).to_vec(),
            Model::Usl2 => [1.0, 0.2].map(|less| [1.0 / r, less / knee, 0.0]).to_vec(),
            Model::Usl3 => {
                let falls = self.at_most.powi(-2);
                [(0.5 / knee, falls), (1.0 / knee, falls * 1e-3), (0.01 / knee, falls)]
                    .map(|(a, b)| [1.0 / r, a, b])
                    .to_vec()
            }
            Model::Mva => vec![[(r - 1.0 / x).max(r * 0.01), 1.0 / x, 0.0]],
            Model::MvaServers => {
                [0.1, 0.5, 0.95].map(|part| [r * (1.0 - part), r * part, knee * part]).to_vec()
            }
            Model::OrapubCpu | Model::OrapubIo | Model::Mmc => {
                [1.1, 2.0, 8.0].map(|more| [r * 0.95, busy * more, 0.0]).to_vec()
            }
            Model::Ggc => [1.1, 2.0, 8.0].map(|more| [r * 0.95, busy * more, 1.0]).to_vec(),
            Model::Md1 => vec![[r.min(0.95 / self.load), 0.0, 0.0]],
            Model::DelayMm1 => {
                [0.95, 0.5].map(|full| [r * 0.8, (full / self.load).min(r), 0.0]).to_vec()
            }
        }
    }
}

impl Space {
    /// Where a model is searched for these points.
    pub fn of(model: Model, points: &Points) -> Space {
        let scales = Scales::of(points);
        let parameters = model.parameters().iter();
        let bounds = parameters.map(|parameter| {
            let (least, most) = scales.bounds(model, *parameter);
            (least.ln(), most.ln())
        });
        let bounds: Vec<(f64, f64)> = bounds.collect();
        let inside = |start: Values| {
            let mut at = [0.0; MOST_PARAMETERS];
            for ((at, start), (least, most)) in at.iter_mut().zip(start).zip(&bounds) {
                *at = start.ln().clamp(*least, *most);
            }
            at
        };
        let starts = scales.starts(model).into_iter().map(inside).collect();
        Space { bounds, starts }
    }

    /// Whether a parameter may be nothing: then the least that is searched stands for it.
    pub fn vanishes(model: Model, index: usize) -> bool {
        let parameter = model.parameters().get(index);
        matches!(parameter, Some(Parameter::Contention | Parameter::Coherency | Parameter::Delay))
    }

    /// The end that a parameter lies at, if it does. What tends to nothing flattens on its way, so
    /// that a search stops before the bound: there, two decades count.
    pub fn edge(&self, model: Model, index: usize, at: f64) -> Option<Edge> {
        let (least, most) = *self.bounds.get(index)?;
        let vanishing = if Space::vanishes(model, index) { 100.0_f64 } else { 1.01 };
        let growing = match model.parameters().get(index)? {
            Parameter::Servers if model == Model::Servers => 1.000_1_f64,
            Parameter::Capacity | Parameter::Servers => 10.0_f64,
            _ => 1.01,
        };
        if at <= least + vanishing.ln() {
            Some(Edge::Least)
        } else {
            (at >= most - growing.ln()).then_some(Edge::Most)
        }
    }
}
