//! A run table read back: `runs.jsonl`, one [`Run`] a line.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use isotherm_frame::LogLinear;
use isotherm_load::{Distribution, Ended};
use thiserror::Error;

use crate::Run;

/// The name of a run table within the directory of a sweep.
pub const RUNS: &str = "runs.jsonl";
/// The longest line that is read, bytes; a run has some tens of thousands.
const LONGEST: u64 = 64 << 20;
/// How many rejected lines are kept with their reasons; all are counted.
const MOST_REASONS: usize = 20;
/// The longest reason that is kept, characters.
const LONGEST_REASON: usize = 200;

/// A run table as it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTable {
    /// What could be read, in the order of the file. A run that was cut short and done again is
    /// here twice: see [`RunTable::latest`].
    pub runs: Vec<Run>,
    /// Lines that are no runs; empty lines are not counted.
    pub rejected: u64,
    /// The first of them: the number of the line, counted from 1, and why.
    pub reasons: Vec<(u64, String)>,
    /// Whether the last line was cut off while it was written (it is among the rejected).
    pub torn: bool,
    /// Bytes up to the end of the last line that has one.
    pub whole_bytes: u64,
}

/// Why there is no run table.
#[derive(Debug, Error)]
pub enum TableError {
    /// The directory holds none.
    #[error("{0} has no run table ({RUNS}): give the directory of a sweep, or the file itself")]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot read the run table {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// One line of a file.
enum Line {
    /// Its bytes, and whether its end was there.
    Whole(Vec<u8>, bool),
    /// More than is read.
    TooLong,
}

impl RunTable {
    /// Reads the run table in a directory, or the file itself. A line that is no run is counted
    /// and passed over, whatever it is; only what cannot be read at all is an error.
    pub fn read(path: &Path) -> Result<RunTable, TableError> {
        let file = RunTable::path(path);
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => TableError::Missing(path.to_owned()),
            _ => TableError::Io { path: file.clone(), source },
        };
        let opened = File::open(&file).map_err(failed)?;
        RunTable::read_from(&mut BufReader::new(opened)).map_err(failed)
    }

    /// Where the run table of a directory is; a file is its own.
    pub fn path(path: &Path) -> PathBuf {
        if path.is_dir() { path.join(RUNS) } else { path.to_owned() }
    }

    /// Reads the lines of a run table. Fails only when `input` does.
    pub fn read_from(input: &mut (dyn BufRead + Send)) -> io::Result<RunTable> {
        let mut table = RunTable::default();
        let mut number = 0;
        while let Some((line, bytes)) = next_line(input)? {
            number += 1;
            table.whole_bytes += bytes;
            match line {
                Line::Whole(bytes, _) if bytes.trim_ascii().is_empty() => {}
                Line::Whole(bytes, ended) => table.take(number, &bytes, ended),
                Line::TooLong => {
                    table.reject(number, &format!("longer than {} MiB", LONGEST >> 20));
                }
            }
        }
        Ok(table)
    }

    fn take(&mut self, number: u64, bytes: &[u8], ended: bool) {
        match serde_json::from_slice::<Run>(bytes) {
            Ok(run) if run.format != Run::FORMAT => {
                let found = run.format;
                self.reject(
                    number,
                    &format!("of format {found}; this isotherm reads {}", Run::FORMAT),
                );
            }
            Ok(run) if !run.adds_up() => {
                self.reject(number, "its counts do not add up");
            }
            Ok(run) => self.runs.push(run),
            Err(_) if !ended => {
                self.torn = true;
                self.reject(number, "cut off while it was written");
            }
            Err(error) => self.reject(number, &format!("not a run: {error}")),
        }
    }

    fn reject(&mut self, number: u64, why: &str) {
        self.rejected += 1;
        if self.reasons.len() < MOST_REASONS {
            // A reason may quote what it found.
            self.reasons.push((number, why.chars().take(LONGEST_REASON).collect()));
        }
    }

