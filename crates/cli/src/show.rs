//! `isotherm show`: a whole input as one still picture.

use std::io::Write;

use isotherm_analysis::{ColourMax, Grid, Picture, Request, ScriptMaps, summarise};
use isotherm_frame::{Frame, Mark};
use isotherm_pipeline::Collector;
use isotherm_views::{Description, InputAccount, MapView, OutputForm};

use crate::args::ShowArgs;
use crate::failure::Failure;
use crate::input;
use crate::screen;
use crate::story::{self, ON_SCREEN};
use crate::thresholds::{self, Judgement};

/// So many sentences stand above the picture.
const MOST_TOLD: usize = 2;

/// `isotherm show`
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let judgement = thresholds::or_unsure(&args.thresholds.fail_if, draw(args))?;
    judgement.conclude()
}

/// Draws it; gives what the conditions come to.
fn draw(args: &ShowArgs) -> Result<Judgement, Failure> {
    let mut collector = Collector::to_unpack(args.series.as_deref(), args.input.memory, 1);
    let stretch = args.stretch.of(&args.inputs, &args.input)?;
    let account = input::read_all(&args.inputs, &args.input, ON_SCREEN, &mut |event| {
        let told = stretch.event(event).and_then(|event| collector.take(event));
        if let Some(text) = told {
            screen::warn(&text);
        }
    })?;
    collector.message().into_iter().for_each(|text| screen::warn(&text));
    let (unmatched, mut frames) = (collector.unmatched(), collector.frames());
    let marks = std::mem::take(&mut collector.marks);
    drop(collector);
    if let Some(maps) = ScriptMaps::of_frames(&frames) {
        frames.retain(|frame| maps.holds(&frame.series));
        screen::warn(&screen::of_one_map(&maps));
    }
    let (width, height) = (screen::width(args.width), screen::height(args.height));
    let style = screen::style(&args.screen, screen::is_terminal());
    let most_rows = MapView::rows_in(height, style);
    let Some(request) = request(&frames, marks, (MapView::columns_in(width), most_rows)) else {
        let nothing = || "there is no interval to show".to_owned();
        let what = unmatched.unwrap_or_else(nothing);
        return Err(Failure::nothing(format!("{}: {what}", input::title(&args.inputs))));
    };
    let totals = summarise(&frames);
    let told = story::sentences(&frames, account.clock, args.story.device);
    if args.story.describe {
        let width = screen::is_terminal().then_some(width);
        let mut out = screen::output(OutputForm::Text);
        let (title, sentences) = (input::title(&args.inputs), told);
        let description = Description { title, sentences, owners: Vec::new(), width };
        let written = description.render(&mut out);
        screen::written(written.and_then(|()| out.flush()))?;
        return Ok(thresholds::of_totals(&args.thresholds.fail_if, &totals));
    }
    let (mut frequency, mut intensity) = (ColourMax::default(), ColourMax::default());
    let picture = Picture::draw(&frames, &request, &mut frequency, &mut intensity);
    let view = MapView { title: input::title(&args.inputs), clock: account.clock, width };
    let mut out = screen::output(OutputForm::Painted);
    let windows = InputAccount { windows: totals.windows(), ..InputAccount::default() };
    let first = told.into_iter().take(MOST_TOLD);
    let first: Vec<String> = first.chain(windows.windows_told().map(|told| told + ".")).collect();
    let drawn = view.render_told(&picture, &first, style, &mut out);
    screen::written(drawn.and_then(|()| out.flush()))?;
    Ok(thresholds::of_totals(&args.thresholds.fail_if, &totals))
}

/// The picture of all frames, in at most so many columns and rows.
fn request(
    frames: &[Frame],
    marks: Vec<Mark>,
    (columns, most_rows): (usize, usize),
) -> Option<Request> {
    Some(Request { marks, ..Request::on(Grid::covering(frames, columns)?, most_rows) })
}
