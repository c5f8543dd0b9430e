//! A frame, packed.

use std::sync::Arc;

use isotherm_frame::{
    Frame, Histogram, Nanos, Quality, Scheme, Series, TimeRange, TimeWaited, Timestamp, leb128,
};

use crate::grid::aligned;

/// A frame with only its non-zero counts, packed: most take a few bytes.
#[derive(Clone, Debug)]
pub(crate) struct Compact {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) quality: Quality,
    scheme: Scheme,
    /// The first bucket with a count or time, and how many there are up to the last one.
    kept: (usize, usize),
    /// Of each bucket with a count or time, as unsigned LEB128 numbers: how many without either
    /// come before it, its count and, where it is known when time was waited, its nanoseconds.
    packed: Packed,
    total: Total,
    waited: Waited,
    /// How far from the true lengths those of the events may be.
    length_error: Nanos,
}

/// Bytes: a few in place, as most frames of many series need, more of them shared, and those of
/// frames that are not expected to change together in one piece.
#[derive(Clone, Debug)]
enum Packed {
    Few { length: u8, bytes: [u8; Packed::FEW] },
    Many(Arc<[u8]>),
    Part { of: Arc<[u8]>, from: u32, length: u32 },
}

impl Packed {
    const FEW: usize = 30;

    fn of(bytes: &[u8]) -> Packed {
        let mut few = [0; Packed::FEW];
        match (few.get_mut(..bytes.len()), u8::try_from(bytes.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(bytes);
                Packed::Few { length, bytes: few }
            }
            _ => Packed::Many(bytes.into()),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Packed::Few { length, bytes } => &bytes[..usize::from(*length)],
            Packed::Many(bytes) => bytes,
            Packed::Part { of, from, length } => {
                let from = *from as usize;
                of.get(from..from + *length as usize).unwrap_or_default()
            }
        }
    }
}

/// Puts the bytes of frames into one piece: thousands of small pieces that come and go leave holes in
/// memory that fit nothing else.
pub(crate) fn settle(frames: &mut [Compact]) {
    let mut all: Vec<u8> = Vec::new();
    let mut places: Vec<Option<(u32, u32)>> = Vec::with_capacity(frames.len());
    for frame in &*frames {
        let bytes = match &frame.packed {
            Packed::Few { .. } => None,
            Packed::Many(_) | Packed::Part { .. } => Some(frame.packed.bytes()),
        };
        let place = bytes.map(|bytes| (u32::try_from(all.len()), u32::try_from(bytes.len())));
        places.push(place.and_then(|(from, length)| from.ok().zip(length.ok())));
        all.extend_from_slice(bytes.unwrap_or_default());
    }
    let of: Arc<[u8]> = all.into();
    for (frame, place) in frames.iter_mut().zip(places) {
        if let Some((from, length)) = place {
            frame.packed = Packed::Part { of: Arc::clone(&of), from, length };
        }
    }
}

/// What is known of the total latency.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Total {
    Buckets,
    Exact(Nanos),
    Parts(Nanos),
}

/// What is known of the time waited.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Waited {
    /// Not when it was waited.
    Unplaced,
    /// The time of each bucket, and whether it is exact.
    Placed { exact: bool },
}

impl Waited {
    fn is_placed(self) -> bool {
        matches!(self, Waited::Placed { .. })
    }
}

impl Compact {
    pub(crate) fn new(frame: &Frame) -> Compact {
        Compact::of(&frame.counts, (frame.start, frame.end), frame.quality)
    }

    fn of(
        latencies: &Histogram,
        (start, end): (Timestamp, Timestamp),
        quality: Quality,
    ) -> Compact {
        let (run, placed) = (latencies.occupied_range(), latencies.has_waited_ns());
        let known = latencies.sum().map(Total::Exact);
        let known = known.or(latencies.partly_known_sum().map(Total::Parts));
        let exact = latencies.is_time_exact();
        Compact {
            start,
            end,
            quality,
            scheme: latencies.scheme().clone(),
            kept: (run.start, run.len()),
            packed: packed(latencies, placed),
            total: known.unwrap_or(Total::Buckets),
            waited: if placed { Waited::Placed { exact } } else { Waited::Unplaced },
            length_error: latencies.length_error(),
        }
    }

    /// How many counts are kept.
    pub(crate) fn cells(&self) -> usize {
        self.kept.1
    }

