//! `isotherm show`: a whole input as one still picture.

use std::io::Write;

use isotherm_analysis::{
    Digest, Excerpt, FrameTotals, History, Picture, Request, Story, Timeline, Windows,
};
use isotherm_pipeline::Collector;
use isotherm_views::{
    Description, InputAccount, MapView, OutputForm, SeriesShare, TimeFormat, who_waits,
};

use crate::describe;
use crate::failure::Failure;
use crate::input;
use crate::screen;
use crate::show_args::ShowArgs;
use crate::thresholds::{self, Judgement};
use crate::unmatched_where;

/// So many sentences stand above the picture.
const MOST_SENTENCES: usize = 2;

/// `isotherm show`
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let judgement = thresholds::or_unsure(&args.thresholds.fail_if, draw(args))?;
    judgement.conclude()
}

/// Draws it; gives what the conditions come to.
fn draw(args: &ShowArgs) -> Result<Judgement, Failure> {
    let memory = args.input.memory;
    let mut collector = Collector::new(args.series.as_deref(), memory.history());
    let binning = describe::binning_of(&args.stretch);
    let stretch = args.stretch.of(&args.inputs, &args.input, binning)?;
    let account = input::read_all(&args.inputs, &args.input, binning, &mut |event| {
        let message = collector.take_within(&stretch.range, event);
        if let Some(text) = message {
            screen::warn(&text);
        }
    })?;
    memory.message(&collector.kept).into_iter().for_each(|text| screen::warn(&text));
    let (shown, metrics) = Excerpt::of(&collector.kept).of_one_metric();
    if let Some(metrics) = &metrics {
        screen::warn(&screen::of_one_metric(metrics));
    }
    let (width, height) = (screen::width(args.width), screen::height(args.height));
    let style = screen::style(&args.screen, screen::is_terminal());
    let most_rows = MapView::rows_in(height, style);
    let geometry = args.geometry.geometry();
    let columns = geometry.columns.unwrap_or(MapView::columns_in(width));
    let Some(grid) = shown.grid(columns) else {
        let unmatched = collector.unmatched();
        let empty = stretch.nothing().filter(|_| unmatched.is_none());
        return Err(empty.unwrap_or_else(|| nothing(args, unmatched)));
    };
    // Each frame is unpacked once, for all that is made of it.
    let (mut digest, mut windows, mut totals) = sums_of(&collector.kept);
    let each = shown.frames().inspect(|frame| {
        digest.push(frame);
        windows.add(frame);
        if args.description.describe || !args.thresholds.fail_if.is_empty() {
            totals.add(frame);
        }
    });
    let timeline =
        Timeline::of_ordered(each, grid).with_unseen_start(collector.kept.unseen_start());
    let moments = TimeFormat::new(account.clock, shown.ends().unwrap_or_default().0);
    let sentences = describe::of_digest(&digest, &moments, args.description.device);
    if args.description.describe {
        describe(args, sentences, &totals, width)?;
        return Ok(thresholds::of_totals(&args.thresholds.fail_if, &totals, collector.left_out()));
    }
    let (mut frequency, mut intensity) = geometry.colour_maxima();
    let (left_out, marks) = (collector.left_out(), collector.marks);
    let request = Request { marks, ..geometry.request(grid, most_rows) };
    let picture = Picture::of(timeline, &request, &mut frequency, &mut intensity);
    let (title, span) = (input::title(&args.inputs), shown.ends());
    let view = MapView { title, clock: account.clock, span, width };
    let mut out = screen::output(OutputForm::Painted);
    let windows = InputAccount { windows: windows.all(), ..InputAccount::default() };
    let who = who_waits(&shown.waits().ranking);
    let first = sentences.into_iter().take(MOST_SENTENCES).chain(who);
    let first: Vec<String> =
        first.chain(windows.windows_message().map(|line| line + ".")).collect();
    let drawn = view.render_with_sentences(&picture, &first, style, &mut out);
    screen::written(drawn.and_then(|()| out.flush()))?;
    Ok(thresholds::of_totals(&args.thresholds.fail_if, &totals, left_out))
}

/// What is made of the frames of a history, before the first of them.
fn sums_of(history: &History) -> (Digest, Windows, FrameTotals) {
    let (mut digest, mut windows) = (Digest::new(Story::MOST_CELLS), Windows::default());
    let mut totals = FrameTotals::default();
    digest.begin_as(history.beginning());
    windows.begin_as(history.beginning());
    totals.begin_as(history.beginning());
    (digest, windows, totals)
}

/// What there is to see, in sentences instead of maps.
fn describe(
    args: &ShowArgs,
    sentences: Vec<String>,
    totals: &FrameTotals,
    width: usize,
) -> Result<(), Failure> {
    let width = screen::is_terminal().then_some(width);
    let title = input::title(&args.inputs);
    let (owners, common) = SeriesShare::of(&totals.by_time_waited());
    let description = Description { title, sentences, owners, common, width };
    let mut out = screen::output(OutputForm::Text);
    let written = description.render(&mut out);
    screen::written(written.and_then(|()| out.flush()))
}

/// That there is nothing to show, and why if that is known.
fn nothing(args: &ShowArgs, why: Option<String>) -> Failure {
    let title = input::title(&args.inputs);
    match why {
        Some(why) => Failure::unmatched(format!("{title}: {why}")),
        None if !args.input.only.is_empty() => {
            unmatched_where::no_events(&args.inputs, &args.input)
        }
        None => Failure::nothing(format!("{title}: there is no interval to show")),
    }
}
