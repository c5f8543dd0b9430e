//! What a report says.

use schemars::JsonSchema;
use serde::Serialize;

use super::moment::Moment;
use super::number::Printed;
use super::table::At;

/// One AWR or Statspack report: what an instance did between two snapshots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// What wrote it.
    pub kind: ReportKind,
    /// Which database.
    pub database: Database,
    /// Which instance of it, where.
    pub instance: Instance,
    /// The snapshot at which the report begins.
    pub begin: Snapshot,
    /// The snapshot at which it ends.
    pub end: Snapshot,
    /// The time between the two, in seconds.
    pub elapsed: Option<Printed>,
    /// The time all sessions spent in the database, in seconds.
    pub db_time: Option<Printed>,
    /// The load profile, as printed.
    pub load_profile: Vec<Load>,
    /// The events of the top list, most time first; `DB CPU` is one of them.
    pub top_events: Vec<EventLine>,
    /// Wait events of all sessions, of the foreground and of the background.
    pub events: Events,
    /// Wait event histograms, one for each event, rebuilt from percentages.
    pub histograms: Vec<EventHistogram>,
    /// How many tables of histograms the report has, be they readable or not.
    #[serde(skip)]
    pub histogram_tables: usize,
    /// What the rest of the instance did.
    pub activity: Activity,
    /// Whether its end is missing, so that tables may be, too.
    pub cut_off: bool,
    /// What could not be read.
    pub faults: Vec<Fault>,
    /// What was read and needs a word.
    pub remarks: Vec<String>,
}

/// What wrote a report.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReportKind {
    /// The Automatic Workload Repository: awrrpt.sql.
    #[default]
    Awr,
    /// Statspack: spreport.sql.
    Statspack,
}

/// A database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Database {
    /// `DB Name`
    pub name: String,
    /// `DB Id`
    pub id: Option<u64>,
    /// `Unique Name` (12.2+)
    pub unique_name: Option<String>,
    /// `Role`: `PRIMARY`, ... (12.2+)
    pub role: Option<String>,
    /// `Edition` (12.2+)
    pub edition: Option<String>,
    /// `Release`: `19.0.0.0.0`
    pub release: String,
    /// Whether it is a cluster database.
    pub rac: Option<bool>,
    /// Whether it is a container database (12.2+).
    pub cdb: Option<bool>,
    /// The pluggable database the report is about, if it is about one.
    pub container: Option<String>,
}

/// An instance and its host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Instance {
    /// `Instance`
    pub name: String,
    /// `Inst Num`
    pub number: Option<u32>,
    /// `Startup Time` (11g+)
    pub startup: Option<Moment>,
    /// `Host Name`
    pub host: String,
    /// `Platform` (11g+)
    pub platform: Option<String>,
    /// `CPUs`
    pub cpus: Option<u32>,
    /// `Cores`
    pub cores: Option<u32>,
    /// `Sockets`
    pub sockets: Option<u32>,
    /// `Memory (GB)`, in gibibytes.
    pub memory_gib: Option<f64>,
}

/// A snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snapshot {
    /// `Snap Id`
    pub id: Option<u64>,
    /// When.
    pub time: Moment,
    /// How many sessions there were.
    pub sessions: Option<u64>,
}

/// A line of the load profile.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Load {
    /// The name as printed, without the colon: `Redo size (bytes)`, `Redo size`.
    pub name: String,
    /// Per second.
    pub per_second: Option<Printed>,
    /// Per transaction.
    pub per_transaction: Option<Printed>,
    /// Per execution (11g+).
    pub per_exec: Option<Printed>,
    /// Per user call (11g+).
    pub per_call: Option<Printed>,
}

/// Waits for one event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EventLine {
    /// The event; text reports cut names to 26 or 30 characters.
    pub event: String,
    /// How many waits.
    pub waits: Option<u64>,
    /// How far that may be off: above 0 where the report prints it shortened (`1.1M`).
    #[serde(skip_serializing_if = "is_exact")]
    pub waits_half: f64,
    /// Their total, in seconds: the report rounds it to whole ones, in newer top lists to tenths.
    pub total: Option<Printed>,
    /// The average as printed, in seconds: of whole milliseconds up to 12.1.
    pub average: Option<Printed>,
    /// How many of the waits timed out, in percent.
    pub timeouts_percent: Option<f64>,
    /// The share of the database time (foreground) or background time, in percent.
    pub time_percent: Option<f64>,
    /// The wait class, in the top list.
    pub wait_class: Option<String>,
}

