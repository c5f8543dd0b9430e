//! Whether reports belong on one time axis.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Report, SlobRun, Summary};

/// A report that was read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NamedReport {
    /// The file it was read from.
    pub file: String,
    /// The run of SLOB that it is of; null if its name says none.
    pub slob: Option<SlobRun>,
    /// What is computed from it.
    pub summary: Summary,
    /// All of it.
    pub report: Report,
}

/// What the reader should know of the reports together.
pub fn warnings(reports: &[NamedReport]) -> Vec<String> {
    let mut instances: BTreeMap<String, Vec<&NamedReport>> = BTreeMap::new();
    for read in reports {
        instances.entry(identity(read)).or_default().push(read);
    }
    let mut warnings = Vec::new();
    if instances.len() > 1 {
        let names: Vec<&str> = instances.keys().map(String::as_str).collect();
        warnings.push(format!(
            "the reports are of {} instances: {}; their rows are not one time axis",
            names.len(),
            names.join("; ")
        ));
    }
    warnings.extend(instances.values().flat_map(|reports| overlaps(reports)));
    warnings
}

/// `ORCL (DB id 1344731332), instance 1 (orcl)`
fn identity(read: &NamedReport) -> String {
    let (database, instance) = (&read.report.database, &read.report.instance);
    let id = database.id.map(|id| format!(" (DB id {id})")).unwrap_or_default();
    let number = instance.number.map(|number| format!(" {number}")).unwrap_or_default();
    let container = database.container.as_ref();
    let container = container.map(|name| format!(", container {name}")).unwrap_or_default();
    format!("{}{id}, instance{number} ({}){container}", database.name, instance.name)
}

/// Neighbours in time that share time.
fn overlaps(reports: &[&NamedReport]) -> Vec<String> {
    let overlap = |pair: &[&NamedReport]| {
        let [one, two] = pair else { return None };
        let (end, begin) = (one.report.end.time.local?, two.report.begin.time.local?);
        let (first, second) = (&one.file, &two.file);
        let same = (one.report.begin.id, one.report.end.id)
            == (two.report.begin.id, two.report.end.id)
            && one.report.begin.id.is_some();
        if same {
            return Some(format!("{first} and {second} are reports of the same snapshots"));
        }
        (begin < end).then(|| {
            format!("{first} and {second} overlap in time: what both cover is counted twice")
        })
    };
    reports.windows(2).filter_map(overlap).collect()
}
