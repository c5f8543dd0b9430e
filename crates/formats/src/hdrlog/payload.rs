//! The encoded histogram of a row: V0, V1 and V2, compressed or not.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use isotherm_frame::{Histogram, Nanos};
use thiserror::Error;

use crate::disjoint;

/// Why a histogram cannot be decoded.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum PayloadError {
    #[error("it is not compressed as HdrHistogram does it: it is damaged or cut")]
    Compression,
    #[error("it holds values with fractions (DoubleHistogram): give their unit with --unit")]
    NoUnit,
    #[error("it is of an unknown version of HdrHistogram")]
    Version,
    #[error("its header is impossible")]
    Header,
    #[error("its counts are damaged or cut")]
    Counts,
    #[error("its latencies are too long: the unit may be another (--unit)")]
    TooLong,
}

/// How a histogram counts.
#[derive(Copy, Clone, Debug)]
struct Shape {
    /// Values below so many are told apart exactly, as a power of two.
    sub_bucket_bits: u32,
    /// The power of two of the smallest difference.
    unit_magnitude: u32,
}

impl Shape {
    fn new(lowest: i64, digits: i32) -> Option<Shape> {
        let lowest = u64::try_from(lowest).ok()?.max(1);
        let digits = u32::try_from(digits).ok().filter(|digits| *digits <= 5)?;
        let single = 2 * 10_u64.pow(digits);
        let sub_bucket_bits = single.next_power_of_two().trailing_zeros().max(1);
        let unit_magnitude = lowest.ilog2();
        (sub_bucket_bits + unit_magnitude <= 61).then_some(Shape { sub_bucket_bits, unit_magnitude })
    }

    /// The first value of a bucket and how many values it has; `None` beyond all values.
    fn bucket(self, index: usize) -> Option<(u64, u64)> {
        let index = u64::try_from(index).ok()?;
        let half = 1_u64 << (self.sub_bucket_bits - 1);
        let group = index >> (self.sub_bucket_bits - 1);
        let (group, within) = match group.checked_sub(1) {
            Some(group) => (u32::try_from(group).ok()?, (index & (half - 1)) + half),
            None => (0, index),
        };
        let shift = group.checked_add(self.unit_magnitude)?;
        let lo = within.checked_mul(1_u64.checked_shl(shift)?)?;
        Some((lo, 1 << shift))
    }
}

/// Reads big-endian numbers.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn int(&mut self) -> Option<i32> {
        self.take().map(i32::from_be_bytes)
    }

    fn long(&mut self) -> Option<i64> {
        self.take().map(i64::from_be_bytes)
    }

    /// A `ZigZag` number of at most nine bytes, seven bits each and eight in the last.
    fn zigzag(&mut self) -> Option<i64> {
        let mut value = 0_u64;
        for place in 0..9 {
            let [byte] = self.take()?;
            if place == 8 {
                value |= u64::from(byte) << 56;
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let half = i64::try_from(value >> 1).ok()?;
        Some(if value & 1 == 0 { half } else { -half - 1 })
    }
}

/// How counts are written, which the low byte of the cookie tells with the size of a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Version {
    V0,
    V1,
    V2,
}

const BASE: i32 = 0x1c84_9300;
/// The most that a histogram takes when it is not compressed.
const MOST: u64 = 64 << 20;

/// What the values of a payload are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Whole,
    /// `DoubleHistogram`: whole numbers and what one of them is.
    Fractions,
}

/// What the values of a payload are.
pub(super) fn values(payload: &[u8]) -> Values {
    let cookie = Bytes(payload).int().unwrap_or(0);
    // The digit of the cookie that tells the size of a word says nothing about compression.
    if matches!(cookie & !0xf0, 0x0c72_120e | 0x0c72_120f) { Values::Fractions } else { Values::Whole }
}

/// The histogram of a payload whose values have `unit_ns` nanoseconds.
pub(super) fn histogram(payload: &[u8], unit_ns: u64) -> Result<Histogram, PayloadError> {
    /// Its cookie, its digits and the ratio of its highest to its lowest value.
    const HEAD_OF_FRACTIONS: usize = 16;
    match values(payload) {
        Values::Whole => whole(payload, |_| unit_ns as f64),
        Values::Fractions => {
            let inner = payload.get(HEAD_OF_FRACTIONS..).ok_or(PayloadError::Header)?;
            whole(inner, |ratio| ratio * unit_ns as f64)
        }
    }
}

/// The histogram of whole numbers, each of so many nanoseconds as `ns_of` makes of the ratio that is
/// written with it.
fn whole(payload: &[u8], ns_of: impl Fn(f64) -> f64) -> Result<Histogram, PayloadError> {
    let mut bytes = Bytes(payload);
    let cookie = bytes.int().ok_or(PayloadError::Version)?;
    let compressed = [BASE + 0x9, BASE + 0x2, BASE + 0x4];
    if !compressed.contains(&(cookie & !0xf0)) {
        return uncompressed(payload, ns_of);
    }
    let length = bytes.int().and_then(|length| usize::try_from(length).ok());
    let inner = length.and_then(|length| bytes.0.get(..length)).ok_or(PayloadError::Compression)?;
    let mut decoded = Vec::new();
    let read = ZlibDecoder::new(inner).take(MOST).read_to_end(&mut decoded);
    read.map_err(|_| PayloadError::Compression)?;
    uncompressed(&decoded, ns_of)
}

