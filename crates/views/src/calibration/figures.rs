//! The numbers of a calibration as cells of a table.

use super::{CalibrationRate, CalibrationSheet, FigureName};
use crate::load::LoadSpread;
use crate::narration::percent;
use crate::numbers::{bytes, quantity};
use crate::ranges::{Digits, mean, range};

/// The headings of every table of rates, after the name.
pub(super) const HEAD: [&str; 9] =
    ["per s", "±", "MB/s", "in flight", "mean", "p50", "p99", "p99.9", "max"];

/// What marks a percentile that is not repeatable.
pub(super) const UNSTABLE: &str = "*";

/// What a number is called.
pub(super) fn name(sheet: &CalibrationSheet, name: FigureName) -> String {
    let what = &sheet.what;
    let (small, large) = (bytes(what.block), bytes(what.large_block));
    match name {
        FigureName::Floor => format!("{small} reads, one at a time"),
        FigureName::Maximum => format!("{small} reads, highest rate"),
        FigureName::LimitClosed => format!("… within {}, held", what.limit),
        FigureName::LimitOpen => format!("… within {}, arriving", what.limit),
        FigureName::SingleStream => format!("{large} sequential, one stream"),
        FigureName::Streams => format!("{large} sequential, several"),
        FigureName::ReadAgain => format!("{small} read again at once"),
        FigureName::LogWrite => format!("{small} log writes (O_DSYNC)"),
        FigureName::WriteFloor => format!("{small} writes, one at a time"),
        FigureName::WriteMaximum => format!("{small} writes, highest rate"),
    }
}

/// The cells of a rate under [`HEAD`].
pub(super) fn cells(rate: &CalibrationRate) -> Vec<String> {
    let spread = &rate.spread;
    let mut cells = vec![
        quantity(rate.per_s),
        rate.uncertainty.map(percent).unwrap_or_default(),
        quantity(rate.bytes_per_s / 1e6),
        busy(rate),
        mean(spread.mean_ns, true),
    ];
    cells.extend([0.5, 0.99, 0.999].map(|q| quantile(spread, q)));
    cells.push(spread.extremes.map_or_else(|| "-".to_owned(), |(_, longest)| longest.to_string()));
    cells
}

/// What was held in flight, or what that was on average.
fn busy(rate: &CalibrationRate) -> String {
    rate.in_flight.map_or_else(|| format!("≈{}", quantity(rate.busy)), |held| held.to_string())
}

/// A quantile as the range it lies in, marked if it is unstable.
pub(super) fn quantile(spread: &LoadSpread, q: f64) -> String {
    let found = spread.quantiles.iter().find(|(found, _)| found.q.total_cmp(&q).is_eq());
    found.map_or_else(
        || "-".to_owned(),
        |(found, unstable)| {
            let mark = if *unstable { UNSTABLE } else { "" };
            format!("{}{mark}", range(found.bucket, Digits::Three))
        },
    )
}
