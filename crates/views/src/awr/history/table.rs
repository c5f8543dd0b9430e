//! Tables cut to the members that can be told apart in a picture; the others are one member.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use isotherm_frame::visible;
use isotherm_oracle::awr::history::{History, HistoryTable, TableKind};
use serde::{Serialize, Serializer};

/// The metrics of which the page has lines.
const METRICS: [&str; 14] = [
    "Average Active Sessions",
    "Average Synchronous Single-Block Read Latency",
    "Buffer Cache Hit Ratio",
    "Current OS Load",
    "Database CPU Time Ratio",
    "Executions Per Sec",
    "Host CPU Utilization (%)",
    "I/O Megabytes per Second",
    "I/O Requests per Second",
    "Logical Reads Per Sec",
    "Physical Reads Per Sec",
    "Redo Generated Per Sec",
    "SQL Service Response Time",
    "User Transaction Per Sec",
];
/// The statistics of services of which the page has lines.
const SERVICE_STATISTICS: [&str; 4] = ["DB time", "DB CPU", "physical reads", "user commits"];
/// The times of the time model that the page draws.
const TIMES: [&str; 8] = [
    "DB time",
    "DB CPU",
    "background cpu time",
    "background elapsed time",
    "sql execute elapsed time",
    "parse time elapsed",
    "PL/SQL execution elapsed time",
    "hard parse elapsed time",
];

/// One table, its rows by member.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TableJson {
    kind: TableKind,
    keys: &'static [&'static str],
    values: &'static [&'static str],
    members: Vec<Vec<String>>,
    /// How many rows each member has.
    rows: Vec<usize>,
    /// The interval of each row, as the difference from that of the row before.
    interval_steps: Vec<i64>,
    /// A column for each of `values`.
    columns: Vec<Vec<Amount>>,
}

/// A number, or none where it is not known.
#[derive(Copy, Clone, Debug)]
struct Amount(f64);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if !self.0.is_finite() {
            return to.serialize_none();
        }
        if self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
            return to.serialize_i64(self.0 as i64);
        }
        to.serialize_f64(self.0)
    }
}

/// How a table is cut.
struct Cut {
    /// The most members.
    most: usize,
    /// The value that they are ranked by.
    by: usize,
    /// Whether the rest is kept as one member.
    rest: bool,
}

fn cut(kind: TableKind) -> Cut {
    let (most, by, rest) = match kind {
        TableKind::WaitClasses | TableKind::SystemStatistics | TableKind::TimeModel => {
            (64, 0, false)
        }
        TableKind::SystemEvents => (20, 1, true),
        TableKind::EventHistograms => (12, 0, false),
        TableKind::IoFunctions | TableKind::IoFileTypes | TableKind::IoFiles => (20, 0, true),
        TableKind::ServiceStatistics | TableKind::Metrics => (40, 0, false),
        TableKind::Segments | TableKind::Sql => (25, 0, false),
    };
    Cut { most, by, rest }
}

/// The most rows of a page, which takes some 100 bytes for each before it is compressed.
const MOST_ROWS: usize = 500_000;
/// The most buckets of an event: AWR has 32.
const MOST_BUCKETS: usize = 64;

/// A history of which not even one member of each table can be shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TooManyIntervals {
    /// The rows of one member of each table.
    rows: usize,
}

impl fmt::Display for TooManyIntervals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooManyIntervals { rows } = self;
        let most = MOST_ROWS;
        write!(
            f,
            "{rows} rows are more than a page can show, even with one member of each table, and {most} are \
             allowed: give files of a shorter time"
        )
    }
}

impl std::error::Error for TooManyIntervals {}

