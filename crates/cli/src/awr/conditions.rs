//! What conditions on the wait events of reports come to.

use isotherm_analysis::{FrameTotals, Threshold, WaitedBounds};
use isotherm_frame::{BinnerLimits, Nanos};
use isotherm_pipeline::{Binning, Collector};

use super::AwrReports;
use crate::failure::Failure;
use crate::input;
use crate::input_args::InputArgs;
use crate::thresholds::{self, Judgement};

/// Reports have intervals: nothing is binned.
const BINNING: Binning = Binning::new(Nanos::SECOND, BinnerLimits::cells(1));

impl AwrReports {
    /// A condition is asked of the histograms of each wait event over all reports, as `isotherm stats`
    /// reads them: the files are read once more. What there is to say about them was said before.
    pub fn judge(&self, conditions: &[Threshold]) -> Result<Judgement, Failure> {
        if conditions.is_empty() {
            return Ok(Judgement::default());
        }
        let names: Vec<String> = self.reports.iter().map(|read| read.file.clone()).collect();
        if names.iter().any(|name| name == "-") {
            return Err(Failure::usage(
                "--fail-if reads the reports twice, and standard input can be read only once: save it \
                 to a file first",
            ));
        }
        let mut collector = Collector::new(None, FrameTotals::default());
        let as_source = Some("awrreport".to_owned());
        let args = InputArgs { as_source, ..InputArgs::default() };
        input::read_all(&names, &args, BINNING, &mut |event| {
            collector.take(event);
        })?;
        Ok(thresholds::of_totals(conditions, &collector.kept, WaitedBounds::default()))
    }
}
