//! What was found, in plain words: the same sentences on every surface. Each says what happened,
//! when, how much, compared with what.

mod changes;
mod load;
mod open;
mod shape;
mod wording;

use isotherm_analysis::{
    Band, Bursts, Change, ChangeKind, Facet, Incident, Level, Owner, Period, RankedRemark, Remark,
    SampledTime,
};
use isotherm_frame::{Bucket, Nanos, Timestamp, percent, shown_name};

use self::changes::{drifts, everything, of_series, rate_drifts, scales, silent, stalls, stops};
use self::load::{at_loads, cache_warning, responds};
use self::shape::{
    averages, bands, missing, outlying, plain, skewed, slow_band, slowest, unplaced, unstable,
};
use self::wording::{Times, about_ns, named, noun, owning};
use crate::numbers::{quantity, waited};
use crate::ranges::{Digits, range};
use crate::times::{TimeFormat, span};

pub use self::open::{longest_waiting, still_waiting};
pub use self::shape::mode_latency;
pub(crate) use self::wording::listed;
pub use self::wording::{about_share, two_digits};

/// What is said where nothing has ended.
pub const NO_EVENTS: &str = "There are no events.";

/// The remarks as sentences, one for each, in their order. Never more exact than the buckets are:
/// ranges, and `≈` before estimates. The zone of the times is said once.
pub fn sentences(remarks: &[RankedRemark], moments: &TimeFormat) -> Vec<String> {
    let mut zone = moments.zone();
    let in_words = |ranked| {
        let times = Times { moments, zone };
        let mut sentence = sentence(ranked, &times);
        if !zone.is_empty() && sentence.contains(zone) {
            zone = "";
        }
        if moments.is_assumed() && needs_times(&ranked.remark) {
            sentence.truncate(sentence.trim_end_matches('.').len());
            sentence.push_str(" (the times are assumed).");
        }
        sentence
    };
    remarks.iter().map(in_words).collect()
}

/// Whether a remark is wrong where intervals are longer or shorter than they are taken to be.
fn needs_times(remark: &Remark) -> bool {
    matches!(
        remark,
        Remark::Incident(_)
            | Remark::Bursts(_)
            | Remark::More { .. }
            | Remark::Changed(_)
            | Remark::Ramp { .. }
            | Remark::Every(_)
            | Remark::Response(_)
    )
}

fn sentence(ranked: &RankedRemark, times: &Times<'_>) -> String {
    match &ranked.remark {
        Remark::Nothing => NO_EVENTS.to_owned(),
        Remark::Averages { mean_ns, rate } => averages(*mean_ns, *rate, ranked.exact),
        Remark::Sampled(time) => sampled(time, ranked, times),
        Remark::Incident(one) => incident(one, ranked, times),
        Remark::Bursts(several) => bursts(several, ranked, times),
        Remark::More { starts, exact_to } => also(starts, *exact_to, times),
        Remark::Changed(change) => changed(change, ranked, times),
        Remark::Ramp { load, response } => {
            let when = times.stretch(load.start, load.end, load.exact_to);
            let load = rate_drifts(load, ranked);
            format!("{when}, {load}, and latency with it: {}.", at_loads(response))
        }
        Remark::Every(period) => every(period, ranked),
        Remark::Owner(owner) => owned(owner),
        Remark::Response(response) => responds(response),
        Remark::SlowBand(band) => slow_band(band, ranked),
        Remark::Tail(tail) => slowest(tail, ranked),
        Remark::Outliers { events, longest } => outlying(*events, longest, times),
        Remark::Bands { modes, mean_ns, exact, cache } => {
            let cached = if *cache { " The fast ones may come from a cache." } else { "" };
            format!("{}{cached}", bands(modes, *mean_ns, *exact))
        }
        Remark::CacheWarning(warning) => cache_warning(warning),
        Remark::Unstable(quantile) => unstable(quantile),
        Remark::Skewed(average) => skewed(average),
        Remark::Missing(gaps) => missing(gaps, times),
        Remark::Unplaced(found) => unplaced(found, ranked),
        Remark::Plain { median, high } => plain(median, high),
    }
}

