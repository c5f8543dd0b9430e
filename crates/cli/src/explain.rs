//! `isotherm explain`: what distinguishes some events from all others.

mod conditions;

use std::io::Write;

use isotherm_analysis::{
    Digest, Excerpt, Explainer, Explanation, Facet, History, Marginals, Selection, Story,
    Suggestion, stretch_to_explain,
};
use isotherm_frame::{
    Clock, Detail, Ends, Frame, Histogram, Nanos, Scheme, Series, TimeRange, Timestamp,
};
use isotherm_pipeline::{Collector, Keep, KeepEvents};
use isotherm_views::{
    ExplainJson, ExplainSummary, ExplainView, OutputForm, TimeFormat, write_json,
};

use crate::describe::{self, BINNING};
use crate::explain_args::{ExplainArgs, ExplainFormat};
use crate::failure::Failure;
use crate::input;
use crate::input_args::InputArgs;
use crate::screen;
use crate::thresholds;
use crate::unmatched_where;

/// `isotherm explain`
pub fn run(args: &ExplainArgs) -> Result<(), Failure> {
    let choice = thresholds::or_unsure(&args.fail_if, choice(args))?;
    let counted = thresholds::or_unsure(&args.fail_if, count(args, &choice))?;
    let explanation = counted.explanation;
    if explanation.inside.events == 0 || explanation.outside.events == 0 {
        return thresholds::or_unsure(&args.fail_if, Err(one_sided(&explanation)));
    }
    let span = choice.span.unwrap_or(counted.span);
    let moments = TimeFormat::new(counted.clock, span.0);
    let summary = ExplainSummary {
        explanation: &explanation,
        span,
        moments: &moments,
        suggestion: choice.suggestion,
        by: &args.input.by,
        top: usize::try_from(args.top).unwrap_or(usize::MAX),
    };
    let form = match args.format {
        ExplainFormat::Json => OutputForm::Json,
        ExplainFormat::Text => OutputForm::Painted,
    };
    let judgement = conditions::judge(&args.fail_if, &explanation, span);
    let mut out = screen::output(form);
    let written = match args.format {
        ExplainFormat::Json => {
            write_json(&ExplainJson::new(&summary).with_thresholds(&judgement.json), &mut out)
        }
        ExplainFormat::Text => {
            let width = screen::is_terminal().then(|| screen::width(None));
            let style = screen::style(&args.screen, false);
            ExplainView { width, style }.render(&summary, &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))?;
    judgement.conclude()
}

/// What is to be explained.
struct Choice {
    selection: Selection,
    /// When the input begins and ends, where that was looked at.
    span: Option<(Timestamp, Timestamp)>,
    /// The stretch of time, where it was chosen and not given.
    suggestion: Option<Suggestion>,
    /// From what latency on an event is slow, where the input was looked at.
    slow_from: Option<Nanos>,
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
        return Ok(Choice { selection: all, span: None, suggestion: None, slow_from: None });
    }
    if args.inputs.iter().any(|input| input == "-") {
        return Err(Failure::usage(
            "selecting a stretch of time reads the input twice, and standard input \
                 can be read only once: save it to a file first, or select by --above \
                 alone",
        ));
    }
    // Of selected latencies all are slow, or none.
    let whole = all.above == Nanos::ZERO && all.below.is_none();
    if !timed {
        let overview = Overview::at(args)?;
        let span = overview.ends.get().ok_or_else(|| nothing(args))?;
        let found = overview.stretch()?;
        let slow_from = total(&overview.history).as_ref().and_then(slow_from);
        let selection = Selection { from: found.from, to: found.to, ..all };
        return Ok(Choice { selection, span: Some(span), suggestion: Some(found), slow_from });
    }
    let look = Look {
        history: args.input.memory.history(),
        ends: Ends::default(),
        latencies: Histogram::empty(Scheme::log_linear()),
    };
    let (look, _) = read(args, look, false)?;
    let span = look.ends.get().ok_or_else(|| nothing(args))?;
    let source = input::title(&args.inputs);
    let part = args.stretch.within(Some(span.into()), &source)?.some()?;
    let TimeRange { from, to } = part.range;
    let selection = Selection { from: from.unwrap_or(all.from), to: to.unwrap_or(all.to), ..all };
    let latencies = (!look.latencies.is_empty()).then(|| look.latencies.clone());
    let slow_from = latencies.or_else(|| total(&look.history)).as_ref().and_then(slow_from);
    let slow_from = slow_from.filter(|_| whole);
    Ok(Choice { selection, span: Some(span), suggestion: None, slow_from })
}

/// A first look at inputs of which a stretch of time is given: when they begin and end, and how long
/// their events took.
struct Look {
    history: History,
    ends: Ends,
    /// The latencies of single events.
    latencies: Histogram,
}

impl Keep for Look {
    fn keep(&mut self, frame: &Frame) {
        if !frame.is_gap() {
            self.ends.reach(frame.start, frame.end);
        }
        self.history.push(frame);
    }
}

impl KeepEvents for Look {
    fn keep_event(&mut self, series: Option<&Series>, at: Timestamp, latency: Nanos) {
        self.ends.reach(at.minus(latency), at);
        if series.is_some() {
            self.latencies.record(latency);
        }
    }
}

/// A first look at inputs in which a stretch of time is to be found: what every surface says of them.
struct Overview {
    history: History,
    digest: Digest,
    ends: Ends,
    /// What there is to say, if nothing is read a second time.
    messages: Vec<String>,
}

