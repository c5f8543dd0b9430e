//! The object that `isotherm top --once --format json` writes.

use std::io::{self, Write};

use isotherm_analysis::{Activity, ActivityRow, ActivityRows, WaitAge};
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{dimension_word, shown_value};
use super::{ActivityReport, SampledBy};
use crate::json::{Micros, SchemaVersion, write_json};

/// Active sessions of a database, sampled for a while.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Top")]
pub struct ActivityJson {
    /// The version of this schema.
    pub schema_version: SchemaVersion<1>,
    /// The address of the database, without a password.
    pub source: String,
    /// The first sample, microseconds since 1970 (UTC); null where there was none.
    pub first_us: Option<Micros>,
    /// The last sample, microseconds since 1970 (UTC).
    pub last_us: Option<Micros>,
    /// Samples taken. Every number below is an estimate from them.
    pub samples: usize,
    /// Samples that were due in `length_us`. Where `samples` are fewer, the server answered too late or the
    /// connection was lost.
    pub samples_due: usize,
    /// Samples a second that were to be taken.
    pub samples_per_second: u32,
    /// isotherm: it looked at the sessions; database: the samples are those that the database took itself and kept
    /// (Oracle's active session history).
    pub sampled_by: &'static str,
    /// How many samples are known to be missing: the one before took too long, or the database overwrote them before
    /// they were read. A number of samples and not a time: where few are missing, those beside them stand for
    /// their time.
    pub skipped: u64,
    /// How long samples were taken, microseconds.
    pub length_us: Micros,
    /// The part of `length_us` that no sample stands for, whatever the reason, microseconds: also time without a
    /// connection and time of which the database keeps no samples, which are not in `skipped`. The averages say
    /// nothing of it.
    pub unsampled_us: Micros,
    /// Times that the connection was lost: nothing is known of them.
    pub gaps: usize,
    /// How long it was lost, microseconds, until sampling ended.
    pub gaps_us: Micros,
    /// Average active sessions: those that work or wait, without idle ones and without isotherm's own. Each sample
    /// counts for the time it stands for, half of the way to the samples before and after it.
    pub average_active_sessions: f64,
    /// Its standard error, from successive differences of the samples; null for fewer than two samples.
    pub standard_error: Option<f64>,
    /// The most sessions that were active in one sample.
    pub most_active_sessions: usize,
    /// The sessions that were active in the last sample.
    pub active_sessions_now: usize,
    /// The longest wait in the last sample; null where no session was active.
    pub longest_wait: Option<WaitAgeJson>,
    /// The most sessions in one sample of which the user may not see whether they are active: they are
    /// in no other number.
    pub hidden_sessions: u32,
    /// The mean time that the server took to answer, nanoseconds.
    pub mean_answer_ns: u64,
    /// The same sessions by class, event, statement and so on. The rows of each add up to the total.
    pub by: Vec<ActivityTableJson>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Active sessions by one thing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Table")]
pub struct ActivityTableJson {
    /// class, event, sql, user, program, blocker or session.
    pub dimension: &'static str,
    /// The rows, the most active first.
    pub rows: Vec<ActivityRowJson>,
}

/// The sessions with one value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
pub struct ActivityRowJson {
    /// The value; null for sessions that have none (no statement, not blocked).
    pub value: Option<String>,
    /// Of a statement its text, of a blocker who it is and what it does, of a session its user and program;
    /// null where it is not known.
    pub text: Option<String>,
    /// Average active sessions with this value.
    pub average_active_sessions: f64,
    /// Its standard error; null for fewer than two samples.
    pub standard_error: Option<f64>,
    /// Part of all average active sessions, from 0 to 1.
    pub share: f64,
    /// The number of sessions that had it in any sample.
    pub sessions: usize,
    /// The most sessions that had it in one sample.
    pub most_active_sessions: usize,
    /// The sessions that had it in the last sample.
    pub active_sessions_now: usize,
    /// The longest wait of these; null where there are none.
    pub longest_wait: Option<WaitAgeJson>,
}

/// How long a session has waited for what it waits for, or has been on CPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WaitAge")]
pub struct WaitAgeJson {
    /// At least so long, microseconds.
    pub at_least_us: Micros,
    /// known: the server says so; sampled: samples have found it for so long, it may be longer.
    pub source: &'static str,
}

impl From<WaitAge> for WaitAgeJson {
    fn from(age: WaitAge) -> WaitAgeJson {
        let source = if matches!(age, WaitAge::Known(_)) { "known" } else { "sampled" };
        WaitAgeJson { at_least_us: age.least().into(), source }
    }
}

impl ActivityJson {
    /// The object of a report.
    pub fn new(report: &ActivityReport, activity: &Activity) -> ActivityJson {
        let totals = &report.totals;
        ActivityJson {
            schema_version: SchemaVersion,
            source: report.source.clone(),
            first_us: totals.first.map(Micros::from),
            last_us: totals.last.map(Micros::from),
            samples: totals.samples,
            samples_due: report.due.max(totals.samples),
            samples_per_second: report.hz,
            sampled_by: match report.sampled_by {
                SampledBy::Isotherm => "isotherm",
                SampledBy::Database => "database",
            },
            skipped: report.skipped,
            length_us: report.length.into(),
            unsampled_us: report.unsampled().into(),
            gaps: report.gaps.0,
            gaps_us: report.gaps.1.into(),
            average_active_sessions: totals.active.mean,
            standard_error: totals.active.error,
            most_active_sessions: totals.most,
            active_sessions_now: totals.now,
            longest_wait: totals.longest.map(WaitAgeJson::from),
            hidden_sessions: totals.hidden,
            mean_answer_ns: totals.took_ns,
            by: report.tables.iter().map(|table| of_table(table, activity)).collect(),
            warnings: report.warnings.clone(),
        }
    }

    /// Writes it on one line. Fails only when `out` does.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_json(self, out)
    }
}

fn of_table(table: &ActivityRows, activity: &Activity) -> ActivityTableJson {
    let row = |row: &ActivityRow| ActivityRowJson {
        value: (!row.value.is_empty()).then(|| row.value.to_string()),
        text: shown_value(activity, table.by, &row.value).1,
        average_active_sessions: row.active.mean,
        standard_error: row.active.error,
        share: row.share,
        sessions: row.sessions,
        most_active_sessions: row.most,
        active_sessions_now: row.now,
        longest_wait: row.longest.map(WaitAgeJson::from),
    };
    let rows = table.rows.iter().map(row).collect();
    ActivityTableJson { dimension: dimension_word(table.by), rows }
}
