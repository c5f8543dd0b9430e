//! Where the events end that were waiting in a stretch of time.

use std::borrow::Borrow;
use std::ops::Range;

use isotherm_frame::Histogram;

use crate::Column;

/// A wait began before half of a stretch was over if it took longer than the rest of it...
const HALF: f64 = 0.5;
/// ...and such waits own at least this part of what was waited in the stretch...
const OWNED: f64 = 0.5;
/// ...where they end in at most so many columns after it.
const ENDS: usize = 3;

/// A stretch with the columns after it in which the events end that were waiting in it, if these own most
/// of it: what is waited counts where it is waited, latencies where they end. Without these columns a lock
/// would have short latencies only, and the rest of the time its long ones.
pub(crate) fn with_ends<C: Borrow<Column>>(columns: &[C], inside: Range<usize>) -> Range<usize> {
    let Some(first) = columns.get(inside.start) else { return inside };
    let start = first.borrow().start;
    let late_s = |column: &Column| -> f64 {
        let least_s = HALF * column.start.since(start).as_secs_f64();
        let counts = column.latencies.iter().flat_map(Histogram::non_zero);
        let late = counts.filter(|(bucket, _)| bucket.lo.as_secs_f64() >= least_s);
        late.map(|(bucket, count)| bucket.mid_point().as_secs_f64() * count as f64).sum()
    };
    let after = columns.get(inside.end..).unwrap_or_default().iter().take(ENDS);
    let ends: Vec<f64> =
        after.map(|column| late_s(column.borrow())).take_while(|late_s| *late_s > 0.0).collect();
    let waited_s: f64 =
        columns[inside.clone()].iter().map(|column| column.borrow().waited.seconds).sum();
    let owns = !ends.is_empty() && ends.iter().sum::<f64>() >= OWNED * waited_s;
    inside.start..inside.end + if owns { ends.len() } else { 0 }
}
