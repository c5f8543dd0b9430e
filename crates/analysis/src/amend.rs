//! Time that was waited in intervals given before it was known.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::Excluded;

use isotherm_frame::{Frame, Histogram, Series, Timestamp};

/// Adds each amendment to the intervals of its series in which the time was waited, in proportion
/// to how long it was in each: what is left are whole intervals, in the order given. An amendment
/// that no interval covers stays as it is.
pub fn amend(frames: Vec<Frame>) -> Vec<Frame> {
    let (amendments, whole): (Vec<Frame>, Vec<Frame>) =
        frames.into_iter().partition(Frame::is_amendment);
    if amendments.is_empty() {
        return whole;
    }
    let mut whole = divided(whole, &amendments);
    let mut order: Vec<usize> = (0..whole.len()).filter(|&index| !whole[index].is_gap()).collect();
    order.sort_by(|&one, &two| {
        let key = |index: usize| (&whole[index].series, whole[index].start);
        key(one).cmp(&key(two))
    });
    let mut rest = Vec::new();
    for amendment in amendments {
        let from = order.partition_point(|&index| {
            let frame = &whole[index];
            (&frame.series, frame.end) <= (&amendment.series, amendment.start)
        });
        let touched: Vec<usize> = order[from..]
            .iter()
            .copied()
            .take_while(|&index| {
                whole[index].series == amendment.series && whole[index].start < amendment.end
            })
            .collect();
        if touched.is_empty() {
            rest.push(amendment);
            continue;
        }
        let ends: Vec<Timestamp> = touched.iter().map(|&index| whole[index].end).collect();
        for (index, part) in touched.into_iter().zip(parts(&amendment, &ends)) {
            whole[index].counts.add(&part);
        }
    }
    whole.append(&mut rest);
    whole
}

/// Intervals, those in which nothing ended divided where an amendment of their series begins or ends:
/// silence is one interval however long it lasts, and the time was not waited in all of it.
fn divided(whole: Vec<Frame>, amendments: &[Frame]) -> Vec<Frame> {
    let mut edges: BTreeMap<&Series, BTreeSet<Timestamp>> = BTreeMap::new();
    for amendment in amendments {
        edges.entry(&amendment.series).or_default().extend([amendment.start, amendment.end]);
    }
    let mut all = Vec::with_capacity(whole.len());
    for mut frame in whole {
        let edges = edges.get(&frame.series).filter(|_| frame.is_divisible());
        let inside = (Excluded(frame.start), Excluded(frame.end));
        let inside = edges.filter(|_| frame.start < frame.end).map(|edges| edges.range(inside));
        for &edge in inside.into_iter().flatten() {
            let (start, end) = (frame.start, frame.end);
            all.push(frame.clone().part((start, edge)));
            frame = frame.part((edge, end));
        }
        all.push(frame);
    }
    all
}

/// An amendment divided among intervals that follow each other, in proportion to how long it was in
/// each: the last one of them, by their ends, has what is left.
pub(crate) fn parts(amendment: &Frame, ends: &[Timestamp]) -> Vec<Histogram> {
    let length = amendment.length().as_nanos();
    let mut from = 0;
    let part = |(place, &end): (usize, &Timestamp)| {
        let to = end.min(amendment.end).since(amendment.start).as_nanos().max(from);
        let to = if place + 1 == ends.len() { length } else { to };
        let part = amendment.counts.part((from, to), length);
        from = to;
        part
    };
    ends.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Binner, BinnerLimits, Nanos, Series};

    use super::*;

    #[test]
    fn what_was_watched_live_is_afterwards_what_a_file_says() {
        let at_ms = |ms: i64| Timestamp::new(ms * 1_000_000);
        let waits = [(1_500, 300), (2_200, 1_900), (7_300, 4_800), (9_100, 50)];
        let (series, limits) = (Series::named("lock"), BinnerLimits::default());
        let mut live = Binner::new(Nanos::SECOND, limits);
        let mut whole = Binner::new(Nanos::SECOND, limits);
        let (mut frames, mut expected) = (Vec::new(), Vec::new());
        for binner in [&mut live, &mut whole] {
            binner.observe(at_ms(0), at_ms(10_000));
        }
        for (end, length) in waits {
            frames.extend(live.finish_until(at_ms(end - 1)));
            live.record(at_ms(end), &series, Nanos::from_millis(length));
            whole.record(at_ms(end), &series, Nanos::from_millis(length));
        }
        live.finish(&mut |frame| frames.push(frame));
        whole.finish(&mut |frame| expected.push(frame));
        assert!(frames.iter().any(Frame::is_amendment));
        let amended = amend(frames);
        let waited = |frames: &[Frame], from: i64| -> f64 {
            let inside =
                frames.iter().filter(|f| f.start >= at_ms(from) && f.end <= at_ms(from + 1_000));
            inside.map(|frame| frame.counts.time_waited().seconds).sum()
        };
        for second in 0..10 {
            let (one, two) = (waited(&amended, second * 1_000), waited(&expected, second * 1_000));
            assert!((one - two).abs() < 1e-9, "second {second}: {one} {two}");
            assert!(one <= 1.0 + 1e-9 || second == 1);
        }
    }
}
