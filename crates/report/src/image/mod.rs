//! Still images of heat maps: SVG for pages and documents, PNG for everything else. One layout of
//! boxes, words and cells, and a painter for each format.

mod arrangement;
mod axes;
mod canvas;
mod curves;
mod geometry;
mod glyphs;
mod graph;
mod histograms;
#[cfg(test)]
mod image_tests;
mod layout;
mod legend;
mod lettering;
mod marks;
mod metadata;
mod panel;
mod png;
mod svg;
mod tones;

use isotherm_analysis::Picture;
use isotherm_frame::Clock;

use isotherm_views::{Palette, Theme};

pub use graph::{GraphMark, GraphPicture};
pub use layout::{MOST_BARS, MOST_PART_BARS, MOST_ROWS, columns_in};
pub use png::png;
pub use svg::svg;

/// What is painted: one picture or several, one below the other, with everything said about them.
#[derive(Clone, Debug)]
pub struct Still<'a> {
    /// What was measured: the series, where from.
    pub title: String,
    /// The background; `None` leaves it to the reader's preference in SVG and is light in PNG.
    pub theme: Option<Theme>,
    /// The ramps.
    pub palette: Palette,
    /// The width in pixels, from 320 to 4096.
    pub width: u32,
    /// Dots per pixel of a PNG, from 1 to 4.
    pub dots: u32,
    /// The pictures, each with what is to be read above it.
    pub panels: Vec<Panel<'a>>,
    /// Where the numbers come from, a paragraph each: source, host, command.
    pub provenance: Vec<String>,
    /// What painted it: the name and the version of the program.
    pub generator: String,
}

/// One picture with the words above it.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// What is shown, where it is not the title already.
    pub label: Option<String>,
    /// The clock of its timestamps.
    pub clock: Clock,
    /// Both maps; of a single interval both histograms.
    pub picture: &'a Picture,
    /// What is to be said about it, most important first.
    pub sentences: Vec<String>,
    /// Of a single interval the series with the most time waited, each drawn by itself.
    pub parts: Vec<Part<'a>>,
    /// What the parts are of the whole.
    pub parts_note: Option<String>,
}

/// One of the series of a single interval.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// What tells it from the others.
    pub label: String,
    /// Its share of all time waited, and its other numbers.
    pub numbers: String,
    /// Its events and its time waited.
    pub picture: &'a Picture,
}
