//! Opening what is read, and finding its decoder by how it begins.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;

use super::compressed::{Damage, uncompressed};
use super::{ReadError, Unrecognised};
use crate::counter_log;
use crate::recognise::judge;
use crate::{HEAD, Source};

/// How recordings begin.
const RECORDING: &[u8] = b"SQLite format 3\0";

/// What a file holds, without its compression.
pub fn without_compression(
    file: File,
    path: &Path,
) -> Result<(Box<dyn Read + Send>, Damage), ReadError> {
    uncompressed(file).map_err(|error| ReadError::unreadable(path, error))
}

/// Standard input as a file of our own, so that nothing else is locked while it is read.
pub fn stdin() -> io::Result<File> {
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Opens a file that is not a directory.
pub fn open_file(path: &Path) -> Result<File, ReadError> {
    check_file(path)?;
    File::open(path).map_err(|error| ReadError::unreadable(path, error))
}

/// Whether `path` names something that can be read from.
pub fn check_file(path: &Path) -> Result<(), ReadError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(ReadError::Directory(path.to_owned())),
        Ok(_) => Ok(()),
        Err(error) => Err(ReadError::unreadable(path, error)),
    }
}

/// The decoder for an input that begins with `head`.
pub fn choose(
    path: &Path,
    head: &[u8],
    as_source: Option<&'static dyn Source>,
    among: &[&'static dyn Source],
) -> Result<&'static dyn Source, ReadError> {
    if head.starts_with(RECORDING) {
        return Err(ReadError::IsRecording(path.to_owned()));
    }
    let name = || path.display().to_string();
    if head.iter().all(u8::is_ascii_whitespace) && head.len() < HEAD {
        return Err(ReadError::Empty(name()));
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
