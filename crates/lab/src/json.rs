//! A run for programs.

use isotherm_views::{SchemaVersion, generator};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Finding, Length, Run};

/// What a lab found. Keys may be added while `schema_version` stays 1; none changes its meaning or
/// goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm lab --format json")]
pub struct LabJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// The name of the lab.
    lab: &'a str,
    /// The question it answers.
    question: &'a str,
    /// How thoroughly it was run.
    length: Length,
    /// The seed of its random numbers.
    seed: u64,
    /// The input with the events, where the user gave one; null otherwise.
    input: Option<&'a str>,
    /// What it came to.
    finding: &'a Finding,
    /// The lesson, in paragraphs.
    lesson: &'a [&'a str],
}

impl<'a> LabJson<'a> {
    /// The object.
    pub fn new(run: &'a Run<'a>) -> LabJson<'a> {
        LabJson {
            schema_version: SchemaVersion,
            generator: generator(),
            lab: run.lab.name,
            question: run.lab.question,
            length: run.length,
            seed: run.seed,
            input: run.input.as_deref(),
            finding: &run.finding,
            lesson: run.lab.lesson,
        }
    }
}
