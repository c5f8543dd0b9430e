//! The views that only write: one line for each interval, and the classic maps.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

use isotherm_analysis::{ColourMax, Grid, Metrics, Picture, Request, Scale};
use isotherm_frame::{Anomaly, Event, Frame, Mark, Nanos, anomalies_in_words};
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

/// Feeds `write` with the frames and notes of each interval until the source ends.
fn intervals(
    stream: &mut dyn EventStream,
    shown: &ViewOptions,
    write: WriteInterval,
) -> Result<(), Failure> {
    let mut open = Gathering::default();
    loop {
        let Batch { events, ended } = stream.next(QUIET);
        let quiet = !events.iter().any(|event| event.frame().is_some());
        let mut result = Ok(());
        for event in events {
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

    /// What there is to note beside lines that cannot be written again: also how much was waited in
    /// earlier ones.
    fn messages(&self) -> Vec<String> {
        let waited = |frame: &Frame| frame.counts.time_waited().seconds;
        let amended_s: f64 = self.amendments.iter().map(waited).sum();
        let amended = Nanos::from_secs_f64(amended_s).filter(|length| *length > Nanos::ZERO);
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
    let mut metrics = None;
    let mut out = screen::output(OutputForm::Painted);
    intervals(stream, shown, &mut |stream, interval| {
        let view = view.get_or_insert_with(|| {
            let options =
                StreamOptions { clock: stream.account().clock, ..StreamOptions::default() };
            StreamView::new(style, width, options)
        });
        let frames = of_one_metric(&mut metrics, &interval.frames);
        let waiting = stream.open_waits().map(still_waiting).unwrap_or_default();
        let messages: Vec<String> = interval.messages().into_iter().chain(waiting).collect();
        view.line_with_marks(&frames, &messages, &interval.marks, &mut out)?;
        view.line(&[], &interval.captions, &mut out)?;
        out.flush()
    })
}

/// A table of buckets for each interval.
pub fn buckets(stream: &mut dyn EventStream, shown: &ViewOptions) -> Result<(), Failure> {
    let style = screen::style(shown.screen, false);
    let mut view: Option<BucketsView> = None;
    let mut out = screen::output(OutputForm::Painted);
    intervals(stream, shown, &mut |stream, interval| {
        let view = view.get_or_insert_with(|| BucketsView::new(style, stream.account().clock));
        let marks = interval.marks.iter().map(|mark| mark.text.clone());
        let captions = interval.captions.iter().cloned();
        let notes: Vec<String> =
            interval.messages().into_iter().chain(marks).chain(captions).collect();
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
    use isotherm_frame::{Binner, BinnerLimits, Clock, Series, Timestamp};

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
            assert_eq!(gathered.messages().is_empty(), gathered.amendments.is_empty());
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
