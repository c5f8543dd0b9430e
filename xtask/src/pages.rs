//! Generated pages: what the program writes must be what the repository holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::program;
use crate::readme::TABLES;

/// Pages that differ from what the program would write.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let fresh = program::target(root).join("pages");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    write(root, &fresh)?;
    differences(root, &fresh)
}

/// Writes the pages into the documentation, and their tables into README; the pages of views
/// and the schemas come from the tests that compare them.
pub fn bless(root: &Path) -> Result<()> {
    let mut views = Command::new(env!("CARGO"));
    views.current_dir(root).args(["test", "--quiet"]);
    views.args([
        "--package",
        "isotherm-views",
        "--package",
        "isotherm-report",
        "--package",
        "isotherm-lab",
        "--package",
        "isotherm-cache",
    ]);
    views.env("ISOTHERM_BLESS", "1").env("INSTA_UPDATE", "no").status()?;
    let docs = root.join("docs");
    write(root, &docs)?;
    let (path, text) = readme(root)?;
    fs::write(&path, with_tables(&text, &docs)?).with_context(|| path.display().to_string())
}

/// README with its tables as the pages under `docs` have them.
fn with_tables(readme: &str, docs: &Path) -> Result<String> {
    TABLES.iter().try_fold(readme.to_owned(), |text, table| {
        table.placed(&text, &read(&docs.join(table.page))?)
    })
}

/// Pages under `docs`, and README, that are not what the pages under `fresh` say.
fn differences(root: &Path, fresh: &Path) -> Result<Vec<String>> {
    let (wanted, held) = (pages(fresh)?, pages(&root.join("docs"))?);
    let finding =
        |name: &str| format!("{name}: not what the program writes; run `cargo xtask bless`");
    let differs = |(name, text): (&String, &String)| {
        (held.get(name) != Some(text)).then(|| finding(&format!("docs/{name}")))
    };
    let mut found: Vec<String> = wanted.iter().filter_map(differs).collect();
    let (_, text) = readme(root)?;
    if with_tables(&text, fresh)? != text {
        found.push(finding("README.md"));
    }
    Ok(found)
}

fn readme(root: &Path) -> Result<(PathBuf, String)> {
    let path = root.join("README.md");
    let text = read(&path)?;
    Ok((path, text))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// Lets the program write its pages.
fn write(root: &Path, directory: &Path) -> Result<()> {
    let mut command = Command::new(program::built(root)?);
    if !command.current_dir(root).arg("pages").arg(directory).status()?.success() {
        bail!("the program could not write its pages");
    }
    Ok(())
}

/// Every page under a directory by its name relative to it.
fn pages(directory: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(
                pages(&path)?.into_iter().map(|(inner, text)| (format!("{name}/{inner}"), text)),
            );
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{tree, write};

    #[test]
    fn a_page_and_a_table_that_are_not_as_written_are_findings() {
        let table = "| source |\n|---|\n";
        let place = |name: &str, table: &str| {
            format!("<!-- {name}: written by `cargo xtask bless` -->\n{table}<!-- /{name} -->\n")
        };
        let readme = |sources: &str| place("commands", table) + &place("sources", sources);
        let root = tree(&[
            ("fresh/sources/README.md", table),
            ("fresh/commands/README.md", table),
            ("fresh/commands/show.md", "show"),
            ("docs/sources/README.md", table),
            ("docs/commands/README.md", table),
            ("docs/commands/show.md", "show"),
            ("docs/guide/by-hand.md", "is not generated"),
            ("README.md", &readme(table)),
        ]);
        let found = || differences(root.path(), &root.path().join("fresh")).unwrap();
        assert_eq!(found(), [""; 0]);
        write(root.path(), "docs/commands/show.md", "shows");
        write(root.path(), "README.md", &readme("| sources |\n"));
        let names: Vec<String> =
            found().iter().map(|line| line.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(names, ["docs/commands/show.md", "README.md"]);
    }
}
