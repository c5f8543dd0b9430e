//! What sessions did together in a stretch of time, and what it comes to for one row.

use isotherm_queueing::Observation;

use crate::Estimate;

/// What one session did.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Work {
    pub rows: u64,
    /// From its statement to the answer.
    pub elapsed_s: f64,
    pub cpu_s: f64,
    /// Ready to run, and waiting for a processor.
    pub runnable_s: f64,
}

/// What all sessions did at one number of rows a commit.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Rows of a commit.
    pub batch: u64,
    /// The work of all sessions together.
    pub work: Work,
    /// From the first statement to the last answer.
    pub length_s: f64,
}

/// Stretches of each number of rows a commit, measured one after the other.
pub type Round = Vec<Stretch>;

impl Stretch {
    pub fn new(batch: u64, each: &[Work], length_s: f64) -> Stretch {
        let work = each.iter().copied().fold(Work::default(), Work::and);
        Stretch { batch, work, length_s }
    }

    pub fn rate(&self) -> f64 {
        self.work.rows as f64 / self.length_s
    }

    pub fn service_s(&self) -> f64 {
        self.work.cpu_s / self.work.rows as f64
    }

    pub fn response_s(&self) -> f64 {
        self.work.elapsed_s / self.work.rows as f64
    }

    pub fn queue_s(&self) -> f64 {
        self.response_s() - self.service_s()
    }

    /// The part of the queue time that is waiting for a processor.
    pub fn runnable_s(&self) -> f64 {
        self.work.runnable_s / self.work.rows as f64
    }

    /// Busy processors: S × L.
    pub fn busy(&self) -> f64 {
        self.service_s() * self.rate()
    }

    pub fn observation(&self) -> Observation {
        Observation {
            arrival_per_s: self.rate(),
            service_s: self.service_s(),
            response_s: self.response_s(),
        }
    }

    fn and(self, other: &Stretch) -> Stretch {
        Stretch {
            batch: other.batch,
            work: self.work.and(other.work),
            length_s: self.length_s + other.length_s,
        }
    }
}

impl Work {
    fn and(self, other: Work) -> Work {
        Work {
            rows: self.rows + other.rows,
            elapsed_s: self.elapsed_s + other.elapsed_s,
            cpu_s: self.cpu_s + other.cpu_s,
            runnable_s: self.runnable_s + other.runnable_s,
        }
    }
}

/// All rounds together, by rising number of rows a commit.
pub fn totals(rounds: &[Round]) -> Vec<Stretch> {
    let mut batches: Vec<u64> = rounds.iter().flatten().map(|stretch| stretch.batch).collect();
    batches.sort_unstable();
    batches.dedup();
    let total = |batch: u64| {
        let same = rounds.iter().flatten().filter(|stretch| stretch.batch == batch);
        same.fold(Stretch::default(), Stretch::and)
    };
    batches.into_iter().map(total).collect()
}

/// A number of one batch as a share of that of another, round by round.
pub fn ratio(
    rounds: &[Round],
    (batch, of): (u64, u64),
    number: impl Fn(&Stretch) -> f64,
) -> Option<Estimate> {
    let at = |round: &Round, batch: u64| {
        round.iter().find(|stretch| stretch.batch == batch).map(&number)
    };
    let ratios = rounds.iter().filter_map(|round| Some(at(round, batch)? / at(round, of)?));
    Estimate::of(&ratios.collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(batch: u64, rows: u64, cpu_s: f64) -> Stretch {
        let work = Work { rows, elapsed_s: 1.0, cpu_s, runnable_s: 0.2 };
        Stretch::new(batch, &[work, work], 1.25)
    }

    #[test]
    fn the_time_of_a_row_is_service_and_queueing() {
        // Two sessions of 1 s and 100 rows: 10 ms a row, of which 4 ms CPU and 2 ms ready to run.
        let found = stretch(1, 100, 0.4);
        assert!((found.response_s() - 0.010).abs() < 1e-12);
        assert!((found.service_s() - 0.004).abs() < 1e-12);
        assert!((found.queue_s() - 0.006).abs() < 1e-12);
        assert!((found.runnable_s() - 0.002).abs() < 1e-12);
        assert!((found.rate() - 160.0).abs() < 1e-9 && (found.busy() - 0.64).abs() < 1e-12);
        // Little's law: 2 s of sessions in 1.25 s.
        assert!((found.rate() * found.response_s() - 1.6).abs() < 1e-12);
    }

    #[test]
    fn rounds_are_added_up_and_compared_one_by_one() {
        let rounds = vec![
            vec![stretch(8, 400, 0.4), stretch(1, 100, 0.4)],
            vec![stretch(1, 100, 0.2), stretch(8, 200, 0.2)],
        ];
        let all = totals(&rounds);
        assert_eq!(all.iter().map(|one| one.batch).collect::<Vec<u64>>(), [1, 8]);
        assert_eq!(all.iter().map(|one| one.work.rows).collect::<Vec<u64>>(), [400, 1_200]);
        let responses = ratio(&rounds, (8, 1), Stretch::response_s).unwrap();
        assert!((responses.mean - 0.375).abs() < 1e-12 && responses.count == 2);
        assert_eq!(ratio(&rounds, (8, 2), Stretch::response_s), None);
    }
}
