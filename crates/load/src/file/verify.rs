//! Whether what was written is there.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::{Advice, fadvise};

use super::stamp::{Stamp, UNIT, UNIT_BYTES};
use super::write_sample::{Place, WriteSample};
use crate::sys::{Buffers, Pages};

/// What is wrong with a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wrong {
    Lost,
    Torn,
    Misdirected,
    Damaged,
    Unreadable,
}

impl Wrong {
    fn words(self) -> &'static str {
        match self {
            Wrong::Lost => "hold what was there before: the write was lost",
            Wrong::Torn => "hold the write only in part: it was torn",
            Wrong::Misdirected => "hold what was written to another place",
            Wrong::Damaged => "hold something that was never written",
            Wrong::Unreadable => "cannot be read",
        }
    }
}

/// Reads the places of a sample back and says what is wrong, one sentence for each kind of damage.
pub(super) fn verify(file: &File, block: u64, number: u64, sample: WriteSample) -> Vec<String> {
    // What is in the page cache says nothing about the device.
    let synced = rustix::fs::fdatasync(file);
    let _ = fadvise(file, 0, None, Advice::DontNeed);
    let mut wrongs: BTreeMap<Wrong, (u64, u64)> = BTreeMap::new();
    let mut read = 0;
    let Some(mut buffer) =
        usize::try_from(block).ok().and_then(|block| Buffers::new(1, block, Pages::Small).ok())
    else {
        return vec!["there is no memory to read back what was written".to_owned()];
    };
    for place in sample.certain() {
        read += 1;
        let bytes = buffer.get_mut(0);
        let offset = place.number.wrapping_mul(block);
        let wrong = match file.read_exact_at(bytes, offset) {
            Ok(()) => examine(bytes, offset / UNIT_BYTES, number, &place),
            Err(_) => Some(Wrong::Unreadable),
        };
        if let Some(wrong) = wrong {
            let (count, _) = wrongs.entry(wrong).or_insert((0, place.number));
            *count += 1;
        }
    }
    let refused = synced.err().map(|error| {
        let error = io::Error::from(error);
        format!("what was written could not be put on the device: {error}")
    });
    let messages = wrongs.into_iter().map(|(wrong, (count, first))| {
        let words = wrong.words();
        format!("{count} of {read} written blocks read back {words} (block {first})")
    });
    refused.into_iter().chain(messages).collect()
}

/// What is wrong with the content of a place, whose first unit is `first`.
fn examine(bytes: &[u8], first: u64, number: u64, place: &Place) -> Option<Wrong> {
    let mut old = 0;
    let mut units = 0;
    for (at, unit) in (first..).zip(bytes.chunks_exact(UNIT)) {
        units += 1;
        // Before the first run on a device, anything can have been there.
        let stamp = Stamp::read(unit).filter(|stamp| stamp.file == number);
        match stamp {
            Some(stamp) if stamp.unit != at => return Some(Wrong::Misdirected),
            Some(stamp) if !stamp.is_whole(unit) => return Some(Wrong::Damaged),
            Some(stamp) if place.may_hold(stamp.epoch) => {}
            Some(_) => old += 1,
            None => return Some(Wrong::Damaged),
        }
    }
    match old {
        0 => None,
        _ if old == units => Some(Wrong::Lost),
        _ => Some(Wrong::Torn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = 2_048;
    const FILE: u64 = 77;

    /// A file of blocks of epoch 1, of which the witness saw those of epoch 2 written.
    fn file(blocks: u64, damage: impl Fn(&File)) -> Vec<String> {
        let file = tempfile::tempfile().expect("a file");
        let mut sample = WriteSample::default();
        for place in 0..blocks {
            sample.begun(place, 2, 10);
            sample.ended(place, 2, true, 20);
            write(&file, place, place, 2);
        }
        damage(&file);
        verify(&file, BLOCK, FILE, sample)
    }

    /// Writes to `place` what belongs to `meant`.
    fn write(file: &File, place: u64, meant: u64, epoch: u64) {
        let mut block = vec![0; 2_048];
        Stamp { file: FILE, unit: meant * BLOCK / UNIT_BYTES, epoch }.fill(&mut block);
        file.write_all_at(&block, place * BLOCK).expect("written");
    }

    #[test]
    fn what_was_written_is_found() {
        assert_eq!(file(10, |_| ()), Vec::<String>::new());
    }

    #[test]
    fn each_kind_of_damage_is_distinguished_from_the_others() {
        let messages = file(10, |file| {
            write(file, 3, 3, 1);
            write(file, 4, 4, 1);
            write(file, 5, 6, 2);
            file.write_all_at(b"x", 7 * BLOCK + 100).expect("written");
            // Half of block 8 is as it was before.
            let mut before = vec![0; 1_024];
            Stamp { file: FILE, unit: 8 * 4, epoch: 1 }.fill(&mut before);
            file.write_all_at(&before, 8 * BLOCK).expect("written");
            file.set_len(9 * BLOCK + 5).expect("shortened");
        });
        let whole = |count, what: &str, block| {
            format!("{count} of 10 written blocks read back {what} (block {block})")
        };
        assert_eq!(
            messages[0].split(" (").next(),
            whole(2, "hold what was there before: the write was lost", 3).split(" (").next()
        );
        assert_eq!(messages[1], whole(1, "hold the write only in part: it was torn", 8));
        assert_eq!(messages[2], whole(1, "hold what was written to another place", 5));
        assert_eq!(messages[3], whole(1, "hold something that was never written", 7));
        assert_eq!(messages[4], whole(1, "cannot be read", 9));
        assert_eq!(messages.len(), 5);
    }
}
