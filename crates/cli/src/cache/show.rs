//! `isotherm cache show`: what the buffers of a database hold.

use std::io::BufReader;
use std::path::Path;

use isotherm_cache::{BufferReport, BuffersJson};
use isotherm_formats::{BufferListError, Bytes, read_buffer_list};
use isotherm_frame::numbers::counted;
use isotherm_live::{Address, BufferQuestion, BufferReader, open_bytes};
use isotherm_views::Document;

use super::looks::{Looked, Looks};
use crate::cache_show_args::ShowArgs;
use crate::document::{self, DocumentFile};
use crate::failure::{Code, Failure};
use crate::output::Kind;
use crate::redact::redacted;
use crate::screen;
use crate::signals::Signals;

/// More than any record of buffers.
const MOST_BYTES: u64 = 1 << 30;

/// Why there is no recording of buffers.
const NO_RECORDING: &str = "a recording (.heat) holds latencies of events, and buffers have none: a usage count is \
    not a latency, and a buffer that stays in the cache would be counted again with each look. Use -o FILE.json, \
    which isotherm cache show FILE.json shows again, or -o FILE.html for a page";

/// `isotherm cache show`
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let address: Address =
        args.source.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    let file = args.output.as_deref().map(|path| file(args, path)).transpose()?;
    let looks = Looks::of(args)?;
    let is_server = matches!(address, Address::Live(_));
    if args.show_sql {
        return show_sql(args, &address);
    }
    if !is_server {
        of_a_server_only(args)?;
    }
    let (report, lost) =
        if is_server { look(args, &address, looks)? } else { (read(args, &address)?, None) };
    let document = Document::of(format!("The cache of {}", report.source), report.section());
    let result = BuffersJson::new(&report);
    match &file {
        Some(file) => file.write(document, &result)?,
        None => document::print((args.format, args.ascii), &document, &result)?,
    }
    strict(args, &report)?;
    lost.map_or(Ok(()), Err)
}

fn question(args: &ShowArgs) -> BufferQuestion {
    BufferQuestion { totals_only: args.totals, touches: args.touches }
}

fn show_sql(args: &ShowArgs, address: &Address) -> Result<(), Failure> {
    let statements = BufferReader::statements(address, question(args))?;
    screen::print(screen::for_programs(), &format!("{};\n", statements.join(";\n\n")))
}

/// Refuses what has no effect on a file.
fn of_a_server_only(args: &ShowArgs) -> Result<(), Failure> {
    let given =
        [("--every", args.every.is_some()), ("--totals", args.totals), ("--touches", args.touches)];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Failure::usage(format!(
            "{name} has no effect: {} is a file, and only a database can be asked; leave it out",
            args.source
        ))),
        None => Ok(()),
    }
}

/// Asks a server, once or for a while; why that ended early, if it did.
fn look(
    args: &ShowArgs,
    address: &Address,
    looks: Option<Looks>,
) -> Result<(BufferReport, Option<Failure>), Failure> {
    let mut reader = BufferReader::open(address, question(args))?;
    let Some(looks) = looks else {
        let contents = reader.read()?;
        return Ok((report(args, BufferReport { contents, ..BufferReport::default() }), None));
    };
    let Looked { contents, history, lost } =
        looks.make(&mut || Ok(reader.read()?), &Signals::register()?)?;
    let seen = BufferReport { contents, history: Some(history), ..BufferReport::default() };
    Ok((report(args, seen), lost))
}

/// Reads a file.
fn read(args: &ShowArgs, address: &Address) -> Result<BufferReport, Failure> {
    let mut bytes = open_bytes(address)?;
    if bytes.head(1)?.starts_with(b"{") {
        return recorded(args, bytes);
    }
    let list =
        read_buffer_list(&mut BufReader::new(&mut bytes)).map_err(|error: BufferListError| {
            Failure::nothing(format!("{}: {error}", redacted(&args.source)))
        })?;
    if let Some(damage) = bytes.message() {
        screen::warn(&format!("{}: {damage}", redacted(&args.source)));
    }
    let rejected = (list.rejected, list.rejections);
    let contents = list.contents;
    Ok(report(args, BufferReport { contents, rejected, ..BufferReport::default() }))
}

/// Reads what was written as JSON before.
fn recorded(args: &ShowArgs, bytes: Bytes) -> Result<BufferReport, Failure> {
    let (bytes, damage) = bytes.whole(MOST_BYTES)?;
    if let Some(damage) = damage {
        screen::warn(&format!("{}: {damage}", redacted(&args.source)));
    }
    let report = BufferReport::from_json(&bytes, top(args));
    report.map_err(|error| Failure::nothing(format!("{}: {error}", redacted(&args.source))))
}

fn top(args: &ShowArgs) -> usize {
    usize::try_from(args.top).unwrap_or(usize::MAX)
}

fn report(args: &ShowArgs, report: BufferReport) -> BufferReport {
    BufferReport { source: redacted(&args.source), top: top(args), ..report }
}

/// What the name of the file says, before anything is asked.
fn file(args: &ShowArgs, path: &Path) -> Result<DocumentFile, Failure> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("heat")) {
        return Err(Failure::usage(format!("{}: {NO_RECORDING}", path.display())));
    }
    let forms = [Kind::Page, Kind::Markdown, Kind::Json];
    DocumentFile::check(path, &forms, args.force, &[&args.source])
}

/// Fails when something could not be read and the user wants that to be fatal.
fn strict(args: &ShowArgs, report: &BufferReport) -> Result<(), Failure> {
    let (rejected, first) = &report.rejected;
    if !args.strict || *rejected == 0 {
        return Ok(());
    }
    let first = first.first().cloned().unwrap_or_default();
    let message = format!("{}, and --strict is set; {first}", counted(*rejected, "rejection"));
    Err(Failure::new(Code::BadData, message))
}
