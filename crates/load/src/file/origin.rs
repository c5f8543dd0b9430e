//! Whether isotherm made a file.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;

use rustix::fs::{Advice, fadvise};

use super::stamp::{Stamp, UNIT, UNIT_BYTES};

/// What the page cache keeps at least.
const PAGE: NonZeroU64 = NonZeroU64::new(4096).unwrap();

/// The number of a file that isotherm made; none if somebody else did.
///
/// Looked at are the first unit, the last and the middle one. All that isotherm writes to the file
/// later are such units too, so they stay; one of the three may have been torn by a crash.
pub(super) fn of(file: &File, length: u64) -> io::Result<Option<u64>> {
    let units = length / UNIT_BYTES;
    let Some(last) = units.checked_sub(1) else { return Ok(None) };
    let mut votes = Vec::new();
    for place in [0, last / 2, last] {
        let stamp = unit(file, place)?;
        votes.extend(stamp.filter(|stamp| stamp.unit == place).map(|stamp| stamp.file));
    }
    let agreed = |number: &&u64| votes.iter().filter(|vote| vote == number).count() >= 2;
    Ok(votes.iter().find(agreed).copied())
}

/// What a unit of a file says of itself.
///
/// What is read is not left in the page cache: while anything of a file is there, each direct read
/// of it looks for what is to be written back first.
pub(super) fn unit(file: &File, place: u64) -> io::Result<Option<Stamp>> {
    let mut unit = [0; UNIT];
    let offset = place.saturating_mul(UNIT_BYTES);
    let _ = fadvise(file, 0, None, Advice::Random);
    let read = file.read_exact_at(&mut unit, offset);
    let _ = fadvise(file, offset - offset % PAGE.get(), Some(PAGE), Advice::DontNeed);
    match read {
        Ok(()) => Ok(Stamp::read(&unit)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}
