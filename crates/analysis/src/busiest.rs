//! The stretch of time that owns the most of all time waited.

use isotherm_frame::{Histogram, Nanos, Timestamp};

use crate::ends::with_ends;
use crate::{Column, Level, Timeline};

/// A stretch of time in which far more was waited than in the rest of the window.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Incident {
    /// Where it begins.
    pub start: Timestamp,
    /// Where it ends.
    pub end: Timestamp,
    /// Whether it is there at the end of what is known, so that it may go on.
    pub lasts: bool,
    /// How exactly its ends are known: the length of a column.
    pub exact_to: Nanos,
    /// Its share of all time waited in the window, 0 to 1.
    pub time_share: f64,
    /// What is in it.
    pub inside: Level,
    /// What is in the rest of the window.
    pub outside: Level,
}

/// So many times fewer events that take so many times as long are a stall.
const STALLS: f64 = 4.0;

impl Incident {
    /// Where it ends; `None` if it lasts.
    pub fn until(&self) -> Option<Timestamp> {
        (!self.lasts).then_some(self.end)
    }

    /// Whether few events ended in it, and these took long.
    pub fn is_stall(&self) -> bool {
        let (inside, outside) = (self.inside, self.outside);
        inside.rate * STALLS <= outside.rate
            && outside.mean_ns > 0.0
            && inside.mean_ns >= STALLS * outside.mean_ns
    }
}

/// Fewer columns with data show no stretch.
const LEAST_COLUMNS: usize = 16;
/// A shorter stretch, in columns, is a burst.
const SHORTEST: usize = 4;
/// The least share of all time waited.
const LEAST_SHARE: f64 = 0.3;
/// A longer stretch, as a share of the time covered, is the usual state.
const LONGEST: f64 = 0.5;
/// So many times the waiting of the rest.
const TIMES: f64 = 4.0;
/// This share of its columns has at least so many times the waiting of the rest: one column that
/// owns it all is no stretch.
const MOST_COLUMNS: (f64, f64) = (0.75, 2.0);
/// What lasts is there in so many columns at the end.
pub(crate) const LAST: usize = 3;
/// Fewer events that really matter are outliers.
const LEAST_EVENTS: f64 = 20.0;

/// The stretch with the most time waited beyond the average of the window: the segment of columns
/// with the largest sum of what each waited above the mean (Bentley 1984). `None` where no stretch
/// stands out: it must own much of the time waited in less than half of the time, in most of its
/// columns, and owe it to many events.
pub fn busiest(timeline: &Timeline) -> Option<Incident> {
    let many = |inside: &Sums| {
        inside.latencies.as_ref().map(effective_events).is_some_and(|events| events >= LEAST_EVENTS)
    };
    busiest_of(timeline, many)
}

/// A stretch of time without events has on average so many that wait: fewer are a few samples.
const LEAST_WAITING: f64 = 1.0;

/// The same of time without events, as samples see it.
pub(crate) fn busiest_time(timeline: &Timeline) -> Option<Incident> {
    busiest_of(timeline, |inside| inside.level().waiting >= LEAST_WAITING)
}

fn busiest_of(timeline: &Timeline, matters: impl Fn(&Sums) -> bool) -> Option<Incident> {
    let known: Vec<&Column> = timeline.known().filter(|column| column.covered_s > 0.0).collect();
    if known.len() < LEAST_COLUMNS {
        return None;
    }
    let (from, to) = most_beyond_mean(&known)?;
    let length = to - from;
    let to = with_ends(&known, from..to).end;
    let inside = Sums::of(&known[from..to]);
    let all = Sums::of(&known);
    let outside = Sums::of(&[&known[..from], &known[to..]].concat());
    let (of_inside, of_outside) = (inside.level(), outside.level());
    let usual = MOST_COLUMNS.1 * of_outside.waiting;
    let busy = known[from..from + length].iter().filter(|column| column.waiting() >= usual).count();
    let share = inside.waited_s / all.waited_s;
    let stands_out = length >= SHORTEST
        && share >= LEAST_SHARE
        && inside.covered_s <= LONGEST * all.covered_s
        && of_inside.waiting >= TIMES * of_outside.waiting
        && busy as f64 >= MOST_COLUMNS.0 * length as f64
        && matters(&inside);
    stands_out.then(|| Incident {
        start: known[from].start,
        end: known[to - 1].end,
        lasts: to == known.len()
            && known[to - LAST..].iter().all(|column| column.waiting() >= usual),
        exact_to: timeline.column,
        time_share: share,
        inside: of_inside,
        outside: of_outside,
    })
}

/// The stretch of time with the most time waited beyond the average of the window, whatever that is.
pub(crate) fn most_waited(timeline: &Timeline) -> Option<(Timestamp, Timestamp)> {
    let known: Vec<&Column> = timeline.known().filter(|column| column.covered_s > 0.0).collect();
    let (from, to) = most_beyond_mean(&known)?;
    Some((known.get(from)?.start, known.get(to.checked_sub(1)?)?.end))
}

