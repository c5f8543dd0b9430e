//! Interval logs of `HdrHistogram`, version 1.3.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use isotherm_frame::{Bucket, Detail, Frame, Histogram, Series, Timestamp, leb128};

use super::{ExportError, Selection};
use crate::Reader;

/// How closely a log tells values apart.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Precision {
    /// Digits that its buckets keep.
    digits: i32,
    /// Values that are told apart exactly, as a power of two.
    bits: u32,
}

/// From the coarsest on.
const PRECISIONS: [Precision; 3] = [
    Precision { digits: 1, bits: 5 },
    Precision { digits: 2, bits: 8 },
    Precision { digits: 3, bits: 11 },
];

/// The longest latency that readers are told to expect at least: an hour.
const HOUR_NS: u64 = 3_600_000_000_000;
/// The cookies of version 2, with the word size that says how counts are packed.
const PLAIN: i32 = 0x1c84_9313;
const COMPRESSED: i32 = 0x1c84_9314;

/// One row for each frame, its series as the tag, values in nanoseconds. The events of a
/// bucket are counted at its middle, to as few digits as tell the recorded buckets apart: a recording of
/// such a log is written as it was read. Gaps, marks and exact sums cannot be said.
pub fn write_hlog(
    reader: &Reader,
    selection: &Selection<'_>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut tags: BTreeMap<String, Series> = BTreeMap::new();
    let mut begun = false;
    let (precision, widest) = precision(reader, selection)?;
    let remark = widest.map(remark);
    for frame in selection.frames(reader)? {
        let frame = frame?;
        if frame.is_gap() || frame.is_amendment() {
            continue;
        }
        if !std::mem::replace(&mut begun, true) {
            write_head(frame.start, remark.as_deref(), out)?;
        }
        let tag = tag_of(&frame.series);
        let known = tags.entry(tag.clone()).or_insert_with(|| frame.series.clone());
        if *known != frame.series {
            let (one, two) = (known.clone(), frame.series.clone());
            return Err(ExportError::SameTag { one, two, tag });
        }
        write_row(&frame, &tag, precision, out)?;
    }
    if !begun {
        write_head(Timestamp::new(0), None, out)?;
    }
    Ok(())
}

/// What a log of this recording cannot say; nothing where its buckets are as wide as the recorded ones.
pub fn hlog_remark(
    reader: &Reader,
    selection: &Selection<'_>,
) -> Result<Option<String>, ExportError> {
    Ok(precision(reader, selection)?.1.map(remark))
}

fn remark(widest: Width) -> String {
    let width = match widest {
        Width::PerCent(width) => format!("up to {width} % wide"),
        Width::Unbounded => "without an upper bound".to_owned(),
    };
    format!(
        "values are the middles of buckets that are {width}: they are read back as more exact than they \
         are, and sums are those of the values"
    )
}

/// How wide the widest recorded bucket is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    PerCent(u64),
    Unbounded,
}

/// The fewest digits whose buckets are nowhere wider than the recorded ones, and how wide these are where
/// that is wider.
fn precision(
    reader: &Reader,
    selection: &Selection<'_>,
) -> Result<(Precision, Option<Width>), ExportError> {
    let mut buckets = BTreeSet::new();
    for frame in selection.frames(reader)? {
        let frame = frame?;
        if frame.counts.detail() == Detail::Averages {
            return Err(ExportError::Averages(frame.series));
        }
        let used = frame.counts.non_zero().map(|(bucket, _)| bucket);
        buckets.extend(used.map(|bucket| (bucket.lo, bucket.hi)));
    }
    let buckets = || buckets.iter().map(|&(lo, hi)| Bucket { lo, hi });
    let fits = |precision: &&Precision| {
        buckets()
            .all(|bucket| width(bucket).is_none_or(|wide| precision.width(middle(bucket)) <= wide))
    };
    let [.., finest] = PRECISIONS;
    let chosen = PRECISIONS.iter().find(fits).copied().unwrap_or(finest);
    let widths = buckets().filter_map(|bucket| {
        let middle = middle(bucket);
        let Some(wide) = width(bucket) else { return Some(Width::Unbounded) };
        let wider = wide > chosen.width(middle);
        wider.then(|| Width::PerCent(wide.saturating_mul(100).div_ceil(middle.max(1))))
    });
    Ok((chosen, widths.max()))
}

fn middle(bucket: Bucket) -> u64 {
    bucket.mid_point().as_nanos()
}

fn width(bucket: Bucket) -> Option<u64> {
    bucket.hi.map(|hi| hi.as_nanos() - bucket.lo.as_nanos())
}

fn write_head(start: Timestamp, remark: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "#[Histogram log format version 1.3]")?;
    writeln!(out, "#[Written by isotherm]")?;
    if let Some(remark) = remark {
        writeln!(out, "#[isotherm: {remark}]")?;
    }
    let seconds = seconds(start.as_nanos().unsigned_abs());
    writeln!(out, "#[StartTime: {seconds} (seconds since epoch)]")?;
    writeln!(out, "#[BaseTime: 0.000 (seconds since epoch)]")?;
    let legend =
        ["StartTimestamp", "Interval_Length", "Interval_Max", "Interval_Compressed_Histogram"];
    writeln!(out, "{}", legend.map(|name| format!("\"{name}\"")).join(","))
}

