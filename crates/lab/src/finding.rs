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
    /// The numbers of the text and the tables, unrounded; empty for labs that do not give them.
    pub figures: Vec<Figure>,
}

/// A number of the text or a table, unrounded, for programs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// What it is of: an input, a way of working.
    pub of: String,
    /// What it is. Values whose names end in `_s` are in seconds; shares are from 0 to 1.
    pub name: &'static str,
    /// Its value; null where there is none.
    #[schemars(with = "Option<f64>")]
    pub value: f64,
}

impl Figure {
    /// All figures of one thing.
    pub(crate) fn all(of: &str, values: &[(&'static str, f64)]) -> Vec<Figure> {
        let figure =
            |&(name, value): &(&'static str, f64)| Figure { of: of.to_owned(), name, value };
        values.iter().map(figure).collect()
    }
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
