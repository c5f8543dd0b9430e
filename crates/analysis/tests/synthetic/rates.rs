//! Pairs of runs of which one side has more events than the other.

use crate::unequal::{Latency, Pair, Process};

/// Pairs of equal latencies of which one side has more events than the other, and, first, of which
/// both have as many.
pub fn unequal_rates() -> Vec<Pair> {
    let side = |rate_hz, latency| Process { rate_hz, latency, stalls: 0.0 };
    let exponential = |name, a, b, seconds| Pair {
        name,
        sides: [a, b].map(|rate_hz| side(rate_hz, Latency::Exponential(1e-3))),
        seconds,
    };
    let lognormal = Latency::Lognormal(1e-3, 1.0);
    let giants = Latency::Rare(0.005, 100.0);
    let of = |name, latency, [a, b]: [f64; 2], seconds| Pair {
        name,
        sides: [side(a, latency), side(b, latency)],
        seconds,
    };
    vec![
        exponential("50 and 50/s, 30 s", 50.0, 50.0, 30.0),
        exponential("50 and 100/s, 30 s", 50.0, 100.0, 30.0),
        exponential("50 and 200/s, 30 s", 50.0, 200.0, 30.0),
        exponential("50 and 500/s, 30 s", 50.0, 500.0, 30.0),
        exponential("200 and 50/s, 30 s", 200.0, 50.0, 30.0),
        exponential("20 and 200/s, 60 s", 20.0, 200.0, 60.0),
        exponential("5 and 50/s, 20 s", 5.0, 50.0, 20.0),
        exponential("5 and 50/s, 600 s", 5.0, 50.0, 600.0),
        of("50 and 400/s, 60 s, lognormal, 1", lognormal, [50.0, 400.0], 60.0),
        of("50 and 400/s, 60 s, 0.5 % x100", giants, [50.0, 400.0], 60.0),
        of("50 and 400/s, 120 s, on and off", Latency::OnOff(5.0), [50.0, 400.0], 120.0),
    ]
}

/// The pair with a B whose latencies are so many times as long; `None` but for exponential and lognormal
/// ones.
pub fn with_slower_b(pair: &Pair, times: f64) -> Option<Pair> {
    let [a, b] = pair.sides;
    let latency = match b.latency {
        Latency::Exponential(mean) => Latency::Exponential(mean * times),
        Latency::Lognormal(median, deviation) => Latency::Lognormal(median * times, deviation),
        Latency::Rare(..) | Latency::OnOff(_) => return None,
    };
    Some(Pair { sides: [a, Process { latency, ..b }], ..*pair })
}
