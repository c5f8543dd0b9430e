//! A line of `/proc/diskstats`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use isotherm_frame::{Histogram, Nanos, Series};

/// The operations, with the places of their count and their milliseconds after the device's name.
const OPERATIONS: [(&str, usize, usize); 4] =
    [("read", 0, 3), ("write", 4, 7), ("discard", 11, 14), ("flush", 15, 16)];
/// How many numbers kernels print: before 4.18, before 5.5, and since.
const LENGTHS: [usize; 3] = [11, 15, 17];

/// What a line says of a device.
#[derive(Debug, PartialEq, Eq)]
pub struct DeviceLine<'l> {
    /// What the kernel calls it: `sda`, `nvme0n1p1`.
    pub name: &'l str,
    numbers: Vec<u64>,
}

/// A device's requests of one operation.
fn series(device: &str, operation: &str) -> Series {
    Series::with_attributes("disk I/O", [("device", device), ("op", operation)])
}

/// The totals of a device by operation, without those that never happened.
type Totals = Vec<(Series, Histogram)>;

impl<'l> DeviceLine<'l> {
    /// Reads `MAJOR MINOR NAME` and the numbers after it; more than are known are left alone.
    pub fn read(line: &'l [u8]) -> Result<DeviceLine<'l>, Cow<'static, str>> {
        let text = std::str::from_utf8(line).map_err(|_| "not a line of /proc/diskstats")?;
        let mut words = text.split_ascii_whitespace();
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let numbered = number().zip(number());
        let name = words.next().filter(|name| name.starts_with(|c: char| c.is_alphabetic()));
        let name = numbered.and(name).ok_or("not a line of /proc/diskstats")?;
        let numbers: Result<Vec<u64>, _> = words.map(str::parse).collect();
        let numbers = numbers.map_err(|_| "a counter of the device is not a whole number")?;
        let longest = LENGTHS[LENGTHS.len() - 1];
        if LENGTHS.contains(&numbers.len()) || numbers.len() > longest {
            return Ok(DeviceLine { name, numbers });
        }
        let found = numbers.len();
        Err(format!("{found} counters of the device instead of 11, 15 or 17").into())
    }
}

/// Milliseconds that the kernel counts in 32 bits, carried on.
#[derive(Debug, Default)]
pub struct Ticks {
    known: BTreeMap<Series, Tick>,
}

#[derive(Copy, Clone, Debug, Default)]
struct Tick {
    count: u64,
    ms: u64,
    /// What the counter lost by beginning anew at zero.
    carried_ms: u64,
}

impl Ticks {
    /// One more than the counter holds.
    const WRAP: u64 = 1 << 32;

    /// The totals of a device, without operations that never happened.
    pub fn totals(&mut self, device: &DeviceLine<'_>) -> Totals {
        let pair = |(name, count, ms): (&str, usize, usize)| {
            let (count, ms) = (*device.numbers.get(count)?, *device.numbers.get(ms)?);
            (count > 0).then(|| (series(device.name, name), count, ms))
        };
        let found: Vec<_> = OPERATIONS.into_iter().filter_map(pair).collect();
        found
            .into_iter()
            .map(|(series, count, ms)| {
                let ms = self.carried(&series, count, ms);
                let total = Nanos::new(ms.saturating_mul(1_000_000));
                (series, Histogram::of_averages(count, total))
            })
            .collect()
    }

    /// The milliseconds with those that were lost when the counter passed 2^32. That the count did not
    /// fall tells it from a device that was made anew.
    fn carried(&mut self, series: &Series, count: u64, ms: u64) -> u64 {
        let known = self.known.entry(series.clone()).or_default();
        let wrapped = count >= known.count && ms < known.ms && known.ms < Ticks::WRAP;
        let carried_ms = match (wrapped && known.ms - ms > Ticks::WRAP / 2, count < known.count) {
            (true, _) => known.carried_ms + Ticks::WRAP,
            (false, true) => 0,
            (false, false) => known.carried_ms,
        };
        *known = Tick { count, ms, carried_ms };
        carried_ms.saturating_add(ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "7 0 loop0 30837 0 5674512 11803 17130 0 137056 24202 1 27484 54487 0 0 0 0 17130 18481";

    fn totals(ticks: &mut Ticks, line: &str) -> Vec<(String, u64, u64)> {
        let device = DeviceLine::read(line.as_bytes()).unwrap();
        let plain = |(series, total): (Series, Histogram)| {
            let op = series.attributes().find(|(key, _)| *key == "op").unwrap().1.to_owned();
            (op, total.events(), total.sum().unwrap().as_nanos() / 1_000_000)
        };
        ticks.totals(&device).into_iter().map(plain).collect()
    }

    #[test]
    fn every_operation_has_its_count_and_its_time() {
        let expected = [("read", 30_837, 11_803), ("write", 17_130, 24_202), ("flush", 17_130, 18_481)];
        let expected: Vec<_> = expected.map(|(op, n, ms)| (op.to_owned(), n, ms)).into();
        assert_eq!(totals(&mut Ticks::default(), LINE), expected);
        let old = "8 0 sda 5 0 40 7 6 0 48 9 0 12 16";
        let of_old: Vec<u64> = totals(&mut Ticks::default(), old).iter().map(|t| t.2).collect();
        assert_eq!(of_old, [7, 9]);
    }

    #[test]
    fn what_is_no_line_says_why() {
        for line in ["", "7 0 loop0", "7 0 loop0 1 2 3", "loop0 7 0", "7 0 sda 1 2 3 4 5 6 7 8 9 10 x"] {
            assert!(DeviceLine::read(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_counter_of_32_bits_goes_on_and_one_that_began_anew_falls() {
        let mut ticks = Ticks::default();
        let mut at = |count: u64, ms: u64| {
            let line = format!("8 0 sda {count} 0 0 {ms} 0 0 0 0 0 0 0");
            totals(&mut ticks, &line).first().map(|found| found.2)
        };
        assert_eq!(at(10, 4_294_967_000), Some(4_294_967_000));
        assert_eq!(at(12, 500), Some(4_294_967_296 + 500));
        assert_eq!(at(13, 600), Some(4_294_967_296 + 600));
        assert_eq!(at(3, 20), Some(20), "made anew: the total falls");
        assert_eq!(at(4, 10), Some(10), "a small step back is no wrap");
    }
}
