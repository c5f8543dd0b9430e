//! What the program prints on, and how it may look there.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use isotherm_analysis::ScriptMaps;
use isotherm_frame::Series;
use isotherm_views::{
    ColorChoice, Environment, Palette, Style, Theme, Wishes, ask_terminal, depth, theme,
};

use crate::args::{ColorArg, PaletteArg, ScreenArgs, ThemeArg};
use crate::failure::{Code, Failure};

/// Standard output, buffered.
pub fn output() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Whether standard output is a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The width to print in: what the user says, else the terminal's, else `COLUMNS`, else 100.
pub fn width(asked: Option<usize>) -> usize {
    let environment = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    asked.or_else(|| size().map(|(width, _)| width)).or_else(environment).unwrap_or(100)
}

/// The height to print in: what the user says, else the terminal's, else 40.
pub fn height(asked: Option<usize>) -> usize {
    asked.or_else(|| size().map(|(_, height)| height)).unwrap_or(40)
}

fn size() -> Option<(usize, usize)> {
    let (width, height) = is_terminal().then(crossterm::terminal::size)?.ok()?;
    Some((usize::from(width), usize::from(height)))
}

/// How maps look here. `ask` allows asking the terminal for its background, which takes up to a
/// tenth of a second and must not be done while something else reads the keyboard.
pub fn style(args: &ScreenArgs, ask: bool) -> Style {
    let wishes = Wishes {
        color: args.color.map(colour_choice),
        ascii: args.ascii,
        theme: args.theme.map(|theme| match theme {
            ThemeArg::Dark => Theme::Dark,
            ThemeArg::Light => Theme::Light,
        }),
        palette: match args.palette {
            PaletteArg::IceHeat => Palette::IceHeat,
            PaletteArg::Classic => Palette::Classic,
            PaletteArg::Grey => Palette::Grey,
        },
    };
    let environment = Environment::read();
    let asked = || if ask { ask_terminal() } else { None };
    Style {
        depth: depth(&wishes, &environment),
        theme: theme(&wishes, &environment, asked),
        palette: wishes.palette,
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

/// Whether the user wants to see this series.
pub fn matches(wanted: Option<&str>, series: &Series) -> bool {
    wanted.is_none_or(|text| series.to_string().to_lowercase().contains(&text.to_lowercase()))
}

/// Which map of a script is shown or summed up, and which others there are.
pub fn of_one_map(maps: &ScriptMaps) -> String {
    format!(
        "{} maps of one script may count the same events and are not added up: {} has the most \
         time; choose another with --series ({})",
        maps.others.len() + 1,
        maps.foremost,
        maps.others.join(", ")
    )
}

/// Tells the user something that is not the artefact. Where nobody reads standard error any more
/// (`2>&1 | head`, a terminal that was closed) nothing is said, and the work goes on.
pub fn warn(text: &str) {
    let line = format!("isotherm: {}\n", printable(text));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// Text from an input without anything that a terminal would obey.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
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

/// Writes a text to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = output();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}
