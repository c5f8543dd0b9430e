//! Short stretches of time into which much of the waiting falls.

use isotherm_frame::{Histogram, Nanos, Timestamp};

use crate::busiest::effective_events;
use crate::ends::with_ends;
use crate::segments::LEAST_APART;
use crate::{Column, Level, Timeline};

/// A few columns in which far more time was waited than otherwise.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Burst {
    /// Where it begins.
    pub start: Timestamp,
    /// Where all is as before.
    pub end: Timestamp,
    /// Events in it.
    pub events: u64,
    /// Its share of all time waited, 0 to 1.
    pub time_share: f64,
    /// The mean latency in it, in nanoseconds.
    pub mean_ns: f64,
    /// How exactly its ends are known: the length of a column.
    pub exact_to: Nanos,
}

/// Several bursts that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Bursts {
    /// From when to when each, in the order of time.
    pub stretches: Vec<(Timestamp, Timestamp)>,
    /// How exactly that is known: the length of a column.
    pub exact_to: Nanos,
    /// What is in all of them.
    pub inside: Level,
    /// What is in the rest of the window.
    pub outside: Level,
}

/// Fewer columns show no burst.
const LEAST_COLUMNS: usize = 16;
/// What is usual: this share of the columns has no more waiting.
const USUAL: f64 = 0.8;
/// A burst has a column with so many times the usual waiting...
const TIMES: f64 = 8.0;
/// ...and ends where there is less than so many times the usual.
const STILL: f64 = 2.0;
/// A burst owns at least this share of the time waited.
const LEAST_SHARE: f64 = 0.1;
/// What is longer, in columns, is a change; in a long run this share of the columns may be.
const LONGEST: (usize, f64) = (12, 0.02);
/// Fewer events that really matter are outliers.
const LEAST_EVENTS: f64 = 20.0;

/// The bursts, in the order of time: stretches of few columns, each with several times the usual
/// waiting, that own much of the time waited and owe it to many events. What usual is, the
/// quantile of all columns says, on which a few columns have no influence (Hampel 1974).
pub fn bursts(timeline: &Timeline) -> Vec<Burst> {
    let columns = &timeline.columns;
    let mut sorted: Vec<f64> = timeline.known().map(Column::waiting).collect();
    if sorted.len() < LEAST_COLUMNS {
        return Vec::new();
    }
    sorted.sort_unstable_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in it")]
    let usual = sorted[(USUAL * (sorted.len() - 1) as f64) as usize];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of it")]
    let longest = LONGEST.0.max((LONGEST.1 * sorted.len() as f64) as usize);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(first) = next(columns, from, |waiting| waiting > STILL * usual) {
        let length = columns[first..].iter().take_while(|column| column.waiting() > STILL * usual);
        let end = first + length.count();
        let inside = &columns[first..end];
        let with_ends = with_ends(columns, first..end);
        let high = usual > 0.0 && inside.iter().any(|column| column.waiting() > TIMES * usual);
        // One that was there from the start may have lasted long, and one that is there at the end may last:
        // then it is a change.
        let is_over = end < columns.len() || end - first < LEAST_APART;
        if high && first > 0 && is_over && end - first <= longest {
            found.extend(burst(&columns[with_ends.clone()], timeline));
        }
        from = with_ends.end;
    }
    found
}

/// An incident has a column with so many times the usual waiting...
const INCIDENT: f64 = 50.0;
/// ...ends where there is less than this share of the most...
const OF_MOST: f64 = 0.1;
/// ...takes at most this share of the columns...
const INCIDENT_LONGEST: f64 = 0.4;
/// ...and owns at least this share of the time waited.
const INCIDENT_SHARE: f64 = 0.5;

