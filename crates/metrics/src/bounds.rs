//! The one list of bounds that all series have, for ever.

/// The exponents of the first bound above zero and of the last, powers of two of nanoseconds: about 1 us
/// and 73 minutes.
const FIRST: u32 = 10;
const LAST: u32 = 42;
/// Fine bounds in an octave.
const PARTS: u64 = 8;

/// Upper bounds of buckets. They never change, or nobody could add up series of two programs, of two
/// releases, or of two moments.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Bounds {
    /// 0 and the powers of two from 1.024 us to 4,398 s: 34 bounds.
    #[default]
    Octave,
    /// 0 and eight of the same width in each of these octaves: 258 bounds.
    Fine,
}

impl Bounds {
    /// Nanoseconds, ascending. The first is 0 and the last 2^42, so that the buckets below and above
    /// all bounds, which some readers do not draw, stay empty.
    pub fn list_ns(self) -> Vec<u64> {
        let mut bounds = vec![0];
        for octave in FIRST..LAST {
            let low = 1_u64 << octave;
            match self {
                Bounds::Octave => bounds.push(low),
                Bounds::Fine => bounds.extend((0..PARTS).map(|part| low + part * (low / PARTS))),
            }
        }
        bounds.push(1 << LAST);
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_what_was_promised_once() {
        let octaves = Bounds::Octave.list_ns();
        assert_eq!((octaves.len(), octaves[0], octaves[1]), (34, 0, 1_024));
        assert_eq!(octaves.last(), Some(&4_398_046_511_104));
        let fine = Bounds::Fine.list_ns();
        assert_eq!(fine.len(), 258);
        assert!(fine.is_sorted() && octaves.iter().all(|bound| fine.contains(bound)));
        assert_eq!(fine[2] - fine[1], 128);
    }
}