/// All tables that have rows, and what there is to say where fewer members than usual are shown, so that the rows
/// fit a page.
pub(super) fn tables(
    history: &History,
) -> Result<(Vec<TableJson>, Option<String>), TooManyIntervals> {
    let filled: Vec<&HistoryTable> =
        history.tables.iter().filter(|table| !table.rows.is_empty()).collect();
    let cuts = |divisor: usize| {
        filled.iter().map(move |table| {
            let cut = cut(table.kind);
            (*table, Cut { most: cut.most.div_ceil(divisor), ..cut })
        })
    };
    for divisor in [1, 2, 4, 8, 16, 32, 64] {
        let rows = cuts(divisor).map(|(table, cut)| rows_of(table, &cut, history)).sum::<usize>();
        if rows > MOST_ROWS && divisor < 64 {
            continue;
        }
        if rows > MOST_ROWS {
            return Err(TooManyIntervals { rows });
        }
        let tables =
            cuts(divisor).map(|(table, cut)| TableJson::of(table, &cut, history)).collect();
        let shortened = format!(
            "The history is so long that a page holds only the largest of each table: one of {divisor} of those that \
             it shows of a shorter one."
        );
        return Ok((tables, (divisor > 1).then_some(shortened)));
    }
    Ok((Vec::new(), None))
}

/// How many rows a table has in the page at most.
fn rows_of(table: &HistoryTable, cut: &Cut, history: &History) -> usize {
    let starts = starts(table);
    let chosen = chosen(table, cut, history);
    let rest = if cut.rest { history.intervals.len() } else { 0 };
    chosen.iter().map(|member| starts[*member + 1] - starts[*member]).sum::<usize>() + rest
}

/// How many buckets each event has.
fn buckets_by_event(table: &HistoryTable) -> BTreeMap<&str, usize> {
    let mut buckets: BTreeMap<&str, usize> = BTreeMap::new();
    for keys in &table.members {
        *buckets.entry(keys[0].as_str()).or_default() += 1;
    }
    buckets
}

/// Events with more buckets than AWR has, of which there is no heat map.
pub(super) fn strange_histograms(history: &History) -> Vec<String> {
    let Some(table) = history.table(TableKind::EventHistograms) else { return Vec::new() };
    let strange: Vec<(&str, usize)> = buckets_by_event(table)
        .into_iter()
        .filter(|(_, buckets)| *buckets > MOST_BUCKETS)
        .collect();
    let Some((event, count)) = strange.first() else { return Vec::new() };
    vec![format!(
        "heat maps of {} event(s) with more than {MOST_BUCKETS} buckets, the first of them {} with {count}",
        strange.len(),
        visible(event)
    )]
}

impl TableJson {
    fn of(table: &HistoryTable, cut: &Cut, history: &History) -> TableJson {
        let chosen = chosen(table, cut, history);
        let (starts, wanted) = (starts(table), |member: &usize| is_wanted(table, *member));
        let mut json = TableJson {
            kind: table.kind,
            keys: table.kind.keys(),
            values: table.kind.values(),
            members: Vec::new(),
            rows: Vec::new(),
            interval_steps: Vec::new(),
            columns: vec![Vec::new(); table.kind.values().len()],
        };
        let mut last = 0;
        for member in &chosen {
            let keys = table.members[*member].iter().map(|key| visible(key).into_owned());
            json.members.push(keys.collect());
            let rows = starts[*member]..starts[*member + 1];
            let rows = rows.map(|at| (table.rows[at].interval, table.values_of(at).to_vec()));
            json.push(rows, &mut last);
        }
        let shown: BTreeSet<usize> = chosen.iter().copied().collect();
        let rest: Vec<usize> =
            (0..table.members.len()).filter(|one| !shown.contains(one)).filter(wanted).collect();
        if cut.rest && !rest.is_empty() {
            let mut keys = vec![String::new(); json.keys.len()];
            keys[0] = format!("{} others", rest.len());
            json.members.push(keys);
            json.push(summed(table, &rest, &starts).into_iter(), &mut last);
        }
        json
    }

    fn push(&mut self, rows: impl Iterator<Item = (u32, Vec<f64>)>, last: &mut i64) {
        let before = self.interval_steps.len();
        for (interval, values) in rows {
            self.interval_steps.push(i64::from(interval) - *last);
            *last = i64::from(interval);
            for (column, value) in self.columns.iter_mut().zip(values) {
                column.push(Amount(value));
            }
        }
        self.rows.push(self.interval_steps.len() - before);
    }
}

