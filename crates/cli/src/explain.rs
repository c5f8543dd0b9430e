//! `isotherm explain`: what distinguishes some events from all others.

use std::io::Write;

use isotherm_analysis::{
    Circumstances, Explainer, Explanation, Facet, Findings, Grid, Marginals, Selection, Timeline,
    stretch_to_explain,
};
use isotherm_frame::{
    BinnerLimits, Clock, Detail, Event, Frame, Histogram, Nanos, Reading, Series, TimeRange,
    Timestamp,
};
use isotherm_pipeline::SeriesFilter;
use isotherm_pipeline::{Binning, Intake};
use isotherm_sources::Sink;
use isotherm_views::{
    ExplainJson, ExplainSummary, ExplainView, OutputForm, TimeFormat, write_json,
};

use crate::explain_args::{ExplainArgs, ExplainFormat};
use crate::failure::Failure;
use crate::input;
use crate::screen;

/// Intervals of the first look: as fine as those of a report.
const BINNING: Binning = Binning {
    interval: Nanos::new(1_953_125),
    limits: BinnerLimits {
        max_intervals: 6_000,
        max_bytes: 20 << 20,
        ..BinnerLimits::cells(1 << 18)
    },
};
/// The most columns in which the busiest stretch is looked for.
const MOST_COLUMNS: usize = 4_096;

