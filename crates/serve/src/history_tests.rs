//! What is served of sources, and the marks of clients.

use isotherm_frame::{Histogram, Quality, Scheme, Series};

use super::*;

fn frame(second: i64) -> Event {
    let mut counts = Histogram::empty(Scheme::log_linear());
    counts.record(Nanos::from_micros(100));
    let at = |second: i64| Timestamp::new(second * 1_000_000_000);
    let (series, quality) = (Series::named("read"), Quality::Complete);
    Event::Frame(Frame { series, start: at(second), end: at(second + 1), counts, quality })
}

fn messages(history: &LiveHistory) -> usize {
    let state = history.read();
    let changes = state.changes.since(0).into_iter().flatten();
    changes.filter(|(_, change)| *change == &Change::Message(DROPPED.to_owned())).count()
}

#[test]
fn that_the_oldest_is_left_out_is_said_once() {
    let source = (SourceAbout::default(), History::new(20_000));
    let history = LiveHistory::new([source], None, 1);
    history.take(0, &[frame(0)], &Account::default());
    assert_eq!(messages(&history), 0);
    for second in 1..1_000 {
        history.take(0, &[frame(second)], &Account::default());
    }
    assert_eq!(messages(&history), 1);
    let (from, to) = history.read().sources[0].span().unwrap();
    assert!(from.as_nanos() > 0 && to.as_nanos() == 1_000_000_000_000);
}

#[test]
fn a_layout_that_was_never_handed_out_is_not_held() {
    let history = LiveHistory::new([(SourceAbout::default(), History::new(1 << 20))], None, 1);
    let holds = |factor| {
        let state = history.read();
        let (run, arrangement) = (state.run, state.arrangement);
        state.holds(&Layout { run, arrangement, factors: vec![factor] })
    };
    assert!(holds(1) && !holds(2));
    let events: Vec<Event> = (0..100).map(frame).collect();
    history.take(0, &events, &Account::default());
    // The widest column holds the hundred seconds.
    assert!(holds(1) && holds(100) && !holds(101) && !holds(1_000_000_000) && !holds(u64::MAX));
}

#[test]
fn a_clock_that_leaps_makes_no_column_of_each_second_between() {
    let history = LiveHistory::new([(SourceAbout::default(), History::new(1 << 20))], None, 1);
    for second in (0..5).chain(1_700_000_000..1_700_000_002) {
        history.take(0, &[frame(second)], &Account::default());
    }
    let state = history.read();
    assert!(state.sources[0].widest() <= 2 * LiveGrid::MOST_FINEST);
    assert_eq!(state.arrangement, 2);
}

#[test]
fn only_what_is_kept_is_served() {
    let source = (SourceAbout::default(), History::new(1 << 20));
    let history = LiveHistory::new([source], Some(Nanos::from_millis(10_000)), 1);
    let events: Vec<Event> = (0..100).map(frame).collect();
    history.take(0, &events, &Account::default());
    let (from, to) = history.read().sources[0].span().unwrap();
    assert_eq!(to.since(from), Nanos::from_millis(10_000));
}

#[test]
fn marks_are_handed_to_the_source_they_are_of() {
    let source = |_| (SourceAbout::default(), History::new(1 << 20));
    let history = LiveHistory::new((0..2).map(source), None, 1);
    let mark = |text: &str| Mark { at: Timestamp::new(5), text: text.to_owned() };
    assert_eq!(history.mark(None, &mark("deploy")), Ok(()));
    assert_eq!(history.mark(Some(1), &mark("again")), Ok(()));
    // A client that got no answer tries again: it is one mark.
    assert_eq!(history.mark(Some(1), &mark("again")), Ok(()));
    assert_eq!(history.take_marks(0), [mark("deploy")]);
    assert_eq!(history.take_marks(1), [mark("deploy"), mark("again")]);
    assert!(history.take_marks(0).is_empty() && history.take_marks(1).is_empty());
    // One that comes back from the recording is there already.
    let before = history.read().changes.tick();
    history.take(0, &[Event::Mark(mark("deploy"))], &Account::default());
    assert_eq!(history.read().changes.tick(), before);
}

#[test]
fn a_recording_that_is_finished_takes_no_marks() {
    let source = |_| (SourceAbout::default(), History::new(1 << 20));
    let history = LiveHistory::new((0..2).map(source), None, 1);
    let mark = |at: i64| Mark { at: Timestamp::new(at), text: "x".to_owned() };
    history.close(0);
    assert_eq!(history.mark(Some(0), &mark(1)), Err(MarkRefused::Closed));
    assert_eq!(history.mark(None, &mark(2)), Ok(()));
    assert!(history.take_marks(0).is_empty() && history.take_marks(1) == [mark(2)]);
    history.close(1);
    assert_eq!(history.mark(None, &mark(3)), Err(MarkRefused::Closed));
    assert!(history.take_marks(1).is_empty());
}

#[test]
fn more_marks_than_are_kept_are_refused_or_said_to_be_left_out() {
    let source = |_| (SourceAbout::default(), History::new(1 << 20));
    let history = LiveHistory::new((0..2).map(source), None, 1);
    let mark =
        |at: usize| Mark { at: Timestamp::new(at.try_into().unwrap()), text: "x".to_owned() };
    let marks: Vec<Event> = (0..MOST_MARKS).map(|at| Event::Mark(mark(at))).collect();
    history.take(0, &marks, &Account::default());
    for source in [Some(0), None] {
        assert_eq!(history.mark(source, &mark(MOST_MARKS)), Err(MarkRefused::Full));
    }
    assert!(history.take_marks(0).is_empty() && history.take_marks(1).is_empty());
    assert_eq!(history.mark(Some(1), &mark(MOST_MARKS)), Ok(()));
    let before = history.read().changes.tick();
    let more: Vec<Event> = (0..3).map(|at| Event::Mark(mark(MOST_MARKS + at))).collect();
    history.take(0, &more, &Account::default());
    let state = history.read();
    let said = state.changes.since(before).unwrap();
    let said = said.map(|(index, change)| (index, matches!(change, Change::Message(_))));
    let said: Vec<(usize, bool)> = said.collect();
    assert_eq!((said, state.sources[0].marks.len()), (vec![(0, true)], MOST_MARKS));
}
