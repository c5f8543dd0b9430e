//! Single events become intervals, in bounded memory and without losing one.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

use isotherm_frame::{
    Anomaly, AnomalyKind, Assembler, Binner, BinnerLimits, Event, Frame, Histogram, LogLinear,
    Nanos, Quality, Reading, Scheme, Series, Timestamp,
};
use proptest::prelude::*;

fn at_ms(ms: i64) -> Timestamp {
    Timestamp::new(ms * 1_000_000)
}

fn events(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.counts.events()).sum()
}

fn finished(binner: &mut Binner) -> Vec<Frame> {
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    frames
}

/// Nanoseconds waited in all frames.
fn waited_ns(frames: &[Frame]) -> u64 {
    frames.iter().flat_map(|frame| frame.counts.waited_ns().unwrap()).sum()
}

#[test]
fn intervals_are_aligned_cut_to_what_was_observed_and_silent_ones_are_zero_not_missing() {
    let read = Series::named("read");
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    for ms in [1_200, 1_900, 4_100] {
        assert!(!binner.record(at_ms(ms), &read, Nanos::from_millis(50)).late);
    }
    let frames = finished(&mut binner);
    let counted: Vec<(Timestamp, u64)> =
        frames.iter().map(|frame| (frame.start, frame.counts.events())).collect();
    // The first wait begins at 1.15 s. Between three ends there are two spaces, of 0.7 and 2.2 s; a
    // third one, like the shorter of them, belongs to them: 3.6 s, which ends at 4.75 s.
    let expected = [(at_ms(1_150), 2), (at_ms(2_000), 0), (at_ms(3_000), 0), (at_ms(4_000), 1)];
    assert_eq!(counted, expected);
    let off = frames[3].end.since(at_ms(4_650)).max(at_ms(4_850).since(frames[3].end));
    assert!(off <= Nanos::from_millis(200), "{frames:?}");
    assert!(frames.iter().all(|frame| frame.quality == Quality::Complete));
    assert_eq!(frames[0].counts.sum(), Some(Nanos::from_millis(100)));
}

/// Two of a hundred events are asked for, side by side in the middle: what is known of them is known of
/// the 100 s in which all were observed.
#[test]
fn the_time_observed_is_that_of_all_events_also_of_those_not_asked_for() {
    let fsync = Series::named("fsync");
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    for second in 1..=100 {
        match second {
            50 | 51 => drop(binner.record(at_ms(second * 1_000), &fsync, Nanos::from_millis(1))),
            _ => binner.pass_over(at_ms(second * 1_000), Nanos::from_millis(1)),
        }
    }
    let frames = finished(&mut binner);
    assert_eq!(events(&frames), 2);
    let (first, last) = (frames.first().unwrap(), frames.last().unwrap());
    assert_eq!(first.start, at_ms(999));
    // 100 events a second apart stand for 100 s.
    assert!((99_000..=101_000).contains(&(last.end.as_nanos() / 1_000_000 - 999)), "{last:?}");
    assert!(frames.windows(2).all(|pair| pair[0].end == pair[1].start), "without a hole");
}

