//! AWR and Statspack reports: text and HTML files that a database writes of what an instance did
//! between two snapshots; AWR in the layouts of 10g to 21c, Statspack in those of 9i to 19c.
//!
//! A text report has columns as wide as the dashes under their heads, and names cut to fit; an HTML
//! report has tables with a `summary=`. Both become the same tables, and those the same
//! [`Report`].

mod buckets;
mod events;
mod fit;
mod histograms;
pub mod history;
mod html;
mod moment;
mod names;
mod number;
mod printed_time;
mod read_waits;
mod report;
mod sections;
mod slob;
mod statspack;
mod summary;
mod table;
mod text;
mod together;

use std::borrow::Cow;

use thiserror::Error;

use statspack::Shortening;

pub use events::{Time, TimeFrom};
pub use moment::Moment;
pub use number::Printed;
pub use read_waits::ReadWaits;
pub use report::{
    Activity, Database, EventHistogram, EventLine, Events, Fault, Instance, IoFunction, Load,
    Report, ReportKind, Snapshot, Statistic, TimeModel,
};
pub use slob::{SlobRun, planned};
pub use summary::{Latency, Rate, Summary, TopEvent, WaitsOf};
pub use table::At;
pub use together::{NamedReport, warnings};

/// Why a file is not a report that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AwrError {
    /// No mark of a report.
    #[error(
        "this is not an AWR report: there is no 'WORKLOAD REPOSITORY report' in it, and no 'STATSPACK \
         report'; make one with @?/rdbms/admin/awrrpt.sql, as text or HTML, or with \
         @?/rdbms/admin/spreport.sql"
    )]
    NotAReport,
    /// Another report of Oracle, whose layout differs.
    #[error("this is {what}, which is not read here: {instead}")]
    OtherReport {
        /// What it is.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// The report says nothing about its snapshots.
    #[error(
        "this looks like an AWR or Statspack report, but its 'Begin Snap:' and 'End Snap:' are missing: it is cut \
         off or damaged"
    )]
    NoSnapshots,
}

/// What a file says of itself near its beginning.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Banner {
    Report,
    Rac,
    ComparePeriods,
    Statspack,
}

/// What reports begin with, in lower case; the longer first where one begins like another.
const BANNERS: [(&str, Banner); 9] = [
    ("workload repository compare period", Banner::ComparePeriods),
    ("awr compare period report", Banner::ComparePeriods),
    ("workload repository report (rac)", Banner::Rac),
    ("<title>awr rac report", Banner::Rac),
    ("workload repository report for", Banner::Report),
    ("workload repository pdb report", Banner::Report),
    ("<title>awr report for", Banner::Report),
    ("<title>awr pdb report", Banner::Report),
    ("statspack report for", Banner::Statspack),
];

/// What a file says it is, and where it does.
fn banner(head: &[u8]) -> Option<(Banner, usize)> {
    let lower = head.to_ascii_lowercase();
    let places = BANNERS.iter().filter_map(|(mark, banner)| {
        memchr::memmem::find(&lower, mark.as_bytes()).map(|at| (*banner, at))
    });
    places.min_by_key(|(_, at)| *at)
}

/// What SQL*Plus asks before awrrpt.sql and spreport.sql write a report: a spool file begins with it, and its
/// list of snapshots may be longer than a head.
const DIALOGUE: [&[u8]; 2] =
    [b"instances in this workload repository schema", b"instances in this statspack schema"];

/// Whether a file that begins with `head` is an AWR or a Statspack report, or one of Oracle's other reports of
/// this kind that [`parse`] tells apart.
pub fn looks_like_one(head: &[u8]) -> bool {
    let lower = head.to_ascii_lowercase();
    let asks = |mark: &&[u8]| memchr::memmem::find(&lower, mark).is_some();
    banner(head).is_some() || DIALOGUE.iter().any(asks)
}

/// Reads a whole report, text or HTML.
pub fn parse(bytes: &[u8]) -> Result<Report, AwrError> {
    let (banner, at) = banner(bytes).ok_or(AwrError::NotAReport)?;
    refuse_others(banner)?;
    let html = is_html(bytes.get(..at + MOST_TITLE).unwrap_or(bytes));
    let text = decoded(bytes);
    let complete = is_complete(bytes);
    let ended = complete || html;
    let (whole, unended) = if ended { (&*text, None) } else { without_unended_line(&text) };
    let kind = kind(banner);
    let mut tables = if html { html::tables(whole) } else { text::tables(whole) };
    if kind == ReportKind::Statspack {
        for table in &mut tables {
            table.shortening = Shortening::Cut;
        }
    }
    let mut report = sections::report(&tables);
    report.kind = kind;
    if report.database.name.is_empty() {
        let name = statspack::database_name(whole).unwrap_or_default();
        name.clone_into(&mut report.database.name);
    }
    if report.begin.time.text.is_empty() || report.end.time.text.is_empty() {
        return Err(AwrError::NoSnapshots);
    }
    report.cut_off = !complete;
    report.faults.extend(unended);
    if let Cow::Owned(text) = &text {
        report.faults.iter_mut().for_each(|fault| fault.at = in_file(fault.at, text));
    }
    Ok(report)
}

fn kind(banner: Banner) -> ReportKind {
    if banner == Banner::Statspack { ReportKind::Statspack } else { ReportKind::Awr }
}

fn refuse_others(banner: Banner) -> Result<(), AwrError> {
    let (what, instead) = match banner {
        Banner::Report | Banner::Statspack => return Ok(()),
        Banner::Rac => (
            "a report of a whole cluster",
            "make one report for each instance (@?/rdbms/admin/awrrpti.sql)",
        ),
        Banner::ComparePeriods => (
            "a comparison of two periods",
            "make one report for each of the two (@?/rdbms/admin/awrrpt.sql)",
        ),
    };
    Err(AwrError::OtherReport { what, instead })
}

/// UTF-8 if it is, else every byte a character: columns are counted in characters either way.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// How far behind a banner its HTML may begin: `<title>` is a banner itself.
const MOST_TITLE: usize = 64;

/// Whether what comes before the banner of a report, and its title, is HTML.
fn is_html(head: &[u8]) -> bool {
    let lower = head.to_ascii_lowercase();
    [&b"<html"[..], b"<title>", b"<h1"]
        .iter()
        .any(|tag| memchr::memmem::find(&lower, tag).is_some())
}

/// Whether the report has its end.
fn is_complete(bytes: &[u8]) -> bool {
    let lower = bytes.to_ascii_lowercase();
    let end = |mark: &[u8]| memchr::memmem::rfind(&lower, mark).is_some();
    end(b"end of report") || end(b"</html>")
}

/// The text without a last line that may be cut in the middle of a number.
fn without_unended_line(text: &str) -> (&str, Option<Fault>) {
    let end = text.rfind('\n').map_or(0, |end| end + 1);
    let (whole, rest) = text.split_at(end);
    if rest.trim().is_empty() {
        return (text, None);
    }
    let line = memchr::memchr_iter(b'\n', whole.as_bytes()).count() as u64 + 1;
    let at = At { line, byte: end as u64 };
    let text = "the last line has no end and is not used: the file is cut off".to_owned();
    (whole, Some(Fault { at, text, waits: 0 }))
}

/// A place in the file, given one in the text that has a character for each of its bytes.
fn in_file(at: At, text: &str) -> At {
    let end = usize::try_from(at.byte).unwrap_or(usize::MAX).min(text.len());
    let before = text.as_bytes().get(..end).unwrap_or_default();
    // Every character has one byte that does not continue another.
    let characters = before.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    At { byte: characters as u64, ..at }
}
