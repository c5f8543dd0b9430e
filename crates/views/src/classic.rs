//! The two scrolling maps of the classic tools, with their faults mended.

use std::io::{self, Write};

use isotherm_analysis::{Map, Picture, Row, RowKind};
use isotherm_frame::{Clock, Nanos, shortened};

use crate::ansi::Ansi;
use crate::cells::{Cell, legend_shades, paint, paint_line, text_rows, unplaced_note};
use crate::numbers::quantity;
use crate::ranges::{ANY_LENGTH, mean};
use crate::times::{TimeFormat, span};
use crate::view::ViewMeta;
use crate::{Depth, MapKind, Palette, Style};

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "classic",
    about: "The two scrolling maps of PyLatencyMap and OraLatencyMap, with the same layout.",
    when: "Right for those who know these tools, and for screenshots beside older ones.",
    reading: &[
        "Blue: events per second. Red: milliseconds waited per second. Six colours in proportion \
         to the largest value on the screen; the legend says from which value each is used.",
        "The largest value is the brightest colour on a dark background and the darkest on a \
         light one (--theme).",
        "Labels are the upper edges of the rows in milliseconds, as there: `.512` is what took up to \
         512 µs, `<` all that was shorter than the rows, `>` all that was longer. Unlike there they \
         are the true edges whatever the source, zero is blank and no data is hatched, and a reset of \
         the counters is marked, not fatal.",
        "Values are rounded to whole numbers; below one to one digit.",
        "`Sum` is the latest column; `Max(Sum)` the largest column of the window. A thousand \
         milliseconds per second is one session that waits all the time, where time lies where it \
         was waited: a dot marks cells of events longer than their column, which lie where they end.",
        "`Average latency` is all time waited divided by all events, `≈` where time is estimated.",
    ],
    example: "isotherm live --ui classic -",
};

/// The number of colours of the classic maps: what to ask a picture for.
pub const CLASSIC_STEPS: u8 = 6;

/// The classic maps.
#[derive(Clone, Debug)]
pub struct ClassicView {
    /// What was measured: the label of the event.
    pub label: String,
    /// The clock of the timestamps.
    pub clock: Clock,
    /// The number of characters in a line.
    pub width: usize,
    /// Whether `out` is a terminal: each frame is then drawn over the last one, at once and
    /// without clearing. Otherwise frames follow each other as plain text.
    pub on_terminal: bool,
    /// The number of intervals seen so far.
    pub samples: u64,
}

/// Characters left of the cells.
const LABEL: usize = 9;
/// Characters of the latest value.
const LATEST: usize = 8;
/// Characters of the legend.
const LEGEND: usize = 14;
/// Lines that are no rows of a map.
const OTHER_LINES: usize = 12;

impl ClassicView {
    /// The number of columns that fit in lines of `width` characters: 90 in 120.
    pub fn columns_in(width: usize) -> usize {
        let legend = if width < 70 { 0 } else { LEGEND };
        width.saturating_sub(LABEL + LATEST + legend).max(1)
    }

    /// The number of rows that fit in `height` lines: 12 in 36, as in the classic tools; at most 24.
    pub fn rows_in(height: usize) -> usize {
        (height.saturating_sub(OTHER_LINES) / 2).clamp(3, 24)
    }

    /// Leaves the last frame on the terminal and the cursor below it.
    pub fn finish(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.on_terminal { out.write_all(b"\r\n") } else { Ok(()) }
    }

    fn has_legend(&self) -> bool {
        self.width >= 70
    }
}

impl ClassicView {
    /// Draws one frame. The palette is always [`Palette::Classic`], and every line of text is one
    /// row of the picture. Fails only when `out` does.
    pub fn render(&self, picture: &Picture, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let frame =
            Frame { view: self, picture, style: Style { palette: Palette::Classic, ..style } };
        let mut ansi = Ansi::new(frame.style);
        frame.draw(&mut ansi);
        let text = ansi.into_text();
        if !self.on_terminal {
            out.write_all(text.as_bytes())?;
            return out.write_all(b"\n");
        }
        // Home, overwrite each line and erase what was right of it and below: no flicker.
        let lines = text.trim_end_matches('\n').replace('\n', "\x1b[K\r\n");
        write!(out, "\x1b[?2026h\x1b[H{lines}\x1b[K\x1b[J\x1b[?2026l")?;
        out.flush()
    }
}

struct Frame<'a> {
    view: &'a ClassicView,
    picture: &'a Picture,
    style: Style,
}