#[test]
fn sparse_events_leave_no_hole_in_time_and_silence_costs_nothing() {
    let (read, write) = (Series::named("read"), Series::named("write"));
    let mut binner = Binner::new(Nanos::from_millis(1), BinnerLimits::cells(2_048));
    for second in 0..60 {
        binner.record(at_ms(second * 1_000), &read, Nanos::new(5));
        binner.record(at_ms(second * 1_000 + 7), &write, Nanos::new(5));
    }
    assert_eq!(binner.width(), Nanos::from_millis(1));
    let frames = finished(&mut binner);
    assert_eq!(events(&frames), 120);
    for series in [&read, &write] {
        let own: Vec<&Frame> = frames.iter().filter(|frame| frame.series == *series).collect();
        assert!(own.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(own.len() <= 60 * 3 + 20, "{}", own.len());
    }
    // The first and the last moment there are: one interval is half of all time.
    let mut binner = Binner::new(Nanos::new(1), BinnerLimits::cells(16));
    for at in [i64::MIN, 0, i64::MAX] {
        binner.record(Timestamp::new(at), &read, Nanos::new(5));
    }
    assert_eq!(events(&finished(&mut binner)), 3);
}

#[test]
fn one_session_that_always_waits_is_one_session_in_every_interval() {
    for width_ms in [100, 1_000, 3_000, 10_000, 60_000] {
        let wait = Series::named("db file sequential read");
        let mut binner = Binner::new(Nanos::from_millis(width_ms), BinnerLimits::default());
        for n in 1..=60 {
            binner.record(at_ms(n * 5_000), &wait, Nanos::from_millis(5_000));
        }
        let frames = finished(&mut binner);
        assert_eq!((frames[0].start, frames.last().unwrap().end), (at_ms(0), at_ms(300_000)));
        assert_eq!(events(&frames), 60);
        for frame in frames {
            let waited = frame.counts.time_waited();
            assert!(waited.exact);
            assert!((waited.seconds - frame.length().as_secs_f64()).abs() < 1e-9, "{frame:?}");
        }
    }
}

/// Two waits of ten hours one after the other, of each of 8 series: 576,000 intervals of a second.
#[test]
fn a_table_has_each_interval_of_a_wait_and_no_more_of_them_than_cells() {
    const HOURS: i64 = 10 * 3_600_000;
    let wide = |cells: usize| {
        let limits = BinnerLimits { max_intervals: 1 << 22, ..BinnerLimits::cells(cells) };
        let mut binner = Binner::new(Nanos::SECOND, limits).for_table(Nanos::SECOND);
        for (number, end) in (0..8).flat_map(|number| [(number, 1), (number, 2)]) {
            let series = Series::named(format!("wait {number}"));
            binner.record(at_ms(end * HOURS), &series, Nanos::from_millis(HOURS.unsigned_abs()));
        }
        let frames = finished(&mut binner);
        (binner.width(), frames)
    };
    let (width, frames) = wide(1 << 20);
    assert_eq!((width, waited_ns(&frames)), (Nanos::SECOND, 16 * 36_000 * 1_000_000_000));
    assert!(frames.iter().all(|frame| frame.length() == Nanos::SECOND));
    // One more for the event that ends when the last interval is over.
    assert_eq!(frames.len(), 8 * (72_000 + 1));
    let (width, frames) = wide(1 << 19);
    assert!(width > Nanos::SECOND && frames.is_empty(), "{width}");
}

#[test]
fn time_of_a_wait_that_ends_later_amends_the_intervals_given_before() {
    let lock = Series::named("lock");
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    binner.observe(at_ms(0), at_ms(1_000));
    binner.record(at_ms(500), &lock, Nanos::from_millis(100));
    let mut frames = binner.finish_until(at_ms(10_000));
    assert_eq!(waited_ns(&frames), 100_000_000);
    // It began 2 s before measuring did.
    let recorded = binner.record(at_ms(10_500), &lock, Nanos::from_millis(12_500));
    assert_eq!(recorded.outside, Nanos::from_millis(2_000));
    let later = binner.finish_until(at_ms(11_000));
    let given: Vec<(Timestamp, Timestamp, u64, Quality)> = later
        .iter()
        .map(|frame| {
            let ms = waited_ns(std::slice::from_ref(frame)) / 1_000_000;
            (frame.start, frame.end, ms, frame.quality)
        })
        .collect();
    assert_eq!(
        given,
        [
            (at_ms(0), at_ms(1_000), 1_000, Quality::Amendment),
            (at_ms(1_000), at_ms(10_000), 9_000, Quality::Amendment),
            (at_ms(10_000), at_ms(11_000), 500, Quality::Complete),
        ]
    );
    frames.extend(later);
    assert_eq!(events(&frames), 2);
    assert_eq!(waited_ns(&frames), 10_600_000_000);
}

#[test]
fn a_live_view_gets_finished_intervals_and_late_events_are_kept() {
    let read = Series::named("read");
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::default());
    binner.record(at_ms(100), &read, Nanos::new(5));
    assert_eq!(binner.finish_until(at_ms(900)), []);
    assert_eq!(events(&binner.finish_until(at_ms(2_500))), 1);
    assert!(binner.record(at_ms(300), &read, Nanos::new(5)).late);
    let frames = binner.finish_until(at_ms(3_000));
    let given: Vec<(Timestamp, u64, Quality)> =
        frames.iter().map(|frame| (frame.start, frame.counts.events(), frame.quality)).collect();
    // Counted where there still is room, its time where it was waited.
    assert_eq!(
        given,
        [
            (at_ms(100).minus(Nanos::new(5)), 0, Quality::Amendment),
            (at_ms(2_000), 1, Quality::Complete)
        ]
    );
    assert_eq!(waited_ns(&frames), 5);
}

