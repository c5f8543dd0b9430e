//! Which page each screenshot shows: docs/pictures/made-from.txt has the SHA-256 of each, so that no browser
//! is needed to see that a page is no longer the one in the picture.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::scratch::Scratch;
use super::shown::SHOWN;

/// The name of the list.
pub const NAME: &str = "made-from.txt";
const HEAD: &str =
    "# The SHA-256 of the page that each picture shows; written by `cargo xtask pictures`.\n";

/// The pages of screenshots.
#[derive(Debug, PartialEq, Eq)]
pub struct MadeFrom(Vec<Entry>);

/// A screenshot and the page that it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    sha256: String,
    page: String,
    pub picture: String,
}

impl MadeFrom {
    /// The pages that are in the scratch directory.
    pub fn read_pages(scratch: &Scratch) -> Result<MadeFrom> {
        let written = SHOWN.iter().filter(|shown| scratch.path(shown.page).is_file());
        let entry = |shown: &super::shown::Shown| {
            let page = fs::read(scratch.path(shown.page)).with_context(|| shown.page.to_owned())?;
            let (page, picture) = (&page, shown.picture.to_owned());
            Ok(Entry { sha256: sha256(page), page: shown.page.to_owned(), picture })
        };
        Ok(MadeFrom(written.map(entry).collect::<Result<_>>()?))
    }

    /// The list as it is kept; lines that are not understood name no page.
    pub fn parse(text: &str) -> MadeFrom {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let entry = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [sha256, page, picture] => Some(Entry {
                sha256: sha256.to_owned(),
                page: page.to_owned(),
                picture: picture.to_owned(),
            }),
            _ => None,
        };
        MadeFrom(lines.filter_map(entry).collect())
    }

    /// The list to keep.
    pub fn text(&self) -> String {
        self.0.iter().fold(HEAD.to_owned(), |mut text, Entry { sha256, page, picture }| {
            let _ = writeln!(text, "{sha256}  {page}  {picture}");
            text
        })
    }

    /// Each picture with its page.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// Whether the list has this picture of this page.
    pub fn has(&self, entry: &Entry) -> bool {
        self.0.contains(entry)
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_as_it_is_written() {
        let entry = |page: &str, picture: &str| Entry {
            sha256: sha256(page.as_bytes()),
            page: page.to_owned(),
            picture: picture.to_owned(),
        };
        let list = MadeFrom(vec![entry("a.html", "a-dark.png"), entry("a.html", "a-light.png")]);
        assert_eq!(MadeFrom::parse(&list.text()), list);
        assert_eq!(MadeFrom::parse("no list"), MadeFrom(Vec::new()));
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), abc);
    }
}
