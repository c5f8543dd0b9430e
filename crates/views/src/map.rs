//! The whole input as one still picture: both maps, with every number beside them.

use std::io::{self, Write};

use isotherm_analysis::{ColumnState, Map, Picture};
use isotherm_frame::{Clock, Detail, Nanos, Timestamp, shortened, whole_percent_of};

use crate::ansi::Ansi;
use crate::bars;
use crate::cells::{TextRow, bar, paint_legend, paint_line, row_sums, text_rows, unplaced_note};
use crate::description::words;
use crate::headline::{percentiles, totals, waited};
use crate::numbers::{quantity, seconds};
use crate::ranges::edge;
use crate::sums::count;
use crate::times::{TimeFormat, span};
use crate::view::ViewMeta;
use crate::{MapKind, Style};

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "map",
    about: "The whole input as one still picture: how often (frequency) and how long (intensity).",
    when: "Right for a first look at a file or a recording, in a terminal, a log or a chat.",
    reading: &[
        "Time runs from left to right, latency from bottom to top; a label is the true lower edge \
         of its row. `<` collects everything shorter, `>` everything longer: no event is left out.",
        "The upper map shades events per second, the lower one seconds waited per second: how many \
         were waiting on average at any moment.",
        "The legend gives the value each shade begins at. Blank is exactly zero; `╱` is no data; \
         `┆` is where the source's counters were reset.",
        "Right of each map: the sum of each row over the whole picture, its share, and a bar. The \
         rows add up to the total below them.",
        "Below the numbers stand up to two sentences: what is worth saying of the latencies, what \
         explains most of all time waited first, and of several series who waited most. `--describe` \
         prints all of them and nothing else.",
        "A single interval, such as one AWR report, has no course over time: it is drawn as two \
         histograms, the events and the time waited of each row.",
        "A cell with a dot (without colours a tick below its column) holds time of events longer than \
         the column, from a source that says only when they ended: a part of it was waited before. \
         Then `at most` is how many seconds of waits ended per second, and is not a number of sessions.",
        "Averages, of sources that count how many events there were and how long they took together, \
         are a line: one cell in each column, at the mean of its events. There are no percentiles.",
        "`≈` marks what is estimated from bucket mid-points; without it the source gave the exact \
         time. Percentiles are ranges, because buckets know no more.",
    ],
    example: "isotherm show run.heat",
};

/// The still picture.
#[derive(Clone, Debug)]
pub struct MapView {
    /// What was measured: the series, where from.
    pub title: String,
    /// The clock of the timestamps.
    pub clock: Clock,
    /// When what is shown begins and ends, where that is known better than from its columns.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The number of characters in a line, at least 60.
    pub width: usize,
}

/// Characters left of the cells: the label and a blank.
const LABEL: usize = 8;
/// Characters right of the cells but for the bar: ` 142311  39% `.
const NUMBERS: usize = 14;

impl MapView {
    /// The number of columns that fit in lines of `width` characters.
    pub fn columns_in(width: usize) -> usize {
        width.max(60) - LABEL - NUMBERS - bar_width(width)
    }

    /// The columns in which a span of time is best drawn in lines of `width` characters: the
    /// length of one, in whole intervals of the source, and their number.
    pub fn columns_for(length: Nanos, interval: Nanos, width: usize) -> (Nanos, usize) {
        let interval = interval.as_nanos().max(1);
        let room = u64::try_from(MapView::columns_in(width)).unwrap_or(1).max(1);
        let intervals = length.as_nanos().div_ceil(interval).max(1);
        // Shorter bars may save columns from being twice as long.
        let spare = u64::try_from(bar_width(width).saturating_sub(LEAST_BAR)).unwrap_or(0);
        let column = interval.saturating_mul(intervals.div_ceil(room + spare));
        let columns = length.as_nanos().div_ceil(column).clamp(1, room + spare);
        (Nanos::new(column), usize::try_from(columns).unwrap_or(1))
    }

    /// The most rows a picture may have so that it is drawn in about `height` lines.
    pub fn rows_in(height: usize, style: Style) -> usize {
        let lines = (height.saturating_sub(11) / 2).max(6);
        if style.has_half_blocks() { 2 * lines } else { lines }
    }
}

/// The fewest and the most characters of a bar.
const LEAST_BAR: usize = 4;
const MOST_BAR: usize = 40;
/// The most characters of one cell: columns are widened to fill the lines.
const MOST_WIDE: usize = 8;

fn bar_width(width: usize) -> usize {
    match width {
        0..80 => 0,
        80..140 => 9,
        _ => 16,
    }
}

impl MapView {
    /// Paints the picture. Fails only when `out` does.
    pub fn render(&self, picture: &Picture, style: Style, out: &mut dyn Write) -> io::Result<()> {
        self.render_with_sentences(picture, &[], style, out)
    }

