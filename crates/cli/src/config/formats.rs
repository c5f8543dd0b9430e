//! Formats of the user: those named on the command line, and those beside the configuration file.

use std::path::{Path, PathBuf};

use super::place::Place;
use crate::failure::{Code, Failure};

/// Adds the formats of files, and of the folder `formats` beside the configuration file, which is
/// `--config` if it is named.
pub fn add_formats(named: Option<&Path>, files: &[PathBuf]) -> Result<(), Failure> {
    let mut texts = Vec::new();
    for path in files {
        texts.push(read(path)?);
    }
    let place = Place::of(named).path;
    let folder = place.as_deref().and_then(Path::parent).map(|folder| folder.join("formats"));
    // Most people have none.
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    for path in &paths {
        texts.push(read(path)?);
    }
    if texts.is_empty() {
        return Ok(());
    }
    isotherm_formats::add_formats(texts).map_err(Failure::usage)
}

fn read(path: &Path) -> Result<(String, String), Failure> {
    let place = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok((place, text)),
        Err(error) => {
            Err(Failure::new(Code::Usage, format!("{place}: the format cannot be read: {error}")))
        }
    }
}
