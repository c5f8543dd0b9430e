//! What was found, in plain words: the same sentences on every surface.

use isotherm_analysis::{
    Average, Band, Change, ChangeKind, DeviceClass, Doubt, Gaps, LoadResponse, Mode, Outlier,
    Period, Remark, ResponseKind,
};
use isotherm_frame::{Bucket, Nanos, QuantileInterval};

use crate::headline::quantile_name;
use crate::numbers::quantity;
use crate::ranges::{Digits, range};
use crate::times::{Moments, span};

/// The remarks as sentences, one for each, in their order. Never more exact than the buckets are:
/// ranges, and `≈` before estimates.
pub fn sentences(remarks: &[Remark], moments: &Moments) -> Vec<String> {
    remarks.iter().map(|remark| sentence(remark, moments)).collect()
}

fn sentence(remark: &Remark, moments: &Moments) -> String {
    match remark {
        Remark::Nothing => "There are no events.".to_owned(),
        Remark::Bands { modes, mean_ns, exact, cache } => {
            let cached = if *cache { " The fast ones may come from a cache." } else { "" };
            format!("{}{cached}", bands(modes, *mean_ns, *exact))
        }
        Remark::Changed(change) => changed(change, moments),
        Remark::Every(period) => every(period),
        Remark::Tail(tail) => format!(
            "The slowest {} of the events, {} and longer, hold ≈{} of the time waited.",
            percent(tail.events),
            tail.from,
            percent(tail.time)
        ),
        Remark::Response(response) => responds(response),
        Remark::Doubtful(doubt) => doubtful(doubt),
        Remark::Unstable(quantile) => format!(
            "{} ({}) is unstable: it lies on the edge of two modes.",
            quantile_name(quantile.q),
            range(quantile.bucket, Digits::Two)
        ),
        Remark::Skewed(average) => skewed(average),
        Remark::Outliers { events, longest } => outlying(*events, longest, moments),
        Remark::Missing(gaps) => missing(gaps),
        Remark::Plain { median, high } => plain(median, high),
    }
}

/// A share as people read it: `70%`, `1.2%`, `<0.1%`, `>99%`.
fn percent(share: f64) -> String {
    match share * 100.0 {
        ..=0.0 => "0%".to_owned(),
        ..0.1 => "<0.1%".to_owned(),
        percent @ ..9.95 => format!("{}%", (percent * 10.0).round() / 10.0),
        percent @ ..99.5 => format!("{percent:.0}%"),
        100.0.. => "100%".to_owned(),
        _ => ">99%".to_owned(),
    }
}

/// An estimated length of time: `≈` and two digits.
fn about(length: Nanos) -> String {
    format!("≈{}", two_digits(length))
}

fn about_ns(ns: f64) -> String {
    Nanos::from_secs_f64(ns / 1e9).map_or("-".to_owned(), about)
}

/// A length of time rounded to two digits, in its unit: `230µs`, `7.9ms`, `8ms`.
fn two_digits(length: Nanos) -> String {
    let ns = length.as_nanos();
    let unit = 10_u64.saturating_pow(ns.checked_ilog10().unwrap_or(0).saturating_sub(1));
    let rounded = ns.saturating_add(unit / 2) / unit * unit;
    let text = Nanos::new(rounded).to_string();
    let digits = text.trim_end_matches(char::is_alphabetic);
    let name = &text[digits.len()..];
    let digits = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    format!("{digits}{name}")
}

/// `one, two and three`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A mean this many times shorter or longer than a mode does not describe it.
const DESCRIBES: std::ops::Range<f64> = 0.67..1.5;
/// The most modes named.
const MOST_MODES: usize = 4;

fn bands(modes: &[Mode], mean_ns: f64, exact: bool) -> String {
    let mut most: Vec<&Mode> = modes.iter().collect();
    most.sort_by(|one, two| two.share.total_cmp(&one.share));
    most.truncate(MOST_MODES);
    most.sort_by_key(|mode| mode.at);
    let each = most.iter().enumerate().map(|(index, mode)| {
        let of = if index == 0 { " of the events take" } else { "" };
        format!("{}{of} {}", percent(mode.share), about(mode.at))
    });
    let mut each: Vec<String> = each.collect();
    if modes.len() > MOST_MODES {
        each.push("the rest other times".to_owned());
    }
    let list = listed(&each);
    let described =
        modes.iter().any(|mode| DESCRIBES.contains(&(mean_ns / mode.at.as_nanos() as f64)));
    if described {
        return format!("{list}.");
    }
    let mean = Nanos::from_secs_f64(mean_ns / 1e9).unwrap_or_default();
    let mean = if exact { two_digits(mean) } else { about(mean) };
    let none = if modes.len() == 2 { "neither" } else { "none of them" };
    format!("{list}: the mean, {mean}, describes {none}.")
}

