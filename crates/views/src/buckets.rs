//! The classic two-snapshot table: every bucket of every series for each interval, with the
//! estimate and, where the source gives it, the truth beside it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use isotherm_analysis::{Row, choose_rows, unplaced_s};
use isotherm_frame::{
    Clock, Detail, Frame, Histogram, Nanos, Scheme, Series, Timestamp, percent_change,
    tenths_of_percent,
};

use crate::Style;
use crate::ansi::Ansi;
use crate::headline::AVERAGES_ONLY;
use crate::instances::{sums, without_instance};
use crate::interval::note_of;
use crate::numbers::{self, seconds};
use crate::ranges::{Digits, end, mean};
use crate::times::{TimeFormat, span};
use crate::view::ViewMeta;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "buckets",
    about: "The buckets of every series as a table, one for each interval.",
    when: "Right for the exact counts of a moment, as `ehm.sql` printed them between two \
           snapshots; `--table` is short for it.",
    reading: &[
        "`from` and `to` are the bounds of a bucket: a latency of exactly `to` is in the next one. \
         `waits` is how many ended in the interval, `waits/s` the same per second.",
        "`waited` is the time of those waits: the count times the middle of the bucket, an estimate \
         and so marked `≈`. `share` is the bucket's part of the estimated time of all.",
        "`last wait` is the end of the last interval in which the bucket had a wait: a bucket that had some \
         earlier stays when it has none. Sources with finer buckets do not have it.",
        "The last line is the total. Where the source gives the time exactly, the exact time and \
         mean stand there, and after them how far the estimate from buckets is off.",
        "A dot at the end of a line marks waits longer than the interval, from a source that counts \
         them where they end: a part of their time was waited earlier, and `waiting` is no number of \
         those who waited at once.",
        "Of a cluster the sum of its instances comes before each of them.",
        "Series come with most time waited first; one without waits is a single line. Sources with \
         finer buckets than fit are shown by octave; no count is ever split between two lines.",
        "Rates divide by the true length of the interval, which the heading gives.",
    ],
    example: "isotherm live probe:. --table",
};

/// The most buckets of a series.
const MOST_ROWS: usize = 32;
/// The most buckets of a series that are remembered: those of Oracle's views, and no fine ones, which make rows
/// of their own for each interval.
const MOST_REMEMBERED: usize = 64;
/// Series that are remembered.
const MOST_SERIES: usize = 10_000;

/// The tables, and what they remember from interval to interval.
#[derive(Debug)]
pub struct BucketsView {
    style: Style,
    clock: Clock,
    zero: Option<Timestamp>,
    /// By the name of a series, and that of the sum of its instances.
    last_waits: BTreeMap<String, LastWaits>,
}

/// When each bucket of a series had waits last: the end of that interval.
#[derive(Debug)]
struct LastWaits {
    scheme: Scheme,
    ends: BTreeMap<usize, Timestamp>,
}

impl LastWaits {
    fn note(&mut self, frame: &Frame) {
        let scheme = frame.counts.scheme();
        if self.scheme != *scheme {
            *self = LastWaits { scheme: scheme.clone(), ends: BTreeMap::new() };
        }
        for (index, _) in frame.counts.counted() {
            let end = self.ends.entry(index).or_insert(frame.end);
            *end = frame.end.max(*end);
        }
    }

    /// From the lowest bucket that had waits to the highest.
    fn range(&self) -> Option<(Nanos, Nanos)> {
        let (first, last) = (self.ends.keys().next()?, self.ends.keys().next_back()?);
        let last = self.scheme.bucket(*last);
        Some((self.scheme.bucket(*first).lo, last.hi.unwrap_or(last.lo)))
    }

    /// When the row had waits last before the end of an interval; not known of an interval that comes behind later
    /// ones, where the row has waits in one of them.
    fn within(&self, row: &Row, frame: &Frame) -> Option<Timestamp> {
        let inside = |index: usize| {
            let lo = self.scheme.bucket(index).lo;
            lo >= row.lo && row.hi.is_none_or(|hi| lo < hi)
        };
        if frame.counts.counted().any(|(index, _)| inside(index)) {
            return Some(frame.end);
        }
        let ends = self.ends.iter().filter(|(index, _)| inside(**index));
        ends.map(|(_, end)| *end).max().filter(|end| *end <= frame.end)
    }
}