/// Where the rows of each member begin, then their end.
fn starts(table: &HistoryTable) -> Vec<usize> {
    let mut starts = vec![0; table.members.len() + 1];
    for row in &table.rows {
        starts[row.member as usize + 1] += 1;
    }
    let mut before = 0;
    for start in &mut starts {
        before += *start;
        *start = before;
    }
    starts
}

/// The rows of several members added up, by interval.
fn summed(table: &HistoryTable, members: &[usize], starts: &[usize]) -> BTreeMap<u32, Vec<f64>> {
    let mut sums: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for at in members.iter().flat_map(|member| starts[*member]..starts[*member + 1]) {
        let values = table.values_of(at);
        let sum = sums.entry(table.rows[at].interval).or_insert_with(|| vec![0.0; values.len()]);
        sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sums
}

/// Whether a member can be in a picture: not what idle sessions wait for, a statistic with a line.
fn is_wanted(table: &HistoryTable, member: usize) -> bool {
    let key = |at: usize| table.members[member].get(at).map_or("", String::as_str);
    match table.kind {
        TableKind::SystemEvents | TableKind::EventHistograms => key(1) != "Idle",
        TableKind::Metrics => METRICS.contains(&key(0)),
        TableKind::ServiceStatistics => SERVICE_STATISTICS.contains(&key(1)),
        TableKind::TimeModel => TIMES.contains(&key(0)),
        _ => true,
    }
}

/// The members that are kept, those with the most first.
fn chosen(table: &HistoryTable, cut: &Cut, history: &History) -> Vec<usize> {
    if table.kind == TableKind::EventHistograms {
        return buckets_of(table, &leading_events(table, cut.most, history));
    }
    let sums = table.sums(cut.by);
    let mut members: Vec<usize> =
        (0..table.members.len()).filter(|member| is_wanted(table, *member)).collect();
    members.sort_by(|a, b| {
        sums[*b].total_cmp(&sums[*a]).then_with(|| table.members[*a].cmp(&table.members[*b]))
    });
    members.truncate(cut.most);
    members
}

/// The events with the most time, or waits where their time is not known, that have histograms.
fn leading_events<'a>(table: &'a HistoryTable, most: usize, history: &History) -> Vec<&'a str> {
    let times = history.table(TableKind::SystemEvents);
    let known: BTreeMap<&str, f64> = times.map_or_else(BTreeMap::new, |events| {
        let sums = events.sums(1);
        events.members.iter().map(|keys| keys[0].as_str()).zip(sums).collect()
    });
    let mut events: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let buckets = buckets_by_event(table);
    let sums = table.sums(0);
    for (member, waits) in sums.into_iter().enumerate().filter(|(at, _)| is_wanted(table, *at)) {
        let event = table.members[member][0].as_str();
        let weight = events.entry(event).or_default();
        *weight = (known.get(event).copied().unwrap_or_default(), weight.1 + waits);
    }
    let mut events: Vec<_> = events
        .into_iter()
        .filter(|(event, (_, waits))| *waits > 0.0 && buckets[event] <= MOST_BUCKETS)
        .collect();
    events.sort_by(|(a, one), (b, other)| {
        other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1)).then(a.cmp(b))
    });
    events.into_iter().take(most).map(|(event, _)| event).collect()
}

/// The members of these events, each with its buckets from the shortest on.
fn buckets_of(table: &HistoryTable, events: &[&str]) -> Vec<usize> {
    let bound = |member: &usize| table.members[*member][2].parse::<f64>().unwrap_or(f64::NAN);
    let buckets = |event: &&str| {
        let mut members: Vec<usize> =
            (0..table.members.len()).filter(|at| table.members[*at][0] == **event).collect();
        members.sort_by(|a, b| bound(a).total_cmp(&bound(b)));
        members
    };
    events.iter().flat_map(buckets).collect()
}
