//! One table: the buckets of reads or of writes.

use isotherm_frame::{Histogram, Place, Scheme, Series, Unit};

use crate::number;

/// How a device lays out its buckets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Revision {
    /// Groups of the same width: 32 us, then 1,024 us, then 32,768 us.
    Three,
    /// 64 buckets to each power of two, as fio has them.
    Four,
    /// Eight buckets between thresholds that somebody set.
    Optane,
}

/// The rows of a table up to now.
pub(super) struct Table {
    place: Place,
    operation: &'static str,
    major: Option<u64>,
    /// The number of each bucket, the lower bound that is printed, in nanoseconds, and its count.
    rows: Vec<(usize, u64, u64)>,
    damage: Option<String>,
}

/// Buckets of revision 4: 19 groups of 64.
const FOUR: usize = 19 * 64;
/// Buckets of revision 3 that are always printed.
const THREE: usize = 94;
/// Buckets of Optane.
const OPTANE: usize = 8;

impl Revision {
    /// How many buckets are printed at least, and at most.
    fn rows(self) -> (usize, usize) {
        match self {
            // The last three, from a second on, only if they hold anything.
            Revision::Three => (THREE, THREE + 3),
            Revision::Four => (FOUR, FOUR),
            Revision::Optane => (OPTANE, OPTANE),
        }
    }
}

impl Table {
    pub(super) fn new(place: Place, operation: &'static str) -> Table {
        Table { place, operation, major: None, rows: Vec::new(), damage: None }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn events(&self) -> u64 {
        self.rows.iter().fold(0, |all, row| all.saturating_add(row.2))
    }

    pub(super) fn series(&self) -> Series {
        Series::with_attributes("NVMe", [("op", self.operation)])
    }

    /// Takes a line, if it is one of a table; one that is not `ended` may lack digits.
    pub(super) fn take(&mut self, line: &str, ended: bool) -> bool {
        if let Some((name, value)) = line.split_once(" : ") {
            if name == "Major Revision" {
                self.major = value.trim().parse().ok();
            }
            return name.ends_with("Revision");
        }
        if line.starts_with("Average latency") {
            return true;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if !ended && words.len() < 4 && words.first().is_some_and(|one| one.parse::<usize>().is_ok()) {
            self.damage.get_or_insert("the table is cut short".to_owned());
            return true;
        }
        let [bucket, start, _, count] = words[..] else { return self.is_old(&words) };
        let Some((bucket, start_ns)) = bucket.parse().ok().zip(time_ns(start)) else {
            return false;
        };
        match number::whole(count.as_bytes()) {
            Ok(count) if ended => self.rows.push((bucket, start_ns, count)),
            Ok(_) => _ = self.damage.get_or_insert("the table is cut short".to_owned()),
            Err(wrong) => _ = self.damage.get_or_insert(wrong.about("count", count.as_bytes())),
        }
        true
    }

    /// Whether it is a line of older versions: `Group 1: Range is 0-1ms`, `Bucket  0: 0`.
    fn is_old(&mut self, words: &[&str]) -> bool {
        let old = matches!(words, ["Group", ..] | ["Bucket", _, _]);
        if old {
            const OLD: &str = "buckets grouped as in revision 3, which may not be the device's: \
                print them with a version of nvme-cli that has the columns Start and End";
            self.damage.get_or_insert(OLD.to_owned());
        }
        old
    }

    pub(super) fn revision(&self) -> Result<Revision, String> {
        match self.major {
            Some(3) => Ok(Revision::Three),
            Some(4) => Ok(Revision::Four),
            Some(1_000) => Ok(Revision::Optane),
            Some(other) => Err(format!("revision {other} is not known: 3, 4 and 1000 are")),
            None => Err("it does not name its revision".to_owned()),
        }
    }

    pub(super) fn histogram(&self, revision: Revision) -> Result<Histogram, String> {
        if let Some(damage) = &self.damage {
            return Err(damage.clone());
        }
        let (least, most) = revision.rows();
        let in_order =
            self.rows.iter().zip(0..).filter(|((bucket, ..), index)| bucket == index).count();
        if in_order.min(self.rows.len()) < least || self.rows.iter().any(|row| row.0 >= most) {
            return Err(format!("{in_order} buckets instead of {least}"));
        }
        let mut counts = vec![0_u64; most];
        for (bucket, _, count) in &self.rows {
            counts[*bucket] = *count;
        }
        let bounds: Vec<u64> = match revision {
            Revision::Optane => self.rows.iter().map(|row| row.1).collect(),
            Revision::Three => (0..most).map(|bucket| three_us(bucket) * 1_000).collect(),
            Revision::Four => (0..most).map(|bucket| four_us(bucket) * 1_000).collect(),
        };
        made(bounds, counts)
    }
}

/// The histogram of buckets of which the lower bounds are known; the last has no other.
fn made(mut bounds: Vec<u64>, mut counts: Vec<u64>) -> Result<Histogram, String> {
    if bounds.first().is_some_and(|first| *first > 0) {
        bounds.insert(0, 0);
        counts.insert(0, 0);
    }
    bounds.push(Scheme::UNBOUNDED);
    let scheme = Scheme::new(bounds).map_err(|error| error.to_string())?;
    Histogram::new(scheme, counts, None).map_err(|error| error.to_string())
}

/// Where a bucket of revision 3 begins, in microseconds.
fn three_us(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    match bucket {
        0..=31 => 32 * bucket,
        32..=62 => 1_024 * (bucket - 31),
        63..=93 => 32_768 * (bucket - 62),
        _ => 1_048_576 << (bucket - 94),
    }
}

/// Where a bucket of revision 4 begins, in microseconds.
fn four_us(bucket: usize) -> u64 {
    let (group, place) = (bucket as u64 >> 6, bucket as u64 & 63);
    if group < 2 { bucket as u64 } else { (64 + place) << (group - 1) }
}

/// `32.00us`, `1.02ms` or `1.05s`, in nanoseconds.
fn time_ns(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "us" => Unit::Micros,
        "ms" => Unit::Millis,
        "s" => Unit::Seconds,
        _ => return None,
    };
    number::plain_nanos(digits.as_bytes(), unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_begin_where_the_one_before_ends() {
        assert_eq!(
            [0, 31, 32, 62, 63, 93, 94, 96].map(three_us),
            [0, 992, 1_024, 31_744, 32_768, 1_015_808, 1_048_576, 4_194_304]
        );
        assert_eq!([0, 127, 128, 191, 192, 1_215].map(four_us), [0, 127, 128, 254, 256, 127 << 17]);
    }

    #[test]
    fn rows_are_taken_and_other_lines_are_not() {
        let mut table = Table::new(Place { line: 1, byte: 0 }, "read");
        assert!(table.take("Major Revision : 4", true) && table.take("Minor Revision : 1", true));
        assert!(table.take("0           0.00us      1.00us      41", true));
        assert!(!table.take("1795412968", true) && !table.take("x y z 1", true));
        assert_eq!((table.revision(), table.events()), (Ok(Revision::Four), 41));
        assert!(table.histogram(Revision::Four).is_err());
        assert!(table.take("Bucket  0: 0", true));
        assert!(table.histogram(Revision::Four).unwrap_err().contains("nvme-cli"));
    }
}
