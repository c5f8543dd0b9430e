//! What a calibration comes to, in words.

use super::figures::quantile;
use super::{CalibrationCache, CalibrationOracle, CalibrationRate, CalibrationSheet, FigureName};
use crate::numbers::{bytes, grouped, quantity};
use crate::ranges::mean;

/// What there is to say, most important first. No rate without its latencies.
pub fn sentences(sheet: &CalibrationSheet) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(sheet.what.incomplete.as_ref().map(|why| format!("Not complete: {why}.")));
    said.extend(maximum(sheet));
    said.extend(knee(sheet));
    said.extend(limit(sheet));
    said.extend(streams(sheet));
    said.extend(cache(&sheet.cache));
    said.extend(sheet.oracle.as_ref().map(|oracle| calibrate_io(oracle, sheet)));
    said
}

fn mean_of(rate: &CalibrationRate) -> String {
    mean(rate.spread.mean_ns, true)
}

fn maximum(sheet: &CalibrationSheet) -> Option<String> {
    let rate = sheet.figure(FigureName::Maximum)?;
    let spread = &rate.spread;
    let grows = if sheet.growing { " or more (throughput was still growing)" } else { "" };
    let load = rate.in_flight.map_or_else(
        || format!("arriving independently ({} in flight on average)", quantity(rate.busy)),
        |held| format!("with {held} in flight"),
    );
    let fewer = sheet.enough.filter(|enough| rate.in_flight.is_some_and(|held| *enough < held));
    let fewer = fewer.map_or_else(String::new, |enough| {
        format!(" {enough} in flight give at least 97 % of that.")
    });
    Some(format!(
        "Highest rate: {} reads/s {load}{grows}; mean {}, p50 {}, p99 {}, p99.9 {}.{fewer}",
        quantity(rate.per_s),
        mean_of(rate),
        quantile(spread, 0.5),
        quantile(spread, 0.99),
        quantile(spread, 0.999)
    ))
}

fn knee(sheet: &CalibrationSheet) -> Option<String> {
    let (floor, knee) = (sheet.figure(FigureName::Floor)?, sheet.knee?);
    let at = sheet.curve.iter().find(|rate| rate.in_flight == Some(knee))?;
    Some(format!(
        "One read at a time takes {}. The curve bends at about {knee} in flight: {} reads/s of {} \
         each.",
        mean_of(floor),
        quantity(at.per_s),
        mean_of(at)
    ))
}

fn limit(sheet: &CalibrationSheet) -> Option<String> {
    if !sheet.figures.iter().any(|figure| figure.name == FigureName::LimitClosed) {
        return None;
    }
    let limit = &sheet.what.limit;
    let closed = sheet.figure(FigureName::LimitClosed);
    let open = sheet.figure(FigureName::LimitOpen);
    Some(match (closed, open) {
        (None, _) => format!("No rate keeps {limit}, not even one read at a time."),
        (Some(closed), None) => format!(
            "Within {limit}: {} reads/s with {} held in flight. Of independent arrivals no rate \
             tried keeps it, not even {} reads/s.",
            quantity(closed.per_s),
            closed.in_flight.unwrap_or_default(),
            sheet
                .arrivals
                .first()
                .and_then(|rate| rate.offered_per_s)
                .map(quantity)
                .unwrap_or_default()
        ),
        (Some(closed), Some(open)) => format!(
            "Within {limit}: {} reads/s of independent arrivals (open loop, {} in flight on \
             average), or {} reads/s with {} held in flight (closed loop, optimistic: slow reads \
             delay the next ones).",
            quantity(open.per_s),
            quantity(open.busy),
            quantity(closed.per_s),
            closed.in_flight.unwrap_or_default()
        ),
    })
}

fn streams(sheet: &CalibrationSheet) -> Option<String> {
    let single = sheet.figure(FigureName::SingleStream)?;
    let most = sheet.figure(FigureName::Streams)?;
    let large = bytes(sheet.what.large_block);
    let one = format!(
        "One sequential stream of {large} reads gives {} MB/s ({} a read)",
        quantity(single.bytes_per_s / 1e6),
        mean_of(single)
    );
    Some(match most.in_flight {
        Some(count @ 2..) => format!(
            "{one}; {count} streams give {} MB/s ({} a read).",
            quantity(most.bytes_per_s / 1e6),
            mean_of(most)
        ),
        _ => format!("{one}; several give no more."),
    })
}

fn cache(cache: &CalibrationCache) -> Option<String> {
    let speedup = cache.speedup.map(quantity).unwrap_or_default();
    let again = cache.read_again_speedup.map(|again| {
        format!(" A block read again at once takes {} of the time.", share(1.0 / again.max(1e-9)))
    });
    let again = again.unwrap_or_default();
    Some(match (cache.step?, cache.at_least_bytes, cache.below_bytes) {
        (true, Some(least), Some(below)) => {
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
        (true, ..) => format!("Cache: small parts are read {speedup} times as fast.{again}"),
        (false, ..) => format!(
            "Cache: no step. The best part is read {speedup} times as fast as everything: either \
             no cache is in the way, or it holds everything.{again}"
        ),
    })
}

/// A share as per cent without digits behind the point.
fn share(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

fn calibrate_io(oracle: &CalibrationOracle, sheet: &CalibrationSheet) -> String {
    let CalibrationOracle { max_latency_ms, max_iops, max_mbps, latency_ms } = *oracle;
    let hidden = sheet.figure(FigureName::Maximum).map(|rate| {
        let p99 = quantile(&rate.spread, 0.99);
        format!(" Here one read in a hundred took longer than {p99} at the highest rate.")
    });
    format!(
        "Oracle's CALIBRATE_IO would say max_iops {}, max_mbps {}, latency {latency_ms} (ms, at most \
         {max_latency_ms} allowed): three whole numbers. A mean hides the tail, a millisecond is \
         coarser than flash, and nothing tells a cache from a disk.{}",
        grouped(max_iops),
        grouped(max_mbps),
        hidden.unwrap_or_default()
    )
}
