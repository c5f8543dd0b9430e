//! Sizes and names of source files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The most lines of a file, not counting tests.
const MOST_LINES: usize = 600;
/// The most lines of a function.
const MOST_FUNCTION_LINES: usize = 60;
/// Names that say nothing of a file's subject.
const EMPTY_NAMES: [&str; 9] =
    ["utils", "util", "common", "shared", "helpers", "misc", "manager", "handler", "processor"];

/// What breaks the norms, one line each.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let rooms = ["crates", "tests", "xtask"].map(|rooms| root.join(rooms));
    for file in rooms.iter().map(|rooms| sources(rooms)).collect::<Result<Vec<_>>>()?.concat() {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if EMPTY_NAMES.contains(&stem.as_str()) {
            found.push(format!("{name}: the name says nothing of the subject"));
        }
        if !name.contains("/tests/") && !stem.ends_with("tests") {
            found.extend(sizes(&name, &text));
        }
    }
    Ok(found)
}

/// The source files of a directory and those below it.
pub fn sources(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("fixtures") && !path.ends_with("target") {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// What stands before the tests.
fn code_of(text: &str) -> &str {
    text.split("\n#[cfg(test)]").next().unwrap_or(text)
}

fn sizes(name: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let lines = code.lines().count();
    let mut found = Vec::new();
    if lines > MOST_LINES {
        found.push(format!("{name}: {lines} lines without tests, at most {MOST_LINES}"));
    }
    found.extend(functions(code).filter(|one| one.lines > MOST_FUNCTION_LINES).map(|one| {
        let Function { line, lines, head } = one;
        format!("{name}:{line}: {lines} lines, at most {MOST_FUNCTION_LINES}: {head}")
    }));
    found
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
struct Function<'t> {
    /// The line in which it begins, from 1 on.
    line: usize,
    /// How many lines it has.
    lines: usize,
    /// Its first line.
    head: &'t str,
}

/// The functions of formatted code; one within another belongs to that.
fn functions(code: &str) -> impl Iterator<Item = Function<'_>> {
    let mut open: Option<(usize, &str, &str)> = None;
    code.lines().enumerate().filter_map(move |(number, line)| {
        let head = line.trim_start();
        let indent = &line[..line.len() - head.len()];
        match open {
            None if begins_function(head) && head.ends_with('}') => {
                Some(Function { line: number + 1, lines: 1, head })
            }
            None if begins_function(head) && !head.ends_with(';') => {
                open = Some((number, indent, head));
                None
            }
            Some((start, at, head)) if line.strip_prefix(at) == Some("}") => {
                open = None;
                Some(Function { line: start + 1, lines: number - start + 1, head })
            }
            _ => None,
        }
    })
}

fn begins_function(line: &str) -> bool {
    let mut words = line.split(' ').skip_while(|word| word.starts_with("pub") || *word == "const");
    words.next() == Some("fn")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "pub fn one() {}\n\nimpl X {\n    const fn two(\n        x: u8,\n    ) -> u8 {\n        \
                        fn inner() {\n        }\n        x\n    }\n\n    fn none(&self);\n}\n";

    #[test]
    fn functions_are_measured_from_their_head_to_their_last_brace() {
        let found: Vec<(usize, usize)> =
            functions(CODE).map(|function| (function.line, function.lines)).collect();
        assert_eq!(found, [(1, 1), (4, 7)]);
    }
}
