//! Queueing models on a sweep: which fits, what follows, what if.

mod charts;
mod csv;
mod figures;
mod json;
mod names;
mod one_point;
mod published;
mod summary;
mod tables;
mod text;
mod warnings;
mod words;

use crate::section::Section;

pub use csv::fit_csv;
pub use figures::load_in_words;
pub use json::FitJson;
pub use one_point::{OnePointJson, OnePointSummary, ServersRange};
pub use published::{published_json, published_section, published_sentences, published_text};
pub use summary::{FitLimit, FitSummary};
pub use text::FitText;
pub use words::no_what_if;

impl FitSummary<'_> {
    /// What there is to say, most important first.
    pub fn sentences(&self) -> Vec<String> {
        words::sentences(self)
    }

    /// The fit as parts of a report.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            Section {
                title: "What the sweep says".to_owned(),
                sentences: self.sentences(),
                charts: charts::all(self),
                ..Section::default()
            },
            Section {
                title: "Models".to_owned(),
                sentences: warnings::on_models(self),
                tables: vec![tables::models(self), tables::points(self)],
                ..Section::default()
            },
        ];
        sections.extend(self.what_if.as_ref().map(|what_if| Section {
            title: "What if".to_owned(),
            sentences: words::on_what_if(self, what_if),
            charts: charts::what_if(self, what_if).into_iter().collect(),
            tables: vec![tables::what_if(what_if)],
            ..Section::default()
        }));
        sections
    }

    /// The chart that says most: what a page or a document shows of the fit.
    pub fn chart(&self) -> Option<crate::chart::Chart> {
        let changed = self.what_if.as_ref().and_then(|what_if| charts::what_if(self, what_if));
        changed.or_else(|| charts::all(self).into_iter().next())
    }
}
