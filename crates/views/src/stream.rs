//! The append-only waterfall: one line for each interval, safe for logs.

use std::io::{self, Write};

use isotherm_analysis::{ColourMax, Legend, Row, Scale, Shade, choose_rows};
use isotherm_frame::{
    Bucket, Clock, Frame, Histogram, Mark, Nanos, Scheme, Timestamp, shortened, shown_name,
};

use crate::ansi::Ansi;
use crate::cells::{Cell, legend_shades, of_ramp, paint};
use crate::interval::Interval;
use crate::numbers::quantity;
use crate::ranges::edge;
use crate::style::STEPS;
use crate::times::{TimeFormat, span};
use crate::view::ViewMeta;
use crate::{MapKind, Style};

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "stream",
    about: "An append-only waterfall: one line of text for each interval.",
    when: "Right for logs, pipes and `grep`: the default when the output is not a terminal.",
    reading: &[
        "Lines that begin with `#` are headers: the day, what the cells stand for, and the column \
         names. A header comes again from time to time, and at once when a longer or shorter \
         latency than any before needs other columns. Between two headers columns stay the same.",
        "`time` is the end of the interval: in UTC, local to the machine that wrote it where the \
         clock has no days, or counted from the start. `ev/s` are events per second, `waiting` seconds \
         waited per second: how many were waiting on average, those who still wait included; `≈` where \
         it is estimated.",
        "`p50` and `p99` are ranges: the bounds of the bucket that holds the percentile, rounded \
         to two digits (three from a hundred up), because buckets know no more: `16–33ms`, `<64µs` \
         in the shortest bucket, `>1s` in one without upper bound. `-` stands for no events.",
        "Cells run from short latencies on the left to long ones on the right, shaded by events \
         per second. Blank is zero; a line of `╱` is no data, of `┆` a reset of the counters.",
        "Shades keep their meaning from one header to the next, and get a new one only if a cell \
         is fuller than any before or, when the header is repeated, all are far emptier.",
        "After `◀` come notes: resets, late polls, lost events, gaps, and marks with their own time; `# no data for` \
         stands where the source said nothing at all. For numbers that a \
         program reads use `stats --format json`.",
    ],
    example: "isotherm live probe:. | tee disk.log",
};

/// How a stream is written.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    /// The clock of the timestamps.
    pub clock: Clock,
    /// A line for each series, with its name, instead of one for all together.
    pub by_series: bool,
    /// Lines from one header to the next; at least 1.
    pub header_every: usize,
}

impl Default for StreamOptions {
    fn default() -> StreamOptions {
        StreamOptions { clock: Clock::Epoch, by_series: false, header_every: 40 }
    }
}

/// The waterfall, and what it remembers from line to line.
#[derive(Debug)]
pub struct StreamView {
    style: Style,
    options: StreamOptions,
    /// The most cells in a line.
    cells: usize,
    /// Everything seen, by latency.
    seen: Option<Histogram>,
    /// The range of latency that the columns are made for.
    keep: Option<(Nanos, Nanos)>,
    /// The columns.
    rows: Vec<Row>,
    /// Characters of one cell.
    wide: usize,
    /// Where the last line ended.
    until: Option<Timestamp>,
    /// The fullest cell that shades are made for, in events per second.
    full: f64,
    /// The fullest cell since the last header.
    fullest: f64,
    /// Lines since the last header; `None` before the first.
    lines: Option<usize>,
    day: Option<String>,
    zero: Option<Timestamp>,
    /// Whether intervals are shorter than a second.
    fine: bool,
}

/// Characters of a line that are neither cells, series nor notes.
const FIXED: usize = 47;
/// Characters of the series' name.
const SERIES: usize = 24;
/// Characters left for notes in lines of the width asked for.
const NOTES: usize = 14;
/// The most cells in a line.
const MOST_CELLS: usize = 64;
/// The most characters of one cell.
const MOST_WIDE: usize = 3;
/// Intervals shorter than this have times with fractions of a second; those of a second that
/// were polled a little early do not.
const FINE: Nanos = Nanos::new(900_000_000);
/// The share of the fullest cell below which a frequency is only a trace.
const TRACE: f64 = 0.0012;

impl StreamView {
    /// A stream in lines of about `width` characters, notes apart.
    pub fn new(style: Style, width: usize, options: StreamOptions) -> StreamView {
        let names = if options.by_series { SERIES + 1 } else { 0 };
        let cells = width.saturating_sub(FIXED + names + NOTES).clamp(12, MOST_CELLS);
        StreamView {
            style,
            options,
            cells,
            seen: None,
            keep: None,
            rows: Vec::new(),
            wide: 1,
            until: None,
            full: 0.0,
            fullest: 0.0,
            lines: None,
            day: None,
            zero: None,
            fine: false,
        }
    }