#[test]
fn too_many_intervals_become_longer_ones() {
    let read = Series::named("read");
    let mut binner = Binner::new(Nanos::from_millis(1), BinnerLimits::cells(16));
    for ms in 0..1_000 {
        binner.record(at_ms(ms).plus(Nanos::new(7)), &read, Nanos::new(7));
    }
    assert_eq!(binner.width(), Nanos::from_millis(64));
    let frames = finished(&mut binner);
    assert_eq!(frames.len(), 16);
    assert_eq!(events(&frames), 1_000);
}

#[test]
fn memory_is_bounded_in_bytes_whatever_the_number_of_series() {
    let limits =
        BinnerLimits { max_intervals: 1 << 10, max_bytes: 100_000, ..BinnerLimits::cells(1 << 18) };
    let mut binner = Binner::new(Nanos::SECOND, limits);
    let series: Vec<Series> = (0..20).map(|n| Series::named(format!("s{n}"))).collect();
    for second in 0..1_000 {
        for one in &series {
            binner.record(at_ms(second * 1_000 + 500), one, Nanos::from_micros(100));
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
    binner.record(at_ms(1), &read, Nanos::new(7));
    binner.record(at_ms(1_000_000_000_001), &read, Nanos::new(7));
    let frames = binner.finish_until(at_ms(1_000_000_001_000));
    assert_eq!((frames.len(), events(&frames)), (3, 2));
}

/// What an assembler gives for one event every 100 ms whose clock steps back once.
fn stepped_back(at_event: usize, by_ms: i64) -> (Vec<Frame>, Vec<AnomalyKind>) {
    let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let (mut frames, mut kinds) = (Vec::new(), Vec::new());
    let mut collect = |output| match output {
        Event::Frame(frame) => frames.push(frame),
        Event::Anomaly(anomaly) => kinds.push(anomaly.kind),
        other => panic!("an assembler gives no {other:?}"),
    };
    let (read, mut latest) = (Series::named("read"), 0);
    for event in 0..1_200 {
        let back = if event < at_event { 0 } else { by_ms };
        let ms = i64::try_from(event).unwrap() * 100 + 50 - back;
        latest = latest.max(ms);
        let (series, latency) = (read.clone(), Nanos::new(10));
        assembler.push(Reading::Event { at: at_ms(ms), series, latency }, &mut collect);
        assembler.finish_until(at_ms(latest - 1_000), &mut collect);
    }
    assembler.finish(&mut collect);
    (frames, kinds)
}

/// Ten events a second; after a minute the clock steps back by half a minute. Those that fall into
/// what was given before would make an interval of 200 events: they are accounted for instead.
#[test]
fn events_of_a_clock_that_steps_back_far_are_no_spike_and_are_counted() {
    let (frames, kinds) = stepped_back(600, 30_000);
    let most = frames.iter().map(|frame| frame.counts.events()).max();
    let unplaced: u64 = kinds
        .iter()
        .map(|kind| if let AnomalyKind::Unplaced(events) = kind { *events } else { 0 })
        .sum();
    assert_eq!(events(&frames) + unplaced, 1_200);
    // The last ten seconds before what is open may be out of order and are counted in one interval.
    assert!((180..=200).contains(&unplaced), "{unplaced}");
    assert!(most <= Some(130), "{most:?}");
    let backs = kinds.iter().filter(|kind| matches!(kind, AnomalyKind::ClockBack(_)));
    assert_eq!(backs.collect::<Vec<_>>(), [&AnomalyKind::ClockBack(Nanos::from_millis(29_900))]);
}

#[test]
fn events_a_little_out_of_order_are_all_in_intervals() {
    let (frames, kinds) = stepped_back(600, 3_000);
    assert_eq!(events(&frames), 1_200);
    // Those of the second from 57 s on, which had been given: they are reported together.
    let late = kinds.iter().map(|kind| match kind {
        AnomalyKind::LateEvents(events) => *events,
        other => panic!("{other}"),
    });
    let late: Vec<u64> = late.collect();
    assert_eq!(late, [10]);
}

#[test]
fn what_was_waited_more_than_a_day_before_the_end_is_told_and_time_waited_is_not_exact() {
    let hour_ms = 3_600_000;
    let waits = |hours: &[i64]| {
        let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        let (mut frames, mut told) = (Vec::new(), Vec::new());
        let mut take = |event| match event {
            Event::Frame(frame) => frames.push(frame),
            Event::Anomaly(anomaly) => told.push(anomaly.kind),
            other => panic!("{other:?}"),
        };
        for (at, hours) in hours.iter().enumerate() {
            let at = at_ms(1_000_000 * hour_ms + i64::try_from(at).unwrap() * 1_500);
            let latency = Nanos::from_millis(u64::try_from(hours * hour_ms).unwrap());
            assembler.event(at, &Series::named("x"), latency, &mut take);
        }
        assembler.finish(&mut take);
        let is_exact = frames.iter().all(|frame| frame.counts.is_time_exact());
        (waited_ns(&frames) / 3_600_000_000_000, is_exact, told)
    };
    assert_eq!(waits(&[1, 24, 1]), (26, true, vec![]));
    // 48 h and 30 h: 24 h and 6 h of them are in no interval.
    let days = AnomalyKind::WaitedDaysBefore(Nanos::from_millis(30 * 3_600_000));
    assert_eq!(waits(&[1, 48, 30]), (49, false, vec![days]));
}

proptest! {
    /// Any events in any order, with any limit, flushed at any time: each is in exactly one frame.
    #[test]
    fn no_event_is_lost(
        given in prop::collection::vec((0_i64..100_000, 0_u8..4, 0_u64..1 << 44), 0..300),
        limit in 4_usize..64,
        max_bytes in prop::sample::select(vec![usize::MAX, 3_000, 600]),
        flush in prop::collection::vec(0_i64..10_000, 0..4),
    ) {
        let limits = BinnerLimits { max_bytes, ..BinnerLimits::cells(limit) };
        let mut assembler = Assembler::new(Nanos::from_millis(10), limits);
        let mut frames = Vec::new();
        let mut outside = 0;
        let mut collect = |output| match output {
            Event::Frame(frame) => frames.push(frame),
            Event::Anomaly(Anomaly {
                kind: AnomalyKind::WaitedBefore(time) | AnomalyKind::WaitedDaysBefore(time), ..
            }) => {
                outside += time.as_nanos();
            }
            _ => {}
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
        let latencies: u64 = frames.iter().map(|frame| frame.counts.sum().unwrap().as_nanos()).sum();
        prop_assert_eq!(latencies, total);
        prop_assert_eq!(waited_ns(&frames) + outside, total);
        // Each in its own bucket, however often its interval was packed and opened again.
        let mut direct = Histogram::empty(Scheme::log_linear());
        for (_, _, latency) in &given {
            direct.record(Nanos::new(*latency));
        }
        let merged = Histogram::merged(frames.iter().map(|frame| &frame.counts));
        prop_assert_eq!(merged.map_or_else(Vec::new, |all| all.counts()),
            if given.is_empty() { Vec::new() } else { direct.counts() });
        prop_assert!(frames.iter().all(|frame| frame.start < frame.end));
    }

    /// Whatever sessions do, at whatever width: never more of them wait than there are, no time is
    /// lost, and the bucket of a wait is the same wherever its time lies.
    #[test]
    fn no_more_wait_than_there_are_sessions(
        sessions in prop::collection::vec(prop::collection::vec((0_u64..3_000, 0_u64..9_000), 1..20), 1..6),
        width_ms in 1_u64..20_000,
    ) {
        let limits = BinnerLimits::cells(1 << 16);
        let mut binner = Binner::new(Nanos::from_millis(width_ms), limits);
        let mut total = 0;
        for (number, waits) in sessions.iter().enumerate() {
            let series = Series::named(format!("session {number}"));
            let mut now_ms = 0;
            for (idle_ms, wait_ms) in waits {
                now_ms += idle_ms + wait_ms;
                total += wait_ms * 1_000_000;
                binner.record(at_ms(now_ms.cast_signed()), &series, Nanos::from_millis(*wait_ms));
            }
        }
        let frames = finished(&mut binner);
        prop_assert_eq!(waited_ns(&frames), total);
        for frame in &frames {
            let waited = waited_ns(std::slice::from_ref(frame));
            prop_assert!(waited <= frame.length().as_nanos(), "{:?}", frame);
        }
        // Per bucket, over all time: the latencies of the events counted there.
        let all = Histogram::merged(frames.iter().map(|frame| &frame.counts)).unwrap();
        let mut direct = vec![0; all.scheme().buckets()];
        for (_, wait_ms) in sessions.iter().flatten() {
            direct[LogLinear::EVENTS.index_of(Nanos::from_millis(*wait_ms))] += wait_ms * 1_000_000;
        }
        prop_assert_eq!(all.waited_ns().unwrap(), direct);
    }
}

#[test]
fn series_beyond_the_most_are_added_up_and_reported_once() {
    let limits = BinnerLimits { max_series: 3, ..BinnerLimits::default() };
    let mut assembler = Assembler::new(Nanos::SECOND, limits);
    let (mut frames, mut found) = (Vec::new(), Vec::new());
    let mut take = |output| match output {
        Event::Frame(frame) => frames.push(frame),
        Event::Anomaly(anomaly) => found.push(anomaly.kind),
        other => panic!("an assembler gives no {other:?}"),
    };
    for number in 0..40_i64 {
        let (series, latency) = (Series::named(format!("s{number}")), Nanos::from_millis(1));
        assembler.push(Reading::Event { at: at_ms(number), series, latency }, &mut take);
    }
    assembler.finish(&mut take);
    let of = |name: &str| -> u64 {
        let own = frames.iter().filter(|frame: &&Frame| frame.series.name() == name);
        own.map(|frame| frame.counts.events()).sum()
    };
    assert_eq!(["s0", "s1", "s2", "s3", "(other)"].map(of), [1, 1, 1, 0, 37]);
    assert_eq!(found.iter().filter(|kind| **kind == AnomalyKind::TooManySeries(3)).count(), 1);
}

#[test]
fn finished_intervals_beyond_the_most_series_are_added_up_too() {
    let limits = BinnerLimits { max_series: 2, ..BinnerLimits::default() };
    let mut assembler = Assembler::new(Nanos::SECOND, limits);
    let mut names = Vec::new();
    for number in 0..5_i64 {
        let mut counts = Histogram::empty(Scheme::log_linear());
        counts.record(Nanos::from_millis(1));
        let (start, end) = (at_ms(number * 1_000), at_ms(number * 1_000 + 1_000));
        let series = Series::named(format!("s{number}"));
        let frame = Frame { series, start, end, counts, quality: Quality::Complete };
        assembler.push(Reading::Delta(frame), &mut |output| {
            if let Event::Frame(frame) = output {
                names.push(frame.series.name().to_owned());
            }
        });
    }
    assert_eq!(names, ["s0", "s1", "(other)", "(other)", "(other)"]);
}

#[test]
fn running_totals_beyond_the_most_series_are_left_out_and_counted() {
    let limits = BinnerLimits { max_series: 2, ..BinnerLimits::default() };
    let mut assembler = Assembler::new(Nanos::SECOND, limits);
    let (mut names, mut kinds) = (Vec::new(), Vec::new());
    let mut take = |output| match output {
        Event::Frame(frame) => names.push(frame.series.name().to_owned()),
        Event::Anomaly(anomaly) => kinds.push(anomaly.kind),
        other => panic!("an assembler gives no {other:?}"),
    };
    for print in 0..3 {
        for series in 0..5 {
            let (at, series) = (at_ms(print * 1_000), Series::named(format!("s{series}")));
            let total = Histogram::empty(Scheme::log_linear());
            assembler.push(Reading::Cumulative { at, series, total, epoch: None }, &mut take);
        }
    }
    assembler.finish(&mut take);
    assert_eq!(names, ["s0", "s1", "s0", "s1"]);
    // Three series of each of three prints.
    assert_eq!(kinds, [AnomalyKind::TooManySeries(2), AnomalyKind::TotalsLeftOut(9)]);
}

#[test]
fn many_intervals_are_given_in_the_order_of_time_and_all_of_them() {
    let mut binner = Binner::new(Nanos::SECOND, BinnerLimits::cells(1 << 20));
    let series: Vec<Series> = (0..100).map(|n| Series::named(format!("s{n:03}"))).collect();
    for second in 0..2_000_i64 {
        for (number, series) in series.iter().enumerate() {
            // The last ten speak every 500 seconds.
            if number < 90 || second % 500 == 7 {
                binner.record(at_ms(second * 1_000 + 500), series, Nanos::from_millis(2));
            }
        }
    }
    let mut frames = Vec::new();
    binner.finish(&mut |frame| frames.push(frame));
    assert_eq!(events(&frames), 90 * 2_000 + 10 * 4);
    assert!(frames.is_sorted_by_key(|frame| (frame.start, frame.series.clone())));
    for series in &series {
        let own: Vec<&Frame> = frames.iter().filter(|frame| frame.series == *series).collect();
        assert!(own.windows(2).all(|pair| pair[0].end == pair[1].start), "{series}");
    }
}

/// A burst of 200/s for five seconds in 20/s of 20 ms, stamped with whole seconds, as access logs are: each
/// second has the count of the events that ended in it and their time.
#[test]
fn the_time_of_events_stamped_with_seconds_lies_in_the_second_of_their_count() {
    for whole in [true, false] {
        let width = Nanos::from_millis(if whole { 125 } else { 1_000 });
        let mut assembler = Assembler::new(width, BinnerLimits::default());
        if whole {
            assembler = assembler.fitting_stamps();
        }
        let mut frames: Vec<Frame> = Vec::new();
        let mut take = |event: Event| frames.extend(event.frame().cloned());
        for second in 0..30 {
            let rate = if (10..15).contains(&second) { 200 } else { 20 };
            for _ in 0..rate {
                let (series, latency) = (Series::named("x"), Nanos::from_millis(20));
                assembler.event(at_ms(second * 1_000), &series, latency, &mut take);
            }
        }
        if whole {
            assert_eq!(assembler.fit_stamps(&mut take), Some(Nanos::SECOND));
        }
        assembler.finish(&mut take);
        assert_eq!(frames.len(), 30);
        for (second, frame) in (0..).zip(&frames) {
            let expected = if (10..15).contains(&second) { 200 } else { 20 };
            assert_eq!(
                (frame.start, frame.end),
                (at_ms(second * 1_000), at_ms((second + 1) * 1_000))
            );
            assert_eq!(frame.counts.events(), expected, "{second}");
            let waited_s = frame.counts.time_waited().seconds;
            assert!((waited_s - 0.02 * expected as f64).abs() < 1e-9, "{second}: {waited_s}");
        }
    }
}

/// The same second many times says nothing of minutes, and stamps of milliseconds are taken as they are.
#[test]
fn only_stamps_that_are_cut_are_placed_later() {
    let waited = |stamps: &[i64], took_ms: u64| {
        let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        let mut frames: Vec<Frame> = Vec::new();
        let mut take = |event: Event| frames.extend(event.frame().cloned());
        for &ms in stamps {
            assembler.event(at_ms(ms), &Series::named("x"), Nanos::from_millis(took_ms), &mut take);
        }
        assembler.finish(&mut take);
        let place = |frame: &Frame| (frame.start, frame.counts.time_waited().seconds);
        frames.iter().map(place).collect::<Vec<_>>()
    };
    // All of the first second of a minute: 6,000 events of 10 ms, in the middle of it.
    let busy = waited(&vec![60_000; 6_000], 10);
    assert_eq!(busy.len(), 1, "{busy:?}");
    assert_eq!(busy[0].0, at_ms(60_000));
    assert!((busy[0].1 - 60.0).abs() < 1e-6, "{busy:?}");
    // Each ends 0.1 s after a second begins, having waited 0.3 s: a third of it in that second.
    let fine: Vec<i64> = (0..10).map(|second| second * 1_000 + 100).collect();
    let placed = waited(&fine, 300);
    assert!(placed[3..9].iter().all(|(_, seconds)| (seconds - 0.3).abs() < 1e-9), "{placed:?}");
    assert_eq!(placed[0].0, at_ms(-200));
    assert!((placed[0].1 - 0.2).abs() < 1e-9, "{placed:?}");
}

/// 300 requests of up to 40 ms in each of five seconds, stamped with the second in which they began, as
/// Apache's are; and 6,000 events a second stamped with tenths, of which hundreds are in the first one.
#[test]
fn stamps_of_beginnings_are_cut_too_and_tenths_are_no_seconds() {
    let assembled = |stamp_of: fn(i64) -> i64, by_begin: bool, number: i64| {
        let limits = BinnerLimits::cells(1 << 16);
        let mut assembler = Assembler::new(Nanos::from_millis(5), limits).fitting_stamps();
        let mut frames: Vec<Frame> = Vec::new();
        let mut take = |event: Event| frames.extend(event.frame().cloned());
        for event in 0..5 * number {
            let ms = 60_000 + event * 1_000 / number;
            let took_ms = 1 + u64::try_from(event * 7 % 40).unwrap();
            let at = at_ms(stamp_of(ms));
            let at = if by_begin { at.plus(Nanos::from_millis(took_ms)) } else { at };
            assembler.event(at, &Series::named("x"), Nanos::from_millis(took_ms), &mut take);
        }
        let unit = assembler.fit_stamps(&mut take);
        assembler.finish(&mut take);
        (unit, frames)
    };
    let (unit, frames) = assembled(|ms| ms / 1_000 * 1_000, true, 300);
    assert_eq!((unit, frames.len()), (Some(Nanos::SECOND), 5));
    for (second, frame) in (60..).zip(&frames) {
        assert_eq!((frame.start, frame.end), (at_ms(second * 1_000), at_ms((second + 1) * 1_000)));
        let waited_s = frame.counts.time_waited().seconds;
        assert_eq!(frame.counts.events(), 300);
        assert!((5.9..6.4).contains(&waited_s), "{second}: {waited_s}");
    }
    let (unit, frames) = assembled(|ms| ms / 100 * 100, false, 6_000);
    assert_eq!(unit, Some(Nanos::from_millis(100)));
    assert_eq!(frames.last().unwrap().end, at_ms(65_000));
}

/// Whichever of the events of a log are counted, the same time is covered: that of all of them.
#[test]
fn events_that_are_passed_over_are_placed_as_the_others() {
    let covered = |unit_s: u32, by_begin: bool, counts: fn(i64) -> bool| {
        let limits = BinnerLimits::cells(1 << 16);
        let mut assembler = Assembler::new(Nanos::from_millis(5), limits).fitting_stamps();
        let mut frames: Vec<Frame> = Vec::new();
        let mut take = |event: Event| frames.extend(event.frame().cloned());
        for number in 0..200_i64 {
            let latency = Nanos::from_millis(1 + u64::try_from(number * 7 % 40).unwrap());
            let stamp = at_ms(60_000 + number / 20 * 1_000 * i64::from(unit_s));
            let at = if by_begin { stamp.plus(latency) } else { stamp };
            let reading = if counts(number) {
                Reading::Event { at, series: Series::named("x"), latency }
            } else {
                Reading::Unselected { at, latency }
            };
            assembler.push(reading, &mut take);
        }
        let unit = Nanos::from_millis(u64::from(unit_s) * 1_000);
        assert_eq!(assembler.fit_stamps(&mut take), Some(unit));
        assembler.finish(&mut take);
        (frames.first().unwrap().start, frames.last().unwrap().end)
    };
    // The first of each unit are passed over or are those that are counted.
    let choices: [fn(i64) -> bool; 4] =
        [|_| true, |number| number % 10 == 3, |number| number == 77, |number| number % 20 == 0];
    for (unit_s, end_ms) in [(1, 70_000), (60, 660_000)] {
        for by_begin in [false, true] {
            for counts in choices {
                let found = covered(unit_s, by_begin, counts);
                assert_eq!(found, (at_ms(60_000), at_ms(end_ms)), "{unit_s} s, {by_begin}");
            }
        }
    }
}
