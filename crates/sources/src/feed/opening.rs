//! Opening what is read, and finding its decoder by how it begins.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;

use super::compressed::{Damage, uncompressed};
use super::failure::{OpenError, Unrecognised};
use super::named_pipe;
use crate::counter_log;
use crate::recognise::judge;
use crate::{HEAD, Source};

/// How recordings begin.
const RECORDING: &[u8] = b"SQLite format 3\0";

/// What a file holds, without its compression.
pub(crate) fn without_compression(
    file: File,
    path: &Path,
) -> Result<(Box<dyn Read + Send>, Damage), OpenError> {
    uncompressed(file).map_err(|error| OpenError::unreadable(path, error))
}

/// Standard input as a file of our own, so that nothing else is locked while it is read.
pub(crate) fn stdin() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Opens a file that is not a directory.
pub(crate) fn open_file(path: &Path) -> Result<File, OpenError> {
    check_file(path)?;
    File::open(path).map_err(|error| OpenError::unreadable(path, error))
}

/// The same for an input that is read as it comes: a named pipe may have no writer yet.
pub(crate) fn open_live(path: &Path) -> Result<File, OpenError> {
    check_file(path)?;
    named_pipe::open(path).map_err(|error| OpenError::unreadable(path, error))
}

/// Whether `path` names something that can be read from.
pub(crate) fn check_file(path: &Path) -> Result<(), OpenError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(OpenError::Directory(path.to_owned())),
        Ok(_) => Ok(()),
        Err(error) => Err(OpenError::unreadable(path, error)),
    }
}

/// The decoder for an input that begins with `head`.
pub(crate) fn choose(
    path: &Path,
    head: &[u8],
    as_source: Option<&'static dyn Source>,
    among: &[&'static dyn Source],
) -> Result<&'static dyn Source, OpenError> {
    if head.starts_with(RECORDING) {
        return Err(OpenError::IsRecording(path.to_owned()));
    }
    let name = || path.display().to_string();
    if head.iter().all(u8::is_ascii_whitespace) && head.len() < HEAD {
        return Err(OpenError::Empty(name()));
    }
    if as_source.is_none()
        && let Some(refused) = Unrecognised::without_latencies(&name(), head)
    {
        return Err(refused.into());
    }
    let recognised = as_source.or_else(|| judge(among, head).map(|(_, source)| source));
    let names_columns = recognised.is_some_and(|source| match source.meta().name {
        "columns" => true,
        "logs" => !counter_log::begins_in(head),
        _ => false,
    });
    if names_columns && let Some(refused) = Unrecognised::without_events(&name(), head) {
        return Err(refused.into());
    }
    recognised.ok_or_else(|| Unrecognised::of(&name(), head).into())
}
