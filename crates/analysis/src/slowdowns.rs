//! Stalls in which something still ends: for a few moments few events end, and these take long.

use isotherm_frame::Histogram;

use crate::bursts::of_columns;
use crate::{Burst, Column, ColumnState, Timeline};

/// So many times fewer events end...
const FEWER: f64 = 4.0;
/// ...and half of them take so many times as long as usual, at least.
const LONGER: f64 = 4.0;
/// The most columns: what is longer is a new level.
const LONGEST: usize = 6;
/// How many columns on each side say what is usual.
const NEAR: usize = 12;
/// The fewest of them.
const LEAST_NEAR: usize = 8;
/// Fewer events in a column are rare by themselves.
const LEAST_USUAL: f64 = 20.0;
/// As much waits as usual, about: a load that falls is no stall.
const WAITING: f64 = 0.5;
/// The least share of all time waited.
const LEAST_SHARE: f64 = 0.02;

/// The stretches, in the order of time. What is usual is the median of the columns near by, on which a
/// few have no influence.
pub(crate) fn slowdowns(timeline: &Timeline) -> Vec<Burst> {
    let measured: Vec<Option<Measured>> = timeline.columns.iter().map(Measured::of).collect();
    let held: Vec<bool> = (0..measured.len()).map(|index| is_held_up(&measured, index)).collect();
    let mut found = Vec::new();
    let mut from = 0;
    for part in held.chunk_by(|one, two| one == two) {
        let inside = &timeline.columns[from..from + part.len()];
        if part[0] && from > 0 && part.len() <= LONGEST {
            found.extend(of_columns(inside, timeline));
        }
        from += part.len();
    }
    found.retain(|burst: &Burst| burst.time_share >= LEAST_SHARE);
    found
}

/// What is looked at of a column.
struct Measured {
    events: f64,
    rate: f64,
    median_ns: f64,
    waiting: f64,
}

impl Measured {
    fn of(column: &Column) -> Option<Measured> {
        let known = column.state == ColumnState::Data && column.covered_s > 0.0;
        let median = |all: &Histogram| Some(all.quantile(0.5).ok()?.bucket.mid_point());
        let median_ns = column.latencies.as_ref().and_then(median);
        known.then(|| Measured {
            events: column.events as f64,
            rate: column.events as f64 / column.covered_s,
            median_ns: median_ns.map_or(0.0, |median| median.as_nanos() as f64),
            waiting: column.waiting(),
        })
    }
}

fn is_held_up(measured: &[Option<Measured>], index: usize) -> bool {
    let Some(here) = measured[index].as_ref().filter(|here| here.events > 0.0) else {
        return false;
    };
    let near = index.saturating_sub(NEAR)..measured.len().min(index + NEAR + 1);
    let others: Vec<&Measured> =
        near.filter(|&at| at != index).filter_map(|at| measured[at].as_ref()).collect();
    if others.len() < LEAST_NEAR {
        return false;
    }
    let usual = |of: fn(&Measured) -> f64| {
        let mut values: Vec<f64> = others.iter().map(|other| of(other)).collect();
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() / 2]
    };
    usual(|other| other.events) >= LEAST_USUAL
        && here.rate * FEWER <= usual(|other| other.rate)
        && here.median_ns >= LONGER * usual(|other| other.median_ns)
        && here.waiting >= WAITING * usual(|other| other.waiting)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Scheme, Unit};

    use super::*;
    use crate::simulated::{Chance, Peak, at, run};

    #[test]
    fn three_seconds_in_which_few_long_writes_end_are_found() {
        for (seed, scheme) in
            (0..20).zip([Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros)].iter().cycle())
        {
            // 500 writes/s of 0.3 ms, and for three seconds 30 of 20 ms instead.
            let run = run(seed, 90, scheme, |second, _| {
                if (40..43).contains(&second) {
                    return vec![Peak(30.0, 20_000.0, 0.5)];
                }
                vec![Peak(500.0, 300.0, 0.5)]
            });
            let found = slowdowns(&run);
            let [stall] = &found[..] else { panic!("{seed}: {found:?}") };
            assert_eq!((stall.start, stall.end), (at(40), at(43)));
            // By hand: 3 x 30 x 20 ms of these and 87 x 500 x 0.3 ms, with the means of lognormals.
            let share = 1.8 / (1.8 + 13.05);
            assert!((stall.time_share - share).abs() < 0.03, "{stall:?}");
        }
    }

    #[test]
    fn load_that_varies_and_wild_latencies_are_no_stall() {
        let noise = |seed| {
            run(seed, 300, &Scheme::log_linear(), |_, chance: &mut Chance| {
                let load = 60.0 * (0.9 * chance.normal()).exp();
                let wild = 300.0 / chance.uniform().max(1e-6).powf(1.0 / 1.5);
                vec![Peak(load, 300.0, 1.5), Peak(1.0, wild, 0.1)]
            })
        };
        let alarms = (0..100).filter(|&seed| !slowdowns(&noise(seed)).is_empty()).count();
        assert!(alarms <= 1, "{alarms} of 100");
        // What stays slow and rare is a new level.
        let step = run(3, 200, &Scheme::log_linear(), |second, _| {
            let then = second >= 100;
            vec![Peak(if then { 20.0 } else { 200.0 }, if then { 9_000.0 } else { 300.0 }, 0.3)]
        });
        assert_eq!(slowdowns(&step), []);
    }
}
