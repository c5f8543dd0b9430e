//! The views that only write: one line for each interval, and the classic maps.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::time::Duration;

use isotherm_analysis::{ColourMax, Grid, Metrics, Picture, Request, Scale};
use isotherm_frame::{
    Anomaly, Ends, Event, Frame, Gap, Mark, Nanos, OpenWaits, Quality, Series, TimeRange,
    Timestamp, anomalies_in_words,
};
use isotherm_pipeline::{Batch, EventStream, contains};
use isotherm_views::narration::still_waiting;
use isotherm_views::{
    BucketsView, CLASSIC_STEPS, ClassicView, OutputForm, Palette, StreamOptions, StreamView, Style,
};

use super::view_options::ViewOptions;
use crate::failure::Failure;
use crate::screen;

/// The longest column of the classic maps: with longer ones they would begin before time does.
const LONGEST_COLUMN: Nanos = Nanos::new(31 * 86_400_000_000_000);

/// How long frames of one interval may be apart.
const QUIET: Duration = Duration::from_millis(100);

/// Writes one interval: its frames, its notes and its marks.
type WriteInterval<'a> = &'a mut dyn FnMut(&dyn EventStream, &Gathering) -> io::Result<()>;

/// Collects what belongs to one interval.
#[derive(Default)]
struct Gathering {
    frames: Vec<Frame>,
    anomalies: Vec<Anomaly>,
    marks: Vec<Mark>,
    /// Explanations of what is seen.
    captions: Vec<String>,
    /// Time waited in intervals that were written before it was known.
    amendments: Vec<Frame>,
}

/// The intervals that were written, as far as later ones depend on them.
#[derive(Default)]
struct Written {
    until: Option<Timestamp>,
}

impl Written {
    /// Whether a frame only says that nothing happened in an interval of which a line was written: a
    /// series that was unknown then was silent. The latest interval may be one that is only begun.
    fn tells_nothing(&mut self, frame: &Frame, is_begun: bool) -> bool {
        if frame.quality == Quality::Gap(Gap::ClockBack) {
            // The same times come again.
            self.until = None;
        }
        if frame.is_gap() || frame.is_amendment() {
            return false;
        }
        let is_late =
            self.until.is_some_and(|until| frame.end < until || (frame.end == until && !is_begun));
        self.until = self.until.max(Some(frame.end));
        is_late && frame.counts.is_blank()
    }
}

/// The time of waits that go on, as far as lines show it: when they end it is not noted again.
#[derive(Default)]
struct OpenTime {
    shown_s: BTreeMap<Series, f64>,
}

impl OpenTime {
    /// The time that was waited in an interval by no event: what became known too late for earlier
    /// lines but not for this one, and that of the waits that go on.
    fn of_interval(
        &mut self,
        (interval, range): (&Gathering, TimeRange),
        open: Option<&OpenWaits>,
        wanted: Option<&str>,
    ) -> Vec<Frame> {
        let parts = interval.amendments.iter().filter_map(|frame| range.keep(frame.clone()));
        let mut frames: Vec<Frame> = parts.collect();
        let so_far = open.zip(range.from.zip(range.to));
        let so_far = so_far.map_or_else(Vec::new, |(open, (from, to))| open.so_far(from, to));
        let ended = |series: &Series| frames.iter().any(|frame| frame.series == *series);
        let going_on = so_far.into_iter().filter(|frame| contains(&frame.series, wanted));
        let going_on: Vec<Frame> = going_on.filter(|frame| !ended(&frame.series)).collect();
        frames.extend(going_on);
        for frame in &frames {
            let shown_s = self.shown_s.entry(frame.series.clone()).or_default();
            *shown_s += frame.counts.time_waited().seconds;
        }
        frames
    }

