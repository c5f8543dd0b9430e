//! Frames of several inputs, added up.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Frame, Nanos, Partial, Quality, Series, Timestamp};
use isotherm_recording::rows::ObservedPart;

/// Adds up frames of the same interval and series: inputs whose times overlap are parts of one
/// whole.
#[derive(Debug, Default)]
pub struct FrameSums {
    /// Of each interval and series the frames that are not added to each other; most often one.
    frames: BTreeMap<(Timestamp, Timestamp, Series), Vec<Frame>>,
    /// When the latest interval begins that had to be handed on before all inputs were read.
    handed_on: Option<Timestamp>,
    /// Whether anything came for an interval that was handed on.
    is_split: bool,
    /// The width of the intervals of events; zero if there are none.
    width: Nanos,
    grouping: Grouping,
    /// How much was observed of intervals that frames were given whole.
    observed: BTreeSet<ObservedPart>,
    /// The memory that the frames take, about, and that they may take.
    bytes: usize,
    most_bytes: usize,
}

/// Which frames are added to each other.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Grouping {
    /// All of an interval.
    #[default]
    All,
    /// Those of an interval of which the same is known.
    Alike,
    /// The same of frames that are given the whole interval they belong to, so that sums of parts of the
    /// inputs add up to the sums of all.
    AlikeAndWhole,
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
    /// observed are marked as such. Frames of different qualities, buckets or knowledge of the time stay
    /// apart. So the sums of several inputs are those of each alone, added up.
    pub fn of_whole_intervals(width: Nanos, most_bytes: usize) -> FrameSums {
        FrameSums { grouping: Grouping::AlikeAndWhole, ..FrameSums::new(width, most_bytes) }
    }

    /// The same of a stretch of time that is read in shorter intervals than `width`: what is cut by its
    /// beginning and its end stays so.
    pub fn of_stretch(width: Nanos, most_bytes: usize) -> FrameSums {
        FrameSums { grouping: Grouping::Alike, ..FrameSums::new(width, most_bytes) }
    }

    /// The interval a frame belongs to: the first and the last of the events of an input are cut to
    /// what was observed, and belong to the whole one. A frame that reaches into the next one belongs to
    /// none: intervals that begin at other moments are not added up.
    fn interval(&self, frame: &Frame) -> (Timestamp, Timestamp) {
        let width = i64::try_from(self.width.as_nanos()).unwrap_or(0);
        let cut = frame.counts.is_time_placed() && frame.length() <= self.width && width > 0;
        if !cut {
            return (frame.start, frame.end);
        }
        let past = frame.start.as_nanos().rem_euclid(width);
        let start = frame.start.minus(Nanos::new(past.unsigned_abs()));
        let end = start.plus(self.width);
        if frame.end > end { (frame.start, frame.end) } else { (start, end) }
    }

    /// Takes a frame.
    pub fn add(&mut self, frame: Frame) {
        let (start, end) = self.interval(&frame);
        let whole = self.grouping == Grouping::AlikeAndWhole;
        let frame = if whole { self.completed(frame, (start, end)) } else { frame };
        let key = if whole { (frame.start, frame.end) } else { (start, end) };
        self.is_split |= self.handed_on.is_some_and(|latest| key.0 <= latest);
        let parts = self.frames.entry((key.0, key.1, frame.series.clone())).or_default();
        let alike = |sum: &&mut Frame| self.grouping == Grouping::All || are_alike(sum, &frame);
        let Some(sum) = parts.iter_mut().find(alike) else {
            self.bytes += bytes(&frame);
            return parts.push(frame);
        };
        let before = bytes(sum);
        (sum.start, sum.end) = (sum.start.min(frame.start), sum.end.max(frame.end));
        sum.quality = together(sum.quality, frame.quality);
        if !frame.is_gap() {
            sum.counts.add(&frame.counts);
        }
        self.bytes = self.bytes.saturating_sub(before) + bytes(sum);
    }

    /// A frame with the whole interval it belongs to. Where nothing ended before the first event there is
    /// only what waited then: that stays in the time it is known of.
    fn completed(&mut self, mut frame: Frame, interval: (Timestamp, Timestamp)) -> Frame {
        let part = (frame.start, frame.end);
        if part != interval && frame.counts.events() > 0 {
            (frame.start, frame.end) = interval;
            if frame.quality == Quality::Complete {
                frame.quality = Quality::Partial(Partial::UnknownWindow);
                let observed = ObservedPart { interval, series: frame.series.clone(), part };
                if self.observed.insert(observed) {
                    self.bytes += OBSERVED_BYTES;
                }
            }
        }
        frame
    }

    /// How much was observed of intervals that frames were given whole, of what was handed on since this was
    /// asked last.
    pub fn take_observed(&mut self) -> BTreeSet<ObservedPart> {
        self.bytes = self.bytes.saturating_sub(self.observed.len() * OBSERVED_BYTES);
        std::mem::take(&mut self.observed)
    }

    /// Whether no more may be added before something is handed on.
    pub fn is_full(&self) -> bool {
        self.bytes >= self.most_bytes
    }

    /// What is added up so far, in the order of time, but for the intervals that begin last, if there are
    /// others: inputs that come in the order of time add to these only.
    pub fn hand_on(&mut self) -> Vec<Frame> {
        let starts = |frames: &BTreeMap<(Timestamp, Timestamp, Series), Vec<Frame>>| {
            let (earliest, latest) = (frames.first_key_value()?, frames.last_key_value()?);
            Some((earliest.0.0, latest.0.0))
        };
        let kept = match starts(&self.frames) {
            Some((earliest, latest)) if earliest < latest => {
                let from = (latest, Timestamp::new(i64::MIN), Series::named(""));
                self.frames.split_off(&from)
            }
            _ => BTreeMap::new(),
        };
        self.handed_on = self.handed_on.max(starts(&self.frames).map(|(_, latest)| latest));
        let frames = self.take();
        let kept_bytes: usize = kept.values().flatten().map(bytes).sum();
        self.bytes = kept_bytes + self.observed.len() * OBSERVED_BYTES;
        self.frames = kept;
        frames
    }

    /// Whether an interval is in parts, because something came for it after it was handed on.
    pub fn is_split(&self) -> bool {
        self.is_split
    }

    /// Everything added up, in the order of time.
    pub fn take(&mut self) -> Vec<Frame> {
        self.bytes = self.observed.len() * OBSERVED_BYTES;
        std::mem::take(&mut self.frames).into_values().flatten().collect()
    }
}

