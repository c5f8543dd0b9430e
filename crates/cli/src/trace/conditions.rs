//! What conditions on the waits of a trace come to.

use isotherm_analysis::{Observed, Threshold, WaitedBounds};
use isotherm_oracle::trace::profile::Profile;

use crate::thresholds::{Judged, Judgement};

/// A condition is asked of each wait event that is not idle: of its waits, how many there were per
/// second traced, and its share of the time waited for all such events.
pub fn judge(thresholds: &[Threshold], profile: &Profile) -> Judgement {
    let events = profile.events.by_time();
    let waited: Vec<_> =
        events.into_iter().filter(|event| !event.idle && event.count > 0).collect();
    let bounds =
        |event: &isotherm_oracle::trace::profile::Event| WaitedBounds::of(&event.latencies());
    let all = waited.iter().fold(WaitedBounds::default(), |all, event| all.plus(bounds(event)));
    let traced_s = profile.inputs.traced_ns as f64 / 1e9;
    Judgement::of(thresholds, |threshold| {
        let judged = waited.iter().map(|event| {
            let latencies = event.latencies();
            let observed = Observed {
                latencies: &latencies,
                rate_hz: (traced_s > 0.0).then(|| event.count as f64 / traced_s),
                waited_pct: bounds(event).share_of(all),
            };
            Judged::of(threshold, event.name.to_string(), &observed)
        });
        judged.collect()
    })
}
