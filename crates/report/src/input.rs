//! What a report is made of.

use isotherm_analysis::{DeviceClass, History};
use isotherm_frame::{Mark, Series, TimeRange, Timestamp};
use isotherm_views::section::Section;
use isotherm_views::{Compared, InputAccount, TimeFormat};

/// One recording, file or stream, and where it comes from.
#[derive(Clone, Debug)]
pub struct ReportInput<'a> {
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
    /// The part of time to show, with the intervals that belong there; everything if not given.
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
pub struct ReportOptions {
    /// What to call it; made from the recordings' names if not given.
    pub title: Option<String>,
    /// The command that makes it again, without secrets.
    pub command: String,
    /// What the first two recordings come to when they are compared.
    pub compare: Option<Compared>,
    /// What there is to show beside maps; with it a report needs no recordings.
    pub sections: Vec<Section>,
}

impl ReportInput<'_> {
    /// How its moments are written.
    pub(crate) fn moments(&self) -> TimeFormat {
        let zero = self.input.span.map_or(Timestamp::new(0), |(start, _)| start);
        TimeFormat::new(self.input.read.clock, zero)
    }

    /// The part of time to show.
    pub fn shown(&self) -> TimeRange {
        let (from, to) = self.span.unzip();
        TimeRange { from, to }
    }
}
