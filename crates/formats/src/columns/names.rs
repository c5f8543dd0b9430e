//! What the names of columns say, whether the user or a header gave them.

use isotherm_frame::Unit;

use crate::logs::names::{NamedColumn, named_column};
use crate::named_unit::unit_of_axis;

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A time, or a part of one: several are added up. The unit, if the name tells it.
    Time(Option<Unit>),
    /// A time of which the name says that it is the beginning or the end of the event. After
    /// [`settled`] there are only times.
    Bound(TimeRole, Option<Unit>),
    /// The latency. The unit, if the name tells it.
    Latency(Option<Unit>),
    /// A value that tells series apart.
    Attribute(String),
    /// Nothing of use.
    Skip,
}

/// Which moment of an event a time is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TimeRole {
    /// When it began.
    Start,
    /// When it ended.
    End,
    /// The name does not say.
    Unnamed,
}

impl Role {
    /// Reads a name such as `time`, `ts`, `latency_us`, `duration (ms)`, `-` or any other word.
    pub(super) fn named(name: &str) -> Role {
        let name = name.trim().trim_matches('"').trim();
        let (base, unit) = base_and_unit(&name.to_lowercase());
        match base.as_str() {
            "time" | "timestamp" | "ts" => Role::Time(unit),
            "end" | "end_time" | "ended" => Role::Bound(TimeRole::End, unit),
            "start" | "start_time" | "started" => Role::Bound(TimeRole::Start, unit),
            "latency" | "lat" | "duration" | "elapsed" => Role::Latency(unit),
            "" | "-" => Role::Skip,
            _ => Role::Attribute(name.to_owned()),
        }
    }
}

impl Role {
    /// The same of a head whose names [`Role::named`] does not know: what they say in a log. `None` where the
    /// names are those of a table of counts and averages, whose rows are no events.
    pub(super) fn all_named_as_in_logs(names: &[String]) -> Option<Vec<Role>> {
        const COUNTS: [&str; 19] = [
            "count", "counts", "calls", "requests", "reqs", "tps", "qps", "rps", "iops", "rate", "throughput", "ops",
            "samples", "hits", "transactions", "events", "operations", "n", "executions",
        ];
        let is_count = |name: &String| COUNTS.iter().any(|count| name.trim().eq_ignore_ascii_case(count));
        let is_summary = |name: &String| named_column(name) == NamedColumn::Summary;
        if names.iter().any(|name| is_count(name) || is_summary(name)) {
            return None;
        }
        let role = |name: &String| match (Role::named(name), named_column(name)) {
            (Role::Attribute(_), NamedColumn::Latency(unit)) => Role::Latency(unit),
            (Role::Attribute(_), NamedColumn::Time { is_end: false }) => Role::Time(None),
            (Role::Attribute(_), NamedColumn::Time { is_end: true }) => Role::Bound(TimeRole::End, None),
            (Role::Attribute(_), NamedColumn::Start) => Role::Bound(TimeRole::Start, None),
            (known, _) => known,
        };
        Some(names.iter().map(role).collect())
    }
}

/// The unit that the name of a column tells: `wait_us`, `Wait (ms)`, `service time, microsec`.
pub(super) fn unit_of_column(name: &str) -> Option<Unit> {
    let name = name.trim().trim_matches('"').trim();
    base_and_unit(&name.to_lowercase()).1.or_else(|| unit_of_axis(name))
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

/// Whether names are those of a time, a latency and others: exactly one of the two each, but the
/// beginning may stand beside the end.
pub(super) fn are_a_header(roles: &[Role]) -> bool {
    let count = |of: fn(&Role) -> bool| roles.iter().filter(|role| of(role)).count();
    let times = count(|role| matches!(role, Role::Time(_)));
    let starts = count(|role| matches!(role, Role::Bound(TimeRole::Start, _)));
    let ends = count(|role| matches!(role, Role::Bound(TimeRole::End, _)));
    times <= 1 && starts <= 1 && ends <= 1 && times + starts + ends > 0 && latencies(roles) == 1
}

/// The same columns with one moment only as their time, and which moment that is: the end where
/// it is named, else what is only called a time, else the beginning.
pub(super) fn settled(roles: Vec<Role>) -> (Vec<Role>, TimeRole) {
    let has = |wanted: TimeRole| {
        roles.iter().any(|role| match role {
            Role::Time(_) => wanted == TimeRole::Unnamed,
            Role::Bound(moment, _) => *moment == wanted,
            _ => false,
        })
    };
    let order = [TimeRole::End, TimeRole::Unnamed, TimeRole::Start];
    let used = order.into_iter().find(|moment| has(*moment)).unwrap_or(TimeRole::Unnamed);
    let settle = |role| match role {
        Role::Time(_) if used != TimeRole::Unnamed => Role::Skip,
        Role::Bound(moment, unit) if moment == used => Role::Time(unit),
        Role::Bound(..) => Role::Skip,
        other => other,
    };
    (roles.into_iter().map(settle).collect(), used)
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
        assert_eq!(Role::named("End_Time"), Role::Bound(TimeRole::End, None));
        assert_eq!(Role::named("start (ms)"), Role::Bound(TimeRole::Start, Some(Unit::Millis)));
        assert_eq!(Role::named("latency (us)"), Role::Latency(Some(Unit::Micros)));
        assert_eq!(Role::named("\"Duration[ns]\""), Role::Latency(Some(Unit::Nanos)));
        assert_eq!(Role::named("elapsed_s"), Role::Latency(Some(Unit::Seconds)));
        assert_eq!(Role::named("-"), Role::Skip);
        assert_eq!(Role::named("Endpoint"), Role::Attribute("Endpoint".into()));
        assert_eq!(Role::named("queue_us"), Role::Attribute("queue_us".into()));
    }

    #[test]
    fn the_end_goes_before_the_beginning() {
        let settle = |names: &[&str]| settled(names.iter().map(|name| Role::named(name)).collect());
        let latency = Role::Latency(None);
        let (roles, moment) = settle(&["start_us", "end", "latency"]);
        assert_eq!(roles, [Role::Skip, Role::Time(None), latency.clone()]);
        assert_eq!(moment, TimeRole::End);
        let (roles, moment) = settle(&["start_us", "latency"]);
        assert_eq!(roles, [Role::Time(Some(Unit::Micros)), latency.clone()]);
        assert_eq!(moment, TimeRole::Start);
        let (roles, moment) = settle(&["start", "time", "latency"]);
        assert_eq!(roles, [Role::Skip, Role::Time(None), latency]);
        assert_eq!(moment, TimeRole::Unnamed);
    }
}
