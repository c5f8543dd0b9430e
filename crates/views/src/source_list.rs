//! What isotherm reads, for programs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::json::SchemaVersion;

/// Everything that can be read. Keys may be added while `schema_version` stays 1.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(title = "isotherm sources --format json")]
pub struct SourceListJson {
    schema_version: SchemaVersion<1>,
    /// Sources, in the order of `isotherm sources`.
    pub sources: Vec<ListedSource>,
    /// Formats that are recognised by name, those of the user first.
    pub formats: Vec<ListedFormat>,
}

/// A source.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedSource {
    /// One word, for `--as` and `isotherm sources NAME`.
    pub name: String,
    /// Its address.
    pub address: String,
    /// What it reads.
    pub about: String,
    /// What it needs.
    pub needs: Vec<String>,
    /// What measuring costs.
    pub costs: String,
    /// How the total time waited is known.
    pub time_waited: TimeWaited,
}

/// How the total time of the events of a source is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeWaited {
    /// Exactly.
    Exact,
    /// From means that were rounded.
    RoundedMeans,
    /// From buckets, unless the input has sums.
    Buckets,
}

/// A format that is recognised by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedFormat {
    /// One word, for `--as` and `isotherm sources NAME`.
    pub name: String,
    /// What it is.
    pub title: String,
    /// The documentation of the program that writes it.
    pub link: String,
    /// Why it is not read, and what to use instead; null if it is read.
    pub refusal: Option<String>,
}
