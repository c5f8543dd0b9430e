//! Times in which nothing ended: silence, a stall, the end of everything.

use std::ops::Range;

use isotherm_frame::{Bucket, Histogram, Nanos};

use crate::share_of_all::part_of_time;
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
/// Something waits where there is so much waiting: as a share of what there is otherwise, or half of
/// the time of one.
const WAITS: (f64, f64) = (0.1, 0.5);
/// Fewer that were held up are long waits, each of its own.
const LEAST_HELD_UP: u64 = 3;
/// Where ends are rare, those held up own this share of all time waited...
const LEAST_SHARE: f64 = 0.1;
/// ...and as many wait at once, at least, and so many times what waits otherwise.
const AT_ONCE: (f64, f64) = (2.0, 8.0);
/// ...and on average they wait for no more columns than those in which nothing ends, and one on each side:
/// otherwise these are a pause among rare ends, and not what they wait for.
const BESIDE: usize = 2;
/// What takes longer than this quantile of all others was held up...
const USUAL: f64 = 0.99;
/// ...but of very many events, thousands take longer at any time. If events began evenly while nothing ended, one
/// in so many of those held up waited for less than one in so many parts of the silence: no more of these count.
const PARTS: u64 = 20;
/// The column in which a stall begins has so many times the usual waiting.
const BEGINS: f64 = 2.0;

