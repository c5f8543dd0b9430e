//! Rows that may hold line breaks within quotes.

use std::io::BufRead;

use isotherm_frame::Place;

use crate::{DecodeError, LineReader};

/// After so many bytes a quote that was opened counts as closed.
const LONGEST: usize = 1 << 20;

/// Reads records: a line, or several where a quoted field goes on.
pub(crate) struct Records<'i> {
    lines: LineReader<'i>,
}

impl<'i> Records<'i> {
    pub(crate) fn new(input: &'i mut (dyn BufRead + Send)) -> Records<'i> {
        Records { lines: LineReader::new(input) }
    }

    /// The next record with its place, and whether its line has an end.
    pub(crate) fn next(&mut self) -> Result<Option<(Place, String, bool)>, DecodeError> {
        let Some(first) = self.lines.next_line()? else { return Ok(None) };
        let (place, mut text, mut ended) = (first.place, first.text().into_owned(), first.ended);
        while is_open(&text) && text.len() < LONGEST {
            let Some(line) = self.lines.next_line()? else { break };
            text.push('\n');
            text.push_str(&line.text());
            ended = line.ended;
        }
        Ok(Some((place, text, ended)))
    }
}

fn is_open(text: &str) -> bool {
    // Tables with tabs are not quoted.
    !text.contains('\t') && text.matches('"').count() % 2 == 1
}

/// The fields of a record; quotes are doubled inside quotes.
pub(crate) fn fields(record: &str, separator: char) -> Vec<String> {
    let (mut fields, mut field, mut open) = (Vec::new(), String::new(), false);
    let mut characters = record.chars().peekable();
    let quoted = separator != '\t';
    while let Some(character) = characters.next() {
        match character {
            '"' if open && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' if quoted => open = !open,
            other if other == separator && !open => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_field_holds_separators_line_breaks_and_quotes() {
        assert_eq!(fields("1,\"a, \"\"b\"\"\nc\",2", ','), ["1", "a, \"b\"\nc", "2"]);
        assert_eq!(fields("1\ta \"b\t2", '\t'), ["1", "a \"b", "2"]);
        let mut input: &[u8] = b"1,\"x\ny\",2\n3";
        let mut records = Records::new(&mut input);
        let mut next = || records.next().unwrap().map(|(place, text, ended)| (place.line, text, ended));
        assert_eq!(next(), Some((1, "1,\"x\ny\",2".to_owned(), true)));
        assert_eq!(next(), Some((3, "3".to_owned(), false)));
        assert_eq!(next(), None);
    }
}