    /// What was rejected, in words for people; none if nothing was.
    pub fn account(&self) -> Option<String> {
        let (line, why) = self.reasons.first()?;
        let rest = match self.rejected {
            ..=1 => String::new(),
            more => format!(", and {} more", more - 1),
        };
        Some(format!("line {line} of the run table is skipped ({why}){rest}"))
    }

    /// The one run that counts of each point and repeat, by point and then repeat: the last that
    /// came to its end, or if none did the last of all (cut short or failed).
    pub fn latest(&self) -> Vec<&Run> {
        let mut chosen: BTreeMap<(u32, u32), &Run> = BTreeMap::new();
        for run in &self.runs {
            let kept = chosen.entry((run.point, run.repeat)).or_insert(run);
            if run.is_whole() || !kept.is_whole() {
                *kept = run;
            }
        }
        chosen.into_values().collect()
    }

    /// The runs of [`RunTable::latest`] whose numbers can be used: that came to their end and had
    /// operations that succeeded.
    pub fn usable(&self) -> Vec<&Run> {
        self.latest().into_iter().filter(|run| run.is_usable()).collect()
    }
}

impl Run {
    /// Whether it came to its end by its own limit: not interrupted, not failed.
    pub fn is_whole(&self) -> bool {
        matches!(self.outcome.ended, Ended::Time | Ended::Operations)
    }

    /// Whether its counts are those of a run: each distribution counts in its buckets what it says
    /// it has counted, and all of them together are a number.
    fn adds_up(&self) -> bool {
        let kinds = &self.outcome.kinds;
        let services = || kinds.iter().filter_map(|kind| kind.service.as_ref());
        let touched = || self.outcome.touched.iter().flat_map(|both| [&both.first, &both.again]);
        let responses = || kinds.iter().map(|kind| &kind.response);
        responses().chain(services()).chain(touched()).all(distribution_adds_up)
            && checked_sum(responses().map(|one| one.events)).is_some()
            && checked_sum(services().map(|one| one.events)).is_some()
            && checked_sum(touched().map(|one| one.events)).is_some()
            && checked_sum(kinds.iter().map(|kind| kind.failed)).is_some()
            && checked_sum(kinds.iter().map(|kind| kind.bytes)).is_some()
    }

    /// Whether its numbers can be used: it came to its end and operations succeeded.
    pub fn is_usable(&self) -> bool {
        self.is_whole() && self.outcome.operations() > 0 && self.outcome.measured_s > 0.0
    }
}

/// How many buckets a distribution has.
static BUCKETS: LazyLock<usize> = LazyLock::new(|| LogLinear::new(Distribution::BITS).buckets());

fn distribution_adds_up(distribution: &Distribution) -> bool {
    let inside = |index: u32| usize::try_from(index).is_ok_and(|index| index < *BUCKETS);
    distribution.buckets.iter().all(|&(index, _)| inside(index))
        && checked_sum(distribution.buckets.iter().map(|&(_, count)| count))
            == Some(distribution.events)
}

fn checked_sum(mut counts: impl Iterator<Item = u64>) -> Option<u64> {
    counts.try_fold(0_u64, u64::checked_add)
}

/// The next line of an input without its end, and its bytes if it has an end; `None` after the
/// last.
fn next_line(input: &mut (dyn BufRead + Send)) -> io::Result<Option<(Line, u64)>> {
    let mut bytes = Vec::new();
    let read = (&mut *input).take(LONGEST).read_until(b'\n', &mut bytes)? as u64;
    let ended = bytes.pop_if(|last| *last == b'\n').is_some();
    if read == 0 {
        return Ok(None);
    }
    if ended || read < LONGEST {
        return Ok(Some((Line::Whole(bytes, ended), if ended { read } else { 0 })));
    }
    let more = input.skip_until(b'\n')? as u64;
    Ok(Some((Line::TooLong, read + more)))
}

#[cfg(test)]
mod tests;