/// The times in which nothing ended although events come all the time otherwise, in the order of
/// time. Where waits end after it that were as long, it was a stall; where nothing but stray events
/// follow, everything stopped. Where something waited all the while and no stall is seen, it is a long
/// wait, and no silence.
///
/// Where ends are rare, as those of locks, no silence says anything; that many waited through one at
/// once does.
///
/// `whole` is the same timeline with the columns that are left out because too little of them is
/// known: what happened in them was not nothing.
pub(crate) fn silences(
    timeline: &Timeline,
    whole: &Timeline,
    period: Option<&Period>,
) -> Vec<Change> {
    let runs = silent_runs(timeline);
    let least = period.map_or(0.0, |period| CYCLES * period.every.as_secs_f64());
    let long = |run: &Run| {
        let alike: Vec<&Run> = runs.iter().filter(|other| other.waits == run.waits).collect();
        let length = run.columns.len() as f64 * timeline.column.as_secs_f64();
        let surprises = surprise(timeline, &run.columns) >= LEAST_SURPRISE;
        length > least && surprises && stands_out(&run.columns, &alike)
    };
    let reported = |run: &&Run| long(run) || (run.waits && is_jam(timeline, &run.columns));
    let long_runs: Vec<Run> = runs.iter().filter(reported).cloned().collect();
    let mut changes: Vec<Change> = Vec::new();
    for run in &long_runs {
        let stopped = changes.last().is_some_and(|last| last.kind == ChangeKind::Stops);
        if !stopped {
            let rest = whole.columns.get(run.columns.end..).unwrap_or_default();
            let after = rest.iter().map(|column| column.events).sum();
            changes.extend(change(timeline, (run, after), &long_runs));
        }
    }
    let part = part_of_time(timeline, whole);
    for change in &mut changes {
        if let ChangeKind::Stalls(stall) = &mut change.kind {
            stall.time_share *= part;
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

/// Columns one after the other in which nothing ended.
#[derive(Clone)]
struct Run {
    columns: Range<usize>,
    /// Whether something waited in each of them, as far as it is known when time was waited.
    waits: bool,
}

/// The runs of columns without any event, those in which something waits apart from those in which
/// nothing does.
fn silent_runs(timeline: &Timeline) -> Vec<Run> {
    let placed = timeline.total.is_time_placed();
    let least = (WAITS.0 * waiting_outside(timeline, &(0..0))).min(WAITS.1);
    let silent = |column: &Column| column.state == ColumnState::Data && column.events == 0;
    let waits = |column: &Column| placed && silent(column) && column.waiting() > least;
    let kind = |column: &Column| (silent(column), waits(column));
    let mut runs = Vec::new();
    let mut from = 0;
    for part in timeline.columns.chunk_by(|one, two| kind(one) == kind(two)) {
        if part.first().is_some_and(silent) {
            let waits = part.first().is_some_and(waits);
            runs.push(Run { columns: from..from + part.len(), waits });
        }
        from += part.len();
    }
    runs
}

/// Whether several waited through a run at once, far more than wait otherwise.
fn is_jam(timeline: &Timeline, run: &Range<usize>) -> bool {
    let all = timeline.waited().seconds;
    let (inside_s, covered_s) = sums(&timeline.columns[run.clone()]);
    if inside_s < LEAST_SHARE / 2.0 * all || inside_s < AT_ONCE.0 * covered_s {
        return false;
    }
    let Some(Jam { stall, columns, long }) = stall(timeline, run) else { return false };
    let mean_s = stall.time_share * all / stall.held_up as f64;
    long >= LEAST_HELD_UP
        && stall.time_share >= LEAST_SHARE
        && mean_s <= (run.len() + BESIDE) as f64 * timeline.column.as_secs_f64()
        && inside_s >= AT_ONCE.1 * waiting_outside(timeline, &columns) * covered_s
}

/// Seconds waited in some columns, and covered.
fn sums(columns: &[Column]) -> (f64, f64) {
    let sum = |of: fn(&Column) -> f64| columns.iter().map(of).sum::<f64>();
    (sum(|column| column.waited.seconds), sum(|column| column.covered_s))
}

/// How many wait on average outside of some columns.
fn waiting_outside(timeline: &Timeline, columns: &Range<usize>) -> f64 {
    let (all, inside) = (sums(&timeline.columns), sums(&timeline.columns[columns.clone()]));
    (all.0 - inside.0).max(0.0) / (all.1 - inside.1).max(f64::MIN_POSITIVE)
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
fn stands_out(run: &Range<usize>, runs: &[&Run]) -> bool {
    let long = run.len() as f64;
    let lengths = || runs.iter().map(|other| other.columns.len() as f64);
    let alike = lengths().filter(|other| *other >= long / 2.0).count();
    let shorter = lengths().filter(|other| *other < long / 2.0);
    alike <= MOST && shorter.fold(0.0, f64::max) <= OTHERS * long
}

/// The change that a run of silent columns with so many events after it is; `None` where it is a
/// long wait.
fn change(timeline: &Timeline, (run, after): (&Run, u64), long_runs: &[Run]) -> Option<Change> {
    let columns = &timeline.columns;
    let (from, to) = (run.columns.start, run.columns.end);
    let change_of = |kind, inside: Range<usize>, before: Level| Change {
        start: columns[inside.start].start,
        exact_to: timeline.column,
        end: columns[..inside.end].last().map(|column| column.end),
        kind,
        before,
        after: Level::of(&columns[inside]),
    };
    let last = long_runs.iter().rev().map(|other| other.columns.end).find(|end| *end <= from);
    let known = last.unwrap_or(0);
    // Events may have ended in a part of the columns next to a silence only.
    let within = known + usize::from(last.is_some())..from.saturating_sub(1);
    let before = || Level::of(columns.get(within.clone()).unwrap_or_default());
    let stray = (STRAY * timeline.total.events() as f64).max(1.0);
    if from > 0 && after as f64 <= stray && !run.waits {
        let stops = change_of(ChangeKind::Stops, from..columns.len(), before());
        return Some(Change { end: None, ..stops });
    }
    match stall(timeline, &run.columns) {
        Some(Jam { stall, columns: inside, .. }) => {
            let before = Level::of(columns.get(known..inside.start).unwrap_or_default());
            Some(change_of(ChangeKind::Stalls(stall), inside, before))
        }
        None if run.waits => None,
        None => Some(change_of(ChangeKind::Silent, from..to, before())),
    }
}

/// A stall, and the columns from its begin to where the last that was held up ended.
struct Jam {
    stall: Stall,
    columns: Range<usize>,
    /// Those held up that waited for half of the time in which nothing ended, at least.
    long: u64,
}

/// The stall that a silence is, if waits end right after it that were there all along.
fn stall(timeline: &Timeline, run: &Range<usize>) -> Option<Jam> {
    let columns = &timeline.columns;
    let quiet_ns = timeline.column.as_nanos().saturating_mul(run.len() as u64) as f64;
    let long = |column: &&Column| latencies_from(column, HELD_UP * quiet_ns).next().is_some();
    let late = columns[run.end..].iter().take_while(long).count();
    let end = run.end + late;
    // What always takes so long is held up by nothing.
    let others = columns[..run.start].iter().chain(&columns[end..]);
    let others = Histogram::merged(others.filter_map(|column| column.latencies.as_ref()));
    let usual_ns = |q| {
        let usual = others.as_ref().and_then(|others| Some(others.quantile(q).ok()?.bucket));
        usual.map(|bucket| bucket.hi.map_or(f64::INFINITY, |hi| hi.as_nanos() as f64))
    };
    if usual_ns(0.9).is_some_and(|usual| usual >= HELD_UP * quiet_ns) {
        return None;
    }
    let beyond_usual_ns = usual_ns(USUAL).unwrap_or(f64::INFINITY).min(HELD_UP * quiet_ns);
    let least_ns = beyond_usual_ns.max(quiet_ns / PARTS as f64);
    let late = &columns[run.end..end];
    let held_up = || late.iter().flat_map(|column| latencies_from(column, least_ns));
    let sum = |each_s: fn(Bucket) -> f64| -> f64 {
        held_up().map(|(bucket, count)| each_s(bucket) * count as f64).sum()
    };
    let from = begin(timeline, run.start, end);
    let all = &columns[from..end];
    let others_s: f64 = all.iter().map(|column| seconds_below(column, least_ns)).sum();
    let seconds: f64 = all.iter().map(|column| column.waited.seconds).sum();
    // What is known of when time was waited is more exact than coarse buckets.
    let low_s = sum(|bucket| bucket.lo.as_secs_f64());
    let high_s = sum(|bucket| bucket.hi.map_or(f64::INFINITY, Nanos::as_secs_f64));
    let seconds = (seconds - others_s).clamp(low_s, high_s);
    let count_from = |least_ns| {
        late.iter()
            .flat_map(|one| latencies_from(one, least_ns))
            .map(|(_, count)| count)
            .sum::<u64>()
    };
    let surely = count_from(least_ns);
    let sooner = count_from(beyond_usual_ns) - surely;
    let stall = Stall {
        quiet_to: columns.get(run.end)?.start,
        held_up: surely + sooner.min(surely / (PARTS - 1)),
        longest: held_up().map(|(bucket, _)| bucket).max_by_key(|bucket| bucket.lo)?,
        time_share: (seconds / timeline.waited().seconds).clamp(0.0, 1.0),
    };
    Some(Jam { stall, columns: from..end, long: count_from(HELD_UP * quiet_ns) })
}

/// The latencies of what ended in a column and took so many nanoseconds at least.
fn latencies_from(column: &Column, least_ns: f64) -> impl Iterator<Item = (Bucket, u64)> {
    let counts = column.latencies.iter().flat_map(Histogram::non_zero);
    counts.filter(move |(bucket, _)| bucket.lo.as_nanos() as f64 >= least_ns)
}

/// The seconds of what ended in a column and took less.
fn seconds_below(column: &Column, least_ns: f64) -> f64 {
    let counts = column.latencies.iter().flat_map(Histogram::non_zero);
    let shorter = counts.filter(|(bucket, _)| (bucket.lo.as_nanos() as f64) < least_ns);
    shorter.map(|(bucket, count)| bucket.mid_point().as_secs_f64() * count as f64).sum()
}

/// The column in which a stall begins: the one before the first in which nothing ended, if it has a
/// part of what those held up waited.
fn begin(timeline: &Timeline, quiet: usize, end: usize) -> usize {
    let Some(before) = quiet.checked_sub(1) else { return quiet };
    let (column, others) = (&timeline.columns[before], waiting_outside(timeline, &(before..end)));
    let waits = column.events > 0 && column.waiting() > BEGINS * others;
    if waits && timeline.total.is_time_placed() { before } else { quiet }
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

    /// Eight clients wait 6 s for a lock among 15,000 events a second, of which 1 in 60 takes some 8 ms
    /// at any time: these were not held up.
    #[test]
    fn what_takes_long_at_any_time_is_not_held_up() {
        for (seed, scheme) in (1..).zip(&schemes()) {
            let timeline = run(seed, 300, scheme, |second, _| {
                if (100..106).contains(&second) {
                    return vec![];
                }
                let clients = if second == 106 { 8.0 } else { 0.0 };
                let always = [Peak(15_000.0, 300.0, 0.6), Peak(250.0, 8_000.0, 0.8)];
                [&always[..], &[Peak(clients, 6_000_000.0, 0.01)]].concat()
            });
            let [stall] = &silences(&timeline, &timeline, None)[..] else { panic!() };
            let ChangeKind::Stalls(held) = stall.kind else { panic!("{stall:?}") };
            let longest = Nanos::from_secs_f64(4.0).expect("small");
            let waited = timeline.columns[106].latencies.as_ref().expect("events").non_zero();
            let clients: u64 =
                waited.filter(|(bucket, _)| bucket.lo > longest).map(|(_, count)| count).sum();
            assert!(held.held_up.abs_diff(clients) <= 3, "{held:?}, {clients}");
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
