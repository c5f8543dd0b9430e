//! The report as an image: the maps of everything in each recording.

use std::io::{self, Write};

use isotherm_analysis::{Geometry, Picture, Request, ShortNames, Timeline};
use isotherm_frame::percent;

use isotherm_views::generator;
use isotherm_views::numbers::{grouped, waited};
use isotherm_views::ranges::{Digits, range};

use crate::error::ReportError;
use crate::image::{self, MOST_BARS, MOST_PART_BARS, MOST_ROWS, Panel, Part, Still, columns_in};
use crate::input::ReportInput;
use crate::raster::Raster;
use crate::report::{Entry, Kind, Report};
use crate::site;
use isotherm_views::{Palette, Theme};

/// The most recordings in one image.
const MOST: usize = 8;
/// The most series of a single interval that are drawn by themselves.
const MOST_PARTS: usize = 8;

/// How an image is to look.
#[derive(Copy, Clone, Debug)]
pub struct Look {
    /// The width in pixels, from 320 to 4096.
    pub width: u32,
    /// Dots per pixel of a PNG, from 1 to 4.
    pub dots: u32,
    /// The background; `None` leaves it to the reader's preference in SVG and is light in PNG.
    pub theme: Option<Theme>,
    /// The ramps.
    pub palette: Palette,
    /// What was said of axes and colours.
    pub geometry: Geometry,
}

/// Writes the report as SVG.
pub fn svg(report: &Report, look: Look, out: &mut dyn Write) -> Result<(), ReportError> {
    paint(report, look, image::svg, out)
}

/// Writes the report as PNG.
pub fn png(report: &Report, look: Look, out: &mut dyn Write) -> Result<(), ReportError> {
    paint(report, look, image::png, out)
}

/// A painter of images.
type Painter = fn(&Still, &mut dyn Write) -> io::Result<()>;

fn paint(
    report: &Report,
    look: Look,
    painter: Painter,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let several = report.given.len() > 1;
    let mut drawn: Vec<Drawn> = Vec::new();
    for (index, given) in report.given.iter().enumerate().take(MOST) {
        // The first entry of a recording holds all the others.
        if let Some(entry) = report.entries.iter().find(|entry| entry.recording == index) {
            let columns = look.geometry.columns.unwrap_or(columns_in(look.width));
            let rows = if entry.axis.columns == 1 { MOST_BARS } else { MOST_ROWS };
            let picture = picture_of(given, entry, (columns, rows), look.geometry);
            let parts = parts(report, entry, given, look.geometry);
            drawn.push(Drawn { entry, given, picture, parts });
        }
    }
    let panels = drawn.iter().map(|Drawn { entry, given, picture, parts }| Panel {
        label: (several || entry.label != report.title).then(|| site::labelled(report, entry)),
        clock: given.input.read.clock,
        picture,
        sentences: entry.sentences.clone(),
        parts: parts.panels(),
        parts_note: parts.note.clone(),
    });
    let Look { width, dots, theme, palette, .. } = look;
    let still = Still {
        title: report.title.clone(),
        theme,
        palette,
        width,
        dots,
        panels: panels.collect(),
        provenance: provenance(report),
        generator: generator(),
    };
    painter(&still, out)?;
    Ok(())
}

/// A recording in the image.
struct Drawn<'a> {
    entry: &'a Entry,
    given: &'a ReportInput<'a>,
    picture: Picture,
    parts: Parts,
}

/// The series of a single interval that are drawn by themselves.
#[derive(Default)]
struct Parts {
    /// What tells each from the others, its numbers, and what is drawn.
    each: Vec<(String, String, Picture)>,
    /// What they are of the whole.
    note: Option<String>,
}

impl Parts {
    fn panels(&self) -> Vec<Part<'_>> {
        let part = |(label, numbers, picture)| {
            let (label, numbers) = (String::clone(label), String::clone(numbers));
            Part { label, numbers, picture }
        };
        self.each.iter().map(|(label, numbers, picture)| part((label, numbers, picture))).collect()
    }
}

