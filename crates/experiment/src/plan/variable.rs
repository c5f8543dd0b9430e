//! What a plan varies: `in-flight=1..256x2`, `update-pct=0,20`.

use std::fmt;
use std::str::FromStr;

use isotherm_load::{Arrival, FileMethod, Job, Pattern, Redo, Spacing};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::PlanError;
use super::amount::{Amount, Kind};
use super::values::{self, Term};

/// Something of a job that can be varied.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// Operations in flight (closed loop).
    InFlight,
    /// Operations per second (open loop).
    Rate,
    /// Most operations in flight of an open loop.
    Slots,
    /// Threads that drive the load.
    Threads,
    /// Share of operations that change what is there, per cent.
    UpdatePct,
    /// The order in which places are visited.
    Pattern,
    /// Files: bytes of one operation.
    Block,
    /// Files: bytes of the working set.
    Size,
    /// Files: how operations are submitted.
    Method,
    /// Files: whether the page cache is passed by.
    Direct,
    /// Files: whether a write ends on stable storage.
    Dsync,
    /// Files: whether buffers lie in huge pages.
    HugePages,
    /// Files: operations handed over at once.
    Chunk,
    /// Databases: schemas.
    Schemas,
    /// Databases: rows of each table.
    Scale,
    /// Databases: rows that one operation visits.
    WorkUnit,
    /// Databases: how much redo an update makes.
    Redo,
}

impl What {
    /// The option of an engine that it is a value of; `None` if it means something to every one.
    pub(super) fn option(self) -> Option<&'static str> {
        match self {
            What::Block => Some("block"),
            What::Size => Some("size"),
            What::Method => Some("method"),
            What::Direct => Some("buffered"),
            What::Dsync => Some("dsync"),
            What::HugePages => Some("small-pages"),
            What::Chunk => Some("chunk"),
            What::Schemas => Some("schemas"),
            What::Scale => Some("scale"),
            What::WorkUnit => Some("work-unit"),
            What::Redo => Some("redo"),
            What::InFlight
            | What::Rate
            | What::Slots
            | What::Threads
            | What::UpdatePct
            | What::Pattern => None,
        }
    }
}

/// A row of the table of what can be varied.
struct Row {
    what: What,
    name: &'static str,
    kind: Kind,
    set: fn(&mut Job, &Amount),
}

/// Bytes of a working set are kept as whole numbers of the plan file.
const MOST_BYTES: u64 = 1 << 50;

/// Everything that can be varied. A new variable is a row here and a word in [`What`].
const ROWS: [Row; 17] = [
    Row {
        what: What::InFlight,
        name: "in-flight",
        kind: Kind::Count { least: 1, most: 65_536 },
        set: |job, amount| {
            if let Arrival::Closed { in_flight, .. } = &mut job.arrival {
                *in_flight = small(amount);
            }
        },
    },
    Row { what: What::Rate, name: "rate", kind: Kind::Rate { most: 1e8 }, set: set_rate },
    Row {
        what: What::Slots,
        name: "slots",
        kind: Kind::Count { least: 1, most: 65_536 },
        set: |job, amount| {
            if let Arrival::Open { slots, .. } = &mut job.arrival {
                *slots = small(amount);
            }
        },
    },
    Row {
        what: What::Threads,
        name: "threads",
        kind: Kind::Count { least: 1, most: 4_096 },
        set: |job, amount| job.threads = Some(small(amount)),
    },
    Row {
        what: What::UpdatePct,
        name: "update-pct",
        kind: Kind::Percent,
        set: |job, amount| job.work.update_pct = number(amount),
    },
    Row {
        what: What::Pattern,
        name: "pattern",
        kind: Kind::Words(&["random", "sequential"]),
        set: |job, amount| {
            let sequential = *amount == Amount::Word("sequential");
            job.work.pattern = if sequential { Pattern::Sequential } else { Pattern::Random };
        },
    },
    Row {
        what: What::Block,
        name: "block",
        kind: Kind::Bytes { least: 512, most: 1 << 30 },
        set: |job, amount| job.file.block = whole(amount),
    },
    Row {
        what: What::Size,
        name: "size",
        kind: Kind::Bytes { least: 512, most: MOST_BYTES },
        set: |job, amount| job.file.size = Some(whole(amount)),
    },
    Row {
        what: What::Method,
        name: "method",
        kind: Kind::Words(&["auto", "uring", "sync"]),
        set: |job, amount| {
            job.file.method = match amount {
                Amount::Word("uring") => FileMethod::Uring,
                Amount::Word("sync") => FileMethod::Sync,
                _ => FileMethod::Auto,
            }
        },
    },
    Row {
        what: What::Direct,
        name: "direct",
        kind: Kind::Words(&["true", "false"]),
        set: |job, amount| job.file.direct = *amount == Amount::Word("true"),
    },
    Row {
        what: What::Dsync,
        name: "dsync",
        kind: Kind::Words(&["true", "false"]),
        set: |job, amount| job.file.dsync = *amount == Amount::Word("true"),
    },
    Row {
        what: What::HugePages,
        name: "huge-pages",
        kind: Kind::Words(&["true", "false"]),
        set: |job, amount| job.file.huge_pages = *amount == Amount::Word("true"),
    },
    Row {
        what: What::Chunk,
        name: "chunk",
        kind: Kind::Count { least: 1, most: 65_536 },
        set: |job, amount| job.file.chunk = Some(small(amount)),
    },
    Row {
        what: What::Schemas,
        name: "schemas",
        kind: Kind::Count { least: 1, most: 10_000 },
        set: |job, amount| job.database.schemas = small(amount),
    },
    Row {
        what: What::Scale,
        name: "scale",
        kind: Kind::Count { least: 1, most: 1_000_000_000_000 },
        set: |job, amount| job.database.scale = whole(amount),
    },
    Row {
        what: What::WorkUnit,
        name: "work-unit",
        kind: Kind::Count { least: 1, most: 1_000_000 },
        set: |job, amount| job.database.work_unit = small(amount),
    },
    Row {
        what: What::Redo,
        name: "redo",
        kind: Kind::Words(&["lite", "heavy"]),
        set: |job, amount| {
            let heavy = *amount == Amount::Word("heavy");
            job.database.redo = if heavy { Redo::Heavy } else { Redo::Lite };
        },
    },
];