    /// The memory it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        /// What an allocation costs beside its bytes, and the counters of what is shared.
        const ALLOCATION: usize = 32;
        let apart = match &self.packed {
            Packed::Few { .. } => 0,
            Packed::Many(_) | Packed::Part { .. } => self.packed.bytes().len() + ALLOCATION,
        };
        size_of::<Compact>() + apart
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.kept.1 == 0 && self.quality == Quality::Complete
    }

    /// Takes in the frame after it if both are silent.
    pub(crate) fn extend_silence(&mut self, next: &Compact) -> bool {
        let silent = self.is_silent() && next.is_silent() && self.scheme == next.scheme;
        let follows = silent && self.end == next.start;
        self.end = if follows { next.end } else { self.end };
        follows
    }

    /// Where it begins and ends.
    pub(crate) fn span(&self) -> (Timestamp, Timestamp) {
        (self.start, self.end)
    }

    /// What of it, a frame of this series, lies in a range of time.
    pub(crate) fn placed(
        &self,
        series: &Series,
        range: &TimeRange,
    ) -> Option<(Timestamp, Timestamp)> {
        let cuts = |end: Option<Timestamp>| end.is_some_and(|end| self.is_cut_at(end));
        let is_cut = cuts(range.from) || cuts(range.to);
        range.place(self.span(), is_cut && self.frame(series).is_divisible())
    }

    /// Whether a moment lies within it, not at one of its ends.
    pub(crate) fn is_cut_at(&self, moment: Timestamp) -> bool {
        self.start < moment && moment < self.end
    }

    /// The same of a frame that overlaps `from..to`: of silence, the part that lies there.
    pub(crate) fn span_within(&self, from: Timestamp, to: Timestamp) -> (Timestamp, Timestamp) {
        let silent = self.is_silent();
        if silent { (self.start.max(from), self.end.min(to)) } else { self.span() }
    }

    /// Takes in the counts of the interval after it: `false`, and nothing is changed, if that does
    /// not follow at once, counts in other buckets, or one of the two is a gap.
    pub(crate) fn extend(&mut self, next: &Compact) -> bool {
        let gap = |frame: &Compact| matches!(frame.quality, Quality::Gap(_));
        if self.end != next.start || self.scheme != next.scheme || gap(self) || gap(next) {
            return false;
        }
        // Whether time was counted where it ended would be forgotten.
        if self.waited.is_placed() != next.waited.is_placed() && self.kept.1 > 0 && next.kept.1 > 0
        {
            return false;
        }
        let quality = if self.quality == next.quality { self.quality } else { Quality::Complete };
        let both = self.histogram().merge(&next.histogram());
        *self = Compact::of(&both, (self.start, next.end), quality);
        true
    }

    /// Takes in time that was waited in it.
    pub(crate) fn amend(&mut self, time: &Histogram) {
        let both = self.histogram().merge(time);
        *self = Compact::of(&both, (self.start, self.end), self.quality);
    }

    fn histogram(&self) -> Histogram {
        let (counts, times) = self.unpacked();
        let (first, empty) = (self.kept.0, Histogram::empty(self.scheme.clone()));
        let sum = if let Total::Exact(sum) = self.total { Some(sum) } else { None };
        let counts = Histogram::of_buckets(self.scheme.clone(), (first, counts), sum);
        let counts = counts.map(|counts| match self.total {
            Total::Parts(sum) => counts.with_partly_known_sum(sum),
            Total::Buckets | Total::Exact(_) => counts,
        });
        let whole = counts.and_then(|counts| match self.waited {
            Waited::Placed { exact } => counts.with_waited_in((first, times), exact),
            Waited::Unplaced => Ok(counts),
        });
        whole.unwrap_or(empty).with_length_error(self.length_error)
    }

    /// The time waited, without the counts being unpacked where that can be avoided.
    pub(crate) fn time_waited(&self) -> TimeWaited {
        let of = |sum: Nanos, exact| TimeWaited { seconds: sum.as_secs_f64(), exact };
        match (self.waited, self.total) {
            (Waited::Unplaced, Total::Exact(sum)) => of(sum, true),
            (Waited::Unplaced, Total::Parts(sum)) => of(sum, false),
            _ if self.kept.1 == 0 => of(Nanos::ZERO, true),
            _ => self.histogram().time_waited(),
        }
    }

    /// The count and the nanoseconds of each bucket that is kept, and of those between; without the
    /// latter where they are not known.
    fn unpacked(&self) -> (Vec<u64>, Vec<u64>) {
        let placed = matches!(self.waited, Waited::Placed { .. });
        let mut counts = vec![0; self.kept.1];
        let mut times = vec![0; if placed { counts.len() } else { 0 }];
        let mut numbers = leb128::numbers(self.packed.bytes());
        let mut next = 0_usize;
        while let Some((without, count)) = numbers.next().zip(numbers.next()) {
            let index = next.saturating_add(usize::try_from(without).unwrap_or(usize::MAX));
            counts.get_mut(index).into_iter().for_each(|place| *place = count);
            if placed {
                let ns = numbers.next().unwrap_or_default();
                times.get_mut(index).into_iter().for_each(|place| *place = ns);
            }
            next = index.saturating_add(1);
        }
        (counts, times)
    }

    pub(crate) fn frame(&self, series: &Series) -> Frame {
        let (start, end, quality) = (self.start, self.end, self.quality);
        Frame { series: series.clone(), start, end, counts: self.histogram(), quality }
    }
}

