//! The SQL that reads AWR's history. But for [`UTC_NOW`] it is as valid in `PostgreSQL` as in
//! Oracle, and is tested there.

use crate::oracle::pattern::Pattern;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Which wait events; those that are not idle if there are none.
    pub(crate) events: Vec<Pattern>,
    /// Only this database: AWR can hold imported ones.
    pub(crate) database: Option<u64>,
    /// Only these instances; all if there are none.
    pub(crate) instances: Vec<u32>,
}

/// What the views of a release have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Whether snapshots say how far their times are from UTC (11.2.0.2 and later).
    pub(crate) zone: bool,
    /// Whether segments say which container they are of (12.1 and later): their numbers are those of a container.
    pub(crate) containers: bool,
    /// Whether the names of databases and instances may be read.
    pub(crate) names: bool,
    /// A view with bounds in microseconds, should there be one: none is documented.
    pub(crate) micro: Option<String>,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { zone: true, containers: false, names: true, micro: None }
    }
}

/// The view that histograms are read from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct HistogramView<'a> {
    pub(crate) name: &'a str,
    /// The column with the upper bounds of the buckets.
    pub(crate) bound: &'static str,
    /// The unit of these bounds.
    pub(crate) unit: &'static str,
}

impl Layout {
    /// Where histograms are, as finely as the release has them.
    pub(crate) fn histograms(&self) -> HistogramView<'_> {
        match &self.micro {
            Some(name) => HistogramView { name, bound: "wait_time_micro", unit: "us" },
            None => HistogramView {
                name: "dba_hist_event_histogram",
                bound: "wait_time_milli",
                unit: "ms",
            },
        }
    }
}

/// Which snapshots to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Those of one database with numbers from the second to the third.
    Snapshots(u64, u64, u64),
    /// Those that end between two moments, given as SQL expressions in UTC.
    Times(Option<String>, Option<String>),
}

/// The moment now in UTC: the only part of the SQL that `PostgreSQL` does not know.
pub(crate) const UTC_NOW: &str = "cast(sys_extract_utc(systimestamp) as timestamp)";

/// How a time is written, in both databases.
const STAMP: &str = "'YYYY-MM-DD\"T\"HH24:MI:SS.FF3'";

/// Lists the snapshots: `database|number|instances|end`, in order.
pub(crate) fn snapshots(layout: &Layout, wanted: &Selection) -> String {
    let ended = stamp(layout, &format!("max({})", in_utc(layout, "end_interval_time")));
    format!(
        "select s.dbid || '|' || s.snap_id || '|' || count(*) || '|' || {ended} as line\n\
         from dba_hist_snapshot s\n\
         where {}\n\
         group by s.dbid, s.snap_id\n\
         order by s.dbid, s.snap_id",
        conditions(&snapshot_conditions(wanted))
    )
}

/// Reads snapshots as polls, in order.
///
/// The counters of the first snapshot after a start began at zero when the instance started, so a
/// poll of zeros comes before it, if all instances of the snapshot have started since the last.
/// Rows are joined on exactly the snapshot, the database and the instance: a natural join would
/// take the container as well.
pub(crate) fn polls(layout: &Layout, wanted: &Selection, span: &Span) -> String {
    format!(
        "with snap as (\n\
         select s.dbid, s.snap_id, s.instance_number as inst, s.startup_time,\n\
         {ended} as ended, {started} as started,\n\
         case when s.begin_interval_time <= s.startup_time then 1 else 0 end as fresh\n\
         from dba_hist_snapshot s\n\
         where {snapshots}),\n\
         poll as (\n\
         select dbid, snap_id, max(ended) as ended, min(started) as started, min(fresh) as fresh\n\
         from snap group by dbid, snap_id),\n\
         turn as (\n\
         select s.dbid, s.snap_id, s.inst, s.startup_time, p.ended as moment, 1 as counted\n\
         from snap s join poll p on p.dbid = s.dbid and p.snap_id = s.snap_id\n\
         union all\n\
         select s.dbid, s.snap_id, s.inst, s.startup_time, p.started as moment, 0 as counted\n\
         from snap s join poll p on p.dbid = s.dbid and p.snap_id = s.snap_id\n\
         where p.fresh = 1)\n\
         select line from (\n\
         {lines}) lines\n\
         order by dbid, moment, snap_id, part, inst, event, bound",
        ended = in_utc(layout, "end_interval_time"),
        started = in_utc(layout, "startup_time"),
        snapshots = conditions(&span_conditions(layout, wanted, span)),
        lines = lines(layout, wanted, span).join("union all\n"),
    )
}