/// The one stretch of any length that owns most of the time waited, where what is usual is the
/// median and far less.
pub(crate) fn incident(timeline: &Timeline) -> Option<Burst> {
    let columns = &timeline.columns;
    let mut sorted: Vec<f64> = timeline.known().map(Column::waiting).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (usual, most) = (*sorted.get(sorted.len() / 2)?, *sorted.last()?);
    if sorted.len() < LEAST_COLUMNS || usual <= 0.0 || most < INCIDENT * usual {
        return None;
    }
    let top = columns.iter().position(|column| column.waiting() >= most)?;
    let high = |column: &&Column| column.waiting() > OF_MOST * most;
    let before = columns[..top].iter().rev().take_while(high).count();
    let after = columns[top..].iter().take_while(high).count();
    let inside = &columns[top - before..top + after];
    let short = inside.len() as f64 <= INCIDENT_LONGEST * sorted.len() as f64;
    let inside = &columns[with_ends(columns, top - before..top + after)];
    let holds_most = waited_in(inside) >= INCIDENT_SHARE * timeline.waited().seconds;
    burst(inside, timeline).filter(|_| short && holds_most)
}

/// The first column from there on of which this holds.
fn next(columns: &[Column], from: usize, holds: impl Fn(f64) -> bool) -> Option<usize> {
    let at = columns.get(from..)?.iter().position(|column| holds(column.waiting()))?;
    Some(from + at)
}

fn burst(columns: &[Column], timeline: &Timeline) -> Option<Burst> {
    let latencies = Histogram::merged(columns.iter().filter_map(|c| c.latencies.as_ref()))?;
    let burst = of_columns(columns, timeline)?;
    let within = waited_in(columns) / timeline.waited().seconds;
    let matters = within >= LEAST_SHARE && effective_events(&latencies) >= LEAST_EVENTS;
    matters.then_some(burst)
}

/// These columns as a burst; `None` without events.
pub(crate) fn of_columns(columns: &[Column], timeline: &Timeline) -> Option<Burst> {
    let (first, last) = (columns.first()?, columns.last()?);
    let latencies = Histogram::merged(columns.iter().filter_map(|c| c.latencies.as_ref()))?;
    let mean_ns = latencies.mean_ns()?;
    // What ended in it may have been waited before it: its events own that, too.
    let all = timeline.waited().seconds;
    let waited = waited_in(columns).max(latencies.events() as f64 * mean_ns / 1e9).min(all);
    Some(Burst {
        start: first.start,
        end: last.end,
        events: latencies.events(),
        time_share: waited / all,
        mean_ns,
        exact_to: timeline.column,
    })
}

fn waited_in(columns: &[Column]) -> f64 {
    columns.iter().map(|column| column.waited.seconds).sum()
}

impl Burst {
    /// Whether a column lies in it.
    pub(crate) fn covers(&self, column: &Column) -> bool {
        self.start < column.end && column.start < self.end
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Quality, Scheme, Series, Unit};

    use super::*;
    use crate::simulated::{Chance, Peak, at, run};
    use crate::{Circumstances, Findings};