    /// How much more was waited in earlier intervals than their lines show.
    fn more(&mut self, amendments: &[Frame], open: Option<&OpenWaits>) -> Option<Nanos> {
        let mut more_s = 0.0;
        for frame in amendments {
            let waited_s = frame.counts.time_waited().seconds;
            let shown_s = self.shown_s.entry(frame.series.clone()).or_default();
            let known_s = waited_s.min(*shown_s);
            *shown_s -= known_s;
            more_s += waited_s - known_s;
        }
        let goes_on = |series: &Series| {
            open.is_some_and(|open| open.waits.iter().any(|wait| wait.series == *series))
        };
        self.shown_s.retain(|series, _| goes_on(series));
        // Parts are whole nanoseconds.
        Nanos::from_secs_f64(more_s).filter(|length| *length > Nanos::from_micros(1))
    }
}

/// Feeds `write` with the frames and notes of each interval until the source ends.
fn intervals(
    stream: &mut dyn EventStream,
    shown: &ViewOptions,
    write: WriteInterval,
) -> Result<(), Failure> {
    let (mut open, mut written) = (Gathering::default(), Written::default());
    loop {
        let Batch { events, ended } = stream.next(QUIET);
        let quiet = !events.iter().any(|event| event.frame().is_some());
        let mut result = Ok(());
        for event in events {
            let is_begun = !open.frames.is_empty();
            if event.frame().is_some_and(|frame| written.tells_nothing(frame, is_begun)) {
                continue;
            }
            if let Event::Message(text) = &event
                && shown.captions
            {
                open.captions.push(text.clone());
            } else if let Some(frame) = open.take(event, shown.series.as_deref()) {
                result = result.and_then(|()| open.write(stream, write));
                open.frames.push(frame);
            }
        }
        if (quiet || ended.is_some()) && !open.frames.is_empty() {
            result = result.and_then(|()| open.write(stream, write));
        }
        if ended.is_some() && !open.is_empty() {
            result = result.and_then(|()| open.write(stream, write));
        }
        if ended.is_some() || result.is_err() {
            return screen::written(result);
        }
    }
}

impl Gathering {
    /// Takes one event; gives back a frame that begins another interval.
    fn take(&mut self, event: Event, wanted: Option<&str>) -> Option<Frame> {
        match event {
            Event::Frame(frame) if contains(&frame.series, wanted) => {
                if frame.is_amendment() {
                    self.amendments.push(frame);
                    return None;
                }
                if self.frames.first().is_some_and(|first| first.end != frame.end) {
                    return Some(frame);
                }
                self.frames.push(frame);
            }
            Event::Frame(_) => {}
            Event::Anomaly(anomaly) => self.anomalies.push(anomaly),
            Event::Mark(mark) => self.marks.push(mark),
            Event::Message(text) => screen::warn(&text),
        }
        None
    }

    fn write(&mut self, stream: &dyn EventStream, write: WriteInterval) -> io::Result<()> {
        write(stream, &std::mem::take(self))
    }

    fn is_empty(&self) -> bool {
        let silent = self.anomalies.is_empty() && self.captions.is_empty();
        silent && self.marks.is_empty() && self.amendments.is_empty()
    }

    /// The time of its frames; none without frames.
    fn range(&self) -> TimeRange {
        let ends: Ends = self.frames.iter().map(|frame| (frame.start, frame.end)).collect();
        let (from, to) = ends.get().unzip();
        TimeRange { from, to }
    }

    /// What there is to note beside lines that cannot be written again: also how much more was waited
    /// in earlier ones.
    fn messages(&self, amended: Option<Nanos>) -> Vec<String> {
        let amended = amended.map(|length| format!("{length} more waited in earlier intervals"));
        anomalies_in_words(&self.anomalies).into_iter().chain(amended).collect()
    }
}

/// What is summed up of an interval: of several metrics, which may count the same
/// events, only the one that had the most time in the first interval with several.
fn of_one_metric<'f>(chosen: &mut Option<Metrics>, frames: &'f [Frame]) -> Cow<'f, [Frame]> {
    if chosen.is_none() {
        *chosen = Metrics::of_frames(frames);
        if let Some(metrics) = chosen {
            screen::warn(&screen::of_one_metric(metrics));
        }
    }
    match chosen {
        Some(metrics) => {
            frames.iter().filter(|frame| metrics.holds(&frame.series)).cloned().collect()
        }
        None => Cow::Borrowed(frames),
    }
}

