//! From the lines of files to tables.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::begun::Begun;
use super::fields::Fields;
use super::layout::{Layout, RowMeaning, TableKind};
use super::store::{FileAccount, History, HistoryTable, Instance, Interval, Left, Row};

/// The statistics that graphs are made of; an instance has a thousand, and not all of them are totals.
const STATISTICS: [&str; 11] = [
    "execute count",
    "parse count (hard)",
    "parse count (total)",
    "physical read total IO requests",
    "physical read total bytes",
    "physical write total IO requests",
    "physical write total bytes",
    "redo size",
    "user calls",
    "user commits",
    "user rollbacks",
];
/// More rows than any history that a page could show.
const MOST_ROWS: usize = 20_000_000;

/// Reads one file after the other.
#[derive(Debug, Default)]
pub struct HistoryReader {
    instances: Vec<Instance>,
    intervals: Vec<Interval>,
    known: HashMap<IntervalKey, u32>,
    /// Intervals in which a counter fell.
    fell: HashSet<u32>,
    begun: Begun,
    tables: BTreeMap<TableKind, Growing>,
    files: Vec<FileAccount>,
    rows: usize,
    utc: bool,
    local: bool,
}

/// Instance, start and end.
type IntervalKey = (usize, i64, i64);

/// A table that grows.
#[derive(Debug, Default)]
struct Growing {
    members: Vec<Vec<String>>,
    by_name: HashMap<String, u32>,
    rows: Vec<(Row, RowMeaning)>,
    values: Vec<f64>,
}

/// Why a row is left out.
struct Refusal {
    reason: String,
    /// The cell that is to blame, if it is one.
    cell: Option<String>,
}

impl Refusal {
    fn of(reason: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into(), cell: None }
    }

    fn of_cell(reason: &str, cell: &str) -> Refusal {
        Refusal { reason: reason.to_owned(), cell: Some(cell.to_owned()) }
    }
}

/// What is left out of a file, by reason: how many rows, and the place of the first.
#[derive(Default)]
struct Rejected(BTreeMap<String, (u64, String)>);

impl Rejected {
    fn add(&mut self, refusal: Refusal, line: usize) {
        let place = || match refusal.cell {
            Some(cell) => format!("line {line}: '{cell}'"),
            None => format!("line {line}"),
        };
        self.0.entry(refusal.reason).or_insert_with(|| (0, place())).0 += 1;
    }

    fn into_left(self) -> Vec<Left> {
        let left = |(reason, (rows, place))| Left { rows, reason: format!("{reason} ({place})") };
        self.0.into_iter().map(left).collect()
    }
}

/// The interval that the line before was of.
#[derive(Default)]
struct LastInterval {
    prefix: String,
    index: u32,
}

impl HistoryReader {
    /// Reads a file; one that is no table of AWR's history is named so in its account.
    pub fn read(&mut self, name: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut layout: Option<Layout> = None;
        let mut rejected = Rejected::default();
        let mut last = LastInterval::default();
        let mut file = FileAccount { name: name.to_owned(), kind: None, rows: 0, left: Vec::new() };
        let whole = text.ends_with('\n');
        let mut lines = text.lines().enumerate().peekable();
        while let Some((number, line)) = lines.next() {
            let heads = if line.contains(':') { None } else { Layout::of(line) };
            if let Some(heads) = heads {
                file.kind = Some(heads.kind);
                layout = Some(heads);
                continue;
            }
            let Some(layout) = &layout else { continue };
            // SQL*Plus says how many rows there were.
            if line.trim().is_empty() || line.trim_end().ends_with("rows selected.") {
                continue;
            }
            let cut = lines.peek().is_none() && !whole;
            let row = if cut {
                Err(Refusal::of("the line is cut short"))
            } else {
                self.row(layout, line, &mut last)
            };
            match row {
                Ok(counted) => file.rows += u64::from(counted),
                Err(refusal) => rejected.add(refusal, number + 1),
            }
        }
        file.left = rejected.into_left();
        self.files.push(file);
    }