impl BucketsView {
    /// Tables whose times are of this clock.
    pub fn new(style: Style, clock: Clock) -> BucketsView {
        BucketsView { style, clock, zero: None, last_waits: BTreeMap::new() }
    }

    /// Writes the tables of one interval: the frames of every series shown that end together, and
    /// what else there is to note. Flushes; fails only when `out` does.
    pub fn interval(
        &mut self,
        frames: &[Frame],
        notes: &[String],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut ansi = Ansi::new(self.style);
        let mut frames: Vec<&Frame> = frames.iter().collect();
        let waited = |frame: &Frame| frame.counts.time_waited().seconds;
        frames.sort_by(|one, other| {
            waited(other).total_cmp(&waited(one)).then_with(|| one.series.cmp(&other.series))
        });
        // The sum has the waits of an interval in which only some instances are known, too.
        for frame in frames.iter().filter(|frame| !frame.is_gap()) {
            if let Some(series) = without_instance(&frame.series)
                && let Some(last) = self.remembered(sum_of(&series), frame.counts.scheme())
            {
                last.note(frame);
            }
        }
        // Of a cluster the sum of all instances comes first, then each of them.
        for (sum, instances) in sums(&frames) {
            self.table(&mut ansi, &sum, &format!("  sum of {instances} instances"));
        }
        for frame in frames {
            self.table(&mut ansi, frame, "");
        }
        for note in notes {
            ansi.line(&format!("# {note}"));
        }
        ansi.write_to(out)?;
        out.flush()
    }

    /// What is remembered of a series; nothing of one with too many buckets.
    fn remembered(&mut self, series: String, scheme: &Scheme) -> Option<&mut LastWaits> {
        let is_known = self.last_waits.contains_key(&series);
        if scheme.buckets() > MOST_REMEMBERED || !is_known && self.last_waits.len() >= MOST_SERIES {
            return None;
        }
        let new = || LastWaits { scheme: scheme.clone(), ends: BTreeMap::new() };
        Some(self.last_waits.entry(series).or_insert_with(new))
    }

    fn table(&mut self, ansi: &mut Ansi, frame: &Frame, what: &str) {
        let zero = *self.zero.get_or_insert(frame.start);
        let times = TimeFormat::new(self.clock, zero);
        let when = times.between(frame.start, frame.end);
        ansi.bold(&frame.series.to_string());
        let note = note_of(frame).map(|note| format!(", {note}")).unwrap_or_default();
        ansi.plain(&format!("{what}  {when}{note}"));
        if frame.is_gap() {
            ansi.end_line();
            return;
        }
        if frame.counts.is_blank() {
            ansi.plain("  no waits");
            ansi.end_line();
            return;
        }
        ansi.end_line();
        let covered_s = frame.length().as_secs_f64().max(1e-9);
        // Where it is known when time was waited, that is what the rows say.
        let estimate = if frame.counts.has_waited_ns() {
            frame.counts.clone()
        } else {
            frame.counts.clone().with_sum(None)
        };
        // With the day, where that is not the interval's own.
        let moments = match self.clock {
            Clock::Epoch => TimeFormat::new(self.clock, frame.end),
            _ => times,
        };
        let rows = self.rows(frame, what);
        let has_last = rows.iter().any(|(_, last)| last.is_some());
        let head = line(["from", "to", "waits", "waits/s", "waited", "share"].map(str::to_owned));
        ansi.faint(&if has_last { format!("{head}  last wait") } else { head });
        ansi.end_line();
        for (row, last) in rows {
            let within = within(&estimate, &row);
            if within.events == 0 && within.seconds <= 0.0 && last.is_none() {
                continue;
            }
            let mut line = within.line(&row, covered_s, estimate.time_waited().seconds);
            if let Some(last) = last {
                line = format!("{line}  {}", moments.moment(last, Nanos::SECOND));
            }
            ansi.line(&self.marked(line, is_unplaced(frame, &row)));
        }
        let unplaced = unplaced_s(&frame.counts, frame.length()) > 0.0;
        ansi.line(&self.marked(total(&frame.counts, &estimate, covered_s), unplaced));
        if unplaced {
            let longer = span(frame.length());
            let note = format!("events longer than {longer}: partly waited earlier");
            ansi.faint(&format!("{} {note}", self.style.unplaced()));
            ansi.end_line();
        }
    }

