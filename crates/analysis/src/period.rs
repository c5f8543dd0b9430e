//! What comes again and again.

use isotherm_frame::{Bucket, Histogram, Nanos, Timestamp};

use crate::rhythm::{Rhythm, rhythm};
use crate::{Column, ColumnState, Timeline};

/// Waits that come at regular intervals.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Period {
    /// From one to the next; about as exact as a column divided by the number of cycles.
    pub every: Nanos,
    /// The middle of the busy part of the first cycle.
    pub first: Timestamp,
    /// The number of bursts seen, at least four.
    pub cycles: usize,
    /// The busy part of a cycle, as a share of it, 0 to 1.
    pub busy: f64,
    /// The share of the time waited that falls in the busy part, 0 to 1.
    pub time_share: f64,
}

/// The most columns looked at; more are taken together.
const MOST: usize = 2_048;
/// Fewer columns with data show no period.
const LEAST: usize = 24;
/// The quantile beyond which events are slow.
const SLOW: f64 = 0.95;
/// The share of time in the busy part must be so many times its length.
const TELLING: f64 = 1.3;

/// The period of the time waited or of the slow events; `None` if there is none. For the method
/// see `rhythm`.
pub fn period(timeline: &Timeline) -> Option<Period> {
    if timeline.known().count() < LEAST {
        return None;
    }
    let together = timeline.columns.len().div_ceil(MOST);
    let parts: Vec<&[Column]> = timeline.columns.chunks(together).collect();
    let slow = timeline.total.quantile(SLOW).ok()?.counted_in.lo;
    let in_each = |amount: &dyn Fn(&[Column]) -> f64| -> Vec<Option<f64>> {
        parts.iter().map(|part| per_second(part, amount)).collect()
    };
    let of = |values: &[Option<f64>]| {
        let rhythm = rhythm(values)?;
        let found = described(&rhythm, &parts, timeline)?;
        let is_true =
            !is_latency(found.every, &timeline.total) && !is_beat(&rhythm, &parts, &timeline.total);
        is_true.then_some(found)
    };
    of(&in_each(&waited)).or_else(|| of(&in_each(&|part| slower(part, slow))))
}

/// A wait of at least this share of a cycle makes one by itself.
const LONG: f64 = 0.5;
/// It does if such waits own this share of the time.
const MOSTLY: f64 = 0.5;

/// Whether a cycle is only how long the waits are: sessions that always wait 5 s end one each 5 s.
fn is_latency(every: Nanos, total: &Histogram) -> bool {
    let time = |bucket: Bucket, count: u64| bucket.mid_point().as_secs_f64() * count as f64;
    let all: f64 = total.non_zero().map(|(bucket, count)| time(bucket, count)).sum();
    let long = |bucket: &Bucket| bucket.mid_point().as_secs_f64() >= LONG * every.as_secs_f64();
    let of_long = total.non_zero().filter(|(bucket, _)| long(bucket));
    of_long.map(|(bucket, count)| time(bucket, count)).sum::<f64>() > MOSTLY * all
}

/// Events longer than so many times the usual, as a mean, make a burst by their latency.
const LONGER: f64 = 1.3;
/// A busy column has so many more events than a calm one, at least, on average.
const MORE: f64 = 1.5;
/// The most events of a cycle that are one event.
const ONE: f64 = 1.5;