/// A job with a rate is an open loop; what the loop is like otherwise stays if it was one.
fn set_rate(job: &mut Job, amount: &Amount) {
    let (spacing, slots) = match job.arrival {
        Arrival::Open { spacing, slots, .. } => (spacing, slots),
        Arrival::Closed { .. } => (Spacing::default(), 1_024),
    };
    job.arrival = Arrival::Open { rate_hz: number(amount), spacing, slots };
}

fn number(amount: &Amount) -> f64 {
    match amount {
        Amount::Number(number) => *number,
        Amount::Word(_) => 0.0,
    }
}

/// The kinds of whole numbers admit only what is exact.
fn whole(amount: &Amount) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float saturates"
    )]
    {
        number(amount) as u64
    }
}

fn small(amount: &Amount) -> u32 {
    u32::try_from(whole(amount)).unwrap_or(u32::MAX)
}

impl What {
    /// What it is called in plans and on command lines.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// What its values are.
    pub fn kind(self) -> Kind {
        self.row().map_or(Kind::Percent, |row| row.kind)
    }

    /// Every name with what is allowed, in words.
    pub fn all() -> impl Iterator<Item = (&'static str, String)> {
        ROWS.iter().map(|row| (row.name, row.kind.allowed()))
    }

    /// Whether it is the load itself: what is raised until a system is saturated.
    pub fn is_load(self) -> bool {
        matches!(self, What::InFlight | What::Rate)
    }

    /// Sets it in a job.
    pub fn set(self, job: &mut Job, amount: &Amount) {
        if let Some(row) = self.row() {
            (row.set)(job, amount);
        }
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.what == self)
    }
}

/// One variable of a plan: what, and which values.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    what: What,
    terms: Vec<Term>,
}

impl Variable {
    /// What is varied.
    pub fn what(&self) -> What {
        self.what
    }

    /// The values, each once.
    pub fn values(&self) -> Result<Vec<Amount>, PlanError> {
        values::expand(self.what.kind(), &self.terms)
            .map_err(|why| PlanError::Variable { text: self.to_string(), why })
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.what.name(), values::text(self.what.kind(), &self.terms))
    }
}

impl FromStr for Variable {
    type Err = PlanError;

    /// Reads `NAME=VALUES`: values with commas, `1..256x2` (times) or `10..100+10` (plus).
    fn from_str(text: &str) -> Result<Variable, PlanError> {
        let refused = |why: String| PlanError::Variable { text: text.to_owned(), why };
        let (name, list) = text.split_once('=').ok_or_else(|| {
            refused("write NAME=VALUES, such as in-flight=1..256x2 or update-pct=0,20".to_owned())
        })?;
        let name = match name.trim() {
            // As the option is called.
            "update" => "update-pct",
            name => name,
        };
        let row = ROWS.iter().find(|row| row.name == name).ok_or_else(|| {
            let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
            refused(format!("'{name}' cannot be varied; one of {} can", names.join(", ")))
        })?;
        let terms = values::read(row.kind, list).map_err(refused)?;
        let variable = Variable { what: row.what, terms };
        variable.values()?;
        Ok(variable)
    }
}

impl Serialize for Variable {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Variable {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Variable, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}
