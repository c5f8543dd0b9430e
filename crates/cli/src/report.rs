//! `isotherm report`: everything about some inputs in one file.

mod awr;
mod builder;
mod destination;
mod digest;
mod traces;
mod warnings;

use isotherm_analysis::{FrameTotals, Threshold, WaitedBounds};
use isotherm_frame::TimeRange;
use isotherm_report::{self as report, Look, Report, ReportInput, ReportOptions};
use isotherm_views::section::Section;
use isotherm_views::{
    InputAccount, Palette, Theme, awr_sections, statement_section, trace_sections,
};

use crate::choices::ThemeArg;
use crate::failure::{Code, Failure};
use crate::output::Destination;
use crate::range::Part;
use crate::redact;
use crate::report_args::{self, ReportArgs, ReportFormat};
use crate::screen;
use crate::thresholds::{self, Judgement};
use crate::unmatched_where;

use self::traces::Traces;

pub use builder::{BuilderOptions, ReportBuilder, SweepRecordings, label};
pub use destination::form;

/// `isotherm report`
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let (destination, form) = destination::destination(args)?;
    let (series, inputs) = (args.series.as_deref(), args.inputs.len());
    let wanted = BuilderOptions { input: &args.input, series, inputs };
    let conditions = &args.thresholds.fail_if;
    let is_image = matches!(form, ReportFormat::Svg | ReportFormat::Png);
    let (gathered, traces) = read(args, wanted, is_image);
    let gathered = thresholds::or_unsure(conditions, gathered)?;
    let parts = parts(args, &gathered);
    let parts = thresholds::or_unsure(conditions, parts)?;
    let given = gathered
        .iter()
        .zip(parts)
        .map(|(gathered, part)| ReportInput { device: args.device, ..gathered.given(part.range) });
    let given: Vec<ReportInput> = given.collect();
    let traces = match traces {
        Some(traces) => traces?,
        None if is_image => None,
        None => Traces::read(&args.inputs, &args.input)?,
    };
    let mut sections = if is_image { Vec::new() } else { sections(&args.inputs, traces.as_ref())? };
    if !is_image {
        sections.extend(given.iter().filter_map(|one| statements(one, given.len() > 1)));
    }
    let options = ReportOptions {
        title: args.title.as_deref().map(redact::redacted),
        command: command_line(),
        compare: None,
        sections,
    };
    let failed = |error: report::ReportError| {
        let message = format!("{}: {error}", crate::input::title(&args.inputs));
        match error {
            report::ReportError::Nothing if args.series.is_some() => Failure::unmatched(message),
            report::ReportError::Nothing => crate::input::nothing(&args.input, message),
            _ => Failure::new(Code::Runtime, message),
        }
    };
    let report = Report::of(&given, &options).map_err(failed);
    let report = thresholds::or_unsure(conditions, report)?;
    let content = content((args, form), &report, traces.as_ref()).map_err(failed)?;
    if let Some(said) = destination.write(&content)? {
        screen::warn(&said);
    }
    let left_out = |(given, builder): (&report::ReportInput<'_>, &ReportBuilder)| {
        // Of other series nothing is known by the time.
        let known = args.series.is_none() || given.span.is_none();
        known.then(|| builder.left_out())
    };
    let left_out: Vec<Option<WaitedBounds>> = given.iter().zip(&gathered).map(left_out).collect();
    judge(conditions, &given, &left_out).conclude()
}

/// The profile of traces, or why there is none.
type TracesRead = Result<Option<Traces>, Failure>;

/// Reads the inputs and, at the same time if all of them are files, the profile of traces.
fn read(
    args: &ReportArgs,
    wanted: BuilderOptions<'_>,
    is_image: bool,
) -> (Result<Vec<ReportBuilder>, Failure>, Option<TracesRead>) {
    let has_threads = crate::input::threads(&args.input) > 1;
    let is_read_twice = !is_image && has_threads && Traces::are_files(&args.inputs);
    let profile = || Traces::read(&args.inputs, &args.input);
    std::thread::scope(|scope| {
        let spawn = || std::thread::Builder::new().spawn_scoped(scope, profile).ok();
        let traces = is_read_twice.then(spawn).flatten();
        let gathered = ReportBuilder::read_each(&args.inputs, wanted);
        let traces = traces
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        (gathered, traces)
    })
}