impl Keep for Overview {
    fn keep(&mut self, frame: &Frame) {
        if !frame.is_gap() {
            self.ends.reach(frame.start, frame.end);
        }
        self.history.push(frame);
        self.digest.push(frame);
    }

    fn pass_over(&mut self, frame: &Frame) {
        self.digest.pass_over(frame);
    }
}

impl Overview {
    /// Reads inputs as `stats` does, whatever attributes are to be compared; what there is to say is
    /// said when they are read the second time.
    fn at(args: &ExplainArgs) -> Result<Overview, Failure> {
        let overview = Overview {
            history: args.input.memory.history(),
            digest: Digest::new(Story::MOST_CELLS),
            ends: Ends::default(),
            messages: Vec::new(),
        };
        let mut collector = Collector::new(args.series.as_deref(), overview);
        let options = InputArgs { by: Vec::new(), ..args.input.clone() };
        let binning = describe::binning_of(&args.stretch);
        input::read_all(&args.inputs, &options, binning, &mut |event| {
            let text = collector.take(event);
            collector.kept.messages.extend(text);
        })?;
        match collector.unmatched() {
            Some(text) => Err(Failure::unmatched(text)),
            None => Ok(collector.kept),
        }
    }

    /// The stretch of time to be explained: of one metric, where there are several.
    fn stretch(&self) -> Result<Suggestion, Failure> {
        let (excerpt, metrics) = Excerpt::of(&self.history).of_one_metric();
        let found = if metrics.is_some() {
            let mut digest = Digest::new(Story::MOST_CELLS);
            excerpt.frames().for_each(|frame| digest.push(&frame));
            stretch_to_explain(&digest)
        } else {
            stretch_to_explain(&self.digest)
        };
        found.ok_or_else(|| {
            self.messages.iter().for_each(|text| screen::warn(text));
            no_stretch(total(&self.history).as_ref())
        })
    }
}

/// The latencies of all events of one metric, without averages.
fn total(history: &History) -> Option<Histogram> {
    let (excerpt, _) = Excerpt::of(history).of_one_metric();
    let (first, last) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
    let frames: Vec<Frame> =
        excerpt.series().iter().flat_map(|series| history.frames(series, first, last)).collect();
    Histogram::merged(frames.iter().map(|frame| &frame.counts).filter(|one| !one.is_averages()))
}

/// Where the slowest tenth of all events begins: a bound of buckets.
fn slow_from(latencies: &Histogram) -> Option<Nanos> {
    const SLOWEST: f64 = 0.9;
    latencies.quantile(SLOWEST).ok()?.counted_in.hi
}

/// Reads inputs event by event; fails if none of their series is wanted. What there is to say is said
/// at the first reading.
fn read<K: KeepEvents>(args: &ExplainArgs, kept: K, silent: bool) -> Result<(K, Clock), Failure> {
    let mut collector = Collector::new(args.series.as_deref(), kept);
    let mut message = |text: String| {
        if !silent {
            screen::warn(&text);
        }
    };
    let to = (&mut collector, &mut message as &mut dyn FnMut(String));
    let account = input::read_events(&args.inputs, &args.input, BINNING, to)?;
    match collector.unmatched() {
        Some(text) => Err(Failure::unmatched(text)),
        None => Ok((collector.kept, account.clock)),
    }
}

fn nothing(args: &ExplainArgs) -> Failure {
    if args.input.only.is_empty() {
        return Failure::nothing("there are no events to explain");
    }
    unmatched_where::no_events(&args.inputs, &args.input)
}

fn no_stretch(total: Option<&Histogram>) -> Failure {
    let slowest = total.and_then(|total| total.quantile(0.99).ok()).map(|found| {
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
        return Failure::unmatched(if explanation.outside.events == 0 {
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

/// Counts single events on both sides; keeps the intervals of what has none.
struct Counting {
    explainer: Explainer,
    history: History,
    ends: Ends,
}

impl Keep for Counting {
    fn keep(&mut self, frame: &Frame) {
        self.history.push(frame);
    }
}

impl KeepEvents for Counting {
    fn keep_event(&mut self, series: Option<&Series>, at: Timestamp, latency: Nanos) {
        self.ends.reach(at.minus(latency), at);
        if let Some(series) = series {
            self.explainer.event(series, at, latency);
        }
    }
}

fn count(args: &ExplainArgs, choice: &Choice) -> Result<Counted, Failure> {
    let memory = args.input.memory;
    let explainer = Explainer::new(choice.selection, Marginals::USUAL).slow_from(choice.slow_from);
    let counting = Counting { explainer, history: memory.history(), ends: Ends::default() };
    let (counting, clock) =
        read(args, counting, choice.span.is_some() && choice.suggestion.is_none())?;
    let Counting { mut explainer, history, ends } = counting;
    memory.message(&history).into_iter().for_each(|text| screen::warn(&text));
    let (excerpt, metrics) = Excerpt::of(&history).of_one_metric();
    if let Some(metrics) = &metrics {
        screen::warn(&screen::of_one_metric(metrics));
    }
    let of_latency = choice.selection.above > Nanos::ZERO || choice.selection.below.is_some();
    for series in excerpt.series() {
        if of_latency && series.detail() == Detail::Averages {
            return Err(averages(series));
        }
        let (first, last) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        explainer.frames(series, &history.frames(series, first, last));
    }
    known(args, &mut explainer)?;
    let frames = history.earliest().zip(history.latest());
    let span = ends.get().or(frames).unwrap_or_default();
    Ok(Counted { explanation: explainer.explanation(), clock, span })
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
