//! What a report is made of.

use isotherm_analysis::{DeviceClass, History};
use isotherm_frame::{Mark, Series, Timestamp};
use serde_json::Value;
use thiserror::Error;

use super::{Entry, Report, Section, entry};
use crate::{InputAccount, Moments};

/// One recording, file or stream, and where it comes from.
#[derive(Clone, Debug)]
pub struct Given<'a> {
    /// What to call it.
    pub label: String,
    /// The address it was read from, without secrets.
    pub source: String,
    /// The host that recorded, where that is known.
    pub host: Option<String>,
    /// The command line that recorded, without secrets, where that is known.
    pub command: Option<String>,
    /// The version of isotherm that recorded, where that is known.
    pub isotherm_version: Option<String>,
    /// The file it was read from, if it was a file.
    pub file: Option<FileDigest>,
    /// What was read and what was not.
    pub input: InputAccount,
    /// Marked moments.
    pub marks: Vec<Mark>,
    /// The class of the device measured, where it is declared.
    pub device: Option<DeviceClass>,
    /// The frames.
    pub history: &'a History,
    /// The part of time to show: intervals that overlap it; everything if not given.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The series to show; all if none are given.
    pub series: Vec<Series>,
}

/// What identifies the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// The number of its bytes.
    pub bytes: u64,
}

/// How the report is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// What to call it; made from the recordings' names if not given.
    pub title: Option<String>,
    /// The command that makes it again, without secrets.
    pub command: String,
    /// What the first two recordings come to when they are compared.
    pub compare: Option<Compared>,
    /// What there is to show beside maps; with it a report needs no recordings.
    pub sections: Vec<Section>,
}

/// A comparison as the report shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The object of `compare --format json`.
    pub value: Value,
    /// What there is to say.
    pub sentences: Vec<String>,
    /// A table for those without scripts: its headings, then its rows.
    pub table: Vec<Vec<String>>,
}

/// Why there is no report.
#[derive(Debug, Error)]
pub enum ReportError {
    /// Nothing was counted in any interval given.
    #[error("there is no interval to report on")]
    Nothing,
    /// A part of the document could not be written.
    #[error("cannot write the report: {0}")]
    Io(#[from] std::io::Error),
    /// A part of the document could not be put into JSON.
    #[error("cannot write the report: {0}")]
    Json(#[from] serde_json::Error),
    /// Even the smallest document that says anything is larger than allowed.
    #[error(
        "the report cannot be made smaller than {least} bytes, and {most} are allowed: \
         raise --max-size or choose fewer series with --series"
    )]
    TooLarge {
        /// The smallest size, in bytes.
        least: u64,
        /// The size allowed, in bytes.
        most: u64,
    },
}

impl<'a> Report<'a> {
    /// Looks at what is given and says what there is to show. Fails when there is nothing: neither
    /// an interval nor a section.
    pub fn of(given: &'a [Given<'a>], wishes: &Wishes) -> Result<Report<'a>, ReportError> {
        let (mut entries, mut not_drawn): (Vec<Entry>, Vec<_>) = (Vec::new(), Vec::new());
        let most = (entry::MOST / given.len().max(1)).max(1);
        for (recording, one) in given.iter().enumerate() {
            entry::entries(one, recording, most, &mut entries, &mut not_drawn);
        }
        if entries.is_empty() && wishes.sections.is_empty() {
            return Err(ReportError::Nothing);
        }
        let title = wishes.title.clone().unwrap_or_else(|| title(given));
        let (command, compare) = (wishes.command.clone(), wishes.compare.clone());
        let sections = wishes.sections.clone();
        Ok(Report { title, command, given, entries, not_drawn, compare, sections })
    }
}

/// How several recordings are called together.
fn title(given: &[Given]) -> String {
    match given {
        [] => String::new(),
        [one] => one.label.clone(),
        [first, rest @ ..] => format!("{} and {} more", first.label, rest.len()),
    }
}

impl Given<'_> {
    /// How its moments are written.
    pub(super) fn moments(&self) -> Moments {
        let zero = self.input.span.map_or(Timestamp::new(0), |(start, _)| start);
        Moments::new(self.input.clock, zero)
    }

    /// The part of time to show.
    pub(super) fn shown(&self) -> (Timestamp, Timestamp) {
        self.span.unwrap_or((Timestamp::new(i64::MIN), Timestamp::new(i64::MAX)))
    }
}