/// What the events are called: by what they do, or by their series where it is one of several.
fn who(ranked: &RankedRemark) -> String {
    named(ranked).unwrap_or_else(|| noun(ranked.operation).to_owned())
}

/// The same after "% of".
fn of_whom(ranked: &RankedRemark) -> String {
    named(ranked).unwrap_or_else(|| format!("the {}", noun(ranked.operation)))
}

/// A factor that is worth a word.
const DIFFERS: f64 = 1.3;

fn factor(from: f64, to: f64) -> f64 {
    let factor = if to > from { to / from } else { from / to };
    if factor.is_nan() { 1.0 } else { factor }
}

fn incident(incident: &Incident, ranked: &RankedRemark, times: &Times<'_>) -> String {
    let when = times.stretch(incident.start, incident.until(), incident.exact_to);
    if incident.is_stall() {
        return format!("{when}, {}{}.", slowed(incident, ranked), owning(ranked));
    }
    let compared = levels(&incident.outside, &incident.inside, ranked);
    format!("{when}, {compared}{}.", owning(ranked))
}

/// `Lock:relation: 8.0 sessions from 01:48:51 to 01:48:59 UTC (average 0.6).`, or `from 01:48:51 UTC on`.
fn sampled(time: &SampledTime, ranked: &RankedRemark, times: &Times<'_>) -> String {
    // That there are no lengths is said by the word: sessions.
    let plain = |name: String| format!("{}: ", name.strip_suffix(" (averages)").unwrap_or(&name));
    let name = named(ranked).map_or_else(String::new, plain);
    let Some(busiest) = time.busiest else {
        return format!("{name}{} sessions waited on average.", sessions(time.average));
    };
    let when = times.stretch_words(busiest.start, busiest.until(), busiest.exact_to);
    let (inside, average) = (sessions(busiest.inside.waiting), sessions(time.average));
    format!("{name}{inside} sessions from {when} (average {average}){}.", owning(ranked))
}

