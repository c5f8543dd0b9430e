//! Text with colours for a terminal, in as few bytes as possible.

use std::fmt::Write as _;
use std::io;

use isotherm_frame::visible_char;

use crate::{Depth, Ink, Style};

/// How a piece of text looks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// The colour of the characters; `None` for the terminal's own.
    pub fg: Option<Ink>,
    /// The colour behind them; `None` for the terminal's own.
    pub bg: Option<Ink>,
    /// Whether the characters are bold.
    pub bold: bool,
}

/// Lines of text with colours. Writes a colour code only where the colour changes, goes back to
/// the terminal's own colours at the end of every line, and never moves the cursor.
///
/// Hidden characters in the text, which may come from any input, are made visible, and with
/// [`Depth::Ascii`] every other character gets one ASCII stand-in, so alignment is kept.
#[derive(Debug)]
pub(crate) struct Ansi {
    text: String,
    style: Style,
    look: Look,
    /// Characters on the present line.
    width: usize,
}

impl Ansi {
    pub fn new(style: Style) -> Ansi {
        Ansi { text: String::new(), style, look: Look::default(), width: 0 }
    }

    /// Adds text in the terminal's own colours.
    pub fn plain(&mut self, text: &str) {
        self.looking(text, Look::default());
    }

    /// Adds bold text.
    pub fn bold(&mut self, text: &str) {
        self.looking(text, Look { bold: true, ..Look::default() });
    }

    /// Adds text in secondary grey.
    pub fn faint(&mut self, text: &str) {
        self.looking(text, Look { fg: faint(self.style), ..Look::default() });
    }

    /// Adds text that looks so.
    pub fn looking(&mut self, text: &str, look: Look) {
        if text.is_empty() {
            return;
        }
        let blank = text.chars().all(|char| char == ' ');
        // The colour of a blank's characters is not seen: no need to change it.
        let wanted = if blank { Look { bg: look.bg, ..self.look } } else { look };
        self.change_to(wanted);
        for char in text.chars() {
            self.text.push(if self.style.depth == Depth::Ascii {
                ascii(char)
            } else {
                visible_char(char)
            });
            self.width += 1;
        }
    }

    /// Adds blanks until the line is `column` characters wide.
    pub fn pad_to(&mut self, column: usize) {
        let missing = column.saturating_sub(self.width);
        self.plain(&" ".repeat(missing));
    }

    /// The number of lines that have ended.
    pub fn lines(&self) -> usize {
        self.text.matches('\n').count()
    }

    /// How maps look here.
    pub fn style(&self) -> Style {
        self.style
    }

    /// The number of characters on the present line.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Ends the line, without blanks at its end.
    pub fn end_line(&mut self) {
        self.end_line_with("\n");
    }

    /// Ends the line with these bytes as they are.
    pub fn end_line_with(&mut self, ending: &str) {
        if self.look.bg.is_none() {
            self.text.truncate(self.text.trim_end_matches(' ').len());
        }
        self.change_to(Look::default());
        self.text.push_str(ending);
        self.width = 0;
    }

    /// A whole line of plain text.
    pub fn line(&mut self, text: &str) {
        self.plain(text);
        self.end_line();
    }

    /// What was written.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Writes everything to `out`.
    pub fn write_to(self, out: &mut dyn io::Write) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }

    fn change_to(&mut self, wanted: Look) {
        if wanted == self.look || matches!(self.style.depth, Depth::Glyphs | Depth::Ascii) {
            return;
        }
        let mut codes = String::new();
        if wanted == Look::default() {
            codes.push('0');
        } else {
            if wanted.bold != self.look.bold {
                codes.push_str(if wanted.bold { ";1" } else { ";22" });
            }
            if wanted.fg != self.look.fg {
                push_code(&mut codes, wanted.fg, 30);
            }
            if wanted.bg != self.look.bg {
                push_code(&mut codes, wanted.bg, 40);
            }
        }
        let _infallible = write!(self.text, "\x1b[{}m", codes.trim_start_matches(';'));
        self.look = wanted;
    }
}

/// Adds the code of a colour; `base` is 30 for characters and 40 for what is behind them.
fn push_code(codes: &mut String, ink: Option<Ink>, base: u8) {
    let _infallible = match ink {
        None => write!(codes, ";{}", base + 9),
        Some(Ink::Rgb(red, green, blue)) => write!(codes, ";{};2;{red};{green};{blue}", base + 8),
        Some(Ink::Indexed(index @ 0..8)) => write!(codes, ";{}", base + index),
        Some(Ink::Indexed(index @ 8..16)) => write!(codes, ";{}", base + 60 + index - 8),
        Some(Ink::Indexed(index)) => write!(codes, ";{};5;{index}", base + 8),
    };
}

/// Secondary text: a grey that reads on dark and on light.
fn faint(style: Style) -> Option<Ink> {
    match style.depth {
        Depth::TrueColour | Depth::Indexed => Some(Ink::Indexed(244)),
        Depth::Basic | Depth::Glyphs | Depth::Ascii => None,
    }
}

/// The one ASCII character that stands for another.
/// The ASCII character that looks most like one.
pub(crate) fn ascii(char: char) -> char {
    match char {
        ' '..='~' => char,
        'µ' => 'u',
        '–' | '─' => '-',
        '≈' | '…' => '~',
        '·' | '▁' | '▂' => '.',
        '▃' | '▄' => ':',
        '▇' | '█' => '#',
        '│' | '╵' => '|',
        '⚠' => '!',
        '▲' => '^',
        'Δ' => 'D',
        '◀' | '≤' => '<',
        '×' => 'x',
        '≥' | '→' => '>',
        '±' | '▅' | '▆' => '+',
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Palette, Theme};

    fn ansi(depth: Depth) -> Ansi {
        Ansi::new(Style { depth, theme: Theme::Dark, palette: Palette::IceHeat })
    }

    fn fg(ink: Ink) -> Look {
        Look { fg: Some(ink), ..Look::default() }
    }

    #[test]
    fn only_changes_of_colour_are_written_and_lines_end_plain() {
        let mut ansi = ansi(Depth::TrueColour);
        ansi.looking("a", fg(Ink::Rgb(1, 2, 3)));
        ansi.looking("b", fg(Ink::Rgb(1, 2, 3)));
        ansi.plain(" ");
        ansi.looking("c", Look { bg: Some(Ink::Indexed(24)), ..fg(Ink::Rgb(1, 2, 3)) });
        ansi.end_line();
        ansi.line("d");
        assert_eq!(ansi.into_text(), "\x1b[38;2;1;2;3mab \x1b[48;5;24mc\x1b[0m\nd\n");
    }

    #[test]
    fn basic_colours_have_the_short_codes() {
        let mut ansi = ansi(Depth::Basic);
        ansi.looking("a", fg(Ink::Indexed(6)));
        ansi.looking("b", fg(Ink::Indexed(9)));
        ansi.end_line();
        assert_eq!(ansi.into_text(), "\x1b[36ma\x1b[91mb\x1b[0m\n");
    }

    #[test]
    fn without_colour_no_code_is_written_and_ascii_keeps_the_width() {
        for (depth, expected) in
            [(Depth::Glyphs, "≈5µs\u{fffd}[2J  x\n"), (Depth::Ascii, "~5us?[2J  x\n")]
        {
            let mut ansi = ansi(depth);
            ansi.bold("≈5µs\x1b[2J");
            ansi.pad_to(10);
            ansi.looking("x", fg(Ink::Indexed(6)));
            ansi.plain("   ");
            ansi.end_line();
            assert_eq!(ansi.into_text(), expected);
        }
    }
}
