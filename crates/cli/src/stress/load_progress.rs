//! How far a load has come, in words.

use isotherm_frame::{Event, Timestamp};
use isotherm_load::Job;
use isotherm_views::quantity;

/// How far a load has come.
#[derive(Default)]
pub struct LoadProgress {
    measuring: bool,
    measured_s: f64,
    /// The end, the operations and the length of the latest interval.
    latest: Option<(Timestamp, u64, f64)>,
}

impl LoadProgress {
    /// Takes what happened.
    pub fn take(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Mark(_) => self.measuring = true,
                Event::Frame(frame) if frame.series.attributes().any(|(k, _)| k == "engine") => {
                    let operations = frame.counts.events();
                    let length_s = frame.end.since(frame.start).as_secs_f64();
                    match &mut self.latest {
                        Some((end, sum, _)) if *end == frame.end => *sum += operations,
                        _ => {
                            self.measured_s += if self.measuring { length_s } else { 0.0 };
                            self.latest = Some((frame.end, operations, length_s));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// `measuring: 12 of 30 s, 51.2k/s`.
    pub fn message(&self, job: &Job) -> String {
        let rate = self.latest.filter(|(.., length_s)| *length_s > 0.0);
        let rate = rate.map(|(_, events, length_s)| events as f64 / length_s);
        let rate = rate.map(|rate| format!(", {}/s", quantity(rate)));
        let stage = if self.measuring {
            let (done, all) = (self.measured_s, job.limit.time.as_secs_f64());
            format!("measuring: {done:.0} of {all:.0} s")
        } else {
            "warming up".to_owned()
        };
        format!("{stage}{}", rate.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Mark, Nanos, Quality, Scheme, Series, Unit};

    use super::*;

    fn frame(name: &str, engine: bool, second: i64, events: u64) -> Event {
        let scheme = Scheme::powers_of_two(Unit::Millis);
        let mut counts = vec![0; scheme.buckets()];
        counts[2] = events;
        let attributes = if engine { vec![("engine", "sim")] } else { vec![("device", "vda")] };
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        Event::Frame(Frame {
            series: Series::with_attributes(name, attributes),
            start: at(second),
            end: at(second + 1),
            counts: Histogram::new(scheme, counts, None).unwrap(),
            quality: Quality::Complete,
        })
    }

    #[test]
    fn kinds_add_up_and_what_is_watched_besides_is_no_operation() {
        let job = Job::default();
        assert_eq!(job.limit.time, Nanos::from_millis(30_000));
        let mut course = LoadProgress::default();
        course.take(&[frame("read", true, 0, 9)]);
        assert_eq!(course.message(&job), "warming up, 9.00/s");
        let text = "measured from here".to_owned();
        course.take(&[Event::Mark(Mark { at: Timestamp::new(1_000_000_000), text })]);
        for second in 1..3 {
            course.take(&[
                frame("read", true, second, 30),
                frame("write", true, second, 10),
                frame("read", false, second, 500),
            ]);
        }
        assert_eq!(course.message(&job), "measuring: 2 of 30 s, 40.0/s");
    }
}
