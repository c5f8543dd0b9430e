//! Generated pages: what the program writes must be what the repository holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

/// Pages that differ from what the program would write.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let fresh = root.join("target").join("pages");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    write(root, &fresh)?;
    let (wanted, held) = (pages(&fresh)?, pages(&root.join("docs"))?);
    let differs = |(name, text): (&String, &String)| {
        (held.get(name) != Some(text))
            .then(|| format!("docs/{name}: not what the program writes; run `cargo xtask bless`"))
    };
    Ok(wanted.iter().filter_map(differs).collect())
}

/// Writes the pages into the documentation; those of views come from the tests that compare them.
pub fn bless(root: &Path) -> Result<()> {
    let mut views = Command::new(env!("CARGO"));
    views.current_dir(root).args(["test", "--quiet"]);
    views.args(["--package", "isotherm-views", "--package", "isotherm-report"]);
    views.env("ISOTHERM_BLESS", "1").env("INSTA_UPDATE", "no").status()?;
    write(root, &root.join("docs"))
}

fn write(root: &Path, directory: &Path) -> Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["run", "--quiet", "--package", "isotherm", "--", "pages"]);
    if !command.arg(directory).status()?.success() {
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
