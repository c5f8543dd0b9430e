//! How long the rest of a sweep takes.

use std::time::Duration;

use isotherm_load::{Job, Warmup};

use crate::{Plan, Run};

/// What runs took so far, beside what was planned.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    runs: u32,
    /// Seconds that were neither warm-up nor measured: opening, making ready, verifying.
    overhead_s: f64,
    warmup_s: f64,
    measured_s: f64,
}

impl Pace {
    /// Takes note of a run that came to its end.
    pub fn push(&mut self, run: &Run, wall: Duration) {
        let (warmup_s, measured_s) = (run.outcome.warmup_s, run.outcome.measured_s);
        self.runs += 1;
        self.overhead_s += (wall.as_secs_f64() - warmup_s - measured_s).max(0.0);
        self.warmup_s += warmup_s;
        self.measured_s += measured_s;
    }

    /// How long a run of the job will take: as planned where the plan says it, as earlier runs
    /// took where it depends.
    pub fn of(&self, job: &Job) -> Duration {
        let mean = |sum_s: f64| (self.runs > 0).then(|| sum_s / f64::from(self.runs));
        let planned = Plan::run_time(job).as_secs_f64() - job.limit.time.as_secs_f64();
        let warmup_s = match job.warmup {
            Warmup::Time(_) => planned,
            Warmup::UntilSteady(_) => mean(self.warmup_s).unwrap_or(planned),
        };
        let limit_s = job.limit.time.as_secs_f64();
        let measured_s = match job.limit.operations {
            None => limit_s,
            Some(_) => mean(self.measured_s).unwrap_or(limit_s),
        };
        let all_s = warmup_s + measured_s + mean(self.overhead_s).unwrap_or(0.0);
        Duration::try_from_secs_f64(all_s.max(0.0)).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Nanos;

    use super::*;
    use crate::sample_runs::run;

    #[test]
    fn what_depends_is_taken_from_earlier_runs() {
        let mut job =
            Job { warmup: Warmup::UntilSteady(Nanos::from_millis(60_000)), ..Job::default() };
        let mut pace = Pace::default();
        assert_eq!(pace.of(&job), Duration::from_secs(90), "as planned");
        // One second of warm-up, one measured, half a second of anything else.
        pace.push(&run(0, 0, 10), Duration::from_millis(2_500));
        assert_eq!(pace.of(&job), Duration::from_millis(31_500));
        job.limit.operations = Some(10);
        assert_eq!(pace.of(&job), Duration::from_millis(2_500));
        job.warmup = Warmup::Time(Nanos::from_millis(3_000));
        assert_eq!(pace.of(&job), Duration::from_millis(4_500));
    }
}
