//! What conditions on the selected events come to.

use isotherm_analysis::{Explanation, Observed, Threshold, Verdict, WaitedBounds};
use isotherm_frame::Timestamp;

use crate::thresholds::{Judged, Judgement};

/// Of the selected events of an input that lasts so long: of their latencies, how many there were per
/// second of the stretch they are selected from, and their share of all time waited.
pub fn judge(
    conditions: &[Threshold],
    explanation: &Explanation,
    (start, end): (Timestamp, Timestamp),
) -> Judgement {
    let Explanation { selection, inside, outside, .. } = explanation;
    let length = selection.to.min(end).since(selection.from.max(start));
    let seconds = length.as_secs_f64();
    let rate_hz = (seconds > 0.0).then(|| inside.events as f64 / seconds);
    Judgement::of(conditions, |condition| {
        let Some(latencies) = &inside.latencies else {
            return vec![apart_unknown(condition)];
        };
        let waited = WaitedBounds::of(latencies);
        let all = outside.latencies.as_ref().map(|outside| waited.plus(WaitedBounds::of(outside)));
        let waited_pct = all.and_then(|all| waited.share_of(all));
        let observed = Observed { latencies, rate_hz, waited_pct };
        vec![Judged::of_several(condition, SELECTED.to_owned(), &observed)]
    })
}

const SELECTED: &str = "the selected events";

/// Where buckets were divided between both sides.
fn apart_unknown(condition: &Threshold) -> Judged {
    Judged {
        condition: condition.to_string(),
        of: SELECTED.to_owned(),
        verdict: Verdict::Unknown,
        found: ": their latencies are not known apart from those of all others".to_owned(),
        nearness: 0.0,
        measured: None,
    }
}