/// A report in the form that is wanted.
fn content(
    (args, form): (&ReportArgs, ReportFormat),
    report: &Report<'_>,
    traces: Option<&Traces>,
) -> Result<Vec<u8>, report::ReportError> {
    let mut content = Vec::new();
    match form {
        ReportFormat::Html => {
            let name = crate::input::title(&args.inputs);
            let flame = traces.and_then(|traces| traces.flame(&name, command_line()));
            report::html_with_flame(report, flame.as_ref(), args.max_size, &mut content)
        }
        ReportFormat::Md => report::markdown(report, &mut content),
        ReportFormat::Json => report::json(report, args.with_columns, &mut content),
        ReportFormat::Svg => report::svg(report, look(args), &mut content),
        ReportFormat::Png => report::png(report, look(args), &mut content),
    }?;
    Ok(content)
}

/// What stands above the maps: the profile of SQL traces, or the key figures of AWR reports.
fn sections(names: &[String], traces: Option<&Traces>) -> Result<Vec<Section>, Failure> {
    if let Some(traces) = traces {
        return Ok(trace_sections(traces.profile()));
    }
    let reports = awr::read(names)?;
    Ok(if reports.is_empty() { Vec::new() } else { awr_sections(&reports) })
}

/// The statements of a log with the most time in the part that is wanted; of several inputs with its name.
fn statements(given: &ReportInput<'_>, several: bool) -> Option<Section> {
    if given.input.read.examples.is_empty() {
        return None;
    }
    let totals = totals(given);
    let input = InputAccount::new(&given.input.read, &totals);
    let section = statement_section(&totals, &input)?;
    let title = if several { format!("{}: {}", given.label, section.title) } else { section.title };
    Some(Section { title, ..section })
}

/// The part of each input that is wanted; fails where nothing of any lies there, or is what `--where` asks for.
fn parts(args: &ReportArgs, gathered: &[ReportBuilder]) -> Result<Vec<Part>, Failure> {
    let is_empty =
        |one: &ReportBuilder| one.given(TimeRange::default()).history.by_time_waited().is_empty();
    if !args.input.only.is_empty() && gathered.iter().all(is_empty) {
        return Err(unmatched_where::no_events(&args.inputs, &args.input));
    }
    let parts = gathered.iter().map(|gathered| gathered.part(&args.stretch));
    let parts: Vec<Part> = parts.collect::<Result<_, Failure>>()?;
    let nothing = parts.first().and_then(Part::nothing);
    match nothing.filter(|_| parts.iter().all(|part| part.is_outside)) {
        Some(nothing) => Err(nothing),
        None => Ok(parts),
    }
}

/// What conditions come to for every series of every input, in the time that the report shows.
fn judge(
    conditions: &[Threshold],
    given: &[ReportInput<'_>],
    left_out: &[Option<WaitedBounds>],
) -> Judgement {
    if conditions.is_empty() {
        return Judgement::default();
    }
    let totals = given.iter().map(totals).zip(left_out.iter().copied());
    thresholds::of_all(conditions, &totals.collect::<Vec<_>>())
}

/// The sums of one input in the time that the report shows.
fn totals(given: &ReportInput<'_>) -> FrameTotals {
    let mut totals = FrameTotals::default();
    totals.begin_as(given.history.beginning());
    for (series, _) in given.history.by_time_waited() {
        given.history.within(&series, given.shown()).for_each(|frame| totals.add(&frame));
    }
    totals
}

/// Writes a report of one input as a page.
pub fn write_page(gathered: &ReportBuilder, destination: &Destination) -> Result<(), Failure> {
    let options =
        ReportOptions { title: None, command: command_line(), compare: None, sections: Vec::new() };
    let failed = |error: report::ReportError| Failure::new(Code::Runtime, error.to_string());
    let given = [gathered.given(TimeRange::default())];
    let report = Report::of(&given, &options).map_err(failed)?;
    let mut content = Vec::new();
    report::html(&report, report_args::MOST_BYTES, &mut content).map_err(failed)?;
    destination.write(&content)?.into_iter().for_each(|said| screen::warn(&said));
    Ok(())
}

/// How an image is to look.
fn look(args: &ReportArgs) -> Look {
    let theme = args.theme.map(|theme| match theme {
        ThemeArg::Dark => Theme::Dark,
        ThemeArg::Light => Theme::Light,
    });
    let geometry = args.geometry.geometry();
    Look { width: args.image_width, dots: args.dots, theme, palette: Palette::IceHeat, geometry }
}

/// The command line that makes the report again, without secrets and without this machine's paths
/// to the program.
pub fn command_line() -> String {
    let own = std::iter::once("isotherm".to_owned());
    // Before quotes are written into it, a command is what it is known as.
    let shown = redact::arguments().map(|argument| quoted(redact::redacted(&argument)));
    let words: Vec<String> = own.chain(shown).collect();
    redact::redacted(&words.join(" "))
}

/// A word as a shell reads it.
pub fn quoted(word: String) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@,+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
