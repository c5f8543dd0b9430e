//! How wide words are, and the strokes they are drawn with.

use super::geometry::{Face, rounded};
use super::glyphs::{GLYPHS, Glyph, UNKNOWN, composed};

/// A row of points joined by straight lines, in columns and rows of the letters' grid.
pub(super) type Stroke = Vec<(f64, f64)>;

/// The pieces a bend is drawn in.
const PIECES: u8 = 6;

/// The letters of SVG are the reader's; so many pixels high they are about as wide as ours.
const SVG_SIZE: f64 = 11.5;

impl Face {
    /// Pixels to a column of the letters' grid.
    pub fn unit(self) -> f64 {
        match self {
            Face::Title => 1.5,
            Face::Figure => 1.25,
            Face::Heading | Face::Plain => 1.0,
        }
    }

    pub fn is_bold(self) -> bool {
        self != Face::Plain
    }

    /// The size of letters in SVG, in pixels.
    pub fn svg_size(self) -> f64 {
        SVG_SIZE * self.unit()
    }

    /// The pixels that a text takes in either format: the letters of readers of SVG differ, and
    /// bold ones are wider than ours.
    pub fn room(self, text: &str) -> i32 {
        let stretch = if self.is_bold() { 1.14 } else { 1.07 };
        rounded((advance(text) * self.unit() * stretch).ceil())
    }
}

/// The columns of the letters' grid that a text takes.
pub(super) fn advance(text: &str) -> f64 {
    text.chars().map(|letter| f64::from(glyph(letter).1)).sum()
}

/// The columns a character takes, and its strokes.
pub(super) fn drawn(letter: char) -> (f64, Vec<Stroke>) {
    let (_, columns, path) = glyph(letter);
    let mut strokes: Vec<Stroke> = strokes(path).collect();
    if let Some((base, mark)) = composed(letter) {
        // Capitals are two rows higher than small letters; what hangs below a letter stays.
        let rise = if base.is_uppercase() && !mark.starts_with("22") { 2.0 } else { 0.0 };
        let above = self::strokes(mark);
        strokes
            .extend(above.map(|stroke| stroke.into_iter().map(|(x, y)| (x, y + rise)).collect()));
    }
    (f64::from(columns), strokes)
}

/// The glyph of a character; that of the bare letter for one with a mark.
fn glyph(letter: char) -> Glyph {
    let letter = composed(letter).map_or(letter, |(base, _)| base);
    let found = GLYPHS.binary_search_by_key(&letter, |glyph| glyph.0);
    found.ok().and_then(|index| GLYPHS.get(index)).copied().unwrap_or(UNKNOWN)
}

fn strokes(path: &str) -> impl Iterator<Item = Stroke> {
    path.split(',').map(stroke).filter(|stroke| !stroke.is_empty())
}

/// One stroke with its bends as short straight pieces.
fn stroke(path: &str) -> Stroke {
    let mut points = Stroke::new();
    let mut bend = None;
    for word in path.split_whitespace() {
        if word == "z" {
            points.extend(points.first().copied());
        } else if let Some(control) = word.strip_prefix('~') {
            bend = point(control);
        } else if let Some(end) = point(word) {
            match (points.last().copied(), bend.take()) {
                (Some(start), Some(control)) => points.extend(bent(start, control, end)),
                _ => points.push(end),
            }
        }
    }
    points
}

fn point(digits: &str) -> Option<(f64, f64)> {
    let digit = |text: Option<&str>| u8::from_str_radix(text?, 16).ok().map(f64::from);
    Some((digit(digits.get(..1))?, digit(digits.get(1..2))?))
}

/// The points of a quadratic curve after its start.
fn bent(
    start: (f64, f64),
    control: (f64, f64),
    end: (f64, f64),
) -> impl Iterator<Item = (f64, f64)> {
    let between = |one: f64, two: f64, part: f64| one + (two - one) * part;
    (1..=PIECES).map(move |piece| {
        let part = f64::from(piece) / f64::from(PIECES);
        let along = |start, control, end| {
            between(between(start, control, part), between(control, end, part), part)
        };
        (along(start.0, control.0, end.0), along(start.1, control.1, end.1))
    })
}

/// The text cut so that it fits, with an ellipsis where something is missing.
pub(super) fn fitted(text: &str, face: Face, most: i32) -> String {
    if face.room(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if face.room(&format!("{kept}…")) > most {
            kept.pop();
            break;
        }
    }
    format!("{}…", kept.trim_end())
}

/// The text on as many lines as it needs.
pub(super) fn wrapped(text: &str, face: Face, most: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if face.room(&format!("{line} {word}")) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(broken(word, face, most)),
        }
    }
    lines
}

/// A word in pieces that fit; most are whole.
fn broken(word: &str, face: Face, most: i32) -> Vec<String> {
    let mut pieces: Vec<String> = vec![String::new()];
    for letter in word.chars() {
        match pieces.last_mut() {
            Some(piece) if face.room(&format!("{piece}{letter}")) <= most => piece.push(letter),
            _ => pieces.push(letter.to_string()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_are_in_order_and_every_stroke_of_them_can_be_drawn() {
        assert!(GLYPHS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (letter, columns, path) in GLYPHS {
            let points = path.split([' ', ',']).filter(|word| !word.is_empty() && *word != "z");
            assert!(
                points.clone().all(|word| point(word.trim_start_matches('~')).is_some()),
                "{letter}"
            );
            let widest = strokes(path).flatten().map(|(x, _)| x).fold(0.0, f64::max);
            assert!(widest + 1.0 <= f64::from(*columns), "{letter} runs into the next letter");
        }
    }

    #[test]
    fn everything_printable_in_ascii_and_every_sign_that_views_use_has_a_glyph() {
        let views = "µ≈–·≤≥⚠…×→Σ√°±▲✓";
        for letter in (' '..='~').chain(views.chars()) {
            assert_eq!(glyph(letter).0, letter);
        }
        assert_eq!(glyph('字'), UNKNOWN);
        assert_eq!((glyph('É').0, glyph('ü').0), ('E', 'u'));
    }

    #[test]
    fn a_letter_with_a_mark_has_the_strokes_of_both() {
        let count = |letter| drawn(letter).1.len();
        assert_eq!(count('ü'), count('u') + 2);
        let top =
            |letter| drawn(letter).1.into_iter().flatten().map(|(_, y)| y).fold(0.0, f64::max);
        assert!(top('É') > top('E') && top('É') > top('é'));
    }

    #[test]
    fn words_are_cut_and_wrapped_to_what_fits() {
        let face = Face::Plain;
        for most in [40, 90, 200] {
            let text = "several words of a sentence that is too long for one line";
            assert!(face.room(&fitted(text, face, most)) <= most);
            let lines = wrapped(text, face, most);
            assert!(lines.iter().all(|line| face.room(line) <= most));
            if most > 90 {
                assert_eq!(lines.join(" "), text);
            }
        }
        assert_eq!(fitted("short", face, 100), "short");
        let sum = "0123456789abcdef".repeat(4);
        assert_eq!(wrapped(&sum, face, 100).concat(), sum, "long words are broken, not cut");
    }
}
