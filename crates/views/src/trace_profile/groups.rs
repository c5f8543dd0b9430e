//! Waits and calls by any grouping.

use isotherm_analysis::outlier_bounds;
use isotherm_oracle::trace::profile::{Group, Groups, Longest, Profile, Tally};

use super::distribution::{SCALE, bars};
use super::sentences::{mean, percent, signed_time, time};
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::{count, counted};

/// What stands for a value that waits and calls of a group do not have.
const NO_VALUE: &str = "(none)";

/// The groups, most time first; at most `top` one by one.
pub(super) fn list(page: &mut Page, profile: &Profile, groups: &Groups, top: usize) {
    page.title(&format!("By {}", groups.by.join(", ")), &remark(profile, groups));
    never_met(page, groups);
    let sorted = groups.by_time();
    let whole = whole_ns(profile, groups);
    let (shown, rest) = sorted.split_at(top.min(sorted.len()));
    let mut rows: Vec<Row> =
        shown.iter().map(|&(values, group)| row(values, group, whole)).collect();
    let mut left = groups.others.tally.clone();
    for (_, group) in rest {
        left.add(&group.tally);
    }
    if left.count > 0 {
        let name = match (rest.len(), groups.others.tally.count) {
            (0, _) => "not kept apart".to_owned(),
            (more, 0) => format!("{} more", count(more as u64)),
            (more, _) => format!("{} more, and what is not kept apart", count(more as u64)),
        };
        rows.push(Row::new(name, values_of(&left, whole)));
    }
    if sorted.len() > 1 {
        rows.push(Row::new("all", values_of(&groups.all(), whole)));
    }
    if rows.is_empty() {
        return;
    }
    let columns =
        [("time", 0), ("%", 0), ("count", 0), ("mean", 2), ("min", 4), ("max", 3), (SCALE, 1)];
    let columns = columns.map(|(title, gives_way)| Column { title, gives_way }).to_vec();
    page.grid(&Grid { title: "", columns, rows });
}

fn remark(profile: &Profile, groups: &Groups) -> String {
    let idle = match (groups.idle, profile.spent.idle_ns()) {
        (true, _) => "% of response time and idle waits together".to_owned(),
        (false, 0) => "% of response time".to_owned(),
        (false, ns) => format!("% of response time; {} of idle waits left out (--idle)", time(ns)),
    };
    let unwanted = match groups.unwanted {
        0 => String::new(),
        unwanted => format!("; {} waits and calls do not match --where", count(unwanted)),
    };
    format!("{}; {idle}{unwanted}", counted(groups.groups.len() as u64, "group"))
}

fn never_met(page: &mut Page, groups: &Groups) {
    for name in groups.never_met().0 {
        page.words(&format!("⚠ no wait and no call has the attribute '{name}'"), false);
    }
}

/// What shares are of.
pub(super) fn whole_ns(profile: &Profile, groups: &Groups) -> u64 {
    let idle = if groups.idle { profile.spent.idle_ns() } else { 0 };
    profile.spent.response_ns().saturating_add(idle)
}

/// The share of some time.
pub(super) fn share(ns: i64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| ns as f64 / whole as f64)
}

fn row(values: &[Option<Box<str>>], group: &Group, whole: u64) -> Row {
    let name: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or(NO_VALUE)).collect();
    let details = outliers(group);
    Row { details, ..Row::new(name.join(", "), values_of(&group.tally, whole)) }
}

fn values_of(tally: &Tally, whole: u64) -> Vec<String> {
    vec![
        signed_time(tally.total_ns),
        percent(share(tally.total_ns, whole)),
        count(tally.count),
        mean(tally.mean_ns()),
        signed_time(tally.min_ns),
        signed_time(tally.max_ns),
        bars(&tally.latencies()),
    ]
}

/// What of a group lies far beyond the rest, and where.
pub(super) struct Outliers {
    /// From how many nanoseconds on.
    pub from_ns: u64,
    /// Where the others end.
    pub others_end_ns: u64,
    /// How many.
    pub count: u64,
}

impl Outliers {
    /// Those of a group, if it has any.
    pub fn of(tally: &Tally) -> Option<Outliers> {
        let latencies = tally.latencies();
        let (from, end) = outlier_bounds(&latencies)?;
        let count = latencies.non_zero().filter(|(bucket, _)| bucket.lo >= from);
        let count = count.map(|(_, count)| count).sum();
        Some(Outliers { from_ns: from.as_nanos(), others_end_ns: end.as_nanos(), count })
    }
}

/// In words what of a group lies far beyond the rest; nothing if nothing does.
pub(super) fn outliers(group: &Group) -> String {
    let Some(found) = Outliers::of(&group.tally) else { return String::new() };
    let longest =
        group.longest.iter().filter(|one| one.ns >= 0 && one.ns.unsigned_abs() >= found.from_ns);
    let places: Vec<String> =
        longest.map(|one| format!("{} at {}", signed_time(one.ns), place(one))).collect();
    format!(
        "{} of {} or more, all others below {}: {}",
        counted(found.count, "outlier"),
        time(found.from_ns),
        time(found.others_end_ns),
        places.join(", ")
    )
}

/// The file, without its directories, and the line.
pub(super) fn place(one: &Longest) -> String {
    let file = one.file.rsplit(['/', '\\']).next().unwrap_or(&one.file);
    format!("{file}:{}", one.line)
}

/// The longest waits.
pub(super) fn longest(page: &mut Page, groups: &Groups) {
    if groups.longest.is_empty() {
        return;
    }
    page.title("Longest waits", "with their lines in the trace");
    let columns = [("time", 0), ("sql", 2), ("call", 3), ("place", 0)];
    let columns = columns.map(|(title, gives_way)| Column { title, gives_way }).to_vec();
    let row = |one: &Longest| {
        let values =
            vec![signed_time(one.ns), one.sql.to_string(), one.call.to_owned(), place(one)];
        Row::new(&*one.event, values)
    };
    page.grid(&Grid { title: "", columns, rows: groups.longest.iter().map(row).collect() });
}
