use isotherm_frame::{Gap, Mark, Quality, Scheme, Series, Unit};
use proptest::prelude::*;

use super::*;

fn frame(start_ms: i64, end_ms: i64, micros: &[(u64, u64)]) -> Frame {
    let scheme = Scheme::powers_of_two(Unit::Micros);
    let mut counts = vec![0; scheme.buckets()];
    for (us, count) in micros {
        counts[scheme.index_of(Nanos::from_micros(*us)).unwrap()] += count;
    }
    Frame {
        series: Series::named("read"),
        start: Timestamp::new(start_ms * 1_000_000),
        end: Timestamp::new(end_ms * 1_000_000),
        counts: Histogram::new(scheme, counts, None).unwrap(),
        quality: Quality::Complete,
    }
}

fn request(end_s: i64, columns: usize) -> Request {
    Request::on(
        Grid { end: Timestamp::new(end_s * 1_000_000_000), column: Nanos::SECOND, columns },
        20,
    )
}

fn draw(frames: &[Frame], request: &Request) -> Picture {
    Picture::draw(frames, request, &mut ColourMax::default(), &mut ColourMax::default())
}

/// Ten events a second for ten minutes, of which the first took 65 minutes: in a column of a quarter of an
/// hour, of which ten minutes were counted, they are ten a second.
#[test]
fn events_are_divided_by_the_time_in_which_ends_were_counted() {
    let waiting = |from_s: i64, to_s: i64, events: u64| {
        let mut frame = frame(from_s * 1_000, to_s * 1_000, &[(100, events)]);
        let mut times = vec![0; frame.counts.scheme().buckets()];
        times[0] = frame.length().as_nanos();
        frame.counts = frame.counts.with_waited(times, true).unwrap();
        frame
    };
    let frames: Vec<Frame> = [waiting(0, 3_900, 0)]
        .into_iter()
        .chain((3_900..4_500).map(|second| waiting(second, second + 1, 10)))
        .collect();
    let quarters = Grid {
        end: Timestamp::new(4_500_000_000_000),
        column: Nanos::from_secs_f64(900.0).unwrap(),
        columns: 5,
    };
    let picture = draw(&frames, &Request::on(quarters, 20));
    let row = picture.row_of(Nanos::from_micros(100)).unwrap();
    assert!((picture.frequency.cells[picture.cell(row, 4)] - 10.0).abs() < 1e-6);
    assert!((picture.frequency.max_sum - 10.0).abs() < 1e-6);
    assert!((picture.headline.now_events - 10.0).abs() < 1e-6);
    assert!((picture.region(row..=row, 3..=4).unwrap().rate() - 10.0).abs() < 1e-6);
    assert!((picture.headline.now_waited - 1.0).abs() < 1e-6);
}

#[test]
fn a_cell_is_a_rate_and_an_intensity() {
    // 100 events of 64..128 us in one second: 100/s and 100 x 96 us = 9.6 ms waited per second.
    let picture = draw(&[frame(0, 1_000, &[(100, 100)])], &request(1, 1));
    let row = picture.row_of(Nanos::from_micros(64)).unwrap();
    assert!((picture.frequency.cells[picture.cell(row, 0)] - 100.0).abs() < 1e-9);
    assert!((picture.intensity.cells[picture.cell(row, 0)] - 0.0096).abs() < 1e-12);
    assert!(!picture.headline.exact);
    assert_eq!(picture.frequency.shades[picture.cell(row, 0)], Shade::Step(8));
}

#[test]
fn a_late_poll_is_no_spike() {
    let frames = [frame(0, 1_000, &[(100, 100)]), frame(1_000, 4_000, &[(100, 300)])];
    let picture = draw(&frames, &request(4, 4));
    assert_eq!(picture.frequency.sums, vec![100.0; 4]);
    assert_eq!(picture.counts.iter().sum::<u64>(), 400);
}

#[test]
fn series_that_cover_the_same_time_add_up() {
    // 100/s of one series and 50/s of another are 150/s together, however their intervals lie.
    let mut other = frame(0, 2_000, &[(1_000, 100)]);
    other.series = Series::named("write");
    let frames = [frame(0, 1_000, &[(100, 100)]), frame(1_000, 2_000, &[(100, 100)]), other];
    let picture = draw(&frames, &request(2, 2));
    assert_eq!(picture.frequency.sums, vec![150.0; 2]);
}

#[test]
fn a_reset_and_a_pause_are_distinguished_from_zero() {
    let mut reset = frame(1_000, 2_000, &[]);
    reset.quality = Quality::Gap(Gap::Reset);
    let frames = [frame(0, 1_000, &[(100, 1)]), reset, frame(3_000, 4_000, &[])];
    let states: Vec<ColumnState> =
        draw(&frames, &request(4, 4)).columns.iter().map(|column| column.state).collect();
    let expected = [ColumnState::Data, ColumnState::Reset, ColumnState::NoData, ColumnState::Data];
    assert_eq!(states, expected);
}

#[test]
fn exact_time_scales_the_cells_to_the_true_total() {
    let mut exact = frame(0, 1_000, &[(100, 10), (1_000, 1)]);
    exact.counts = exact.counts.with_sum(Some(Nanos::from_micros(2_000)));
    let picture = draw(&[exact], &request(1, 1));
    assert!(picture.headline.exact);
    assert!((picture.intensity.cells.iter().sum::<f64>() - 0.002).abs() < 1e-12);
    assert!((picture.intensity.sums[0] - 0.002).abs() < 1e-12);
}

