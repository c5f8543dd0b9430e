//! `isotherm sources --check`: what a format makes of a file, line by line.

use std::fmt::Write as _;
use std::path::Path;

use isotherm_formats::{Context, FormatCheck, LineOutcome, check_format, named_formats};
use isotherm_frame::{Clock, Timestamp};
use isotherm_live::{Address, open_bytes};
use isotherm_views::OutputForm;

use crate::config;
use crate::failure::{Code, Failure};
use crate::screen;
use crate::sources_args::SourcesArgs;

/// Bytes of a file that are looked at.
const MOST: usize = 1 << 20;
/// Lines that are shown.
const SHOWN: usize = 40;

/// Shows what the first lines of a file become.
pub fn run(format: &str, file: &str, args: &SourcesArgs) -> Result<(), Failure> {
    config::check_format_named(format)?;
    let is_name = named_formats().any(|known| known.name == format);
    let definition = if is_name { format.to_owned() } else { text_of(Path::new(format))? };
    let address: Address = file.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    let context = Context { unit: args.unit, time_unit: args.time_unit, ..Context::default() };
    let mut bytes = open_bytes(&address)?;
    bytes.make_plain(None, &context)?;
    let input = bytes.head(MOST)?;
    let end = if input.len() < MOST { None } else { input.iter().rposition(|byte| *byte == b'\n') };
    let input = &input[..end.map_or(input.len(), |end| end + 1)];
    let check = check_format(&definition, input, &context)
        .map_err(|wrong| Failure::usage(format!("{format}: {}", wrong.trim_end())))?;
    let file = (!is_name).then_some(format);
    screen::print(OutputForm::Lines, &shown(&check, file))?;
    match check.error {
        Some(error) => Err(Failure::new(Code::Runtime, error)),
        None => Ok(()),
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::new(Code::Runtime, format!("{}: {error}", path.display())))
}

/// Whether the file is recognised, and which options read it like this if it is not.
fn recognised(check: &FormatCheck, definition: Option<&str>) -> String {
    let name = &check.name;
    let other = match check.recognised {
        Ok(()) => return format!("The file is recognised as {name}.\n"),
        Err(Some(other)) => format!(", but as {other}"),
        Err(None) => String::new(),
    };
    let with = definition.map(|file| format!("--format-file {file} ")).unwrap_or_default();
    format!(
        "The file is not recognised as {name}{other}. To read it like this, say {with}--as {name}.\n"
    )
}

/// `definition` is the file of the format, if it is not one that is known by its name.
fn shown(check: &FormatCheck, definition: Option<&str>) -> String {
    let mut text = recognised(check, definition);
    let account = &check.account;
    let lines = check.lines.iter().filter(|line| !line.text.is_empty());
    for line in lines.clone().take(SHOWN) {
        let outcome = match &line.outcome {
            LineOutcome::Event(at, series, latency) => {
                format!("{}  {latency}  {series}", moment(*at, account.clock))
            }
            LineOutcome::LeftOut => format!("not counted: {}", line.text),
            LineOutcome::Nothing => format!("goes on: {}", line.text),
            LineOutcome::Lost => format!("lost: {}", line.text),
            LineOutcome::Rejected(reason) => format!("rejected: {reason}"),
        };
        let _ = writeln!(text, "{:>6}  {outcome}", line.number);
    }
    let more = lines.count().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(text, "        {more} more lines");
    }
    let (events, others) = (account.records, account.ignored_lines);
    let _ = writeln!(
        text,
        "{events} events, {others} lines not counted, {} rejected, {} lost.",
        account.rejected, account.lost
    );
    for note in account.notices.iter().chain(&account.assumptions) {
        let _ = writeln!(text, "{note}");
    }
    text
}

/// When an event ended.
fn moment(at: Timestamp, clock: Clock) -> String {
    let ns = i128::from(at.as_nanos());
    match jiff::Timestamp::from_nanosecond(ns) {
        Ok(date) if clock == Clock::Epoch => date.to_string(),
        _ => format!("{:.6} s", at.as_secs_f64()),
    }
}
