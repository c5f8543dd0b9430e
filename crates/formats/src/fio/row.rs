//! Rows of fio's logs: whole numbers with a comma and a blank between them.

use isotherm_frame::{Clock, Nanos, Timestamp, Unit};

/// What fio calls its directions.
pub(super) const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "sync"];

/// The numbers of a row one after another; the last ones of a row may be written in base 16.
pub(super) struct Numbers<'l>(&'l [u8]);

impl<'l> Numbers<'l> {
    pub(super) fn of(line: &'l [u8]) -> Numbers<'l> {
        Numbers(line)
    }

    /// The next number; `None` at the end and where there is none.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        /// So many digits always fit.
        const SAFE: usize = 18;
        let text = self.0.trim_ascii_start();
        let (mut value, mut count) = (0_u64, 0);
        while let Some(digit) = text.get(count).map(|byte| byte.wrapping_sub(b'0')).filter(|it| *it < 10) {
            let digit = u64::from(digit);
            value = if count < SAFE { value * 10 + digit } else { value.checked_mul(10)?.checked_add(digit)? };
            count += 1;
        }
        let rest = text[count..].trim_ascii_start();
        self.0 = match rest.first() {
            None => rest,
            Some(b',') => &rest[1..],
            Some(_) => return None,
        };
        (count > 0).then_some(value)
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}

/// Which log a row is of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Log {
    /// `msec, value, direction, block size[, offset[, priority[, issue time]]]`.
    Values {
        /// Whether it is an average, which has no block size.
        average: bool,
    },
    /// `msec, direction, block size, count, count, ...`.
    Histograms,
}

/// The fewest counts of a row of a histogram log: those of fio 2 at its coarsest.
const FEWEST_COUNTS: usize = 19;

/// Which log a line is of, if any.
pub(super) fn log_of(line: &[u8]) -> Option<Log> {
    let plain = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b' ' | b',' | b'x');
    if !line.iter().all(plain) || !line.windows(2).any(|pair| pair == b", ") {
        return None;
    }
    let commas = memchr::memchr_iter(b',', line).count();
    let mut numbers = Numbers::of(line);
    let (_, second, third, fourth) =
        (numbers.next()?, numbers.next()?, numbers.next()?, numbers.next()?);
    let directions = DIRECTIONS.len() as u64;
    if commas >= FEWEST_COUNTS + 2 {
        return (second < directions).then_some(Log::Histograms);
    }
    let offset = numbers.next().is_none_or(|offset| offset.is_multiple_of(512));
    let fits = third < directions && fourth.is_multiple_of(512) && (3..=6).contains(&commas);
    let fits = fits && offset;
    fits.then_some(Log::Values { average: fourth == 0 })
}

/// The moment of a row, and the clock it counts from: that of the job unless fio was run with
/// `--log_unix_epoch`.
pub(super) fn moment(time: u64, unit: Unit) -> (Timestamp, Clock) {
    /// From here on (2001) milliseconds are those since 1970.
    const EPOCH_FROM: u64 = 1_000_000_000_000_000_000;
    let since = time.saturating_mul(unit.as_nanos().as_nanos());
    let clock = if since >= EPOCH_FROM { Clock::Epoch } else { Clock::Arbitrary };
    (Timestamp::new(0).plus(Nanos::new(since)), clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_distinguished() {
        let of = |line: &str| log_of(line.as_bytes());
        assert_eq!(of("1795237801564, 328980, 0, 8192, 0"), Some(Log::Values { average: false }));
        assert_eq!(of("5, 328980, 1, 4096, 0, 0x0"), Some(Log::Values { average: false }));
        assert_eq!(of("1000, 328980, 0, 0, 0"), Some(Log::Values { average: true }));
        let row = format!("1000, 0, 8192{}", ", 0".repeat(1_856));
        assert_eq!(of(&row), Some(Log::Histograms));
        // An offset on a disk is a multiple of its sectors.
        assert_eq!(of("1795237801564, 328980, 0, 8192, 7"), None);
        for line in ["", "1,2,3,4", "1, 2, 9, 512, 0", "1, 2, 0, 5, 0", "1, a b, 0, 512", "1, 2"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
