//! `isotherm trace`: where the time of traced Oracle sessions went.

use std::io::Write;
use std::path::Path;

use isotherm_analysis::side_by_side;
use isotherm_frame::Unit;
use isotherm_oracle::trace::profile::{FindingKind, GroupBy, Limits, Profile, Profiler};
use isotherm_oracle::trace::{Attribute, COMMON_ATTRIBUTES, NO_SQL_TRACE, TraceUnit, scan};
use isotherm_sources::{Address, Bytes};
use isotherm_views::{TraceProfileJson, TraceProfileText, write_json};

use crate::args::{ImportArgs, InputArgs, StatsFormat};
use crate::failure::{Code, Failure};
use crate::input;
use crate::trace_args::TraceArgs;
use crate::{exchange, screen};

/// How many files are read before their profiles are added up.
const AT_ONCE: usize = 32;
/// How many statements are listed for people.
const TOP: usize = 10;

/// What a trace does not say of itself, and what is wanted of it.
#[derive(Clone)]
struct Reading {
    groups: Option<GroupBy>,
    binds: bool,
    block_bytes: u64,
    unit: Option<TraceUnit>,
}

impl Reading {
    fn of(args: &TraceArgs) -> Reading {
        let unit = args.unit.map(|unit| match unit {
            Unit::Centis => TraceUnit::Centiseconds,
            _ => TraceUnit::Micros,
        });
        let (groups, binds) = (args.groups(), args.binds);
        Reading { groups, binds, block_bytes: args.block_size, unit }
    }
}

/// A trace and what it says; `None` if it has no record of a SQL trace.
type Outcome = Result<Option<Profile>, Failure>;

pub fn run(args: &TraceArgs) -> Result<(), Failure> {
    if args.record.is_some() && args.files.iter().any(|name| name == "-") {
        let message = "--record reads the traces twice, and standard input can be read only \
                 once: give files, or use `isotherm import - -o FILE.heat` instead";
        return Err(Failure::usage(message));
    }
    let files = input::traces(&args.files)?;
    let profile = profile_of(&files, &Reading::of(args))?;
    refuse_unknown(&profile)?;
    let mut out = screen::output(args.format.into());
    let rank = args.sort.into();
    let written = match args.format {
        StatsFormat::Json => write_json(&TraceProfileJson::new(&profile, args.top, rank), &mut out),
        StatsFormat::Table => {
            let terminal = screen::is_terminal().then(|| screen::width(None));
            let text = TraceProfileText {
                width: args.width.or(terminal),
                top: args.top.unwrap_or(TOP),
                rank,
            };
            text.render(&profile, screen::style(&args.screen, false), &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))?;
    drop(out);
    args.record.as_deref().map_or(Ok(()), |output| record(args, output))?;
    strict(args, &profile)
}

/// Fails when a record is damaged and the user wants that to be fatal.
fn strict(args: &TraceArgs, profile: &Profile) -> Result<(), Failure> {
    let damaged = profile.findings.get(FindingKind::Damaged).filter(|_| args.strict);
    damaged.map_or(Ok(()), |finding| Err(Failure::new(Code::BadData, finding.to_string())))
}

/// Refuses attributes that no wait and no call has, and that are not among those that any may have.
fn refuse_unknown(profile: &Profile) -> Result<(), Failure> {
    let Some(groups) = &profile.groups else { return Ok(()) };
    let (never, parameters) = groups.never_met();
    let is_unknown = |name: &&&str| !Attribute::named(name.trim()).common;
    let Some(unknown) = never.iter().find(is_unknown) else { return Ok(()) };
    if profile.inputs.waits == 0 {
        return Ok(());
    }
    let known: Vec<&str> =
        COMMON_ATTRIBUTES.iter().copied().chain(["call"]).chain(parameters).collect();
    Err(Failure::usage(format!(
        "no wait and no call has the attribute '{unknown}'; there are {}",
        known.join(", ")
    )))
}

/// The profile of all files together.
fn profile_of(files: &[Address], reading: &Reading) -> Result<Profile, Failure> {
    let mut whole: Option<Profile> = None;
    let mut without = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let profiles = side_by_side(some, |file| profile_of_one(file, reading));
        for (file, outcome) in some.iter().zip(profiles) {
            match (outcome?, &mut whole) {
                (None, _) => without.push(file.to_string()),
                (Some(profile), Some(whole)) => whole.merge(&profile),
                (Some(profile), whole @ None) => *whole = Some(profile),
            }
        }
    }
    match (whole, without.as_slice()) {
        (Some(whole), []) => Ok(whole),
        (Some(whole), [first, more @ ..]) => {
            let more =
                if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            screen::warn(&format!("{first}{more}: no record of a SQL trace in it; left out"));
            Ok(whole)
        }
        (None, names) => {
            Err(Failure::new(Code::Runtime, format!("{}: {NO_SQL_TRACE}", names.join(", "))))
        }
    }
}

fn profile_of_one(file: &Address, reading: &Reading) -> Outcome {
    let name = match file {
        Address::Stdin => "standard input".to_owned(),
        other => other.to_string(),
    };
    let mut input = Bytes::open(file)?;
    let mut profiler =
        Profiler::new(&name, Limits::default(), reading.block_bytes).with_unit(reading.unit);
    if let Some(groups) = &reading.groups {
        profiler = profiler.with_groups(groups.clone());
    }
    if reading.binds {
        profiler = profiler.with_bind_values();
    }
    let account = scan(&mut input, &mut profiler)
        .map_err(|error| Failure::new(Code::Runtime, format!("{name}: {error}")))?;
    if let Some(message) = input.message() {
        screen::warn(&format!("{name}: {message}"));
    }
    Ok((!account.is_no_sql_trace()).then(|| profiler.finish()))
}

/// Writes the waits to a recording, as `isotherm import` does.
fn record(args: &TraceArgs, output: &Path) -> Result<(), Failure> {
    let directory = args.files.iter().any(|name| Path::new(name).is_dir());
    // In a directory may be what is no trace: it is recognised by its content.
    let as_source = (!directory).then(|| "oracletrace".to_owned());
    let zone = args.zone.clone();
    let input = InputArgs { as_source, unit: args.unit, zone, ..InputArgs::default() };
    let inputs = args.files.clone();
    exchange::import(&ImportArgs { inputs, output: output.to_owned(), input })
}
