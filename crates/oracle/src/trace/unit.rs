//! What the numbers of a trace count.

use isotherm_frame::{Nanos, Unit};

/// What `ela`, `e`, `c` and `tim` count.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TraceUnit {
    /// Hundredths of a second, up to 8i.
    Centiseconds,
    /// Microseconds, since 9i.
    Micros,
}

impl TraceUnit {
    /// The unit of the release that a banner names, such as `Oracle8i Enterprise Edition Release
    /// 8.1.7.4.0 - Production`; none if it names no release.
    pub fn of_banner(banner: &[u8]) -> Option<TraceUnit> {
        let at = memchr::memmem::find(banner, b" Release ")? + 9;
        let (major, _) = super::digits::leading(banner.get(at..)?)?;
        Some(if major < 9 { TraceUnit::Centiseconds } else { TraceUnit::Micros })
    }

    /// The unit that a user gives: a trace has no others.
    pub const fn given(unit: Unit) -> TraceUnit {
        match unit {
            Unit::Centis => TraceUnit::Centiseconds,
            _ => TraceUnit::Micros,
        }
    }

    /// The length of one unit.
    pub const fn as_nanos(self) -> Nanos {
        match self {
            TraceUnit::Centiseconds => Nanos::from_millis(10),
            TraceUnit::Micros => Nanos::from_micros(1),
        }
    }

    /// So many units; the longest time there is, if they are longer.
    #[inline]
    pub const fn times(self, count: u64) -> Nanos {
        Nanos::new(count.saturating_mul(self.as_nanos().as_nanos()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_before_nine_count_centiseconds() {
        for (banner, unit) in [
            ("Oracle8i Enterprise Edition Release 8.1.7.4.0 - Production", 10_000_000),
            ("Oracle7 Server Release 7.3.4.0.0 - Production Release", 10_000_000),
            ("Oracle9i Enterprise Edition Release 9.2.0.8.0 - 64bit Production", 1_000),
            ("Oracle Database 10g Enterprise Edition Release 10.2.0.4.0 - Production", 1_000),
            ("Oracle Database 23ai Enterprise Edition Release 23.0.0.0.0 - Production", 1_000),
        ] {
            let found = TraceUnit::of_banner(banner.as_bytes()).unwrap();
            assert_eq!(found.as_nanos(), Nanos::new(unit), "{banner}");
        }
        assert_eq!(TraceUnit::of_banner(b"Oracle Database"), None);
    }
}
