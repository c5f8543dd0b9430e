//! `isotherm trace --timeline`: statements, calls, waits, system calls and block requests on a time
//! axis.

use std::io::{BufReader, Write};
use std::path::Path;

use isotherm_analysis::{IoPath, PathInput};
use isotherm_formats::{Bytes, HEAD, PathCapture};
use isotherm_frame::{Clock, MemoryAccount, Nanos, Timestamp};
use isotherm_live::{Address, open_bytes};
use isotherm_oracle::trace::{TraceSteps, TraceUnit};
use isotherm_report::timeline_html;
use isotherm_views::{PathTimeline, TimelineInput, TimelineJson, TimelineText, write_json};

use super::read::{Warn, called, scanned};
use crate::choices::StatsFormat;
use crate::failure::{Code, Failure};
use crate::input;
use crate::output::{Destination, Kind};
use crate::range_args::RangeArgs;
use crate::report::command_line;
use crate::screen;
use crate::trace_args::TraceArgs;

/// How many lines are listed for people.
const TOP: usize = 200;

/// Shows the part of the inputs that was asked for.
pub fn run(args: &TraceArgs, range: &str, files: &[Address]) -> Result<(), Failure> {
    let range = range_of(range)?;
    let page = args.output.as_deref().map(|path| page(args, path)).transpose()?;
    let timeline = timeline(args, &range, files)?;
    if let Some(page) = page {
        let title = format!("The path of each I/O: {}", input::title(&args.files));
        let mut content = Vec::new();
        timeline_html(&timeline, &title, &command_line(), &mut content)
            .map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
        if let Some(words) = page.write(&content)? {
            screen::warn(&words);
        }
        return strict(args, &timeline);
    }
    let mut out = screen::output(args.format.into());
    let written = match args.format {
        StatsFormat::Json => write_json(&TimelineJson::new(&timeline), &mut out),
        StatsFormat::Table => {
            let terminal = screen::is_terminal().then(|| screen::width(None));
            let text =
                TimelineText { width: args.width.or(terminal), top: args.top.unwrap_or(TOP) };
            text.render(&timeline, screen::style(&args.screen, false), &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))?;
    strict(args, &timeline)
}

/// Where the page goes.
fn page(args: &TraceArgs, path: &Path) -> Result<Destination, Failure> {
    Destination::to(path, Kind::Page, args.force, &args.files)
}

/// Reads `FROM..TO`, of which either may be missing.
fn range_of(text: &str) -> Result<RangeArgs, Failure> {
    let Some((from, to)) = text.split_once("..") else {
        return Err(Failure::usage(format!(
            "--timeline {text}: give FROM..TO, such as 09:08:01..09:08:02 or +1s..+1s200ms; .. is all of it"
        )));
    };
    let end = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    Ok(RangeArgs { from: end(from), to: end(to) })
}

/// Reads all inputs and puts the part that was asked for together.
fn timeline(
    args: &TraceArgs,
    range: &RangeArgs,
    files: &[Address],
) -> Result<PathTimeline, Failure> {
    let (mut inputs, mut paths, mut clocks) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        // All of them are held at the same time.
        let room = args.memory.shared_by(files.len()).collected();
        let (account, steps, clock) = steps_of(args, file, room)?;
        if clock != Clock::Epoch && files.len() > 1 {
            let name = &account.name;
            return Err(Failure::usage(format!(
                "{name}: it has no wall clock, so that it cannot be put beside other files: give it alone"
            )));
        }
        inputs.push(account);
        paths.push(steps);
        clocks.push(clock);
    }
    let span = span_of(&paths);
    if span.is_none() {
        let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        let words = format!("{}: no step in it: nothing to show", names.join(", "));
        return Err(Failure { no_events: true, ..Failure::new(Code::Runtime, words) });
    }
    let title = input::title(&args.files);
    let part = range.within(span.map(Into::into), &title)?.some()?;
    let path = IoPath::of(paths, part.range);
    let is_empty = path.steps.is_empty() && path.unplaced.is_empty();
    let clock = clocks.first().copied().unwrap_or_default();
    let zero = span.map_or_else(Timestamp::default, |(start, _)| start);
    let timeline = PathTimeline { path, zero, clock, inputs };
    part.nothing().filter(|_| is_empty).map_or(Ok(timeline), Err)
}

/// When the first step begins and the last one ends.
fn span_of(paths: &[PathInput]) -> Option<(Timestamp, Timestamp)> {
    let steps = paths.iter().flat_map(|path| &path.steps);
    let ends = steps.map(|step| (step.asked(), step.end()));
    ends.reduce(|(from, to), (start, end)| (from.min(start), to.max(end)))
}

/// What is known of an input, its steps, and what their times count from.
type Read = (TimelineInput, PathInput, Clock);

/// The steps of an input, which is a capture or a SQL trace, and what is known of it.
fn steps_of(args: &TraceArgs, file: &Address, room: MemoryAccount) -> Result<Read, Failure> {
    let mut input = open_bytes(file)?;
    let head = input.head(HEAD)?;
    if PathCapture::is_one(&head) { captured(file, input, room) } else { traced(args, file, room) }
}

fn captured(file: &Address, mut input: Bytes, room: MemoryAccount) -> Result<Read, Failure> {
    let name = called(file);
    let capture = PathCapture::read(&mut BufReader::new(&mut input), room)
        .map_err(|error| Failure::new(Code::Runtime, format!("{name}: {error}")))?;
    let PathCapture { steps, left_out, account, rejections, .. } = capture;
    let account = TimelineInput {
        name,
        steps: steps.len() as u64,
        left_out,
        rejected: account.rejected,
        rejections: rejections.iter().map(ToString::to_string).collect(),
        lost: account.lost,
        remarks: account
            .notices
            .iter()
            .map(ToString::to_string)
            .chain(input.message().map(str::to_owned))
            .collect(),
    };
    Ok((account, PathInput { steps, rounding: Nanos::ZERO }, Clock::Epoch))
}

fn traced(args: &TraceArgs, file: &Address, room: MemoryAccount) -> Result<Read, Failure> {
    let name = called(file);
    let mut steps = TraceSteps::new(args.unit.map(TraceUnit::given), args.zone.clone(), room);
    if !scanned(file, &mut steps, Warn::Yes)? {
        return Err(Failure::new(
            Code::Runtime,
            format!(
                "{name}: no record of a SQL trace in it, and not the output of isotherm bpftrace pg-path or \
                 oracle-path"
            ),
        ));
    }
    let traced = steps.finish();
    let account = TimelineInput {
        name,
        steps: traced.steps.len() as u64,
        left_out: traced.left_out,
        rejected: traced.damaged,
        remarks: traced.remarks.iter().map(ToString::to_string).collect(),
        ..TimelineInput::default()
    };
    let steps = PathInput { steps: traced.steps, rounding: traced.rounding };
    Ok((account, steps, traced.clock))
}

/// Fails when something cannot be read and the user wants that to be fatal.
fn strict(args: &TraceArgs, timeline: &PathTimeline) -> Result<(), Failure> {
    let rejected = timeline.inputs.iter().find(|input| args.strict && input.rejected > 0);
    rejected.map_or(Ok(()), |input| {
        let words = format!("{}: {} lines or records cannot be read", input.name, input.rejected);
        Err(Failure::new(Code::BadData, words))
    })
}
