//! Options that say how an input is read.

use crate::{Context, Temporality};

/// An option that says how an input is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReadingOption {
    /// The unit of latencies.
    Unit,
    /// The unit of the time column.
    TimeUnit,
    /// Totals or intervals.
    Temporality,
    /// The zone of times.
    Zone,
}

impl ReadingOption {
    /// Those of formats that say all of it themselves.
    pub(crate) const ALL: &'static [ReadingOption] = &[
        ReadingOption::Unit,
        ReadingOption::TimeUnit,
        ReadingOption::Temporality,
        ReadingOption::Zone,
    ];

    /// Whether the user gives it.
    pub(crate) fn is_given(self, context: &Context) -> bool {
        match self {
            ReadingOption::Unit => context.unit.is_some(),
            ReadingOption::TimeUnit => context.time_unit.is_some(),
            ReadingOption::Temporality => context.temporality != Temporality::Auto,
            ReadingOption::Zone => context.zone.is_some(),
        }
    }

    /// Its name, and what of the input leaves nothing to say.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            ReadingOption::Unit => ("--unit", "its latencies have one unit"),
            ReadingOption::TimeUnit => ("--time-unit", "its times have one unit"),
            ReadingOption::Temporality => {
                ("--temporality", "whether it counts totals or intervals is known")
            }
            ReadingOption::Zone => ("--zone", "its times need no zone"),
        }
    }
}
