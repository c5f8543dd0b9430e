//! Whether direct I/O works in a place, without probing it.

use std::path::Path;

use isotherm_load::file::ScratchFile;

use super::{ProbeError, ProbeOptions};

/// Tries one direct read of a scratch file in `directory`: `false` means that the filesystem
/// refuses to bypass the page cache.
pub fn direct_io_works(directory: &Path) -> Result<bool, ProbeError> {
    let options = ProbeOptions { size: 1 << 16, ..ProbeOptions::default() };
    let scratch = ScratchFile::create(directory, &options.scratch())?;
    Ok(scratch.is_direct())
}
