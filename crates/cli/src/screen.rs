//! What the program prints on, and how it may look there.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use isotherm_analysis::{MetricKind, Metrics};
use isotherm_frame::{Event, visible};
use isotherm_tui::terminal::{ColorChoice, Environment, Preferences, ask_terminal, depth, theme};
use isotherm_views::{Extent, OutputForm, Palette, Sanitizer, Style, Theme};

use crate::choices::{ColorArg, PaletteArg, ThemeArg};
use crate::failure::{Code, Failure};
use crate::redact::redacted;
use crate::screen_args::ScreenArgs;

/// Standard output, buffered. Everything that is printed passes through it: what a terminal would
/// obey, and did not come from our views, does not.
pub type Output = BufWriter<Sanitizer<StdoutLock<'static>>>;

/// Standard output for something of this form.
pub fn output(form: OutputForm) -> Output {
    let out = Sanitizer::new(io::stdout().lock(), form);
    BufWriter::with_capacity(1 << 16, out)
}

/// The form of bytes for programs: exact, unless they go to a terminal.
pub fn for_programs() -> OutputForm {
    if is_terminal() { OutputForm::Lines } else { OutputForm::Exact }
}

/// Whether standard output is a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The most characters of a line and the most lines of anything that is printed. A larger terminal
/// is used up to these.
pub const MOST_WIDTH: usize = 2_000;
pub const MOST_HEIGHT: usize = 1_000;
/// The widest image, in pixels.
const MOST_PIXELS: usize = 4_096;

/// Reads `--width`.
pub fn width_arg(text: &str) -> Result<usize, String> {
    within(text, MOST_WIDTH, "characters")
}

/// Reads the `--width` of what was also that of an image until this release.
pub fn width_or_pixels_arg(text: &str) -> Result<usize, String> {
    within(text, MOST_PIXELS, "characters or pixels")
}

/// Reads `--height`.
pub fn height_arg(text: &str) -> Result<usize, String> {
    within(text, MOST_HEIGHT, "lines")
}

fn within(text: &str, most: usize, what: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("must be a whole number of {what} from 1 to {most}"))
}

/// The width to print in: what the user says, else the terminal's, else `COLUMNS`, else 100.
pub fn width(asked: Option<usize>) -> usize {
    let environment = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = asked.or_else(|| size().map(|(width, _)| width)).or_else(environment);
    width.unwrap_or(100).clamp(1, MOST_WIDTH)
}

/// The height to print in: what the user says, else the terminal's, else 40.
pub fn height(asked: Option<usize>) -> usize {
    asked.or_else(|| size().map(|(_, height)| height)).unwrap_or(40).clamp(1, MOST_HEIGHT)
}

/// How much of a summary is printed: on a terminal what fits it, with a line for the prompt.
pub fn extent(details: bool, on_screen: bool) -> Extent {
    let height = size().filter(|_| on_screen).map(|(_, height)| height);
    Extent { details, height: height.map(|height| height.max(LEAST_HEIGHT) - 1) }
}

/// The lines of the smallest screen that summaries are made for.
const LEAST_HEIGHT: usize = 24;

fn size() -> Option<(usize, usize)> {
    let (width, height) = is_terminal().then(crossterm::terminal::size)?.ok()?;
    Some((usize::from(width), usize::from(height)))
}

/// How maps look here. `ask` allows asking the terminal for its background, which takes up to a
/// tenth of a second and must not be done while something else reads the keyboard.
pub fn style(args: &ScreenArgs, ask: bool) -> Style {
    let preferences = Preferences {
        color: args.color.map(colour_choice),
        ascii: args.ascii,
        theme: args.theme.map(|theme| match theme {
            ThemeArg::Dark => Theme::Dark,
            ThemeArg::Light => Theme::Light,
        }),
        palette: match args.palette.unwrap_or_default() {
            PaletteArg::IceHeat => Palette::IceHeat,
            PaletteArg::Classic => Palette::Classic,
            PaletteArg::Grey => Palette::Grey,
        },
    };
    let environment = Environment::read();
    let asked = || if ask { ask_terminal() } else { None };
    Style {
        depth: depth(&preferences, &environment),
        theme: theme(&preferences, &environment, asked),
        palette: preferences.palette,
    }
}

fn colour_choice(color: ColorArg) -> ColorChoice {
    match color {
        ColorArg::Auto => ColorChoice::Auto,
        ColorArg::Always => ColorChoice::Always,
        ColorArg::TrueColour => ColorChoice::TrueColour,
        ColorArg::Indexed => ColorChoice::Indexed,
        ColorArg::Basic => ColorChoice::Basic,
        ColorArg::Never => ColorChoice::Never,
    }
}

/// Which metric is shown or summed up, and which others there are.
pub fn of_one_metric(metrics: &Metrics) -> String {
    /// The most names that are listed.
    const LISTED: usize = 8;
    let count = metrics.others.len() + 1;
    let what = match metrics.kind {
        MetricKind::Map => format!("{count} maps of one script may count the same events and are"),
        MetricKind::Metric => format!("{count} metrics may count the same events and are"),
        MetricKind::Level => format!("{count} levels hold each other's time and are"),
    };
    let mut others = metrics.others.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if let Some(more) = metrics.others.len().checked_sub(LISTED).filter(|more| *more > 0) {
        others = format!("{others} and {more} more");
    }
    format!(
        "{what} not added up: {} has the most time; choose another with --series ({others})",
        metrics.foremost,
    )
}

/// Tells the user something that is not the artefact. Where nobody reads standard error any more
/// (`2>&1 | head`, a terminal that was closed) nothing is said, and the work goes on.
pub fn warn(text: &str) {
    let line = format!("isotherm: {}\n", visible(&redacted(text)));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// Says on standard error what a terminal would show of an event.
pub fn warn_of(event: &Event) {
    match event {
        Event::Message(text) => warn(text),
        Event::Anomaly(anomaly) => warn(&anomaly.to_string()),
        Event::Frame(_) | Event::Mark(_) => {}
    }
}

/// A closed pipe is a reader that has seen enough, not an error.
pub fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Code::Runtime, format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a text of this form to standard output.
pub fn print(form: OutputForm, text: &str) -> Result<(), Failure> {
    let mut out = output(form);
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_bounds() {
        assert_eq!(width_arg("2000"), Ok(2_000));
        for text in ["0", "2001", "18446744073709551615", "1e9", "-1", "wide"] {
            let refused = width_arg(text).unwrap_err();
            assert_eq!(refused, "must be a whole number of characters from 1 to 2000", "{text}");
        }
        assert!(height_arg("1000").is_ok() && height_arg("1001").is_err());
    }
}