/// One line for each interval.
pub fn stream(stream: &mut dyn EventStream, shown: &ViewOptions) -> Result<(), Failure> {
    let style = screen::style(shown.screen, false);
    let width = screen::width(None).max(60);
    let mut view: Option<StreamView> = None;
    let (mut metrics, mut open_time) = (None, OpenTime::default());
    let mut out = screen::output(OutputForm::Painted);
    intervals(stream, shown, &mut |stream, interval| {
        let view = view.get_or_insert_with(|| {
            let options =
                StreamOptions { clock: stream.account().clock, ..StreamOptions::default() };
            StreamView::new(style, width, options)
        });
        let mut frames = of_one_metric(&mut metrics, &interval.frames);
        let open = stream.open_waits();
        if !frames.is_empty() {
            let wanted = shown.series.as_deref();
            let more = open_time.of_interval((interval, interval.range()), open, wanted);
            frames.to_mut().extend(more);
        }
        let more = open_time.more(&interval.amendments, open);
        let waiting = open.map(still_waiting).unwrap_or_default();
        let messages: Vec<String> = interval.messages(more).into_iter().chain(waiting).collect();
        view.line_with_marks(&frames, &messages, &interval.marks, &mut out)?;
        view.line(&[], &interval.captions, &mut out)?;
        out.flush()
    })
}

/// A table of buckets for each interval.
pub fn buckets(stream: &mut dyn EventStream, shown: &ViewOptions) -> Result<(), Failure> {
    let style = screen::style(shown.screen, false);
    let mut view: Option<BucketsView> = None;
    let mut open_time = OpenTime::default();
    let mut out = screen::output(OutputForm::Painted);
    intervals(stream, shown, &mut |stream, interval| {
        let view = view.get_or_insert_with(|| BucketsView::new(style, stream.account().clock));
        let marks = interval.marks.iter().map(|mark| mark.text.clone());
        let captions = interval.captions.iter().cloned();
        let more = open_time.more(&interval.amendments, None);
        let notes: Vec<String> =
            interval.messages(more).into_iter().chain(marks).chain(captions).collect();
        view.interval(&interval.frames, &notes, &mut out)
    })
}

/// PyLatencyMap's two scrolling maps.
pub fn classic(stream: &mut dyn EventStream, shown: &ViewOptions) -> Result<(), Failure> {
    let style = Style { palette: Palette::Classic, ..screen::style(shown.screen, false) };
    let (width, geometry) = (screen::width(None), shown.geometry);
    let (frequency, intensity) = geometry.colour_maxima();
    let mut maps = Classic {
        frames: VecDeque::new(),
        marks: Vec::new(),
        frequency,
        intensity,
        columns: geometry.columns.unwrap_or(ClassicView::columns_in(width)),
        rows: geometry.rows.unwrap_or(ClassicView::rows_in(screen::height(None))),
        latency: geometry.latency,
        column: shown.column.min(LONGEST_COLUMN),
        view: ClassicView {
            label: shown.title.clone(),
            clock: stream.account().clock,
            width,
            on_terminal: screen::is_terminal(),
            samples: 0,
        },
    };
    let (mut script, mut out) = (None, screen::output(OutputForm::Painted));
    // Maps are drawn over those before: what was said last stays below them.
    let mut caption: Option<String> = None;
    let shown = intervals(stream, shown, &mut |stream, interval| {
        maps.view.clock = stream.account().clock;
        let frames = of_one_metric(&mut script, &interval.frames);
        maps.label(&frames, &shown.title);
        let of_map =
            |frame: &Frame| script.as_ref().is_none_or(|metrics| metrics.holds(&frame.series));
        let amendments = interval.amendments.iter().filter(|frame| of_map(frame));
        maps.amend(amendments);
        maps.add(&frames, interval);
        maps.draw(style, &mut out)?;
        caption = interval.captions.last().cloned().or(caption.take());
        if let Some(text) = &caption {
            // On a terminal the cursor stands behind the last line.
            let (before, after) = if maps.view.on_terminal { ("\r\n", "") } else { ("", "\n") };
            write!(out, "{before}{text}{after}")?;
        }
        out.flush()
    });
    shown.and_then(|()| screen::written(maps.view.finish(&mut out).and_then(|()| out.flush())))
}

