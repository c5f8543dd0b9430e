//! Times in which nothing ended: silence, a stall, the end of everything.

use std::ops::Range;

use isotherm_frame::{Bucket, Histogram, Timestamp};

use crate::{Change, ChangeKind, Column, ColumnState, Level, Period, Stall, Timeline};

/// By chance, Poisson events leave out such a time once in `e^20` times.
const LEAST_SURPRISE: f64 = 20.0;
/// A silence is reported if other silences are shorter than this share of it, but for a few as long.
const OTHERS: f64 = 0.25;
/// The most silences of about the same length: more are how events come.
const MOST: usize = 3;
/// A silence in something that repeats itself is longer than so many cycles.
const CYCLES: f64 = 1.5;
/// The share of the events after which there is nothing but stray ones.
const STRAY: f64 = 0.001;
/// A wait of this share of a silence was there while nothing ended.
const HELD_UP: f64 = 0.5;

/// The times in which nothing ended although events come all the time otherwise, in the order of
/// time. Where waits end after it that were as long, it was a stall; where nothing but stray events
/// follow, everything stopped.
///
/// `whole` is the same timeline with the columns that are left out because too little of them is
/// known: what happened in them was not nothing.
pub(crate) fn silences(
    timeline: &Timeline,
    whole: &Timeline,
    period: Option<&Period>,
) -> Vec<Change> {
    let columns = &timeline.columns;
    let runs = silent_runs(columns);
    let least = period.map_or(0.0, |period| CYCLES * period.every.as_secs_f64());
    let long = |run: &&Range<usize>| {
        let length = run.len() as f64 * timeline.column.as_secs_f64();
        length > least && surprise(timeline, run) >= LEAST_SURPRISE && stands_out(run, &runs)
    };
    let long_runs: Vec<Range<usize>> = runs.iter().filter(long).cloned().collect();
    let mut changes: Vec<Change> = Vec::new();
    for run in &long_runs {
        let stopped = changes.last().is_some_and(|last| last.kind == ChangeKind::Stops);
        if !stopped {
            let rest = whole.columns.get(run.end..).unwrap_or_default();
            let after = rest.iter().map(|column| column.events).sum();
            changes.extend(change(timeline, (run, after), &long_runs));
        }
    }
    changes
}

impl Change {
    /// Whether another change, of the number of events, is mostly this one.
    pub(crate) fn is_most_of(&self, other: &Change) -> bool {
        let (Some(end), Some(other_end)) = (self.end, other.end) else { return false };
        let common = end.min(other_end).since(self.start.max(other.start)).as_secs_f64();
        let length = other_end.since(other.start).as_secs_f64();
        other.kind == ChangeKind::Rate && common >= 0.5 * length
    }

    /// Whether a column lies in it.
    pub(crate) fn covers(&self, column: &Column) -> bool {
        self.start < column.end && self.end.is_none_or(|end| column.start < end)
    }
}

/// The runs of columns without any event.
fn silent_runs(columns: &[Column]) -> Vec<Range<usize>> {
    let silent = |column: &Column| column.state == ColumnState::Data && column.events == 0;
    let mut runs = Vec::new();
    let mut from = 0;
    for part in columns.chunk_by(|one, two| silent(one) == silent(two)) {
        if part.first().is_some_and(silent) {
            runs.push(from..from + part.len());
        }
        from += part.len();
    }
    runs
}

/// How surprising it is that none of the events lie in a run: the negative logarithm of the chance that
/// each of them, wherever it may be, lies in the other time. A few events say little, however short the
/// time is in which they came.
fn surprise(timeline: &Timeline, run: &Range<usize>) -> f64 {
    let covered = |columns: &[Column]| columns.iter().map(|column| column.covered_s).sum::<f64>();
    let silent = covered(&timeline.columns[run.clone()]);
    let others = timeline.covered_s() - silent;
    if others > 0.0 { timeline.total.events() as f64 * (silent / others).ln_1p() } else { 0.0 }
}

/// Whether it is no silence of the kind that there is all the time.
fn stands_out(run: &Range<usize>, runs: &[Range<usize>]) -> bool {
    let long = run.len() as f64;
    let alike = runs.iter().filter(|other| other.len() as f64 >= long / 2.0).count();
    let shorter = runs.iter().filter(|other| (other.len() as f64) < long / 2.0);
    alike <= MOST && shorter.map(Range::len).max().unwrap_or(0) as f64 <= OTHERS * long
}

/// The change that a run of silent columns with so many events after it is.
fn change(
    timeline: &Timeline,
    (run, after): (&Range<usize>, u64),
    long_runs: &[Range<usize>],
) -> Option<Change> {
    let columns = &timeline.columns;
    let start = columns.get(run.start)?.start;
    let stray = (STRAY * timeline.total.events() as f64).max(1.0);
    let before = long_runs.iter().rev().find(|other| other.end <= run.start).map_or(0, |o| o.end);
    let before = Level::of(&columns[before..run.start]);
    let change_of = |kind, end: usize, last: Option<Timestamp>| Change {
        start,
        exact_to: timeline.column,
        end: last,
        kind,
        before,
        after: Level::of(&columns[run.start..end]),
    };
    if run.start > 0 && after as f64 <= stray {
        return Some(change_of(ChangeKind::Stops, columns.len(), None));
    }
    let (kind, end) = match stall(timeline, run) {
        Some((stall, end)) => (ChangeKind::Stalls(stall), end),
        None => (ChangeKind::Silent, run.end),
    };
    Some(change_of(kind, end, Some(columns.get(end.checked_sub(1)?)?.end)))
}

