//! Frames of several inputs, added up.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Nanos, Partial, Quality, Series, Timestamp};

/// Adds up frames of the same interval and series: inputs whose times overlap are parts of one
/// whole.
#[derive(Debug, Default)]
pub struct FrameSums {
    frames: BTreeMap<(Timestamp, Timestamp, Series), Frame>,
    /// Whether intervals had to be handed on before all inputs were read.
    handed_on: bool,
    /// The width of the intervals of events; zero if there are none.
    width: Nanos,
    /// Whether frames are given the whole interval they belong to, so that they meet those of other sums.
    whole: bool,
    /// The memory that the frames take, about, and that they may take.
    bytes: usize,
    most_bytes: usize,
}

impl FrameSums {
    /// What is said when there are more than can be held.
    pub const TOO_MANY: &'static str = "the inputs have more intervals than fit in --memory: \
        where they overlap, some are kept side by side instead of added up (import fewer at once, \
        with a longer --interval, or with more --memory)";

    /// Intervals of events are `width` long; all frames take about `most_bytes` of memory.
    pub fn new(width: Nanos, most_bytes: usize) -> FrameSums {
        FrameSums { width, most_bytes, ..FrameSums::default() }
    }

    /// The same, with frames of the whole interval that they belong to: those of which only a part was
    /// observed are marked as such.
    pub fn of_whole_intervals(width: Nanos, most_bytes: usize) -> FrameSums {
        FrameSums { whole: true, ..FrameSums::new(width, most_bytes) }
    }

    /// The interval a frame belongs to: the first and the last of the events of an input are cut to
    /// what was observed, and belong to the whole one.
    fn interval(&self, frame: &Frame) -> (Timestamp, Timestamp) {
        let width = i64::try_from(self.width.as_nanos()).unwrap_or(0);
        let cut = frame.counts.is_time_placed() && frame.length() <= self.width && width > 0;
        if !cut {
            return (frame.start, frame.end);
        }
        let past = frame.start.as_nanos().rem_euclid(width);
        let start = frame.start.minus(Nanos::new(past.unsigned_abs()));
        (start, start.plus(self.width))
    }

    /// Takes a frame.
    pub fn add(&mut self, frame: Frame) {
        let (start, end) = self.interval(&frame);
        match self.frames.get_mut(&(start, end, frame.series.clone())) {
            None => {
                self.bytes += bytes(&frame);
                self.frames.insert((start, end, frame.series.clone()), frame);
            }
            Some(sum) => {
                let before = bytes(sum);
                (sum.start, sum.end) = (sum.start.min(frame.start), sum.end.max(frame.end));
                sum.quality = together(sum.quality, frame.quality);
                if !frame.is_gap() {
                    sum.counts.add(&frame.counts);
                }
                self.bytes = self.bytes.saturating_sub(before) + bytes(sum);
            }
        }
    }

    /// Whether no more may be added before something is handed on.
    pub fn is_full(&self) -> bool {
        self.bytes >= self.most_bytes
    }

    /// Everything added up so far, in the order of time; says whether that is for the first time
    /// before the end.
    pub fn hand_on(&mut self) -> (Vec<Frame>, bool) {
        let first = !std::mem::replace(&mut self.handed_on, true);
        (self.take(), first)
    }

    /// Everything added up, in the order of time.
    pub fn take(&mut self) -> Vec<Frame> {
        self.bytes = 0;
        let frames = std::mem::take(&mut self.frames).into_iter();
        frames.map(|((start, end, _), frame)| self.finished(frame, (start, end))).collect()
    }

    /// A frame as it is handed on. Where nothing ended before the first event there is only what waited
    /// then: that stays in the time it is known of.
    fn finished(&self, mut frame: Frame, interval: (Timestamp, Timestamp)) -> Frame {
        let is_cut = (frame.start, frame.end) != interval;
        if self.whole && is_cut && frame.counts.events() > 0 {
            (frame.start, frame.end) = interval;
            // How much of it was observed gets lost.
            if frame.quality == Quality::Complete {
                frame.quality = Quality::Partial(Partial::UnknownWindow);
            }
        }
        frame
    }
}

