//! A band of latencies, and the share of reads in it.

use isotherm_frame::Nanos;

/// The share of the reads that a band must hold to be theirs.
const MOST: f64 = 0.9;
/// Standard errors of an interval of 90 % confidence.
const REACH: f64 = 1.645;

/// Latencies from one power of two of microseconds up to another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Band {
    lo: Nanos,
    hi: Nanos,
}

/// Reads in a band, of all.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub within: u64,
    pub all: u64,
}

impl Band {
    /// The narrowest band with nine of ten of these latencies; of several the one with the most of them.
    /// None without any latency.
    pub fn of(latencies: &[Nanos]) -> Option<Band> {
        let octave = |latency: &Nanos| (latency.as_nanos() / 1_000).max(1).ilog2();
        let (first, last) =
            (latencies.iter().map(octave).min()?, latencies.iter().map(octave).max()?);
        let bands = (1..=last - first + 1).flat_map(|width| {
            (first..=last + 1 - width).map(move |from| (width, Band::octaves(from, from + width)))
        });
        let full = bands.map(|(width, band)| (width, band, band.share(latencies).within));
        full.filter(|(_, _, within)| *within as f64 >= MOST * latencies.len() as f64)
            .min_by_key(|(width, _, within)| (*width, std::cmp::Reverse(*within)))
            .map(|(_, band, _)| band)
    }

    /// From 2^`from` µs up to 2^`to` µs; the lowest holds all that is shorter, too.
    fn octaves(from: u32, to: u32) -> Band {
        let micros =
            |octave: u32| Nanos::from_micros(1_u64.checked_shl(octave).unwrap_or(u64::MAX));
        Band { lo: if from == 0 { Nanos::ZERO } else { micros(from) }, hi: micros(to) }
    }

    pub fn share(self, latencies: &[Nanos]) -> Share {
        let within = latencies.iter().filter(|&&latency| self.lo <= latency && latency < self.hi);
        Share { within: within.count() as u64, all: latencies.len() as u64 }
    }

    /// The band in words: `2–8 µs`.
    pub fn name(self) -> String {
        let micros = |nanos: Nanos| isotherm_frame::numbers::grouped(nanos.as_nanos() / 1_000);
        format!("{}–{} µs", micros(self.lo), micros(self.hi))
    }
}

impl Share {
    pub fn value(self) -> f64 {
        self.within as f64 / self.all as f64
    }

    pub fn and(self, other: Share) -> Share {
        Share { within: self.within + other.within, all: self.all + other.all }
    }

    /// Where the true share lies with 90 % confidence (Wilson 1927), as if reads did not depend on each
    /// other; from 0 to 1 without any.
    pub fn interval(self) -> (f64, f64) {
        if self.all == 0 {
            return (0.0, 1.0);
        }
        let (count, share, z2) = (self.all as f64, self.value(), REACH * REACH);
        let middle = (share + z2 / (2.0 * count)) / (1.0 + z2 / count);
        let spread = (share * (1.0 - share) / count + z2 / (4.0 * count * count)).sqrt();
        let reach = REACH * spread / (1.0 + z2 / count);
        (middle - reach, middle + reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(all: &[u64]) -> Vec<Nanos> {
        all.iter().copied().map(Nanos::from_micros).collect()
    }

    #[test]
    fn the_band_is_the_narrowest_with_most_of_the_reads() {
        let mut latencies = vec![3; 50];
        latencies.extend([5; 45]);
        latencies.extend([90; 5]);
        let band = Band::of(&micros(&latencies)).unwrap();
        assert_eq!(band.name(), "2–8 µs");
        assert_eq!(band.share(&micros(&latencies)), Share { within: 95, all: 100 });
        assert_eq!(Band::of(&micros(&[0, 0, 1, 1])).unwrap().name(), "0–2 µs");
        assert_eq!(Band::of(&micros(&[1_500])).unwrap().name(), "1,024–2,048 µs");
        assert_eq!(Band::of(&[]), None);
        assert!(Band::of(&micros(&[1 << 40])).is_some());
        // One read in ten of another band is left out, two are not.
        assert_eq!(Band::of(&micros(&[3, 3, 3, 3, 3, 3, 3, 3, 3, 100])).unwrap().name(), "2–4 µs");
        assert_eq!(
            Band::of(&micros(&[3, 3, 3, 3, 3, 3, 3, 3, 100, 100])).unwrap().name(),
            "2–128 µs"
        );
    }

    #[test]
    fn the_interval_of_a_share_is_that_of_wilson() {
        // 5 of 20 with z = 1.645, computed by another program.
        let (lo, hi) = Share { within: 5, all: 20 }.interval();
        assert!((lo - 0.12737).abs() < 1e-5 && (hi - 0.43222).abs() < 1e-5, "{lo} {hi}");
        let (lo, hi) = Share { within: 0, all: 100 }.interval();
        assert!(lo.abs() < 1e-12 && hi > 0.02 && hi < 0.03, "{lo} {hi}");
        assert_eq!(Share::default().interval(), (0.0, 1.0));
    }
}
