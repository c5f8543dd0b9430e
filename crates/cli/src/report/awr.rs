//! What a report shows of AWR reports beside their maps: the load of the database, and slow waits.

use isotherm_formats::HEAD;
use isotherm_live::{Address, open_bytes, read_whole};
use isotherm_oracle::awr::{self, NamedReport};
use isotherm_pipeline::Input;

use crate::failure::Failure;
use crate::input;
use crate::oracle_args::OracleArgs;

/// More than any report.
const MOST_BYTES: u64 = 256 << 20;

/// The AWR reports that these inputs are, in the order of time; none if any is something else or cannot be
/// read twice. What is wrong with them was said when their histograms were read.
pub fn read(names: &[String]) -> Result<Vec<NamedReport>, Failure> {
    if names.iter().any(|name| name == "-") {
        return Ok(Vec::new());
    }
    let mut reports = Vec::new();
    for input in input::expand(names, &OracleArgs::default())? {
        match one(&input) {
            Some(report) => reports.push(report),
            // What lies beside reports in a directory.
            None if input.found_in.is_some() => {}
            None => return Ok(Vec::new()),
        }
    }
    reports.sort_by_key(|read| read.report.begin.time.local);
    Ok(reports)
}

fn one(input: &Input) -> Option<NamedReport> {
    let Address::File(path) = &input.address else { return None };
    let head = open_bytes(&input.address).ok()?.head(HEAD).ok()?;
    if !awr::looks_like_one(&head) {
        return None;
    }
    let (bytes, _) = read_whole(&input.address, MOST_BYTES).ok()?;
    let report = awr::parse(&bytes).ok()?;
    let (file, summary) = (path.display().to_string(), report.summary());
    Some(NamedReport { file, slob: None, summary, report })
}
