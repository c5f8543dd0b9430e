//! `isotherm awr report`: AWR's history as one page.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use isotherm_formats::HEAD;
use isotherm_frame::numbers::counted;
use isotherm_live::{Address, open_bytes};
use isotherm_oracle::awr;
use isotherm_oracle::awr::history::{FileAccount, History, HistoryReader, is_history};
use isotherm_pipeline::{Input, MemoryBudget};
use isotherm_report::{AwrPage, awr_html};
use isotherm_views::AwrHistoryDocument;

use super::collect::{INCOMPLETE, RECORDED, file_name};
use crate::failure::{Code, Failure};
use crate::input;
use crate::memory;
use crate::oracle_args::OracleArgs;
use crate::output::{Destination, Kind};
use crate::report::{command_line, quoted};
use crate::screen;

/// Below the help of `awr report`.
pub const EXAMPLES: &str = "Examples:
  isotherm awr collect oracle://mon@db1/SALES --since 7d --licensed diagnostics -o history/
  isotherm awr report history/ -o prod.html       a directory of such files
  isotherm awr report prod.heat                the tables of awr collect -o prod.heat
  isotherm sqlplus-script --awr --queries --since 7d > awr.sql
  sqlplus -S / as sysdba @awr.sql              on the database's host: writes awr-*.csv
  isotherm awr report awr-*.csv -o prod.html
  isotherm awr report Perfsheet4_AWR_*.csv -o perfsheet.html

FILE is a table of AWR's history as CSV, recognised by its heads. The page draws what is there, and
says which tables are not. All eight files of PerfSheet4 are drawn; the largest three events are left
out where all of them are there. Where an instance was restarted, or snapshots are missing, there
is a gap. Reading AWR needs the Diagnostics Pack licence, for the database that the files are from.";

/// `awr report`
#[derive(Args, Debug)]
pub struct AwrReportArgs {
    /// Tables of AWR's history as CSV, also compressed; a directory stands for its files, - for standard
    /// input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// The page to write; - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "awr.html")]
    pub output: PathBuf,
    /// The title
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Memory for what is read; when it is full, further rows are left out, and their number is
    /// reported
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory::parse)]
    pub memory: MemoryBudget,
    /// Exit with 4 if anything could not be read
    #[arg(long)]
    pub strict: bool,
    /// Overwrite an existing file (one that is no report)
    #[arg(long)]
    pub force: bool,
}

pub fn run(args: &AwrReportArgs) -> Result<(), Failure> {
    let destination = Destination::to(&args.output, Kind::Page, args.force, &args.files)?;
    let history = read(args)?;
    let document = AwrHistoryDocument::of(&history)
        .map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    let title = args.title.clone().unwrap_or_else(|| format!("AWR: {}", input::title(&args.files)));
    let page = AwrPage { title: &title, document: &document, command: &command_line() };
    let mut content = Vec::new();
    awr_html(&page, &mut content)
        .map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    if let Some(said) = destination.write(&content)? {
        screen::warn(&said);
    }
    verdict(args.strict, &history.files)
}

/// Reads the tables, and tells what is wrong with them. Fails when there is none.
fn read(args: &AwrReportArgs) -> Result<History, Failure> {
    let files = &args.files;
    let mut reader = HistoryReader::within(args.memory.collected());
    let mut reports = 0_u64;
    for input in input::expand(&with_tables(files), &OracleArgs::default())? {
        reports += u64::from(read_one(&input, &mut reader)? == Found::AwrReport);
    }
    let history = reader.finish().map_err(|reason| Failure::new(Code::BadData, reason))?;
    for file in &history.files {
        for left in &file.left {
            let rows = counted(left.rows, "row");
            screen::warn(&format!("{}: {rows} left out: {}", file.name, left.reason));
        }
    }
    let nothing = history.tables.iter().all(|table| table.rows.is_empty());
    if reports > 0 {
        let names: Vec<_> = files.iter().map(|name| quoted(name.clone())).collect();
        let (these, names) =
            (if reports == 1 { "is an AWR report" } else { "are AWR reports" }, names.join(" "));
        let text = format!(
            "{reports} of the files {these}, not tables of AWR's history: use isotherm report {names} (or \
             isotherm awr {names} for their numbers)"
        );
        if nothing {
            return Err(Failure::new(Code::Runtime, text));
        }
        screen::warn(&text);
    }
    if nothing {
        let text = "there is no row of AWR's history to draw: give the CSV files of isotherm awr collect \
                    or sqlplus-script --awr --queries, or of PerfSheet4";
        return Err(Failure::new(Code::Runtime, text));
    }
    Ok(history)
}

/// The files, and for the recording of a collection the directory of its tables, as `awr collect -o NAME.heat`
/// has written both.
fn with_tables(files: &[String]) -> Vec<String> {
    let tables = |file: &String| {
        let path = Path::new(file);
        let directory = path.with_extension("");
        let is_recording =
            path.is_file() && path.extension().is_some_and(|ending| ending == "heat");
        let has_tables = RECORDED.iter().any(|name| directory.join(file_name(name)).is_file());
        if is_recording && has_tables {
            screen::warn(&format!("{file}: its tables are in {}", directory.display()));
            return directory.display().to_string();
        }
        file.clone()
    };
    files.iter().map(tables).collect()
}

/// What a file is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Found {
    History,
    AwrReport,
    Other,
}

fn read_one(input: &Input, reader: &mut HistoryReader) -> Result<Found, Failure> {
    let mut bytes = open_bytes(&input.address)?;
    // What is no table may be of any size, or have no end.
    let head = bytes.head(HEAD)?;
    let name = match &input.address {
        Address::File(path) => name_of(path),
        other => other.to_string(),
    };
    if name == INCOMPLETE {
        screen::warn(&format!("{}: the collection did not end, tables are missing", input.address));
    }
    if !is_history(&head) && awr::looks_like_one(&head) {
        return Ok(Found::AwrReport);
    }
    if !is_history(&head) {
        // What lies beside tables in a directory is no fault of theirs.
        let hint = if head.starts_with(b"SQLite format 3") {
            "a recording, which isotherm report draws"
        } else {
            "no table of AWR's history: not drawn"
        };
        let text = format!("{name}: {hint}");
        if input.found_in.is_none() {
            screen::warn(&text);
        }
        return Ok(Found::Other);
    }
    let read = reader.read(&name, BufReader::new(&mut bytes));
    read.map_err(|error| Failure::new(Code::Runtime, format!("{name}: cannot read: {error}")))?;
    if let Some(damage) = bytes.message() {
        screen::warn(&format!("{name}: {damage}"));
    }
    Ok(Found::History)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn verdict(strict: bool, files: &[FileAccount]) -> Result<(), Failure> {
    let left: u64 = files.iter().flat_map(|file| &file.left).map(|left| left.rows).sum();
    if strict && left > 0 {
        let text = format!("{} left out, and --strict is set", counted(left, "row"));
        return Err(Failure::new(Code::BadData, text));
    }
    Ok(())
}
