//! What a run of a lab came to.

use isotherm_views::chart::Chart;
use isotherm_views::section::Table;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether the lesson of a lab holds where it was run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds, and chance does not explain it.
    Holds,
    /// It does not hold, and chance does not explain that.
    Fails,
    /// The measurement does not decide.
    Unsure,
}

/// What a run came to: the verdict first, then what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// Whether the lesson holds here.
    pub verdict: Verdict,
    /// What was found, in one sentence with its numbers.
    pub sentence: String,
    /// How sure that is, in one sentence.
    pub uncertainty: String,
    /// What else there is to say.
    pub remarks: Vec<String>,
    /// The numbers.
    pub tables: Vec<Table>,
    /// The pictures.
    pub charts: Vec<Chart>,
}

impl Verdict {
    /// The verdict as the first word of a line.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "Holds",
            Verdict::Fails => "Fails",
            Verdict::Unsure => "Unsure",
        }
    }
}

/// A name as the first word of a sentence.
pub(crate) fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
