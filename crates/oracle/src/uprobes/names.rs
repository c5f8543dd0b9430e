//! What numbers stand for, from a text a DBA spools: `select event#, name from v$event_name`.

use std::collections::BTreeMap;

use thiserror::Error;

/// A number and its name, such as a wait event's.
pub type NumberedName = (u32, String);

/// What was read of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamesRead {
    /// The names, by number. Where a number came twice, its first name stands.
    pub names: Vec<NumberedName>,
    /// Lines that are neither empty nor a number and a name: headings, rules, messages.
    pub passed_over: u64,
}

/// Why a text tells no names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NamesError {
    /// There is not a single name in it.
    #[error(
        "no line holds a number and a name{}; wanted is the output of \
         `select event#, name from v$event_name`, as '123|name', CSV or columns",
        example(.0)
    )]
    None(String),
    /// One number has two names.
    #[error("line {line}: {number} is '{second}' here and '{first}' before: two databases?")]
    Contradiction {
        /// Where, from 1.
        line: u64,
        /// The number.
        number: u32,
        /// What it was first.
        first: String,
        /// What it is now.
        second: String,
    },
}

fn example(line: &str) -> String {
    if line.is_empty() { String::new() } else { format!(" (the first line is '{line}')") }
}

/// Reads a text whose lines are a number and a name, separated by `|`, `,`, `;`, tabs or blanks,
/// with or without quotes; everything else is passed over.
pub fn names(text: &[u8]) -> Result<NamesRead, NamesError> {
    let text = String::from_utf8_lossy(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (mut found, mut passed_over) = (BTreeMap::<u32, String>::new(), 0);
    for (line, content) in (1..).zip(text.lines()) {
        match numbered(content) {
            Some((number, name)) => match found.get(&number) {
                Some(first) if *first != name => {
                    let first = first.clone();
                    return Err(NamesError::Contradiction { line, number, first, second: name });
                }
                _ => {
                    found.insert(number, name);
                }
            },
            None => passed_over += u64::from(!content.trim().is_empty()),
        }
    }
    if found.is_empty() {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        return Err(NamesError::None(first.chars().take(60).collect()));
    }
    Ok(NamesRead { names: found.into_iter().collect(), passed_over })
}

/// A number, a separator and a name. A further column, as of `select *`, is not part of a name
/// only where the separator tells: behind a `|`, a `;` or a tab, or outside quotes.
fn numbered(line: &str) -> Option<NumberedName> {
    let line = line.trim();
    let digits = line.trim_start_matches('"');
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = digits.split_at_checked(end)?;
    let rest = rest.strip_prefix('"').unwrap_or(rest).trim_start_matches(' ');
    let separator = rest.chars().next().filter(|c| "|,;\t".contains(*c));
    if separator.is_none() && rest.len() == digits.len() - end {
        // Nothing between number and text: 10g, 2nd.
        return None;
    }
    let rest = separator.and_then(|separator| rest.strip_prefix(separator)).unwrap_or(rest).trim();
    let name = match rest.strip_prefix('"') {
        Some(quoted) => unquoted(quoted)?,
        None => match separator {
            Some(separator @ ('|' | ';' | '\t')) => {
                rest.split(separator).next().unwrap_or(rest).to_owned()
            }
            _ => rest.to_owned(),
        },
    };
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let name = name.trim();
    // `1893 rows selected.` in any language: no name ends like a sentence.
    let is_sentence = separator.is_none() && name.ends_with('.');
    let is_name =
        name.chars().any(char::is_alphabetic) && name.chars().count() <= 200 && !is_sentence;
    Some((number.parse().ok()?, name.to_owned())).filter(|_| is_name)
}

/// A text up to its closing quote; two quotes are one.
fn unquoted(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<NumberedName> {
        names(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).names
    }

    #[test]
    fn every_shape_tells_the_same_names() {
        let wanted = [
            (7, "latch: cache buffers chains".to_owned()),
            (152, "db file sequential read".into()),
        ];
        for text in [
            "152|db file sequential read\n7|latch: cache buffers chains\n",
            "152,db file sequential read\n7,latch: cache buffers chains\n",
            "\"EVENT#\",\"NAME\"\r\n152,\"db file sequential read\"\r\n\"7\",\"latch: cache buffers chains\"\r\n",
            "    EVENT# NAME\n---------- -----------\n       152 db file sequential read\n         7 latch: cache buffers chains   \n\n2 rows selected.\n",
            "152\tdb file sequential read\tUser I/O\n7\tlatch: cache buffers chains\n",
            "\u{feff}152;db file sequential read\n7 ; latch: cache buffers chains",
            "152 | db file sequential read | 3\n7|latch: cache buffers chains\n",
        ] {
            assert_eq!(read(text), wanted, "{text}");
        }
    }

    #[test]
    fn names_may_hold_separators() {
        assert_eq!(
            read("3 enq: TX - row lock, contention"),
            [(3, "enq: TX - row lock, contention".into())]
        );
        assert_eq!(read("3,\"a \"\"quoted\"\", name\""), [(3, "a \"quoted\", name".into())]);
        assert_eq!(read("3|SQL*Net message to client"), [(3, "SQL*Net message to client".into())]);
    }

    #[test]
    fn the_rest_is_counted_and_nothing_is_guessed() {
        let found =
            names(b"SQL> select\n---\n1|one\n4294967296|too big\n2|\n5|17\n10g is old\n").unwrap();
        assert_eq!(found.names, [(1, "one".to_owned())]);
        assert_eq!(found.passed_over, 6);
    }

    #[test]
    fn a_text_without_names_says_what_is_wanted() {
        for text in ["", "ORA-00942: table or view does not exist\n", "\n\n", "no rows selected"] {
            let message = names(text.as_bytes()).expect_err(text).to_string();
            assert!(message.contains("v$event_name"), "{message}");
        }
        let message = names(b"ORA-00942: no\n").expect_err("none").to_string();
        assert!(message.contains("the first line is 'ORA-00942: no'"), "{message}");
    }

    #[test]
    fn one_number_has_one_name() {
        assert_eq!(read("1|one\n1|one\n"), [(1, "one".to_owned())]);
        let message = names(b"1|one\n\n1|uno\n").expect_err("contradiction").to_string();
        assert!(message.starts_with("line 3: 1 is 'uno' here and 'one' before"), "{message}");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = names(&text);
        }

        #[test]
        fn what_is_written_is_read_back(
            all in prop::collection::btree_map(any::<u32>(), "[a-z][a-zA-Z0-9 :*$/()-]{0,30}[a-z]", 1..20),
            separator in prop::sample::select(vec!["|", ",", "\t", " ", ";"]),
        ) {
            let lines = all.iter().map(|(n, name)| format!("{n}{separator}{name}\n"));
            let text = lines.collect::<Vec<_>>().concat();
            let wanted: Vec<NumberedName> = all.into_iter().collect();
            prop_assert_eq!(read(&text), wanted);
        }
    }
}
