//! A line taken apart.

use std::borrow::Cow;

use memchr::memmem;

/// What stands between columns.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Semicolon,
    Tab,
    Comma,
    /// Only where a format is known to have it: `|` stands in many texts.
    Pipe,
    /// One or more spaces or tabs. A date and the time of day behind it are one column.
    Blanks,
    /// The same without that exception.
    Words,
}

impl Separator {
    /// In the order in which they are tried: the rarer inside numbers and dates, the earlier.
    pub(crate) const ALL: [Separator; 4] =
        [Separator::Semicolon, Separator::Tab, Separator::Comma, Separator::Blanks];

    /// The byte, where it is a single one.
    pub(crate) fn byte(self) -> Option<u8> {
        match self {
            Separator::Semicolon => Some(b';'),
            Separator::Tab => Some(b'\t'),
            Separator::Comma => Some(b','),
            Separator::Pipe => Some(b'|'),
            Separator::Blanks | Separator::Words => None,
        }
    }
}

/// The columns of one line; kept from line to line so that none is allocated anew.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// Where each begins and ends in the line, without blanks and quotation marks around it.
    ranges: Vec<(usize, usize)>,
    /// Whether any has quotation marks around it.
    has_quoted: bool,
}

impl Fields {
    /// More columns than any table has: the rest of a line is not looked at.
    const MOST: usize = 1_024;

    pub(crate) fn of(line: &[u8], separator: Separator) -> Fields {
        let mut fields = Fields::default();
        fields.split(line, separator);
        fields
    }

    /// Takes a line apart.
    pub(crate) fn split(&mut self, line: &[u8], separator: Separator) {
        self.ranges.clear();
        self.has_quoted = false;
        match separator.byte() {
            Some(byte) => self.split_at(line, byte),
            None => self.split_at_blanks(line, separator == Separator::Blanks),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Column `index` of the line that was taken apart; empty if there is none.
    #[inline]
    pub(crate) fn get<'l>(&self, line: &'l [u8], index: usize) -> &'l [u8] {
        let (start, end) = self.ranges.get(index).copied().unwrap_or_default();
        line.get(start..end).unwrap_or_default()
    }