/// The stall that a silence is, and the first column after it, if waits end right after it that
/// were there all along.
fn stall(timeline: &Timeline, run: &Range<usize>) -> Option<(Stall, usize)> {
    let columns = &timeline.columns;
    let quiet_ns = timeline.column.as_nanos().saturating_mul(run.len() as u64) as f64;
    let held_up = |column: &Column| -> Vec<(Bucket, u64)> {
        let counts = column.latencies.iter().flat_map(Histogram::non_zero);
        counts.filter(|(bucket, _)| bucket.lo.as_nanos() as f64 >= HELD_UP * quiet_ns).collect()
    };
    let late: Vec<Vec<(Bucket, u64)>> =
        columns[run.end..].iter().map(held_up).take_while(|late| !late.is_empty()).collect();
    let all = || late.iter().flatten();
    let longest = all().map(|(bucket, _)| *bucket).max_by_key(|bucket| bucket.lo)?;
    let end = run.end + late.len();
    // What always takes so long is held up by nothing.
    let others = columns[..run.end].iter().chain(&columns[end..]);
    let others = Histogram::merged(others.filter_map(|column| column.latencies.as_ref()))?;
    let usual = others.quantile(0.9).ok()?.bucket;
    if usual.hi.is_none_or(|hi| hi.as_nanos() as f64 >= HELD_UP * quiet_ns) {
        return None;
    }
    let seconds: f64 = columns[run.start..end].iter().map(|column| column.waited.seconds).sum();
    let stall = Stall {
        quiet_to: columns.get(run.end)?.start,
        held_up: all().map(|(_, count)| count).sum(),
        longest,
        time_share: (seconds / timeline.waited().seconds).clamp(0.0, 1.0),
    };
    Some((stall, end))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Unit};

    use super::*;
    use crate::simulated::{Peak, at, run};

    fn schemes() -> [Scheme; 2] {
        [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)]
    }

    #[test]
    fn a_stall_a_silence_and_an_end_are_distinguished() {
        for (seed, scheme) in (1..).zip(&schemes()) {
            let quiet = |from: usize, to: usize, late: f64| {
                let timeline = run(seed, 300, scheme, |second, _| {
                    if (from..to).contains(&second) {
                        return vec![];
                    }
                    let late = if second == to { late } else { 0.0 };
                    vec![Peak(200.0, 1_000.0, 0.5), Peak(late, 1_800_000.0, 0.1)]
                });
                silences(&timeline, &timeline, None)
            };
            let [silence] = &quiet(100, 110, 0.0)[..] else { panic!() };
            assert_eq!((silence.start, silence.end), (at(100), Some(at(110))));
            assert!(silence.kind == ChangeKind::Silent && silence.before.rate > 180.0);
            assert!(silence.after.rate < 1e-9);
            let [stall] = &quiet(100, 102, 200.0)[..] else { panic!() };
            assert_eq!((stall.start, stall.end), (at(100), Some(at(103))));
            let ChangeKind::Stalls(held) = stall.kind else { panic!("{stall:?}") };
            assert_eq!(held.quiet_to, at(102));
            assert!((150..250).contains(&held.held_up) && held.time_share > 0.8, "{held:?}");
            let [silence] = &quiet(100, 299, 0.0)[..] else { panic!() };
            assert_eq!((&silence.kind, silence.start), (&ChangeKind::Silent, at(100)));
            let [stop] = &quiet(100, 300, 0.0)[..] else { panic!() };
            assert_eq!((&stop.kind, stop.start, stop.end), (&ChangeKind::Stops, at(100), None));
        }
    }

    /// Of two events in the first of 300 seconds the chance is 1 in 90,000 that both lie there wherever
    /// they may be: far more than once in e^20 times. Of ten it is 1 in 10^24.
    #[test]
    fn a_few_events_prove_no_end() {
        let scheme = Scheme::log_linear();
        let begun = |expected: f64, seed| {
            let timeline = run(seed, 300, &scheme, |second, _| {
                let events = if second == 0 { expected } else { 0.0 };
                vec![Peak(events, 1_000.0, 0.5)]
            });
            (timeline.total.events(), silences(&timeline, &timeline, None).len())
        };
        let all: Vec<(u64, usize)> =
            (0..20).flat_map(|seed| [begun(2.0, seed), begun(15.0, seed)]).collect();
        let found = |events: std::ops::Range<u64>| {
            let some = all.iter().filter(move |(count, _)| events.contains(count));
            some.map(|(_, found)| *found).collect::<Vec<usize>>()
        };
        let (few, many) = (found(1..4), found(5..100));
        assert!(few.len() > 5 && few.iter().all(|found| *found == 0), "{all:?}");
        assert!(many.len() > 5 && many.iter().all(|found| *found == 1), "{all:?}");
    }

    #[test]
    fn events_that_are_rare_or_come_in_batches_are_not_silent() {
        let scheme = Scheme::log_linear();
        let rare = |seed| run(seed, 900, &scheme, |_, _| vec![Peak(0.1, 1_000.0, 0.5)]);
        let batches = |seed| {
            run(seed, 900, &scheme, |_, chance| {
                let some = if chance.uniform() < 0.03 { 50.0 } else { 0.0 };
                vec![Peak(some, 1_000.0, 0.5)]
            })
        };
        let is_silent = |timeline: Timeline| !silences(&timeline, &timeline, None).is_empty();
        assert_eq!((0..100).filter(|&seed| is_silent(rare(seed))).count(), 0);
        let found = (0..100).filter(|&seed| is_silent(batches(seed))).count();
        assert!(found <= 2, "{found} of 100");
    }
}
