//! Queueing models: what they predict, how they are fitted to a sweep, and what follows.
//!
//! A sweep with so many operations always in flight is a closed system: throughput X(N) is what
//! comes of it, and response time is N/X. One with arrivals at a rate is an open system: response
//! time R(L) is what comes of it. Models of one kind say nothing of the other.

mod closed;
mod erlang;
mod fitted;
mod interval;
mod knee;
mod marquardt;
mod model;
mod open;
mod orapub;
mod point;
mod published;
mod resample;
mod retrograde;
mod robust;
mod space;
mod study;
mod what_if;

pub use closed::{Station, asymptotic_bound, smooth_bound, usl, usl_peak};
pub use erlang::{erlang_b, erlang_c};
pub use fitted::{Estimate, Fitted, Quantity, RESAMPLES, Refusal};
pub use interval::FIT_CONFIDENCE;
pub use knee::{KneeFound, KneeVerdict};
pub use model::{Loop, MOST_PARAMETERS, Model, Parameter, Values};
pub use open::{delayed_response, ggc_response, md1_response, mmc_response};
pub use orapub::{NoServers, msolver, orapub_cpu, orapub_io};
pub use point::{LEAST_SIGMA, Point, Points, PointsError, Sample};
pub use published::{Published, PublishedCase, published};
pub use resample::Resampling;
pub use retrograde::{Evidence, Retrograde};
pub use space::Edge;
pub use study::{Criterion, FitRequest, Study, TIE, Tried};
pub use what_if::{Amount, Change, NoWhatIf, Situation, WhatIf};
