//! The layout as PNG.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use flate2::{Compression, Crc, write::ZlibEncoder};
use isotherm_analysis::{Map, Picture};

use isotherm_views::cells::{Cell, cell_at};
use isotherm_views::{MapKind, Theme};

use super::canvas::Canvas;
use super::geometry::{Area, Dash, Heat, Item};
use super::layout::Layout;
use super::legend::place;
use super::tones::Tone;
use super::{Still, arrangement, metadata};

/// What every PNG begins with.
const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];
/// Dots per metre of a screen of 96 dots per inch.
const PER_METRE: u32 = 3_780;
/// The distance of hatching lines, in pixels.
const HATCH: i32 = 6;

/// Paints everything as one PNG. The title, the program and the numbers behind it, as JSON, are in
/// its text; it holds no time, so that the same input gives the same bytes. Fails only when `out`
/// does.
pub fn png(still: &Still, out: &mut dyn Write) -> io::Result<()> {
    let dots = still.dots.clamp(1, 4);
    let painter = Painter { still, theme: still.theme.unwrap_or(Theme::Light) };
    let canvas = painter.paint(&arrangement::sheet(still), dots);
    let numbers = metadata::value(still).to_string();
    let texts = [("Title", &still.title), ("Software", &still.generator), ("isotherm", &numbers)];
    write_png(&canvas, dots, &texts.map(|(name, value)| (name, value.as_str())), out)
}

/// What is painted, and on which background.
struct Painter<'a> {
    still: &'a Still<'a>,
    theme: Theme,
}

impl Painter<'_> {
    fn colour(&self, tone: Tone) -> u32 {
        tone.colour(self.still.palette, self.theme)
    }

    fn paint(&self, sheet: &Layout, dots: u32) -> Canvas {
        let mut canvas = Canvas::new((sheet.width, sheet.y), dots, self.colour(Tone::Ground));
        for item in &sheet.items {
            self.item(item, &mut canvas);
        }
        canvas
    }

    fn item(&self, item: &Item, canvas: &mut Canvas) {
        match item {
            Item::Words(words) => canvas.write(words, self.colour(words.tone)),
            Item::Box { area, tone } => canvas.fill(*area, self.colour(*tone)),
            Item::Rule { from, to, tone, dash } => {
                canvas.rule((*from, *to), *dash, self.colour(*tone));
            }
            Item::Heat(heat) => {
                if let Some(panel) = self.still.panels.get(heat.panel) {
                    self.heat(panel.picture, heat, canvas);
                }
            }
            Item::Hatch(area) => self.hatch(*area, canvas),
            Item::Reset(area) => {
                let x = area.x + area.width / 2;
                let ends = ((x, area.y), (x, area.bottom()));
                canvas.rule(ends, Dash::Dashed, self.colour(Tone::Faint));
            }
            Item::Curve(curve) => {
                canvas.trace(curve, self.colour(Tone::Ink), self.colour(Tone::Ground));
            }
        }
    }

    fn hatch(&self, area: Area, canvas: &mut Canvas) {
        let (area, thick) = (canvas.in_dots(area), canvas.per_pixel());
        let colour = self.colour(Tone::Hatch);
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                if (x + y).rem_euclid(HATCH * thick) < thick {
                    canvas.set(x, y, colour);
                }
            }
        }
    }

    /// Paints cells. Where several columns share a dot, the strongest shade of them is seen.
    fn heat(&self, picture: &Picture, heat: &Heat, canvas: &mut Canvas) {
        let map = match heat.kind {
            MapKind::Frequency => &picture.frequency,
            MapKind::Intensity => &picture.intensity,
        };
        let area = canvas.in_dots(heat.area);
        for (row, pair) in heat.edges.windows(2).enumerate() {
            let [low, high] = [pair[0], pair[1]].map(|edge| edge * canvas.per_pixel());
            for x in 0..area.width {
                let columns = columns_at(x, area.width, picture.columns.len());
                if let Some(place) = strongest(picture, map, row, columns) {
                    let dots = Area { x: area.x + x, y: high, width: 1, height: low - high };
                    let colour = self.colour(Tone::Shade(heat.kind, place));
                    canvas.fill_dots(dots, |_| colour);
                }
            }
        }
    }
}

