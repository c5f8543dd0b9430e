//! Blocks of a CSV: a heading with `block`, and `latency_ns` and `time_ns` if they are known.

use isotherm_formats::Line;

use super::block_trace::each_line;
use super::reference::{Lines, Reference, ReferenceError};
use super::totals::ReferenceTotals;

/// Which column has what.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Columns {
    count: usize,
    block: usize,
    latency: Option<usize>,
    time: Option<usize>,
}

/// Whether an input begins with the heading.
pub(super) fn is_headed(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.next().and_then(columns).is_some()
}

fn columns(heading: &[u8]) -> Option<Columns> {
    let text = std::str::from_utf8(heading).ok()?.trim_start_matches('\u{feff}');
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_lowercase()).collect();
    let known = ["block", "latency_ns", "time_ns"];
    if !names.iter().all(|name| known.contains(&name.as_str())) {
        return None;
    }
    let place = |wanted: &str| {
        let mut places = (0..names.len()).filter(|&at| names[at] == wanted);
        places.next().filter(|_| places.next().is_none())
    };
    let (latency, time) = (place("latency_ns"), place("time_ns"));
    let columns = Columns { count: names.len(), block: place("block")?, latency, time };
    // None stands there twice.
    let found = 1 + usize::from(latency.is_some()) + usize::from(time.is_some());
    (found == columns.count).then_some(columns)
}

pub(super) fn read(
    input: Lines<'_>,
    take: &mut dyn FnMut(Reference),
) -> Result<ReferenceTotals, ReferenceError> {
    let mut totals = ReferenceTotals::default();
    let mut heading = None;
    each_line(input, &mut |line| {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        match heading {
            None => heading = Some(columns(line.bytes)),
            Some(None) => {}
            Some(Some(columns)) => match columns.read(line) {
                Ok((reference, latency)) => {
                    totals.read(1, reference.at_ns);
                    if let Some(latency) = latency {
                        totals.timed(1, latency);
                    }
                    take(reference);
                }
                Err(why) => totals.reject(line.place.line, &why),
            },
        }
    })?;
    match heading {
        Some(Some(_)) => Ok(totals),
        _ => Err(ReferenceError::Unrecognised),
    }
}

impl Columns {
    /// A reference and its latency, nanoseconds.
    fn read(self, line: &Line<'_>) -> Result<(Reference, Option<u64>), String> {
        let text = line.text();
        let cells: Vec<&str> = text.split(',').map(str::trim).take(self.count + 1).collect();
        if cells.len() != self.count {
            let (found, expected) = (cells.len(), self.count);
            let more = if found > expected { "more" } else { "fewer" };
            return Err(format!("{more} cells than the {expected} of the heading"));
        }
        let number = |name: &str, at: usize| {
            cells[at].parse::<u64>().map_err(|_| {
                let cell: String = cells[at].chars().take(40).collect();
                format!("{name} '{cell}' is no whole number from 0 to 18446744073709551615")
            })
        };
        let optional = |name: &str, at: Option<usize>| at.map(|at| number(name, at)).transpose();
        let at_ns = optional("time_ns", self.time)?;
        let reference = Reference { block: number("block", self.block)?, at_ns };
        Ok((reference, optional("latency_ns", self.latency)?))
    }
}