/// The parts of a poll, in the order in which they stand in it.
fn lines(layout: &Layout, wanted: &Selection, span: &Span) -> [String; 6] {
    let once = |part: u8, line: &str| {
        format!(
            "select distinct t.dbid, t.moment, t.snap_id, {part} as part, 0 as inst, ' ' as event, \
             0 as bound, {line} as line\nfrom turn t\n"
        )
    };
    let database = name(layout, "db_name", "n.dbid = t.dbid");
    let instance = "n.dbid = t.dbid and n.instance_number = t.inst \
                    and n.startup_time = t.startup_time";
    let (version, named) =
        (name(layout, "version", instance), name(layout, "instance_name", instance));
    let startup = format!("to_char(t.startup_time, {STAMP})");
    [
        once(0, &format!("'T|' || {}", stamp(layout, "t.moment"))),
        once(1, &format!("'D|' || t.dbid || '|' || {database}")),
        format!(
            "select t.dbid, t.moment, t.snap_id, 2 as part, t.inst, ' ' as event, 0 as bound, \
             'I|' || t.inst || '|' || {startup} || '|' || {version} || '|' || {named} as line\n\
             from turn t\n"
        ),
        histograms(layout, wanted, span),
        totals(wanted, span),
        once(5, "'.'"),
    ]
}

/// One line for each bucket.
fn histograms(layout: &Layout, wanted: &Selection, span: &Span) -> String {
    let HistogramView { name, bound, unit } = layout.histograms();
    counters(
        (3, name, &format!("h.{bound}")),
        &format!("'||{unit}|' || h.{bound} || ':' || h.wait_count * t.counted"),
        wanted,
        span,
    )
}

/// The exact totals of each event.
fn totals(wanted: &Selection, span: &Span) -> String {
    let line = "'||' || h.total_waits * t.counted || '|' || h.time_waited_micro * t.counted";
    counters((4, "dba_hist_system_event", "0"), line, wanted, span)
}

/// Rows of a view of counters, each as a line that ends with the name of its event.
fn counters(
    (part, view, bound): (u8, &str, &str),
    line: &str,
    wanted: &Selection,
    span: &Span,
) -> String {
    let letter = if part == 3 { 'H' } else { 'S' };
    let mut conditions = vec![events(&wanted.events)];
    // The join says so already; said of the view itself, only its partitions are read.
    if let Span::Snapshots(database, first, last) = span {
        conditions.push(format!("h.dbid = {database}"));
        conditions.push(format!("h.snap_id between {first} and {last}"));
    }
    format!(
        "select t.dbid, t.moment, t.snap_id, {part} as part, t.inst, h.event_name as event, \
         {bound} as bound, '{letter}|' || t.inst || {line} || '|' || h.event_name as line\n\
         from turn t join {view} h\n\
         on h.snap_id = t.snap_id and h.dbid = t.dbid and h.instance_number = t.inst\n\
         where {}\n",
        conditions.join(" and ")
    )
}

/// A name, or nothing where it may not be read.
fn name(layout: &Layout, column: &str, which: &str) -> String {
    if !layout.names {
        return "''".to_owned();
    }
    format!(
        "coalesce((select max(n.{column}) from dba_hist_database_instance n where {which}), '')"
    )
}

/// The events wanted, as a condition.
fn events(patterns: &[Pattern]) -> String {
    if patterns.is_empty() {
        return "h.wait_class <> 'Idle'".to_owned();
    }
    let each: Vec<String> =
        patterns.iter().map(|pattern| pattern.condition("h.event_name")).collect();
    format!("({})", each.join("\nor "))
}

fn snapshot_conditions(wanted: &Selection) -> Vec<String> {
    let database = wanted.database.map(|number| format!("s.dbid = {number}"));
    let instances = match wanted.instances.as_slice() {
        [] => None,
        [only] => Some(format!("s.instance_number = {only}")),
        several => {
            let numbers: Vec<String> = several.iter().map(u32::to_string).collect();
            Some(format!("s.instance_number in ({})", numbers.join(", ")))
        }
    };
    database.into_iter().chain(instances).collect()
}

pub(super) fn span_conditions(layout: &Layout, wanted: &Selection, span: &Span) -> Vec<String> {
    let mut found = snapshot_conditions(wanted);
    match span {
        Span::Snapshots(database, first, last) => {
            found.push(format!("s.dbid = {database}"));
            found.push(format!("s.snap_id between {first} and {last}"));
        }
        Span::Times(since, until) => {
            let ended = in_utc(layout, "end_interval_time");
            found.extend(since.iter().map(|since| format!("{ended} >= {since}")));
            found.extend(until.iter().map(|until| format!("{ended} <= {until}")));
        }
    }
    found
}

fn conditions(all: &[String]) -> String {
    if all.is_empty() { "1 = 1".to_owned() } else { all.join(" and ") }
}

/// A time of a snapshot in UTC, or of an unknown zone if there is no way to tell.
pub(super) fn in_utc(layout: &Layout, column: &str) -> String {
    if layout.zone { format!("s.{column} - s.snap_timezone") } else { format!("s.{column}") }
}

fn stamp(layout: &Layout, moment: &str) -> String {
    let zone = if layout.zone { " || 'Z'" } else { "" };
    format!("to_char({moment}, {STAMP}){zone}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_without_zones_is_not_asked_for_them() {
        let layout = Layout { zone: false, names: false, ..Layout::default() };
        let sql = polls(&layout, &Selection::default(), &Span::Times(None, None));
        assert!(!sql.contains("snap_timezone") && !sql.contains("dba_hist_database_instance"));
        assert!(!sql.contains("|| 'Z'"), "{sql}");
    }
}
