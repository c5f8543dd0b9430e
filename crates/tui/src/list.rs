//! The list of series: its filter and its chosen line.

use isotherm_frame::{Series, is_hidden};

/// The list as the user left it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct List {
    /// All series, in the order in which they waited when the list was opened.
    pub(super) all: Vec<Series>,
    pub(super) filter: String,
    pub(super) line: usize,
}

impl List {
    pub(super) fn of(all: Vec<Series>) -> List {
        List { all, ..List::default() }
    }

    /// The series that fit the filter.
    pub(super) fn fitting(&self) -> Vec<&Series> {
        self.all.iter().filter(|series| fits(&series.full(), &self.filter)).collect()
    }

    pub(super) fn up(&mut self) {
        self.line = self.line.saturating_sub(1);
    }

    pub(super) fn down(&mut self, lines: usize) {
        self.line = (self.line + 1).min(lines.saturating_sub(1));
    }

    pub(super) fn type_text(&mut self, text: &str) {
        self.filter.extend(text.chars().filter(|c| !is_hidden(*c)));
        self.line = 0;
    }

    pub(super) fn erase(&mut self) {
        self.filter.pop();
        self.line = 0;
    }
}

/// Whether the letters of the filter occur in the name, in their order, in any case.
fn fits(name: &str, filter: &str) -> bool {
    let name = name.to_lowercase();
    let mut rest = name.chars();
    filter.to_lowercase().chars().all(|wanted| rest.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_letters_in_their_order() {
        assert!(fits("log file sync", "lgsy"));
        assert!(fits("db file sequential read", "DB SEQ"));
        assert!(!fits("log file sync", "sl"));
        assert!(fits("anything", ""));
    }
}
