//! `isotherm stats`: the numbers of an input.

use std::io::Write;

use isotherm_analysis::{
    Circumstances, Digest, Findings, FrameTotals, Metrics, Story, Summary, WaitedBounds,
};
use isotherm_frame::{Account, Clock, Event};
use isotherm_pipeline::{Collector, Input};
use isotherm_views::{
    Description, FindingsJson, InputAccount, OutputForm, SeriesShare, StatsFindings, StatsJson,
    StatsTable, TimeFormat, narration, write_json,
};

use crate::choices::StatsFormat;
use crate::failure::Failure;
use crate::input;
use crate::range::Part;
use crate::stats_args::StatsArgs;
use crate::thresholds;
use crate::{describe, screen, unmatched_where};

/// What the frames of the inputs add up to, and their course.
type Kept<'a> = Collector<'a, (FrameTotals, Digest)>;

fn collector(args: &StatsArgs) -> Kept<'_> {
    let digest = Digest::new(Story::MOST_CELLS);
    Collector::new(args.series.as_deref(), (FrameTotals::default(), digest))
}

/// Reads the inputs.
fn read<'a>(
    args: &StatsArgs,
    stretch: &Part,
    mut collector: Kept<'a>,
    message: &mut dyn FnMut(&str),
) -> Result<(Account, Kept<'a>), Failure> {
    let binning = describe::binning_of(&args.stretch);
    let account = input::read_all(&args.inputs, &args.input, binning, &mut |event| {
        // How many anomalies there were stands below the numbers.
        let is_anomaly = matches!(event, Event::Anomaly(_));
        let said = collector.take_within(&stretch.range, event);
        said.filter(|_| !is_anomaly).iter().for_each(|text| message(text));
    })?;
    Ok((account, collector))
}

/// The same, of one metric only where there are several.
fn read_one_metric<'a>(
    args: &'a StatsArgs,
    stretch: &Part,
) -> Result<(Account, Kept<'a>), Failure> {
    let read_all = read(args, stretch, collector(args), &mut |text| screen::warn(text))?;
    let metrics = Metrics::of_summaries(&read_all.1.kept.0.by_time_waited());
    let Some(metrics) = metrics else { return Ok(read_all) };
    let said = screen::of_one_metric(&metrics);
    if !input::expand(&args.inputs, &args.input.oracle)?.iter().all(Input::can_be_read_again) {
        return Err(Failure::usage(format!("{said}, or save the input to a file first")));
    }
    screen::warn(&said);
    read(args, stretch, collector(args).of_metrics(metrics), &mut |_| {})
}

pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let stretch = thresholds::or_unsure(
        &args.thresholds.fail_if,
        args.stretch.of(&args.inputs, &args.input, describe::binning_of(&args.stretch)),
    )?;
    let read = read_one_metric(args, &stretch);
    let (account, collector) = thresholds::or_unsure(&args.thresholds.fail_if, read)?;
    let unmatched = collector.unmatched();
    let left_out = collector.left_out();
    let (totals, digest) = collector.kept;
    let empty = stretch.nothing().filter(|_| totals.span.is_none() && unmatched.is_none());
    let no_match = || unmatched_where::no_events(&args.inputs, &args.input);
    let chosen = !args.input.only.is_empty() && totals.span.is_none() && unmatched.is_none();
    let empty = empty.or_else(|| chosen.then(no_match));
    thresholds::or_unsure(&args.thresholds.fail_if, empty.map_or(Ok(()), Err))?;
    let named = unmatched.map_or(Ok(()), |text| Err(Failure::unmatched(text)));
    thresholds::or_unsure(&args.thresholds.fail_if, named)?;
    let input = InputAccount::new(&account, &totals);
    let described = Described { totals: &totals, digest: &digest, clock: account.clock, args };
    let judgement = thresholds::of_totals(&args.thresholds.fail_if, &totals, left_out);
    let form = if args.describes() { OutputForm::Text } else { args.format.into() };
    let mut out = screen::output(form);
    let written = match args.format {
        StatsFormat::Json => {
            let found = described.findings();
            let json = StatsJson::new(&totals, &input, &found);
            write_json(&json.with_thresholds(&judgement.json), &mut out)
        }
        StatsFormat::Table if args.describes() => described.description().render(&mut out),
        StatsFormat::Table => {
            let width = screen::is_terminal().then(|| screen::width(None));
            let style = screen::style(&args.screen, false);
            let sentences = described.sentences();
            let is_there = |_: &&String| totals.together().is_some_and(|all| !all.is_blank());
            let first = sentences.first().filter(is_there);
            let first = first.map(|sentence| of_chosen(args, left_out, sentence));
            StatsTable { width, left_out_s: left_out.estimate_s() }.render_said(
                first.as_deref(),
                (&totals, &input),
                style,
                &mut out,
            )
        }
    };
    screen::written(written.and_then(|()| out.flush()))?;
    judgement.conclude()
}

/// A sentence about all series that were chosen, which says so where there are others.
fn of_chosen(args: &StatsArgs, left_out: WaitedBounds, sentence: &str) -> String {
    match args.series.as_deref().filter(|_| left_out != WaitedBounds::default()) {
        Some(text) => format!("Of series with '{text}': {sentence}"),
        None => sentence.to_owned(),
    }
}

/// What is said of all series and of each.
struct Described<'a> {
    totals: &'a FrameTotals,
    /// The course over time.
    digest: &'a Digest,
    clock: Clock,
    args: &'a StatsArgs,
}

impl Described<'_> {
    /// The findings of a series and what is worth saying of them. Without its course over time
    /// that of its total.
    fn of(&self, summary: &Summary) -> (Findings, Vec<String>) {
        let circumstances = Circumstances::of([&summary.series], self.args.description.device);
        let found = self.digest.findings(&summary.series, &circumstances);
        let findings = found.unwrap_or_else(|| {
            Findings::of_total(&summary.latencies, self.totals.covered_s(), &circumstances)
        });
        let sentences = narration::sentences(&findings.remarks(), &self.moments());
        (findings, sentences)
    }

    fn moments(&self) -> TimeFormat {
        let zero = self.totals.span.map(|(start, _)| start).unwrap_or_default();
        TimeFormat::new(self.clock, zero)
    }

    /// What is worth saying of all series together.
    fn sentences(&self) -> Vec<String> {
        let device = self.args.description.device;
        let sentences = describe::of_digest(self.digest, &self.moments(), device);
        match self.totals.by_time_waited()[..] {
            // Too many intervals to keep: of one series there is its total at least.
            [only] if sentences.is_empty() => self.of(only).1,
            _ => sentences,
        }
    }

    fn findings(&self) -> StatsFindings {
        let found = |summary: &Summary| {
            let (findings, sentences) = self.of(summary);
            (summary.series.clone(), FindingsJson::new(&findings, &sentences))
        };
        let series = self.totals.by_time_waited().into_iter().map(found).collect();
        StatsFindings { series, sentences: self.sentences() }
    }

    /// All series together, and who waited the most.
    fn description(&self) -> Description {
        let summaries = self.totals.by_time_waited();
        let width = screen::is_terminal().then(|| screen::width(None));
        let title = match summaries[..] {
            [only] => only.series.to_string(),
            _ => format!("{}: {} series", input::title(&self.args.inputs), summaries.len()),
        };
        let (owners, common) = SeriesShare::of(&summaries);
        Description { title, sentences: self.sentences(), owners, common, width }
    }
}
