//! The fields of one line of CSV.

use std::borrow::Cow;

/// Gives the fields of a line, without blanks around them and without their quotes.
pub(super) struct Fields<'a> {
    rest: Option<&'a str>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(line: &'a str) -> Fields<'a> {
        Fields { rest: Some(line) }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.rest?.trim_start();
        if let Some(inside) = rest.strip_prefix('"') {
            let (text, behind) = quoted(inside);
            self.rest = behind.split_once(',').map(|(_, next)| next);
            return Some(text);
        }
        let (field, behind) = match memchr::memchr(b',', rest.as_bytes()) {
            Some(comma) => (&rest[..comma], Some(&rest[comma + 1..])),
            None => (rest, None),
        };
        self.rest = behind;
        Some(Cow::Borrowed(field.trim_end()))
    }
}

/// The text up to the closing quote, and what follows it; two quotes are one of the text.
fn quoted(inside: &str) -> (Cow<'_, str>, &str) {
    let bytes = inside.as_bytes();
    let (mut from, mut doubled) = (0, false);
    while let Some(quote) = memchr::memchr(b'"', &bytes[from..]).map(|at| from + at) {
        if bytes.get(quote + 1) != Some(&b'"') {
            let text = &inside[..quote];
            let text = if doubled { text.replace("\"\"", "\"").into() } else { text.into() };
            return (text, &inside[quote + 1..]);
        }
        (from, doubled) = (quote + 2, true);
    }
    (inside.into(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Vec<String> {
        Fields::of(line).map(Cow::into_owned).collect()
    }

    #[test]
    fn quotes_hold_commas_and_quotes() {
        assert_eq!(fields("1,\"a, \"\"b\"\"\",2"), ["1", "a, \"b\"", "2"]);
        assert_eq!(
            fields("2016_02_13 12:00,     1,log file sync      ,"),
            ["2016_02_13 12:00", "1", "log file sync", ""]
        );
        assert_eq!(fields("\"\",\"\""), ["", ""]);
        assert_eq!(fields("\"never closed, 1"), ["never closed, 1"]);
    }
}