fn changed(change: &Change, moments: &Moments) -> String {
    let zone = moments.zone();
    let when = match change.end {
        Some(end) => {
            format!("From {} to {}{zone}", moments.moment(change.start), moments.moment(end))
        }
        None => format!("From {}{zone} on", moments.moment(change.start)),
    };
    let (before, after) = (&change.before, &change.after);
    match &change.kind {
        ChangeKind::Appears(band) => format!(
            "{when} a band at {} appears: {} of events, ≈{} of the time waited.",
            edges(band),
            percent(band.share),
            percent(band.time_share)
        ),
        ChangeKind::Vanishes(band) => format!(
            "{when} the band at {}, {} of events before, is gone.",
            edges(band),
            percent(band.share)
        ),
        ChangeKind::Grows(band) => format!(
            "{when} {} of events take {}, {} otherwise.",
            percent(band.share),
            edges(band),
            percent(band.other_share)
        ),
        ChangeKind::Moves => match (before.median, after.median) {
            (Some(from), Some(to)) if from != to => format!(
                "{when} the median is {} instead of {}.",
                range(to, Digits::Two),
                range(from, Digits::Two)
            ),
            _ => format!(
                "{when} the mean is {} instead of {}.",
                about_ns(after.mean_ns),
                about_ns(before.mean_ns)
            ),
        },
        ChangeKind::Rate => format!(
            "{when} there are {} events/s instead of {}, as fast as before.",
            quantity(after.rate),
            quantity(before.rate)
        ),
    }
}

fn edges(band: &Band) -> String {
    let (lo, hi) = band.edges;
    range(Bucket { lo, hi }, Digits::Two)
}

fn every(period: &Period) -> String {
    format!(
        "Every {} there is a burst, {} times in all: {} of the time waited falls into {} of the time.",
        span(period.every),
        period.cycles,
        percent(period.time_share),
        percent(period.busy)
    )
}

fn responds(response: &LoadResponse) -> String {
    let (low, high) = response.rates;
    let (at_low, at_high) = response.means_ns;
    let (low, high) = (quantity(low), quantity(high));
    match response.kind {
        ResponseKind::Follows(knee) => {
            let knee = knee.map_or(String::new(), |rate| {
                format!(", steeply from ≈{} events/s on", quantity(rate))
            });
            format!(
                "Latency follows load: the mean is {} at {low} events/s and {} at {high}{knee}.",
                about_ns(at_low),
                about_ns(at_high)
            )
        }
        ResponseKind::RisesWithoutLoad => "Latency rises without more load.".to_owned(),
        ResponseKind::Closed => format!(
            "About {} wait at any time, whatever the rate: a fixed number of callers, and the \
             rate falls as latency rises.",
            quantity(response.waiting)
        ),
        ResponseKind::Unrelated => {
            format!("Latency does not follow load, between {low} and {high} events/s.")
        }
    }
}

/// A declared class in words, and what stands behind it.
fn device(class: DeviceClass) -> &'static str {
    match class {
        DeviceClass::Hdd => "a rotating disk",
        DeviceClass::Ssd => "a SATA flash disk",
        DeviceClass::Nvme => "an NVMe disk",
        DeviceClass::San => "an array behind a network",
    }
}

fn doubtful(doubt: &Doubt) -> String {
    let events = |reads: bool| if reads { "reads" } else { "events" };
    match *doubt {
        Doubt::FasterThanDevice { class, floor, share, reads } => format!(
            "Too good to be true: {} of the {} take less than {}, faster than {} can be. This was \
             the cache.",
            percent(share),
            events(reads),
            two_digits(floor),
            device(class)
        ),
        Doubt::CacheHits { class, floor, share, reads } => format!(
            "{} of the {} take less than {}, faster than {} can be: a cache answered them.",
            percent(share),
            events(reads),
            two_digits(floor),
            device(class)
        ),
        Doubt::TwoSpeeds { fast, share, .. } => format!(
            "{} of the reads take {}: perhaps a cache answered them.",
            percent(share),
            about(fast)
        ),
    }
}

fn skewed(average: &Average) -> String {
    let mean = Nanos::from_secs_f64(average.mean_ns / 1e9).unwrap_or_default();
    let mean = if average.exact { two_digits(mean) } else { about(mean) };
    let times = (average.times_median().0 * 10.0).floor() / 10.0;
    format!(
        "The mean, {mean}, is at least {times} times the median; at most {} of the events are near \
         it.",
        percent(average.near.1)
    )
}

fn outlying(events: u64, longest: &Outlier, moments: &Moments) -> String {
    let (at, zone) = (moments.moment(longest.start), moments.zone());
    let took = range(longest.bucket, Digits::Two);
    let times = quantity(longest.octaves.exp2().floor());
    if events == 1 {
        return format!(
            "One event took {took} at {at}{zone}, {times} times as long as the others."
        );
    }
    format!(
        "{events} events took far longer than the others: the longest {took} at {at}{zone}, {times} \
         times as long."
    )
}

fn missing(gaps: &Gaps) -> String {
    let length = span(Nanos::from_secs_f64(gaps.missing_s).unwrap_or_default());
    let resets = match gaps.resets {
        0 => String::new(),
        1 => ": counters began anew".to_owned(),
        times => format!(": counters began anew {times} times"),
    };
    let stretches = match gaps.stretches {
        0 | 1 => String::new(),
        count => format!(" in {count} places"),
    };
    format!("Nothing is known of {length}{stretches}{resets}.")
}

fn plain(median: &QuantileInterval, high: &QuantileInterval) -> String {
    format!(
        "Half of the events take up to {}, 99% up to {}; nothing stands out.",
        range(median.bucket, Digits::Two),
        range(high.bucket, Digits::Two)
    )
}
