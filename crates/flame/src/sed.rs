//! Substitutions as in `os_explain.sed`: the part of sed that renames functions.

use regex::bytes::Regex;

use crate::only::compiled;

/// Commands in order.
#[derive(Clone, Debug, Default)]
pub struct Script {
    commands: Vec<Command>,
    /// Lines that are not understood.
    pub skipped: Vec<SkippedLine>,
}

/// A line of a script that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// The line, from 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

#[derive(Clone, Debug)]
enum Command {
    Substitute { pattern: Regex, by: Vec<u8>, every: bool },
    Delete(Regex),
}

impl Script {
    /// Reads `s/PATTERN/REPLACEMENT/` with any delimiter and the flags g and I, and `/PATTERN/d`;
    /// comments and what a shell needs around them (`sed -e '...'`) are skipped.
    pub fn parse(text: &str) -> Script {
        let mut script = Script::default();
        for (number, line) in (1..).zip(text.lines()) {
            let bare = line.trim().trim_end_matches('\\').trim_end();
            let bare = bare.strip_prefix("-e").unwrap_or(bare).trim_matches(|c| "'\" ".contains(c));
            if bare.is_empty() || bare.starts_with('#') {
                continue;
            }
            if let Some(found) = commands(bare) {
                script.commands.extend(found);
            } else {
                let text = line.trim().to_owned();
                script.skipped.push(SkippedLine { line: number, text });
            }
        }
        script
    }

    /// How many commands there are.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// What becomes of a name; `None` if it is deleted.
    pub fn apply(&self, name: &str) -> Option<String> {
        let mut name = name.as_bytes().to_vec();
        for command in &self.commands {
            match command {
                Command::Delete(pattern) if pattern.is_match(&name) => return None,
                Command::Delete(_) => {}
                Command::Substitute { pattern, by, every } => {
                    // 0 is no limit.
                    let most = usize::from(!every);
                    name = pattern.replacen(&name, most, by.as_slice()).into_owned();
                }
            }
        }
        let name = String::from_utf8_lossy(&name).trim().to_owned();
        (!name.is_empty()).then_some(name)
    }
}

/// The commands of a line, with semicolons between them; `None` if one is not understood.
fn commands(mut text: &str) -> Option<Vec<Command>> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start_matches([' ', '\t', ';']);
        if text.is_empty() {
            return Some(found);
        }
        let (command, rest) = command(text)?;
        found.push(command);
        text = rest;
    }
}

fn command(text: &str) -> Option<(Command, &str)> {
    if let Some(rest) = text.strip_prefix('/') {
        let (pattern, rest) = until(rest, '/')?;
        let rest = rest.strip_prefix('d')?;
        return Some((Command::Delete(compiled(&modern(&pattern)).ok()?), rest));
    }
    let rest = text.strip_prefix('s')?;
    let delimiter =
        rest.chars().next().filter(|c| !c.is_alphanumeric() && !"\\ \n".contains(*c))?;
    let (pattern, rest) = until(&rest[delimiter.len_utf8()..], delimiter)?;
    let (by, rest) = until(rest, delimiter)?;
    let flags_end = rest.find([' ', ';', '\t', '\'', '"']).unwrap_or(rest.len());
    let (flags, rest) = rest.split_at(flags_end);
    if flags.chars().any(|flag| !"gIi".contains(flag)) {
        return None;
    }
    let case = if flags.contains(['I', 'i']) { "(?i)" } else { "" };
    let pattern = compiled(&format!("{case}{}", modern(&pattern))).ok()?;
    let command = Command::Substitute { pattern, by: replacement(&by), every: flags.contains('g') };
    Some((command, rest))
}

/// What stands before a delimiter, and what follows; a delimiter behind a backslash is text.
fn until(text: &str, delimiter: char) -> Option<(String, &str)> {
    let mut taken = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == delimiter {
            return Some((taken, &text[at + letter.len_utf8()..]));
        }
        if letter == '\\' {
            let (_, next) = letters.next()?;
            if next != delimiter {
                taken.push('\\');
            }
            taken.push(next);
        } else {
            taken.push(letter);
        }
    }
    None
}

/// A basic regular expression as the library reads it: a backslash makes `( ) { } + ? |` special
/// there, and ordinary here.
fn modern(basic: &str) -> String {
    let mut made = String::new();
    let mut letters = basic.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(next) if "(){}+?|".contains(next) => made.push(next),
                Some('<' | '>') => made.push_str("\\b"),
                Some(next) => made.extend(['\\', next]),
                None => made.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '+' | '?' | '|' => made.extend(['\\', letter]),
            '*' if made.is_empty() || made.ends_with('^') => made.push_str("\\*"),
            other => made.push(other),
        }
    }
    made
}

/// A replacement as the library reads it: `&` is everything found, `\1` a group.
fn replacement(by: &str) -> Vec<u8> {
    let mut made = String::new();
    let mut letters = by.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '&' => made.push_str("${0}"),
            '$' => made.push_str("$$"),
            '\\' => match letters.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    made.push_str("${");
                    made.push(digit);
                    made.push('}');
                }
                Some(next) => made.push(next),
                None => {}
            },
            other => made.push(other),
        }
    }
    made.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutions_are_those_of_sed() {
        let text = "# comment\ns/qerix/INDEX: /g\n  -e 's|kcb\\(gtcr\\)|& \\1 $1|'\ns/x\\/y/z/;s/foo+/bar/\n/^hide/d\ns/ABC/abc/I\n";
        let script = Script::parse(text);
        assert_eq!((script.len(), &script.skipped), (6, &vec![]));
        for (name, expected) in [
            ("qerixFetch", Some("INDEX: Fetch")),
            ("kcbgtcr", Some("kcbgtcr gtcr $1")),
            ("x/y", Some("z")),
            ("foo+", Some("bar")),
            ("hideme", None),
            ("aBc", Some("abc")),
            ("other", Some("other")),
        ] {
            assert_eq!(script.apply(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let script = Script::parse("s/a/b/w file\ny/abc/def/\ns/a/b/\n");
        assert_eq!(script.len(), 1);
        let lines: Vec<usize> = script.skipped.iter().map(|skipped| skipped.line).collect();
        assert_eq!(lines, [1, 2]);
    }
}
