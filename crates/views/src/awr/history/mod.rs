//! AWR's history as one document: its tables cut to what can be looked at, and what stands out, in words.

mod table;
#[cfg(test)]
mod tests;
mod words;

use isotherm_oracle::awr::history::{Busiest, History, TableKind};
use serde::Serialize;

use self::table::TableJson;
pub use self::table::TooManyIntervals;

/// What the page of AWR's history is made of.
#[derive(Clone, Debug, Serialize)]
pub struct AwrHistoryDocument {
    /// Whether times are in UTC; else they are of the host's clock.
    utc: bool,
    /// What stands out, the incident first.
    sentences: Vec<String>,
    /// From when to when the first sentence is; none if nothing is known.
    busiest_us: Option<(i64, i64)>,
    /// What the reader should know of the input.
    notes: Vec<String>,
    /// What is not drawn, and what would be needed.
    absent: Vec<String>,
    /// What instances are called.
    instances: Vec<String>,
    intervals: Intervals,
    tables: Vec<TableJson>,
    #[serde(skip)]
    classes: Vec<(String, f64)>,
}

/// The intervals, a column for each of their parts.
#[derive(Clone, Debug, Default, Serialize)]
struct Intervals {
    instance: Vec<usize>,
    start_us: Vec<i64>,
    end_us: Vec<i64>,
}

/// What each table is for.
const GRAPHS: [(TableKind, &str); 12] = [
    (TableKind::WaitClasses, "average active sessions with CPU"),
    (TableKind::SystemEvents, "wait events"),
    (TableKind::EventHistograms, "heat maps of latency"),
    (TableKind::TimeModel, "CPU and DB time"),
    (TableKind::SystemStatistics, "IOPS, MB/s, redo and commits of the instance"),
    (TableKind::IoFunctions, "I/O by function"),
    (TableKind::IoFileTypes, "I/O by type of file"),
    (TableKind::IoFiles, "I/O by data file"),
    (TableKind::ServiceStatistics, "services"),
    (TableKind::Sql, "top SQL"),
    (TableKind::Segments, "top segments"),
    (TableKind::Metrics, "metrics"),
];

impl AwrHistoryDocument {
    /// The document of a history. Fails where it has more intervals than a page can show.
    pub fn of(history: &History) -> Result<AwrHistoryDocument, TooManyIntervals> {
        let (tables, shortened) = table::tables(history)?;
        let mut intervals = Intervals::default();
        for interval in &history.intervals {
            intervals.instance.push(interval.instance);
            intervals.start_us.push(interval.start_us);
            intervals.end_us.push(interval.end_us);
        }
        let busiest = Busiest::of(history);
        let busiest = busiest.as_ref();
        let mut notes = words::notes(history, busiest);
        notes.extend(shortened);
        Ok(AwrHistoryDocument {
            utc: history.utc,
            sentences: words::sentences(history, busiest),
            busiest_us: busiest.and_then(|busiest| when(history, busiest)),
            notes,
            absent: absent(history),
            instances: (0..history.instances.len())
                .map(|at| words::instance(history, at))
                .collect(),
            intervals,
            tables,
            classes: history.classes().into_iter().map(|part| (part.name, part.sessions)).collect(),
        })
    }

    /// What stands out, the incident first.
    pub fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// What the reader should know of the input.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What is not drawn, and what would be needed.
    pub fn absent(&self) -> &[String] {
        &self.absent
    }

    /// The average active sessions by wait class over all the time of each instance, the largest first.
    pub fn classes(&self) -> &[(String, f64)] {
        &self.classes
    }
}

/// From when to when the busiest interval is.
fn when(history: &History, busiest: &Busiest) -> Option<(i64, i64)> {
    let interval = history.intervals.get(busiest.interval)?;
    Some((interval.start_us, interval.end_us))
}

fn absent(history: &History) -> Vec<String> {
    let mut absent = table::strange_histograms(history);
    let missing = |kind: TableKind| history.table(kind).is_none_or(|table| table.rows.is_empty());
    let line = |(kind, what): &(TableKind, &str)| {
        let name = kind.name();
        let hint = match kind {
            TableKind::IoFiles => "databases keep it up to 12.2",
            _ => "isotherm awr collect, or sqlplus-script --awr, fetches it",
        };
        format!("{what}: no rows of {name} ({hint})")
    };
    absent.extend(GRAPHS.iter().filter(|(kind, _)| missing(*kind)).map(line));
    absent
}