/// How many sessions, to two digits: `0.62`, `8.0`, `120`.
fn sessions(number: f64) -> String {
    match number {
        100.0.. => format!("{number:.0}"),
        0.995.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

/// A stall in which something still ended.
fn slowed(incident: &Incident, ranked: &RankedRemark) -> String {
    let (usual, now) = (&incident.outside, &incident.inside);
    let who = match noun(ranked.operation) {
        "events" => everything(ranked),
        noun => named(ranked).unwrap_or_else(|| noun.to_owned()),
    };
    let (few, many) = (crate::numbers::rate(now.rate), crate::numbers::rate(usual.rate));
    format!(
        "{who} stalled: {few} events/s instead of {many}, and they took {}",
        mean_against(usual, now)
    )
}

/// The most bursts whose times are said.
const NAMED: usize = 4;

fn bursts(bursts: &Bursts, ranked: &RankedRemark, times: &Times<'_>) -> String {
    let compared = levels(&bursts.outside, &bursts.inside, ranked);
    let without_zone = Times { zone: "", ..*times };
    let in_words = |(start, end): &(Timestamp, Timestamp), times: &Times<'_>| {
        times.span_words(*start, *end, bursts.exact_to)
    };
    let named = &bursts.stretches[..bursts.stretches.len().min(NAMED)];
    let Some((last, first)) = named.split_last() else { return String::new() };
    let first: Vec<String> = first.iter().map(|one| in_words(one, &without_zone)).collect();
    let others = match bursts.stretches.len() - named.len() {
        0 => String::new(),
        1 => ", and once more".to_owned(),
        others => format!(", and {others} times more"),
    };
    let when = format!("{} and {}{others}", first.join(", "), in_words(last, times));
    format!("From {when}, {compared}{}.", owning(ranked))
}

/// `See also 10:02:05 and 10:07:10 UTC.`: where more stretches begin.
fn also(starts: &[Timestamp], exact_to: Nanos, times: &Times<'_>) -> String {
    let without_zone = Times { zone: "", ..*times };
    let shown = &starts[..starts.len().min(NAMED)];
    let Some((last, first)) = shown.split_last() else { return String::new() };
    let mut parts: Vec<String> =
        first.iter().map(|start| without_zone.about(*start, exact_to)).collect();
    parts.push(times.about(*last, exact_to));
    if starts.len() > shown.len() {
        parts.push(format!("{} more", starts.len() - shown.len()));
    }
    format!("See also {}.", listed(&parts))
}

/// Two levels against each other: what differs more comes first.
fn levels(usual: &Level, now: &Level, ranked: &RankedRemark) -> String {
    let rates = factor(usual.rate, now.rate);
    let means = factor(usual.mean_ns, now.mean_ns);
    let grew = |was: f64, is: f64| is >= DIFFERS * was;
    let says_why = grew(usual.rate, now.rate) || grew(usual.mean_ns, now.mean_ns);
    if grew(usual.waiting, now.waiting) && now.waiting > 0.0 && !says_why {
        // What waits then ends elsewhere: what ended then was neither more nor slower.
        let (many, few) = (quantity(now.waiting), quantity(usual.waiting));
        let (noun, of) = (noun(ranked.operation), of_series(ranked));
        return format!("{many} {noun}{of} were waiting instead of {few} on average");
    }
    let rate = format!(
        "{} events/s instead of {}",
        crate::numbers::rate(now.rate),
        crate::numbers::rate(usual.rate)
    );
    let mean = mean_against(usual, now);
    let there = match named(ranked) {
        Some(series) => format!("{series} had {rate}"),
        None => format!("there were {rate}"),
    };
    match (rates >= DIFFERS, means >= DIFFERS) {
        (true, true) if rates > means => format!("{there}, and they took {mean}"),
        (true, true) => format!("{} took {mean}, at {rate}", who(ranked)),
        (true, false) => there,
        (false, _) => format!("{} took {mean}", who(ranked)),
    }
}

fn mean_against(usual: &Level, now: &Level) -> String {
    if usual.mean_ns <= 0.0 {
        return format!("{} on average", about_ns(now.mean_ns));
    }
    format!("{} instead of {} on average", about_ns(now.mean_ns), about_ns(usual.mean_ns))
}

/// A band with this share of events is still there.
const STILL_THERE: f64 = 0.03;

fn changed(change: &Change, ranked: &RankedRemark, times: &Times<'_>) -> String {
    let when = times.stretch(change.start, change.end, change.exact_to);
    let what = match &change.kind {
        ChangeKind::Appears(band) => appears(band, change, ranked),
        ChangeKind::Vanishes(band) => vanishes(band, change, ranked),
        ChangeKind::Grows(band) => grows(band, ranked),
        ChangeKind::Moves => moves(change, ranked),
        ChangeKind::Rate => other_rate(change, ranked),
        ChangeKind::Scales(factor) => scales(*factor, change, ranked),
        ChangeKind::Drifts => drifts(change, ranked),
        ChangeKind::RateDrifts => rate_drifts(change, ranked),
        ChangeKind::Stalls(stall) => stalls(stall, ranked),
        ChangeKind::Silent => silent(change, ranked),
        ChangeKind::Stops => stops(change, ranked),
    };
    format!("{when}, {what}.")
}

fn appears(band: &Band, change: &Change, ranked: &RankedRemark) -> String {
    if band.other_share < STILL_THERE {
        return format!(
            "{} of {} took {}, almost none before{}",
            percent(band.share),
            of_whom(ranked),
            edges(band),
            owning(ranked)
        );
    }
    let (now, before) = (band.share * change.after.rate, band.other_share * change.before.rate);
    format!("{}{}", in_range(band, (now, before), ranked), owning(ranked))
}

fn vanishes(band: &Band, change: &Change, ranked: &RankedRemark) -> String {
    if let Some(wider) = widens(change, ranked) {
        return wider;
    }
    if band.other_share < STILL_THERE {
        return format!(
            "almost none of {} took {}, {} before",
            of_whom(ranked),
            edges(band),
            percent(band.share)
        );
    }
    let (now, before) = (band.other_share * change.after.rate, band.share * change.before.rate);
    in_range(band, (now, before), ranked)
}

/// Latencies that spread while the median stays: fewer lie where most did, and the slow ones are slower.
fn widens(change: &Change, ranked: &RankedRemark) -> Option<String> {
    /// The slow ones take so many times as long.
    const SLOWER: f64 = 2.0;
    let (before, after) = (&change.before, &change.after);
    let middle = |bucket: Bucket| bucket.mid_point().as_nanos() as f64;
    let (from, to) = (before.high?, after.high?);
    if middle(to) < SLOWER * middle(from) {
        return None;
    }
    let (usual, now) = (before.median?, after.median?);
    if factor(middle(usual), middle(now)) >= DIFFERS {
        return None;
    }
    let (of, to, from) = (of_series(ranked), range(to, Digits::Two), range(from, Digits::Two));
    let share = owning(ranked);
    Some(format!("p99{of} was {to} instead of {from}; the median did not change{share}"))
}

/// How many events per second took so long, now and before.
fn in_range(band: &Band, (now, before): (f64, f64), ranked: &RankedRemark) -> String {
    let of = of_series(ranked);
    // What is printed has to hold as many as are counted.
    let (lo, hi) = band.edges;
    let took = range(Bucket { lo, hi }, Digits::Three);
    format!(
        "{} events/s{of} took {took}, {} before",
        crate::numbers::rate(now),
        crate::numbers::rate(before)
    )
}

fn grows(band: &Band, ranked: &RankedRemark) -> String {
    format!(
        "{} of {} took {}, {} before{}",
        percent(band.share),
        of_whom(ranked),
        edges(band),
        percent(band.other_share),
        owning(ranked)
    )
}

fn moves(change: &Change, ranked: &RankedRemark) -> String {
    let (before, after) = (&change.before, &change.after);
    if let Some(wider) = widens(change, ranked) {
        return wider;
    }
    let against = match (before.median, after.median) {
        (Some(from), Some(to)) if from != to => {
            format!("{} instead of {} (median)", range(to, Digits::Two), range(from, Digits::Two))
        }
        _ => mean_against(before, after),
    };
    format!("{} took {against}{}", who(ranked), owning(ranked))
}

fn other_rate(change: &Change, ranked: &RankedRemark) -> String {
    let (before, after) = (&change.before, &change.after);
    let had = match named(ranked) {
        Some(series) => format!("{series} had"),
        None => "there were".to_owned(),
    };
    if after.rate <= 0.0 {
        return format!("{had} no events, {} events/s before", crate::numbers::rate(before.rate));
    }
    let (now, then) = (crate::numbers::rate(after.rate), crate::numbers::rate(before.rate));
    if before.rate <= 0.0 {
        return format!("{had} {now} events/s instead of {then}");
    }
    let verb = if after.rate > before.rate { "rose" } else { "fell" };
    let of = of_series(ranked);
    format!("the rate{of} {verb} from {then} to {now} events/s; latency did not change")
}

fn edges(band: &Band) -> String {
    let (lo, hi) = band.edges;
    range(Bucket { lo, hi }, Digits::Two)
}

fn every(period: &Period, ranked: &RankedRemark) -> String {
    let of = of_series(ranked);
    let share = ranked.time_share.unwrap_or(period.time_share);
    format!(
        "Every {} there is a burst{of}, {} times in all: {} of all time waited in {} of the time.",
        span(period.every),
        period.cycles,
        about_share(share, ranked.exact),
        percent(period.busy)
    )
}

fn owned(owner: &Owner) -> String {
    let (what, among) = match &owner.facet {
        Facet::Name => (shown_name(&owner.value), owner.of.to_string()),
        Facet::Attribute(key) => {
            let key = shown_name(key);
            (format!("{key}={}", shown_name(&owner.value)), format!("{} values of {key}", owner.of))
        }
    };
    let about = if owner.waited.exact { "" } else { "≈" };
    let events = match owner.event_share {
        0.0 => String::new(),
        share => format!(", {} of all events", percent(share)),
    };
    format!(
        "{what} is the largest of {among}: {} of all time waited ({about}{}){events}.",
        about_share(owner.time_share, owner.waited.exact),
        waited(owner.waited.seconds),
    )
}

#[cfg(test)]
#[path = "narration_tests.rs"]
mod tests;
