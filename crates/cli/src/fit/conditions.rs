//! What conditions come to for the latencies measured at each load.

use isotherm_analysis::{Observed, Threshold, Verdict};
use isotherm_experiment::ModelPoints;
use isotherm_frame::Histogram;
use isotherm_queueing::Loop;
use isotherm_views::{FitLimit, load_in_words};

use crate::failure::Failure;
use crate::thresholds::{Judged, Judgement};

/// Of the latencies at each load that is fitted, over its repeats, and of its throughput.
pub fn judge(conditions: &[Threshold], given: &ModelPoints) -> Result<Judgement, Failure> {
    conditions.iter().try_for_each(|condition| known(condition, given))?;
    let arrivals = given.points.arrivals;
    let both = || given.points.points.iter().zip(&given.latencies);
    Ok(Judgement::of(conditions, |condition| {
        let judged = both().map(|(point, latencies)| {
            let per_second = match arrivals {
                Loop::Closed => point.value,
                Loop::Open => point.load,
            };
            let of = load_in_words(arrivals, point.load);
            Judged::of(condition, of, &Observed::of_rate(latencies, Some(per_second)))
        });
        judged.collect()
    }))
}

/// Fails where only means are known.
fn known(condition: &Threshold, given: &ModelPoints) -> Result<(), Failure> {
    if given.latencies.is_empty() {
        return Err(Failure::usage(format!(
            "{condition} needs the latencies of every operation, which a table of points \
                 does not have: give the directory of a sweep, or a recording"
        )));
    }
    Ok(())
}

/// Which loads keep a limit; what buckets leave open does not count as kept.
pub fn kept(limit: &Threshold, given: &ModelPoints) -> Result<FitLimit, Failure> {
    known(limit, given)?;
    let both = given.points.points.iter().zip(&given.latencies);
    let mut found = FitLimit { text: limit.to_string(), largest: None, broken: None };
    for (point, latencies) in both {
        if keeps(limit, latencies) {
            found.largest = Some(point.load);
        } else if found.broken.is_none() {
            found.broken = Some(point.load);
        }
    }
    Ok(found)
}

fn keeps(limit: &Threshold, latencies: &Histogram) -> bool {
    limit.judge(&Observed::of_rate(latencies, None)) == Verdict::Holds
}
