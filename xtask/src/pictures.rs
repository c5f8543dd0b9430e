//! Makes the moving picture of the demo: its own story, as `isotherm show` draws it at growing ends, as one
//! SVG that moves by CSS alone.

mod screen;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use self::screen::{Screen, Span};
use crate::pages;

/// The screen that is asked for: columns and lines. Marks come below it.
const SIZE: (usize, usize) = (112, 24);
/// A cell in pixels.
const CELL: (f64, f64) = (8.4, 17.0);
/// Where each picture ends, in seconds from the beginning of the story. The demo lasts five minutes.
const ENDS_S: [u32; 13] = [20, 45, 70, 90, 100, 115, 130, 150, 175, 200, 230, 265, 300];
/// How long each is shown, and the last one, in seconds.
const SHOWN_S: (f64, f64) = (0.9, 4.0);
/// Larger than this it is too slow to load at the head of a README.
const MOST_BYTES: usize = 300_000;
/// Text and ground as a dark terminal has them.
const COLOURS: (&str, &str) = ("#c9d1d9", "#0d1117");

/// Draws `docs/pictures/demo.svg` with the program that was built, or with the one that is named.
pub fn run(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<Vec<String>> {
    let built = pages::target(root).join("debug").join("isotherm");
    let program = arguments.next().map_or(built, Into::into);
    let scratch = pages::target(root).join("pictures");
    fs::create_dir_all(&scratch)?;
    let recording = scratch.join("demo.heat");
    if recording.exists() {
        fs::remove_file(&recording)?;
    }
    print(&program, &scratch, &["demo", "-o", "demo.heat"])?;
    let screens = ENDS_S.iter().map(|end| {
        let (end, width, height) = (format!("{end}s"), SIZE.0.to_string(), SIZE.1.to_string());
        let drawn = ["show", "demo.heat", "--to", &end, "--color", "24bit"];
        let sized = ["--width", &width, "--height", &height];
        let text = print(&program, &scratch, &[&drawn[..], &sized].concat())?;
        Ok(Screen::read(&text))
    });
    let picture = picture(&screens.collect::<Result<Vec<Screen>>>()?)?;
    let path = root.join("docs/pictures/demo.svg");
    fs::write(&path, &picture).with_context(|| path.display().to_string())?;
    println!("{}: {} bytes, {} screens", path.display(), picture.len(), ENDS_S.len());
    Ok(Vec::new())
}

/// Runs the program in a directory of its own; gives what it prints.
fn print(program: &Path, scratch: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.current_dir(scratch).args(arguments).env_remove("NO_COLOR").env("TZ", "UTC");
    let output = command.output().with_context(|| program.display().to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("isotherm {}: {}", arguments.join(" "), said.trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The screens, one after the other; who wants no motion sees the last.
fn picture(screens: &[Screen]) -> Result<String> {
    let lines = screens.iter().map(Screen::lines).max().unwrap_or(SIZE.1);
    let (width, height) = (SIZE.0 as f64 * CELL.0 + 16.0, lines as f64 * CELL.1 + 16.0);
    let before = screens.len().saturating_sub(1) as f64 * SHOWN_S.0;
    let all = before + SHOWN_S.1;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"isotherm demo: two heat maps fill from left to right, and sentences say what happens\">\n\
         <style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;\
         fill:{text};white-space:pre}}.b{{font-weight:700}}path{{stroke-width:1}}\
         .f{{visibility:hidden;animation:f {all:.1}s steps(1) infinite}}.l{{animation-name:l}}\
         @keyframes f{{0%{{visibility:visible}}{one:.3}%,100%{{visibility:hidden}}}}\
         @keyframes l{{0%{{visibility:visible}}{last:.3}%,100%{{visibility:hidden}}}}\
         @media(prefers-reduced-motion:reduce){{.f{{animation:none}}.l{{visibility:visible}}}}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{ground}\"/>\n",
        text = COLOURS.0,
        ground = COLOURS.1,
        one = 100.0 * SHOWN_S.0 / all,
        last = 100.0 * SHOWN_S.1 / all,
    );
    for (number, screen) in screens.iter().enumerate() {
        let last = if number + 1 == screens.len() { " l" } else { "" };
        // Begun so long ago that its turn comes after those before it.
        let delay = number as f64 * SHOWN_S.0 - all;
        writeln!(svg, "<g class=\"f{last}\" style=\"animation-delay:{delay:.1}s\">")?;
        blocks(&mut svg, screen)?;
        for span in screen.spans() {
            text(&mut svg, &span)?;
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    if svg.len() > MOST_BYTES {
        bail!("the picture of the demo has {} bytes, more than {MOST_BYTES}", svg.len());
    }
    Ok(svg)
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