    /// The rows, each with the end of the last interval in which it had waits. Averages have none: there is the
    /// total alone.
    fn rows(&mut self, frame: &Frame, what: &str) -> Vec<(Row, Option<Timestamp>)> {
        if frame.counts.detail() == Detail::Averages {
            return Vec::new();
        }
        let series = if what.is_empty() { frame.series.to_string() } else { sum_of(&frame.series) };
        let Some(last) = self.remembered(series, frame.counts.scheme()) else {
            let rows = choose_rows(&frame.counts, MOST_ROWS, None);
            return rows.into_iter().map(|row| (row, None)).collect();
        };
        let before = last.range();
        last.note(frame);
        let rows = choose_rows(&frame.counts, MOST_ROWS, before);
        rows.into_iter().map(|row| (row, last.within(&row, frame))).collect()
    }

    /// A line with the mark of time that was waited before the interval, if it holds such.
    fn marked(&self, line: String, unplaced: bool) -> String {
        if unplaced { format!("{line}  {}", self.style.unplaced()) } else { line }
    }
}

/// The name under which the sum of a series's instances is remembered.
fn sum_of(series: &Series) -> String {
    format!("{series}, all instances")
}

/// Whether a row holds time of events longer than the interval, from a source that says only when
/// they ended.
fn is_unplaced(frame: &Frame, row: &Row) -> bool {
    let longer = |lo: Nanos| lo > frame.length() && lo >= row.lo && row.hi.is_none_or(|hi| lo < hi);
    let scheme = frame.counts.scheme();
    frame.counts.unplaced_times_ns().any(|(index, _)| longer(scheme.bucket(index).lo))
}

/// What a row of the table collects.
#[derive(Default)]
struct Within {
    events: u64,
    seconds: f64,
}

fn within(counts: &Histogram, row: &Row) -> Within {
    let inside = |lo: Nanos| lo >= row.lo && row.hi.is_none_or(|hi| lo < hi);
    let counted = counts.non_zero().filter(|(bucket, _)| inside(bucket.lo));
    let events = counted.fold(0_u64, |sum, (_, count)| sum.saturating_add(count));
    let times = counts.bucket_times_ns();
    let times = times.filter(|(index, _)| inside(counts.scheme().bucket(*index).lo));
    Within { events, seconds: times.fold(0.0, |sum, (_, ns)| sum + Nanos::new(ns).as_secs_f64()) }
}

impl Within {
    fn line(&self, row: &Row, covered_s: f64, all: f64) -> String {
        let share = if all > 0.0 { self.seconds / all } else { 0.0 };
        line([
            if row.lo == Nanos::ZERO { "0".to_owned() } else { end(row.lo, Digits::Three, false) },
            row.hi.map_or("∞".to_owned(), |hi| end(hi, Digits::Three, true)),
            numbers::grouped(self.events),
            numbers::rate(self.events as f64 / covered_s),
            format!("≈{}", numbers::waited(self.seconds)),
            format!("{} %", tenths_of_percent(share)),
        ])
    }
}

/// The last line: all waits, the time they took, and how good the estimate is.
fn total(counts: &Histogram, estimate: &Histogram, covered_s: f64) -> String {
    let (waited, guessed) = (counts.time_waited(), estimate.time_waited().seconds);
    let about = if waited.exact { "" } else { "≈" };
    let numbers = line([
        "total".to_owned(),
        String::new(),
        numbers::grouped(counts.events()),
        numbers::rate(counts.events() as f64 / covered_s),
        format!("{about}{}", numbers::waited(waited.seconds)),
        format!("{about}{} waiting", seconds(waited.seconds / covered_s)),
    ]);
    let mean = mean(counts.mean_ns(), waited.exact);
    if counts.is_averages() {
        return format!("{numbers}  mean {mean}  ({AVERAGES_ONLY})");
    }
    if !waited.exact || waited.seconds <= 0.0 {
        return format!("{numbers}  mean {mean}");
    }
    let off = percent_change(guessed / waited.seconds - 1.0);
    format!("{numbers}  mean {mean}  (estimated ≈{}, {off})", numbers::waited(guessed))
}

