//! The pictures of the demo, as `isotherm show` draws it: one SVG in which the maps fill, moved by CSS alone,
//! and for readers who want no motion its end as a still one, dark and light.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail};

use super::scratch::Scratch;
use super::screen::{Screen, Span};

/// The pictures that are written.
pub const PICTURES: [&str; 3] = ["demo.svg", "demo-still-dark.svg", "demo-still-light.svg"];
/// The screen that is asked for: columns and lines. Marks come below it.
const SIZE: (usize, usize) = (112, 24);
/// A cell in pixels.
const CELL: (f64, f64) = (8.4, 17.0);
/// Where each screen of the moving picture ends, in seconds from the beginning of the demo, which lasts five
/// minutes.
const ENDS_S: [u32; 13] = [20, 45, 70, 90, 100, 115, 130, 150, 175, 200, 230, 265, 300];
/// How long each is shown, and the last one, in seconds.
const SHOWN_S: (f64, f64) = (0.9, 4.0);
/// Larger than this it is too slow to load at the head of a README.
const MOST_BYTES: usize = 300_000;

/// Text and ground of a terminal.
#[derive(Copy, Clone)]
struct Theme {
    name: &'static str,
    text: &'static str,
    ground: &'static str,
}

const DARK: Theme = Theme { name: "dark", text: "#c9d1d9", ground: "#0d1117" };
const LIGHT: Theme = Theme { name: "light", text: "#1f2328", ground: "#ffffff" };

/// Draws the demo in the scratch directory, from the recording of it there.
pub fn write(scratch: &Scratch) -> Result<()> {
    let screens = ENDS_S.iter().map(|end| screen(scratch, *end, DARK));
    let screens = screens.collect::<Result<Vec<Screen>>>()?;
    let [_, .., last] = &screens[..] else { bail!("the demo has no screens") };
    let light = screen(scratch, ENDS_S[ENDS_S.len() - 1], LIGHT)?;
    let drawn = [moving(&screens)?, still(last, DARK)?, still(&light, LIGHT)?];
    for (name, picture) in PICTURES.into_iter().zip(drawn) {
        if picture.len() > MOST_BYTES {
            bail!("{name} has {} bytes, more than {MOST_BYTES}", picture.len());
        }
        fs::write(scratch.path(name), picture).with_context(|| name.to_owned())?;
    }
    Ok(())
}

/// The demo until a second of it.
fn screen(scratch: &Scratch, end_s: u32, theme: Theme) -> Result<Screen> {
    let (end, width, height) = (format!("{end_s}s"), SIZE.0.to_string(), SIZE.1.to_string());
    let shown = ["show", "demo.heat", "--to", &end, "--color", "24bit", "--theme", theme.name];
    let sized = ["--width", &width, "--height", &height];
    Ok(Screen::read(&scratch.isotherm(&[&shown[..], &sized].concat())?))
}

/// The screens, one after the other; a reader who wants no motion sees the last.
fn moving(screens: &[Screen]) -> Result<String> {
    let before = screens.len().saturating_sub(1) as f64 * SHOWN_S.0;
    let all = before + SHOWN_S.1;
    let motion = format!(
        ".f{{visibility:hidden;animation:f {all:.1}s steps(1) infinite}}.l{{animation-name:l}}\
         @keyframes f{{0%{{visibility:visible}}{one:.3}%,100%{{visibility:hidden}}}}\
         @keyframes l{{0%{{visibility:visible}}{last:.3}%,100%{{visibility:hidden}}}}\
         @media(prefers-reduced-motion:reduce){{.f{{animation:none}}.l{{visibility:visible}}}}",
        one = 100.0 * SHOWN_S.0 / all,
        last = 100.0 * SHOWN_S.1 / all,
    );
    let label =
        "isotherm demo: two heat maps fill from left to right, and sentences say what happens";
    let mut svg = head(screens, DARK, label, &motion);
    for (number, screen) in screens.iter().enumerate() {
        let last = if number + 1 == screens.len() { " l" } else { "" };
        // Begun so long ago that its turn comes after those before it.
        let delay = number as f64 * SHOWN_S.0 - all;
        writeln!(svg, "<g class=\"f{last}\" style=\"animation-delay:{delay:.1}s\">")?;
        draw(&mut svg, screen)?;
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// One screen.
fn still(screen: &Screen, theme: Theme) -> Result<String> {
    let label = "isotherm demo: two heat maps, and sentences that say what happened";
    let mut svg = head(std::slice::from_ref(screen), theme, label, "");
    draw(&mut svg, screen)?;
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// What comes before the screens.
fn head(screens: &[Screen], theme: Theme, label: &str, style: &str) -> String {
    let lines = screens.iter().map(Screen::lines).max().unwrap_or(SIZE.1);
    let (width, height) = (SIZE.0 as f64 * CELL.0 + 16.0, lines as f64 * CELL.1 + 16.0);
    let Theme { text, ground, .. } = theme;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"{label}\">\n\
         <style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;\
         fill:{text};white-space:pre}}.b{{font-weight:700}}path{{stroke-width:1}}{style}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{ground}\"/>\n"
    )
}

fn draw(svg: &mut String, screen: &Screen) -> Result<()> {
    blocks(svg, screen)?;
    screen.spans().iter().try_for_each(|span| text(svg, span))
}

/// What is filled, in halves of a cell: a stroke for each row of one colour.
fn blocks(svg: &mut String, screen: &Screen) -> Result<()> {
    let (x, y) = (CELL.0, CELL.1 / 2.0);
    writeln!(svg, "<g transform=\"translate(8 8) scale({x} {y}) translate(0 .5)\">")?;
    for (colour, strokes) in screen.strokes() {
        write!(svg, "<path stroke=\"{colour}\" d=\"")?;
        for stroke in strokes {
            write!(svg, "M{} {}h{}", stroke.x, stroke.y, stroke.length)?;
        }
        svg.push_str("\"/>\n");
    }
    svg.push_str("</g>\n");
    Ok(())
}

/// A text keeps its width in cells, whatever font draws it.
fn text(svg: &mut String, span: &Span) -> Result<()> {
    let (x, y) = (8.0 + span.x as f64 * CELL.0, 8.0 + span.y as f64 * CELL.1 + 13.0);
    let length = span.text.chars().count() as f64 * CELL.0;
    let bold = if span.bold { " class=\"b\"" } else { "" };
    let fill =
        span.colour.as_ref().map_or(String::new(), |colour| format!(" style=\"fill:{colour}\""));
    let escaped = span.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\"{bold}{fill}>{escaped}</text>"
    )?;
    Ok(())
}
