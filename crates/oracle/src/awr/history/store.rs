//! What was read: intervals, and tables of amounts in them.

/// An instance of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The database's identifier; empty where the file has none.
    pub database: String,
    /// Its number.
    pub number: String,
}

/// The time between two snapshots of an instance, in microseconds since 1970: in UTC, or by the clock
/// of the database's host where the files say no more ([`History::utc`]).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Its place in [`History::instances`].
    pub instance: usize,
    /// When it began.
    pub start_us: i64,
    /// When it ended; later than `start_us`.
    pub end_us: i64,
}

impl Interval {
    /// How long it was.
    pub fn seconds(&self) -> f64 {
        (self.end_us - self.start_us) as f64 / 1e6
    }
}

/// One row of a table: its interval and its member. The values are in [`HistoryTable::values_of`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// What it is about: a place in [`HistoryTable::members`].
    pub member: u32,
    /// A place in [`History::intervals`].
    pub interval: u32,
}

/// One table, its rows by member and interval.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryTable {
    /// Which it is.
    pub kind: super::TableKind,
    /// The keys of each member, as [`super::TableKind::keys`] names them.
    pub members: Vec<Vec<String>>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The values of all rows; NaN where the file has none.
    pub(super) values: Vec<f64>,
    /// Whether it has only the events of each instance with the most time, and CPU among them.
    pub of_largest: bool,
}

impl HistoryTable {
    pub(super) fn empty(kind: super::TableKind) -> HistoryTable {
        let (members, rows, values) = (Vec::new(), Vec::new(), Vec::new());
        HistoryTable { kind, members, rows, values, of_largest: false }
    }

    /// Drops members that no row is of.
    pub(super) fn forget_members_without_rows(&mut self) {
        let mut places = vec![None; self.members.len()];
        let mut members = Vec::new();
        for row in &mut self.rows {
            let Some(place) = places.get_mut(row.member as usize) else { continue };
            let new = *place.get_or_insert_with(|| {
                members.push(std::mem::take(&mut self.members[row.member as usize]));
                u32::try_from(members.len() - 1).unwrap_or(u32::MAX)
            });
            row.member = new;
        }
        self.members = members;
    }

    /// The values of a row, as [`super::TableKind::values`] names them; NaN for one that is not known.
    pub fn values_of(&self, row: usize) -> &[f64] {
        let width = self.kind.values().len();
        self.values.get(row * width..(row + 1) * width).unwrap_or_default()
    }

    /// The sum of a value of each member over all rows; what is not known adds nothing.
    pub fn sums(&self, value: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.members.len()];
        for (at, row) in self.rows.iter().enumerate() {
            let amount = self.values_of(at).get(value).copied().unwrap_or(f64::NAN);
            if let Some(sum) = sums.get_mut(row.member as usize).filter(|_| amount.is_finite()) {
                *sum += amount;
            }
        }
        sums
    }
}

/// What was left out of a file, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// How many rows.
    pub rows: u64,
    /// Why, with the place of the first.
    pub reason: String,
}

/// What a file was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAccount {
    /// What it is called.
    pub name: String,
    /// Which table; `None` if it is none of AWR's history.
    pub kind: Option<super::TableKind>,
    /// How many rows have numbers.
    pub rows: u64,
    /// What was left out because it could not be read or trusted.
    pub left: Vec<Left>,
}

/// AWR's history, of all files together.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The instances.
    pub instances: Vec<Instance>,
    /// The intervals, in no order.
    pub intervals: Vec<Interval>,
    /// The tables that files were read of, each once.
    pub tables: Vec<HistoryTable>,
    /// What each file was, in the order they were read.
    pub files: Vec<FileAccount>,
    /// Whether times are in UTC; else they are of the host's clock.
    pub utc: bool,
}

impl History {
    /// The table of this kind.
    pub fn table(&self, kind: super::TableKind) -> Option<&HistoryTable> {
        self.tables.iter().find(|table| table.kind == kind)
    }
}
