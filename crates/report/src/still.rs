//! The report as an image: the maps of everything in each recording.

use std::io::{self, Write};

use isotherm_analysis::{Geometry, Picture, Request};

use isotherm_views::generator;

use crate::error::ReportError;
use crate::image::{self, MOST_ROWS, Panel, Still, columns_in};
use crate::input::ReportInput;
use crate::raster::Raster;
use crate::report::{Entry, Report};
use crate::site;
use isotherm_views::{Palette, Theme};

/// The most recordings in one image.
const MOST: usize = 8;

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
    let mut drawn: Vec<(&Entry, &ReportInput, Picture)> = Vec::new();
    for (index, given) in report.given.iter().enumerate().take(MOST) {
        // The first entry of a recording holds all the others.
        if let Some(entry) = report.entries.iter().find(|entry| entry.recording == index) {
            let columns = look.geometry.columns.unwrap_or(columns_in(look.width));
            let picture = picture_of(given, entry, (columns, MOST_ROWS), look.geometry);
            drawn.push((entry, given, picture));
        }
    }
    let panels = drawn.iter().map(|(entry, given, picture)| Panel {
        label: (several || entry.label != report.title).then(|| site::labelled(report, entry)),
        clock: given.input.read.clock,
        picture,
        sentences: entry.sentences.clone(),
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
    Picture::of(raster.timeline, &request, &mut frequency, &mut intensity)
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