/// `isotherm explain`
pub fn run(args: &ExplainArgs) -> Result<(), Failure> {
    let choice = choice(args)?;
    let counted = count(args, &choice)?;
    let explanation = counted.explanation;
    if explanation.inside.events == 0 || explanation.outside.events == 0 {
        return Err(one_sided(&explanation));
    }
    let span = choice.span.unwrap_or(counted.span);
    let moments = TimeFormat::new(counted.clock, span.0);
    let sheet = ExplainSummary {
        explanation: &explanation,
        span,
        moments: &moments,
        chosen: choice.chosen,
        by: &args.input.by,
        top: usize::try_from(args.top).unwrap_or(usize::MAX),
    };
    let form = match args.format {
        ExplainFormat::Json => OutputForm::Json,
        ExplainFormat::Text => OutputForm::Painted,
    };
    let mut out = screen::output(form);
    let written = match args.format {
        ExplainFormat::Json => write_json(&ExplainJson::new(&sheet), &mut out),
        ExplainFormat::Text => {
            let width = screen::is_terminal().then(|| screen::width(None));
            let style = screen::style(&args.screen, false);
            ExplainView { width, style }.render(&sheet, &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))
}

/// What is to be explained.
struct Choice {
    selection: Selection,
    /// When the input begins and ends, where that was looked at.
    span: Option<(Timestamp, Timestamp)>,
    /// Whether the stretch of time was chosen and not given.
    chosen: bool,
}

/// What the command line selects; the busiest stretch of time if it selects nothing.
fn choice(args: &ExplainArgs) -> Result<Choice, Failure> {
    let all =
        Selection { above: args.above.unwrap_or(Nanos::ZERO), below: args.below, ..Selection::ALL };
    if all.below.is_some_and(|below| below <= all.above) {
        return Err(Failure::usage("--above must be less than --below"));
    }
    let timed = args.stretch.is_given();
    if !timed && (args.above.is_some() || args.below.is_some()) {
        return Ok(Choice { selection: all, span: None, chosen: false });
    }
    if args.inputs.iter().any(|input| input == "-") {
        return Err(Failure::usage(
            "standard input can be read only once, and selecting a stretch of time takes two \
             readings: save it to a file first, or select by --above alone",
        ));
    }
    let look = Look::at(args, !timed)?;
    let span = look.span.ok_or_else(|| nothing(args))?;
    let (from, to, chosen) = if timed {
        let source = input::title(&args.inputs);
        let part = args.stretch.within(Some(span.into()), &source)?.some()?;
        let TimeRange { from, to } = part.range;
        (from.unwrap_or(all.from), to.unwrap_or(all.to), false)
    } else {
        let (from, to) = look.busiest().ok_or_else(|| nothing(args))??;
        (from, to, true)
    };
    Ok(Choice { selection: Selection { from, to, ..all }, span: Some(span), chosen })
}

/// A first look at inputs: all series together over time.
#[derive(Default)]
struct Look {
    /// The intervals, if they are wanted.
    frames: Vec<Frame>,
    /// When the first event began, and the last one ended.
    span: Option<(Timestamp, Timestamp)>,
}

impl Look {
    /// Reads inputs; keeps their intervals if `keep`.
    fn at(args: &ExplainArgs, keep: bool) -> Result<Look, Failure> {
        let together = Series::named("all");
        let interval = args.input.interval.unwrap_or(BINNING.interval);
        let mut intake = Intake::new(interval, BINNING.limits);
        let (mut of_events, mut of_frames) = (Look::default(), Look::default());
        let filter = SeriesFilter::new(args.series.as_deref());
        let mut event = |series: Option<&Series>, at: Timestamp, latency: Nanos| {
            of_events.reach(at.minus(latency), at);
            let taken = series.is_some_and(|series| filter.matches(series));
            if keep && taken {
                intake.reading(Reading::Event { at, series: together.clone(), latency });
            } else if keep {
                intake.reading(Reading::Unselected { at, latency });
            }
        };
        let mut take = |event| match event {
            Event::Frame(frame) if filter.matches(&frame.series) => {
                of_frames.frame(frame, keep);
            }
            Event::Message(text) => screen::warn(&text),
            _ => {}
        };
        input::read_events(&args.inputs, &args.input, BINNING, (&mut event, &mut take))?;
        filter.some()?;
        intake.finish_into(&mut |event| {
            if let Event::Frame(frame) = event {
                of_frames.frames.push(frame);
            }
        });
        if let Some((start, end)) = of_events.span {
            of_frames.reach(start, end);
        }
        Ok(of_frames)
    }

    fn frame(&mut self, frame: Frame, keep: bool) {
        if !frame.is_gap() {
            self.reach(frame.start, frame.end);
        }
        if keep {
            self.frames.push(frame);
        }
    }

    /// The input reaches from `start` to `end` at least.
    fn reach(&mut self, start: Timestamp, end: Timestamp) {
        let known = self.span.map_or((start, end), |(from, to)| (from.min(start), to.max(end)));
        self.span = Some(known);
    }

    /// The stretch of time that owns the most time waited.
    fn busiest(&self) -> Option<Result<(Timestamp, Timestamp), Failure>> {
        let grid = Grid::covering(&self.frames, MOST_COLUMNS)?;
        let timeline = Timeline::place(&self.frames, grid);
        let circumstances = Circumstances::of(std::iter::empty::<&Series>(), None);
        let findings = Findings::of(&timeline, &circumstances);
        let stretch = stretch_to_explain(&timeline, &findings);
        Some(stretch.ok_or_else(|| no_stretch(&timeline.total)))
    }
}

fn nothing(args: &ExplainArgs) -> Failure {
    input::nothing(&args.input, "there are no events to explain")
}

fn no_stretch(total: &Histogram) -> Failure {
    let slowest = total.quantile(0.99).ok().map(|found| {
        let lo = found.bucket.lo;
        format!(", such as --above {lo} for about the slowest 1 %")
    });
    Failure::usage(format!(
        "no stretch of time stands out: select what to explain with --from and --to, --above or \
         --below{}",
        slowest.unwrap_or_default()
    ))
}

/// Why latencies cannot be selected.
fn averages(series: &Series) -> Failure {
    Failure::usage(format!(
        "{series}: averages only, so that --above and --below select nothing: select a stretch of time \
         with --from and --to, or other series with --series"
    ))
}

/// Why there is nothing to compare.
fn one_sided(explanation: &Explanation) -> Failure {
    if explanation.inside.events == 0 {
        let words = "no event is selected: choose a wider --from and --to, or a lower --above";
        return Failure::usage(if explanation.outside.events == 0 {
            "there are no events to explain"
        } else {
            words
        });
    }
    Failure::usage(
        "every event is selected, so that there is nothing to compare with: choose a narrower \
         --from and --to, or a higher --above",
    )
}

/// What was counted on both sides.
struct Counted {
    explanation: Explanation,
    clock: Clock,
    span: (Timestamp, Timestamp),
}

fn count(args: &ExplainArgs, choice: &Choice) -> Result<Counted, Failure> {
    let mut explainer = Explainer::new(choice.selection, Marginals::USUAL);
    let mut history = args.input.memory.history();
    let filter = SeriesFilter::new(args.series.as_deref());
    let mut ends: Option<(Timestamp, Timestamp)> = None;
    let mut event = |series: Option<&Series>, at: Timestamp, latency: Nanos| {
        let start = at.minus(latency);
        ends = Some(ends.map_or((start, at), |(from, to)| (from.min(start), to.max(at))));
        if let Some(series) = series.filter(|series| filter.matches(series)) {
            explainer.event(series, at, latency);
        }
    };
    // What there is to say was said at the first look, if there was one.
    let silent = choice.span.is_some();
    let mut take = |event| match event {
        Event::Frame(frame) if filter.matches(&frame.series) => history.push(&frame),
        Event::Message(text) if !silent => screen::warn(&text),
        _ => {}
    };
    let read = input::read_events(&args.inputs, &args.input, BINNING, (&mut event, &mut take))?;
    filter.some()?;
    if let Some(text) = args.input.memory.message(&history) {
        screen::warn(&text);
    }
    let of_latency = choice.selection.above > Nanos::ZERO || choice.selection.below.is_some();
    for (series, _) in history.by_time_waited() {
        if of_latency && series.detail() == Detail::Averages {
            return Err(averages(&series));
        }
        let (first, last) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        explainer.frames(&series, &history.frames(&series, first, last));
    }
    known(args, &mut explainer)?;
    let frames = history.earliest().zip(history.latest());
    let span = ends.or(frames).unwrap_or_default();
    Ok(Counted { explanation: explainer.explanation(), clock: read.clock, span })
}

/// Fails if no attribute that the user wants is anywhere. That some are nowhere is a warning.
fn known(args: &ExplainArgs, explainer: &mut Explainer) -> Result<(), Failure> {
    let by = &args.input.by;
    let facets: Vec<&Facet> = explainer.facets().collect();
    let is_known = |wanted: &&String| facets.iter().any(|facet| facet.is_called(wanted));
    let unknown: Vec<&String> = by.iter().filter(|wanted| !is_known(wanted)).collect();
    let Some(first) = unknown.first() else { return Ok(()) };
    if facets.is_empty() {
        return Err(nothing(args));
    }
    let names: Vec<String> = facets.iter().map(|facet| format!("{facet}")).collect();
    let words = format!("no event has the attribute '{first}'; there are: {}", names.join(", "));
    if unknown.len() == by.len() {
        return Err(Failure::usage(words));
    }
    screen::warn(&words);
    Ok(())
}
