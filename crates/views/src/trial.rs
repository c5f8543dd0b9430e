//! How the decoders judge an input: as text, and for programs.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::json::SchemaVersion;
use crate::numbers::{bytes, counted};

/// How each decoder judges the beginning of an input. Keys may be added while `schema_version` stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm sources --try FILE --format json")]
pub struct TrialJson {
    schema_version: SchemaVersion<1>,
    /// The input.
    pub input: String,
    /// The bytes that were looked at, from its beginning.
    pub bytes: usize,
    /// The decoder that takes it; null if none does.
    pub taken_by: Option<String>,
    /// What it looks like, if no decoder takes it.
    pub looks_like: Option<String>,
    /// What to do, if no decoder takes it.
    pub advice: Option<String>,
    /// Every decoder that was tried.
    pub decoders: Vec<DecoderTrial>,
}

/// How one decoder judges an input.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DecoderTrial {
    /// Its name.
    pub name: String,
    /// What it reads.
    pub about: String,
    /// Whether the input is its own.
    pub verdict: TrialVerdict,
    /// Why it is not, where more can be said than that its marks are missing.
    pub refusal: Option<String>,
    /// What came of reading the beginning; null if it was not tried.
    pub read: Option<TrialRead>,
}

/// Whether an input is a decoder's own.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrialVerdict {
    /// It has marks that no other format has.
    Yes,
    /// It fits; plain text of another kind may fit as well.
    Fits,
    /// It is not.
    No,
}

/// What came of reading the beginning of an input.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrialRead {
    /// Records, prints or lines that were read.
    pub records: u64,
    /// Events, intervals or totals in them.
    pub readings: u64,
    /// Places that looked like data and could not be used.
    pub rejected: u64,
    /// Lines outside the data.
    pub ignored_lines: u64,
    /// The clock of its times.
    pub clock: String,
    /// The first rejections.
    pub rejections: Vec<String>,
    /// What is assumed or guessed, with the option that says otherwise.
    pub notes: Vec<String>,
    /// Why reading could not go on, and what is needed.
    pub error: Option<String>,
}

impl TrialJson {
    /// A trial of the first bytes of an input, with nothing judged yet.
    pub fn new(input: String, bytes: usize) -> TrialJson {
        TrialJson {
            schema_version: SchemaVersion,
            input,
            bytes,
            taken_by: None,
            looks_like: None,
            advice: None,
            decoders: Vec::new(),
        }
    }

    /// The same for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {} read\n", self.input, bytes(self.bytes as u64));
        match &self.taken_by {
            Some(name) => _ = writeln!(text, "Recognised as {name}."),
            None => _ = writeln!(text, "Not recognised."),
        }
        if let (Some(looks), Some(advice)) = (&self.looks_like, &self.advice) {
            _ = writeln!(text, "It is {looks}: {advice}.");
        }
        for decoder in self.decoders.iter().filter(|decoder| decoder.has_more()) {
            decoder.write(&mut text);
        }
        let no = self.decoders.iter().filter(|one| !one.has_more()).count();
        match no {
            0 => {}
            1 => text.push_str("\n1 other format does not fit: its marks are missing.\n"),
            no => {
                _ = writeln!(text, "\n{no} other formats do not fit: their marks are missing.");
            }
        }
        text
    }
}

impl DecoderTrial {
    /// Whether there is more to say than that its marks are missing.
    fn has_more(&self) -> bool {
        self.verdict != TrialVerdict::No || self.refusal.is_some() || self.read.is_some()
    }

    fn write(&self, text: &mut String) {
        let verdict = match self.verdict {
            TrialVerdict::Yes => "it has the marks of this format",
            TrialVerdict::Fits => "it fits, as other text may too",
            TrialVerdict::No => "it is not recognised",
        };
        _ = writeln!(text, "\n{}  {verdict}\n    {}", self.name, self.about);
        if let Some(refusal) = &self.refusal {
            _ = writeln!(text, "    refused: {refusal}");
        }
        let Some(read) = &self.read else { return };
        _ = writeln!(
            text,
            "    {}, {} rejected, {} ignored; clock: {}",
            counted(read.records, "record"),
            read.rejected,
            counted(read.ignored_lines, "line"),
            read.clock
        );
        let notes = read.notes.iter().map(|note| ("note", note));
        let rejections = read.rejections.iter().map(|rejection| ("rejected", rejection));
        let errors = read.error.iter().map(|error| ("error", error));
        for (what, words) in notes.chain(rejections).chain(errors) {
            _ = writeln!(text, "    {what}: {words}");
        }
    }
}
