//! Queueing models: what they predict, how they are fitted to a sweep, and what follows.

mod closed;
mod erlang;
mod marquardt;
mod model;
mod open;
mod orapub;
mod point;

pub use closed::{Station, asymptotic_bound, mean_values, smooth_bound, usl, usl_peak};
pub use erlang::{erlang_b, erlang_c};
pub use model::{Loop, MOST_PARAMETERS, Model, Parameter, Values};
pub use open::{delayed_response, ggc_response, md1_response, mmc_response};
pub use orapub::{NoServers, msolver, orapub_cpu, orapub_io};
pub use point::{LEAST_SIGMA, Point, Points, PointsError, Sample};
