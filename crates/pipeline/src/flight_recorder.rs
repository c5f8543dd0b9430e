//! The flight recorder: a recording that keeps only its latest, so that the past is there after
//! an incident.

use std::path::{Path, PathBuf};

use isotherm_frame::Nanos;
use isotherm_recording::{About, Reader, RecordingError};

use crate::PipelineError;
use crate::recorder::{Recorder, Recording};

/// How many programs may watch one source at once and keep its past.
const AT_ONCE: usize = 99;
/// The longest name made of a source, in characters.
const LONGEST: usize = 100;

/// Opens a flight recorder: in the file named, or else in one named by the source where programs
/// keep their state. One that is there already goes on.
pub fn open(
    path: Option<&Path>,
    about: &About,
    durable: bool,
    keep: Nanos,
) -> Result<Recorder, PipelineError> {
    let first = path.unwrap_or(Path::new(""));
    let recording = Recording { path: first, about, append: false, durable, keep: Some(keep) };
    if path.is_some() {
        return Ok(Recorder::open(&recording)?);
    }
    let directory = state_directory()?;
    std::fs::create_dir_all(&directory).map_err(|error| {
        let text = format!("--keep: {}: {error}; name a file with --record", directory.display());
        PipelineError::System(text)
    })?;
    let name = file_name(&about.source);
    for number in 1..=AT_ONCE {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = directory.join(format!("{name}{suffix}.heat"));
        if is_of_another(&path, &about.source) {
            continue;
        }
        match Recorder::open(&Recording { path: &path, ..recording }) {
            Err(RecordingError::InUse { .. }) => {}
            opened => return Ok(opened?),
        }
    }
    let text = format!("--keep: {AT_ONCE} recordings of this source are in use");
    Err(PipelineError::System(text))
}

/// Whether there is a recording of another source, whose name comes out the same.
fn is_of_another(path: &Path, source: &str) -> bool {
    Reader::open(path).is_ok_and(|reader| reader.about().source != source)
}

/// `$XDG_STATE_HOME/isotherm`, or `~/.local/state/isotherm`.
fn state_directory() -> Result<PathBuf, PipelineError> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state = variable("XDG_STATE_HOME");
    let state = state.or_else(|| variable("HOME").map(|home| home.join(".local/state")));
    state.map(|state| state.join("isotherm")).ok_or_else(|| {
        PipelineError::Request(
            "--keep: neither XDG_STATE_HOME nor HOME is set; name a file with --record".to_owned(),
        )
    })
}

/// A file's name made of a source without secrets: its letters, digits and dots, everything else one dash.
fn file_name(source: &str) -> String {
    let text = if source == "-" { "stdin" } else { source };
    let mut name = String::new();
    for letter in text.chars() {
        let letter = if letter.is_alphanumeric() || "._@".contains(letter) { letter } else { '-' };
        if letter != '-' || !name.ends_with('-') {
            name.push(letter);
        }
    }
    // A name that begins with a dot is hidden, and one with a dash is an option to other programs.
    let name: String = name.trim_matches(['-', '.']).chars().take(LONGEST).collect();
    if name.is_empty() { "source".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_names_its_file() {
        let address = "oracle://scott:***@db1:1521/x?event=log file sync";
        let names = [address, "probe:/data", "cmd:'iostat -x 1'", "-", "../.."].map(file_name);
        let expected = [
            "oracle-scott-@db1-1521-x-event-log-file-sync",
            "probe-data",
            "cmd-iostat-x-1",
            "stdin",
            "source",
        ];
        assert_eq!(names, expected);
        assert_eq!(file_name(&"ä".repeat(300)).chars().count(), LONGEST);
    }
}
