//! Formats of the user: those named on the command line, and those beside the configuration file.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use isotherm_formats::BrokenFormat;

use super::place::Place;
use crate::failure::{Code, Failure};
use crate::screen;

/// Those of the folder that cannot be used.
static BROKEN: OnceLock<Vec<BrokenFormat>> = OnceLock::new();

/// Adds the formats of files, and of the folder `formats` beside the configuration file, which is
/// `--config` if it is named. A file that is named must be right; one of the folder is left out with a
/// warning if it is not.
pub fn add_formats(named: Option<&Path>, files: &[PathBuf]) -> Result<(), Failure> {
    let (mut texts, mut broken) = (Vec::new(), Vec::new());
    for path in files {
        texts.push(read(path).map_err(|wrong| Failure::new(Code::Usage, wrong))?);
    }
    for path in in_folder(named) {
        match read(&path) {
            Ok(text) => texts.push(text),
            Err(wrong) => broken.push(wrong),
        }
    }
    if texts.is_empty() && broken.is_empty() {
        return Ok(());
    }
    for wrong in &broken {
        screen::warn(&format!("{wrong}: it is left out"));
    }
    let wrong = isotherm_formats::add_formats(texts);
    let is_named = |format: &&BrokenFormat| {
        files.iter().any(|path| path.display().to_string() == format.place)
    };
    if let Some(format) = wrong.iter().find(is_named) {
        return Err(Failure::usage(said(format)));
    }
    for format in &wrong {
        screen::warn(&format!("this format is left out: {}", said(format)));
    }
    // It is set once: the program has one command line.
    let _ = BROKEN.set(wrong);
    Ok(())
}

/// Fails if a format of this name, or of this program, is one of the folder that cannot be used.
pub fn check_format_named(name: &str) -> Result<(), Failure> {
    let is_it = |format: &&BrokenFormat| {
        format.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    match BROKEN.get().into_iter().flatten().find(is_it) {
        Some(format) => Err(Failure::usage(said(format))),
        None => Ok(()),
    }
}

fn said(format: &BrokenFormat) -> String {
    format!("{}: {}", format.place, format.wrong)
}

/// The files of the folder, in the order of their names. Most people have none.
fn in_folder(named: Option<&Path>) -> Vec<PathBuf> {
    let place = Place::of(named).path;
    let folder = place.as_deref().and_then(Path::parent).map(|folder| folder.join("formats"));
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths
}

fn read(path: &Path) -> Result<(String, String), String> {
    let place = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Ok((place, text)),
        Err(error) => Err(format!("{place}: the format cannot be read: {error}")),
    }
}
