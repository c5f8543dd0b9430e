//! Sums that are larger than a number can be.

use isotherm_frame::Frame;

/// Adds up what frames hold beyond the 64 bits of a count, to tell where sums stop growing.
#[derive(Debug, Default)]
pub struct Overflow {
    events: u128,
    /// Exact latencies, in nanoseconds.
    time_ns: u128,
}

impl Overflow {
    /// Adds a frame.
    pub fn add(&mut self, frame: &Frame) {
        let counts = frame.counts.counted().map(|(_, count)| u128::from(count));
        self.events = self.events.saturating_add(counts.sum());
        let time_ns = frame.counts.sum().map_or(0, |sum| u128::from(sum.as_nanos()));
        self.time_ns = self.time_ns.saturating_add(time_ns);
    }

    /// What to say of it.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        let most = u128::from(u64::MAX);
        let events = (self.events > most).then(|| {
            format!(
                "the counts add up to {} events: more than {most} cannot be counted",
                self.events
            )
        });
        let time = (self.time_ns > most).then(|| {
            format!(
                "the latencies add up to {} years: more than 584 years cannot be \
                 counted; check the unit of the latencies (--unit)",
                self.time_ns / (31_556_952 * 1_000_000_000)
            )
        });
        events.into_iter().chain(time)
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit};

    use super::*;

    fn frame(count: u64, sum: Option<Nanos>) -> Frame {
        let scheme = Scheme::powers_of_two(Unit::Micros);
        let mut counts = vec![0; scheme.buckets()];
        (counts[3], counts[4]) = (count, count);
        Frame {
            series: Series::named("x"),
            start: Timestamp::new(0),
            end: Timestamp::new(1),
            counts: Histogram::new(scheme, counts, sum).unwrap(),
            quality: Quality::Complete,
        }
    }

    #[test]
    fn sums_beyond_64_bits_are_reported_with_the_true_number() {
        let mut overflow = Overflow::default();
        overflow.add(&frame(1 << 62, None));
        assert_eq!(overflow.messages().count(), 0);
        overflow.add(&frame(1 << 62, Some(Nanos::new(u64::MAX))));
        // 4 x 2^62 = 2^64.
        let messages: Vec<String> = overflow.messages().collect();
        assert!(messages[0].contains("18446744073709551616 events"), "{messages:?}");
        assert_eq!(messages.len(), 1);
        overflow.add(&frame(0, Some(Nanos::new(u64::MAX))));
        let messages: Vec<String> = overflow.messages().collect();
        // 2 x 584.5 years.
        assert!(messages[1].contains("1169 years"), "{messages:?}");
    }
}