#[test]
fn a_poll_some_milliseconds_late_is_no_sliver_in_the_next_column() {
    let frames = [frame(3, 1_009, &[(100, 1_000)]), frame(1_009, 2_004, &[(100, 2_000)])];
    let picture = draw(&frames, &request(3, 3));
    let state: Vec<ColumnState> = picture.columns.iter().map(|column| column.state).collect();
    assert_eq!(state, [ColumnState::Data, ColumnState::Data, ColumnState::NoData]);
    let rates: Vec<f64> = picture.frequency.sums.iter().map(|rate| rate.round()).collect();
    // 1,000 in 1.006 s and 2,000 in 0.995 s.
    assert_eq!(rates, [994.0, 2_010.0, 0.0]);
}

#[test]
fn marks_stand_at_their_column() {
    let at = |ms: i64| Timestamp::new(ms * 1_000_000);
    let mut wanted = request(4, 4);
    wanted.marks = vec![
        Mark { at: at(2_500), text: "deploy".into() },
        Mark { at: at(9_000), text: "later".into() },
    ];
    let picture = draw(&[frame(0, 4_000, &[(5, 5)])], &wanted);
    assert_eq!(picture.marks, [PlacedMark { column: 2, at: at(2_500), text: "deploy".into() }]);
}

proptest! {
    /// Counts drawn plus counts outside the picture are the counts given, whatever the phase of
    /// frames and columns; and the sums of both maps agree with their cells.
    #[test]
    fn everything_is_drawn_or_outside(
        intervals in prop::collection::vec((0_i64..9_000, 1_i64..5_000, prop::collection::vec((1_u64..1 << 34, 0_u64..10_000), 0..6)), 0..12),
        end in 1_i64..12,
        columns in 1_usize..12,
        most_rows in 3_usize..40,
    ) {
        let frames: Vec<Frame> =
            intervals.iter().map(|(start, length, counts)| frame(*start, start + length, counts)).collect();
        let given: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
        let mut wanted = request(end, columns);
        wanted.most_rows = most_rows;
        let picture = draw(&frames, &wanted);
        prop_assert!(picture.rows.len() <= most_rows.max(3));
        prop_assert_eq!(picture.counts.iter().sum::<u64>() + picture.outside, given);
        for map in [&picture.frequency, &picture.intensity] {
            for column in 0..columns {
                let cells: f64 = (0..picture.rows.len()).map(|row| map.cells[picture.cell(row, column)]).sum();
                prop_assert!((cells - map.sums[column]).abs() <= 1e-9 * map.sums[column].max(1.0));
            }
        }
    }
}

/// Bounds of several families of buckets, in nanoseconds.
fn schemes() -> [Scheme; 6] {
    let of = |bounds: &[u64]| Scheme::new(bounds.to_vec()).unwrap();
    [
        Scheme::log_linear(),
        Scheme::powers_of_two(Unit::Micros),
        Scheme::powers_of_two(Unit::Nanos),
        of(&[0, Scheme::UNBOUNDED]),
        of(&[700, 3_000, 10_000]),
        of(&[5_000_000, 7_000_000, 1_000_000_000, Scheme::UNBOUNDED]),
    ]
}

proptest! {
    /// The same where each interval counts in buckets of its own, with time that was waited where
    /// nothing ended.
    #[test]
    fn everything_of_mixed_buckets_is_drawn(
        intervals in prop::collection::vec((0_i64..9_000, 1_i64..5_000, 0_usize..6, prop::collection::vec((any::<prop::sample::Index>(), 0_u64..10_000, 0_u64..1 << 40), 0..6)), 0..8),
        most_rows in 3_usize..40,
    ) {
        let schemes = schemes();
        let made = intervals.iter().enumerate().map(|(index, (start, length, scheme, filled))| {
            let scheme = schemes[*scheme].clone();
            let (mut counts, mut ns) = (vec![0; scheme.buckets()], vec![0; scheme.buckets()]);
            for (place, count, time) in filled {
                let place = place.index(scheme.buckets());
                (counts[place], ns[place]) = (counts[place] + count, ns[place] + time);
            }
            let counts = Histogram::new(scheme, counts, None).unwrap();
            // Every other one says when its time was waited.
            let counts = if index % 2 == 0 { counts } else { counts.with_waited(ns, true).unwrap() };
            Frame { counts, ..frame(*start, start + length, &[]) }
        });
        let frames: Vec<Frame> = made.collect();
        let given: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
        let waited: f64 = frames.iter().map(|frame| frame.counts.time_waited().seconds).sum();
        let wanted = Request { most_rows, ..request(15, 15) };
        let picture = draw(&frames, &wanted);
        prop_assert_eq!((picture.counts.iter().sum::<u64>(), picture.outside), (given, 0));
        let covered: Vec<f64> = picture.columns.iter().map(|column| column.covered_s).collect();
        let cells = picture.intensity.cells.iter().zip(covered.iter().cycle());
        let drawn: f64 = cells.map(|(cell, covered_s)| cell * covered_s).sum();
        // Thirty years and more are too much for one number of nanoseconds.
        let kept = waited > 1e9 || (drawn - waited).abs() <= 1e-6 * waited.max(1.0);
        prop_assert!(kept, "{} {}", drawn, waited);
    }
}

#[test]
fn time_waited_in_a_bucket_without_bounds_is_drawn_all_the_same() {
    let scheme = Scheme::new(vec![0, Scheme::UNBOUNDED]).unwrap();
    let counts = Histogram::new(scheme, vec![4], Some(Nanos::from_millis(500))).unwrap();
    let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
    let series = Series::named("read");
    let frame = Frame { series, start, end, counts, quality: Quality::Complete };
    let picture = draw(&[frame], &request(1, 1));
    assert_eq!((picture.rows.len(), picture.counts[0]), (1, 4));
    assert!((picture.intensity.cells[0] - 0.5).abs() < 1e-9);
}
