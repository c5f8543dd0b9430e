//! What SQL*Plus prints for one statement: rows, or an error.

use std::collections::VecDeque;

use isotherm_formats::oraclepoll::error_number;

/// An answer being read.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The last rows: when an error follows, they are a line of the statement and a star under
    /// the fault, not data.
    held: VecDeque<String>,
    failure: Vec<String>,
}

/// What SQL*Plus said was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SqlPlusError {
    /// `ORA`, `SP2`, `TNS`: whose number it is; empty if there is none.
    pub(crate) facility: String,
    /// The number.
    pub(crate) code: u32,
    /// What was said, in one line.
    pub(crate) message: String,
}

impl Answer {
    /// Lines repeated before an error.
    const REPEATED: usize = 2;
    /// Lines of an error kept.
    const KEPT: usize = 12;

    /// Takes a line and hands on the rows that are certain.
    pub(crate) fn take(&mut self, line: &str, row: &mut dyn FnMut(&str)) {
        let line = line.trim_end();
        if !self.failure.is_empty() || begins_failure(line) {
            if self.failure.is_empty() {
                self.forget_statement();
            }
            if !line.is_empty() && self.failure.len() < Answer::KEPT {
                self.failure.push(line.to_owned());
            }
            return;
        }
        self.held.push_back(line.to_owned());
        if self.held.len() > Answer::REPEATED {
            self.held.pop_front().iter().for_each(|held| row(held));
        }
    }

    /// Forgets the line of the statement that stands before an error, if one does.
    fn forget_statement(&mut self) {
        if self.held.back().is_some_and(|line| line.trim() == "*") {
            self.held.clear();
        }
    }

    /// Hands on the last rows and tells what went wrong, if anything did.
    pub(crate) fn finish(self, row: &mut dyn FnMut(&str)) -> Option<SqlPlusError> {
        self.held.iter().for_each(|held| row(held));
        if self.failure.is_empty() {
            return None;
        }
        let coded = self.failure.iter().find_map(|line| error_number(line));
        let (facility, code) = coded.unwrap_or_default();
        let said = self.failure.iter().map(|line| line.trim());
        let said: Vec<&str> = said.filter(|line| !line.starts_with("ERROR")).collect();
        let message = if said.is_empty() { self.failure.join(" ") } else { said.join(" ") };
        Some(SqlPlusError { facility: facility.to_owned(), code, message })
    }
}

/// Whether a line is the first of an error. No row of ours begins so.
fn begins_failure(line: &str) -> bool {
    line == "ERROR:" || line.starts_with("ERROR at line ") || error_number(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Vec<String>, Option<SqlPlusError>) {
        let (mut answer, mut rows) = (Answer::default(), Vec::new());
        let mut row = |row: &str| rows.push(row.to_owned());
        text.lines().for_each(|line| answer.take(line, &mut row));
        let failure = answer.finish(&mut row);
        (rows, failure)
    }

    #[test]
    fn rows_are_handed_on_in_order() {
        let (rows, failure) = read("T|1\r\n\nH|1||us|1:2|log file sync  \n.\n");
        assert_eq!(rows, ["T|1", "", "H|1||us|1:2|log file sync", "."]);
        assert_eq!(failure, None);
    }

    #[test]
    fn an_error_is_reported_and_the_repeated_statement_is_no_row() {
        let (rows, failure) = read(
            "T|1\n  from gv$event_histogram_micro h\n       *\nERROR at line 3:\n\
             ORA-00942: table or view does not exist\nHelp: https://docs.oracle.com/ora-00942/\n\n",
        );
        assert_eq!(rows, ["T|1"]);
        let failure = failure.unwrap();
        assert_eq!((failure.facility.as_str(), failure.code), ("ORA", 942));
        assert!(failure.message.starts_with("ORA-00942: table or view does not exist"));
    }

    #[test]
    fn rows_before_a_failure_are_still_rows() {
        let text = "a\nb\nc\nERROR:\nORA-03113: end-of-file on communication channel\n\
                    Process ID: 4711\n";
        let (rows, failure) = read(text);
        assert_eq!(rows, ["a", "b", "c"]);
        let failure = failure.unwrap();
        assert_eq!(failure.code, 3113);
        assert!(failure.message.contains("Process ID: 4711"), "{}", failure.message);
    }

    proptest! {
        #[test]
        fn every_row_comes_out_once_and_in_order(
            rows in prop::collection::vec("[A-Z.]\\|[ -~]{0,20}|", 0..30),
        ) {
            let text = rows.iter().fold(String::new(), |text, row| text + row + "\n");
            let (read, failure) = read(&text);
            let trimmed: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
            prop_assert_eq!(read, trimmed);
            prop_assert!(failure.is_none());
        }

        #[test]
        fn nothing_panics(text in "(ORA-|SP2-|ERROR|\\*|[0-9:]|é|\n|[ -~]){0,40}") {
            let _ = read(&text);
        }
    }
}
