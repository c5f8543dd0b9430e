//! Lengths of time and points in time, both in nanoseconds.

use std::fmt;

/// A length of time in nanoseconds: a latency, a bucket bound, a total of time waited.
///
/// Displays with three significant digits and the largest fitting unit: `16.4ms`. Parses what
/// people type: `20ms`, `1.5s`, `250us`, `10m`, `3m40s`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(u64);

/// A point in time: nanoseconds since the zero of the clock it was read from (see
/// [`Clock`](crate::Clock)); for most sources the Unix epoch.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Nanos = Nanos(0);
    /// One second.
    pub const SECOND: Nanos = Nanos(1_000_000_000);

    /// `ns` nanoseconds.
    pub const fn new(ns: u64) -> Nanos {
        Nanos(ns)
    }

    /// `us` microseconds; the largest value that fits when that is more.
    pub const fn from_micros(us: u64) -> Nanos {
        Nanos(us.saturating_mul(1_000))
    }

    /// `ms` milliseconds; the largest value that fits when that is more.
    pub const fn from_millis(ms: u64) -> Nanos {
        Nanos(ms.saturating_mul(1_000_000))
    }

    /// `secs` seconds rounded to nanoseconds; `None` when negative, not a number or too long.
    pub fn from_secs_f64(secs: f64) -> Option<Nanos> {
        let ns = (secs * 1e9).round();
        // 2^64 as a float: the first value that no longer fits.
        let fits = (0.0..18_446_744_073_709_551_616.0).contains(&ns);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "range checked"
        )]
        fits.then_some(Nanos(ns as u64))
    }

    /// The number of nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The length in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The sum, or `None` when it does not fit.
    pub fn checked_add(self, other: Nanos) -> Option<Nanos> {
        self.0.checked_add(other.0).map(Nanos)
    }

    /// The difference, or `None` when it would be negative.
    pub fn checked_sub(self, other: Nanos) -> Option<Nanos> {
        self.0.checked_sub(other.0).map(Nanos)
    }
}

impl Timestamp {
    /// `ns` nanoseconds after the clock's zero.
    pub const fn new(ns: i64) -> Timestamp {
        Timestamp(ns)
    }

    /// Nanoseconds after the clock's zero.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Seconds after the clock's zero.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The point `length` later; the last representable one when that is beyond it.
    #[must_use]
    pub fn plus(self, length: Nanos) -> Timestamp {
        Timestamp(self.0.saturating_add_unsigned(length.0))
    }

    /// The point `length` earlier; the first representable one when that is before it.
    #[must_use]
    pub fn minus(self, length: Nanos) -> Timestamp {
        Timestamp(self.0.saturating_sub_unsigned(length.0))
    }

    /// The time from `earlier` to here; zero when `earlier` is in fact later.
    pub fn since(self, earlier: Timestamp) -> Nanos {
        if self.0 > earlier.0 { Nanos(self.0.abs_diff(earlier.0)) } else { Nanos::ZERO }
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            0..1_000 => return f.pad(&format!("{}ns", self.0)),
            1_000..999_500 => (self.0 as f64 / 1e3, "µs"),
            999_500..999_500_000 => (self.0 as f64 / 1e6, "ms"),
            999_500_000..=u64::MAX => (self.0 as f64 / 1e9, "s"),
        };
        let decimals = match value {
            ..9.995 => 2,
            ..99.95 => 1,
            _ => 0,
        };
        let text = format!("{value:.decimals$}");
        let short =
            if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        f.pad(&format!("{short}{unit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_display_with_three_significant_digits() {
        let shown = |ns: u64| Nanos::new(ns).to_string();
        assert_eq!(shown(0), "0ns");
        assert_eq!(shown(999), "999ns");
        assert_eq!(shown(1_024), "1.02µs");
        assert_eq!(shown(16_384_000), "16.4ms");
        assert_eq!(shown(999_600), "1ms");
        assert_eq!(shown(128_000), "128µs");
        assert_eq!(shown(1_073_741_824), "1.07s");
        assert_eq!(shown(120_000_000_000), "120s");
    }

    #[test]
    fn lengths_parse_as_people_type_them() {
        let parsed = |text: &str| text.parse::<Nanos>().map(Nanos::as_nanos);
        assert_eq!(parsed("20ms"), Ok(20_000_000));
        assert_eq!(parsed("1.5s"), Ok(1_500_000_000));
        assert_eq!(parsed("250µs"), Ok(250_000));
        assert_eq!(parsed("10m"), Ok(600_000_000_000));
        assert!(parsed("20").is_err());
        assert!(parsed("-1s").is_err());
        assert!(parsed("fast").is_err());
        assert!(parsed("1e99s").is_err());
    }

    #[test]
    fn time_between_points_is_never_negative() {
        let early = Timestamp::new(-5);
        assert_eq!(early.plus(Nanos::new(8)).since(early), Nanos::new(8));
        assert_eq!(early.since(early.plus(Nanos::new(8))), Nanos::ZERO);
    }
}
