//! Whether direct I/O works in a place, without probing it.

use std::path::Path;

use super::scratch::Scratch;
use super::{ProbeError, ProbeOptions};

/// Tries one direct read of a scratch file in `directory`: `false` means that the filesystem
/// refuses to bypass the page cache.
pub fn direct_io_works(directory: &Path) -> Result<bool, ProbeError> {
    let options = ProbeOptions { size: 1 << 16, ..ProbeOptions::default() };
    Scratch::create(directory, &options).map(|scratch| scratch.is_direct())
}
