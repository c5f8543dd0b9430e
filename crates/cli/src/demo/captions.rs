//! What is said about the story while it is shown.

use isotherm_frame::{Event, Nanos, Timestamp};
use jiff::tz::TimeZone;

use super::scenario::{BAND, DEPLOY, GAP, LENGTH, STALL, at};

/// A sentence, how many seconds after the start it is said, the moment it is about, and how to see the series it is
/// about. The key of a series depends on what has waited so far.
type Caption = (u64, Option<Nanos>, &'static str, Option<&'static str>);

/// Each fits into a line of a terminal of 80 columns, behind the moment and before the keys.
const CAPTIONS: [Caption; 7] = [
    (0, None, "Each column is one second, each row a range of latency. Brighter is more.", None),
    (
        40,
        None,
        "Two bands of reads: cache hits at 0.12 ms, disk at 5 ms. A mean shows neither.",
        None,
    ),
    (
        93,
        Some(BAND.0),
        "A band at 45 ms appears, in the reads of sdb only.",
        Some("Key e: who waits."),
    ),
    (128, None, "Few reads are in that band, but most of the time is waited there.", None),
    (
        175,
        Some(STALL.0),
        "A stall: no commit ends for 2.5 s, then all do.",
        Some("Type e, log, Enter."),
    ),
    (219, Some(GAP.0), "A gap, hatched: for 8 s nothing is known. That is not zero.", None),
    (
        247,
        Some(DEPLOY),
        "Mark \"deploy v2\": commits take 3 ms, not 1 ms.",
        Some("Type e, log, Enter."),
    ),
];

/// The last one, where keys are typed.
const NEXT_KEYS: &str = "x saves a report, ? lists the keys, q quits";
/// The last one elsewhere.
const NEXT_COMMAND: &str = "Next: isotherm live probe:.   (the disk under this directory, live)";

/// What is said, and when; moments in the zone of the view.
pub fn captions(zone: &TimeZone, has_keys: bool) -> Vec<(Timestamp, Event)> {
    let said = |&(second, moment, words, keys): &Caption| {
        let moment = moment.map_or_else(String::new, |moment| clock(moment, zone) + " ");
        let hint = keys.filter(|_| has_keys);
        let hint = hint.map_or_else(String::new, |keys| format!(" {keys}"));
        let text = format!("{moment}{words}{hint}");
        (at(Nanos::from_millis(1_000 * second)), Event::Message(text))
    };
    let last = if has_keys { NEXT_KEYS } else { NEXT_COMMAND };
    let last = (at(LENGTH), Event::Message(last.to_owned()));
    CAPTIONS.iter().map(said).chain([last]).collect()
}

/// The time of day of a moment of the story.
fn clock(moment: Nanos, zone: &TimeZone) -> String {
    let moment = jiff::Timestamp::from_nanosecond(i128::from(at(moment).as_nanos()));
    moment.unwrap_or_default().to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_fit_into_a_line_and_their_moments_are_in_the_zone_of_the_view() {
        let winter = TimeZone::fixed(jiff::tz::offset(1));
        for has_keys in [false, true] {
            let said = captions(&winter, has_keys);
            assert!(said.is_sorted_by_key(|(at, _)| *at));
            for (_, event) in said {
                let Event::Message(text) = event else { panic!("{event:?}") };
                assert!(text.chars().count() <= 78, "{text}");
            }
        }
        let Event::Message(band) = &captions(&winter, true)[2].1 else { panic!() };
        assert!(band.starts_with("06:11:30 A band"), "{band}");
        let Event::Message(band) = &captions(&TimeZone::UTC, true)[2].1 else { panic!() };
        assert!(band.starts_with("05:11:30 A band"), "{band}");
    }
}
