//! Single events become intervals, in bounded memory and without losing one.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

use isotherm_frame::{
    Assembler, Binner, BinnerLimits, Frame, Histogram, Nanos, Output, Quality, Reading, Scheme,
    Series, Timestamp,
};
use proptest::prelude::*;

fn at_ms(ms: i64) -> Timestamp {
    Timestamp::new(ms * 1_000_000)
}

fn events(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.counts.events()).sum()
}

#[test]
fn intervals_are_aligned_and_silent_ones_are_zero_not_missing() {
    let read = Series::named("read");
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    for ms in [1_200, 1_900, 4_100] {
        assert!(!binner.record(at_ms(ms), &read, Nanos::from_micros(50)));
    }
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    let counted: Vec<(Timestamp, u64)> =
        frames.iter().map(|frame| (frame.start, frame.counts.events())).collect();
    assert_eq!(
        counted,
        [(at_ms(1_000), 2), (at_ms(2_000), 0), (at_ms(3_000), 0), (at_ms(4_000), 1)]
    );
    assert!(frames.iter().all(|frame| frame.quality == Quality::Complete));
    assert_eq!(frames[0].counts.sum(), Some(Nanos::from_micros(100)));
}

#[test]
fn sparse_events_leave_no_hole_in_time() {
    let (read, write) = (Series::named("read"), Series::named("write"));
    let mut binner = Binner::new(Nanos::from_millis(1), BinnerLimits::cells(2_048));
    for second in 0..60 {
        binner.record(at_ms(second * 1_000), &read, Nanos::new(5));
        binner.record(at_ms(second * 1_000 + 7), &write, Nanos::new(5));
    }
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    assert_eq!(events(&frames), 120);
    for series in [&read, &write] {
        let own: Vec<&Frame> = frames.iter().filter(|frame| frame.series == *series).collect();
        assert!(own.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(own.len() <= 2_048 && own.len() > 1_024, "as fine as there is room for");
    }
    // The first and the last moment there are: one interval is half of all time.
    let mut binner = Binner::new(Nanos::new(1), BinnerLimits::cells(16));
    for at in [i64::MIN, 0, i64::MAX] {
        binner.record(Timestamp::new(at), &read, Nanos::new(5));
    }
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    assert_eq!(events(&frames), 3);
}

#[test]
fn a_live_view_gets_finished_intervals_and_late_events_are_kept() {
    let read = Series::named("read");
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    binner.record(at_ms(100), &read, Nanos::new(5));
    assert_eq!(binner.finish_until(at_ms(900)), []);
    assert_eq!(events(&binner.finish_until(at_ms(2_500))), 1);
    let late = binner.record(at_ms(300), &read, Nanos::new(5));
    assert!(late);
    let frames = binner.finish_until(at_ms(3_000));
    assert_eq!(frames.len(), 1);
    assert_eq!((frames[0].start, events(&frames)), (at_ms(2_000), 1));
}

#[test]
fn too_many_intervals_become_longer_ones() {
    let read = Series::named("read");
    let mut binner = Binner::new(Nanos::from_millis(1), BinnerLimits::cells(16));
    for ms in 0..1_000 {
        binner.record(at_ms(ms), &read, Nanos::new(7));
    }
    assert_eq!(binner.width(), Nanos::from_millis(64));
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    assert_eq!(frames.len(), 16);
    assert_eq!(events(&frames), 1_000);
}

#[test]
fn memory_is_bounded_in_bytes_whatever_the_number_of_series() {
    let limits = BinnerLimits { max_cells: 1 << 18, max_intervals: 1 << 10, max_bytes: 100_000 };
    let mut binner = Binner::new(Nanos::SECOND, limits);
    let series: Vec<Series> = (0..20).map(|n| Series::named(format!("s{n}"))).collect();
    for second in 0..1_000 {
        for one in &series {
            binner.record(at_ms(second * 1_000), one, Nanos::from_micros(100));
        }
    }
    // Packed, an interval of one event takes about 100 bytes: 20 series have room for 50 each.
    assert_eq!(binner.width(), Nanos::from_millis(32_000));
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    assert_eq!(events(&frames), 20_000);
    assert!(frames.is_sorted_by_key(|frame| (frame.start, frame.series.clone())));
}

#[test]
fn a_jump_of_years_makes_no_flood_of_empty_intervals() {
    let read = Series::named("read");
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::cells(64));
    binner.record(at_ms(0), &read, Nanos::new(7));
    binner.record(at_ms(1_000_000_000_000), &read, Nanos::new(7));
    let frames = binner.finish_until(at_ms(1_000_000_001_000));
    assert_eq!((frames.len(), events(&frames)), (2, 2));
}

proptest! {
    /// Any events in any order, with any limit, flushed at any time: each is in exactly one frame.
    #[test]
    fn no_event_is_lost(
        given in prop::collection::vec((0_i64..100_000, 0_u8..4, 0_u64..1 << 44), 0..300),
        limit in 4_usize..64,
        max_bytes in prop::sample::select(vec![usize::MAX, 3_000, 600]),
        flush in prop::collection::vec(0_i64..100_000, 0..4),
    ) {
        let limits = BinnerLimits { max_bytes, ..BinnerLimits::cells(limit) };
        let mut assembler = Assembler::new(Nanos::from_millis(10), limits);
        let mut frames = Vec::new();
        let mut collect = |output| {
            if let Output::Frame(frame) = output {
                frames.push(frame);
            }
        };
        let series: Vec<Series> = (0..4).map(|n| Series::named(format!("s{n}"))).collect();
        let total: u64 = given.iter().map(|(_, _, latency)| latency).sum();
        let mut flushes = flush.iter();
        for (index, (ms, slot, latency)) in given.iter().enumerate() {
            let series = series[usize::from(*slot)].clone();
            let latency = Nanos::new(*latency);
            assembler.push(Reading::Event { at: at_ms(*ms), series, latency }, &mut collect);
            if index % 50 == 49 {
                flushes.next().into_iter().for_each(|ms| assembler.finish_until(at_ms(*ms), &mut collect));
            }
        }
        assembler.finish(&mut collect);
        prop_assert_eq!(events(&frames), given.len() as u64);
        let waited: u64 = frames.iter().map(|frame| frame.counts.sum().unwrap().as_nanos()).sum();
        prop_assert_eq!(waited, total);
        // Each in its own bucket, however often its interval was packed and opened again.
        let mut direct = Histogram::empty(Scheme::log_linear());
        for (_, _, latency) in &given {
            direct.record(Nanos::new(*latency));
        }
        let merged = Histogram::merged(frames.iter().map(|frame| &frame.counts));
        prop_assert_eq!(merged.map_or_else(Vec::new, |all| all.counts().to_vec()),
            if given.is_empty() { Vec::new() } else { direct.counts().to_vec() });
        prop_assert!(frames.iter().all(|frame| frame.start < frame.end));
    }
}
