//! Which series are wanted, and which there are when none of them is.

use std::cell::{Cell, RefCell};

use isotherm_frame::Series;

use crate::PipelineError;

/// The most series that are named.
const MOST_NAMED: usize = 8;
/// The most series that are looked at for near names.
const MOST_KEPT: usize = 256;
/// So many letters in a row must be the same for a name to be near.
const LEAST_NEAR: usize = 3;

/// Whether a series contains this text in its name or attributes, in upper or lower case; `*` and
/// `%` stand for any text.
pub fn contains(series: &Series, wanted: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    let (name, wanted) = (series.full().to_lowercase(), wanted.to_lowercase());
    let mut rest = name.as_str();
    wanted.split(['*', '%']).all(|part| {
        let found = rest.find(part).and_then(|at| rest.get(at + part.len()..));
        rest = found.unwrap_or_default();
        found.is_some()
    })
}

/// The most letters in a row that two texts have in common.
fn common(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut longest = 0;
    let mut before = vec![0; other.len() + 1];
    for letter in &one {
        let mut row = vec![0; other.len() + 1];
        for (at, same) in other.iter().enumerate() {
            if letter == same {
                row[at + 1] = before[at] + 1;
                longest = longest.max(row[at + 1]);
            }
        }
        before = row;
    }
    longest
}

/// Lets series pass whose name or attributes contain a text.
#[derive(Debug)]
pub struct SeriesFilter<'a> {
    wanted: Option<&'a str>,
    passed: Cell<bool>,
    /// The names of series that did not pass, each once.
    refused: RefCell<Vec<String>>,
}

impl<'a> SeriesFilter<'a> {
    /// A filter for series with this text; every series passes without one.
    pub fn new(wanted: Option<&'a str>) -> SeriesFilter<'a> {
        SeriesFilter { wanted, passed: Cell::new(false), refused: RefCell::default() }
    }

    /// Whether the series passes.
    pub fn matches(&self, series: &Series) -> bool {
        let passes = contains(series, self.wanted);
        if passes {
            self.passed.set(true);
        } else if !self.passed.get() {
            self.refuse(series);
        }
        passes
    }

    fn refuse(&self, series: &Series) {
        let mut refused = self.refused.borrow_mut();
        if refused.len() <= MOST_KEPT {
            let name = series.to_string();
            if !refused.contains(&name) {
                refused.push(name);
            }
        }
    }

    /// Fails if there were series and none of them passed.
    pub fn some(&self) -> Result<(), PipelineError> {
        self.unmatched().map_or(Ok(()), |text| Err(PipelineError::Request(text)))
    }

    /// The message if there were series and none of them passed.
    pub fn unmatched(&self) -> Option<String> {
        let (refused, wanted) = (self.refused.borrow(), self.wanted?);
        if self.passed.get() || refused.is_empty() {
            return None;
        }
        let near = suggestion(wanted, &refused);
        Some(format!("--series {wanted}: no series contains this text. {near}"))
    }
}

/// The names that have much in common with what is wanted, the nearest first. `*` and `%` stand for
/// any text: what lies between them is looked for piece by piece.
fn near(wanted: &str, names: &[String]) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let pieces: Vec<&str> = wanted.split(['*', '%']).filter(|piece| !piece.is_empty()).collect();
    let letters: usize = pieces.iter().map(|piece| piece.chars().count()).sum();
    let least = LEAST_NEAR.max(letters / 2);
    let same = |name: &str| -> usize { pieces.iter().map(|piece| common(piece, name)).sum() };
    let scored = names.iter().map(|name| (same(&name.to_lowercase()), name));
    let mut near: Vec<(usize, &String)> = scored.filter(|(same, _)| *same >= least).collect();
    near.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    near.into_iter().map(|(_, name)| name.clone()).collect()
}

/// `Near: db file sequential read`, or what there is at all: the end of a message about what is not
/// there.
pub fn suggestion(wanted: &str, names: &[String]) -> String {
    let near = near(wanted, names);
    let (what, all) = if near.is_empty() { ("There are", names) } else { ("Near", &*near) };
    let more = if all.len() > MOST_NAMED { " and more" } else { "" };
    format!("{what}: {}{more}", all[..all.len().min(MOST_NAMED)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_there_are_are_named_where_none_is_wanted() {
        let filter = SeriesFilter::new(Some("typo"));
        for name in ["read", "write", "read"] {
            assert!(!filter.matches(&Series::named(name)));
        }
        let message = filter.unmatched().unwrap();
        assert_eq!(message, "--series typo: no series contains this text. There are: read, write");
        assert!(filter.matches(&Series::named("TYPO")));
        assert_eq!(filter.unmatched(), None);
        assert_eq!(SeriesFilter::new(Some("typo")).unmatched(), None);
    }

    #[test]
    fn near_names_come_first_and_alone() {
        let filter = SeriesFilter::new(Some("sequental"));
        for name in ["log file sync", "db file sequential read", "db file scattered read"] {
            assert!(!filter.matches(&Series::named(name)));
        }
        let message = filter.unmatched().unwrap();
        assert!(message.ends_with("Near: db file sequential read"), "{message}");
    }

    #[test]
    fn a_misspelt_piece_of_a_pattern_has_near_names_too() {
        for wanted in ["db%sequntial", "d*file*sequental*"] {
            let filter = SeriesFilter::new(Some(wanted));
            for name in ["log file sync", "db file sequential read", "enq: TX - contention"] {
                assert!(!filter.matches(&Series::named(name)));
            }
            let message = filter.unmatched().unwrap();
            assert!(message.contains("Near: db file sequential read"), "{message}");
        }
    }

    #[test]
    fn stars_and_per_cent_signs_stand_for_any_text() {
        let read = Series::with_attributes("db file sequential read", [("inst", "1")]);
        for wanted in ["db%sequential", "DB*seq*READ", "%", "file", "*read*inst=1"] {
            assert!(contains(&read, Some(wanted)), "{wanted}");
        }
        for wanted in ["sequential%db", "db%write", "db  file"] {
            assert!(!contains(&read, Some(wanted)), "{wanted}");
        }
    }

    #[test]
    fn of_many_series_some_are_named() {
        let filter = SeriesFilter::new(Some("typo"));
        for number in 0..1_000 {
            filter.matches(&Series::named(format!("s{number}")));
        }
        assert!(filter.unmatched().unwrap().ends_with("s6, s7 and more"));
    }
}
