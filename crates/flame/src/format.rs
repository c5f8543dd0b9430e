//! The kinds of inputs.

/// Kinds of inputs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// The output of `perf script`.
    PerfScript,
    /// Maps that bpftrace prints.
    Bpftrace,
    /// A line for each stack: frames with semicolons between them, the outermost first, and a count.
    Folded,
    /// Stacks of a SQL trace.
    SqlTrace,
}

impl Format {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Format::PerfScript => "perf script",
            Format::Bpftrace => "bpftrace",
            Format::Folded => "folded stacks",
            Format::SqlTrace => "SQL trace",
        }
    }
}
