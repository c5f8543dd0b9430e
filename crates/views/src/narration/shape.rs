//! What is always so: bands, tails, outliers, and the time of which nothing is known.

use isotherm_analysis::{
    Average, Gaps, Mode, NEAR, Outlier, RankedRemark, SlowBand, TailShare, Unplaced,
};
use isotherm_frame::{Bucket, Nanos, QuantileInterval, percent};

use super::wording::{Times, about, about_share, listed, noun, owning, share_within, two_digits};
use crate::headline::quantile_name;
use crate::numbers::grouped;
use crate::ranges::{Digits, end, mean, range};
use crate::times::span;

/// The share of a mode's events that must lie near its peak for the peak to stand for all.
const GATHERED: f64 = 0.75;
/// The most modes named.
const MOST_MODES: usize = 4;

pub(super) fn bands(modes: &[Mode], mean_ns: f64, exact: bool) -> String {
    let mut most: Vec<&Mode> = modes.iter().collect();
    most.sort_by(|one, two| two.share.total_cmp(&one.share));
    most.truncate(MOST_MODES);
    most.sort_by_key(|mode| mode.at);
    let each = most.iter().enumerate().map(|(index, mode)| {
        let first = index == 0;
        let (take, time) =
            if first { (" of all events take", " of all time waited") } else { ("", "") };
        let (share, time_share) = (percent(mode.share), share_within(&mode.part));
        format!("{share}{take} {}{} ({time_share}{time})", mode_latency(mode), long_tail(mode))
    });
    let mut each: Vec<String> = each.collect();
    if modes.len() > MOST_MODES {
        each.push("the rest other times".to_owned());
    }
    let list = listed(&each);
    if modes.iter().any(|mode| describes(mean_ns, mode)) {
        return format!("{list}.");
    }
    let mean = Nanos::from_secs_f64(mean_ns / 1e9).unwrap_or_default();
    let mean = if exact { two_digits(mean) } else { about(mean) };
    let none = if modes.len() == 2 { "neither" } else { "none of them" };
    format!("{list}: the mean, {mean}, describes {none}.")
}

/// How long the events of a mode take: its peak, or from where to where a broad one reaches.
pub fn mode_latency(mode: &Mode) -> String {
    if let Some(mean) = mean_of_open(mode) {
        return format!("{mean} on average");
    }
    if mode.near >= GATHERED {
        return about(mode.at);
    }
    match mode.bulk {
        // Ends so far apart read better with a unit each.
        Bucket { lo, hi: Some(hi) } if lo > Nanos::ZERO && hi.as_nanos() / lo.as_nanos() >= 100 => {
            format!("{}–{}", end(lo, Digits::Two, false), end(hi, Digits::Two, true))
        }
        bulk => range(bulk, Digits::Two),
    }
}

/// Up to where a mode reaches if the few of its events that lie far above its peak take so much time that
/// the mean of all cannot be near it: what waits behind a stall makes no peak of its own, and its time is
/// not that of what took as long as the peak.
fn long_tail(mode: &Mode) -> String {
    let has_tail = mode.near >= GATHERED && mode.part.mean_ns.0 > NEAR * mode.at.as_nanos() as f64;
    match mode.edges.1.filter(|_| has_tail) {
        Some(longest) => format!(" with a tail up to {}", end(longest, Digits::Two, true)),
        None => String::new(),
    }
}

/// Means so many times apart are one, about.
const ALIKE: f64 = 1.2;

/// What the events of a mode that has no end took on average, as far as the total of all events says.
fn mean_of_open(mode: &Mode) -> Option<String> {
    let (least, most) = mode.part.mean_ns;
    let most = most.filter(|_| mode.open)?;
    let length = |ns: f64| Nanos::from_secs_f64(ns / 1e9).unwrap_or_default();
    if most <= ALIKE * least {
        return Some(about(length(least.midpoint(most))));
    }
    Some(range(Bucket { lo: length(least), hi: Some(length(most)) }, Digits::Two))
}

/// Whether a mean is a latency that events of the mode have.
fn describes(mean_ns: f64, mode: &Mode) -> bool {
    if let (true, (least, Some(most))) = (mode.open, mode.part.mean_ns) {
        return (least / NEAR..most * NEAR).contains(&mean_ns);
    }
    if mode.near >= GATHERED {
        let times = mean_ns / mode.at.as_nanos() as f64;
        return (1.0 / NEAR..NEAR).contains(&times);
    }
    let Bucket { lo, hi } = mode.bulk;
    lo.as_nanos() as f64 <= mean_ns && hi.is_none_or(|hi| mean_ns < hi.as_nanos() as f64)
}

pub(super) fn slow_band(band: &SlowBand, ranked: &RankedRemark) -> String {
    let (lo, hi) = band.edges;
    let owned = if band.part.coarse {
        format!(": {} of all time waited", share_within(&band.part))
    } else {
        owning(ranked)
    };
    format!(
        "{} {} ({} of all) took {}, apart from all others{owned}.",
        grouped(band.events),
        noun(ranked.operation),
        percent(band.share),
        range(Bucket { lo, hi }, Digits::Two)
    )
}

