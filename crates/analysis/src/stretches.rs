//! Stretches of time that do not touch.

use std::collections::BTreeMap;

use isotherm_frame::Timestamp;

/// Adds a stretch to others that do not touch: the end of each by its start.
pub(crate) fn add_to(
    stretches: &mut BTreeMap<Timestamp, Timestamp>,
    (start, end): (Timestamp, Timestamp),
) {
    let before = stretches.range(..=start).next_back().map(|(&from, &to)| (from, to));
    if before.is_some_and(|(_, to)| to >= end) || start >= end {
        return;
    }
    let touching = before.filter(|(_, to)| *to >= start);
    let start = touching.map_or(start, |(from, _)| from);
    let mut last = end;
    while let Some((&from, &to)) =
        stretches.range(start..=last).next_back().filter(|(_, to)| **to > last)
    {
        last = to;
        stretches.remove(&from);
    }
    let inside: Vec<Timestamp> = stretches.range(start..=last).map(|(&at, _)| at).collect();
    for at in inside {
        stretches.remove(&at);
    }
    stretches.insert(start, last);
}