/// What a series is called: a tag has no comma, blank or line break.
fn tag_of(series: &Series) -> String {
    series.full().replace([',', ' ', '\t', '\n', '\r'], "_")
}

fn write_row(
    frame: &Frame,
    tag: &str,
    precision: Precision,
    out: &mut dyn Write,
) -> io::Result<()> {
    let counts = counts(&frame.counts);
    let greatest = counts.keys().next_back().copied().unwrap_or(0);
    let start = seconds(u64::try_from(frame.start.as_nanos()).unwrap_or(0));
    let length = seconds(frame.length().as_nanos());
    let max = format!("{}.{:03}", greatest / 1_000_000, greatest % 1_000_000 / 1_000);
    let payload = base64(&compressed(&packed(&counts, precision))?);
    writeln!(out, "Tag={tag},{start},{length},{max},{payload}")
}

/// Nanoseconds as seconds, in thousandths where that is exact.
fn seconds(ns: u64) -> String {
    let (whole, rest) = (ns / 1_000_000_000, ns % 1_000_000_000);
    if rest % 1_000_000 == 0 {
        format!("{whole}.{:03}", rest / 1_000_000)
    } else {
        format!("{whole}.{rest:09}")
    }
}

/// How many events are counted at which value, in nanoseconds.
fn counts(histogram: &Histogram) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for (bucket, count) in histogram.non_zero() {
        *counts.entry(bucket.mid_point().as_nanos()).or_default() += count;
    }
    counts
}

impl Precision {
    /// The power of two that is the width of the bucket of a value.
    fn group(self, value: u64) -> u32 {
        let exact = (1_u64 << self.bits) - 1;
        (value | exact).ilog2() + 1 - self.bits
    }

    /// The width of the bucket of a value.
    fn width(self, value: u64) -> u64 {
        1 << self.group(value)
    }

    /// The number of the bucket of a value.
    fn index_of(self, value: u64) -> u64 {
        let (group, half) = (self.group(value), 1_u64 << (self.bits - 1));
        if group == 0 { value } else { (u64::from(group) + 1) * half + (value >> group) - half }
    }
}

/// A histogram as version 2 writes it: a head, then the counts in order, a run of empty buckets as a
/// negative number.
fn packed(counts: &BTreeMap<u64, u64>, precision: Precision) -> Vec<u8> {
    let mut buckets: BTreeMap<u64, u64> = BTreeMap::new();
    for (value, count) in counts {
        *buckets.entry(precision.index_of(*value)).or_default() += count;
    }
    let (mut body, mut next) = (Vec::new(), 0);
    for (index, count) in buckets {
        match index - next {
            0 => {}
            // One empty bucket is a zero.
            1 => leb128::push(&mut body, 0),
            empty => leb128::push(&mut body, 2 * empty - 1),
        }
        leb128::push(&mut body, 2 * count);
        next = index + 1;
    }
    let greatest = counts.keys().next_back().copied().unwrap_or(0);
    let highest = greatest.saturating_mul(2).max(HOUR_NS).min(i64::MAX.unsigned_abs());
    let length = i32::try_from(body.len()).unwrap_or(i32::MAX);
    let mut bytes = Vec::new();
    for word in [PLAIN, length, 0, precision.digits] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(1_u64.to_be_bytes());
    bytes.extend(highest.to_be_bytes());
    bytes.extend(1.0_f64.to_be_bytes());
    bytes.extend(body);
    bytes
}

fn compressed(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain)?;
    let body = encoder.finish()?;
    let length = i32::try_from(body.len()).unwrap_or(i32::MAX);
    let mut bytes = Vec::with_capacity(body.len() + 8);
    bytes.extend(COMPRESSED.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes.extend(body);
    Ok(bytes)
}

/// Base64 with padding (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0_usize, |word, byte| word << 8 | usize::from(*byte));
        let word = word << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = ALPHABET[word >> (18 - 6 * place) & 63];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_library() {
        // Three digits: 2,048 values exactly, then 1,024 in each power of two.
        let of = [0, 2_047, 2_048, 2_049, 2_050, 4_095, 4_096, 1 << 40];
        let of = of.map(|value| PRECISIONS[2].index_of(value));
        assert_eq!(of, [0, 2_047, 2_048, 2_048, 2_049, 3_071, 3_072, 31 * 1_024]);
    }

    #[test]
    fn letters_are_those_of_the_standard() {
        // The examples of RFC 4648, section 10.
        for (plain, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(plain.as_bytes()), expected);
        }
    }

    #[test]
    fn counts_are_packed_with_runs_of_empty_buckets() {
        let bytes = packed(&BTreeMap::from([(1, 3), (3, 1), (9, 64)]), PRECISIONS[2]);
        // One empty bucket, 3 events, one empty, 1 event, five empty, 64 events.
        assert_eq!(bytes[40..], [0, 6, 0, 2, 9, 0x80, 1]);
        assert_eq!(bytes[..4], PLAIN.to_be_bytes());
        assert_eq!(bytes[4..8], 7_i32.to_be_bytes());
    }

    #[test]
    fn times_are_in_thousandths_where_that_is_exact() {
        assert_eq!(seconds(1_795_238_400_250_000_000), "1795238400.250");
        assert_eq!(seconds(1), "0.000000001");
    }
}