pub(super) fn slowest(tail: &TailShare, ranked: &RankedRemark) -> String {
    format!(
        "The slowest {} of all {} took {} or longer: {} of all time waited.",
        percent(tail.events),
        noun(ranked.operation),
        tail.from,
        share_within(&tail.part)
    )
}

pub(super) fn unstable(quantile: &QuantileInterval) -> String {
    format!(
        "{} ({}) is unstable: it lies on the edge of two bands.",
        quantile_name(quantile.q),
        range(quantile.bucket, Digits::Two)
    )
}

/// So many times, rounded down: `2.3`, `16`, more than `1000`.
fn at_least(times: f64) -> String {
    match times {
        ..10.0 => format!("{}", (times * 10.0).floor() / 10.0),
        ..1_000.0 => format!("{}", times.floor()),
        _ => "1000".to_owned(),
    }
}

pub(super) fn skewed(average: &Average) -> String {
    let mean = Nanos::from_secs_f64(average.mean_ns / 1e9).unwrap_or_default();
    let mean = if average.exact { two_digits(mean) } else { about(mean) };
    let times = at_least(average.times_median().0);
    let near = match average.near.1 {
        ..=0.0 => "no event is near it".to_owned(),
        share => format!("at most {} of all events are near it", percent(share)),
    };
    format!("The mean, {mean}, is at least {times} times the median; {near}.")
}

pub(super) fn outlying(events: u64, longest: &Outlier, times: &Times<'_>) -> String {
    let at = times.at(longest.start, longest.end.since(longest.start));
    let took = range(longest.bucket, Digits::Two);
    let factor = at_least(longest.octaves.exp2());
    if events == 1 {
        return format!(
            "One event took {took} at {at}, at least {factor} times as long as the others."
        );
    }
    format!(
        "{} events took far longer than the others: the longest {took} at {at}, at least {factor} \
         times as long.",
        grouped(events)
    )
}

pub(super) fn missing(gaps: &Gaps, times: &Times<'_>) -> String {
    let length = |seconds: f64| span(Nanos::from_secs_f64(seconds).unwrap_or_default());
    let all = length(gaps.missing_s);
    let Some((start, end)) = gaps.longest else {
        return format!("There are gaps shorter than {}, {all} in all.", span(gaps.exact_to));
    };
    let when = times.span_words(start, end, gaps.exact_to);
    if gaps.stretches > 1 {
        let resets = match gaps.resets {
            0 => String::new(),
            1 => ", once because counters were reset".to_owned(),
            times => format!(", {times} times because counters were reset"),
        };
        let count = gaps.stretches;
        return format!("There are {count} gaps, {all} in all{resets}; the longest from {when}.");
    }
    let reset = if gaps.resets > 0 { ": counters were reset" } else { "" };
    let more = if length(gaps.longest_s()) == all {
        String::new()
    } else {
        format!("; {all} in all with shorter ones")
    };
    format!("From {when}, there is a gap of {}{reset}{more}.", length(gaps.longest_s()))
}

/// What is counted in the interval in which it ended.
pub(super) fn unplaced(found: &Unplaced, ranked: &RankedRemark) -> String {
    format!(
        "{} of all time waited is of events longer than {}: a part of it was waited before the \
         interval that shows it.",
        about_share(found.time_share, ranked.exact),
        span(found.column)
    )
}

/// What is known of events without a distribution.
pub(super) fn averages(mean_ns: f64, rate: Option<f64>, exact: bool) -> String {
    let mean = mean(Some(mean_ns), exact);
    let rate = rate
        .map_or_else(String::new, |rate| format!(", at {} events/s", crate::numbers::rate(rate)));
    format!("Events took {mean} on average{rate} (averages only: no percentiles).")
}

pub(super) fn plain(median: &QuantileInterval, high: &QuantileInterval) -> String {
    if median.bucket == (Bucket { lo: Nanos::ZERO, hi: None }) {
        return "These series have incompatible buckets: choose some of them (--series)."
            .to_owned();
    }
    let less = |hi: Nanos| {
        if hi == Nanos::new(1) { "0".to_owned() } else { format!("less than {hi}") }
    };
    let took = match (median.bucket.hi, high.bucket.hi) {
        // A bucket holds both: more is not known.
        (Some(half), Some(most)) if half == most => {
            format!("99 % of all events took {}", less(most))
        }
        (Some(half), Some(most)) => {
            format!("Half of all events took {}, 99 % {}", less(half), less(most))
        }
        (Some(half), None) => format!(
            "Half of all events took {}, and at least 1 % {} or longer",
            less(half),
            high.bucket.lo
        ),
        (None, _) => format!("At least half of all events took {} or longer", median.bucket.lo),
    };
    format!("{took}; nothing stands out.")
}
