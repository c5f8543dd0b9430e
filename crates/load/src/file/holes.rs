//! Parts of a file that are on no device: reading them measures nothing.

use std::fs::File;

use rustix::fs::{SeekFrom, seek};

/// How many parts are looked at, at most.
const PARTS: usize = 100_000;

/// Bytes below `length` that are not on the device, as far as the filesystem says so: never
/// written, punched out, or set aside without content.
pub(super) fn below(file: &File, length: u64) -> u64 {
    let mut holes = 0;
    let mut at = 0;
    for _ in 0..PARTS {
        if at >= length {
            break;
        }
        let Some(data) = next_data(file, at, length) else { return holes };
        holes += data - at;
        match seek(file, SeekFrom::Hole(data)) {
            Ok(hole) if hole > data => at = hole,
            _ => break,
        }
    }
    holes
}

/// Where the next part with content begins, at most at `length`; none if that cannot be known.
fn next_data(file: &File, at: u64, length: u64) -> Option<u64> {
    match seek(file, SeekFrom::Data(at)) {
        Ok(data) => Some(data.clamp(at, length)),
        // There is none.
        Err(rustix::io::Errno::NXIO) => Some(length),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn holes_are_counted() {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(1 << 20).expect("made longer");
        assert_eq!(below(&file, 1 << 20), 1 << 20);
        file.write_all_at(&vec![1; 65_536], 262_144).expect("written");
        assert_eq!(below(&file, 1 << 20), (1 << 20) - 65_536);
        assert_eq!(below(&file, 262_144), 262_144);
        file.write_all_at(&vec![1; 1 << 20], 0).expect("written");
        assert_eq!(below(&file, 1 << 20), 0);
    }
}