/// Whether a cycle may be only that of evenly spaced events against the columns: of one event each 1.3 s
/// three columns of a second hold one, and every fourth or fifth none. However long a column is, one
/// holds at most one event more than another, and a cycle several events.
fn is_beat(rhythm: &Rhythm, parts: &[&[Column]], total: &Histogram) -> bool {
    let mean = total.mean_ns().unwrap_or_default();
    let is_slow = |bucket: Bucket| bucket.lo.as_nanos() as f64 >= mean;
    let (mut busy, mut calm) = (Counted::default(), Counted::default());
    for (index, part) in parts.iter().enumerate() {
        let side = if rhythm.is_busy(index) { &mut busy } else { &mut calm };
        let counted = part.iter().filter_map(|column| column.latencies.as_ref());
        side.parts += f64::from(u8::from(part.iter().any(|c| c.state == ColumnState::Data)));
        for (bucket, count) in counted.flat_map(Histogram::non_zero) {
            let count = count as f64;
            side.events += count;
            side.seconds += bucket.mid_point().as_secs_f64() * count;
            side.slow += if is_slow(bucket) { count } else { 0.0 };
        }
    }
    let each = |side: &Counted, amount: f64| amount / side.parts.max(1.0);
    let longer = busy.seconds * calm.events > LONGER * calm.seconds * busy.events;
    if !longer {
        return each(&busy, busy.events) - each(&calm, calm.events) < MORE;
    }
    let cycles = (busy.parts + calm.parts) / rhythm.every;
    let of_cycle = (busy.slow + calm.slow) / cycles.max(1.0);
    of_cycle > ONE && each(&busy, busy.slow) - each(&calm, calm.slow) < MORE
}

/// What is counted in the busy or in the calm part of all cycles.
#[derive(Default)]
struct Counted {
    parts: f64,
    events: f64,
    slow: f64,
    seconds: f64,
}

/// Seconds waited.
fn waited(part: &[Column]) -> f64 {
    part.iter().map(|column| column.waited.seconds).sum()
}

/// Events at and above a latency.
fn slower(part: &[Column], from: Nanos) -> f64 {
    let counted = part.iter().filter_map(|column| column.latencies.as_ref());
    let slow = counted.flat_map(Histogram::non_zero).filter(|(bucket, _)| bucket.lo >= from);
    slow.map(|(_, count)| count as f64).sum()
}

/// An amount per second of covered time; `None` where nothing is known.
fn per_second(part: &[Column], amount: &dyn Fn(&[Column]) -> f64) -> Option<f64> {
    let covered: f64 = part.iter().map(|column| column.covered_s).sum();
    let data = part.iter().any(|column| column.state == ColumnState::Data);
    (data && covered > 0.0).then(|| amount(part) / covered)
}

/// The middle of the first busy part, at the earliest when what was measured begins: a column may begin before
/// it, where clocks count from the beginning of a run at a negative time.
fn first_after_begin(timeline: &Timeline, every: Nanos, middle: Nanos) -> Option<Timestamp> {
    let (begin, end) = (timeline.columns.first()?.start, timeline.columns.last()?.start);
    let crosses_zero = begin.as_nanos() < 0 && end.as_nanos() >= 0;
    let least = if crosses_zero { Timestamp::new(0) } else { begin };
    let first = begin.plus(middle);
    let behind = least.as_nanos().saturating_sub(first.as_nanos());
    let cycles = u64::try_from(behind).unwrap_or(0).div_ceil(every.as_nanos().max(1));
    Some(first.plus(Nanos::new(every.as_nanos().saturating_mul(cycles))))
}

fn described(rhythm: &Rhythm, parts: &[&[Column]], timeline: &Timeline) -> Option<Period> {
    let all: f64 = parts.iter().map(|part| waited(part)).sum();
    let busy = parts.iter().enumerate().filter(|(index, _)| rhythm.is_busy(*index));
    let in_busy: f64 = busy.map(|(_, part)| waited(part)).sum();
    let time_share = if all > 0.0 { in_busy / all } else { 0.0 };
    if time_share < TELLING * rhythm.busy {
        return None;
    }
    let seconds = timeline.column.as_secs_f64() * parts.first()?.len() as f64;
    let length = |values: f64| Nanos::from_secs_f64(values * seconds).unwrap_or_default();
    Some(Period {
        every: length(rhythm.every),
        first: first_after_begin(timeline, length(rhythm.every), length(rhythm.middle()))?,
        cycles: rhythm.bursts,
        busy: rhythm.busy,
        time_share,
    })
}
