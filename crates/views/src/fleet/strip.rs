//! Latencies over time in one line each, on one scale for all hosts.

use isotherm_frame::Nanos;

const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Where the server has no number.
const NONE: char = '·';
/// Where the number is the highest bound of all, and the latency that or more.
const ABOVE: char = '▲';
/// The characters of a strip on a screen.
const SHORT: usize = 24;

/// The numbers of a host.
#[derive(Copy, Clone, Debug)]
pub(super) struct Course<'a> {
    pub(super) values: &'a [Option<f64>],
    /// A number of this size stands for this and more.
    pub(super) highest_s: Option<f64>,
}

impl Course<'_> {
    fn is_above(self, value: f64) -> bool {
        self.highest_s.is_some_and(|highest| value >= highest * (1.0 - 1e-9))
    }
}

/// The scale: logarithmic, from the least to the largest number of all hosts.
#[derive(Copy, Clone, Debug)]
pub(super) struct Strips {
    least_s: f64,
    most_s: f64,
    has_above: bool,
}

impl Strips {
    pub(super) fn of<'a>(all: impl Iterator<Item = Course<'a>>) -> Strips {
        let none = Strips { least_s: f64::MAX, most_s: 0.0, has_above: false };
        all.fold(none, |scale, course| {
            let known = course.values.iter().flatten().copied().filter(|value| *value > 0.0);
            known.fold(scale, |scale, value| Strips {
                least_s: scale.least_s.min(value),
                most_s: scale.most_s.max(value),
                has_above: scale.has_above || course.is_above(value),
            })
        })
    }

    /// A character for each interval.
    pub(super) fn strip(&self, course: Course<'_>) -> String {
        course.values.iter().map(|value| self.step(course, *value)).collect()
    }

    /// The same in fewer characters: of several intervals the largest.
    pub(super) fn short(&self, course: Course<'_>) -> String {
        let each = course.values.len().div_ceil(SHORT).max(1);
        let largest = |values: &[Option<f64>]| {
            values.iter().flatten().copied().fold(None, |most: Option<f64>, value| {
                Some(most.map_or(value, |most| most.max(value)))
            })
        };
        course.values.chunks(each).map(|values| self.step(course, largest(values))).collect()
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
    fn step(&self, course: Course<'_>, value: Option<f64>) -> char {
        let Some(value) = value.filter(|value| *value > 0.0) else { return NONE };
        if course.is_above(value) {
            return ABOVE;
        }
        let range = (self.most_s / self.least_s).ln();
        let place = if range > 0.0 { (value / self.least_s).ln() / range } else { 0.0 };
        STEPS[((place.clamp(0.0, 1.0) * 7.0).round() as usize).min(7)]
    }

    /// What the characters stand for; `None` where no number is known.
    pub(super) fn sentence(&self, step: Nanos) -> Option<String> {
        let length = |seconds| Nanos::from_secs_f64(seconds).map(|length| length.to_string());
        let (least, most) = (length(self.least_s)?, length(self.most_s)?);
        let above = if self.has_above {
            format!(" {ABOVE} above the highest bound of the host's buckets;")
        } else {
            String::new()
        };
        (self.most_s > 0.0).then(|| {
            format!(
                "p99 over time: ▁ {least} to █ {most}, logarithmic, one scale for all; intervals of {step};\
                 {above} {NONE} no data."
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_hosts_have_one_logarithmic_scale() {
        let (one, two) =
            ([Some(0.001), None, Some(0.01)], [Some(0.1), Some(1.0), Some(f64::MIN_POSITIVE)]);
        let course = |values| Course { values, highest_s: None };
        let strips = Strips::of([course(&one[..]), course(&two[..2])].into_iter());
        assert_eq!(strips.strip(course(&one)), "▁·▃");
        assert_eq!(strips.strip(course(&two[..2])), "▆█");
        let said = strips.sentence(Nanos::from_millis(60_000)).unwrap();
        assert!(said.starts_with("p99 over time: ▁ 1ms to █ 1s"), "{said}");
        assert!(said.ends_with("intervals of 60s; · no data."), "{said}");
        let long: Vec<Option<f64>> = (0..72).map(|at| (at % 3 == 0).then_some(1.0)).collect();
        assert_eq!(strips.short(course(&long)), "█".repeat(24));
        assert_eq!(Strips::of([].into_iter()).sentence(Nanos::SECOND), None);
    }

    #[test]
    fn the_highest_bound_stands_for_that_and_more() {
        let values = [Some(0.1), Some(1.0), Some(0.5)];
        let course = Course { values: &values, highest_s: Some(1.0) };
        let strips = Strips::of([course].into_iter());
        assert_eq!(strips.strip(course), "▁▲▆");
        assert!(strips.sentence(Nanos::SECOND).unwrap().contains("▲ above the highest bound"));
    }
}
