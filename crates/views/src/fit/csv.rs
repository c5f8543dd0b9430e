//! A fit as a table for spreadsheets: points, and what each model says of them.

use std::fmt::Write as _;

use isotherm_queueing::{Fitted, Loop};

use super::summary::FitSummary;

/// One row a point: load, throughput, response time in seconds, relative doubt, and of each model
/// of the sweep's own kind its throughput (closed) or response time (open).
pub fn fit_csv(summary: &FitSummary<'_>) -> String {
    let points = &summary.study.fits.points;
    let fitted: Vec<&Fitted> =
        summary.study.fits.by_support().filter(|fitted| !fitted.borrowed).collect();
    let (load, unit) = match points.arrivals {
        Loop::Closed => ("in_flight", "throughput_per_s"),
        Loop::Open => ("arrival_rate_per_s", "response_s"),
    };
    let mut text = match points.arrivals {
        Loop::Closed => format!("{load},throughput_per_s,response_s,standard_error"),
        Loop::Open => format!("{load},response_s,standard_error"),
    };
    for model in &fitted {
        let _ = write!(text, ",{}_{unit}", model.model.name());
    }
    text.push('\n');
    for point in &points.points {
        let standard_error =
            point.sigma.map_or_else(String::new, |_| point.standard_error().to_string());
        let _ = match points.arrivals {
            Loop::Closed => {
                write!(
                    text,
                    "{},{},{},{standard_error}",
                    point.load,
                    point.value,
                    points.response(point)
                )
            }
            Loop::Open => write!(text, "{},{},{standard_error}", point.load, point.value),
        };
        for model in &fitted {
            let _ = write!(text, ",{}", model.model.predict(&model.values, point.load));
        }
        text.push('\n');
    }
    text
}
