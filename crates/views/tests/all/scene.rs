//! A scripted scene: 80 seconds of two modes, a burst of slow reads, a reset, a pause, a late
//! poll, lost events and rare outliers. The same every time.

use std::sync::OnceLock;

use isotherm_analysis::{ColourMax, Grid, Picture, Request, Scale};
use isotherm_frame::{
    Frame, Gap, Histogram, Mark, Nanos, Partial, Quality, Scheme, Series, Timestamp, Unit,
};
use isotherm_views::{ClassicView, MapView};

/// 2025-11-21 14:30:51 UTC.
pub const START_S: i64 = 1_763_735_451;
/// Seconds of the scene.
pub const LENGTH_S: i64 = 80;

/// A small generator of numbers that look random and are not.
pub struct Numbers(u64);

impl Numbers {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// A latency around `middle_us` microseconds: the middle of three, so a hill.
    fn around(&mut self, middle_us: u64) -> Nanos {
        let draw = self.below(1_000) + self.below(1_000) + self.below(1_000);
        let octaves = (draw as f64 / 1_500.0 - 1.0) * 1.5;
        Nanos::from_secs_f64(middle_us as f64 * 1e-6 * octaves.exp2()).unwrap_or_default()
    }
}

pub fn at(second: i64) -> Timestamp {
    Timestamp::new((START_S + second) * 1_000_000_000)
}

fn frame(name: &str, from: i64, to: i64, counts: Histogram, quality: Quality) -> Frame {
    let series = Series::with_attributes(name, [("instance", "1")]);
    Frame { series, start: at(from), end: at(to), counts, quality }
}

fn reads(numbers: &mut Numbers, second: i64, counts: &mut Histogram) {
    let burst = (30..46).contains(&second);
    let (fast, slow, middle) = if burst { (900, 1_400, 15_000) } else { (2_000, 500, 7_000) };
    for _ in 0..fast + numbers.below(200) {
        counts.record(numbers.around(230));
    }
    for _ in 0..slow + numbers.below(100) {
        counts.record(numbers.around(middle));
    }
    if numbers.below(4) == 0 {
        counts.record(numbers.around(if burst { 600_000 } else { 200_000 }));
    }
}

/// The frames of the reads, in buckets of this scheme; total times known if `exact`.
pub fn frames(scheme: &Scheme, exact: bool) -> Vec<Frame> {
    let name = "db file sequential read";
    let mut numbers = Numbers(7);
    let mut frames = Vec::new();
    let mut second = 0;
    while second < LENGTH_S {
        let (length, quality) = match second {
            52 => (3, Quality::Gap(Gap::Reset)),
            // The source is away from 60 to 64; the poll after that is late.
            60 => {
                second = 64;
                (2, Quality::Partial(Partial::LatePoll))
            }
            70 => (1, Quality::Lost(17)),
            _ => (1, Quality::Complete),
        };
        let mut counts = Histogram::empty(scheme.clone());
        if !matches!(quality, Quality::Gap(_)) {
            (second..second + length).for_each(|second| reads(&mut numbers, second, &mut counts));
        }
        let sum = counts.sum().filter(|_| exact);
        frames.push(frame(name, second, second + length, counts.with_sum(sum), quality));
        second += length;
    }
    frames
}

/// A second, quieter series.
pub fn commits(scheme: &Scheme) -> Vec<Frame> {
    let mut numbers = Numbers(11);
    (0..LENGTH_S)
        .map(|second| {
            let mut counts = Histogram::empty(scheme.clone());
            (0..30 + numbers.below(9)).for_each(|_| counts.record(numbers.around(1_100)));
            frame("log file sync", second, second + 1, counts.with_sum(None), Quality::Complete)
        })
        .collect()
}

/// Power-of-two microseconds without total times: what wait histograms give.
pub fn coarse() -> Vec<Frame> {
    static FRAMES: OnceLock<Vec<Frame>> = OnceLock::new();
    FRAMES.get_or_init(|| frames(&Scheme::powers_of_two(Unit::Micros), false)).clone()
}

/// Fine buckets with total times: what single events give.
pub fn fine() -> Vec<Frame> {
    static FRAMES: OnceLock<Vec<Frame>> = OnceLock::new();
    FRAMES.get_or_init(|| frames(&Scheme::log_linear(), true)).clone()
}

/// The scene in lines of so many characters.
pub fn picture(frames: &[Frame], width: usize, most_rows: usize, classic: bool) -> Picture {
    let length = at(LENGTH_S).since(at(0));
    let (column, columns) = if classic {
        (Nanos::SECOND, ClassicView::columns_in(width).min(80))
    } else {
        MapView::columns_for(length, Nanos::SECOND, width)
    };
    let mark = |second, text: &str| Mark { at: at(second), text: text.to_owned() };
    let (steps, frequency_scale, intensity_scale) =
        if classic { (6, Scale::Linear, Scale::Linear) } else { (8, Scale::Sqrt, Scale::Power) };
    let request = Request {
        grid: Grid { end: at(LENGTH_S), column, columns },
        most_rows,
        keep: None,
        only: None,
        steps,
        frequency_scale,
        intensity_scale,
        marks: vec![mark(30, "backup start"), mark(46, "backup end")],
    };
    Picture::draw(frames, &request, &mut ColourMax::default(), &mut ColourMax::default())
}
