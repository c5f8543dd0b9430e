//! Files and block devices: random or sequential reads and writes of blocks.
//!
//! Operations go through `io_uring` with registered buffers and a registered file, or through
//! `pread` and `pwrite` with a thread for each operation in flight. A file is made where there is
//! none, of content that nothing can compress, and each block written says what it is, so that a
//! sample is read back and compared after the run.

mod device;
mod facts;
mod holes;
mod kinds;
mod make;
mod medium;
mod method;
mod mounts;
mod origin;
mod pages;
mod pool;
mod safety;
mod scratch;
mod scratch_error;
mod stamp;
mod sync;
mod system;
mod target;
#[cfg(feature = "uring")]
mod uring;
mod verify;
mod words;
mod write_sample;
mod writes;

pub use scratch::{ScratchFile, ScratchOptions};
pub use scratch_error::ScratchError;

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isotherm_frame::numbers;

use crate::engines::{EngineKind, Medium, Target};
use crate::{Hooks, Job, LoadError, System};

pub(crate) static ENGINE: FileEngine = FileEngine;

pub(crate) struct FileEngine;

impl EngineKind for FileEngine {
    fn name(&self) -> &'static str {
        "file"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["file:"]
    }

    fn example(&self) -> &'static str {
        "file:PATH"
    }

    fn options(&self) -> &'static [&'static str] {
        &[
            "block",
            "create",
            "size",
            "method",
            "buffered",
            "dsync",
            "chunk",
            "small-pages",
            "i-mean-it",
        ]
    }

    fn medium(&self) -> Medium {
        Medium::Storage
    }

    fn needs_rest(&self) -> bool {
        true
    }

    fn target(&self, rest: &str) -> Option<Arc<dyn Target>> {
        Some(self::target(Path::new(rest)))
    }
}

/// A file or device.
struct AtPath(PathBuf);

/// The file or device of a path.
pub(crate) fn target(path: &Path) -> Arc<dyn Target> {
    Arc::new(AtPath(path.to_owned()))
}

impl Target for AtPath {
    /// Makes the file where there is none.
    fn open(&self, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
        Ok(Box::new(system::FileSystem::open(&self.0, job, hooks)?))
    }

    fn setup(&self, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        setup(&self.0, job, hooks)
    }

    fn teardown(&self, _: &Job, _: &mut Hooks) -> Result<Vec<String>, LoadError> {
        teardown(&self.0)
    }

    fn check(&self, job: &Job) -> Result<(), LoadError> {
        let made = job.file.create || job.file.size.is_some();
        if made || !medium::is_missing(&self.0) { Ok(()) } else { Err(make::not_wanted(&self.0)) }
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

/// Makes the file where there is none. Can be broken off and gone on with.
fn setup(path: &Path, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let shown = path.display();
    if medium::is_missing(path) {
        let size = make::make(path, &job.file, hooks)?;
        return Ok(vec![format!("made '{shown}': {}", numbers::bytes(size))]);
    }
    let size = fs::metadata(path).map_err(|error| words::failed("open", path, &error))?.len();
    let message = match ours(path)? {
        Some(_) => format!("'{shown}' is there already: {}", numbers::bytes(size)),
        None => format!(
            "'{shown}' is there already, and not, or not all of it, made by isotherm: it can only \
             be read"
        ),
    };
    Ok(vec![message])
}

/// Removes the file if isotherm made it, and what there is of one that was broken off.
fn teardown(path: &Path) -> Result<Vec<String>, LoadError> {
    let mut messages = Vec::new();
    for path in [path.to_owned(), make::part_of(path)] {
        if fs::symlink_metadata(&path).is_err() {
            continue;
        }
        let Some(file) = ours(&path)? else {
            return Err(LoadError::Unsafe(format!(
                "'{}' was not made by isotherm, or something was appended to it: it is left alone; \
                 remove it yourself if that is what you want",
                path.display()
            )));
        };
        medium::lock(&file, &path)?;
        fs::remove_file(&path).map_err(|error| words::failed("remove", &path, &error))?;
        messages.push(format!("removed '{}'", path.display()));
    }
    if messages.is_empty() {
        messages.push(format!("there is no '{}'", path.display()));
    }
    Ok(messages)
}

/// The file, if it is a file and isotherm made it, be it only in part.
fn ours(path: &Path) -> Result<Option<File>, LoadError> {
    let failed = |error| words::failed("open", path, &error);
    let named = fs::symlink_metadata(path).map_err(failed)?;
    if !named.is_file() {
        return Ok(None);
    }
    let file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if (found.dev(), found.ino()) != (named.dev(), named.ino()) {
        return Ok(None);
    }
    let is_part = path.extension().is_some_and(|extension| extension == "part");
    let ours = if is_part {
        found.len() == 0 || origin::unit(&file, 0).map_err(failed)?.is_some()
    } else {
        origin::of(&file, found.len()).map_err(failed)?.number().is_some()
    };
    Ok(ours.then_some(file))
}