    /// Writes the line of one interval: the frames of every series shown that end together, and
    /// what else there is to note. Without frames the notes are written as a comment. Flushes.
    pub fn line(
        &mut self,
        frames: &[Frame],
        notes: &[String],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.line_with_marks(frames, notes, &[], out)
    }

    /// The same with marks, each at its own time.
    pub fn line_with_marks(
        &mut self,
        frames: &[Frame],
        notes: &[String],
        marks: &[Mark],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut ansi = Ansi::new(self.style);
        if let Some(start) = frames.iter().map(|frame| frame.start).min() {
            self.zero.get_or_insert(start);
        }
        let marked = marks.iter().map(|mark| self.marked(mark));
        let notes: Vec<String> = notes.iter().cloned().chain(marked).collect();
        let notes = &notes;
        for interval in self.intervals(frames, notes) {
            self.silence(&mut ansi, &interval);
            self.prepare(&mut ansi, &interval);
            self.write(&mut ansi, &interval);
        }
        if frames.is_empty() {
            for note in notes {
                ansi.line(&format!("# {note}"));
            }
        }
        ansi.write_to(out)?;
        out.flush()
    }

    /// A mark as a note: `12:30:41.250 deploy`.
    fn marked(&self, mark: &Mark) -> String {
        let fine = mark.at.as_nanos().rem_euclid(1_000_000_000) >= 1_000_000;
        format!("{} {}", self.moments().time(mark.at, fine), shown_name(&mark.text))
    }

    /// Says so when the source was silent before the interval.
    fn silence(&mut self, ansi: &mut Ansi, interval: &Interval) {
        if let Some(until) = self.until.filter(|until| interval.start > *until) {
            let length = span(interval.start.since(until));
            ansi.line(&format!("# no data for {length}"));
        }
        self.until = self.until.max(Some(interval.end));
    }

    fn intervals(&self, frames: &[Frame], notes: &[String]) -> Vec<Interval> {
        if !self.options.by_series {
            let all: Vec<&Frame> = frames.iter().collect();
            return Interval::of(&all, notes).into_iter().collect();
        }
        let each = |(index, frame)| Interval::of(&[frame], if index == 0 { notes } else { &[] });
        frames.iter().enumerate().filter_map(each).collect()
    }

    /// Chooses columns and shades that hold the interval, and writes a header if it is time to.
    fn prepare(&mut self, ansi: &mut Ansi, interval: &Interval) {
        self.zero.get_or_insert(interval.start);
        self.fine = interval.end.since(interval.start) < FINE;
        let columns = self.choose_columns(interval);
        let high = self.rates(interval).into_iter().fold(0.0, f64::max);
        let due = self.lines.is_none_or(|lines| lines >= self.options.header_every.max(1));
        if due && self.fullest < 0.3 * self.full {
            self.full = round_up(self.fullest.max(high));
        }
        let shades = high > self.full;
        if shades {
            self.full = round_up(high);
        }
        let day = self.moments().day(interval.end);
        if due || columns || shades || day != self.day {
            self.day = day;
            self.fullest = 0.0;
            self.lines = Some(0);
            self.header(ansi);
        }
        self.fullest = self.fullest.max(high);
    }

    /// Whether other columns are needed from now on.
    fn choose_columns(&mut self, interval: &Interval) -> bool {
        let before = self.seen.as_ref().map(|seen| seen.scheme().clone());
        let drawn = interval.drawn().into_iter();
        // A mean of zero is below the lowest row.
        for (counts, _) in
            drawn.filter(|(counts, _)| counts.is_empty() || counts.sum() != Some(Nanos::ZERO))
        {
            match &mut self.seen {
                Some(seen) => seen.add(&counts),
                none => *none = Some(counts.into_owned()),
            }
        }
        let Some(seen) = &self.seen else { return false };
        let Some((lo, hi)) = extent(seen) else { return false };
        let inside = self.keep.is_some_and(|(low, high)| low <= lo && hi <= high);
        if inside && before.as_ref() == Some(seen.scheme()) {
            return false;
        }
        if !inside {
            let (low, high) = self.keep.unwrap_or((lo, hi));
            // Room for three octaves more, so that the first outlier needs no new header.
            let above = Nanos::new(hi.as_nanos().saturating_mul(8));
            let high = if hi > high || self.keep.is_none() { above } else { high };
            let below = Nanos::new(lo.as_nanos() / 2);
            let low = if lo < low || self.keep.is_none() { below } else { low };
            self.keep = Some((low, high));
        }
        let rows = choose_rows(seen, self.cells, self.keep);
        let changed = rows != self.rows;
        self.wide = (self.cells / rows.len().max(1)).clamp(1, MOST_WIDE);
        self.rows = rows;
        changed
    }

    fn moments(&self) -> TimeFormat {
        TimeFormat::new(self.options.clock, self.zero.unwrap_or_default())
    }

