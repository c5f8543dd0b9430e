//! What a source says about itself: help, the README's table and the documentation come from it.

/// What a source is, needs and costs.
#[derive(Debug)]
pub struct Meta {
    /// The name, one word: also the name of its fixtures and its page.
    pub name: &'static str,
    /// The address forms that lead to it, such as `FILE or -` or `probe:PATH`.
    pub address: &'static str,
    /// One sentence: what it reads.
    pub about: &'static str,
    /// Privileges, programs and versions it needs.
    pub needs: &'static [Need],
    /// The command that makes such an input, to copy.
    pub command: &'static str,
    /// What measuring costs, with numbers, no punches pulled.
    pub overhead: &'static str,
    /// What the source cannot show, or shows only roughly.
    pub loses: &'static str,
    /// Whether the total time is exact.
    pub exact_time: bool,
    /// A command and its real output.
    pub example: &'static str,
    /// Two sentences that interpret the example.
    pub interpretation: &'static str,
}

/// Something a source needs.
#[derive(Debug)]
pub struct Need {
    /// What is needed.
    pub what: &'static str,
    /// How to get it.
    pub how: &'static str,
}
