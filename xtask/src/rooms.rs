//! Sizes and names of source files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The most lines of a file, not counting tests.
const MOST_LINES: usize = 400;
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

fn sizes(name: &str, text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]").next().unwrap_or(text);
    let lines = code.lines().count();
    let mut found = Vec::new();
    if lines > MOST_LINES {
        found.push(format!("{name}: {lines} lines without tests, at most {MOST_LINES}"));
    }
    let mut open: Option<(usize, String, String)> = None;
    for (number, line) in code.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = &line[..line.len() - trimmed.len()];
        match &open {
            None if begins_function(trimmed) && !trimmed.ends_with(['}', ';']) => {
                open = Some((number, indent.to_owned(), trimmed.to_owned()));
            }
            Some((start, at, head)) if line == format!("{at}}}") => {
                let length = number - start + 1;
                if length > MOST_FUNCTION_LINES {
                    found.push(format!(
                        "{name}:{}: {length} lines, at most {MOST_FUNCTION_LINES}: {head}",
                        start + 1
                    ));
                }
                open = None;
            }
            _ => {}
        }
    }
    found
}

fn begins_function(line: &str) -> bool {
    let mut words = line.split(' ').skip_while(|word| word.starts_with("pub") || *word == "const");
    words.next() == Some("fn")
}
