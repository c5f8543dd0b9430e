//! One run of a lab: what it found, for programs and for people.

use isotherm_views::section::{Detail, Section};
use isotherm_views::{Document, SchemaVersion, generator};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Finding, Lab, Length};

/// What a lab found. Keys may be added while `schema_version` stays 1; none changes its meaning or
/// goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm lab --format json")]
pub struct Run {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// The name of the lab.
    #[serde(rename = "lab")]
    name: &'static str,
    /// The question it answers.
    question: &'static str,
    /// How thoroughly it was run.
    length: Length,
    /// The seed of its random numbers.
    seed: u64,
    /// The input with the events, where the user gave one; null otherwise.
    input: Option<String>,
    /// What it came to.
    finding: Finding,
    /// The lesson, in paragraphs.
    lesson: &'static [&'static str],
    #[serde(skip)]
    method: &'static str,
}

impl Run {
    /// A run of this length and seed, or of the events of this input.
    pub fn new(
        lab: &Lab,
        (length, seed): (Length, u64),
        input: Option<String>,
        finding: Finding,
    ) -> Run {
        Run {
            schema_version: SchemaVersion,
            generator: generator(),
            name: lab.name,
            question: lab.question,
            length,
            seed,
            input,
            finding,
            lesson: lab.lesson,
            method: lab.method,
        }
    }

    /// The verdict with what it rests on, then the lesson, which a text only names.
    pub fn document(&self) -> Document {
        let Run { finding, name, .. } = self;
        let verdict = finding.verdict.word();
        let mut sentences =
            vec![format!("{verdict}: {}", finding.sentence), finding.uncertainty.clone()];
        let lead = sentences.len();
        sentences.extend(finding.remarks.iter().cloned());
        let verdict_section = Section {
            title: self.question.to_owned(),
            sentences,
            charts: finding.charts.clone(),
            tables: finding.tables.clone(),
            ..Section::default()
        };
        let done = Detail {
            summary: "How it was done".to_owned(),
            sentences: vec![format!("{}.", self.method), self.origin()],
            ..Detail::default()
        };
        let lesson = Section {
            title: "The lesson".to_owned(),
            sentences: self.lesson.iter().map(|&text| text.to_owned()).collect(),
            details: vec![done],
            ..Section::default()
        };
        Document {
            title: format!("Lab {name}: {verdict}"),
            sections: vec![verdict_section, lesson],
            lead,
            closing: vec![self.origin(), format!("The lesson: isotherm lab {name} --explain")],
        }
    }

    /// What makes this run again.
    fn origin(&self) -> String {
        let length = match self.length {
            Length::Short => "short form",
            Length::Full => "full form",
        };
        match &self.input {
            Some(input) => format!("Lab {}, {length}, events of {input}.", self.name),
            None => format!("Lab {}, {length}, seed {}.", self.name, self.seed),
        }
    }
}