/// Whether nothing is lost when two frames are added.
fn are_alike(one: &Frame, other: &Frame) -> bool {
    let known = |frame: &Frame| {
        let counts = &frame.counts;
        let sums = (counts.sum().is_some(), counts.partly_known_sum().is_some());
        (frame.quality, sums, counts.has_waited_ns(), counts.length_error())
    };
    known(one) == known(other) && one.counts.scheme() == other.counts.scheme()
}

/// The memory that a frame takes among others, about: its counts and times are held from the first
/// bucket with any to the last.
fn bytes(frame: &Frame) -> usize {
    const ENTRY: usize = 2 * size_of::<Frame>();
    ENTRY + frame.counts.occupied_range().len() * 2 * size_of::<u64>()
}

/// The memory that the part of an interval takes that was observed, about.
const OBSERVED_BYTES: usize = 320;

/// How much of an interval is reported by the counts of two inputs.
fn together(one: Quality, other: Quality) -> Quality {
    match (one, other) {
        // Time that became known later belongs to the interval as it was given.
        (Quality::Amendment, known) | (known, Quality::Amendment) => known,
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
    use isotherm_frame::{Binner, BinnerLimits, Gap, Histogram, Scheme};

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

    /// Two rows of one second each, the second half a second later: no second holds both.
    #[test]
    fn intervals_that_begin_at_other_moments_stay_apart() {
        let at = |ms: i64| Timestamp::new(ms * 1_000_000);
        let placed = |from: i64, to: i64| {
            let counts = frame("a", 0, &[100], Quality::Complete).counts;
            let counts = counts.with_waited(vec![0; Scheme::log_linear().buckets()], true).unwrap();
            Frame { start: at(from), end: at(to), counts, ..frame("a", 0, &[], Quality::Complete) }
        };
        let mut sums = FrameSums::new(Nanos::SECOND, 1 << 20);
        for (from, to) in [(0, 1_000), (500, 1_500), (300, 1_000), (0, 700), (500, 1_500)] {
            sums.add(placed(from, to));
        }
        let found: Vec<_> =
            sums.take().iter().map(|f| (f.start, f.end, f.counts.events())).collect();
        assert_eq!(found, [(at(0), at(1_000), 3), (at(500), at(1_500), 2)]);
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
            let frames = sums.hand_on();
            // The last second may not be over.
            assert_eq!((frames.len(), sums.is_full()), (held, false));
            sums.add(frame("a", i64::try_from(held).unwrap(), &[100], Quality::Complete));
            assert!(!sums.is_split());
            assert_eq!(sums.take()[0].counts.events(), 2);
            sums.add(frame("a", 3, &[100], Quality::Complete));
            assert!(sums.is_split());
            held
        };
        let (little, twice) = (full_after(50_000), full_after(100_000));
        assert!((10..500).contains(&little), "{little}");
        assert!(twice.abs_diff(2 * little) <= 2, "{little} {twice}");
    }

    /// The intervals of an input with events of 1 ms that end at these moments, in milliseconds.
    fn input(ends_ms: &[u64]) -> Vec<Frame> {
        let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
        for ms in ends_ms {
            let at = Timestamp::new(0).plus(Nanos::from_millis(*ms));
            binner.record(at, &Series::named("a"), Nanos::from_millis(1));
        }
        let mut frames = Vec::new();
        binner.finish(&mut |frame| frames.push(frame));
        frames
    }

    #[test]
    fn sums_of_whole_intervals_are_those_of_each_input_alone() {
        let inputs = [
            input(&[1_200, 2_500, 2_600, 3_200]),
            input(&[3_500, 4_100, 5_100]),
            input(&[2_700, 3_100, 3_900, 4_500]),
        ];
        let summed = |inputs: &[Vec<Frame>]| {
            let mut sums = FrameSums::of_whole_intervals(Nanos::SECOND, 1 << 20);
            inputs.iter().flatten().cloned().for_each(|frame| sums.add(frame));
            sums.take()
        };
        // How many events of each quality are in each second, and their time.
        let table = |frames: Vec<Frame>| {
            let mut table: BTreeMap<(Timestamp, Timestamp, String), (u64, u64)> = BTreeMap::new();
            for frame in frames {
                let key = (frame.start, frame.end, frame.quality.to_string());
                let row = table.entry(key).or_default();
                row.0 += frame.counts.events();
                row.1 += frame.counts.sum().unwrap().as_nanos();
            }
            table
        };
        let alone = inputs.iter().flat_map(|input| summed(std::slice::from_ref(input)));
        let together = table(summed(&inputs));
        assert_eq!(together, table(alone.collect()));
        // Second 3 is known in part of two inputs, and as a whole of the third.
        let third = together.iter().filter(|((start, ..), _)| start.as_nanos() == 3_000_000_000);
        let third: Vec<_> =
            third.map(|((.., quality), (events, _))| (quality.as_str(), *events)).collect();
        assert_eq!(third, [("complete", 2), ("unknown window", 2)]);
    }

    /// Time that became known later is added to an interval, which stays what it was.
    #[test]
    fn an_amended_interval_is_an_interval() {
        let (whole, later) = (Quality::Complete, Quality::Amendment);
        for order in [[whole, later], [later, whole]] {
            let mut sums = FrameSums::default();
            for quality in order {
                sums.add(frame("a", 1, &[], quality));
            }
            let found: Vec<Quality> = sums.take().into_iter().map(|frame| frame.quality).collect();
            assert_eq!(found, [whole]);
        }
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
