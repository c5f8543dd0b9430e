//! What a history keeps, drops and joins.

use isotherm_frame::{Histogram, Scheme};

use super::*;

fn frame(series: &str, second: i64, micros: &[u64]) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    for &us in micros {
        counts.record(Nanos::from_micros(us));
    }
    let at = |second: i64| Timestamp::new(second * 1_000_000_000);
    let (series, quality) = (Series::named(series), Quality::Complete);
    Frame { series, start: at(second), end: at(second + 1), counts, quality }
}

fn all(history: &History, series: &str) -> Vec<Frame> {
    let ends = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
    history.frames(&Series::named(series), ends.0, ends.1)
}

fn events(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.counts.events()).sum()
}

#[test]
fn everything_is_kept_in_longer_intervals_where_it_takes_too_much() {
    let mut history = History::of_everything(100_000);
    for second in 0..20_000 {
        history.push(&frame("a", second, &[100, 3_000]));
        history.push(&frame("b", second, if second % 10 == 0 { &[500] } else { &[] }));
    }
    let (a, b) = (all(&history, "a"), all(&history, "b"));
    assert_eq!((events(&a), events(&b), history.dropped()), (40_000, 2_000, 0));
    assert!(history.bytes <= 100_000);
    let column = history.joined_to().unwrap();
    assert!(column > Nanos::SECOND);
    for frames in [&a, &b] {
        assert!(frames.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(frames.first().unwrap().start, Timestamp::new(0));
        assert_eq!(frames.last().unwrap().end, Timestamp::new(20_000_000_000_000));
    }
    assert!(a.iter().all(|frame| frame.length() <= column));
}

#[test]
fn rare_events_between_long_silences_are_kept_too() {
    let mut history = History::of_everything(100_000);
    for second in 0..40_000 {
        for number in 0..10 {
            let speaks = second % 100 == number;
            let series = format!("s{number}");
            history.push(&frame(&series, second, if speaks { &[100] } else { &[] }));
        }
    }
    let held: u64 = (0..10).map(|number| events(&all(&history, &format!("s{number}")))).sum();
    assert_eq!((held, history.dropped()), (4_000, 0));
    assert!(history.bytes <= 100_000);
}

#[test]
fn the_oldest_goes_where_only_the_latest_is_kept() {
    let mut history = History::new(100_000);
    (0..20_000).for_each(|second| history.push(&frame("a", second, &[100])));
    let kept = all(&history, "a");
    assert_eq!(kept.len() as u64 + history.dropped(), 20_000);
    assert_eq!(kept.last().unwrap().end, Timestamp::new(20_000_000_000_000));
    assert!(history.bytes <= 100_000 && kept.len() > 300);
    assert_eq!(history.total(&Series::named("a")).unwrap().events, 20_000);
}

#[test]
fn silence_takes_one_frame() {
    let mut history = History::new(usize::MAX);
    (0..1_000).for_each(|second| history.push(&frame("a", second, &[])));
    history.push(&frame("a", 1_000, &[100]));
    history.push(&frame("a", 1_002, &[]));
    let seconds = |frame: &Frame| frame.length().as_nanos() / 1_000_000_000;
    let kept: Vec<u64> = all(&history, "a").iter().map(seconds).collect();
    assert_eq!(kept, [1_000, 1, 1]);
}

/// A silent series has one frame, begun at the start: the time that was dropped of others is not known
/// of all, and said of none.
#[test]
fn what_is_left_from_before_the_time_that_is_kept_is_not_handed_out() {
    let mut history = History::new(100_000);
    history.push(&frame("once", 0, &[500]));
    for second in 0..20_000 {
        history.push(&frame("busy", second, &[100]));
        history.push(&frame("silent", second, &[]));
    }
    let busy = all(&history, "busy");
    let kept_from = history.earliest().unwrap();
    // Whole intervals of a second, without one missing: all of what is kept.
    assert!(history.dropped() > 0 && kept_from > Timestamp::new(0));
    assert!(busy.windows(2).all(|pair| pair[0].end == pair[1].start));
    assert!(busy[0].start.max(kept_from) == kept_from && busy[0].end > kept_from);
    let silent = all(&history, "silent");
    let spans: Vec<_> = silent.iter().map(|frame| (frame.start, frame.end)).collect();
    assert_eq!(spans, [(kept_from, Timestamp::new(20_000_000_000_000))]);
    assert!(all(&history, "once").is_empty());
    let series = Series::named("silent");
    assert!(history.frames(&series, Timestamp::new(0), Timestamp::new(1_000)).is_empty());
    assert_eq!(history.total(&Series::named("once")).unwrap().events, 1);
    let (from, to) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
    let spans: Vec<_> = history.spans(&Series::named("silent"), from, to).collect();
    assert_eq!((spans.len(), spans[0].start), (1, kept_from));
}

#[test]
fn of_a_silence_only_the_part_that_is_asked_for_counts() {
    let mut history = History::new(usize::MAX);
    (0..3_600).for_each(|second| history.push(&frame("a", second, &[])));
    let at = |second: i64| Timestamp::new(second * 1_000_000_000);
    let series = Series::named("a");
    for (from, to) in [(100, 160), (0, 1), (3_000, 3_600)] {
        let frames = history.frames(&series, at(from), at(to));
        assert_eq!((frames[0].start, frames[0].end), (at(from), at(to)));
        let spans: Vec<_> = history.spans(&series, at(from), at(to)).collect();
        assert_eq!((spans[0].start, spans[0].end), (at(from), at(to)));
        let (span, _) = history.waits(&series, at(from), at(to)).next().unwrap();
        assert_eq!((span.start, span.end), (at(from), at(to)));
    }
    // An interval with events is what it is: nobody knows where in it they were.
    history.push(&frame("a", 3_600, &[100]));
    let half = Timestamp::new(3_600_500_000_000);
    assert_eq!(history.frames(&series, half, at(3_601))[0].start, at(3_600));
}

#[test]
fn what_a_later_history_dropped_is_in_the_earlier_one() {
    let (mut earlier, mut later) = (History::of_everything(usize::MAX), History::new(100_000));
    (0..20_000).for_each(|second| later.push(&frame("a", second, &[100])));
    let begins = later.earliest_of(&Series::named("a")).unwrap();
    let seconds = 0..begins.as_nanos() / 1_000_000_000;
    seconds.for_each(|second| earlier.push(&frame("a", second, &[100])));
    earlier.append(later);
    assert_eq!(events(&all(&earlier, "a")), 20_000);
    assert_eq!(earlier.earliest(), Some(Timestamp::new(0)));
}