impl Frame<'_> {
    fn draw(&self, ansi: &mut Ansi) {
        ansi.line(&shortened(&format!("isotherm classic · {}", self.view.label), self.view.width));
        self.map(ansi, MapKind::Frequency);
        self.map(ansi, MapKind::Intensity);
        ansi.end_line();
        self.footer(ansi);
    }

    /// The value as it is shown: events, or milliseconds waited, per second.
    fn shown(kind: MapKind, value: f64) -> String {
        plain(if kind == MapKind::Intensity { 1e3 * value } else { value })
    }

    fn map(&self, ansi: &mut Ansi, kind: MapKind) {
        let (map, title, unit) = match kind {
            MapKind::Frequency => {
                (&self.picture.frequency, "Frequency: events per sec", "(N#/sec)")
            }
            MapKind::Intensity => {
                (&self.picture.intensity, "Intensity: time waited per sec", "(millisec/sec)")
            }
        };
        let values = LABEL + self.picture.columns.len() + LATEST;
        ansi.end_line();
        ansi.plain("Latency bucket");
        ansi.pad_to((values.saturating_sub(title.len()) / 2).max(16));
        ansi.bold(title);
        ansi.pad_to(values.saturating_sub("Latest".len()));
        ansi.plain(if ansi.width() + 6 > values { "" } else { "Latest" });
        if self.view.has_legend() {
            ansi.plain("  Legend");
        }
        ansi.end_line();
        ansi.plain("(up to, ms)");
        ansi.pad_to(values.saturating_sub(unit.len()));
        ansi.plain(unit);
        ansi.end_line();
        self.rows(ansi, map, kind);
        self.sums(ansi, map, kind);
    }

    fn rows(&self, ansi: &mut Ansi, map: &Map, kind: MapKind) {
        let latest = self.picture.last_data();
        // Glyphs have a line for each row; so have the classic maps in colour.
        let lines = text_rows(self.picture, Style { depth: Depth::Glyphs, ..self.style });
        for (index, line) in lines.iter().enumerate() {
            let label = self.picture.rows.get(line.lower).map(upper_edge).unwrap_or_default();
            ansi.plain(&format!("{label:>8} "));
            paint_line(ansi, self.style, self.picture, (map, kind), (*line, 1));
            let value =
                latest.and_then(|column| map.cells.get(self.picture.cell(line.lower, column)));
            let value = value.map_or("-".to_owned(), |value| Frame::shown(kind, *value));
            ansi.plain(&format!("{value:>LATEST$}"));
            if self.view.has_legend() {
                self.legend(ansi, (map, kind), index, lines.len());
            }
            ansi.end_line();
        }
    }

    /// The part of the legend that stands beside line `index` of `lines`.
    fn legend(&self, ansi: &mut Ansi, (map, kind): (&Map, MapKind), index: usize, lines: usize) {
        let shades = legend_shades(self.style, kind, &map.legend);
        ansi.plain("  ");
        if index == lines.saturating_sub(1) {
            ansi.plain("Max(Sum):");
        } else if index == 0 {
            paint(ansi, self.style, kind, Cell::Shade(isotherm_analysis::Shade::Zero));
            ansi.plain(" 0");
        } else if let Some((shade, from)) = shades.get(index - 1) {
            paint(ansi, self.style, kind, Cell::Shade(*shade));
            ansi.plain(&format!(" >{}", Frame::shown(kind, *from)));
        } else if index == shades.len() + 1 {
            let max = map.cells.iter().copied().fold(0.0, f64::max);
            ansi.plain(&format!("Max: {}", Frame::shown(kind, max)));
        }
    }

    fn sums(&self, ansi: &mut Ansi, map: &Map, kind: MapKind) {
        let values = LABEL + self.picture.columns.len() + LATEST;
        let latest = self.picture.last_data().and_then(|column| map.sums.get(column));
        let sum = latest.map_or("-".to_owned(), |sum| Frame::shown(kind, *sum));
        let text = format!("Sum: {sum}");
        let axis = match kind {
            MapKind::Frequency => "x=time, y=latency, colour=events per sec",
            MapKind::Intensity => "x=time, y=latency, colour=time waited",
        };
        if LABEL + axis.len() + 2 + text.len() <= values {
            ansi.pad_to(LABEL);
            ansi.faint(axis);
        }
        ansi.pad_to(values.saturating_sub(text.len()));
        ansi.plain(&text);
        let max = Frame::shown(kind, map.max_sum);
        ansi.plain(&if self.view.has_legend() { format!("  {max}") } else { String::new() });
        ansi.end_line();
    }

    fn footer(&self, ansi: &mut Ansi) {
        let head = &self.picture.headline;
        let latest = self.picture.last_data().and_then(|column| self.picture.columns.get(column));
        let latest_mean = latest.and_then(|column| {
            (column.events > 0).then(|| column.waited.seconds * 1e9 / column.events as f64)
        });
        let exact = latest.is_none_or(|column| column.waited.exact);
        let about = if exact { "" } else { "≈" };
        ansi.line(&shortened(
            &format!(
                "Average latency: {}, latest {}. Waiting: {about}{}",
                mean(head.mean_ns, head.exact),
                mean(latest_mean, exact),
                quantity(head.now_waited)
            ),
            self.view.width,
        ));
        if let Some(note) = unplaced_note(self.picture).filter(|_| self.style.has_half_blocks()) {
            let note = format!("{} {note}", self.style.unplaced());
            ansi.line(&shortened(&note, self.view.width));
        }
        let zero = self.picture.columns.first().map(|column| column.start).unwrap_or_default();
        let moments = TimeFormat::new(self.view.clock, zero);
        let when = latest.map_or("no data".to_owned(), |column| {
            let day = moments.day(column.end).map(|day| format!("{day} ")).unwrap_or_default();
            format!("{day}{}{}", moments.time(column.end, false), moments.zone())
        });
        let length = latest.map_or(Nanos::ZERO, |column| column.end.since(column.start));
        ansi.line(&shortened(
            &format!("Sample {}. Interval {}. {when}", self.view.samples, span(length)),
            self.view.width,
        ));
    }
}