/// The columns, from and to, with the largest sum of time waited beyond the mean.
fn most_beyond_mean(known: &[&Column]) -> Option<(usize, usize)> {
    let sum = |of: fn(&Column) -> f64| known.iter().map(|column| of(column)).sum::<f64>();
    let mean = sum(|column| column.waited.seconds) / sum(|column| column.covered_s);
    let (mut best, mut best_sum) = (None, 0.0);
    let (mut from, mut running) = (0, 0.0);
    for (index, column) in known.iter().enumerate() {
        if running <= 0.0 {
            (from, running) = (index, 0.0);
        }
        running += column.waited.seconds - mean * column.covered_s;
        if running > best_sum {
            (best, best_sum) = (Some((from, index + 1)), running);
        }
    }
    best
}

/// What several columns hold together.
struct Sums {
    latencies: Option<Histogram>,
    waited_s: f64,
    covered_s: f64,
}

impl Sums {
    fn of(columns: &[&Column]) -> Sums {
        Sums {
            latencies: Histogram::merged(columns.iter().filter_map(|c| c.latencies.as_ref())),
            waited_s: columns.iter().map(|column| column.waited.seconds).sum(),
            covered_s: columns.iter().map(|column| column.covered_s).sum(),
        }
    }

    fn level(&self) -> Level {
        Level::of_sums(self.latencies.as_ref(), self.waited_s, self.covered_s)
    }
}

/// The number of events that would, all alike, make up as much of the time: the effective sample
/// size of Kish (1965), with latencies as weights.
pub(crate) fn effective_events(latencies: &Histogram) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for (bucket, count) in latencies.non_zero() {
        let each = bucket.mid_point().as_secs_f64();
        sum += each * count as f64;
        squares += each * each * count as f64;
    }
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Unit};

    use super::*;
    use crate::simulated::{Chance, Peak, at, drifting, run};

    #[test]
    fn a_backup_of_half_a_minute_is_found_with_the_share_it_was_planted_with() {
        for seed in 1..=12 {
            let scheme = if seed % 2 == 0 {
                Scheme::log_linear()
            } else {
                Scheme::powers_of_two(Unit::Micros)
            };
            // A noisy idle disk: 500/s of 0.1 ms; from second 45 on 31 s of 40,000/s of 0.5 ms.
            let run = run(seed, 148, &scheme, |second, chance: &mut Chance| {
                let idle = 500.0 * (0.8 * chance.normal()).exp();
                let backup = if (45..76).contains(&second) { 4_000.0 } else { 0.0 };
                vec![Peak(idle / 10.0, 100.0, 0.3), Peak(backup, 500.0, 0.4)]
            });
            let found = busiest(&run).expect("the backup");
            assert_eq!((found.start, found.end), (at(45), at(76)), "{found:?}");
            let inside: f64 = run.columns[45..76].iter().map(|c| c.waited.seconds).sum();
            let all: f64 = run.columns.iter().map(|c| c.waited.seconds).sum();
            assert!((found.time_share - inside / all).abs() < 1e-9 && found.time_share > 0.95);
            assert!((found.inside.waiting * 31.0 - inside).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn no_stretch_of_steady_noise_stands_out() {
        let log_linear = Scheme::log_linear();
        let heavy = |seed| {
            run(seed, 300, &log_linear, |_, chance: &mut Chance| {
                // Waits with a Pareto tail: a wild one now and then.
                let wild = 300.0 / chance.uniform().max(1e-6).powf(1.0 / 1.5);
                vec![Peak(20.0, 300.0, 1.5), Peak(1.0, wild, 0.1)]
            })
        };
        let slow_noise = |seed| {
            let mut drift = drifting(0.95);
            run(seed, 300, &log_linear, move |_, chance| {
                let load = 40.0 * (0.5 * drift(chance)).exp();
                vec![Peak(load, 300.0, 0.5)]
            })
        };
        let alarms = (0..100)
            .flat_map(|seed| [busiest(&heavy(seed)), busiest(&slow_noise(1_000 + seed))])
            .flatten()
            .count();
        assert!(alarms <= 2, "{alarms} of 200");
    }

    #[test]
    fn a_level_that_stays_and_too_few_columns_are_no_stretch() {
        let step = run(3, 200, &Scheme::log_linear(), |second, _| {
            vec![Peak(100.0, if second < 60 { 300.0 } else { 3_000.0 }, 0.3)]
        });
        assert_eq!(busiest(&step), None, "it lasts for more than half of the time");
        let short = run(3, 12, &Scheme::log_linear(), |second, _| {
            vec![Peak(100.0, if second < 8 { 300.0 } else { 30_000.0 }, 0.3)]
        });
        assert_eq!(busiest(&short), None);
    }
}
