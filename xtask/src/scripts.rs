//! What the documentation says to run: a figure whose script is gone cannot be measured again.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// Where pages are that name scripts.
const PAGES: [&str; 5] =
    ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "benches/README.md", "docs"];

/// Scripts under `benches` and examples (`--example NAME`) that a page names and that do not exist.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    PAGES.iter().try_for_each(|page| gather(&root.join(page), &mut pages))?;
    let mut found = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page)?;
        let name = page.strip_prefix(root).unwrap_or(&page).display();
        for missing in named(&text).into_iter().filter(|named| !named.is_there(root)) {
            let what = match missing {
                Named::Script(path) => path.to_owned(),
                Named::Example(example) => format!("--example {example}"),
            };
            found.push(format!("{name}: names {what}, which does not exist"));
        }
    }
    Ok(found)
}

/// A page, or all pages under a directory.
fn gather(path: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            gather(&entry?.path(), pages)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "md") && path.is_file() {
        pages.push(path.to_owned());
    }
    Ok(())
}

/// Something that can be run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Named<'t> {
    Script(&'t str),
    Example(&'t str),
}

impl Named<'_> {
    fn is_there(self, root: &Path) -> bool {
        match self {
            Named::Script(path) => root.join(path).is_file(),
            Named::Example(name) => {
                let file = format!("examples/{name}.rs");
                let crates = fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
                crates.into_iter().any(|of| of.path().join(&file).is_file())
            }
        }
    }
}

/// The scripts and examples that a text names.
fn named(text: &str) -> Vec<Named<'_>> {
    const EXAMPLE: &str = "--example ";
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let word = |rest: &'_ str| rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let scripts = text.match_indices("benches/").filter_map(|(at, _)| {
        let path = &text[at..at + word(&text[at..])];
        let path = path.trim_end_matches('.');
        [".py", ".sh", ".mjs", ".md"]
            .iter()
            .any(|end| path.ends_with(end))
            .then_some(Named::Script(path))
    });
    let examples = text.match_indices(EXAMPLE).filter_map(|(at, _)| {
        let (before, rest) = (&text[..at], &text[at + EXAMPLE.len()..]);
        // An option of our own program.
        let ours = before.lines().next_back().is_some_and(|line| line.contains("isotherm fit "));
        let name = rest[..word(rest)].trim_end_matches('.');
        (!ours && !name.is_empty()).then_some(Named::Example(name))
    });
    scripts.chain(examples).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_or_an_example_that_is_not_there_is_found() {
        let text = "Run `benches/gone.py` (or benches/load.py.), then `--example gone -- 200`; see benches/here\n\
            $ isotherm fit --example commit-batch\n--example <NAME>";
        let expected = [
            Named::Script("benches/gone.py"),
            Named::Script("benches/load.py"),
            Named::Example("gone"),
        ];
        assert_eq!(named(text), expected);
        let scratch = tempfile::tempdir().unwrap();
        for directory in ["benches", "docs/guide", "crates/x/examples"] {
            fs::create_dir_all(scratch.path().join(directory)).unwrap();
        }
        fs::write(scratch.path().join("docs/guide/page.md"), text).unwrap();
        fs::write(scratch.path().join("benches/load.py"), "").unwrap();
        let found = check(scratch.path()).unwrap();
        let page = |what| format!("docs/guide/page.md: names {what}, which does not exist");
        assert_eq!(found, [page("benches/gone.py"), page("--example gone")]);
        fs::write(scratch.path().join("crates/x/examples/gone.rs"), "").unwrap();
        assert_eq!(check(scratch.path()).unwrap(), [page("benches/gone.py")]);
    }
}
