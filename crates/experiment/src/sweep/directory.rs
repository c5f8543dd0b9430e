//! The directory of a sweep: its plan, its run table, and who writes there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::SweepError;
use crate::{Plan, RUNS, Run, RunTable};

/// The name of the plan within the directory of a sweep.
pub const PLAN: &str = "plan.toml";
/// The plan while it is being written.
const UNFINISHED: &str = "plan.toml.new";

/// The directory of a sweep, locked: one isotherm at a time writes there.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    /// The run table, open at its end. The lock is on it, so the system gives it up when we end,
    /// however we end.
    runs: File,
    /// Bytes of whole lines.
    length: u64,
}

impl Directory {
    /// Makes the directory if it is not there, and takes it for this process.
    pub fn take(path: &Path) -> Result<Directory, SweepError> {
        let failed = |source| SweepError::io("use the directory", path, source);
        fs::create_dir_all(path).map_err(failed)?;
        let runs = path.join(RUNS);
        if !path.join(PLAN).exists() && !is_free(path).map_err(failed)? {
            return Err(SweepError::NotEmpty(path.to_owned()));
        }
        let failed = |source| SweepError::io("use the run table", &runs, source);
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&runs);
        let file = file.map_err(failed)?;
        if file.try_lock().is_err() {
            return Err(SweepError::InUse(path.to_owned()));
        }
        Ok(Directory { path: path.to_owned(), runs: file, length: 0 })
    }

    /// Where something of this name is.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The plan, if there is one.
    pub fn plan(&self) -> Result<Option<Plan>, SweepError> {
        let path = self.join(PLAN);
        if path.exists() { Ok(Plan::read(&path).map(Some)?) } else { Ok(None) }
    }

    /// Writes the plan: after a crash there is the old one or the new one, never half of one.
    pub fn write_plan(&self, plan: &Plan) -> Result<(), SweepError> {
        let (path, unfinished) = (self.join(PLAN), self.join(UNFINISHED));
        let text = plan.to_toml()?;
        // One that was left there may be anything, a link among others.
        let _ = fs::remove_file(&unfinished);
        let written = File::create_new(&unfinished)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&unfinished, &path))
            .and_then(|()| File::open(&self.path)?.sync_all());
        written.map_err(|source| SweepError::io("write the plan", &path, source))
    }

    /// Reads the run table and makes its end whole: what was cut off while it was written is taken
    /// away. Gives what was done, in words.
    pub fn read_runs(&mut self) -> Result<(RunTable, Option<String>), SweepError> {
        let path = self.join(RUNS);
        let failed = |source| SweepError::io("read the run table", &path, source);
        let table = RunTable::read(&path)?;
        let length = self.runs.metadata().map_err(failed)?.len();
        self.length = if table.torn { table.whole_bytes } else { length };
        let failed = |source| SweepError::io("mend the run table", &path, source);
        if table.torn {
            self.runs.set_len(self.length).and_then(|()| self.runs.sync_data()).map_err(failed)?;
            let bytes = length - self.length;
            let note = format!(
                "the last line of the run table was cut off while it was written: its {bytes} bytes \
                 are taken away, and its run is done again"
            );
            return Ok((table, Some(note)));
        }
        if length > 0 && !self.ends_a_line().map_err(failed)? {
            // Only the end of the last line is missing.
            self.end_with(b"\n").map_err(failed)?;
        }
        Ok((table, None))
    }

    fn ends_a_line(&mut self) -> io::Result<bool> {
        let mut last = [0];
        self.runs.seek(SeekFrom::End(-1))?;
        self.runs.read_exact(&mut last)?;
        Ok(last == *b"\n")
    }

    /// Appends a run and waits until the disk has it. When that fails nothing of it stays.
    pub fn append(&mut self, run: &Run) -> Result<(), SweepError> {
        let path = self.join(RUNS);
        let failed = |source| SweepError::io("write the run table", &path, source);
        let mut line = serde_json::to_vec(run).map_err(|error| failed(error.into()))?;
        // A number that is none would be written, and never be read again.
        serde_json::from_slice::<Run>(&line).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.end_with(&line).map_err(failed)
    }

    fn end_with(&mut self, bytes: &[u8]) -> io::Result<()> {
        let runs = &mut self.runs;
        let written = runs
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| runs.write_all(bytes))
            .and_then(|()| runs.sync_data());
        match written {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // On a full disk a file can still be made shorter.
                let _ = runs.set_len(self.length);
                Err(error)
            }
        }
    }

    /// The name of a file for the recording of a run: one that is not there yet, since what was
    /// recorded of a run that was cut short stays.
    pub fn recording(&self, number: u32, label: &str, repeat: u32) -> String {
        let stem = format!("{number:03}-{}-r{repeat}", in_a_name(label));
        let taken = |name: &String| self.join(name).exists();
        let again = (2_u32..).map(|attempt| format!("{stem}.{attempt}.heat"));
        let mut names = std::iter::once(format!("{stem}.heat")).chain(again);
        names.find(|name| !taken(name)).unwrap_or(stem)
    }
}

/// Whether a directory holds nothing but what is left of a sweep that never began.
fn is_free(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let begun = name == RUNS && entry.metadata()?.len() == 0;
        if !begun && name != UNFINISHED {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A label as part of a file's name: `in-flight 8, update-pct 20` is `in-flight-8-update-pct-20`.
fn in_a_name(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let all: String = label.chars().map(plain).collect();
    let words: Vec<&str> = all.split('-').filter(|word| !word.is_empty()).collect();
    // The system allows 255 bytes; the number in front tells points apart in any case.
    words.join("-").chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_names() {
        assert_eq!(in_a_name("in-flight 8, update-pct 12.5"), "in-flight-8-update-pct-12.5");
        assert_eq!(in_a_name("../\n é"), "..");
        assert_eq!(in_a_name(&"x".repeat(300)).len(), 100);
    }

    #[test]
    fn what_is_there_keeps_its_name() {
        let room = tempfile::tempdir().expect("a directory");
        let directory = Directory::take(room.path()).expect("it is free");
        let name = || directory.recording(7, "in-flight 8", 1);
        assert_eq!(name(), "007-in-flight-8-r1.heat");
        fs::write(directory.join(&name()), "").expect("a file");
        assert_eq!(name(), "007-in-flight-8-r1.2.heat");
    }

    #[test]
    fn a_second_writer_is_refused() {
        let room = tempfile::tempdir().expect("a directory");
        let first = Directory::take(room.path()).expect("it is free");
        let second = Directory::take(room.path()).expect_err("it is taken").to_string();
        assert!(second.contains("another isotherm"), "{second}");
        drop(first);
        assert!(Directory::take(room.path()).is_ok());
    }

    #[test]
    fn a_directory_of_something_else_is_left_alone() {
        let room = tempfile::tempdir().expect("a directory");
        fs::write(room.path().join("thesis.txt"), "mine").expect("a file");
        let error = Directory::take(room.path()).expect_err("it is not empty").to_string();
        assert!(error.contains("is not empty and holds no sweep"), "{error}");
        assert!(!room.path().join(RUNS).exists());
    }
}
