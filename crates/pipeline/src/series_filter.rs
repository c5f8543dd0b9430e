//! Which series are wanted, and which there are when none of them is.

use std::cell::{Cell, RefCell};

use isotherm_frame::Series;

use crate::PipelineError;

/// The most series that are named.
const MOST_NAMED: usize = 8;

/// Whether a series contains this text in its name or attributes, in upper or lower case.
pub fn contains(series: &Series, wanted: Option<&str>) -> bool {
    wanted.is_none_or(|text| series.full().to_lowercase().contains(&text.to_lowercase()))
}

/// Lets series pass whose name or attributes contain a text.
#[derive(Debug)]
pub struct SeriesFilter<'a> {
    wanted: Option<&'a str>,
    passed: Cell<bool>,
    /// The names of series that did not pass, each once, one more than are named at most.
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
        if refused.len() <= MOST_NAMED {
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
        let named = &refused[..refused.len().min(MOST_NAMED)];
        let more = if refused.len() > MOST_NAMED { " and more" } else { "" };
        Some(format!(
            "--series {wanted}: no series contains this text. There are: {}{more}",
            named.join(", ")
        ))
    }
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
    fn of_many_series_some_are_named() {
        let filter = SeriesFilter::new(Some("typo"));
        for number in 0..1_000 {
            filter.matches(&Series::named(format!("s{number}")));
        }
        assert!(filter.unmatched().unwrap().ends_with("s6, s7 and more"));
    }
}
