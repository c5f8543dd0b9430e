//! `isotherm compare`: two runs, or two stretches of one.

mod compared;
mod conditions;
mod page;
mod side;

use std::io::Write;

use isotherm_analysis::{
    Anchored, Axes, Excerpt, Failures, MOST_JUDGED, Maps, Pair, PairComparison, Pairing, Request,
    compare_pairs,
};
use isotherm_frame::Timestamp;
use isotherm_views::{
    CompareJson, CompareSummary, CompareView, MapKind, OutputForm, PairLine, Presence, Style,
    write_json,
};

use compared::Compared;

use crate::choices::StatsFormat;
use crate::compare_args::{CompareArgs, MapArg};
use crate::failure::Failure;
use crate::{screen, thresholds};

/// The most columns of the profile of shares.
const MOST_COLUMNS: usize = 600;

/// `isotherm compare`
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    if let Some(output) = &args.output {
        page::check(args, output)?;
    }
    let inputs = or_unsure(args, side::read_all(args))?;
    let [a, b] = or_unsure(args, side::both(args, &inputs))?;
    let alignment = side::alignment(&args.align, &a, &b)?;
    let sides = side::labels(&a, &b, &alignment);
    let pairing = if args.each { Pairing::Series } else { Pairing::Name };
    let mut pairs = pairing.pair(&a.excerpt, &b.excerpt);
    let found = compare_pairs(&mut pairs, [&a.all, &b.all]);
    let lines = pairs.iter().zip(&found).map(|(pair, found)| line(pair, found)).collect();
    let compared = Compared { lines, found };
    let Some((shown, comparison)) = compared.most_changed() else {
        let nothing = compared.nothing_to_compare(args);
        if args.fail_if.is_empty() {
            return Err(Failure::nothing(nothing));
        }
        if !args.quiet {
            screen::warn(&nothing);
        }
        let judged = conditions::judged(args, &compared);
        page::write_junit(args, &[nothing], &judged)?;
        return conditions::fail(args, &judged);
    };
    let look = Look::of(args);
    let pair = &pairs[shown];
    let anchors = [sides[0].anchor, sides[1].anchor];
    let maps = look.cells.and_then(|cells| maps(pair, anchors, cells));
    let profile = maps_of_few_rows(pair, anchors);
    let label = pair.series.full();
    let failures = Failures::of([&a.excerpt, &b.excerpt]);
    // A page reads the inputs once more: then both readings would be held.
    drop((pairs, a, b));
    drop(inputs);
    let (judged, outcomes) = conditions::with_failures(args, &compared, failures);
    let summary = CompareSummary {
        label,
        sides,
        alignment,
        comparison,
        maps: maps.as_ref(),
        profile: profile.as_ref(),
        pairs: &compared.lines,
        failures,
        conditions: outcomes,
    };
    match &args.output {
        Some(output) => page::write(args, output, &summary, &judged)?,
        None => print(args, &summary, &look)?,
    }
    if !args.quiet && !args.fail_if.is_empty() && compared.not_judged() > 0 {
        screen::warn(&format!(
            "factors are judged for the {MOST_JUDGED} kinds of events that changed most; {} more are \
             not: choose some with --series",
            compared.not_judged()
        ));
    }
    conditions::fail(args, &judged)
}

/// Where a side has no events, no condition can be judged: the test results say so, too.
fn or_unsure<T>(args: &CompareArgs, read: Result<T, Failure>) -> Result<T, Failure> {
    if let Err(failure) = &read
        && failure.no_events
        && !args.fail_if.is_empty()
    {
        let judged = conditions::judged(args, &Compared::default());
        page::write_junit(args, std::slice::from_ref(&failure.message), &judged)?;
    }
    thresholds::or_unsure(&args.fail_if, read)
}

/// The columns and rows of the maps of a page, and of what programs read.
const PAGE_CELLS: (usize, usize) = (180, 48);

/// How it is drawn.
struct Look {
    width: usize,
    style: Style,
    /// The most columns and rows of the maps, if there are to be any.
    cells: Option<(usize, usize)>,
}

impl Look {
    fn of(args: &CompareArgs) -> Look {
        let style = screen::style(&args.screen, args.output.is_none() && screen::is_terminal());
        let width = screen::width(args.width).max(60);
        let rows = CompareView::rows_in(width, screen::height(args.height), style);
        let cells = match args.format {
            _ if args.output.is_some() => Some(PAGE_CELLS),
            _ if args.describe || args.quiet => None,
            StatsFormat::Json => Some(PAGE_CELLS),
            StatsFormat::Table => Some((CompareView::columns_in(width), rows)),
        };
        Look { width, style, cells }
    }
}

fn print(
    args: &CompareArgs,
    summary: &CompareSummary<'_>,
    &Look { width, style, .. }: &Look,
) -> Result<(), Failure> {
    let kind = match args.map {
        MapArg::Frequency => MapKind::Frequency,
        MapArg::Intensity => MapKind::Intensity,
    };
    let view = CompareView { width, kind };
    let form = if args.describe || args.quiet { OutputForm::Text } else { args.format.into() };
    let mut out = screen::output(form);
    let written = match args.format {
        _ if args.quiet => view.verdict_alone(summary, style, &mut out),
        _ if args.describe => view.describe(summary, style, &mut out),
        StatsFormat::Json => write_json(&CompareJson::new(summary), &mut out),
        StatsFormat::Table => view.render(summary, style, &mut out),
    };
    screen::written(written.and_then(|()| out.flush()))
}

fn line(pair: &Pair<'_>, found: &PairComparison) -> PairLine {
    let comparison = found.compared.as_ref();
    PairLine {
        label: pair.series.full(),
        presence: match (pair.a.is_empty(), pair.b.is_empty()) {
            (false, true) => Presence::OnlyA,
            (true, false) => Presence::OnlyB,
            _ => Presence::Both,
        },
        a: found.a,
        b: found.b,
        verdict: comparison.map(|comparison| comparison.verdict),
        shifts: comparison.map(|comparison| comparison.shifts.clone()).unwrap_or_default(),
    }
}

/// Both maps of a pair in at most so many columns and rows.
fn maps(
    pair: &Pair<'_>,
    [at_a, at_b]: [Timestamp; 2],
    (columns, rows): (usize, usize),
) -> Option<Maps> {
    let [spans_a, spans_b] = [&pair.a, &pair.b].map(Excerpt::spans);
    let (a, b) = (Anchored { spans: &spans_a, at: at_a }, Anchored { spans: &spans_b, at: at_b });
    let axes = Axes::covering(a, b, columns)?;
    let (a, b) = (pair.a.timeline(axes.a), pair.b.timeline(axes.b));
    let request = Request::on(axes.a, rows);
    (!a.total.is_empty() && !b.total.is_empty()).then(|| Maps::draw(&a, &b, &request))
}

fn maps_of_few_rows(pair: &Pair<'_>, anchors: [Timestamp; 2]) -> Option<Maps> {
    maps(pair, anchors, (MOST_COLUMNS, CompareView::PROFILE_ROWS))
}
