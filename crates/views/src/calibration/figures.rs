//! The numbers of a calibration as cells of a table.

use isotherm_experiment::calibrate::{Calibration, Figure, Latency, Step};
use isotherm_frame::{Nanos, narrow_percent};

use crate::numbers::{bytes, megabytes, quantity};
use crate::ranges::{Digits, mean, range};

/// The headings of every table of rates, after the name.
pub(super) const HEAD: [&str; 9] =
    ["per s", "±", "MB/s", "in flight", "mean", "p50", "p99", "p99.9", "max"];

/// What marks a percentile that is not repeatable.
pub(super) const UNSTABLE: &str = "*";

/// The numbers in short with what they are called, in the order they are shown. What was not tried
/// is left out; what was tried and not found has no figure.
pub(super) fn figures(calibration: &Calibration) -> Vec<(String, Option<&Figure>)> {
    let found = &calibration.figures;
    let (small, large) = (bytes(calibration.block), bytes(calibration.large_block));
    let (limit, tried) = (calibration.limit, calibration.tried_limit());
    let all = [
        (format!("{small} reads, one at a time"), &found.floor, false),
        (format!("{small} reads, highest rate"), &found.maximum, false),
        (format!("… {limit}, closed loop"), &found.limit_closed, tried),
        (format!("… {limit}, open loop"), &found.limit_open, tried),
        (format!("{large} sequential, one stream"), &found.single_stream, false),
        (format!("{large} sequential, several"), &found.streams, false),
        (format!("{small} reads, repeated"), &found.read_again, false),
        (format!("{small} log writes (O_DSYNC)"), &found.log_write, false),
        (format!("{small} writes, one at a time"), &found.write_floor, false),
        (format!("{small} writes, highest rate"), &found.write_maximum, false),
    ];
    let shown = all.into_iter().filter(|(_, figure, tried)| figure.is_some() || *tried);
    shown.map(|(name, figure, _)| (name, figure.as_ref())).collect()
}

/// The figures of steps.
pub(super) fn of_steps<'a>(steps: &[&'a Step]) -> Vec<&'a Figure> {
    steps.iter().filter_map(|step| step.figure.as_ref()).collect()
}

/// The cells of a rate under [`HEAD`].
pub(super) fn cells(figure: &Figure) -> Vec<String> {
    let latency = &figure.latency;
    let mut cells = vec![
        quantity(figure.per_second),
        figure.uncertainty.map(narrow_percent).unwrap_or_default(),
        megabytes(figure.megabytes_per_second),
        busy(figure),
        mean_of(figure),
    ];
    cells.extend([0.5, 0.99, 0.999].map(|q| quantile(latency, q)));
    cells.push(Nanos::new(latency.max_ns).to_string());
    cells
}

/// What was held in flight, or what that was on average.
fn busy(figure: &Figure) -> String {
    figure.in_flight.map_or_else(|| format!("≈{}", quantity(figure.busy)), |held| held.to_string())
}

/// The mean response time.
pub(super) fn mean_of(figure: &Figure) -> String {
    mean(Some(figure.latency.mean_ns), true)
}

/// A quantile as the range it lies in, marked if it is unstable.
pub(super) fn quantile(latency: &Latency, q: f64) -> String {
    latency.quantile(q).map_or_else(
        || "-".to_owned(),
        |found| {
            let mark = if found.unstable { UNSTABLE } else { "" };
            format!("{}{mark}", range(found.bucket(), Digits::Three))
        },
    )
}