/// The series of a recording with the most time waited, where `whole` holds several and is a single
/// interval.
fn parts(report: &Report, whole: &Entry, given: &ReportInput, geometry: Geometry) -> Parts {
    let of_it = |entry: &&Entry| entry.recording == whole.recording && entry.kind == Kind::Series;
    let mut series: Vec<&Entry> = report.entries.iter().filter(of_it).collect();
    if whole.axis.columns != 1 || whole.kind == Kind::Series || series.len() < 2 {
        return Parts::default();
    }
    series.sort_by(|one, two| two.waited.seconds.total_cmp(&one.waited.seconds));
    let drawn = &series[..series.len().min(MOST_PARTS)];
    let names = series.iter().flat_map(|entry| entry.members.iter().map(|(series, _)| series));
    let short = ShortNames::of(names);
    let share = |seconds: f64| seconds / whole.waited.seconds.max(f64::MIN_POSITIVE);
    let one = |entry: &&Entry| {
        let name = entry.members.first().map(|(series, _)| short.name(series));
        let rows = (1, MOST_PART_BARS);
        let numbers = part_numbers(entry, share(entry.waited.seconds));
        (name.unwrap_or_default(), numbers, picture_of(given, entry, rows, geometry))
    };
    let all = series.len()
        + report.not_drawn.iter().filter(|one| one.recording == whole.recording).count();
    let held = share(drawn.iter().map(|entry| entry.waited.seconds).sum());
    let of = short.common().map(|common| format!(" ({common})")).unwrap_or_default();
    let which = if all > drawn.len() {
        format!("{} of {all} series", drawn.len())
    } else {
        "All series".to_owned()
    };
    let note = format!("{which}{of}: {} of all time waited", percent(held));
    Parts { each: drawn.iter().map(one).collect(), note: Some(note) }
}

/// `38 % of all time waited · 35.2 s · 3,761 events · p50 8.19–16.4ms`
fn part_numbers(entry: &Entry, share: f64) -> String {
    let about = if entry.waited.exact { "" } else { "≈" };
    let mut parts = vec![
        format!("{about}{} of all time waited", percent(share)),
        format!("{about}{}", waited(entry.waited.seconds)),
        format!("{} events", grouped(entry.events())),
    ];
    let median = entry.quantiles.iter().find(|(quantile, _)| quantile.q.total_cmp(&0.5).is_eq());
    parts.extend(
        median.map(|(quantile, _)| format!("p50 {}", range(quantile.bucket, Digits::Three))),
    );
    parts.join(" · ")
}

/// An entry in at most so many columns and rows.
pub(super) fn picture(given: &ReportInput, entry: &Entry, most: (usize, usize)) -> Picture {
    picture_of(given, entry, most, Geometry::default())
}

fn picture_of(
    given: &ReportInput,
    entry: &Entry,
    (columns, most_rows): (usize, usize),
    geometry: Geometry,
) -> Picture {
    let columns = u64::try_from(columns).unwrap_or(1);
    let raster = Raster::of(given, entry, entry.axis.factor_for(columns), &mut []);
    let request =
        Request { marks: given.marks.clone(), ..geometry.request(raster.grid(), most_rows) };
    let (mut frequency, mut intensity) = geometry.colour_maxima();
    let timeline = Timeline { has_length: entry.has_length, ..raster.timeline };
    Picture::of(timeline, &request, &mut frequency, &mut intensity)
}

/// Where the numbers come from: every recording, also those that found no room.
fn provenance(report: &Report) -> Vec<String> {
    let several = report.given.len() > 1;
    let mut paragraphs = Vec::new();
    for given in report.given {
        // The head of the image says the others.
        let unsaid = |fact: &(&str, String)| !["time", "events", "clock"].contains(&fact.0);
        let unsaid = site::origin(given).into_iter().filter(unsaid);
        let unsaid: Vec<String> = unsaid.map(|(name, value)| format!("{name} {value}")).collect();
        let label = if several { format!("{}: ", given.label) } else { String::new() };
        paragraphs.push(format!("{label}{}", unsaid.join(" · ")));
    }
    let left_out = report.given.len().saturating_sub(MOST);
    if left_out > 0 {
        paragraphs.push(format!("{left_out} more recordings are not drawn"));
    }
    paragraphs
}
