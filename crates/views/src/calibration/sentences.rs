//! What a calibration comes to, in words.

use isotherm_experiment::calibrate::{CacheSeen, CalibrateIo, Calibration, RampEnded};
use isotherm_frame::percent;

use super::figures::{mean_of, of_steps, quantile};
use crate::numbers::{bytes, bytes_per_s, grouped, quantity};

/// What there is to say, most important first. No rate without its latencies.
pub fn sentences(calibration: &Calibration) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(calibration.incomplete.as_ref().map(|why| format!("Not complete: {why}.")));
    said.extend(maximum(calibration));
    said.extend(knee(calibration));
    said.extend(limit(calibration));
    said.extend(streams(calibration));
    said.extend(cache(calibration));
    said.extend(calibration.calibrate_io.map(|oracle| calibrate_io(oracle, calibration)));
    said
}

/// Those of one screen: the table has the numbers of the others.
pub(super) fn answers(calibration: &Calibration) -> Vec<String> {
    let incomplete = calibration.incomplete.as_ref().map(|why| format!("Not complete: {why}."));
    let no_limit = limit(calibration).filter(|_| calibration.figures.limit_closed.is_none());
    let said = [incomplete, maximum(calibration), knee(calibration), no_limit];
    let oracle = calibration.calibrate_io.map(would_say);
    said.into_iter().flatten().chain(cache(calibration)).chain(oracle).collect()
}

fn maximum(calibration: &Calibration) -> Option<String> {
    let rate = calibration.figures.maximum.as_ref()?;
    let latency = &rate.latency;
    let grows = if calibration.figures.ramp_ended == RampEnded::StillGrowing {
        " or more (throughput was still growing)"
    } else {
        ""
    };
    let load = rate.in_flight.map_or_else(
        || format!("in an open loop ({} in flight on average)", quantity(rate.busy)),
        |held| format!("with {held} in flight"),
    );
    let fewer = calibration.enough_in_flight();
    let fewer = fewer.filter(|enough| rate.in_flight.is_some_and(|held| *enough < held));
    let fewer = fewer.map_or_else(String::new, |enough| {
        format!(" {enough} in flight give at least 97 % of that.")
    });
    Some(format!(
        "Highest rate: {} reads/s {load}{grows}; mean {}, p50 {}, p99 {}, p99.9 {}.{fewer}",
        quantity(rate.per_second),
        mean_of(rate),
        quantile(latency, 0.5),
        quantile(latency, 0.99),
        quantile(latency, 0.999)
    ))
}

fn knee(calibration: &Calibration) -> Option<String> {
    let (floor, knee) = (calibration.figures.floor.as_ref()?, calibration.knee_in_flight?);
    let curve = of_steps(&calibration.curve());
    let at = curve.into_iter().find(|rate| rate.in_flight == Some(knee))?;
    Some(format!(
        "One read at a time takes {}. The curve bends at about {knee} in flight: {} reads/s of {} \
         each.",
        mean_of(floor),
        quantity(at.per_second),
        mean_of(at)
    ))
}

fn limit(calibration: &Calibration) -> Option<String> {
    let limit = calibration.limit;
    let closed = calibration.figures.limit_closed.as_ref();
    let open = calibration.figures.limit_open.as_ref();
    if closed.is_none() && !calibration.tried_limit() {
        return None;
    }
    Some(match (closed, open) {
        (None, _) => format!("No rate keeps {limit}, not even one read at a time."),
        (Some(closed), None) => format!(
            "Within {limit}: {} reads/s in a closed loop with {} in flight. In an open loop no \
             rate tried keeps it, not even {} reads/s.",
            quantity(closed.per_second),
            closed.in_flight.unwrap_or_default(),
            of_steps(&calibration.arrivals())
                .first()
                .and_then(|rate| rate.offered_per_second)
                .map(quantity)
                .unwrap_or_default()
        ),
        (Some(closed), Some(open)) => format!(
            "Within {limit}: {} reads/s in an open loop ({} in flight on average), or {} reads/s \
             in a closed loop with {} in flight (optimistic: slow reads delay the next ones).",
            quantity(open.per_second),
            quantity(open.busy),
            quantity(closed.per_second),
            closed.in_flight.unwrap_or_default()
        ),
    })
}

fn streams(calibration: &Calibration) -> Option<String> {
    let single = calibration.figures.single_stream.as_ref()?;
    let most = calibration.figures.streams.as_ref()?;
    let large = bytes(calibration.large_block);
    let one = format!(
        "One sequential stream of {large} reads gives {} ({} a read)",
        bytes_per_s(single.megabytes_per_second * 1e6),
        mean_of(single)
    );
    Some(match most.in_flight {
        Some(count @ 2..) => format!(
            "{one}; {count} streams give {} ({} a read).",
            bytes_per_s(most.megabytes_per_second * 1e6),
            mean_of(most)
        ),
        _ => format!("{one}; several give no more."),
    })
}

fn cache(calibration: &Calibration) -> Option<String> {
    let (cache, figures) = (&calibration.cache, &calibration.figures);
    let speedup = cache.speedup.map(quantity).unwrap_or_default();
    // By the means, which stand in the table.
    let again = figures.read_again.as_ref().zip(figures.floor.as_ref()).map(|(again, floor)| {
        let part = again.latency.mean_ns / floor.latency.mean_ns.max(1.0);
        format!(" A repeated read of one block takes {} of the time.", percent(part))
    });
    let again = again.unwrap_or_default();
    Some(match (cache.seen, cache.at_least_bytes, cache.below_bytes) {
        (CacheSeen::NotMeasured | CacheSeen::Unclear, ..) => return None,
        (CacheSeen::Step, Some(least), Some(below)) => {
            let estimate = cache
                .estimate_bytes
                .map(|size| format!(", about {} by the share of fast reads", bytes(size)));
            format!(
                "Cache: small parts are read {speedup} times as fast as everything. It holds \
                 between {} and {}{}.{again}",
                bytes(least),
                bytes(below),
                estimate.unwrap_or_default()
            )
        }
        (CacheSeen::Step, ..) => {
            format!("Cache: small parts are read {speedup} times as fast.{again}")
        }
        (CacheSeen::NoStep, ..) if calibration.holds_what_was_read() => format!(
            "Cache: places read before are answered sooner than new ones, however large the part: a \
             cache holds everything that was read.{again}"
        ),
        (CacheSeen::NoStep, ..) => format!(
            "Cache: no step. The best part is read {speedup} times as fast as everything: either \
             no cache is in the way, or it holds everything.{again}"
        ),
    })
}

/// Its three whole numbers.
fn would_say(oracle: CalibrateIo) -> String {
    let CalibrateIo { max_latency_ms, max_iops, max_mbps, latency_ms } = oracle;
    format!(
        "Oracle's CALIBRATE_IO would say max_iops {}, max_mbps {}, latency {latency_ms} (ms, at most \
         {max_latency_ms} allowed).",
        grouped(max_iops),
        grouped(max_mbps),
    )
}

fn calibrate_io(oracle: CalibrateIo, calibration: &Calibration) -> String {
    let hidden = calibration.figures.maximum.as_ref().map(|rate| {
        let p99 = quantile(&rate.latency, 0.99);
        format!(" Here one read in a hundred took longer than {p99} at the highest rate.")
    });
    format!(
        "{} These are three whole numbers: a mean hides the tail, a millisecond is coarser than flash, \
         and nothing tells a cache from a disk.{}",
        would_say(oracle),
        hidden.unwrap_or_default()
    )
}
