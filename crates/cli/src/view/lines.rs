//! The views that only write: one line for each interval, and the classic maps.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

use isotherm_analysis::{ColourMax, Grid, Picture, Request, Scale, ScriptMaps, WantedMark};
use isotherm_frame::{Frame, Nanos};
use isotherm_views::{
    BucketsView, CLASSIC_STEPS, ClassicView, OutputForm, Palette, StreamOptions, StreamView, Style,
    View,
};

use super::Shown;
use crate::failure::Failure;
use crate::intake::Happening;
use crate::pulse::{Pulse, Turn};
use crate::screen;

/// The longest column of the classic maps: with longer ones they would begin before time does.
const LONGEST_COLUMN: Nanos = Nanos::new(31 * 86_400_000_000_000);

/// How long frames of one interval may be apart.
const QUIET: Duration = Duration::from_millis(100);

/// Writes one interval: its frames, its notes and its marks.
type WriteInterval<'a> = &'a mut dyn FnMut(&dyn Pulse, &Gathering) -> io::Result<()>;

/// Collects what belongs to one interval.
#[derive(Default)]
struct Gathering {
    frames: Vec<Frame>,
    notes: Vec<String>,
    marks: Vec<WantedMark>,
    /// Time waited in intervals that were written before it was known, in seconds.
    amended_s: f64,
}

/// Feeds `write` with the frames and notes of each interval until the source ends.
fn intervals(pulse: &mut dyn Pulse, shown: &Shown, write: WriteInterval) -> Result<(), Failure> {
    let mut open = Gathering::default();
    loop {
        let (happened, over) = match pulse.next(QUIET) {
            Turn::On(happened) => (happened, None),
            Turn::Over(happened, status) => (happened, Some(status)),
        };
        let quiet = !happened.iter().any(|happening| matches!(happening, Happening::Frame(_)));
        let mut result = Ok(());
        for happening in happened {
            if let Some(frame) = open.take(happening, shown.series.as_deref()) {
                result = result.and_then(|()| open.write(pulse, write));
                open.frames.push(frame);
            }
        }
        if (quiet || over.is_some()) && !open.frames.is_empty() {
            result = result.and_then(|()| open.write(pulse, write));
        }
        if over.is_some() && !(open.notes.is_empty() && open.marks.is_empty()) {
            result = result.and_then(|()| open.write(pulse, write));
        }
        if over.is_some() || result.is_err() {
            return screen::written(result);
        }
    }
}

impl Gathering {
    /// Takes one happening; gives back a frame that begins another interval.
    fn take(&mut self, happening: Happening, wanted: Option<&str>) -> Option<Frame> {
        match happening {
            Happening::Frame(frame) if screen::matches(wanted, &frame.series) => {
                if frame.is_amendment() {
                    self.amended_s += frame.counts.time_waited().seconds;
                    return None;
                }
                if self.frames.first().is_some_and(|first| first.end != frame.end) {
                    return Some(frame);
                }
                self.frames.push(frame);
            }
            Happening::Frame(_) => {}
            Happening::Anomaly(anomaly) => self.notes.push(anomaly.to_string()),
            Happening::Mark { at, text } => {
                self.marks.push(WantedMark { at, text });
            }
            Happening::Said(text) => screen::warn(&text),
        }
        None
    }

    fn write(&mut self, pulse: &dyn Pulse, write: WriteInterval) -> io::Result<()> {
        let mut interval = std::mem::take(self);
        if interval.amended_s > 0.0 {
            interval.notes.push(format!(
                "{} more waited in earlier intervals",
                Nanos::from_secs_f64(interval.amended_s).unwrap_or_default()
            ));
        }
        write(pulse, &interval)
    }
}

/// What is summed up of an interval: of several maps of one script, which may count the same
/// events, only the one that had the most time in the first interval with several.
fn of_one_map<'f>(chosen: &mut Option<ScriptMaps>, frames: &'f [Frame]) -> Cow<'f, [Frame]> {
    if chosen.is_none() {
        *chosen = ScriptMaps::of_frames(frames);
        if let Some(maps) = chosen {
            screen::warn(&screen::of_one_map(maps));
        }
    }
    match chosen {
        Some(maps) => frames.iter().filter(|frame| maps.holds(&frame.series)).cloned().collect(),
        None => Cow::Borrowed(frames),
    }
}

