//! The time waited in the cells of columns in which it does not follow from counts and sums: a
//! column's total to the nanosecond, and what each cell has of it to one per cent. In nanoseconds the
//! cells would be three quarters of an hour's page.

use isotherm_analysis::Timeline;
use isotherm_frame::leb128::push;
use isotherm_frame::{Bucket, Histogram};

/// Latencies that lie within a column are not worth their time: it follows from counts and sums.
const WITHIN: f64 = 1e-6;
/// A time near the usual one of its events is kept to one of so many steps of it.
const STEPS: f64 = 128.0;
/// The bits of the number of halvings of a time that stands alone.
const HALVINGS_BITS: u32 = 6;
/// What is left of a time that stands alone: three digits.
const MOST: u64 = 1_024;

/// The latencies of every column with data; a column without any counts as one of zeros.
pub(crate) fn latencies(timeline: &Timeline) -> impl Iterator<Item = Option<&Histogram>> {
    timeline.known().map(|column| column.latencies.as_ref())
}

/// For each column whether its cells say when time was waited, and if so its total, the cells with
/// events, how many others have time, and those; `None` where no column does.
pub(crate) fn block(timeline: &Timeline) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut any = false;
    for latencies in latencies(timeline) {
        let spread = latencies.filter(|latencies| is_spread(latencies));
        push(&mut out, u64::from(spread.is_some()));
        if let Some((latencies, ns)) = spread.and_then(|of| Some((of, of.waited_ns()?))) {
            any = true;
            push_column(&mut out, latencies, &ns);
        }
    }
    any.then_some(out)
}

/// Whether time was waited in a column by events that end in another one.
fn is_spread(latencies: &Histogram) -> bool {
    let (waited, ended) = (latencies.time_waited().seconds, latencies.latency_total().seconds);
    latencies.has_waited_ns() && (waited - ended).abs() > WITHIN * waited.max(ended)
}

fn push_column(out: &mut Vec<u8>, latencies: &Histogram, ns: &[u64]) {
    push(out, ns.iter().sum());
    for (row, &ns) in ns.iter().enumerate().filter(|(row, _)| latencies.count(*row) > 0) {
        push_beside(out, ns, usual_ns(latencies.scheme().bucket(row), latencies.count(row)));
    }
    let alone = || ns.iter().enumerate().filter(|(row, ns)| **ns > 0 && latencies.count(*row) == 0);
    push(out, alone().count() as u64);
    let mut next = 0;
    for (row, &ns) in alone() {
        push(out, (row - next) as u64);
        push(out, alone_code(ns));
        next = row + 1;
    }
}

/// The time of so many events in the middle of their bucket, at the bound of one without an end.
fn usual_ns(bucket: Bucket, events: u64) -> f64 {
    let lo = bucket.lo.as_nanos();
    let middle = bucket.hi.map_or(lo, |hi| lo + (hi.as_nanos() - lo) / 2);
    middle as f64 * events as f64
}

/// A time beside events: 0 and the time where it is far from the usual one, else the steps between
/// them, odd numbers for those below.
fn push_beside(out: &mut Vec<u8>, ns: u64, usual_ns: f64) {
    let steps = (ns as f64 / usual_ns * STEPS).round();
    if !(STEPS / 2.0..=STEPS * 2.0).contains(&steps) {
        push(out, 0);
        push(out, alone_code(ns));
        return;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "64 to 256")]
    let (steps, usual) = (steps as u64, STEPS as u64);
    push(out, if steps >= usual { (steps - usual) * 2 + 2 } else { (usual - steps) * 2 + 1 });
}

/// A time of three digits with the number of its halvings.
fn alone_code(ns: u64) -> u64 {
    let halvings = (u64::BITS - ns.leading_zeros()).saturating_sub(MOST.ilog2());
    ((ns >> halvings) << HALVINGS_BITS) | u64::from(halvings)
}
