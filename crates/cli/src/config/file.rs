//! Reading the file: TOML, of which every word must be known.

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::settings::{LOOKS, MAPS, Settings};
use super::words::hint;

/// What is wrong with a file, and where.
#[derive(Debug, PartialEq)]
pub struct ConfigError {
    /// The line, counted from 1.
    pub line: usize,
    pub words: String,
}

/// The tables of the file.
const TABLES: [&str; 2] = ["maps", "keys"];

/// Reads the text of a file.
pub fn parse(text: &str) -> Result<Settings, ConfigError> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        fault(text, at, error.message())
    })?;
    let mut settings = Settings::default();
    for (word, value) in in_order(table.get_ref()) {
        let at = word.span().start;
        let set = match (word.get_ref().as_ref(), value.get_ref()) {
            ("maps", DeValue::Table(maps)) => each(text, maps, &mut |word, value| {
                let value = scalar(value)?;
                known(word, &MAPS).and_then(|()| settings.set_map(word, &value))
            })
            .map(Ok),
            ("keys", DeValue::Table(keys)) => each(text, keys, &mut |word, value| {
                let all: Vec<&'static str> = isotherm_tui::words().collect();
                known(word, &all).and_then(|()| settings.set_keys(word, &names(value)?))
            })
            .map(Ok),
            ("maps" | "keys", _) => Ok(Err("must be a table".to_owned())),
            (word, value) => {
                let all = [&LOOKS[..], &TABLES].concat();
                let set = known(word, &all).and_then(|()| scalar(value));
                Ok(set.and_then(|value| settings.set_look(word, &value)))
            }
        };
        set?.map_err(|words| fault(text, at, &format!("{}: {words}", word.get_ref())))?;
    }
    let last = text.len();
    settings.keys.check().map_err(|error| fault(text, last, &format!("[keys]: {error}")))?;
    Ok(settings)
}

/// The words of a table and their values, as they follow each other in the file.
fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut words: Vec<_> = table.iter().collect();
    words.sort_by_key(|(word, _)| word.span().start);
    words
}

/// Sets each word of a table.
fn each(
    text: &str,
    table: &DeTable,
    set: &mut dyn FnMut(&str, &DeValue) -> Result<(), String>,
) -> Result<(), ConfigError> {
    for (word, value) in in_order(table) {
        let done = set(word.get_ref(), value.get_ref());
        let named = |words: String| format!("{}: {words}", word.get_ref());
        done.map_err(|words| fault(text, word.span().start, &named(words)))?;
    }
    Ok(())
}

fn known(word: &str, words: &[&'static str]) -> Result<(), String> {
    if words.contains(&word) {
        return Ok(());
    }
    Err(format!("there is no such setting{}", hint(word, words)))
}

/// A value as it would be typed.
fn scalar(value: &DeValue) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Boolean(value) => Ok(value.to_string()),
        DeValue::Integer(number) => Ok(number.as_str().to_owned()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            Err("must be a text, a number, true or false".to_owned())
        }
    }
}

/// A key, or several.
fn names(value: &DeValue) -> Result<Vec<String>, String> {
    let name = |value: &Spanned<DeValue>| scalar(value.get_ref());
    match value {
        DeValue::Array(keys) if keys.is_empty() => Err("must name a key".to_owned()),
        DeValue::Array(keys) => keys.iter().map(name).collect(),
        one => scalar(one).map(|one| vec![one]),
    }
}

fn fault(text: &str, at: usize, words: &str) -> ConfigError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    ConfigError { line: line.min(text.lines().count().max(1)), words: words.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
# how things look
theme = \"light\"
palette = \"grey\"
ascii = true
utc = true

[maps]
rows = 20
latency = \"100us..1s\"
max-waiting = 2.5

[keys]
next = \"w\"
compare = [\"f12\", \"ctrl-k\"]
";

    fn fault_of(text: &str) -> (usize, String) {
        let error = parse(text).unwrap_err();
        (error.line, error.words)
    }

    #[test]
    fn every_word_is_read() {
        let settings = parse(GOOD).unwrap();
        assert_eq!(
            settings.sets,
            [
                "theme = light",
                "palette = grey",
                "ascii = true",
                "utc = true",
                "maps.rows = 20",
                "maps.latency = 100us..1s",
                "maps.max-waiting = 2.5",
                "keys.next = w (show the next series)",
                "keys.compare = f12 ctrl-k (compare selection or window with the time before or \
                 baseline)",
            ]
        );
        assert!(parse("").unwrap().sets.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let (line, words) = fault_of("utc = true\ntheem = \"dark\"\n");
        assert_eq!(
            (line, words.as_str()),
            (2, "theem: there is no such setting; did you mean 'theme'?")
        );
        let (line, words) = fault_of("[keys]\n\nnxt = \"w\"\n");
        assert_eq!(
            (line, words.as_str()),
            (3, "nxt: there is no such setting; did you mean 'next'?")
        );
        assert_eq!(fault_of("theme = \"pink\"").1, "theme: 'pink' is none of dark, light");
        assert_eq!(fault_of("\nascii = \"yes\"").1, "ascii: 'yes' is neither true nor false");
        assert!(fault_of("[maps]\nrows = 2").1.starts_with("rows: '2' must lie from 3"));
        assert!(fault_of("[maps]\ncolums = 2").1.contains("did you mean 'columns'?"));
        let (line, words) = fault_of("[keys]\nnext = \"m\"\n");
        assert_eq!(line, 2);
        assert!(words.contains("m is the key of next and of mark"), "{words}");
        assert_eq!(fault_of("maps = 3").1, "maps: must be a table");
        assert_eq!(fault_of("utc = true\ntheme = \n").0, 2);
        assert_eq!(fault_of("utc = [true]").1, "utc: must be a text, a number, true or false");
    }
}
