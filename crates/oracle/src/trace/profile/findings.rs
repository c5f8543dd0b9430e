//! What limits the truth of a profile.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::trace;

/// A reason to read a profile with care.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The server stopped writing at its limit of size.
    SizeLimited,
    /// Database calls and no waits: traced at a level without waits.
    NoWaits,
    /// Records that are damaged.
    Damaged,
    /// No header before the first record.
    BeginsInTheMiddle,
    /// Calls of cursors whose statement is not in the file.
    StatementsMissing,
    /// Nothing says whether times are hundredths of a second or microseconds.
    UnknownUnit,
    /// Times in hundredths of a second.
    Centiseconds,
    /// The clock of the records goes back: several sessions in one file, or a clock that wrapped or was set.
    ClockGoesBack,
    /// Waits say not when they ended.
    NoClock,
    /// The trace began in another file.
    Continued,
    /// The file was removed while it was written, and made again.
    Recreated,
    /// Traces of several instances, whose file and block numbers may be of several databases.
    SeveralInstances,
}

/// How often something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// How often: records, steps back of the clock.
    pub count: u64,
    /// In how many files.
    pub files: u64,
    /// The first of them.
    pub first: Arc<str>,
}

/// A damaged record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: Arc<str>,
    /// Where the record begins, in bytes from the beginning of the file.
    pub byte: u64,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Everything found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    found: BTreeMap<FindingKind, Finding>,
    damage: Vec<Damage>,
}

/// How many damaged records are kept to show.
const MOST_DAMAGE: usize = 10;

impl FindingKind {
    /// A word for programs, which does not change.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::SizeLimited => "size_limited",
            FindingKind::NoWaits => "no_waits",
            FindingKind::Damaged => "damaged",
            FindingKind::BeginsInTheMiddle => "begins_in_the_middle",
            FindingKind::StatementsMissing => "statements_missing",
            FindingKind::UnknownUnit => "unknown_unit",
            FindingKind::Centiseconds => "centiseconds",
            FindingKind::ClockGoesBack => "clock_goes_back",
            FindingKind::NoClock => "no_clock",
            FindingKind::Continued => "continued",
            FindingKind::Recreated => "recreated",
            FindingKind::SeveralInstances => "several_instances",
        }
    }
}

impl Findings {
    /// What was found, worst first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Finding> {
        self.found.values()
    }

    /// What was found of one kind.
    pub fn get(&self, kind: FindingKind) -> Option<&Finding> {
        self.found.get(&kind)
    }

    /// The first damaged records.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    pub(super) fn add(&mut self, kind: FindingKind, count: u64, file: &Arc<str>) {
        let fresh = || Finding { kind, count: 0, files: 1, first: Arc::clone(file) };
        let finding = self.found.entry(kind).or_insert_with(fresh);
        finding.count = finding.count.saturating_add(count);
    }

    /// Says how often something was found in all.
    pub(super) fn put(&mut self, kind: FindingKind, count: usize, file: &Arc<str>) {
        let (count, first) = (count as u64, Arc::clone(file));
        self.found.insert(kind, Finding { kind, count, files: 1, first });
    }

    pub(super) fn add_damage(&mut self, damage: trace::Damage, file: &Arc<str>) {
        self.add(FindingKind::Damaged, 1, file);
        if self.damage.len() < MOST_DAMAGE {
            let trace::Damage { byte, line, why, .. } = damage;
            self.damage.push(Damage { file: Arc::clone(file), byte, line, why });
        }
    }

    pub(super) fn merge(&mut self, other: &Findings) {
        for finding in other.found.values() {
            match self.found.get_mut(&finding.kind) {
                Some(mine) => {
                    mine.count = mine.count.saturating_add(finding.count);
                    mine.files += finding.files;
                }
                None => drop(self.found.insert(finding.kind, finding.clone())),
            }
        }
        let room = MOST_DAMAGE.saturating_sub(self.damage.len());
        self.damage.extend(other.damage.iter().take(room).cloned());
    }
}

impl fmt::Display for Finding {
    /// What it means and what to do about it, in one or two sentences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.files) {
            (FindingKind::SeveralInstances, _) => f.write_str(&self.sentence()),
            (_, 1) => write!(f, "{}: {}", self.first, self.sentence()),
            (_, files) => write!(f, "{} and {} more: {}", self.first, files - 1, self.sentence()),
        }
    }
}

impl Finding {
    fn sentence(&self) -> String {
        let count = self.count;
        match self.kind {
            FindingKind::SizeLimited => "the file reached MAX_DUMP_FILE_SIZE and ends early; \
                 later calls and waits are missing. Trace again with max_dump_file_size = \
                 unlimited."
                .to_owned(),
            FindingKind::NoWaits => "calls and not one WAIT line: traced at a level without \
                 waits, so all waits are in the time not accounted for. Trace with level 8: \
                 dbms_monitor.session_trace_enable(waits => true), or alter session set events \
                 '10046 trace name context forever, level 8'."
                .to_owned(),
            FindingKind::Damaged => format!("{} damaged and left out.", records(count)),
            FindingKind::BeginsInTheMiddle => "no header: the file begins in the middle of a \
                 trace, or was put together by trcsess. What came before is missing."
                .to_owned(),
            FindingKind::StatementsMissing => format!(
                "{} of cursors that were parsed before the trace began; their statements are not \
                 in the file.",
                counted(count, "call")
            ),
            FindingKind::UnknownUnit => unknown_unit(count),
            FindingKind::Centiseconds => "this version writes times in hundredths of a second: \
                 anything shorter than 10ms is 0 or 10ms."
                .to_owned(),
            FindingKind::ClockGoesBack => format!(
                "the clock goes back {}, as where several sessions are in one file, or the clock wrapped or was \
                 set. Which call a wait was part of is uncertain, and so is the time between calls.",
                counted(count, "time")
            ),
            FindingKind::NoClock => "waits do not say when they ended (9i and 10.1); which call \
                 they were part of follows from their order."
                .to_owned(),
            FindingKind::Continued => {
                "the trace began in another file; give that one too for all of it.".to_owned()
            }
            FindingKind::Recreated => {
                "the file was removed while it was written; what came before is missing.".to_owned()
            }
            FindingKind::SeveralInstances => format!(
                "traces of {count} instances: blocks are counted as if they were of one database."
            ),
        }
    }
}

/// Nothing says in which unit a trace is; so many waits are 0.
fn unknown_unit(zeros: u64) -> String {
    let zero = match zeros {
        0 => String::new(),
        1 => "; 1 wait is 0, as 8i writes waits below 10 ms".to_owned(),
        zeros => format!("; {zeros} waits are 0, as 8i writes waits below 10 ms"),
    };
    format!(
        "nothing says which release wrote it: 8i counts hundredths of a second, 9i and 10.1 \
         microseconds{zero}. Microseconds are assumed: use --unit cs for a trace of 8i."
    )
}

fn records(count: u64) -> String {
    format!("{} {}", counted(count, "record"), if count == 1 { "is" } else { "are" })
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