    /// The text of column `index`: two quotes within quotes are one.
    #[inline]
    pub(crate) fn text<'l>(&self, line: &'l [u8], index: usize) -> Cow<'l, [u8]> {
        if self.has_quoted { self.unquoted(line, index) } else { self.get(line, index).into() }
    }

    fn unquoted<'l>(&self, line: &'l [u8], index: usize) -> Cow<'l, [u8]> {
        let (start, end) = self.ranges.get(index).copied().unwrap_or_default();
        let text = line.get(start..end).unwrap_or_default();
        // No column begins behind a quotation mark that is not its own.
        let is_quoted =
            start > 0 && line.get(start - 1) == Some(&b'"') && line.get(end) == Some(&b'"');
        if !is_quoted || memmem::find(text, b"\"\"").is_none() {
            return text.into();
        }
        let (mut single, mut rest) = (Vec::with_capacity(text.len()), text);
        while let Some(at) = memmem::find(rest, b"\"\"") {
            single.extend_from_slice(&rest[..=at]);
            rest = &rest[at + 2..];
        }
        single.extend_from_slice(rest);
        single.into()
    }

    fn split_at(&mut self, line: &[u8], separator: u8) {
        let mut start = 0;
        let mut quoted = false;
        for at in memchr::memchr2_iter(separator, b'"', line) {
            if line[at] == b'"' {
                quoted = !quoted;
            } else if !quoted {
                self.push(line, start, at);
                start = at + 1;
            }
        }
        self.push(line, start, line.len());
    }

    /// Adds a column without the blanks and the one pair of quotation marks around it.
    fn push(&mut self, line: &[u8], start: usize, end: usize) {
        if self.ranges.len() == Fields::MOST {
            return;
        }
        let text = &line[start..end];
        // Most columns stand between separators as they are.
        let is_bare = |byte: &u8| *byte != b'"' && !byte.is_ascii_whitespace();
        if text.first().is_none_or(is_bare) && text.last().is_none_or(is_bare) {
            return self.ranges.push((start, end));
        }
        let mut start = start + (text.len() - text.trim_ascii_start().len());
        let mut end = start + text.trim_ascii().len();
        if let [b'"', .., b'"'] = &line[start..end] {
            start += 1;
            end -= 1;
            self.has_quoted = true;
        }
        self.ranges.push((start, end));
    }

    /// A date and the time of day after it are one column, though a blank is between them.
    fn split_at_blanks(&mut self, line: &[u8], joins_dates: bool) {
        let mut at = 0;
        while self.ranges.len() < Fields::MOST {
            at += line[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let word = line[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            if word == 0 {
                break;
            }
            let (start, end) = (at, at + word);
            at = end;
            match self.ranges.last_mut() {
                Some((first, last))
                    if joins_dates
                        && is_date(&line[*first..*last]) && is_of_day(&line[start..end]) =>
                {
                    *last = end;
                }
                _ => self.ranges.push((start, end)),
            }
        }
    }
}

fn is_date(word: &[u8]) -> bool {
    matches!(word, [_, _, _, _, b'-', _, _, b'-', _, _])
}

fn is_of_day(word: &[u8]) -> bool {
    matches!(word, [_, _, b':', _, _, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str, separator: Separator) -> Vec<&str> {
        let fields = Fields::of(line.as_bytes(), separator);
        let field = |index| std::str::from_utf8(fields.get(line.as_bytes(), index)).unwrap();
        (0..fields.len()).map(field).collect()
    }

    #[test]
    fn lines_are_taken_apart() {
        assert_eq!(split("  1.5 \t 200  ", Separator::Blanks), ["1.5", "200"]);
        assert_eq!(split("1.5, 200,", Separator::Comma), ["1.5", "200", ""]);
        assert_eq!(split(r#"1;"a;b";"";"#, Separator::Semicolon), ["1", "a;b", "", ""]);
        assert_eq!(split("a\tb c\td", Separator::Tab), ["a", "b c", "d"]);
        assert_eq!(split("", Separator::Blanks), Vec::<&str>::new());
        assert_eq!(split("2026-11-21 05:15:14 7", Separator::Blanks), ["2026-11-21 05:15:14", "7"]);
        assert_eq!(split("2026-11-21 05:15:14 7", Separator::Words), ["2026-11-21", "05:15:14", "7"]);
        assert_eq!(split("\"", Separator::Comma), ["\""]);
    }

    #[test]
    fn a_date_and_a_time_of_day_are_one_column() {
        let line = "x 2026-11-21 05:02:37.123 45 05:02:38";
        let fields = split(line, Separator::Blanks);
        assert_eq!(fields, ["x", "2026-11-21 05:02:37.123", "45", "05:02:38"]);
    }

    #[test]
    fn two_quotes_within_quotes_are_one() {
        let line = br#"1,"b, ""b""",a""b,"","""","x"#;
        let fields = Fields::of(line, Separator::Comma);
        let texts = (0..fields.len()).map(|index| fields.text(line, index).into_owned());
        let texts: Vec<String> = texts.map(|text| String::from_utf8(text).unwrap()).collect();
        assert_eq!(texts, ["1", "b, \"b\"", "a\"\"b", "", "\"", "\"x"]);
    }

    #[test]
    fn columns_beyond_any_table_are_not_kept() {
        assert_eq!(split(&"1 ".repeat(5_000), Separator::Blanks).len(), Fields::MOST);
        assert_eq!(split(&"1,".repeat(5_000), Separator::Comma).len(), Fields::MOST);
        assert_eq!(Fields::of(b"1 2", Separator::Blanks).get(b"1 2", 9), b"");
    }
}