    /// Paints the picture with sentences that say what there is to see. Fails only when `out` does.
    pub fn render_with_sentences(
        &self,
        picture: &Picture,
        sentences: &[String],
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut ansi = Ansi::new(style);
        let wide = MapView::columns_in(self.width) / picture.columns.len().max(1);
        let wide = wide.clamp(1, MOST_WIDE);
        let used = LABEL + wide * picture.columns.len() + NUMBERS;
        let bar = self.width.saturating_sub(used).min(MOST_BAR);
        let sheet = Sketch { view: self, picture, style, bar, wide };
        sheet.title(&mut ansi);
        sheet.headline(&mut ansi);
        for sentence in sentences {
            sheet.sentence(&mut ansi, sentence);
        }
        if picture.rows.is_empty() {
            ansi.line("no events in this time");
        } else if picture.is_single_interval() {
            bars::paint(&mut ansi, picture, style, self.width);
        } else {
            if !picture.total.is_time_only() {
                sheet.map(&mut ansi, MapKind::Frequency);
            }
            sheet.map(&mut ansi, MapKind::Intensity);
        }
        sheet.marks(&mut ansi);
        sheet.hatches(&mut ansi);
        ansi.write_to(out)
    }
}

/// What is drawn on, and with.
struct Sketch<'a> {
    view: &'a MapView,
    picture: &'a Picture,
    style: Style,
    bar: usize,
    /// Characters of one cell.
    wide: usize,
}

/// The sums of a map's rows and of all.
struct RowSums {
    rows: Vec<f64>,
    total: f64,
}

