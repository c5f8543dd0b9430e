//! Intervals in which nothing happened.

use std::collections::HashMap;

use isotherm_frame::{Frame, Quality, Series};

/// So many intervals of silence are one frame at most: a crash costs no more of them.
const MOST_TOGETHER: u64 = 64;

/// Joins the silent intervals of a series that follow one another into one, so that a thousand
/// series of which few speak take the room of those that do. No event and no time is held back,
/// and of each interval there is a frame of some series at once: which time is covered is known
/// whenever the recording ends.
#[derive(Debug, Default)]
pub struct Silence {
    held: HashMap<Series, Held>,
}

#[derive(Debug)]
struct Held {
    frame: Frame,
    intervals: u64,
}

fn is_silent(frame: &Frame) -> bool {
    frame.quality == Quality::Complete && frame.counts.is_blank()
}

impl Silence {
    /// The frames to write now instead of these.
    pub fn join<'a>(&mut self, frames: impl IntoIterator<Item = &'a Frame>) -> Vec<Frame> {
        let frames: Vec<&Frame> = frames.into_iter().collect();
        let mut out = Vec::with_capacity(frames.len());
        let same = |one: &&Frame, two: &&Frame| (one.start, one.end) == (two.start, two.end);
        for interval in frames.chunk_by(same) {
            let observed = interval.iter().any(|frame| !is_silent(frame));
            for (index, frame) in interval.iter().enumerate() {
                if !is_silent(frame) || (index == 0 && !observed) {
                    out.extend(self.held.remove(&frame.series).map(|held| held.frame));
                    out.push((*frame).clone());
                } else {
                    out.extend(self.hold(frame));
                }
            }
        }
        out
    }

    /// Holds a silent interval back; gives what was held of its series if they cannot be one.
    fn hold(&mut self, frame: &Frame) -> Option<Frame> {
        let fresh = || Held { frame: frame.clone(), intervals: 1 };
        let Some(held) = self.held.get_mut(&frame.series) else {
            self.held.insert(frame.series.clone(), fresh());
            return None;
        };
        let follows = held.frame.end == frame.start
            && held.frame.counts.scheme() == frame.counts.scheme()
            && held.intervals < MOST_TOGETHER;
        if follows {
            held.frame.end = frame.end;
            held.intervals += 1;
            return None;
        }
        Some(std::mem::replace(held, fresh()).frame)
    }

    /// What is held, at the end of a recording, by its time.
    pub fn finish(&mut self) -> Vec<Frame> {
        let mut rest: Vec<Frame> = self.held.drain().map(|(_, held)| held.frame).collect();
        rest.sort_by(|one, two| (one.start, &one.series).cmp(&(two.start, &two.series)));
        rest
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Scheme, Timestamp};

    use super::*;

    fn frame(series: &str, second: i64, events: u32) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_micros(100)));
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        let (series, quality) = (Series::named(series), Quality::Complete);
        Frame { series, start: at(second), end: at(second + 1), counts, quality }
    }

    /// Seconds covered and events of a series.
    fn of(frames: &[Frame], series: &str) -> (u64, u64) {
        let own = frames.iter().filter(|frame| frame.series.name() == series);
        own.fold((0, 0), |(seconds, events), frame| {
            let length = frame.length().as_nanos() / 1_000_000_000;
            (seconds + length, events + frame.counts.events())
        })
    }

    #[test]
    fn silence_takes_little_room_and_covers_the_same_time() {
        let mut silence = Silence::default();
        let mut written = Vec::new();
        for second in 0..200 {
            let speaks = u32::from(second % 50 == 7);
            let one = frame("one", second, 3);
            let tick = [one, frame("rare", second, speaks), frame("silent", second, 0)];
            written.extend(silence.join(&tick));
        }
        let rare = written.iter().filter(|frame| frame.series.name() == "rare").count();
        written.extend(silence.finish());
        assert_eq!(
            ["one", "rare", "silent"].map(|name| of(&written, name)),
            [(200, 600), (200, 4), (200, 0)]
        );
        // Four times it spoke, and silence before each of them.
        assert_eq!(rare, 8);
        assert_eq!(written.len(), 200 + 9 + 4);
        assert!(silence.finish().is_empty());
    }

    #[test]
    fn where_all_are_silent_the_time_is_covered_at_once() {
        let mut silence = Silence::default();
        for second in 0..100 {
            let tick = [frame("a", second, 0), frame("b", second, 0)];
            let written = silence.join(&tick);
            let end = written.iter().map(|frame| frame.end).max();
            assert_eq!(end, Some(tick[0].end), "{second}");
        }
    }

    #[test]
    fn gaps_and_silence_after_a_gap_stay_apart() {
        let mut silence = Silence::default();
        let gap =
            Frame { quality: Quality::Gap(isotherm_frame::Gap::SourceAway), ..frame("x", 1, 0) };
        let ticks = [frame("x", 0, 0), gap.clone(), frame("x", 2, 0), frame("x", 4, 0)];
        let other = |second| frame("y", second, 1);
        let mut written = Vec::new();
        for (tick, second) in ticks.iter().zip([0, 1, 2, 4]) {
            written.extend(silence.join(&[tick.clone(), other(second)]));
        }
        written.extend(silence.finish());
        let own: Vec<&Frame> = written.iter().filter(|frame| frame.series.name() == "x").collect();
        assert_eq!(own, ticks.iter().collect::<Vec<&Frame>>());
    }
}