    /// Takes a row; false where it has no number, as the first snapshot of `PerfSheet4` has none.
    fn row(
        &mut self,
        layout: &Layout,
        line: &str,
        last: &mut LastInterval,
    ) -> Result<bool, Refusal> {
        let fields: Vec<_> = Fields::of(line).collect();
        if fields.len() != layout.fields {
            let reason = format!("not the {} columns that the heads have", layout.fields);
            return Err(Refusal::of(reason));
        }
        let cell = |at: usize| fields.get(at).map_or("", AsRef::as_ref);
        let keys: Vec<Cow<'_, str>> = layout.keys.iter().map(|place| place.key(&cell)).collect();
        let name = keys.first().map_or("", AsRef::as_ref);
        if name.is_empty() {
            return Err(Refusal::of("the row does not say what it is about"));
        }
        if layout.kind == TableKind::SystemStatistics && !STATISTICS.contains(&name) {
            return Ok(true);
        }
        let interval = self.interval(layout, &cell, last)?;
        let mut values = Vec::with_capacity(layout.values.len());
        for at in &layout.values {
            values.push(at.map_or(Ok(f64::NAN), |at| number(cell(at)))?);
        }
        if values.iter().all(|value| value.is_nan()) {
            return Ok(false);
        }
        if layout.kind.is_of_totals() && values.iter().any(|value| *value < 0.0) {
            return Err(self.fallen(layout, interval));
        }
        if self.rows >= MOST_ROWS {
            let reason = format!("more than {MOST_ROWS} rows: give fewer files, or a shorter time");
            return Err(Refusal::of(reason));
        }
        self.rows += 1;
        self.tables.entry(layout.kind).or_default().add(&keys, interval, layout.rows, &values);
        Ok(true)
    }

    /// A total fell. `PerfSheet4` subtracts across restarts, so that all of its interval is worth nothing;
    /// what `awr collect` writes is of one start of the instance.
    fn fallen(&mut self, layout: &Layout, interval: u32) -> Refusal {
        if layout.seconds.is_some() {
            return Refusal::of("a total fell, though the instance was not started anew");
        }
        self.fell.insert(interval);
        Refusal::of("a counter fell: the instance was started anew within the interval")
    }

    /// The interval of a row.
    fn interval<'a>(
        &mut self,
        layout: &Layout,
        cell: &impl Fn(usize) -> &'a str,
        last: &mut LastInterval,
    ) -> Result<u32, Refusal> {
        let seconds = layout.seconds.map_or("", cell);
        let database = layout.database.map_or("", cell);
        let (time, number) = (cell(layout.time), cell(layout.instance));
        let prefix = format!("{time},{seconds},{database},{number}");
        if prefix == last.prefix {
            return Ok(last.index);
        }
        let at_us =
            self.moment(time).ok_or_else(|| Refusal::of_cell("the time cannot be read", time))?;
        let instance = self.instance(database, number);
        let index = if layout.seconds.is_some() {
            let length: Option<f64> = seconds.parse().ok();
            let length = length.filter(|length| *length > 0.0 && *length < 1e9);
            let reason = "the length of the interval cannot be read";
            let length = length.ok_or_else(|| Refusal::of_cell(reason, seconds))?;
            #[expect(clippy::cast_possible_truncation, reason = "at most 1e15")]
            let start_us = at_us - (length * 1e6).round() as i64;
            self.known_interval((instance, start_us, at_us))
        } else {
            let index = self.known_interval((instance, at_us, at_us));
            self.begun.add(instance, at_us, index);
            index
        };
        *last = LastInterval { prefix, index };
        Ok(index)
    }

    fn known_interval(&mut self, key: IntervalKey) -> u32 {
        let next = u32::try_from(self.intervals.len()).unwrap_or(u32::MAX);
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            let (instance, start_us, end_us) = key;
            self.intervals.push(Interval { instance, start_us, end_us });
        }
        index
    }

    fn instance(&mut self, database: &str, number: &str) -> usize {
        let same = |one: &Instance| one.database == database && one.number == number;
        self.instances.iter().position(same).unwrap_or_else(|| {
            self.instances
                .push(Instance { database: database.to_owned(), number: number.to_owned() });
            self.instances.len() - 1
        })
    }

    /// A time as its file says it: UTC ends in `Z`.
    fn moment(&mut self, text: &str) -> Option<i64> {
        let (date, utc) = text.strip_suffix('Z').map_or((text, false), |date| (date, true));
        let (day, clock) = date.split_once([' ', 'T'])?;
        let civil: DateTime = format!("{}T{clock}", day.replace('_', "-")).parse().ok()?;
        let seen = if utc { &mut self.utc } else { &mut self.local };
        *seen = true;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond())
    }

    /// Everything that was read. Fails where times of UTC and of the host's clock would be mixed.
    pub fn finish(mut self) -> Result<History, String> {
        if self.utc && self.local {
            return Err("some of these files have times in UTC and others of the host's clock: report them \
                        apart"
                .to_owned());
        }
        let unknown = self.begun.close(&mut self.intervals, &self.fell);
        let known = Known { intervals: &self.intervals, unknown, fell: self.fell };
        let mut left = Vec::new();
        let mut tables = Vec::new();
        for (kind, growing) in self.tables {
            tables.push(growing.finish(kind, &known, &mut left));
        }
        if !left.is_empty() {
            self.files.push(FileAccount {
                name: "all files".to_owned(),
                kind: None,
                rows: 0,
                left,
            });
        }
        Ok(History {
            instances: self.instances,
            intervals: self.intervals,
            tables,
            files: self.files,
            utc: self.utc,
        })
    }
}

