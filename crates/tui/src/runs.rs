//! The runs of a sweep or a calibration that have ended.

use isotherm_views::FinishedRun;

/// The runs that have ended, in their order.
#[derive(Debug, Default)]
pub(super) struct Runs {
    pub(super) ended: Vec<FinishedRun>,
    /// What an operation per second is called; empty where no runs are listed.
    pub(super) unit: &'static str,
}

impl Runs {
    /// None as yet, to be listed as they end.
    pub(super) fn listed(unit: &'static str) -> Runs {
        Runs { ended: Vec::new(), unit }
    }

    /// The lines that all of them and their heading take.
    pub(super) fn lines(&self) -> u16 {
        if self.ended.is_empty() {
            return 0;
        }
        u16::try_from(self.ended.len() + 1).unwrap_or(u16::MAX)
    }
}
