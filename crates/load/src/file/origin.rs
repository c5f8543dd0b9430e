//! Whether isotherm made a file.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;

use rustix::fs::{Advice, fadvise};

use super::stamp::{Stamp, UNIT, UNIT_BYTES};

/// What the page cache keeps at least.
const PAGE: NonZeroU64 = NonZeroU64::new(4096).unwrap();

/// Who made a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Isotherm, all of it; with the number it drew.
    Ours(u64),
    /// Isotherm made the beginning, and somebody else what follows.
    Continued {
        /// Bytes that are isotherm's.
        ours: u64,
    },
    /// Somebody else.
    Foreign,
}

impl Origin {
    /// The number of a file that isotherm made.
    pub(super) fn number(self) -> Option<u64> {
        match self {
            Origin::Ours(number) => Some(number),
            _ => None,
        }
    }
}

/// Who made a file of `length` bytes.
///
/// Looked at are the first unit, the last and the middle one. All that isotherm writes to the file
/// later are such units too, so they stay; the first or the middle one may have been torn by a
/// crash. The last must be ours, and the file end with it: else something was appended.
pub(super) fn of(file: &File, length: u64) -> io::Result<Origin> {
    let units = length / UNIT_BYTES;
    let Some(last) = units.checked_sub(1) else { return Ok(Origin::Foreign) };
    let mut votes = Vec::new();
    for place in [0, last / 2, last] {
        votes.push(number_at(file, place)?);
    }
    let agreed = votes
        .iter()
        .flatten()
        .find(|number| votes.iter().filter(|vote| vote.as_ref() == Some(*number)).count() >= 2);
    let whole = length.is_multiple_of(UNIT_BYTES);
    match (agreed, votes.first()) {
        (Some(number), _) if whole && votes.last() == Some(&Some(*number)) => {
            Ok(Origin::Ours(*number))
        }
        (_, Some(Some(number))) => {
            Ok(Origin::Continued { ours: end_of(file, *number, units)? * UNIT_BYTES })
        }
        _ => Ok(Origin::Foreign),
    }
}

/// The number of the file that the unit at a place says it belongs to, if it belongs there.
fn number_at(file: &File, place: u64) -> io::Result<Option<u64>> {
    let stamp = unit(file, place)?.filter(|stamp| stamp.unit == place);
    Ok(stamp.map(|stamp| stamp.file))
}

/// How many units from the beginning are those of a file: the first is.
fn end_of(file: &File, number: u64, units: u64) -> io::Result<u64> {
    let (mut ours, mut beyond) = (1, units.saturating_add(1));
    while ours + 1 < beyond {
        let middle = ours + (beyond - ours) / 2;
        if number_at(file, middle - 1)? == Some(number) { ours = middle } else { beyond = middle }
    }
    Ok(ours)
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
