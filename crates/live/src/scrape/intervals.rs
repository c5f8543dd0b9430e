//! The intervals of a request for a range of time.

/// Intervals of one length that follow one another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Intervals {
    pub(super) step_ms: i64,
    pub(super) count: i64,
    /// Where the last ends, since 1970.
    pub(super) end_ms: i64,
}

impl Intervals {
    pub(super) fn first_end_ms(self) -> i64 {
        self.end_ms - (self.count - 1) * self.step_ms
    }

    /// A single one divided into those of a length that end at its multiples: `VictoriaMetrics` moves the ends
    /// of many intervals there, as caches in front of Prometheus do. The single one where there are no two.
    pub(super) fn divided(self, step_ms: i64) -> Intervals {
        let step_ms = step_ms.max(1);
        let end_ms = self.end_ms - self.end_ms.rem_euclid(step_ms);
        let count = (end_ms - (self.end_ms - self.step_ms)) / step_ms;
        if count < 2 { self } else { Intervals { step_ms, count, end_ms } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_end_at_multiples_of_their_length_within_the_time() {
        let all = Intervals { step_ms: 7_200_000, count: 1, end_ms: 1_795_000_012_345 };
        let parts = all.divided(100_000);
        assert_eq!((parts.end_ms, parts.count), (1_795_000_000_000, 71));
        assert_eq!(parts.first_end_ms() % 100_000, 0);
        assert!(parts.first_end_ms() - parts.step_ms >= all.end_ms - all.step_ms);
        assert_eq!(all.divided(7_000_000), all);
    }
}
