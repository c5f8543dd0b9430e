#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod closed;
mod criterion;
mod erlang;
mod fits;
mod fitted;
mod interval;
mod knee;
mod marquardt;
mod model;
mod msolver;
mod one_point;
mod open;
mod orapub;
mod point;
mod published;
mod repeats;
mod request;
mod resample;
mod retrograde;
mod robust;
mod run_errors;
mod space;
mod study;
mod what_if;

pub use closed::{Station, asymptotic_bound, smooth_bound, usl, usl_peak};
pub use criterion::Criterion;
pub use erlang::{erlang_b, erlang_c};
pub use fits::{Fits, TIE, Tried};
pub use fitted::{Estimate, Fitted, Quantity, Refusal};
pub use interval::FIT_CONFIDENCE;
pub use knee::{KneeFound, KneeVerdict};
pub use model::{Loop, MOST_PARAMETERS, Model, Parameter, Values};
pub use msolver::{NoServers, msolver};
pub use one_point::{Observation, SolvedForm};
pub use open::{delayed_response, ggc_response, md1_response, mmc_response};
pub use orapub::{orapub_cpu, orapub_io};
pub use point::{LEAST_SIGMA, Point, Points, PointsError, Sample};
pub use published::{Published, PublishedCase, published};
pub use repeats::Repeats;
pub use request::{FitRequest, RESAMPLES};
pub use resample::Resampling;
pub use retrograde::{Evidence, Retrograde};
pub use space::Edge;
pub use study::Study;
pub use what_if::{Amount, Change, NoWhatIf, Situation, WhatIf};
