//! Whether a percentile would come out alike if the same were measured again.

use isotherm_frame::Histogram;

use crate::Mode;

/// The two-sided 95 % point of the normal distribution.
const Z: f64 = 1.96;
/// A percentile that may lie anywhere in more than this factor is unstable.
const WIDE: f64 = 2.0;

/// Whether the `q` quantile of this many events is a matter of chance. Repeated measurements put
/// the rank of the true quantile anywhere in `n q ± 1.96 sqrt(n q (1 - q))` (order statistics: the
/// normal form of Clopper & Pearson 1934). Unstable is a quantile if in these ranks
/// - one mode ends and the next begins, or
/// - the estimates differ by more than an octave, or
/// - there are not enough events: the range goes beyond the first or last of them.
///
/// The extremes (`q` of 0 and 1) are what was seen, not estimates of anything: never unstable.
/// False without events and for what is no quantile.
pub fn is_unstable(counts: &Histogram, modes: &[Mode], q: f64) -> bool {
    let events = counts.events() as f64;
    if !(q > 0.0 && q < 1.0) || events == 0.0 {
        return false;
    }
    let (middle, reach) = (q * events, Z * (events * q * (1.0 - q)).sqrt());
    let (low, high) = (middle - reach, middle + reach);
    if low < 0.0 || high > events {
        return true;
    }
    let boundaries = modes.iter().scan(0.0, |below, mode| {
        *below += mode.share * events;
        Some(*below)
    });
    let inner = boundaries.take(modes.len().saturating_sub(1));
    inner.into_iter().any(|rank| (low..=high).contains(&rank)) || is_wide(counts, low, high)
}

/// Whether the estimates at two ranks are more than an octave apart.
fn is_wide(counts: &Histogram, low: f64, high: f64) -> bool {
    let events = counts.events() as f64;
    let at = |rank: f64| counts.quantile((rank / events).clamp(0.0, 1.0)).ok();
    let estimates = at(low).zip(at(high));
    estimates.is_some_and(|(low, high)| {
        high.estimate.as_nanos() as f64 > WIDE * low.estimate.as_nanos().max(1) as f64
    })
}