/// Takes a frame into the one before it where both lie in one interval of this length.
pub(crate) fn joined(last: &mut Compact, next: &Compact, column_ns: u64) -> bool {
    let amends = |frame: &Compact| frame.quality == Quality::Amendment;
    let cell = aligned(next.start, column_ns, 0);
    column_ns > 0
        && !amends(last)
        && !amends(next)
        && aligned(last.start, column_ns, 0) == cell
        && next.end.since(cell).as_nanos() <= column_ns
        && last.extend(next)
}

fn packed(latencies: &Histogram, placed: bool) -> Packed {
    let run = latencies.occupied_range();
    let mut bytes = Vec::with_capacity(4 * run.len());
    let mut next = run.start;
    for index in run {
        let ns = if placed { latencies.waited_in(index) } else { 0 };
        let count = latencies.count(index);
        if count > 0 || ns > 0 {
            leb128::push(&mut bytes, (index - next) as u64);
            leb128::push(&mut bytes, count);
            if placed {
                leb128::push(&mut bytes, ns);
            }
            next = index + 1;
        }
    }
    Packed::of(&bytes)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Random;

    use super::*;

    /// Counts in some of the buckets of a scheme, and time in some, whichever they are.
    fn given(random: &mut Random, filled: usize, placed: bool) -> Histogram {
        let scheme = Scheme::log_linear();
        let (mut counts, mut times) = (vec![0; scheme.buckets()], vec![0; scheme.buckets()]);
        for _ in 0..filled {
            let buckets = scheme.buckets();
            let mut place = || random.index(buckets);
            let (counted, with_time) = (place(), place());
            counts[counted] = random.next() >> random.below(64);
            times[with_time] = random.next() >> 8;
        }
        let histogram = Histogram::new(scheme, counts, None).unwrap();
        if placed { histogram.with_waited(times, true).unwrap() } else { histogram }
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        let mut random = Random::new(7);
        for round in 0..400 {
            let counts = given(&mut random, round % 20, round % 2 == 0);
            let (start, end) = (Timestamp::new(5), Timestamp::new(9));
            let (series, quality) = (Series::named("x"), Quality::Complete);
            let frame = Frame { series: series.clone(), start, end, counts, quality };
            let compact = Compact::new(&frame);
            assert_eq!(compact.frame(&series), frame, "{round}");
        }
    }

    #[test]
    fn frames_whose_bytes_are_in_one_piece_are_the_same_frames() {
        let mut random = Random::new(11);
        let series = Series::named("x");
        let mut compacts: Vec<Compact> = (0..40)
            .map(|number| {
                let counts = given(&mut random, number % 20, number % 3 == 0);
                let ends = (Timestamp::new(5), Timestamp::new(9));
                Compact::of(&counts, ends, Quality::Complete)
            })
            .collect();
        let frames_of = |compacts: &[Compact]| -> Vec<(Frame, usize)> {
            compacts.iter().map(|compact| (compact.frame(&series), compact.bytes())).collect()
        };
        let before = frames_of(&compacts);
        settle(&mut compacts[..30]);
        assert_eq!(frames_of(&compacts), before);
        // Some of them once more, together with others.
        settle(&mut compacts[20..]);
        assert_eq!(frames_of(&compacts), before);
    }

    #[test]
    fn a_few_events_take_no_memory_apart() {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for us in [90, 100, 5_000, 70_000] {
            counts.record(Nanos::from_micros(us));
        }
        let (start, end) = (Timestamp::new(0), Timestamp::new(1));
        let compact = Compact::of(&counts, (start, end), Quality::Complete);
        assert_eq!(compact.bytes(), size_of::<Compact>());
        assert!(size_of::<Compact>() <= 128, "{}", size_of::<Compact>());
    }
}