/// The columns that lie at a dot of a map `width` dots wide.
fn columns_at(x: i32, width: i32, columns: usize) -> Range<usize> {
    let at = |x: i32| {
        let place =
            u64::from(x.unsigned_abs()) * columns as u64 / u64::from(width.unsigned_abs().max(1));
        usize::try_from(place).unwrap_or(columns)
    };
    at(x)..at(x + 1).max(at(x) + 1)
}

fn strongest(picture: &Picture, map: &Map, row: usize, columns: Range<usize>) -> Option<u8> {
    let shade = |column| match cell_at(picture, map, row, column) {
        Cell::Shade(shade) => place(shade),
        Cell::NoData | Cell::Reset => None,
    };
    columns.filter_map(shade).max()
}

/// Writes a canvas with this many dots to a pixel, and texts by their names: indexed colours where there are
/// few enough, else each as it is.
pub(super) fn write_png(
    canvas: &Canvas,
    dots: u32,
    texts: &[(&str, &str)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let (width, height) = canvas.size();
    let palette = palette(canvas.colours());
    let mut header = Vec::new();
    for side in [width, height] {
        header.extend(u32::try_from(side).map_err(io::Error::other)?.to_be_bytes());
    }
    let colour_type = if palette.is_some() { 3 } else { 2 };
    header.extend([8, colour_type, 0, 0, 0]);
    out.write_all(&SIGNATURE)?;
    chunk(*b"IHDR", &header, out)?;
    let mut density = Vec::new();
    density.extend((PER_METRE * dots).to_be_bytes().repeat(2));
    density.push(1);
    if let Some(palette) = &palette {
        let colours: Vec<u8> = by_index(palette).into_iter().flat_map(channels).collect();
        chunk(*b"PLTE", &colours, out)?;
    }
    chunk(*b"pHYs", &density, out)?;
    for (name, value) in texts {
        text(name, value, out)?;
    }
    chunk(*b"IDAT", &compressed(canvas, palette.as_ref())?, out)?;
    chunk(*b"IEND", &[], out)
}

/// The index of each colour; `None` when there are too many for one byte.
fn palette(colours: &[u32]) -> Option<BTreeMap<u32, u8>> {
    let mut palette = BTreeMap::new();
    for colour in colours {
        if !palette.contains_key(colour) {
            palette.insert(*colour, u8::try_from(palette.len()).ok()?);
        }
    }
    Some(palette)
}

fn by_index(palette: &BTreeMap<u32, u8>) -> Vec<u32> {
    let mut colours: Vec<(u8, u32)> =
        palette.iter().map(|(colour, index)| (*index, *colour)).collect();
    colours.sort_unstable();
    colours.into_iter().map(|(_, colour)| colour).collect()
}

fn channels(colour: u32) -> [u8; 3] {
    let [_, red, green, blue] = colour.to_be_bytes();
    [red, green, blue]
}

/// All rows, each after the number of its filter: none.
fn compressed(canvas: &Canvas, palette: Option<&BTreeMap<u32, u8>>) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in canvas.colours().chunks(canvas.size().0.max(1)) {
        let mut line = vec![0];
        match palette {
            Some(palette) => {
                line.extend(row.iter().map(|colour| palette.get(colour).copied().unwrap_or(0)));
            }
            None => line.extend(row.iter().flat_map(|&colour| channels(colour))),
        }
        encoder.write_all(&line)?;
    }
    encoder.finish()
}

/// A text in UTF-8, uncompressed, in no stated language.
fn text(keyword: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut body = keyword.as_bytes().to_vec();
    body.extend([0, 0, 0, 0, 0]);
    // A zero byte would end the text.
    body.extend(text.replace('\0', "\u{fffd}").as_bytes());
    chunk(*b"iTXt", &body, out)
}

fn chunk(name: [u8; 4], body: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut sum = Crc::new();
    sum.update(&name);
    sum.update(body);
    out.write_all(&u32::try_from(body.len()).map_err(io::Error::other)?.to_be_bytes())?;
    out.write_all(&name)?;
    out.write_all(body)?;
    out.write_all(&sum.sum().to_be_bytes())
}

#[cfg(test)]
#[path = "png_tests.rs"]
mod tests;
