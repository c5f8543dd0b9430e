//! What the names of fields say: a time, a latency and its unit, or something else.

use isotherm_frame::Unit;

use super::duration::unit_named;

/// What a name of a field, or a word before a duration, says about it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// How long something took, and the unit of a number without one, if the name tells it.
    Latency(Option<Unit>),
    /// A length of time that nobody waited: a limit, an age, a pause that was planned.
    Setting,
    /// A pause that was planned, or one that was waited, in the unit of its name: a latency only where nothing else
    /// can be one.
    Delay(Unit),
    /// An average, a percentile or an extreme of many.
    Summary,
    /// Nothing that is known here; the unit if it has one.
    Other(Option<Unit>),
}

/// Words of a name that is how long something took.
const LATENCY: &[&str] = &[
    "duration", "dur", "latency", "lat", "elapsed", "took", "taken", "takes", "spent", "cost",
    "runtime", "rtt", "rt", "waited",
];

/// Words before `time` that make a latency of it.
const OF_TIME: &[&str] = &[
    "response", "request", "resp", "req", "execution", "exec", "query", "processing", "process",
    "service", "elapsed", "run", "wait", "fetch", "render", "lock", "parse", "round",
];

/// Words that are one only where the unit stands behind the number: `in 12 ms`, `time=12 ms`.
const WITH_UNIT: &[&str] = &["in", "time", "within"];

/// Last words of a name that make a latency of a number in a unit that the name tells: `wait_us`, `exec_ms`.
const WITH_NAMED_UNIT: &[&str] = &["wait", "response", "resp", "exec", "svc", "service"];

const SETTINGS: &[&str] = &[
    "timeout", "interval", "ttl", "delay", "period", "age", "uptime", "backoff", "deadline",
    "every", "limit", "threshold", "retry", "sleep", "sleeping", "expires", "expiry", "lease",
    "keepalive", "budget", "remaining", "slower", "longer", "exceeds", "exceeded", "over", "last",
    "older", "window", "lag", "offset", "skew", "next", "until", "since", "ago",
];

/// Last words of a name that is how often something is done; before others (`tick_duration`) they say what.
const PERIODS: &[&str] = &["cycle", "tick", "heartbeat", "cadence", "refresh", "polling"];

const SUMMARIES: &[&str] = &[
    "avg", "average", "mean", "median", "max", "min", "maximum", "minimum", "stddev", "stdev",
    "mdev", "sum", "percentile", "quantile", "p50", "p75", "p90", "p95", "p99", "p999", "avgtime",
];

/// The words of a name in small letters: `responseTimeMs` is `response`, `time` and `ms`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        let part = c.is_alphanumeric();
        if !part || c.is_uppercase() && small {
            words.push(String::new());
        }
        if part && let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a name says; `bare` where it stands before a number without a unit.
pub(super) fn kind(name: &str, bare: bool) -> Kind {
    let mut words = words(name);
    // A single s is one only at the end of a name with a line under it: `duration_s`.
    let may_be = |last: &str| last.len() > 1 || words.len() > 1 && name.ends_with("_s");
    let unit = words.last().and_then(|last| unit_named(last).filter(|_| may_be(last)));
    if let Some(unit) = unit {
        words.pop();
        if words.is_empty() {
            return Kind::Latency(Some(unit));
        }
    }
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if any(SUMMARIES) {
        return Kind::Summary;
    }
    let last = words.last().map_or("", String::as_str);
    if any(SETTINGS) || PERIODS.contains(&last) {
        let settings = words.iter().filter(|word| SETTINGS.contains(&word.as_str())).count();
        let is_delay = bare && last == "delay" && settings == 1;
        return unit.filter(|_| is_delay).map_or(Kind::Setting, Kind::Delay);
    }
    // A sum of many as often as the time of one.
    if any(&["total"]) {
        return Kind::Other(unit);
    }
    let before = words.len().checked_sub(2).and_then(|at| words.get(at)).map_or("", String::as_str);
    let of_time = last == "time" && OF_TIME.contains(&before) || last == "taken" && before == "time";
    let with_unit = WITH_UNIT.contains(&last) && words.len() == 1 && (!bare || unit.is_some());
    let names_unit = unit.is_some() && bare && WITH_NAMED_UNIT.contains(&last);
    if LATENCY.contains(&last) || of_time || with_unit || names_unit {
        return Kind::Latency(unit);
    }
    Kind::Other(unit)
}

/// Names of times, the surest first; none of them says which end of the event it is.
const TIMES: &[&str] = &[
    "timestamp", "ts", "time", "@timestamp", "@t", "t", "datetime", "date", "asctime", "event_time",
    "eventtime", "logged_at", "time_local", "time_iso8601", "msec", "when", "at",
];