/// The memory that a frame takes among others, about: its counts and times are held from the first
/// bucket with any to the last.
fn bytes(frame: &Frame) -> usize {
    const ENTRY: usize = 2 * size_of::<Frame>();
    ENTRY + frame.counts.occupied_range().len() * 2 * size_of::<u64>()
}

/// How much of an interval is reported by the counts of two inputs.
fn together(one: Quality, other: Quality) -> Quality {
    match (one, other) {
        (Quality::Lost(one), Quality::Lost(other)) => Quality::Lost(one.saturating_add(other)),
        (Quality::Gap(why), Quality::Gap(_)) => Quality::Gap(why),
        // What one of them knows is a part of the whole.
        (Quality::Gap(_), _) | (_, Quality::Gap(_)) => Quality::Partial(Partial::UnknownWindow),
        (Quality::Complete, other) => other,
        (one, _) => one,
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Gap, Histogram, Scheme};

    use super::*;

    fn frame(series: &str, second: i64, latencies_us: &[u64], quality: Quality) -> Frame {
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        let mut counts = Histogram::empty(Scheme::log_linear());
        for us in latencies_us {
            counts.record(Nanos::from_micros(*us));
        }
        let series = Series::named(series);
        Frame { series, start: at(second), end: at(second + 1), counts, quality }
    }

    #[test]
    fn one_frame_for_each_interval_and_series_with_the_sum_of_its_counts() {
        let mut sums = FrameSums::new(Nanos::ZERO, 1 << 20);
        for input in 0..16 {
            for second in [3, 1, 2] {
                sums.add(frame("a", second, &[100, 100 + input], Quality::Complete));
            }
        }
        sums.add(frame("b", 2, &[7], Quality::Complete));
        assert!(!sums.is_full());
        let frames = sums.take();
        let found: Vec<_> =
            frames.iter().map(|f| (f.series.name(), f.start, f.counts.events())).collect();
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        assert_eq!(found, [("a", at(1), 32), ("a", at(2), 32), ("b", at(2), 1), ("a", at(3), 32)]);
        // 16 times 100 and 100 to 115: 3,320 us.
        assert_eq!(frames[0].counts.sum(), Some(Nanos::from_micros(3_320)));
    }

    #[test]
    fn it_is_full_when_its_frames_take_the_memory_there_is() {
        let full_after = |most_bytes: usize| {
            let mut sums = FrameSums::new(Nanos::ZERO, most_bytes);
            let seconds = (0..1_000).take_while(|&second| {
                sums.add(frame("a", second, &[100], Quality::Complete));
                !sums.is_full()
            });
            let held = seconds.count();
            let (frames, first) = sums.hand_on();
            assert_eq!((frames.len(), first, sums.is_full()), (held + 1, true, false));
            held
        };
        let (little, twice) = (full_after(50_000), full_after(100_000));
        assert!((10..500).contains(&little), "{little}");
        assert!(twice.abs_diff(2 * little) <= 2, "{little} {twice}");
    }

    #[test]
    fn what_only_one_input_knows_is_a_part() {
        let mut sums = FrameSums::default();
        sums.add(frame("a", 1, &[], Quality::Gap(Gap::SourceAway)));
        sums.add(frame("a", 1, &[5, 6], Quality::Complete));
        sums.add(frame("b", 1, &[5], Quality::Lost(2)));
        sums.add(frame("b", 1, &[5], Quality::Lost(3)));
        let found: Vec<_> =
            sums.take().into_iter().map(|frame| (frame.counts.events(), frame.quality)).collect();
        let part = Quality::Partial(Partial::UnknownWindow);
        assert_eq!(found, [(2, part), (2, Quality::Lost(5))]);
    }
}
