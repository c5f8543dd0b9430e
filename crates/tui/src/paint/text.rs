//! Lines of text that shed what matters least when there is no room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// A piece of a line. Pieces of the highest rank go first when the line is too long.
pub(crate) struct Part {
    spans: Vec<Span<'static>>,
    rank: u8,
}

impl Part {
    pub(crate) fn new(rank: u8, spans: Vec<Span<'static>>) -> Part {
        Part { spans, rank }
    }

    pub(crate) fn plain(rank: u8, text: impl Into<String>) -> Part {
        Part::new(rank, vec![Span::raw(text.into())])
    }

    fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }
}

/// Bold text.
pub(crate) fn bold(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().add_modifier(Modifier::BOLD))
}

/// The parts that fit in `width`, in their order, with `gap` between them.
pub(crate) fn fit(mut parts: Vec<Part>, gap: &'static str, width: u16) -> Line<'static> {
    let gap = Span::raw(gap);
    let taken = |parts: &[Part]| {
        let gaps = parts.len().saturating_sub(1) * gap.width();
        parts.iter().map(Part::width).sum::<usize>() + gaps
    };
    while parts.len() > 1 && taken(&parts) > usize::from(width) {
        let least = parts.iter().map(|part| part.rank).max().unwrap_or(0);
        let Some(index) = parts.iter().rposition(|part| part.rank == least) else { break };
        parts.remove(index);
    }
    let mut line = Line::default();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            line.push_span(gap.clone());
        }
        line.extend(part.spans);
    }
    line
}

/// Writes a line at the beginning of a place.
pub(crate) fn put(buffer: &mut Buffer, place: Rect, line: &Line<'_>) {
    let place = place.intersection(buffer.area);
    if !place.is_empty() {
        buffer.set_line(place.x, place.y, line, place.width);
    }
}

/// Writes a line at the end of a place; gives the width it took.
pub(crate) fn put_right(buffer: &mut Buffer, place: Rect, line: &Line<'_>) -> u16 {
    let width = u16::try_from(line.width()).unwrap_or(u16::MAX).min(place.width);
    let x = place.right() - width;
    put(buffer, Rect { x, width, ..place }, line);
    width
}

/// A text cut to so many columns, with `…` where something is missing.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if Span::raw(text).width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        short.push(letter);
        if Span::raw(short.as_str()).width() + 1 > width {
            short.pop();
            break;
        }
    }
    if width > 0 {
        short.push('…');
    }
    short
}

/// A text in lines of at most so many columns, broken between words; a longer word is broken
/// wherever it must be.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let wide = |text: &str| Span::raw(text).width();
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let fits = |line: &String| wide(line) + 1 + wide(word) <= width;
        if let Some(line) = lines.last_mut().filter(|line| fits(line)) {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        let mut line = String::new();
        for letter in word.chars() {
            let mut longer = line.clone();
            longer.push(letter);
            if wide(&longer) > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_least_goes_first() {
        let parts =
            || vec![Part::plain(2, "source"), Part::plain(0, "state"), Part::plain(1, "clock")];
        let text = |width| fit(parts(), " ", width).to_string();
        assert_eq!(text(18), "source state clock");
        assert_eq!(text(17), "state clock");
        assert_eq!(text(8), "state");
        assert_eq!(shortened("sequential", 6), "seque…");
        assert_eq!(shortened("log", 3), "log");
    }

    #[test]
    fn lines_break_between_words_if_they_can() {
        assert_eq!(wrapped("two modes near 8 ms", 9), ["two modes", "near 8 ms"]);
        assert_eq!(wrapped("a sequential read", 5), ["a", "seque", "ntial", "read"]);
        assert_eq!(wrapped("", 5), Vec::<String>::new());
        assert_eq!(wrapped("ab", 0), ["a", "b"]);
    }
}
