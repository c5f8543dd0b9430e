//! A chart as SVG: one picture without scripts, alone or in a page.

mod dots;
mod frame;
mod shape;

use std::fmt::Write as _;

use isotherm_views::Theme;
use isotherm_views::chart::{Chart, ChartPoint, Content, Curve, Stroke, range};

use crate::xml::attribute;
use frame::Frame;
use shape::{COLOURS, place};

/// Where the colours of a chart come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ChartLook {
    /// From the page it stands in, by classes: it has no style of its own.
    Page,
    /// From itself, for this background; `None` follows the reader's preference.
    Alone(Option<Theme>),
}

/// The narrowest and the widest chart, in pixels.
const WIDTHS: (u32, u32) = (240, 4_096);

/// Paints a chart as an SVG element, so many pixels wide (240 to 4096). Every point that can be
/// drawn lies inside its frame; what cannot be drawn is counted and reported.
pub fn chart_svg(chart: &Chart, width: u32, look: ChartLook) -> String {
    let width = width.clamp(WIDTHS.0, WIDTHS.1);
    let content = Content::of(chart, ticks_in(width));
    let frame = Frame::of(&content, width);
    let mut svg = head(chart, &content, &frame, look);
    frame.paint(&content, &mut svg);
    let numbered = || chart.curves.iter().enumerate();
    for (index, curve) in numbered().filter(|(_, curve)| curve.stroke == Stroke::Band) {
        band(&content, &frame, (index, curve), &mut svg);
    }
    for (index, curve) in numbered() {
        line(&content, &frame, (index, curve), &mut svg);
    }
    dots::paint(&content, &frame, &mut svg);
    svg.push_str("</svg>\n");
    svg
}

/// The most ticks along x and y that have room.
fn ticks_in(width: u32) -> (u8, u8) {
    (u8::try_from(width / 90).unwrap_or(12).clamp(3, 12), 6)
}

fn head(chart: &Chart, content: &Content, frame: &Frame, look: ChartLook) -> String {
    let (width, height) = (frame.width, frame.height);
    let alone = match look {
        ChartLook::Page => "",
        ChartLook::Alone(_) => {
            " xmlns=\"http://www.w3.org/2000/svg\" \
             font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif\""
        }
    };
    let title = attribute(&chart.title);
    let described = attribute(&content.description());
    let mut svg = format!(
        "<svg{alone} class=\"chart\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}: {described}\">\n\
         <title>{title}</title>\n"
    );
    if let ChartLook::Alone(theme) = look {
        svg.push_str("<metadata id=\"isotherm\">a chart</metadata>\n");
        style(theme, &mut svg);
        let _ = writeln!(svg, "<path class=\"ground\" d=\"M0 0h{width}v{height}H0z\"/>");
    }
    svg
}

/// The colours by class, and how words look: what a page's style says otherwise.
fn style(theme: Option<Theme>, svg: &mut String) {
    let classes = |theme: Theme| {
        let pick = |(light, dark): (u32, u32)| if theme == Theme::Light { light } else { dark };
        let mut classes: String = [
            ("ground", (0xff_ffff, 0x0f_1216)),
            ("ink", (0x16_191d, 0xe9_eef4)),
            ("faint", (0x52_5b65, 0x9a_a7b4)),
            ("rule", (0xd3_d9e0, 0x32_3a44)),
        ]
        .map(|(name, colours)| format!(".{name}{{color:#{:06x}}}", pick(colours)))
        .concat();
        let _ = write!(classes, ":root{{--ground:#{:06x}}}", pick((0xff_ffff, 0x0f_1216)));
        for (index, &colours) in COLOURS.iter().enumerate() {
            let _ = write!(classes, ".c{index}{{color:#{:06x}}}", pick(colours));
        }
        classes
    };
    svg.push_str("<style>.chart{font-size:12px}.chart .name{font-weight:600;font-size:13px}");
    svg.push_str(".ground,.ink,.faint,.dot{fill:currentColor}.hollow{fill:var(--ground)}");
    // Words stay readable where a line passes below them.
    svg.push_str("text{paint-order:stroke;stroke:var(--ground);stroke-width:3px}");
    svg.push_str(&classes(theme.unwrap_or(Theme::Light)));
    if theme.is_none() {
        let _ = write!(svg, "@media (prefers-color-scheme:dark){{{}}}", classes(Theme::Dark));
    }
    svg.push_str("</style>\n");
}

/// The area between the ranges of the points of a curve.
fn band(content: &Content, frame: &Frame, (index, curve): (usize, &Curve), svg: &mut String) {
    for run in content.runs(curve) {
        let upper = run.iter().map(|point| (point.x, range(point).1));
        let lower = run.iter().rev().map(|point| (point.x, range(point).0));
        let path = joined(frame, content, upper.chain(lower));
        let colour = place(index);
        let _ = writeln!(
            svg,
            "<path class=\"c{colour}\" fill=\"currentColor\" fill-opacity=\".18\" d=\"{path}z\"/>"
        );
    }
}

/// The line along the points of a curve.
fn line(content: &Content, frame: &Frame, (index, curve): (usize, &Curve), svg: &mut String) {
    let dashes = match curve.stroke {
        Stroke::Measured => " stroke-opacity=\".55\" stroke-width=\"1.2\"",
        Stroke::Line => " stroke-width=\"1.8\"",
        Stroke::Dashed => " stroke-width=\"1.8\" stroke-dasharray=\"6 4\"",
        Stroke::Dots | Stroke::Band => return,
    };
    for run in content.runs(curve).filter(|run| run.len() > 1) {
        let path = joined(frame, content, run.iter().map(|point: &ChartPoint| (point.x, point.y)));
        let colour = place(index);
        let _ = writeln!(
            svg,
            "<path class=\"c{colour}\" fill=\"none\" stroke=\"currentColor\" \
             stroke-linejoin=\"round\"{dashes} d=\"{path}\"/>"
        );
    }
}

fn joined(frame: &Frame, content: &Content, points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        let (x, y) = frame.place(content, x, y);
        let _ = write!(path, "{letter}{x:.1} {y:.1}");
    }
    path
}

#[cfg(test)]
#[path = "chart_tests.rs"]
mod tests;
