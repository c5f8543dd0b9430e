//! What counts are of.

use isotherm_frame::numbers::{grouped, waited};

/// What counts are of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Samples of a clock or of cycles: they fall where code runs on a processor.
    OnCpuSamples,
    /// Events of another kind: each stack is where one happened.
    Events,
    /// Time in nanoseconds.
    Nanoseconds,
    /// The input does not say.
    Unknown,
}

impl Counts {
    /// What they are, in the plural.
    pub fn word(self) -> &'static str {
        match self {
            Counts::OnCpuSamples => "samples",
            Counts::Events => "events",
            Counts::Nanoseconds => "ns",
            Counts::Unknown => "counts",
        }
    }

    /// So many of them: `1 sample`, `1,234 events`, `4.36 s`.
    pub fn amount(self, count: u64) -> String {
        match (self, count) {
            (Counts::Nanoseconds, _) => waited(count as f64 / 1e9),
            (_, 1) => format!("1 {}", self.word().trim_end_matches('s')),
            _ => format!("{} {}", grouped(count), self.word()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_times_have_units() {
        let shown = [
            (Counts::OnCpuSamples, 1),
            (Counts::Events, 0),
            (Counts::Unknown, 1_234),
            (Counts::Nanoseconds, 1),
            (Counts::Nanoseconds, 4_360_000_000),
        ]
        .map(|(counts, count)| counts.amount(count));
        assert_eq!(shown, ["1 sample", "0 events", "1,234 counts", "1.00 ns", "4.36 s"]);
    }
}