struct Classic {
    frames: VecDeque<Frame>,
    marks: Vec<Mark>,
    frequency: ColourMax,
    intensity: ColourMax,
    columns: usize,
    rows: usize,
    latency: Option<(Nanos, Nanos)>,
    column: Nanos,
    view: ClassicView,
}

impl Classic {
    /// Calls the maps what they are of: their series, and where it comes from if that is another.
    fn label(&mut self, frames: &[Frame], title: &str) {
        let mut names: Vec<&str> = frames.iter().map(|frame| frame.series.name()).collect();
        names.dedup();
        self.view.label = match names[..] {
            [] => return,
            [one] => format!("{one} · {title}"),
            _ => format!("{} series · {title}", frames.len()),
        };
    }

    /// Takes time waited in intervals that are shown already.
    fn amend<'f>(&mut self, amendments: impl Iterator<Item = &'f Frame>) {
        self.frames.extend(amendments.cloned());
    }

    /// Takes one interval and forgets what has scrolled out.
    fn add(&mut self, frames: &[Frame], Gathering { anomalies, marks, .. }: &Gathering) {
        let Some(end) = frames.first().map(|frame| frame.end) else { return };
        self.view.samples += 1;
        self.marks
            .extend(anomalies_in_words(anomalies).into_iter().map(|text| Mark { at: end, text }));
        self.marks.extend(marks.iter().cloned());
        self.frames.extend(frames.iter().cloned());
        let window = Nanos::new(self.column.as_nanos().saturating_mul(self.columns as u64));
        let begin = end.minus(window);
        self.frames.retain(|frame| frame.end > begin);
        self.marks.retain(|mark| mark.at > begin);
    }

    fn draw(&mut self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let Some(picture) = self.picture() else { return Ok(()) };
        self.view.render(&picture, style, out)
    }

    /// What is shown now; nothing before the first interval.
    fn picture(&mut self) -> Option<Picture> {
        let end = self.frames.iter().map(|frame| frame.end).max()?;
        let request = Request {
            grid: Grid { end, column: self.column, columns: self.columns },
            most_rows: self.rows,
            keep: None,
            only: self.latency,
            steps: CLASSIC_STEPS,
            frequency_scale: Scale::Linear,
            intensity_scale: Scale::Linear,
            marks: self.marks.clone(),
        };
        let frames = self.frames.make_contiguous();
        Some(Picture::draw(frames, &request, &mut self.frequency, &mut self.intensity))
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Binner, BinnerLimits, Clock, Histogram, OpenWait, Scheme};

    use super::*;

    fn classic(columns: usize) -> Classic {
        Classic {
            frames: VecDeque::new(),
            marks: Vec::new(),
            frequency: ColourMax::default(),
            intensity: ColourMax::default(),
            columns,
            rows: 12,
            latency: None,
            column: Nanos::SECOND,
            view: ClassicView {
                label: String::new(),
                clock: Clock::Epoch,
                width: 120,
                on_terminal: false,
                samples: 0,
            },
        }
    }

    fn frame(second: i64, events: u64, quality: Quality) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_millis(1)));
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        Frame {
            series: Series::named("lock"),
            start: at(second),
            end: at(second + 1),
            counts,
            quality,
        }
    }

    #[test]
    fn silence_of_intervals_that_were_written_is_no_line() {
        let mut written = Written::default();
        let mut told = |second, events, quality, is_begun| {
            !written.tells_nothing(&frame(second, events, quality), is_begun)
        };
        let complete = Quality::Complete;
        assert!(told(7, 0, complete, false) && told(7, 0, complete, true));
        assert!(told(8, 2, complete, true) && told(8, 0, complete, true));
        // Written: what comes now of the same and of earlier ones.
        assert!(!told(8, 0, complete, false) && !told(7, 0, complete, false));
        assert!(told(7, 3, complete, false), "events are never left out");
        assert!(told(7, 0, Quality::Gap(Gap::SourceAway), false));
        assert!(told(9, 0, complete, false));
        // The clock shows the same times again.
        assert!(told(2, 0, Quality::Gap(Gap::ClockBack), false) && told(3, 0, complete, false));
    }

    /// Two sessions wait from 0.5 s to 4.25 s: their time is in the line of each second, once.
    #[test]
    fn waits_that_go_on_are_in_their_lines_and_not_noted_again() {
        let at_ms = |ms: i64| Timestamp::new(ms * 1_000_000);
        let lock = Series::named("lock");
        let wait = OpenWait { series: lock.clone(), begin: at_ms(500), blocker: None };
        let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
        binner.observe(at_ms(0), at_ms(10_000));
        binner.know(&lock);
        let (mut open_time, mut lines, mut notes) = (OpenTime::default(), Vec::new(), Vec::new());
        for second in 1..=6 {
            let at = at_ms(second * 1_000 + 100);
            let goes_on = second < 5;
            if second == 5 {
                for _ in 0..2 {
                    binner.record(at_ms(4_250), &lock, Nanos::from_millis(3_750));
                }
            }
            let waits = if goes_on { vec![wait.clone(), wait.clone()] } else { Vec::new() };
            let open = OpenWaits { at, waits };
            let (amendments, frames): (Vec<Frame>, Vec<Frame>) =
                binner.finish_until(at).into_iter().partition(Frame::is_amendment);
            let interval = Gathering { frames, amendments, ..Gathering::default() };
            let range = interval.range();
            let added = open_time.of_interval((&interval, range), Some(&open), None);
            let all = interval.frames.iter().chain(&added);
            let waited_s: f64 = all.map(|frame| frame.counts.time_waited().seconds).sum();
            lines.push(format!("{:.0}", waited_s * 1e3));
            notes.extend(open_time.more(&interval.amendments, Some(&open)));
        }
        assert_eq!(lines, ["1000", "2000", "2000", "2000", "500", "0"]);
        assert_eq!(notes, []);
        assert!(open_time.shown_s.is_empty());
    }

    /// One session that waits 5 s, and again, watched second by second.
    #[test]
    fn intervals_on_the_screen_are_amended_by_what_was_waited_in_them() {
        let at_ms = |ms: i64| Timestamp::new(ms * 1_000_000);
        let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
        binner.observe(at_ms(0), at_ms(40_000));
        let (mut shown, mut amended_s) = (classic(60), 0.0);
        for second in 1..=40 {
            let finished = binner.finish_until(at_ms(1_000 * second - 1));
            let (amendments, frames): (Vec<Frame>, Vec<Frame>) =
                finished.into_iter().partition(Frame::is_amendment);
            if second % 5 == 0 {
                let length = Nanos::from_millis(5_000);
                binner.record(at_ms(1_000 * second), &Series::named("lock"), length);
            }
            let gathered = Gathering { amendments, ..Gathering::default() };
            amended_s +=
                gathered.amendments.iter().map(|f| f.counts.time_waited().seconds).sum::<f64>();
            let more = OpenTime::default().more(&gathered.amendments, None);
            assert_eq!(gathered.messages(more).is_empty(), gathered.amendments.is_empty());
            shown.amend(gathered.amendments.iter());
            shown.add(&frames, &gathered);
        }
        assert!(amended_s > 20.0, "most of it was waited in earlier intervals: {amended_s}");
        let picture = shown.picture().unwrap();
        assert!(picture.intensity.max_sum <= 1.0 + 1e-9, "{}", picture.intensity.max_sum);
        let waited: f64 = picture.columns.iter().map(|column| column.waited.seconds).sum();
        assert!(waited > 30.0, "{waited}");
        assert!(picture.marks.is_empty());
    }
}
