//! The numbers above a map, as short texts.

use isotherm_analysis::{Column, ColumnState, Picture, counted_s};
use isotherm_frame::{Detail, Nanos, QuantileInterval};

use crate::numbers::{self, seconds};
use crate::ranges::{Digits, mean, range};
use crate::times::span;

/// What is added to the most that waited where time is counted where it ended.
const COUNTED_AT_ENDS: &str = " s of waits ended per second";

/// What is said where rates would stand.
const NO_RATES: &str = "no rates: nobody knows in how long a time";

/// What is said where nothing tells how often events end: there is one, and the time it took.
const NO_RATE_OF_ENDS: &str = "no rate: too few events";

/// Events, time waited, and what of the time is missing.
pub fn totals(picture: &Picture) -> Vec<String> {
    let covered: f64 = picture.columns.iter().map(|column| column.covered_s).sum();
    let counted = counted_s(&picture.columns);
    let per = |value: f64, length: f64| if length > 0.0 { value / length } else { 0.0 };
    let events = picture.counts.iter().fold(0_u64, |all, count| all.saturating_add(*count));
    let about = if picture.headline.exact { "" } else { "≈" };
    let waited = waited(picture);
    let rate = rate(events, counted, picture.frequency.max_sum);
    // What is waited before the first column is in none of them.
    let average = per(waited, covered);
    let waiting = format!(
        "{about}{} waiting, at most {about}{}{}",
        seconds(average),
        seconds(picture.intensity.max_sum.max(average)),
        if picture.most_is_of_ends() { COUNTED_AT_ENDS } else { "" }
    );
    let (events, waited) = (ended(events), format!("{about}{} waited", numbers::waited(waited)));
    let mut parts = if picture.total.is_time_only() {
        vec![waited, waiting]
    } else if picture.has_length {
        vec![events, rate, waited, waiting]
    } else {
        vec![events, waited, NO_RATES.to_owned()]
    };
    if picture.outside > 0 {
        parts.push(format!("{} outside this picture", ended(picture.outside)));
    }
    parts.extend(without_data(picture).map(|time| format!("{} without data", span(time))));
    parts
}

/// Events per second, and the most of a column. Of columns of which little is known, which may have the
/// most, one at least has as many as all have on average.
fn rate(events: u64, counted_s: f64, most: f64) -> String {
    if counted_s <= 0.0 && events > 0 {
        return NO_RATE_OF_ENDS.to_owned();
    }
    let average = if counted_s > 0.0 { events as f64 / counted_s } else { 0.0 };
    format!("{} events/s, at most {}", numbers::rate(average), numbers::rate(most.max(average)))
}

fn ended(events: u64) -> String {
    format!("{} {}", numbers::grouped(events), if events == 1 { "event" } else { "events" })
}

/// What is said where percentiles would stand.
pub const AVERAGES_ONLY: &str = "averages only: no percentiles";

/// What is said where samples saw that somebody waited.
pub const TIME_ONLY: &str = "samples of who waits: time, no number of events and no percentiles";

/// What is said beside the mean and the percentiles of waits that samples saw.
pub const OF_WAITS_SEEN: &str = "of waits seen: shorter ones are missed";

/// The mean and the percentiles.
pub fn percentiles(picture: &Picture) -> Vec<String> {
    let head = &picture.headline;
    if picture.total.is_time_only() {
        return vec![TIME_ONLY.to_owned()];
    }
    let mut parts = vec![format!("mean {}", mean(head.mean_ns, head.exact))];
    match picture.detail() {
        Detail::Distribution => parts.extend(head.quantiles.iter().map(quantile)),
        Detail::Averages => parts.push(AVERAGES_ONLY.to_owned()),
    }
    if picture.total.length_error() > Nanos::ZERO {
        parts.push(OF_WAITS_SEEN.to_owned());
    }
    parts
}

/// All time waited in the picture, in seconds.
pub fn waited(picture: &Picture) -> f64 {
    picture.columns.iter().map(|column| column.waited.seconds).sum()
}

/// The time between the first and the last column with data of which nothing is known: a gap
/// shorter than a column shows nowhere else.
fn without_data(picture: &Picture) -> Option<Nanos> {
    let columns = &picture.columns;
    let data = |column: &Column| column.state == ColumnState::Data;
    let (first, last) = (columns.iter().position(data)?, columns.iter().rposition(data)?);
    let missing = |column: &Column| {
        (column.end.since(column.start).as_secs_f64() - column.covered_s).max(0.0)
    };
    let seconds: f64 = columns.get(first + 1..last)?.iter().map(missing).sum();
    Nanos::from_secs_f64(seconds).filter(|&time| time > Nanos::from_millis(1))
}

/// `p99 16.4–32.8ms`, `max >1.05s`.
fn quantile(quantile: &QuantileInterval) -> String {
    format!("{} {}", quantile_name(quantile.q), range(quantile.bucket, Digits::Three))
}

/// `p50`, `p99.9`, `max`.
pub fn quantile_name(q: f64) -> String {
    if q >= 1.0 { "max".to_owned() } else { format!("p{}", (q * 1e5).round() / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn the_most_is_not_less_than_the_average() {
        assert_eq!(rate(100, 10.0, 12.5), "10.0 events/s, at most 12.5");
        assert_eq!(rate(100, 10.0, 10.0), "10.0 events/s, at most 10.0");
        // The most is in a column of which little is known.
        assert_eq!(rate(100, 10.0, 5.19), "10.0 events/s, at most 10.0");
        assert_eq!(rate(0, 10.0, 0.0), "0 events/s, at most 0");
        assert_eq!(rate(1, 0.0, 0.3), "no rate: too few events");
    }
}
