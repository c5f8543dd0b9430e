//! From the lines of files to tables.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufRead, Read as _};

use isotherm_frame::{MemoryAccount, Unit};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::begun::Begun;
use super::fields::Fields;
use super::growing::{Growing, Known};
use super::layout::{Layout, TableKind};
use super::store::{FileAccount, History, Instance, Interval, Left, Row};

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
/// The longest line, in bytes: no row of any of the tables has it.
const LONGEST: usize = 1 << 20;
/// More instances than any database has.
const MOST_INSTANCES: usize = 1_024;
/// About how many bytes an interval takes; a row besides its values, which are copied once; a member besides its
/// keys, which are kept three times over.
const INTERVAL_BYTES: usize = 128;
const ROW_BYTES: usize = 36;
const MEMBER_BYTES: usize = 200;

/// Reads one file after the other.
#[derive(Debug)]
pub struct HistoryReader {
    instances: Vec<Instance>,
    intervals: Vec<Interval>,
    known: HashMap<IntervalKey, u32>,
    /// Intervals in which a counter fell.
    fell: HashSet<u32>,
    /// The unit in which buckets of an interval end.
    units: HashMap<u32, Unit>,
    begun: Begun,
    tables: BTreeMap<TableKind, Growing>,
    files: Vec<FileAccount>,
    room: MemoryAccount,
    utc: bool,
    local: bool,
}

/// Instance, start and end.
type IntervalKey = (usize, i64, i64);

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
    /// Nothing yet; rows are kept as long as there is room for them.
    pub fn within(room: MemoryAccount) -> HistoryReader {
        HistoryReader {
            instances: Vec::new(),
            intervals: Vec::new(),
            known: HashMap::new(),
            fell: HashSet::new(),
            units: HashMap::new(),
            begun: Begun::default(),
            tables: BTreeMap::new(),
            files: Vec::new(),
            room,
            utc: false,
            local: false,
        }
    }

    /// Reads a file; one that is no table of AWR's history is named so in its account.
    pub fn read(&mut self, name: &str, mut input: impl BufRead) -> io::Result<()> {
        let mut layout: Option<Layout> = None;
        let mut rejected = Rejected::default();
        let mut last = LastInterval::default();
        let mut file = FileAccount { name: name.to_owned(), kind: None, rows: 0, left: Vec::new() };
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let read = (&mut input).take(LONGEST as u64).read_until(b'\n', &mut bytes)?;
            if read == 0 {
                break;
            }
            if read == LONGEST && bytes.last() != Some(&b'\n') {
                rejected.add(Refusal::of("the line is longer than 1 MiB"), number);
                input.skip_until(b'\n')?;
                continue;
            }
            let whole = bytes.last() == Some(&b'\n');
            let text = String::from_utf8_lossy(&bytes);
            let line = text.trim_end_matches(['\r', '\n']);
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
            let row = if whole {
                self.row(layout, line, &mut last)
            } else {
                Err(Refusal::of("the line is cut short"))
            };
            match row {
                Ok(counted) => file.rows += u64::from(counted),
                Err(refusal) => rejected.add(refusal, number),
            }
        }
        file.left = rejected.into_left();
        self.files.push(file);
        Ok(())
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
        let unit = layout.bucket_unit(&cell).map_err(|bound| {
            Refusal::of_cell("no histogram has a bucket that ends there", bound)
        })?;
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
        if let Some(unit) = unit {
            self.check_bucket(unit, interval, &values)?;
        }
        let table = self.tables.entry(layout.kind).or_default();
        let member = table.known(&keys);
        let member_bytes = if member.is_some() { 0 } else { MEMBER_BYTES + 3 * line.len() };
        if !self.room.take(ROW_BYTES + 2 * size_of_val(values.as_slice()) + member_bytes) {
            return Err(Refusal::of(BEYOND_MEMORY));
        }
        let member = member.unwrap_or_else(|| table.new_member(&keys));
        table.rows.push((Row { member, interval }, layout.rows));
        table.values.extend_from_slice(&values);
        Ok(true)
    }

    /// Waits are whole numbers, and the histograms of an interval have one unit.
    fn check_bucket(&mut self, unit: Unit, interval: u32, waits: &[f64]) -> Result<(), Refusal> {
        if let Some(fraction) = waits.iter().find(|waits| waits.fract() != 0.0) {
            return Err(Refusal::of_cell("waits are not a whole number", &fraction.to_string()));
        }
        if *self.units.entry(interval).or_insert(unit) != unit {
            return Err(Refusal::of("there already in buckets of another unit"));
        }
        Ok(())
    }

    /// A total fell. `PerfSheet4` subtracts across restarts, so that all of its interval is worth nothing;
    /// what `awr collect` writes is of one start of the instance.
    fn fallen(&mut self, layout: &Layout, interval: u32) -> Refusal {
        if layout.seconds.is_some() {
            return Refusal::of("a total fell, though the instance was not restarted");
        }
        self.fell.insert(interval);
        Refusal::of("a counter fell: the instance was restarted within the interval")
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
        let instance = self.instance(database, number)?;
        let index = if layout.seconds.is_some() {
            let length: Option<f64> = seconds.parse().ok();
            let length = length.filter(|length| *length > 0.0 && *length < 1e9);
            let reason = "the length of the interval cannot be read";
            let length = length.ok_or_else(|| Refusal::of_cell(reason, seconds))?;
            #[expect(clippy::cast_possible_truncation, reason = "at most 1e15")]
            let start_us = at_us - (length * 1e6).round() as i64;
            self.known_interval((instance, start_us, at_us))?
        } else {
            let index = self.known_interval((instance, at_us, at_us))?;
            self.begun.add(instance, at_us, index);
            let length = layout.length.and_then(|at| cell(at).parse::<f64>().ok());
            if let Some(length) = length.filter(|length| *length > 0.0 && *length < 1e9) {
                #[expect(clippy::cast_possible_truncation, reason = "at most 1e15")]
                self.begun.add_length(index, (length * 1e6).round() as i64);
            }
            index
        };
        *last = LastInterval { prefix, index };
        Ok(index)
    }

    fn known_interval(&mut self, key: IntervalKey) -> Result<u32, Refusal> {
        if let Some(&index) = self.known.get(&key) {
            return Ok(index);
        }
        if !self.room.take(INTERVAL_BYTES) {
            return Err(Refusal::of(BEYOND_MEMORY));
        }
        let index = u32::try_from(self.intervals.len()).unwrap_or(u32::MAX);
        self.known.insert(key, index);
        let (instance, start_us, end_us) = key;
        self.intervals.push(Interval { instance, start_us, end_us });
        Ok(index)
    }

    fn instance(&mut self, database: &str, number: &str) -> Result<usize, Refusal> {
        let same = |one: &Instance| one.database == database && one.number == number;
        if let Some(at) = self.instances.iter().position(same) {
            return Ok(at);
        }
        if self.instances.len() >= MOST_INSTANCES {
            return Err(Refusal::of(format!("more than {MOST_INSTANCES} instances")));
        }
        self.instances.push(Instance { database: database.to_owned(), number: number.to_owned() });
        Ok(self.instances.len() - 1)
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

/// Why rows are left out where there are too many.
const BEYOND_MEMORY: &str =
    "they do not fit into memory: give fewer files or a shorter time, or raise --memory";

/// A number; NaN for none.
fn number(cell: &str) -> Result<f64, Refusal> {
    if cell.is_empty() {
        return Ok(f64::NAN);
    }
    let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| Refusal::of_cell("a number cannot be read", cell))
}
