//! Circles, lines and words at places of their own, as SVG or as dots.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::canvas::Canvas;
use super::geometry::{Anchor, Face, Words, rounded};
use super::png::write_png;
use super::tones::Tone;
use crate::xml::element;

/// Dots to a pixel of a PNG.
const DOTS: u32 = 2;

/// What is drawn of a graph. Places and widths are in pixels, colours as in SVG: `#57606a`.
#[derive(Clone, Debug)]
pub enum GraphMark {
    Line {
        ends: [(f64, f64); 2],
        colour: &'static str,
        width: f64,
        opacity: f64,
    },
    Circle {
        centre: (f64, f64),
        radius: f64,
        fill: Option<&'static str>,
        stroke: &'static str,
        width: f64,
    },
    Text {
        place: (f64, f64),
        text: String,
        is_title: bool,
    },
}

/// A picture of marks, drawn one over the other.
#[derive(Clone, Debug)]
pub struct GraphPicture {
    pub size: (f64, f64),
    pub ground: &'static str,
    pub ink: &'static str,
    pub marks: Vec<GraphMark>,
}

impl GraphPicture {
    /// The marks as elements of SVG.
    pub fn elements(&self) -> String {
        let mut svg = String::new();
        self.marks.iter().for_each(|mark| mark.write_svg(&mut svg));
        svg
    }

    /// All of it as PNG, with texts by their names. The same marks give the same bytes.
    pub fn png(&self, texts: &[(&str, &str)], out: &mut dyn Write) -> io::Result<()> {
        let (width, height) = self.size;
        let size = (rounded(width), rounded(height));
        let mut canvas = Canvas::new(size, DOTS, colour(self.ground));
        for mark in &self.marks {
            self.paint(mark, &mut canvas);
        }
        write_png(&canvas, DOTS, texts, out)
    }

    fn paint(&self, mark: &GraphMark, canvas: &mut Canvas) {
        match mark {
            GraphMark::Line { ends, colour: named, width, opacity } => {
                canvas.segment(*ends, *width, (colour(named), *opacity));
            }
            GraphMark::Circle { centre, radius, fill, stroke, width } => {
                if let Some(fill) = fill {
                    canvas.disc(*centre, *radius, colour(fill));
                }
                canvas.ring(*centre, *radius, *width, colour(stroke));
            }
            GraphMark::Text { place: (x, y), text, is_title } => {
                let words = Words {
                    x: rounded(*x),
                    y: rounded(*y),
                    anchor: Anchor::Start,
                    face: if *is_title { Face::Title } else { Face::Plain },
                    tone: Tone::Ink,
                    text: text.clone(),
                };
                canvas.write(&words, colour(self.ink));
            }
        }
    }
}

impl GraphMark {
    fn write_svg(&self, svg: &mut String) {
        let _ = match self {
            GraphMark::Line { ends: [(x, y), (x2, y2)], colour, width, opacity } => writeln!(
                svg,
                "<path d=\"M{x:.1} {y:.1}L{x2:.1} {y2:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                 opacity=\"{opacity}\"/>"
            ),
            GraphMark::Circle { centre: (x, y), radius, fill, stroke, width } => writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{}\" stroke=\"{stroke}\" \
                 stroke-width=\"{width}\"/>",
                fill.unwrap_or("none")
            ),
            GraphMark::Text { place: (x, y), text, is_title: true } => writeln!(
                svg,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"17\" font-weight=\"600\">{}</text>",
                element(text)
            ),
            GraphMark::Text { place: (x, y), text, .. } => {
                writeln!(svg, "<text x=\"{x}\" y=\"{y}\" font-size=\"12\">{}</text>", element(text))
            }
        };
    }
}

/// The number of a colour such as `#57606a`; black where it is none.
fn colour(named: &str) -> u32 {
    named.strip_prefix('#').and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
}
