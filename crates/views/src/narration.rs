//! What was found, in plain words: the same sentences on every surface.

use isotherm_analysis::{
    Average, Band, Burst, Change, ChangeKind, DeviceClass, Doubt, Gaps, LoadResponse, Mode,
    Outlier, Period, Remark, ResponseKind, Stall,
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
        Remark::Burst(burst) => bursting(burst, moments),
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
pub(crate) fn percent(share: f64) -> String {
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

fn bursting(burst: &Burst, moments: &Moments) -> String {
    let at = |moment| moments.moment(moment, burst.exact_to);
    format!(
        "≈{} of the time waited falls into {}–{}{}: {} events with a mean of {}.",
        percent(burst.time_share),
        at(burst.start),
        at(burst.end),
        moments.zone(),
        quantity(burst.events as f64),
        about_ns(burst.mean_ns)
    )
}

/// A band with this share of events is still there.
const STILL_THERE: f64 = 0.03;

fn changed(change: &Change, moments: &Moments) -> String {
    let zone = moments.zone();
    let at = |moment| moments.moment(moment, change.exact_to);
    let when = match change.end {
        Some(end) => {
            format!("From {} to {}{zone}", at(change.start), at(end))
        }
        None => format!("From {}{zone} on", at(change.start)),
    };
    let (before, after) = (&change.before, &change.after);
    match &change.kind {
        ChangeKind::Appears(band) if band.other_share < STILL_THERE => format!(
            "{when} a band at {} appears: {} of events, ≈{} of the time waited.",
            edges(band),
            percent(band.share),
            percent(band.time_share)
        ),
        ChangeKind::Vanishes(band) if band.other_share < STILL_THERE => format!(
            "{when} the band at {}, {} of events before, is gone.",
            edges(band),
            percent(band.share)
        ),
        ChangeKind::Appears(band) => format!(
            "{when} the band at {} is fuller: {} events/s instead of {}, ≈{} of the time waited.",
            edges(band),
            quantity(band.share * after.rate),
            quantity(band.other_share * before.rate),
            percent(band.time_share)
        ),
        ChangeKind::Vanishes(band) => format!(
            "{when} the band at {} is emptier: {} events/s instead of {}.",
            edges(band),
            quantity(band.other_share * after.rate),
            quantity(band.share * before.rate)
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
        ChangeKind::Scales(factor) => scaled(*factor, change, &when),
        ChangeKind::Drifts => drifts(change, moments),
        ChangeKind::RateDrifts => rate_drifts(change, moments),
        ChangeKind::Stalls(stall) => stalled(stall, change, moments),
        ChangeKind::Silent => silent(change, &when),
        ChangeKind::Stops => stopped(change, &when),
    }
}

/// From which factor on times are more telling than percent.
const TIMES: f64 = 2.0;

/// All latencies longer or shorter by one factor.
fn scaled(factor: f64, change: &Change, when: &str) -> String {
    let how = match factor {
        TIMES.. => format!("{} times as long", quantity(factor)),
        1.0.. => format!("{:.0}% longer", (factor - 1.0) * 100.0),
        _ => format!("{:.0}% less time", (1.0 - factor) * 100.0),
    };
    // Three digits: two would hide what is a fifth longer.
    let mean = |ns: f64| Nanos::from_secs_f64(ns / 1e9).unwrap_or_default();
    let (now, was) = (mean(change.after.mean_ns), mean(change.before.mean_ns));
    format!("{when} everything takes {how}: the mean is ≈{now} instead of ≈{was}.")
}

/// From when to when, or from when on.
fn over(change: &Change, moments: &Moments) -> String {
    let at = |moment| moments.moment(moment, change.exact_to);
    let (start, zone) = (at(change.start), moments.zone());
    change.end.map_or_else(
        || format!("From {start}{zone} on"),
        |end| format!("From {start} to {}{zone}", at(end)),
    )
}

fn drifts(change: &Change, moments: &Moments) -> String {
    let (before, after) = (change.before.mean_ns, change.after.mean_ns);
    let way = if after > before { "rises" } else { "falls" };
    let (from, to) = (about_ns(before), about_ns(after));
    format!("{} latency {way} steadily: the mean goes from {from} to {to}.", over(change, moments))
}

fn rate_drifts(change: &Change, moments: &Moments) -> String {
    let (before, after) = (change.before.rate, change.after.rate);
    let way = if after > before { "rises" } else { "falls" };
    let (from, to) = (quantity(before), quantity(after));
    format!("{} load {way} steadily, from {from} to {to} events/s.", over(change, moments))
}

/// What had to wait until things went on.
fn stalled(stall: &Stall, change: &Change, moments: &Moments) -> String {
    let at = |moment| moments.moment(moment, change.exact_to);
    let (start, quiet_to) = (at(change.start), at(stall.quiet_to));
    let events = match stall.held_up {
        1 => "1 event ended that had waited".to_owned(),
        events => format!("{} events ended that had waited", quantity(events as f64)),
    };
    format!(
        "From {start} to {quiet_to}{} nothing ended, then {events} for {}: a stall, ≈{} of all \
         time waited.",
        moments.zone(),
        range(stall.longest, Digits::Two),
        percent(stall.time_share)
    )
}

fn silent(change: &Change, when: &str) -> String {
    let length = change.end.map_or(Nanos::ZERO, |end| end.since(change.start));
    let rate = quantity(change.before.rate.max(0.0));
    if change.before.rate > 0.0 {
        format!("{when}, for {}, there are no events, {rate}/s before.", span(length))
    } else {
        format!("{when}, for {}, there are no events.", span(length))
    }
}

fn stopped(change: &Change, when: &str) -> String {
    let rate = quantity(change.before.rate);
    if change.after.rate > 0.0 {
        return format!("{when} there are hardly any events, {rate}/s before: everything stopped.");
    }
    format!("{when} there are no events any more, {rate}/s before: everything stopped.")
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
        ResponseKind::VariesWithoutLoad => format!(
            "Latency varies without load: {} in the fastest fifth of the time, {} in the slowest.",
            about_ns(at_low),
            about_ns(at_high)
        ),
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
        DeviceClass::Hdd => "a rotating disk can be",
        DeviceClass::Ssd => "a SATA flash disk can be",
        DeviceClass::Nvme => "an NVMe disk can be",
        DeviceClass::San => "an array behind a network can be",
        DeviceClass::Measured(_) => "the fastest measured on this device",
    }
}

fn doubtful(doubt: &Doubt) -> String {
    let than = |share: f64, reads: bool, floor: Nanos, class: DeviceClass| {
        let what = if reads { "reads" } else { "events" };
        let (share, floor) = (percent(share), two_digits(floor));
        format!("{share} of the {what} take less than {floor}, faster than {}", device(class))
    };
    match *doubt {
        Doubt::FasterThanDevice { class, floor, share, reads } => {
            let than = than(share, reads, floor, class);
            let cache = if reads {
                "This was the cache."
            } else {
                "If they are reads, this was the cache."
            };
            format!("Too good to be true: {than}. {cache}")
        }
        Doubt::CacheHits { class, floor, share, reads } => {
            let than = than(share, reads, floor, class);
            let condition = if reads { "" } else { "if they are reads, " };
            format!("{than}: {condition}a cache answered them.")
        }
        Doubt::TwoSpeeds { fast, share, .. } => format!(
            "{} of the reads take {}: perhaps a cache answered them.",
            percent(share),
            about(fast)
        ),
    }
}

/// So many times, rounded down: `2.3`, `16`, more than `1000`.
fn at_least(times: f64) -> String {
    match times {
        ..10.0 => format!("{}", (times * 10.0).floor() / 10.0),
        ..1_000.0 => format!("{}", times.floor()),
        _ => "1000".to_owned(),
    }
}

fn skewed(average: &Average) -> String {
    let mean = Nanos::from_secs_f64(average.mean_ns / 1e9).unwrap_or_default();
    let mean = if average.exact { two_digits(mean) } else { about(mean) };
    let times = at_least(average.times_median().0);
    let near = match average.near.1 {
        ..=0.0 => "no event is near it".to_owned(),
        share => format!("at most {} of the events are near it", percent(share)),
    };
    format!("The mean, {mean}, is at least {times} times the median; {near}.")
}

fn outlying(events: u64, longest: &Outlier, moments: &Moments) -> String {
    let (at, zone) =
        (moments.moment(longest.start, longest.end.since(longest.start)), moments.zone());
    let took = range(longest.bucket, Digits::Two);
    let times = at_least(longest.octaves.exp2());
    if events == 1 {
        return format!(
            "One event took {took} at {at}{zone}, at least {times} times as long as the others."
        );
    }
    format!(
        "{events} events took far longer than the others: the longest {took} at {at}{zone}, at \
         least {times} times as long."
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
    if median.bucket == (Bucket { lo: Nanos::ZERO, hi: None }) {
        return "The buckets of these series have no bound in common: look at one at a time."
            .to_owned();
    }
    let less = |quantile: &QuantileInterval| {
        let Bucket { lo, hi } = quantile.bucket;
        hi.map_or_else(|| format!("more than {lo}"), |hi| format!("less than {hi}"))
    };
    format!("Half of the events take {}, 99% {}; nothing stands out.", less(median), less(high))
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::{Level, TailShare};
    use isotherm_frame::{Clock, Timestamp};

    use super::*;

    /// 2025-11-21 14:00 UTC.
    const START: i64 = 1_763_733_600;

    fn at(second: i64) -> Timestamp {
        Timestamp::new((START + second) * 1_000_000_000)
    }

    fn said(remark: Remark) -> String {
        sentences(&[remark], &Moments::new(Clock::Epoch, at(0))).remove(0)
    }

    fn millis(ms: u64) -> Nanos {
        Nanos::from_millis(ms)
    }

    fn mode(at: Nanos, share: f64) -> Mode {
        Mode { at, edges: (Nanos::ZERO, None), share, time_share: share }
    }

    fn change(kind: ChangeKind, end: Option<i64>) -> Remark {
        let median = |lo, hi| Some(Bucket { lo: millis(lo), hi: Some(millis(hi)) });
        let before = Level { rate: 200.0, waiting: 0.4, mean_ns: 2e6, median: median(1, 2) };
        let after = Level { rate: 410.0, waiting: 4.0, mean_ns: 1e7, median: median(8, 16) };
        Remark::Changed(Change {
            start: at(1_510),
            exact_to: Nanos::SECOND,
            end: end.map(at),
            kind,
            before,
            after,
        })
    }

    fn band(share: f64) -> Band {
        let edges = (Nanos::new(16_384_000), Some(Nanos::new(32_768_000)));
        Band { edges, share, time_share: 0.71, other_share: 0.01 }
    }

    #[test]
    fn changes_are_told_with_their_time_and_their_range() {
        assert_eq!(
            said(change(ChangeKind::Appears(band(0.12)), Some(1_985))),
            "From 14:25:10 to 14:33:05 UTC a band at 16–33ms appears: 12% of events, ≈71% of the \
             time waited."
        );
        assert_eq!(
            said(change(ChangeKind::Vanishes(band(0.4)), None)),
            "From 14:25:10 UTC on the band at 16–33ms, 40% of events before, is gone."
        );
        assert_eq!(
            said(change(ChangeKind::Grows(band(0.3)), None)),
            "From 14:25:10 UTC on 30% of events take 16–33ms, 1% otherwise."
        );
        let thinner = Band { other_share: 0.1, ..band(0.4) };
        assert_eq!(
            said(change(ChangeKind::Vanishes(thinner), None)),
            "From 14:25:10 UTC on the band at 16–33ms is emptier: 41.0 events/s instead of 80.0."
        );
        assert_eq!(
            said(change(ChangeKind::Moves, None)),
            "From 14:25:10 UTC on the median is 8–16ms instead of 1–2ms."
        );
        assert_eq!(
            said(change(ChangeKind::Rate, Some(86_400))),
            "From 14:25:10 to 2025-11-22 14:00:00 UTC there are 410 events/s instead of 200, as \
             fast as before."
        );
    }

    #[test]
    fn slow_changes_and_silence_have_words_of_their_own() {
        assert_eq!(
            said(change(ChangeKind::Scales(5.0), None)),
            "From 14:25:10 UTC on everything takes 5.00 times as long: the mean is ≈10ms instead \
             of ≈2ms."
        );
        assert!(
            said(change(ChangeKind::Scales(0.8), None)).contains("everything takes 20% less time")
        );
        assert_eq!(
            said(change(ChangeKind::Drifts, Some(1_985))),
            "From 14:25:10 to 14:33:05 UTC latency rises steadily: the mean goes from ≈2ms to ≈10ms."
        );
        assert_eq!(
            said(change(ChangeKind::RateDrifts, None)),
            "From 14:25:10 UTC on load rises steadily, from 200 to 410 events/s."
        );
        assert_eq!(
            said(change(ChangeKind::Silent, Some(1_550))),
            "From 14:25:10 to 14:25:50 UTC, for 40s, there are no events, 200/s before."
        );
        let longest = Bucket { lo: millis(1_900), hi: Some(millis(2_048)) };
        let stall = Stall { quiet_to: at(1_512), held_up: 180, longest, time_share: 0.75 };
        assert_eq!(
            said(change(ChangeKind::Stalls(stall), Some(1_513))),
            "From 14:25:10 to 14:25:12 UTC nothing ended, then 180 events ended that had waited for \
             1.9–2s: a stall, ≈75% of all time waited."
        );
        assert_eq!(
            said(change(ChangeKind::Stops, None)),
            "From 14:25:10 UTC on there are hardly any events, 200/s before: everything stopped."
        );
    }

    #[test]
    fn modes_are_told_with_the_mean_where_it_describes_none() {
        let two = vec![mode(Nanos::from_micros(203), 0.7), mode(Nanos::from_micros(7_960), 0.3)];
        let bands = |mean_ns, exact, cache| {
            said(Remark::Bands { modes: two.clone(), mean_ns, exact, cache })
        };
        assert_eq!(
            bands(2.4e6, true, false),
            "70% of the events take ≈200µs and 30% ≈8ms: the mean, 2.4ms, describes neither."
        );
        assert_eq!(
            bands(2.43e6, false, true),
            "70% of the events take ≈200µs and 30% ≈8ms: the mean, ≈2.4ms, describes neither. The \
             fast ones may come from a cache."
        );
        assert_eq!(bands(7.0e6, true, false), "70% of the events take ≈200µs and 30% ≈8ms.");
    }

    #[test]
    fn what_is_always_so_is_told_in_shares_and_ranges() {
        let tail = TailShare { from: Nanos::new(16_384_000), events: 0.0104, time: 0.43 };
        assert_eq!(
            said(Remark::Tail(tail)),
            "The slowest 1% of the events, 16.4ms and longer, hold ≈43% of the time waited."
        );
        let every = millis(60_000);
        let period = Period { every, first: at(5), cycles: 12, busy: 0.05, time_share: 0.428 };
        assert_eq!(
            said(Remark::Every(period)),
            "Every 1m there is a burst, 12 times in all: 43% of the time waited falls into 5% of \
             the time."
        );
        let gaps = Gaps { stretches: 2, resets: 1, missing_s: 7.0, longest_s: 4.0 };
        assert_eq!(
            said(Remark::Missing(gaps)),
            "Nothing is known of 7s in 2 places: counters began anew."
        );
        let bucket = Bucket { lo: Nanos::new(524_288), hi: Some(Nanos::new(4_194_304)) };
        let quantile = QuantileInterval { q: 0.99, bucket, estimate: bucket.lo };
        assert_eq!(
            said(Remark::Unstable(quantile)),
            "p99 (0.52–4.2ms) is unstable: it lies on the edge of two modes."
        );
    }

    #[test]
    fn load_and_caches_are_told_plainly() {
        let response = |kind| {
            let (rates, means_ns) = ((200.0, 910.0), (4.1e5, 1.2e6));
            said(Remark::Response(LoadResponse {
                kind,
                correlation: 0.0,
                rates,
                means_ns,
                waiting: 8.2,
            }))
        };
        assert_eq!(
            response(ResponseKind::Follows(Some(702.0))),
            "Latency follows load: the mean is ≈410µs at 200 events/s and ≈1.2ms at 910, steeply \
             from ≈702 events/s on."
        );
        assert_eq!(
            response(ResponseKind::Unrelated),
            "Latency does not follow load, between 200 and 910 events/s."
        );
        assert_eq!(
            response(ResponseKind::VariesWithoutLoad),
            "Latency varies without load: ≈410µs in the fastest fifth of the time, ≈1.2ms in the \
             slowest."
        );
        let (class, floor) = (DeviceClass::Hdd, millis(1));
        let doubt = Doubt::FasterThanDevice { class, floor, share: 0.9, reads: true };
        assert_eq!(
            said(Remark::Doubtful(doubt)),
            "Too good to be true: 90% of the reads take less than 1ms, faster than a rotating disk \
             can be. This was the cache."
        );
        let measured = DeviceClass::Measured(millis(1));
        let doubt = Doubt::FasterThanDevice { class: measured, floor, share: 0.9, reads: true };
        assert_eq!(
            said(Remark::Doubtful(doubt)),
            "Too good to be true: 90% of the reads take less than 1ms, faster than the fastest \
             measured on this device. This was the cache."
        );
        let doubt = Doubt::CacheHits { class, floor, share: 0.3, reads: false };
        assert_eq!(
            said(Remark::Doubtful(doubt)),
            "30% of the events take less than 1ms, faster than a rotating disk can be: if they are \
             reads, a cache answered them."
        );
    }

    #[test]
    fn shares_are_no_more_exact_than_they_can_be() {
        let shown: Vec<String> =
            [0.0, 0.0004, 0.0042, 0.0104, 0.7, 0.997, 1.0].map(percent).to_vec();
        assert_eq!(shown, ["0%", "<0.1%", "0.4%", "1%", "70%", ">99%", "100%"]);
        let shown = [0, 7, 203, 1_049, 9_960_000].map(|ns| two_digits(Nanos::new(ns)));
        assert_eq!(shown, ["0ns", "7ns", "200ns", "1µs", "10ms"]);
    }
}