/// The tables of wait events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Events {
    /// All sessions: `Wait Events` of 10g and older, `Wait Events (fg and bg)` of Statspack.
    pub all: Vec<EventLine>,
    /// `Foreground Wait Events` (11g+).
    pub foreground: Vec<EventLine>,
    /// `Background Wait Events`.
    pub background: Vec<EventLine>,
}

/// The latencies of the waits of all sessions for one event: counts rebuilt from percentages.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EventHistogram {
    /// The event; text reports cut names to 26 characters.
    pub event: String,
    /// Whether nobody waits for the database during such a wait: the report lists idle events last.
    pub idle: bool,
    /// How many waits the report prints, which may be shortened (`35.9K`).
    pub printed: Printed,
    /// How many waits the buckets hold: the full count where the tables of events print one that
    /// is shortened to the same; otherwise `printed`, which is as exact as it is printed.
    pub waits: u64,
    /// Bounds of the buckets in nanoseconds, one more than counts; the largest number means that
    /// the last bucket has no upper bound.
    pub bounds: Vec<u64>,
    /// Estimated counts; they add up to `waits`.
    pub counts: Vec<u64>,
    /// The time of these very waits in seconds, where the tables of events print it closely
    /// enough.
    pub total: Option<Printed>,
    /// The same however closely it is printed, and where the tables of events count other waits: as
    /// printed if these are a few, else their mean times `waits`.
    pub printed_total: Option<Printed>,
}

/// What the instance did beside waiting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Activity {
    /// `Time Model Statistics`: where sessions spent their time; parts overlap.
    pub time_model: Vec<TimeModel>,
    /// `Instance Activity Stats`
    pub statistics: Vec<Statistic>,
    /// `IOStat by Function summary`
    pub io_functions: Vec<IoFunction>,
}

/// A line of the time model.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TimeModel {
    /// `DB time`, `DB CPU`, `sql execute elapsed time`, ...
    pub name: String,
    /// How long, in seconds.
    pub seconds: Printed,
}

/// A statistic of the instance.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Statistic {
    /// Its name; text reports cut names to 32 characters.
    pub name: String,
    /// How much it grew.
    pub total: u64,
    /// How far that may be off: above 0 where the report prints it shortened.
    #[serde(skip_serializing_if = "is_exact")]
    pub total_half: f64,
    /// The same per second, as printed.
    pub per_second: Option<Printed>,
}

/// What one function of the database read and wrote.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct IoFunction {
    /// `LGWR`, `Buffer Cache Reads`, ..., `TOTAL:`
    pub function: String,
    /// Mebibytes read.
    pub read_mib: Option<Printed>,
    /// Read requests per second.
    pub reads_per_second: Option<Printed>,
    /// Mebibytes read per second.
    pub read_mib_per_second: Option<Printed>,
    /// Mebibytes written.
    pub written_mib: Option<Printed>,
    /// Write requests per second.
    pub writes_per_second: Option<Printed>,
    /// Mebibytes written per second.
    pub written_mib_per_second: Option<Printed>,
    /// How many waits.
    pub waits: Option<Printed>,
    /// Their average in seconds.
    pub average: Option<Printed>,
}

/// Something in a report that could not be read or looks wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// Where.
    pub at: At,
    /// What and why.
    pub text: String,
    /// How many waits are missing for it; 0 when that is unknown or none.
    pub waits: u64,
}

/// Whether a number is printed in full.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_exact(half: &f64) -> bool {
    *half == 0.0
}

impl Report {
    /// A line of the load profile by the beginnings of its names in the versions.
    pub fn load(&self, names: &[&str]) -> Option<&Load> {
        self.load_profile.iter().find(|load| names.contains(&load.name.as_str()))
    }

    /// A line of the time model by its name, in seconds.
    pub fn time_model(&self, name: &str) -> Option<Printed> {
        let line = self.activity.time_model.iter().find(|line| line.name == name)?;
        Some(line.seconds)
    }

    /// A statistic by its name.
    pub fn statistic(&self, name: &str) -> Option<&Statistic> {
        self.activity.statistics.iter().find(|statistic| statistic.name == name)
    }
}
