//! What counts are of.

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
    /// What one more is, in the plural.
    pub fn word(self) -> &'static str {
        match self {
            Counts::OnCpuSamples => "samples",
            Counts::Events => "events",
            Counts::Nanoseconds => "ns",
            Counts::Unknown => "counts",
        }
    }
}