impl Sketch<'_> {
    fn moments(&self) -> TimeFormat {
        let zero = self.picture.columns.first().map(|column| column.start).unwrap_or_default();
        TimeFormat::new(self.view.clock, zero)
    }

    fn title(&self, ansi: &mut Ansi) {
        let columns = &self.picture.columns;
        let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return };
        let column = span(first.end.since(first.start));
        let (start, end) = self.view.span.unwrap_or((first.start, last.end));
        let when = match (self.picture.has_length, self.view.clock) {
            (true, _) if self.picture.is_single_interval() => self.moments().between(start, end),
            (true, _) => format!("{} · {column} a column", self.moments().between(start, end)),
            (false, Clock::Epoch) => {
                let day = self.moments().day(end).unwrap_or_default();
                format!("totals up to {day} {} UTC", self.moments().time(end, false))
            }
            (false, _) => "totals".to_owned(),
        };
        let room = self.view.width.saturating_sub(when.chars().count() + 2);
        if room >= 20 {
            ansi.bold(&shortened(&self.view.title, room));
            ansi.pad_to(self.view.width - when.chars().count());
        } else {
            ansi.bold(&shortened(&self.view.title, self.view.width));
            ansi.end_line();
        }
        ansi.faint(&when);
        ansi.end_line();
    }

    fn headline(&self, ansi: &mut Ansi) {
        self.wrapped(ansi, &totals(self.picture), " │ ");
        self.wrapped(ansi, &percentiles(self.picture), "  ");
    }

    fn sentence(&self, ansi: &mut Ansi, sentence: &str) {
        self.wrapped(ansi, &words(sentence), " ");
    }

    /// The parts on as many lines as they need.
    fn wrapped(&self, ansi: &mut Ansi, parts: &[String], between: &str) {
        for part in parts {
            let length = part.chars().count();
            if length > self.view.width && part.contains(' ') {
                let words: Vec<String> = part.split(' ').map(str::to_owned).collect();
                self.wrapped(ansi, &words, " ");
                continue;
            }
            if ansi.width() > 0 && ansi.width() + between.chars().count() + length > self.view.width
            {
                ansi.end_line();
            }
            if ansi.width() > 0 {
                ansi.faint(between);
            }
            ansi.plain(part);
        }
        if ansi.width() > 0 {
            ansi.end_line();
        }
    }

    fn map(&self, ansi: &mut Ansi, kind: MapKind) {
        let (map, name, unit) = match kind {
            MapKind::Frequency => (&self.picture.frequency, "FREQUENCY", " events/s "),
            MapKind::Intensity => (&self.picture.intensity, "INTENSITY", " average waiting "),
        };
        ansi.bold(name);
        ansi.plain(unit);
        if self.picture.detail() == Detail::Averages {
            ansi.plain("at the mean ");
        }
        let body = LABEL + self.wide * self.picture.columns.len();
        let room = self.view.width.saturating_sub(ansi.width());
        paint_legend(ansi, self.style, (&map.legend, kind), room);
        ansi.end_line();
        let sums = self.row_sums(kind);
        for line in text_rows(self.picture, self.style) {
            self.line(ansi, (map, kind), line, &sums);
        }
        if kind == MapKind::Intensity {
            self.marks_of_columns(ansi);
        }
        self.axis(ansi);
        ansi.pad_to(body);
        let total = match kind {
            MapKind::Frequency => count(sums.total),
            MapKind::Intensity => quantity(sums.total),
        };
        let about =
            if kind == MapKind::Intensity && !self.picture.headline.exact { "≈" } else { "" };
        let unit = if kind == MapKind::Intensity { "s" } else { "all" };
        ansi.plain(&format!(" {:>7} {unit}", format!("{about}{total}")));
        ansi.end_line();
    }

    fn line(&self, ansi: &mut Ansi, map: (&Map, MapKind), line: TextRow, sums: &RowSums) {
        let row = self.picture.rows.get(line.lower);
        let label = row.filter(|row| row.labelled).map(edge).unwrap_or_default();
        ansi.plain(&format!("{label:>7} "));
        paint_line(ansi, self.style, self.picture, map, (line, self.wide));
        let of = |row: usize| sums.rows.get(row).copied().unwrap_or(0.0);
        let sum = of(line.lower) + line.upper.map_or(0.0, of);
        let number = match map.1 {
            MapKind::Frequency => count(sum),
            MapKind::Intensity => seconds(sum),
        };
        ansi.plain(&format!(" {number:>7} {:>4} ", whole_percent_of(sum, sums.total)));
        let share = if sums.total > 0.0 { sum / self.largest(sums) } else { 0.0 };
        let (text, look) = bar(self.style, map.1, share, self.bar);
        ansi.looking(&text, look);
        ansi.end_line();
    }

    /// The largest sum of the rows of one line.
    fn largest(&self, sums: &RowSums) -> f64 {
        let of = |row: usize| sums.rows.get(row).copied().unwrap_or(0.0);
        let lines = text_rows(self.picture, self.style);
        lines
            .iter()
            .map(|line| of(line.lower) + line.upper.map_or(0.0, of))
            .fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Events, or seconds waited, of each row over the whole picture.
    fn row_sums(&self, kind: MapKind) -> RowSums {
        let rows = row_sums(self.picture, kind);
        let total = match kind {
            MapKind::Frequency => rows.iter().sum(),
            MapKind::Intensity => waited(self.picture),
        };
        RowSums { rows, total }
    }

    /// Where cells are no more than a glyph, what would be marked in them is marked below.
    fn marks_of_columns(&self, ansi: &mut Ansi) {
        let columns = self.picture.columns.iter().enumerate();
        let marked: Vec<usize> = columns
            .filter(|(_, column)| column.has_unplaced_time())
            .map(|(index, _)| index)
            .collect();
        if self.style.has_half_blocks() || marked.is_empty() {
            return;
        }
        for column in marked {
            ansi.pad_to(LABEL + self.wide * column);
            ansi.plain(self.style.unplaced().encode_utf8(&mut [0; 4]));
        }
        ansi.end_line();
    }

    /// The time axis.
    fn axis(&self, ansi: &mut Ansi) {
        let starts: Vec<_> = self.picture.columns.iter().map(|column| column.start).collect();
        for (column, label) in self.moments().ticks(&starts, 14_usize.div_ceil(self.wide)) {
            let column = column * self.wide;
            let fits = column + 1 + label.chars().count() <= starts.len() * self.wide;
            if fits && LABEL + column >= ansi.width() {
                ansi.pad_to(LABEL + column);
                ansi.faint("╵");
                ansi.faint(&label);
            }
        }
    }

    /// What the hatches stand for, if there are any.
    fn hatches(&self, ansi: &mut Ansi) {
        let count = |state| self.picture.columns.iter().filter(|c| c.state == state).count();
        let mut said = Vec::new();
        for (char, state, text) in [
            (self.style.no_data(), ColumnState::NoData, "no data"),
            (self.style.reset(), ColumnState::Reset, "counters were reset"),
        ] {
            if count(state) > 0 {
                said.push(format!("{char} {text}"));
            }
        }
        let note = unplaced_note(self.picture);
        let note = note.map(|note| format!("{} {note}", self.style.unplaced()));
        let said = (!said.is_empty()).then(|| said.join("  "));
        for line in said.into_iter().chain(note) {
            ansi.pad_to(LABEL);
            ansi.faint(&line);
            ansi.end_line();
        }
    }

    /// Where the marks are, and what they say.
    fn marks(&self, ansi: &mut Ansi) {
        let marks = &self.picture.marks;
        if marks.is_empty() {
            return;
        }
        for (index, mark) in marks.iter().enumerate() {
            if LABEL + self.wide * mark.column >= ansi.width() {
                ansi.pad_to(LABEL + self.wide * mark.column);
                ansi.bold(&format!("▲{}", letter(index)));
            }
        }
        ansi.end_line();
        let moments = self.moments();
        for (index, mark) in marks.iter().enumerate() {
            let time = moments.time(mark.at, fine(mark.at));
            let text = format!("▲{} {time} {}", letter(index), mark.text);
            ansi.line(&shortened(&text, self.view.width));
        }
    }
}

/// Whether a moment lies between two whole seconds.
fn fine(at: Timestamp) -> bool {
    at.as_nanos().rem_euclid(1_000_000_000) >= 1_000_000
}

fn letter(index: usize) -> char {
    let index = u8::try_from(index % 26).unwrap_or(0);
    char::from(b'A' + index)
}