/// The same of times that say it.
const ENDS: &[&str] = &["end", "end_time", "ended", "ended_at", "finished_at", "endtime", "completed_at"];
const STARTS: &[&str] =
    &["start", "start_time", "started", "started_at", "starttime", "begin", "began_at", "startutc"];

/// Which moment of an event a time is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// When it ended.
    End,
    /// When the line was written, which is taken as the end.
    Written,
    /// When it began.
    Start,
}

/// How sure a name is that of a time, the smaller the surer, and which moment it is; `None` if it is
/// none.
pub(super) fn time_rank(name: &str) -> Option<(usize, Moment)> {
    let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let mut split = words(&last);
    let unit = split.len() > 1 && split.last().is_some_and(|word| unit_named(word).is_some());
    if unit {
        split.pop();
    }
    let base = if unit { split.join("_") } else { last };
    let in_list = |list: &[&str]| list.iter().position(|known| *known == base);
    in_list(ENDS)
        .map(|at| (at, Moment::End))
        .or_else(|| in_list(TIMES).map(|at| (100 + at, Moment::Written)))
        .or_else(|| in_list(STARTS).map(|at| (200 + at, Moment::Start)))
}

/// What the name of a column says in a log.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedColumn {
    /// A latency, and its unit if the name tells it.
    Latency(Option<Unit>),
    /// When the event ended or, without further words, when the line was written.
    Time { is_end: bool },
    /// When the event began.
    Start,
    /// A mean, a percentile or an extreme of many.
    Summary,
    Other,
}

/// What the name of a column says.
pub(crate) fn named_column(name: &str) -> NamedColumn {
    match (kind(name, true), time_rank(name)) {
        (Kind::Latency(unit), _) => NamedColumn::Latency(unit),
        (Kind::Summary, _) => NamedColumn::Summary,
        (_, Some((_, Moment::Start))) => NamedColumn::Start,
        (_, Some((_, moment))) => NamedColumn::Time { is_end: moment == Moment::End },
        (Kind::Setting | Kind::Delay(_) | Kind::Other(_), None) => NamedColumn::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_number_is() {
        let latency = |unit| Kind::Latency(unit);
        for (name, expected) in [
            ("dur", latency(None)),
            ("dur_ms", latency(Some(Unit::Millis))),
            ("durationMs", latency(Some(Unit::Millis))),
            ("http.request.duration_seconds", latency(Some(Unit::Seconds))),
            ("elapsed_us", latency(Some(Unit::Micros))),
            ("latency_ns", latency(Some(Unit::Nanos))),
            ("seconds", latency(Some(Unit::Seconds))),
            ("responseTime", latency(None)),
            ("time_taken", latency(None)),
            ("request_time", latency(None)),
            ("avg_latency", Kind::Summary),
            ("timeout_ms", Kind::Setting),
            ("delay_ms", Kind::Delay(Unit::Millis)),
            ("delay", Kind::Setting),
            ("retry_delay_ms", Kind::Setting),
            ("delay_interval_ms", Kind::Setting),
            ("cycle_ms", Kind::Setting),
            ("tick", Kind::Setting),
            ("tick_duration_ms", latency(Some(Unit::Millis))),
            ("bytes", Kind::Other(None)),
            ("status", Kind::Other(None)),
            ("queue_ms", Kind::Other(Some(Unit::Millis))),
            ("wait_us", latency(Some(Unit::Micros))),
            ("lock_wait_ms", latency(Some(Unit::Millis))),
            ("waitMicros", latency(Some(Unit::Micros))),
            ("max_wait_us", Kind::Summary),
            ("wait_timeout_ms", Kind::Setting),
            ("total_wait_us", Kind::Other(Some(Unit::Micros))),
            ("waiting", Kind::Other(None)),
            ("time", Kind::Other(None)),
            ("wait", Kind::Other(None)),
            ("total_time_ms", Kind::Other(Some(Unit::Millis))),
            ("s", Kind::Other(None)),
        ] {
            assert_eq!(kind(name, true), expected, "{name}");
        }
        assert_eq!(kind("in", false), latency(None));
        assert_eq!(kind("time", false), latency(None));
        assert_eq!(kind("check in", false), Kind::Other(None));
    }

    #[test]
    fn times_are_recognised_by_their_names() {
        assert_eq!(time_rank("@timestamp").map(|(_, moment)| moment), Some(Moment::Written));
        assert_eq!(time_rank("event.end_time").map(|(_, moment)| moment), Some(Moment::End));
        assert_eq!(time_rank("start_ms").map(|(_, moment)| moment), Some(Moment::Start));
        assert!(time_rank("ts") < time_rank("date"));
        assert_eq!(time_rank("uptime"), None);
    }
}
