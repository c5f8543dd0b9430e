//! What the names of columns say, whether the user or a header gave them.

use isotherm_frame::Unit;

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A time, or a part of one: several are added up. The unit, if the name tells it.
    Time(Option<Unit>),
    /// The latency. The unit, if the name tells it.
    Latency(Option<Unit>),
    /// A value that tells series apart.
    Attribute(String),
    /// Nothing of use.
    Skip,
}

impl Role {
    /// Reads a name such as `time`, `ts`, `latency_us`, `duration (ms)`, `-` or any other word.
    pub(super) fn named(name: &str) -> Role {
        let name = name.trim().trim_matches('"').trim();
        let (base, unit) = base_and_unit(&name.to_lowercase());
        match base.as_str() {
            "time" | "timestamp" | "ts" => Role::Time(unit),
            "latency" | "lat" | "duration" | "elapsed" => Role::Latency(unit),
            "" | "-" => Role::Skip,
            _ => Role::Attribute(name.to_owned()),
        }
    }
}

/// `latency_us`, `latency (us)`, `latency[us]` and `latency us` as `latency` and microseconds.
fn base_and_unit(name: &str) -> (String, Option<Unit>) {
    let is_mark = |c: char| matches!(c, '_' | ' ' | '(' | ')' | '[' | ']' | '.' | '/');
    let name = name.trim_end_matches(is_mark);
    let split = name.rsplit_once(is_mark);
    let with_unit = split.and_then(|(base, unit)| Some((base, unit.parse().ok()?)));
    match with_unit {
        Some((base, unit)) => (base.trim_end_matches(is_mark).to_owned(), Some(unit)),
        None => (name.to_owned(), None),
    }
}

/// Whether names are those of a time, a latency and others: exactly one of the two each.
pub(super) fn are_a_header(roles: &[Role]) -> bool {
    let times = roles.iter().filter(|role| matches!(role, Role::Time(_))).count();
    times == 1 && latencies(roles) == 1
}

/// How many columns are named as the latency.
pub(super) fn latencies(roles: &[Role]) -> usize {
    roles.iter().filter(|role| matches!(role, Role::Latency(_))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_role_and_unit() {
        assert_eq!(Role::named("time"), Role::Time(None));
        assert_eq!(Role::named(" timeStamp "), Role::Time(None));
        assert_eq!(Role::named("ts_ms"), Role::Time(Some(Unit::Millis)));
        assert_eq!(Role::named("latency (us)"), Role::Latency(Some(Unit::Micros)));
        assert_eq!(Role::named("\"Duration[ns]\""), Role::Latency(Some(Unit::Nanos)));
        assert_eq!(Role::named("elapsed_s"), Role::Latency(Some(Unit::Seconds)));
        assert_eq!(Role::named("-"), Role::Skip);
        assert_eq!(Role::named("Endpoint"), Role::Attribute("Endpoint".into()));
        assert_eq!(Role::named("queue_us"), Role::Attribute("queue_us".into()));
    }
}