fn uncompressed(payload: &[u8], ns_of: impl Fn(f64) -> f64) -> Result<Histogram, PayloadError> {
    let mut bytes = Bytes(payload);
    let cookie = bytes.int().ok_or(PayloadError::Version)?;
    let version = match cookie & !0xf0 {
        kind if kind == BASE + 0x3 => Version::V2,
        kind if kind == BASE + 0x1 => Version::V1,
        kind if kind == BASE + 0x8 => Version::V0,
        _ => return Err(PayloadError::Version),
    };
    let word = usize::try_from((cookie >> 4) & 0xf).unwrap_or(0);
    let (shape, length, ratio) = header(&mut bytes, version).ok_or(PayloadError::Header)?;
    let counts = bytes.0.get(..length.min(bytes.0.len())).unwrap_or_default();
    if version != Version::V0 && counts.len() < length {
        return Err(PayloadError::Counts);
    }
    let counts = if version == Version::V2 { packed(counts) } else { words(counts, word) };
    in_buckets(shape, &counts.ok_or(PayloadError::Counts)?, ns_of(ratio))
}

/// The shape of a histogram, how many bytes of counts follow, and what one of its whole numbers is.
fn header(bytes: &mut Bytes<'_>, version: Version) -> Option<(Shape, usize, f64)> {
    if version == Version::V0 {
        let (digits, lowest) = (bytes.int()?, bytes.long()?);
        let (_highest, _total) = (bytes.long()?, bytes.long()?);
        return Some((Shape::new(lowest, digits)?, usize::MAX, 1.0));
    }
    let length = usize::try_from(bytes.int()?).ok()?;
    let (_offset, digits, lowest) = (bytes.int()?, bytes.int()?, bytes.long()?);
    let (_highest, ratio) = (bytes.long()?, f64::from_be_bytes(bytes.take()?));
    Some((Shape::new(lowest, digits)?, length, ratio))
}

/// The most buckets of any shape that is allowed here.
const MOST_BUCKETS: usize = 64 << 17;

/// Counts in order; a negative one is so many empty buckets.
fn packed(bytes: &[u8]) -> Option<Vec<(usize, u64)>> {
    let (mut bytes, mut index, mut counts) = (Bytes(bytes), 0_usize, Vec::new());
    while !bytes.0.is_empty() {
        let count = bytes.zigzag()?;
        match u64::try_from(count) {
            Ok(count) => {
                if count > 0 {
                    counts.push((index, count));
                }
                index += 1;
            }
            Err(_) => {
                index = index.checked_add(usize::try_from(count.unsigned_abs()).ok()?)?;
            }
        }
        if index > MOST_BUCKETS {
            return None;
        }
    }
    Some(counts)
}

/// Counts of one, two, four or eight bytes each.
fn words(bytes: &[u8], word: usize) -> Option<Vec<(usize, u64)>> {
    if !matches!(word, 1 | 2 | 4 | 8) || !bytes.len().is_multiple_of(word) {
        return None;
    }
    let value = |bytes: &[u8]| bytes.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let counts = bytes.chunks(word).map(value).enumerate();
    Some(counts.filter(|(_, count)| *count > 0).collect())
}

/// The counted buckets, with empty ones between them.
fn in_buckets(
    shape: Shape,
    counted: &[(usize, u64)],
    unit_ns: f64,
) -> Result<Histogram, PayloadError> {
    let ns = |value: u64| scaled(value, unit_ns).ok_or(PayloadError::TooLong);
    let mut buckets: Vec<(u64, u64, u64)> = Vec::new();
    for &(index, count) in counted {
        let (lo, length) = shape.bucket(index).ok_or(PayloadError::Counts)?;
        let hi = lo.checked_add(length).ok_or(PayloadError::TooLong)?;
        let (lo, hi) = (ns(lo)?, ns(hi)?);
        match buckets.last_mut() {
            // Narrower than a nanosecond.
            Some(last) if hi <= last.1 => last.2 = last.2.saturating_add(count),
            _ => buckets.push((lo, hi.max(lo + 1), count)),
        }
    }
    disjoint::histogram(buckets.into_iter()).ok_or(PayloadError::Counts)
}

/// So many units in nanoseconds: exactly where a unit is a whole number of them.
fn scaled(value: u64, unit_ns: f64) -> Option<u64> {
    let whole = Nanos::from_secs_f64(unit_ns / 1e9).map(Nanos::as_nanos);
    match whole.filter(|whole| (*whole as f64 - unit_ns).abs() < f64::EPSILON) {
        Some(whole) => value.checked_mul(whole),
        None => Nanos::from_secs_f64(value as f64 * unit_ns / 1e9).map(Nanos::as_nanos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_library() {
        // Three digits: 2,048 values exactly, then 1,024 in each power of two.
        let shape = Shape::new(1, 3).unwrap();
        assert_eq!(shape.bucket(0), Some((0, 1)));
        assert_eq!(shape.bucket(2_047), Some((2_047, 1)));
        assert_eq!(shape.bucket(2_048), Some((2_048, 2)));
        assert_eq!(shape.bucket(3_071), Some((4_094, 2)));
        assert_eq!(shape.bucket(3_072), Some((4_096, 4)));
        let thousand = Shape::new(1_000, 2).unwrap();
        assert_eq!(thousand.bucket(1), Some((512, 512)));
        assert!(Shape::new(1, 9).is_none());
    }

    #[test]
    fn numbers_are_zigzag() {
        let of = |bytes: &[u8]| Bytes(bytes).zigzag();
        assert_eq!(of(&[0]), Some(0));
        assert_eq!(of(&[1]), Some(-1));
        assert_eq!(of(&[2]), Some(1));
        assert_eq!(of(&[0x80, 0x01]), Some(64));
        assert_eq!(of(&[0xff; 9]), Some(i64::MIN));
        assert_eq!(of(&[0x80]), None);
    }
}
