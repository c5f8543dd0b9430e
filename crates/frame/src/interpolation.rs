//! Where in its bucket an event lies, judged by the buckets beside it: a monotone cubic of the
//! cumulative counts over the logarithm of latency.

use crate::{Histogram, Nanos};

/// The width, in octaves, a bucket from zero or without upper bound counts with as a neighbour:
/// `1 / ln 2`. Then its density at its bound is that of events spread evenly from zero up to it,
/// or of events that thin out with the inverse square of latency above it.
const OPEN_WIDTH: f64 = std::f64::consts::LOG2_E;
/// Halvings of the bucket; the estimate is exact to its width / 2^48.
const HALVINGS: u32 = 48;

/// The latency below which the share `inside` (0 to 1) of the events of bucket `index` lie: always
/// within the bucket, never above the estimate for a larger share.
///
/// Take `L = log2(hi / lo)`, the width of the bucket in octaves, `n` its count and `s = n / L` its
/// density; `Lp, sp` of the bucket before it, `Ln, sn` of the bucket after it. The cumulative count
/// over `log2(latency)` is a piecewise cubic Hermite polynomial (PCHIP) through the bounds of all
/// buckets, monotone by the conditions of Fritsch & Carlson 1980, *Monotone Piecewise Cubic
/// Interpolation*, with the slopes of Fritsch & Butland 1984, *A Method for Constructing Local
/// Monotone Piecewise Cubic Interpolants*, which need only the buckets beside it:
///
/// 1. A bucket without upper bound gives `lo`. A bucket from zero gives a straight line in latency,
///    `inside * hi`. All others:
/// 2. A neighbour from zero or without upper bound counts with `L = 1 / ln 2`; beyond the first and
///    the last bucket lies a density of 0.
/// 3. Slope at `lo`, as a multiple of `s`: `a = 0` if `sp = 0`, else
///    `a = (u + v) / (u s / sp + v)` with `u = 2 L + Lp`, `v = L + 2 Lp`.
/// 4. Slope at `hi`, as a multiple of `s`: `b = 0` if `sn = 0`, else
///    `b = (u + v) / (u s / sn + v)` with `u = 2 L + Ln`, `v = L + 2 Ln`.
/// 5. The share of the bucket's events below `lo * 2^(t L)`, `t` from 0 to 1, is
///    `F(t) = t (a (1 - t)^2 + t (3 - 2 t) - b t (1 - t))`.
/// 6. `F(t) = inside` by bisection: from `[0, 1]`, 48 times, `m = (t0 + t1) / 2` becomes `t0` if
///    `F(m) < inside`, else `t1`; then `t = (t0 + t1) / 2`.
/// 7. The estimate is `lo * 2^(t L)`, rounded to the nearest nanosecond, at least `lo`, at most
///    `hi - 1`; so is that of a straight line.
pub(crate) fn position(counts: &Histogram, index: usize, inside: f64) -> Nanos {
    let bucket = counts.scheme().bucket(index);
    let Some(hi) = bucket.hi else { return bucket.lo };
    let (lo, hi) = (bucket.lo.as_nanos(), hi.as_nanos());
    let place = if lo == 0 {
        inside * hi as f64
    } else {
        let octaves = width(counts, index);
        lo as f64 * (octaves * solved(slopes(counts, index, octaves), inside)).exp2()
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lo <= x < 2^64")]
    Nanos::new((place.round() as u64).clamp(lo, hi - 1))
}

/// The slopes at both ends of a bucket, as multiples of its density.
fn slopes(counts: &Histogram, index: usize, octaves: f64) -> (f64, f64) {
    let density = counts.count(index) as f64 / octaves;
    let towards = |neighbour: Option<usize>| {
        let Some(neighbour) = neighbour.filter(|&at| at < counts.scheme().buckets()) else {
            return 0.0;
        };
        let count = counts.count(neighbour);
        let beside = width(counts, neighbour);
        let (one, two) = (2.0 * octaves + beside, octaves + 2.0 * beside);
        // An empty neighbour makes an infinite denominator, and so a slope of 0.
        (one + two) / (one * density / (count as f64 / beside) + two)
    };
    (towards(index.checked_sub(1)), towards(Some(index + 1)))
}

/// The width of a bucket in octaves.
fn width(counts: &Histogram, index: usize) -> f64 {
    let bucket = counts.scheme().bucket(index);
    match bucket.hi {
        Some(hi) if bucket.lo > Nanos::ZERO => {
            (hi.as_nanos() as f64 / bucket.lo.as_nanos() as f64).log2()
        }
        _ => OPEN_WIDTH,
    }
}

/// The `t` at which the cubic of these slopes reaches `inside`.
fn solved((a, b): (f64, f64), inside: f64) -> f64 {
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let t = f64::midpoint(from, to);
        let rest = 1.0 - t;
        let share = t * (a * rest * rest + t * (3.0 - 2.0 * t) - b * t * rest);
        if share < inside {
            from = t;
        } else {
            to = t;
        }
    }
    f64::midpoint(from, to)
}