    fn legend(&self) -> Legend {
        Legend::new(Scale::Sqrt, STEPS, &ColourMax::pinned(self.full), TRACE, &[])
    }

    fn header(&self, ansi: &mut Ansi) {
        let mut about = vec!["#".to_owned()];
        about.extend(self.day.clone());
        let zone = self.moments().zone();
        if !zone.is_empty() {
            about.push(format!("{} ·", zone.trim_start()));
        }
        ansi.plain(&about.join(" "));
        if self.full > 0.0 {
            self.cell_legend(ansi);
        }
        ansi.end_line();
        let series =
            if self.options.by_series { format!(" {:<SERIES$}", "series") } else { String::new() };
        let time = self.time_width();
        ansi.plain(&format!(
            "{:<time$}{series} {:>6} {:>7} {:>10} {:>10}  ",
            "#time", "ev/s", "waiting", "p50", "p99"
        ));
        self.labels(ansi);
        ansi.plain("  note");
        ansi.end_line();
    }

    fn cell_legend(&self, ansi: &mut Ansi) {
        ansi.plain(" cells ev/s ");
        for (shade, from) in legend_shades(self.style, MapKind::Frequency, &self.legend()) {
            paint(ansi, self.style, MapKind::Frequency, Cell::Shade(shade));
            let text = if shade == Shade::Trace {
                ">0 ".to_owned()
            } else {
                format!("{} ", quantity(from))
            };
            ansi.plain(&text);
        }
        ansi.plain(&format!("to {} sqrt", quantity(self.full)));
    }

    /// The edges above the cells, where there is room for them; always the last one.
    fn labels(&self, ansi: &mut Ansi) {
        let start = ansi.width();
        let last = self.rows.len().saturating_sub(1);
        for (index, row) in self.rows.iter().enumerate() {
            let label = edge(row);
            let place = index * self.wide;
            let apart = ansi.width() == start || ansi.width() < start + place;
            let fits = index == last || place + label.chars().count() < last * self.wide;
            if row.labelled && apart && fits {
                ansi.pad_to(start + place);
                ansi.plain(&label);
            }
        }
        ansi.pad_to(start + self.rows.len() * self.wide);
    }

    fn time_width(&self) -> usize {
        if self.fine { 12 } else { 8 }
    }

    /// Events per second in each column.
    fn rates(&self, interval: &Interval) -> Vec<f64> {
        let mut rates = vec![0.0; self.rows.len()];
        for (counts, secs) in interval.drawn() {
            for (bucket, count) in counts.non_zero() {
                let above = self.rows.partition_point(|row| row.lo <= bucket.lo);
                if let Some(rate) = rates.get_mut(above.saturating_sub(1)) {
                    *rate += count as f64 / secs;
                }
            }
        }
        rates
    }

    fn write(&mut self, ansi: &mut Ansi, interval: &Interval) {
        let time = self.time_width();
        ansi.plain(&format!("{:<time$}", self.moments().time(interval.end, self.fine)));
        if self.options.by_series {
            ansi.plain(&format!(" {:<SERIES$}", shortened(&interval.name, SERIES)));
        }
        ansi.plain(&interval.numbers());
        let hatch = if interval.reset { Cell::Reset } else { Cell::NoData };
        let legend = self.legend();
        for rate in self.rates(interval) {
            let shade = of_ramp(legend.shade(rate), legend.steps.len());
            let cell = if interval.counted.is_empty() { hatch } else { Cell::Shade(shade) };
            (0..self.wide).for_each(|_| paint(ansi, self.style, MapKind::Frequency, cell));
        }
        if !interval.notes.is_empty() {
            ansi.plain(&format!("  ◀ {}", interval.notes.join("; ")));
        }
        ansi.end_line();
        self.lines = self.lines.map(|lines| lines + 1);
    }
}

/// The shortest and the longest bound of buckets that hold events.
fn extent(counts: &Histogram) -> Option<(Nanos, Nanos)> {
    let first = counts.non_zero().next()?.0;
    let last: Bucket = counts.non_zero().next_back()?.0;
    Some((first.lo, last.hi.filter(|hi| hi.as_nanos() < Scheme::UNBOUNDED).unwrap_or(last.lo)))
}

/// The next of 1, 2, 5, 10, 20, 50... that is at least `value`.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let decade = 10_f64.powf(value.log10().floor());
    let fits = |factor: &f64| factor * decade >= value * (1.0 - 1e-9);
    [1.0, 2.0, 5.0, 10.0].into_iter().find(fits).unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_are_made_for_round_numbers() {
        let rounded = [0.0, 0.03, 1.0, 1.1, 3.0, 60.0, 1_000.0].map(round_up);
        let expected = [0.0, 0.05, 1.0, 2.0, 5.0, 100.0, 1_000.0];
        for (got, wanted) in rounded.iter().zip(expected) {
            assert!((got - wanted).abs() < 1e-9, "{got} is not {wanted}");
        }
    }
}