fn line([from, to, waits, rate, waited, share]: [String; 6]) -> String {
    format!("{from:>10} {to:>10} {waits:>12} {rate:>9} {waited:>11} {share:>9}")
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Gap, Quality, Unit};

    use super::*;
    use crate::{Depth, Palette, Theme};

    const PLAIN: Style =
        Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };

    fn frame(name: &str, counts: &[u64], sum: Option<u64>, quality: Quality) -> Frame {
        let scheme = Scheme::powers_of_two(Unit::Millis);
        let mut all = vec![0; scheme.buckets()];
        all[..counts.len()].copy_from_slice(counts);
        let counts = Histogram::new(scheme, all, sum.map(Nanos::new)).unwrap();
        let start = Timestamp::new(1_763_735_451_000_000_000);
        let end = start.plus(Nanos::new(2_000_000_000));
        Frame { series: Series::named(name), start, end, counts, quality }
    }

    fn written(frames: &[Frame], notes: &[String]) -> String {
        let mut out = Vec::new();
        BucketsView::new(PLAIN, Clock::Epoch).interval(frames, notes, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_bucket_has_its_line_and_the_truth_stands_beside_the_estimate() {
        // 30 below 1 ms, 10 of 1-2 ms, 5 of 4-8 ms: 15 + 15 + 30 = 60 ms estimated, 50 ms true.
        let frames = [
            frame("idle", &[], Some(0), Quality::Complete),
            frame("read", &[30, 10, 0, 5], Some(50_000_000), Quality::Complete),
            frame("sync", &[0, 4], None, Quality::Lost(3)),
            frame("away", &[], None, Quality::Gap(Gap::SourceAway)),
        ];
        insta::assert_snapshot!(written(&frames, &["deployed".to_owned()]));
    }

    #[test]
    fn waits_longer_than_the_interval_are_marked_unless_it_is_known_when_they_were() {
        // In 2 s: 10 of 1 to 2 ms, one of 1.02 to 2.05 s, which may fit, and 3 of 4.1 to 8.2 s.
        let mut counts = vec![0, 10];
        counts.resize(14, 0);
        (counts[11], counts[13]) = (1, 3);
        let counted = frame("lock", &counts, None, Quality::Complete);
        let text = written(std::slice::from_ref(&counted), &[]);
        insta::assert_snapshot!(text);
        // The same as a trace tells it: two seconds of each of the three within the interval.
        let mut ns = vec![0; counted.counts.scheme().buckets()];
        (ns[1], ns[11], ns[13]) = (15_000_000, 1_500_000_000, 6_000_000_000);
        let traced = counted.counts.clone().with_waited(ns, true).unwrap();
        let traced = written(&[Frame { counts: traced, ..counted }], &[]);
        assert!(!traced.contains(PLAIN.unplaced()) && !traced.contains("earlier"), "{traced}");
    }

    #[test]
    fn every_bucket_says_when_it_had_a_wait_last() {
        let mut view = BucketsView::new(PLAIN, Clock::Epoch);
        let mut lines = |seconds: u64, counts: &[u64]| {
            let frame = frame("read", counts, None, Quality::Complete);
            let later = Nanos::from_secs_f64(seconds as f64).unwrap();
            let (start, end) = (frame.start.plus(later), frame.end.plus(later));
            let mut out = Vec::new();
            view.interval(&[Frame { start, end, ..frame }], &[], &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            let rows = text
                .lines()
                .skip(2)
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            rows.filter(|line| !line.starts_with("total")).collect::<Vec<_>>()
        };
        // Below 1 ms 30, and one of 128 to 256 ms, in 14:30:51 to 14:30:53.
        let first = lines(0, &[30, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(first.len(), 2, "{first:?}");
        assert!(first.iter().all(|line| line.ends_with(" 14:30:53")), "{first:?}");
        let second = lines(2, &[20, 5]);
        assert_eq!(second.len(), 3, "{second:?}");
        assert!(
            second[2].starts_with("128ms 256ms 0 0") && second[2].ends_with(" 14:30:53"),
            "{second:?}"
        );
        let third = lines(4, &[10]);
        assert!(
            third[1].starts_with("1ms 2ms 0 0") && third[1].ends_with(" 14:30:55"),
            "{third:?}"
        );
        assert!(third[2].ends_with(" 14:30:53"), "{third:?}");
        // What comes again is no longer of then.
        let fourth = lines(6, &[10, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert!(
            fourth[2].starts_with("128ms 256ms 2 1.00") && fourth[2].ends_with(" 14:30:59"),
            "{fourth:?}"
        );
    }

    /// The rows of a frame as words, without those of totals.
    fn rows_of(view: &mut BucketsView, frames: &[Frame]) -> Vec<String> {
        let mut out = Vec::new();
        view.interval(frames, &[], &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        rows.filter(|line| !line.starts_with("total") && !line.starts_with("from ")).collect()
    }

    fn later(frame: Frame, seconds: f64) -> Frame {
        let later = Nanos::from_secs_f64(seconds).unwrap();
        let (start, end) = (frame.start.plus(later), frame.end.plus(later));
        Frame { start, end, ..frame }
    }

    #[test]
    fn a_sum_knows_the_waits_of_intervals_in_which_an_instance_is_missing() {
        let instance = |number: &str, counts: &[u64], seconds: f64| {
            let series = Series::with_attributes("log file sync", [("inst", number)]);
            later(Frame { series, ..frame("", counts, None, Quality::Complete) }, seconds)
        };
        let mut view = BucketsView::new(PLAIN, Clock::Epoch);
        rows_of(&mut view, &[instance("1", &[5], 0.0), instance("2", &[7], 0.0)]);
        // 1 to 2 ms until 14:30:55 on the first, of which the second says nothing.
        rows_of(&mut view, &[instance("1", &[0, 2], 2.0)]);
        let rows = rows_of(&mut view, &[instance("1", &[0], 4.0), instance("2", &[3], 4.0)]);
        assert!(rows[0].contains("sum of 2 instances"), "{rows:?}");
        assert!(rows[1].starts_with("0 1ms 3 ") && rows[1].ends_with(" 14:30:57"), "{rows:?}");
        assert!(rows[2].starts_with("1ms 2ms 0 ") && rows[2].ends_with(" 14:30:55"), "{rows:?}");
    }

    #[test]
    fn what_comes_later_is_not_said_of_an_interval_before() {
        let mut view = BucketsView::new(PLAIN, Clock::Epoch);
        let reads = |counts: &[u64], seconds| {
            later(frame("read", counts, None, Quality::Complete), seconds)
        };
        rows_of(&mut view, &[reads(&[5, 1], 8.0)]);
        let rows = rows_of(&mut view, &[reads(&[5], 0.0)]);
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert!(rows[1].ends_with(" 14:30:53"), "{rows:?}");
    }

    #[test]
    fn a_wait_of_another_day_has_its_date() {
        let mut view = BucketsView::new(PLAIN, Clock::Epoch);
        let reads = |counts: &[u64], seconds| {
            later(frame("read", counts, None, Quality::Complete), seconds)
        };
        rows_of(&mut view, &[reads(&[5, 1], 0.0)]);
        let rows = rows_of(&mut view, &[reads(&[5], 86_400.0)]);
        assert!(rows[1].ends_with(" % 14:30:53"), "{rows:?}");
        assert!(rows[2].ends_with(" 2025-11-21 14:30:53"), "{rows:?}");
    }

    #[test]
    fn the_sum_of_all_instances_comes_first() {
        let instance = |number: &str, counts: &[u64]| {
            let series = Series::with_attributes("log file sync", [("inst", number)]);
            Frame { series, ..frame("x", counts, None, Quality::Complete) }
        };
        let text = written(&[instance("1", &[0, 30]), instance("2", &[0, 12])], &[]);
        let headings: Vec<&str> =
            text.lines().filter(|line| line.starts_with("log file sync")).collect();
        assert_eq!(headings.len(), 3, "{text}");
        assert!(headings[0].starts_with("log file sync  sum of 2 instances  "), "{text}");
        assert!(headings[1].starts_with("log file sync{inst=1}"), "{text}");
        let first: Vec<&str> = text.split("log file sync").nth(1).unwrap_or("").lines().collect();
        assert!(
            first.iter().any(|line| line.split_whitespace().any(|word| word == "42")),
            "{text}"
        );
    }

    #[test]
    fn the_lines_of_a_fine_histogram_add_up() {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for step in 1..5_000_u64 {
            counts.record(Nanos::new(step * step * 37));
        }
        let fine = Frame { counts, ..frame("fine", &[], None, Quality::Complete) };
        let text = written(&[fine], &[]);
        let waits: Vec<u64> = text
            .lines()
            .skip(2)
            .map(|line| line.chars().skip(21).take(13).collect::<String>())
            .map(|number| number.trim().replace(',', "").parse().unwrap())
            .collect();
        let (total, rows) = waits.split_last().unwrap();
        assert_eq!(*total, 4_999);
        assert_eq!(rows.iter().sum::<u64>(), 4_999);
        assert!(rows.len() <= MOST_ROWS);
    }
}
