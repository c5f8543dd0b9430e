//! `isotherm trace`: where the time of traced Oracle sessions went.

mod conditions;
mod read;
mod timeline;

use std::io::Write;
use std::path::Path;

use isotherm_formats::Only;
use isotherm_frame::visible;
use isotherm_oracle::trace::profile::{FindingKind, Profile};
use isotherm_oracle::trace::{Attribute, COMMON_ATTRIBUTES};
use isotherm_pipeline::suggestion;
use isotherm_views::{TraceProfileJson, TraceProfileText, write_json};

use crate::choices::StatsFormat;
use crate::exchange_args::ImportArgs;
use crate::failure::{Code, Failure};
use crate::input;
use crate::input_args::InputArgs;
use crate::trace_args::TraceArgs;
use crate::{exchange, range, screen, thresholds};

/// How many statements are listed for people.
const TOP: usize = 10;

pub(crate) use read::{Warn, scanned};

pub fn run(args: &TraceArgs) -> Result<(), Failure> {
    let is_stdin = args.files.iter().any(|name| name == "-");
    if is_stdin && args.stretch.is_given() {
        return Err(Failure::usage(range::READ_TWICE));
    }
    if args.record.is_some() && is_stdin {
        let message = "--record reads the traces twice, and standard input can be read only \
                 once: give files, or use `isotherm import - -o FILE.heat` instead";
        return Err(Failure::usage(message));
    }
    let files = input::traces_once(&args.files, args.again)?;
    if let Some(range) = &args.timeline {
        return timeline::run(args, range, &files);
    }
    let profile = thresholds::or_unsure(&args.thresholds.fail_if, read::profile(args, &files))?;
    refuse_unknown(&profile)?;
    refuse_unmatched(args, &profile)?;
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
    conditions::judge(&args.thresholds.fail_if, &profile).conclude()?;
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

/// Refuses conditions that no wait and no call meets, and says which events there are.
fn refuse_unmatched(args: &TraceArgs, profile: &Profile) -> Result<(), Failure> {
    let Some(groups) = profile.groups.as_ref().filter(|_| !args.only.is_empty()) else {
        return Ok(());
    };
    let is_counted = !groups.groups.is_empty() || groups.others.tally.count > 0;
    if is_counted || profile.inputs.waits + profile.inputs.calls == 0 {
        return Ok(());
    }
    let conditions: Vec<String> = args.only.iter().map(written).collect();
    let event = args.only.iter().find(|only| only.attribute == "event" && !only.other);
    let next = if let Some(only) = event {
        let names: Vec<String> = profile
            .events
            .by_time()
            .iter()
            .map(|event| visible(&event.name).into_owned())
            .collect();
        suggestion(&only.pattern, &names)
    } else {
        let attributes: Vec<&str> = args.only.iter().map(|only| only.attribute.as_str()).collect();
        format!("isotherm trace --by {} lists the values there are", attributes.join(","))
    };
    let conditions = conditions.join(" --where ");
    Err(Failure::unmatched(format!("--where {conditions}: no wait and no call matches. {next}")))
}

/// A condition as it was given.
fn written(only: &Only) -> String {
    let sign = if only.other { "!=" } else { "=" };
    format!("'{}{sign}{}'", visible(&only.attribute), visible(&only.pattern))
}

/// Writes the waits to a recording, as `isotherm import` does.
fn record(args: &TraceArgs, output: &Path) -> Result<(), Failure> {
    let directory = args.files.iter().any(|name| Path::new(name).is_dir());
    // In a directory may be what is no trace: it is recognised by its content.
    let as_source = (!directory).then(|| "oracletrace".to_owned());
    let zone = args.zone.clone();
    let again = args.again;
    let input = InputArgs { as_source, unit: args.unit, zone, again, ..InputArgs::default() };
    let inputs = args.files.clone();
    let stretch = args.stretch.clone();
    let (output, force) = (output.to_owned(), args.force);
    exchange::import(&ImportArgs { inputs, output, force, stretch, input })
}