/// One line for each interval.
pub fn stream(pulse: &mut dyn Pulse, shown: &Shown) -> Result<(), Failure> {
    let style = screen::style(shown.screen, false);
    let width = screen::width(None).max(60);
    let mut view: Option<StreamView> = None;
    let mut maps = None;
    let mut out = screen::output(OutputForm::Painted);
    intervals(pulse, shown, &mut |pulse, interval| {
        let view = view.get_or_insert_with(|| {
            let options = StreamOptions { clock: pulse.tally().clock, ..StreamOptions::default() };
            StreamView::new(style, width, options)
        });
        let Gathering { frames, notes, marks, .. } = interval;
        view.line_with_marks(&of_one_map(&mut maps, frames), notes, marks, &mut out)?;
        out.flush()
    })
}

/// A table of buckets for each interval.
pub fn buckets(pulse: &mut dyn Pulse, shown: &Shown) -> Result<(), Failure> {
    let style = screen::style(shown.screen, false);
    let mut view: Option<BucketsView> = None;
    let mut out = screen::output(OutputForm::Painted);
    intervals(pulse, shown, &mut |pulse, interval| {
        let view = view.get_or_insert_with(|| BucketsView::new(style, pulse.tally().clock));
        let marks = interval.marks.iter().map(|mark| mark.text.clone());
        let notes: Vec<String> = interval.notes.iter().cloned().chain(marks).collect();
        view.interval(&interval.frames, &notes, &mut out)
    })
}

/// PyLatencyMap's two scrolling maps.
pub fn classic(pulse: &mut dyn Pulse, shown: &Shown) -> Result<(), Failure> {
    let style = Style { palette: Palette::Classic, ..screen::style(shown.screen, false) };
    let width = screen::width(None);
    let mut maps = Classic {
        frames: VecDeque::new(),
        marks: Vec::new(),
        frequency: ColourMax::default(),
        intensity: ColourMax::default(),
        columns: ClassicView::columns_in(width),
        rows: ClassicView::rows_in(screen::height(None)),
        column: shown.column.min(LONGEST_COLUMN),
        view: ClassicView {
            label: shown.title.clone(),
            clock: pulse.tally().clock,
            width,
            on_terminal: screen::is_terminal(),
            samples: 0,
        },
    };
    let (mut script, mut out) = (None, screen::output(OutputForm::Painted));
    let shown = intervals(pulse, shown, &mut |pulse, interval| {
        maps.view.clock = pulse.tally().clock;
        let frames = of_one_map(&mut script, &interval.frames);
        maps.add(&frames, interval);
        maps.draw(style, &mut out)?;
        out.flush()
    });
    shown.and_then(|()| screen::written(maps.view.finish(&mut out).and_then(|()| out.flush())))
}

struct Classic {
    frames: VecDeque<Frame>,
    marks: Vec<WantedMark>,
    frequency: ColourMax,
    intensity: ColourMax,
    columns: usize,
    rows: usize,
    column: isotherm_frame::Nanos,
    view: ClassicView,
}

impl Classic {
    /// Takes one interval and forgets what has scrolled out.
    fn add(&mut self, frames: &[Frame], Gathering { notes, marks, .. }: &Gathering) {
        let Some(end) = frames.first().map(|frame| frame.end) else { return };
        self.view.samples += 1;
        self.marks.extend(notes.iter().map(|text| WantedMark { at: end, text: text.clone() }));
        self.marks.extend(marks.iter().cloned());
        self.frames.extend(frames.iter().cloned());
        let window =
            isotherm_frame::Nanos::new(self.column.as_nanos().saturating_mul(self.columns as u64));
        let begin = end.minus(window);
        while self.frames.front().is_some_and(|frame| frame.end <= begin) {
            self.frames.pop_front();
        }
        self.marks.retain(|mark| mark.at > begin);
    }

    fn draw(&mut self, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let Some(end) = self.frames.iter().map(|frame| frame.end).max() else { return Ok(()) };
        let request = Request {
            grid: Grid { end, column: self.column, columns: self.columns },
            most_rows: self.rows,
            keep: None,
            steps: CLASSIC_STEPS,
            frequency_scale: Scale::Linear,
            intensity_scale: Scale::Linear,
            marks: self.marks.clone(),
        };
        let frames = self.frames.make_contiguous();
        let picture = Picture::draw(frames, &request, &mut self.frequency, &mut self.intensity);
        self.view.render(&picture, style, out)
    }
}
