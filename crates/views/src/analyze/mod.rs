//! What sweeps come to: sentences, tables and charts.

mod charts;
mod json;
mod sentences;
mod summary;
mod tables;
mod text;

use crate::chart::Chart;
use crate::section::{Section, Table};

pub use json::AnalyzeJson;
pub use summary::{AnalyzeSummary, NamedCurve, SweepRuns};
pub use text::AnalyzeText;

impl AnalyzeSummary<'_> {
    /// What there is to say, most important first.
    pub fn sentences(&self) -> Vec<String> {
        sentences::of(self)
    }

    /// A table of the points of each sweep.
    pub fn points(&self) -> Vec<Table> {
        tables::points(&self.sweeps)
    }

    /// Response time against throughput.
    pub fn latency(&self) -> Chart {
        charts::latency(&self.curves)
    }

    /// The parts of a report, with what to do next for these inputs.
    pub fn sections(&self, inputs: &[String]) -> Vec<Section> {
        let mut said = self.sentences();
        said.push(format!(
            "Nothing is fitted here: `isotherm fit {}` fits queueing models to these points.",
            inputs.join(" ")
        ));
        let mut sections = vec![Section {
            title: "Load till saturation".to_owned(),
            sentences: said,
            charts: charts::all(&self.curves),
            tables: self.points(),
            ..Section::default()
        }];
        sections.extend(tables::verdicts(&self.sweeps).map(|summary| Section {
            title: "Warnings".to_owned(),
            tables: vec![summary],
            ..Section::default()
        }));
        sections
    }
}
