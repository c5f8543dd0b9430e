//! The tables of one look at a database, for people.

use std::io::{self, Write};

use isotherm_analysis::{Activity, ActivityRow, ActivityRows, Dimension};
use isotherm_frame::{shown_name, visible, whole_percent};

use super::words::{dimension_title, samples, sessions, shown_value, wait_age};
use super::{ActivityReport, SampledBy};
use crate::grid::cut;
use crate::narration::two_digits;

/// Writes the tables.
#[derive(Copy, Clone, Debug)]
pub struct ActivityTable {
    /// The number of characters in a line.
    pub width: usize,
    /// The rows of a table, at most.
    pub top: usize,
}

/// One part of this many of the time, or less, is not worth a warning: the first sample comes late.
const LEAST_UNSAMPLED: u64 = 20;
/// Characters of the numbers before a value.
const NUMBERS: usize = 52;

impl ActivityTable {
    /// Writes all of it. Fails only when `out` does.
    pub fn write(
        &self,
        report: &ActivityReport,
        activity: &Activity,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let headline = headline(report);
        writeln!(out, "{}", visible(&headline))?;
        for warning in unsampled(report).iter().chain(&report.warnings) {
            writeln!(out, "⚠ {}", visible(warning))?;
        }
        for table in &report.tables {
            writeln!(out)?;
            self.table(table, activity, out)?;
        }
        Ok(())
    }

    fn table(
        &self,
        table: &ActivityRows,
        activity: &Activity,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let title = dimension_title(table.by);
        writeln!(out, " active  ±error    now  share  most  sess  longest  {title}")?;
        let blocked = |row: &&ActivityRow| table.by != Dimension::Blocker || !row.value.is_empty();
        let rows: Vec<&ActivityRow> = table.rows.iter().filter(blocked).collect();
        for row in rows.iter().take(self.top) {
            writeln!(out, "{}", self.line(table.by, row, activity))?;
        }
        if rows.is_empty() {
            let none = if table.by == Dimension::Blocker {
                "no session was blocked"
            } else {
                "no session was active"
            };
            writeln!(out, "{:NUMBERS$}{none}", "")?;
        }
        let left = rows.len().saturating_sub(self.top);
        if left > 0 {
            let active: f64 = rows.iter().skip(self.top).map(|row| row.active.mean).sum();
            writeln!(out, "{:>7} {:43} {left} more", sessions(active), "")?;
        }
        Ok(())
    }

    fn line(&self, by: Dimension, row: &ActivityRow, activity: &Activity) -> String {
        let error = row.active.error.map_or_else(|| "-".to_owned(), sessions);
        let (value, text) = shown_value(activity, by, &row.value);
        let text = text.map_or_else(String::new, |text| format!("  {}", visible(&text)));
        let what = format!("{}{text}", shown_name(&value));
        let room = self.width.saturating_sub(NUMBERS).max(10);
        let what = cut(&what, room);
        format!(
            "{:>7} {error:>7} {:>6} {:>6} {:>5} {:>5} {:>8}  {what}",
            sessions(row.active.mean),
            row.now,
            whole_percent(row.share),
            row.most,
            row.sessions,
            wait_age(row.longest)
        )
    }
}

fn headline(report: &ActivityReport) -> String {
    let totals = &report.totals;
    let error = match totals.active.error {
        Some(error) => format!("standard error {}", sessions(error)),
        None => "standard error unknown: one sample".to_owned(),
    };
    let by = if report.sampled_by == SampledBy::Database { " taken by the database" } else { "" };
    format!(
        "{}: {} average active sessions ({error}), {} now, most {}; {}{by} in {}",
        report.source,
        sessions(totals.active.mean),
        totals.now,
        totals.most,
        samples(totals.samples, report.due),
        two_digits(report.length)
    )
}

/// Says how much of the time the averages are of, if it is not all of it.
fn unsampled(report: &ActivityReport) -> Option<String> {
    let (unsampled, sampled) = (report.unsampled(), report.totals.sampled);
    (unsampled.as_nanos() >= report.length.as_nanos() / LEAST_UNSAMPLED).then(|| {
        format!(
            "{} were not sampled: the averages and their errors are of the other {}",
            two_digits(unsampled),
            two_digits(sampled)
        )
    })
}