impl Growing {
    fn add(&mut self, keys: &[Cow<'_, str>], interval: u32, rows: RowMeaning, values: &[f64]) {
        let name = keys.join("\u{1f}");
        let next = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        let member = *self.by_name.entry(name).or_insert(next);
        if member == next {
            self.members.push(keys.iter().map(|key| key.clone().into_owned()).collect());
        }
        self.rows.push((Row { member, interval }, rows));
        self.values.extend_from_slice(values);
    }

    /// The table in order, each row once: `top-events` has rows of `system-events` again, and a file may be
    /// given twice. Where all events of an interval are known, its largest are not counted again.
    fn finish(self, kind: TableKind, known: &Known<'_>, left: &mut Vec<Left>) -> HistoryTable {
        let width = kind.values().len();
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|at| self.rows[*at].0);
        let mut table = HistoryTable { kind, members: self.members, ..HistoryTable::empty(kind) };
        let mut counts = [0_u64; REASONS.len()];
        let whole = self.rows.iter().filter(|(_, rows)| *rows != RowMeaning::RatesOfLargest);
        let whole: HashSet<u32> = whole.map(|(row, _)| row.interval).collect();
        for at in order {
            let (row, rows) = self.rows[at];
            if rows == RowMeaning::RatesOfLargest && whole.contains(&row.interval) {
                continue;
            }
            if let Some(reason) = known.why_not(kind, row.interval) {
                counts[reason] += 1;
                continue;
            }
            let scale = if rows.is_rate() { known.seconds(row.interval) } else { 1.0 };
            let values =
                self.values[at * width..(at + 1) * width].iter().map(|value| value * scale);
            if table.rows.last() == Some(&row) {
                let before = &table.values[table.values.len() - width..];
                let same =
                    before.iter().zip(values).all(|(one, other)| one.total_cmp(&other).is_eq());
                counts[DIFFERENT] += u64::from(!same);
                continue;
            }
            table.rows.push(row);
            table.values.extend(values);
        }
        let name = kind.name();
        let rows = counts.into_iter().zip(REASONS).filter(|(rows, _)| *rows > 0);
        left.extend(rows.map(|(rows, reason)| Left { rows, reason: format!("{name}: {reason}") }));
        table.of_largest = !self.rows.is_empty() && whole.is_empty();
        table.forget_members_without_rows();
        table
    }
}

/// Why rows of a table are left out.
const REASONS: [&str; 3] = [
    "of an interval in which a counter fell: the instance was started anew",
    "of an interval of unknown length, or with a snapshot missing before it",
    "there already with other numbers, from another file",
];
const FELL: usize = 0;
const UNKNOWN: usize = 1;
const DIFFERENT: usize = 2;

/// What is known of intervals once all files are read.
struct Known<'a> {
    intervals: &'a [Interval],
    /// Those whose length is not known.
    unknown: HashSet<u32>,
    /// Those in which a counter fell.
    fell: HashSet<u32>,
}

impl Known<'_> {
    /// Why a row of this interval cannot be used, as a place in [`REASONS`].
    fn why_not(&self, kind: TableKind, interval: u32) -> Option<usize> {
        if kind.is_of_totals() && self.fell.contains(&interval) {
            return Some(FELL);
        }
        self.unknown.contains(&interval).then_some(UNKNOWN)
    }

    fn seconds(&self, interval: u32) -> f64 {
        self.intervals.get(interval as usize).map_or(0.0, Interval::seconds)
    }
}

/// A number; NaN for none.
fn number(cell: &str) -> Result<f64, Refusal> {
    if cell.is_empty() {
        return Ok(f64::NAN);
    }
    let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| Refusal::of_cell("a number cannot be read", cell))
}
