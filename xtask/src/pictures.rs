//! The example pages and the pictures of the documentation. `cargo xtask pictures` makes them from kept
//! inputs; `cargo xtask check` makes all but the screenshots again, and says which are older than the
//! program.

mod demo;
mod examples;
mod made_from;
mod palette;
mod scratch;
mod screen;
mod shown;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use self::examples::EXAMPLES;
use self::made_from::MadeFrom;
use self::scratch::Scratch;
use self::shown::PICTURES;
use crate::program;

/// Makes every example page and picture. It needs node, and a Chromium for the screenshots.
pub fn run(root: &Path) -> Result<Vec<String>> {
    let scratch = made(root)?;
    for (directory, name) in kept() {
        let kept = root.join(directory).join(name);
        fs::copy(scratch.path(name), &kept).with_context(|| kept.display().to_string())?;
    }
    shown::draw(root, &scratch)?;
    let list = root.join(PICTURES).join(made_from::NAME);
    fs::write(&list, MadeFrom::read_pages(&scratch)?.text())?;
    Ok(Vec::new())
}

/// Pages and pictures that the program would not make as they are kept.
pub fn check(root: &Path) -> Result<Vec<String>> {
    older(root, &made(root)?)
}

/// What is made of the kept inputs without a browser, in a scratch directory.
fn made(root: &Path) -> Result<Scratch> {
    let scratch = Scratch::new(program::built(root)?, program::target(root).join("pictures"))?;
    for input in examples::INPUTS {
        scratch.copy(&root.join(EXAMPLES).join(input))?;
    }
    examples::write(root, &scratch)?;
    demo::write(&scratch)?;
    Ok(scratch)
}

/// The directory and the name of each file that is kept as it was made.
fn kept() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pages = examples::KEPT.into_iter().map(|name| (EXAMPLES, name));
    pages.chain(demo::PICTURES.into_iter().map(|name| (PICTURES, name)))
}

/// Kept files that differ from those in the scratch directory, and screenshots of other pages than those there.
fn older(root: &Path, scratch: &Scratch) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (directory, name) in kept() {
        let fresh = fs::read(scratch.path(name)).with_context(|| name.to_owned())?;
        if fs::read(root.join(directory).join(name)).ok() != Some(fresh) {
            found.push(format!("{directory}/{name}"));
        }
    }
    let list = fs::read_to_string(root.join(PICTURES).join(made_from::NAME)).unwrap_or_default();
    let (fresh, listed) = (MadeFrom::read_pages(scratch)?, MadeFrom::parse(&list));
    let is_kept = |picture: &str| root.join(PICTURES).join(picture).is_file();
    found.extend(
        fresh
            .entries()
            .filter(|entry| !listed.has(entry) || !is_kept(&entry.picture))
            .map(|entry| format!("{PICTURES}/{}", entry.picture)),
    );
    let finding = |name| format!("{name} is older than the program: run `cargo xtask pictures`");
    Ok(found.into_iter().map(finding).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{tree, write};

    /// Everything as it was made, kept.
    fn kept_tree() -> (tempfile::TempDir, Scratch) {
        let root = tree(&[]);
        let scratch = Scratch::new("isotherm".into(), root.path().join("scratch")).unwrap();
        for (directory, name) in kept() {
            write(root.path(), &format!("{directory}/{name}"), name);
            fs::write(scratch.path(name), name).unwrap();
        }
        for shown in shown::SHOWN {
            write(root.path(), &format!("{PICTURES}/{}", shown.picture), "PNG");
            fs::write(scratch.path(shown.page), shown.page).unwrap();
        }
        let list = MadeFrom::read_pages(&scratch).unwrap().text();
        write(root.path(), &format!("{PICTURES}/{}", made_from::NAME), &list);
        (root, scratch)
    }

    fn found(root: &Path, scratch: &Scratch) -> Vec<String> {
        let line = |line: String| {
            let name = line.strip_suffix(" is older than the program: run `cargo xtask pictures`");
            name.unwrap().to_owned()
        };
        older(root, scratch).unwrap().into_iter().map(line).collect()
    }

    #[test]
    fn a_page_that_the_program_writes_in_another_way_is_older_and_so_are_its_pictures() {
        let (root, scratch) = kept_tree();
        assert_eq!(found(root.path(), &scratch), [""; 0]);
        fs::write(scratch.path("disk-backup.html"), "mended").unwrap();
        let expected = [
            "docs/examples/disk-backup.html",
            "docs/pictures/report-dark.png",
            "docs/pictures/report-light.png",
        ];
        assert_eq!(found(root.path(), &scratch), expected);
    }

    #[test]
    fn a_file_that_is_not_kept_is_older() {
        let (root, scratch) = kept_tree();
        for name in ["demo.svg", "flame-heat.png"] {
            fs::remove_file(root.path().join(PICTURES).join(name)).unwrap();
        }
        let expected = ["docs/pictures/demo.svg", "docs/pictures/flame-heat.png"];
        assert_eq!(found(root.path(), &scratch), expected);
        fs::remove_file(root.path().join(PICTURES).join(made_from::NAME)).unwrap();
        assert_eq!(found(root.path(), &scratch).len(), 1 + shown::SHOWN.len());
    }
}
