//! What a program printed for a terminal, cell by cell.

use std::collections::BTreeMap;

/// A text of one look within a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub x: usize,
    pub y: usize,
    pub text: String,
    pub bold: bool,
    pub colour: Option<String>,
}

/// A row of one colour, half a cell high.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stroke {
    pub x: usize,
    pub y: usize,
    pub length: usize,
}

/// How the next characters look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Look {
    bold: bool,
    text: Option<String>,
    ground: Option<String>,
}

#[derive(Clone, Debug)]
struct Cell {
    shown: char,
    look: Look,
}

/// The lines of a screen.
#[derive(Clone, Debug, Default)]
pub struct Screen(Vec<Vec<Cell>>);

impl Screen {
    /// Reads text with the colours that `isotherm` writes (SGR sequences).
    pub fn read(text: &str) -> Screen {
        let mut look = Look::default();
        let mut lines = Vec::new();
        for line in text.lines() {
            let (mut cells, mut rest) = (Vec::new(), line);
            while let Some(shown) = rest.chars().next() {
                let sequence = rest.strip_prefix("\u{1b}[").and_then(|rest| rest.split_once('m'));
                if let Some((codes, after)) = sequence {
                    look.apply(codes);
                    rest = after;
                } else {
                    cells.push(Cell { shown, look: look.clone() });
                    rest = &rest[shown.len_utf8()..];
                }
            }
            lines.push(cells);
        }
        Screen(lines)
    }

    /// How many lines it has.
    pub fn lines(&self) -> usize {
        self.0.len()
    }

    /// What is written, without what fills cells.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::<Span>::new();
        for (y, line) in self.0.iter().enumerate() {
            let mut end = 0;
            for (x, cell) in line.iter().enumerate().filter(|(_, cell)| !fills(cell.shown)) {
                let (bold, colour) = (cell.look.bold, &cell.look.text);
                // A gap of one cell is a space of the same text.
                let last = spans.last_mut().filter(|last| {
                    last.y == y && x <= end + 1 && last.bold == bold && last.colour == *colour
                });
                if let Some(span) = last {
                    span.text.extend(std::iter::repeat_n(' ', x - end));
                    span.text.push(cell.shown);
                } else {
                    let (text, colour) = (cell.shown.to_string(), colour.clone());
                    spans.push(Span { x, y, text, bold, colour });
                }
                end = x + 1;
            }
        }
        spans
    }

    /// What is filled, by colour.
    pub fn strokes(&self) -> BTreeMap<String, Vec<Stroke>> {
        let mut strokes = BTreeMap::<String, Vec<Stroke>>::new();
        for (y, line) in self.0.iter().enumerate() {
            for half in 0..2 {
                for (x, cell) in line.iter().enumerate() {
                    let Some(colour) = cell.half(half) else { continue };
                    let of = strokes.entry(colour.clone()).or_default();
                    let y = 2 * y + half;
                    match of.last_mut().filter(|last| last.y == y && last.x + last.length == x) {
                        Some(last) => last.length += 1,
                        None => of.push(Stroke { x, y, length: 1 }),
                    }
                }
            }
        }
        strokes
    }
}

fn fills(shown: char) -> bool {
    matches!(shown, ' ' | '▀' | '▄' | '█')
}

impl Cell {
    /// The colour of the upper half (0) or the lower (1).
    fn half(&self, half: usize) -> Option<&String> {
        let Look { text, ground, .. } = &self.look;
        let (upper, lower) = match self.shown {
            '█' => (text, text),
            '▀' => (text, ground),
            '▄' => (ground, text),
            _ => (ground, ground),
        };
        if half == 0 { upper.as_ref() } else { lower.as_ref() }
    }
}

impl Look {
    fn apply(&mut self, codes: &str) {
        let codes: Vec<u8> = codes.split(';').map(|code| code.parse().unwrap_or(0)).collect();
        let mut rest = codes.as_slice();
        while let Some((code, after)) = rest.split_first() {
            rest = after;
            match code {
                0 => *self = Look::default(),
                1 => self.bold = true,
                22 => self.bold = false,
                39 => self.text = None,
                49 => self.ground = None,
                38 | 48 => {
                    let (colour, after) = colour(rest);
                    rest = after;
                    let which = if *code == 38 { &mut self.text } else { &mut self.ground };
                    *which = colour;
                }
                _ => {}
            }
        }
    }
}

/// The colour that codes name, and those behind it: three parts of 24 bits, or a grey of the 256.
fn colour(codes: &[u8]) -> (Option<String>, &[u8]) {
    match codes {
        [2, red, green, blue, rest @ ..] => {
            (Some(format!("#{red:02x}{green:02x}{blue:02x}")), rest)
        }
        [5, number, rest @ ..] if *number >= 232 => {
            let grey = 8 + 10 * (number - 232);
            (Some(format!("#{grey:02x}{grey:02x}{grey:02x}")), rest)
        }
        [5, _, rest @ ..] => (None, rest),
        _ => (None, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_texts_and_strokes() {
        let screen = Screen::read(
            "\u{1b}[1ma b\u{1b}[22;38;5;244m  c\n\u{1b}[38;2;1;2;3;48;2;4;5;6m▀▀ \u{1b}[0m█ >",
        );
        let span = |x, y, text: &str, bold, colour: Option<&str>| Span {
            x,
            y,
            text: text.to_owned(),
            bold,
            colour: colour.map(str::to_owned),
        };
        let texts = [
            span(0, 0, "a b", true, None),
            span(5, 0, "c", false, Some("#808080")),
            span(5, 1, ">", false, None),
        ];
        assert_eq!(screen.spans(), texts);
        let stroke = |x, y, length| Stroke { x, y, length };
        let strokes = screen.strokes();
        assert_eq!(strokes["#010203"], [stroke(0, 2, 2)]);
        assert_eq!(strokes["#040506"], [stroke(2, 2, 1), stroke(0, 3, 3)]);
        assert_eq!(strokes.len(), 2);
    }
}