/// The upper edge of a row in milliseconds; of the highest row its lower one.
fn upper_edge(row: &Row) -> String {
    match (row.kind, row.hi) {
        (RowKind::Underflow, Some(hi)) => format!("<{}", millis(hi)),
        (RowKind::Body, Some(hi)) => millis(hi),
        _ if row.lo == Nanos::ZERO => ANY_LENGTH.to_owned(),
        _ => format!(">{}", millis(row.lo)),
    }
}

/// `.000064`, `.0014`, `.512`, `1`, `1.5`, `16`, `131`: milliseconds without a zero before the point.
fn millis(length: Nanos) -> String {
    let ns = length.as_nanos();
    let ms = ns as f64 / 1e6;
    // 4.096 ms is 4 to those who know it from there; between powers of two every row has a name.
    let doubles =
        ns.is_power_of_two() || (ns.is_multiple_of(1_000) && (ns / 1_000).is_power_of_two());
    let is_whole = ns >= 1_000_000 && doubles && (ms - ms.round()).abs() < 0.05 * ms;
    let text = match ns {
        _ if is_whole || ns >= 100_000_000 => return format!("{ms:.0}"),
        0..1_000 => format!("{ms:.6}"),
        1_000..10_000 if !doubles => format!("{ms:.4}"),
        1_000..1_000_000 => format!("{ms:.3}"),
        _ => format!("{ms:.1}"),
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.strip_prefix('0').unwrap_or(text).to_owned()
}

/// The largest value of which every digit is shown.
const MOST_PLAIN: f64 = 9_999_999.5;

/// A whole number; below one a single digit, so that little is not nothing.
fn plain(value: f64) -> String {
    match value {
        ..=0.0 => "0".to_owned(),
        ..0.001 => "<0.001".to_owned(),
        ..0.95 => {
            let digits = if value < 0.0095 {
                3
            } else if value < 0.095 {
                2
            } else {
                1
            };
            format!("{value:.digits$}")
        }
        ..MOST_PLAIN => format!("{value:.0}"),
        _ => quantity(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_those_that_users_of_the_classic_tools_know() {
        let micros = [0.064, 128.0, 512.0, 1_024.0, 1_500.0, 4_096.0, 16_384.0, 131_072.0];
        let text = micros.map(|us| millis(Nanos::from_secs_f64(us / 1e6).unwrap()));
        assert_eq!(text, [".000064", ".128", ".512", "1", "1.5", "4", "16", "131"]);
        let row = |kind, lo: u64, hi: Option<u64>| Row {
            lo: Nanos::from_micros(lo),
            hi: hi.map(Nanos::from_micros),
            kind,
            labelled: true,
        };
        assert_eq!(upper_edge(&row(RowKind::Underflow, 0, Some(128))), "<.128");
        assert_eq!(upper_edge(&row(RowKind::Body, 256, Some(512))), ".512");
        assert_eq!(upper_edge(&row(RowKind::Overflow, 131_072, None)), ">131");
    }

    #[test]
    fn values_are_whole_and_little_is_not_nothing() {
        let values = [0.0, 0.0004, 0.004, 0.04, 0.4, 0.97, 3.7, 155_005.2, 9_999_999.0];
        let expected = ["0", "<0.001", "0.004", "0.04", "0.4", "1", "4", "155005", "9999999"];
        assert_eq!(values.map(plain), expected);
    }
}
