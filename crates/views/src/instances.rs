//! Instances of a cluster: series that differ in nothing but the instance are parts of one whole.

use isotherm_frame::{Frame, Histogram, Quality, Series};

/// The attribute that names the instance.
const INSTANCE: &str = "inst";

/// The series without its instance; `None` if it names none.
pub fn without_instance(series: &Series) -> Option<Series> {
    series.attributes().find(|(key, _)| *key == INSTANCE)?;
    let rest = series.attributes().filter(|(key, _)| *key != INSTANCE);
    Some(Series::with_attributes(series.name(), rest))
}

/// What stands for a series and those that differ from it in the instance only.
pub fn whole(series: &Series) -> Series {
    without_instance(series).unwrap_or_else(|| series.clone())
}

/// For frames of one interval the sum of each series that several instances have, with their
/// number. There is none where nothing is known of one of them.
pub fn sums(frames: &[&Frame]) -> Vec<(Frame, usize)> {
    let mut groups: Vec<(Series, Vec<&Frame>)> = Vec::new();
    for frame in frames {
        let Some(series) = without_instance(&frame.series) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == series) {
            Some((_, group)) => group.push(frame),
            None => groups.push((series, vec![frame])),
        }
    }
    groups.into_iter().filter_map(|(series, group)| sum(series, &group)).collect()
}

fn sum(series: Series, group: &[&Frame]) -> Option<(Frame, usize)> {
    let first = group.first()?;
    let same =
        |frame: &&&Frame| (frame.start, frame.end) == (first.start, first.end) && !frame.is_gap();
    if group.len() < 2 || !group.iter().all(|frame| same(&frame)) {
        return None;
    }
    let counts = Histogram::merged(group.iter().map(|frame| &frame.counts))?;
    let flawed = group.iter().find(|frame| frame.quality != Quality::Complete);
    let quality = flawed.map_or(Quality::Complete, |frame| frame.quality);
    Some((Frame { series, start: first.start, end: first.end, counts, quality }, group.len()))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Gap, Nanos, Scheme, Timestamp, Unit};

    use super::*;

    fn frame(name: &str, instance: Option<&str>, count: u64) -> Frame {
        let series = Series::with_attributes(name, instance.map(|inst| ("inst", inst)));
        let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros)).with_sum(None);
        (0..count).for_each(|_| counts.record(Nanos::from_micros(100)));
        let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
        Frame { series, start, end, counts, quality: Quality::Complete }
    }

    #[test]
    fn instances_of_one_event_are_added_up_and_others_left_alone() {
        let frames = [
            frame("log file sync", Some("1"), 3),
            frame("log file sync", Some("2"), 4),
            frame("log file sync", None, 5),
            frame("latch free", Some("1"), 6),
        ];
        let sums = sums(&frames.iter().collect::<Vec<_>>());
        let named: Vec<_> =
            sums.iter().map(|(f, of)| (f.series.to_string(), f.counts.events(), *of)).collect();
        assert_eq!(named, [("log file sync".to_owned(), 7, 2)]);
    }

    #[test]
    fn a_sum_of_which_a_part_is_not_known_is_none() {
        let mut frames =
            [frame("log file sync", Some("1"), 3), frame("log file sync", Some("2"), 0)];
        frames[1].quality = Quality::Gap(Gap::Reset);
        assert!(sums(&frames.iter().collect::<Vec<_>>()).is_empty());
    }
}