    #[test]
    fn an_incident_of_a_few_seconds_is_found_with_its_share_and_is_no_change() {
        for (seed, scheme) in (1..).zip([Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)])
        {
            // Four seconds of 400 waits of half a second, against 0.04 s waited each second.
            let run = run(seed, 360, &scheme, |second, _| {
                let stuck = if (155..159).contains(&second) { 400.0 } else { 0.0 };
                vec![Peak(400.0, 100.0, 0.3), Peak(stuck, 500_000.0, 0.3)]
            });
            let found = bursts(&run);
            let [burst] = &found[..] else { panic!("{found:#?}") };
            assert_eq!((burst.start, burst.end), (at(155), at(159)));
            assert!(burst.time_share > 0.95 && (2_800..3_600).contains(&burst.events));
            assert!((burst.mean_ns / 250e6 - 1.0).abs() < 0.25, "{burst:?}");
            let findings = Findings::of(&run, &Circumstances::default());
            assert_eq!((findings.bursts.len(), findings.changes.len()), (1, 0), "{findings:#?}");
            let rest = run.without(|column| found.iter().any(|burst| burst.covers(column)));
            assert_eq!(rest.outside + rest.total.events(), run.total.events());
        }
    }

    /// An event of 0.9 s that ends at the beginning of a second was waited in the second before; it is one of
    /// three that end there, and of all 2.903 s waited these have 0.902.
    #[test]
    fn the_share_of_a_burst_holds_what_its_events_waited_before_it() {
        let second = |second: usize, us: &[u64], waited_us: u64| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            for &us in us {
                counts.record(Nanos::from_micros(us));
            }
            let mut times = vec![0; counts.scheme().buckets()];
            times[counts.scheme().index_of(Nanos::from_micros(1_000)).unwrap()] = waited_us * 1_000;
            let counts = counts.with_waited(times, true).unwrap();
            let (start, end) = (at(second), at(second + 1));
            let quality = Quality::Complete;
            Frame { series: Series::named("x"), start, end, counts, quality }
        };
        let frames: Vec<Frame> = (0..1_000)
            .map(|place| match place {
                500 => second(place, &[1_000, 1_000], 2_000 + 901_000),
                501 => second(place, &[900_000, 1_000, 1_000], 1_000),
                _ => second(place, &[1_000, 1_000], 2_000),
            })
            .collect();
        let timeline = Timeline::place(&frames, crate::Grid::covering(&frames, 2_000).unwrap());
        assert_eq!(timeline.columns.len(), 1_000);
        let burst = of_columns(&timeline.columns[501..502], &timeline).unwrap();
        assert_eq!((burst.start, burst.events), (at(501), 3));
        let share = 0.902 / (999.0 * 0.002 + 0.901 + 0.001);
        assert!((burst.time_share - share).abs() < 0.002, "{burst:?} {share}");
    }

    #[test]
    fn a_fifth_of_the_time_in_which_nearly_everything_is_waited_is_an_incident() {
        let loaded = run(3, 147, &Scheme::powers_of_two(Unit::Micros), |second, chance| {
            let load = 200.0 * (0.9 * chance.normal()).exp();
            let burst = if (44..75).contains(&second) { 20_000.0 } else { 0.0 };
            vec![Peak(load, 100.0, 0.5), Peak(burst, 500.0, 0.3)]
        });
        let found = incident(&loaded).unwrap();
        assert_eq!((found.start, found.end), (at(44), at(75)));
        assert!(found.time_share > 0.97, "{found:?}");
        let steady = run(3, 147, &Scheme::log_linear(), |_, _| vec![Peak(200.0, 100.0, 0.5)]);
        assert_eq!(incident(&steady), None);
    }

    /// What begins some seconds before the end may last: it is a change without an end. What
    /// begins in the last ones is a burst so far.
    #[test]
    fn what_is_there_at_the_end_is_no_burst_unless_it_is_short() {
        let from = |begins: usize| {
            run(4, 60, &Scheme::log_linear(), move |second, _| {
                let slow = if second >= begins { 50.0 } else { 0.0 };
                vec![Peak(100.0, 300.0, 0.3), Peak(slow, 50_000.0, 0.3)]
            })
        };
        assert_eq!(bursts(&from(54)), []);
        let late = bursts(&from(58));
        let [burst] = &late[..] else { panic!("{late:#?}") };
        assert_eq!((burst.start, burst.end), (at(58), at(60)));
    }

    #[test]
    fn steady_runs_lone_outliers_and_long_disturbances_are_no_bursts() {
        let log_linear = Scheme::log_linear();
        let wild = |seed| {
            run(seed, 300, &log_linear, |_, chance: &mut Chance| {
                let load = 40.0 * (0.5 * chance.normal()).exp();
                vec![Peak(load, 300.0, 1.5), Peak(0.02, 2_000_000.0, 0.1)]
            })
        };
        let alarms = (0..100).filter(|&seed| !bursts(&wild(seed)).is_empty()).count();
        assert!(alarms <= 2, "{alarms} of 100");
        let backup = run(3, 600, &log_linear, |second, _| {
            let slow = if (200..300).contains(&second) { 100.0 } else { 0.0 };
            vec![Peak(100.0, 300.0, 0.3), Peak(slow, 50_000.0, 0.3)]
        });
        assert_eq!(bursts(&backup), []);
        assert_eq!(bursts(&run(3, 8, &log_linear, |_, _| vec![Peak(9.0, 9.0, 0.1)])), []);
    }
}
