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
    /// Whether it counts single events, totals or increments, and what resets it.
    pub counting: Counting,
    /// Whether the total time is exact.
    pub exact_time: bool,
    /// A command and its real output.
    pub example: &'static str,
    /// Two sentences that interpret the example.
    pub interpretation: &'static str,
}

/// What the numbers of a source count, and from when: what anyone must know who subtracts them.
#[derive(Copy, Clone, Debug)]
pub enum Counting {
    /// Single events.
    Events,
    /// Totals since a beginning, with what sets them back to zero.
    Totals(&'static str),
    /// What happened since the last print or within an interval, with which of them.
    Intervals(&'static str),
    /// Some of these, with which and what resets them.
    Varies(&'static str),
}

impl Counting {
    /// In sentences, for the page of the source.
    pub fn sentences(self) -> String {
        match self {
            Counting::Events => {
                "Single events, each with its own latency. Nothing is cumulative: there is nothing to reset."
                    .to_owned()
            }
            Counting::Totals(reset_by) => format!(
                "Cumulative totals: isotherm subtracts those before. Reset by {reset_by}. A total that \
                 falls shows a reset, and its interval is a gap."
            ),
            Counting::Intervals(which) => {
                format!("Delta: what happened {which}. Counts begin at zero: there is nothing to reset.")
            }
            Counting::Varies(words) => words.to_owned(),
        }
    }
}

/// Something a source needs.
#[derive(Debug)]
pub struct Need {
    /// What is needed.
    pub what: &'static str,
    /// How to get it.
    pub how: &'static str,
}
