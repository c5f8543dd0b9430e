//! Points of one series after the other become intervals.

use std::collections::HashMap;

use isotherm_frame::{Frame, Histogram, Mark, Quality, Reading, Series, Timestamp, Unit};

use super::point::{Buckets, Point, Temporality, histogram};
use crate::running_totals::{RunningTotals, is_reset};
use crate::{Note, Sink};

/// What is remembered of each cumulative series.
#[derive(Debug, Default)]
pub(super) struct Totals {
    known: HashMap<Series, Known>,
}

#[derive(Debug)]
struct Known {
    running: RunningTotals,
    /// The last point, whose buckets may have to be made wider.
    last: Point,
}

impl Totals {
    /// Series that are told apart at most.
    const MOST: usize = 100_000;

    /// Takes a point; gives the interval that it ends, if there is one.
    pub(super) fn take(
        &mut self,
        name: &str,
        unit: Unit,
        mut point: Point,
    ) -> Result<Option<Frame>, &'static str> {
        if point.no_value {
            return Ok(None);
        }
        let attributes = std::mem::take(&mut point.attributes);
        let series = Series::with_attributes(name.to_owned(), attributes);
        let counts = histogram(&point, unit)?;
        let end = moment(point.time_ns).ok_or("it has no time")?;
        match point.temporality {
            Temporality::Unspecified => {
                Err("it does not say whether its counts are totals or those of an interval")
            }
            Temporality::Delta => {
                let start = moment(point.start_ns).ok_or("it has no time at which its interval began")?;
                if start >= end {
                    return Err("its interval has no length");
                }
                Ok(Some(Frame { series, start, end, counts, quality: Quality::Complete }))
            }
            Temporality::Cumulative => self.total(series, unit, (end, counts), point),
        }
    }

    fn total(
        &mut self,
        series: Series,
        unit: Unit,
        (at, counts): (Timestamp, Histogram),
        point: Point,
    ) -> Result<Option<Frame>, &'static str> {
        if self.known.len() >= Totals::MOST && !self.known.contains_key(&series) {
            return Err("there are more series than can be kept");
        }
        let began = moment(point.start_ns);
        let known = self.known.entry(series.clone()).or_insert_with(|| Known {
            running: RunningTotals::new(series.clone()),
            last: Point::default(),
        });
        if let Some((last_at, wider)) = widened(&known.last, &point, unit) {
            known.running = RunningTotals::new(series);
            known.running.take(last_at, wider, moment(known.last.start_ns));
        }
        let frame = known.running.take(at, counts, began);
        known.last = point;
        Ok(frame)
    }
}

/// The last point in the wider buckets of the next one, if these are wider.
fn widened(last: &Point, next: &Point, unit: Unit) -> Option<(Timestamp, Histogram)> {
    let (Buckets::Powers { counts, negative }, Buckets::Powers { counts: wider, .. }) =
        (&last.buckets, &next.buckets)
    else {
        return None;
    };
    let same = (counts.scale, counts.zero_threshold) == (wider.scale, wider.zero_threshold);
    if same || last.time_ns == 0 {
        return None;
    }
    let counts = counts.at_scale(wider.scale)?;
    let buckets = Buckets::Powers { counts, negative: *negative };
    let point = Point { count: last.count, sum: last.sum, buckets, ..Point::default() };
    Some((moment(last.time_ns)?, histogram(&point, unit).ok()?))
}

fn moment(ns: u64) -> Option<Timestamp> {
    i64::try_from(ns).ok().filter(|ns| *ns > 0).map(Timestamp::new)
}

/// Tells of an interval, and of counters that began anew in it.
pub(super) fn tell(frame: Frame, sink: &mut dyn Sink) {
    if is_reset(&frame) {
        let text = format!("counters reset: {}", frame.series);
        sink.note(Note::Mark(Mark { at: frame.end, text }));
    }
    sink.reading(Reading::Delta(frame));
}
