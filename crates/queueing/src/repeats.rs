//! Several observations of one load: their means solved for effective servers, with an interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::interval::FIT_CONFIDENCE;
use crate::msolver::NoServers;
use crate::one_point::{Observation, SolvedForm};

/// By how much the highest rate of one load may exceed the lowest, as a share of it.
const SAME_LOAD: f64 = 0.1;

/// Observations of one load.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Repeats {
    /// Their means, solved by each form.
    pub solved: [SolvedForm; 2],
    /// The servers of each form with [`FIT_CONFIDENCE`]: least, most. None with one observation.
    pub servers: Option<[(f64, f64); 2]>,
    /// How many there are.
    pub count: usize,
}

impl Repeats {
    /// Solves the means of the observations.
    pub fn of(observations: &[Observation]) -> Result<Repeats, NoServers> {
        let count = observations.len();
        let solved = mean(observations).solved()?;
        let servers = (count > 1).then(|| {
            let without: Vec<_> = (0..count).map(|at| mean_without(observations, at)).collect();
            [0, 1].map(|form| interval(&solved[form], &without, form))
        });
        Ok(Repeats { solved, servers, count })
    }
}

impl Observation {
    /// Whether observations are repeats of one load: their rates are 10 % apart at most.
    pub fn are_of_one_load(observations: &[Observation]) -> bool {
        let rates = observations.iter().map(|one| one.arrival_per_s);
        let (least, most) = rates.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), rate| {
            (least.min(rate), most.max(rate))
        });
        !observations.is_empty() && most <= least * (1.0 + SAME_LOAD)
    }
}

fn mean(observations: &[Observation]) -> Observation {
    let count = observations.len() as f64;
    let of = |value: fn(&Observation) -> f64| observations.iter().map(value).sum::<f64>() / count;
    Observation {
        arrival_per_s: of(|one| one.arrival_per_s),
        service_s: of(|one| one.service_s),
        response_s: of(|one| one.response_s),
    }
}

fn mean_without(observations: &[Observation], at: usize) -> Observation {
    let others: Vec<Observation> = observations
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != at)
        .map(|(_, one)| *one)
        .collect();
    mean(&others)
}

/// The interval of the servers by the jackknife of their logarithm: Student's t of the pseudovalues.
fn interval(solved: &SolvedForm, without: &[Observation], form: usize) -> (f64, f64) {
    let count = without.len() as f64;
    let others: Result<Vec<f64>, NoServers> =
        without.iter().map(|one| Ok(one.solved()?[form].servers.ln())).collect();
    // Without one of them nothing queues: any number of servers is possible.
    let Ok(others) = others else { return (0.0, f64::INFINITY) };
    let centre = others.iter().sum::<f64>() / count;
    let squares: f64 = others.iter().map(|one| (one - centre).powi(2)).sum();
    let error = ((count - 1.0) / count * squares).sqrt();
    let Ok(student) = StudentsT::new(0.0, 1.0, count - 1.0) else { return (0.0, f64::INFINITY) };
    let reach = student.inverse_cdf(f64::midpoint(1.0, FIT_CONFIDENCE)) * error;
    (solved.servers * (-reach).exp(), solved.servers * reach.exp())
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Random;

    use super::*;
    use crate::orapub::orapub_cpu;

    /// A load of 1.4235 servers whose repeats are off by some per cent, independently of each other.
    fn repeats(count: usize, random: &mut Random) -> Vec<Observation> {
        let mut off = |value: f64| value * (1.0 + 0.03 * random.normal());
        let one = |_| {
            let (arrival_per_s, service_s) = (off(10_844.5), off(91.4e-6));
            let response = orapub_cpu(91.4e-6, 10_844.5, 1.4235).unwrap();
            Observation { arrival_per_s, service_s, response_s: off(response) }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let mut random = Random::new(3);
        for count in [3, 5, 10] {
            let held = (0..400)
                .filter(|_| {
                    let found = Repeats::of(&repeats(count, &mut random)).unwrap();
                    let (least, most) = found.servers.unwrap()[0];
                    (least..=most).contains(&1.4235)
                })
                .count();
            // 95 % of 400 are 380, with a standard deviation of 4.4: four of them and a little bias.
            assert!((358..=398).contains(&held), "{count} repeats: {held} of 400");
        }
    }

    #[test]
    fn equal_observations_leave_nothing_open_and_one_has_no_interval() {
        let seen = Observation { arrival_per_s: 10_844.5, service_s: 91.4e-6, response_s: 227e-6 };
        let found = Repeats::of(&[seen; 4]).unwrap();
        let [cpu, io] = found.servers.unwrap();
        assert!((cpu.0 - 1.42348).abs() < 5e-6 && (cpu.1 - 1.42348).abs() < 5e-6, "{cpu:?}");
        assert!((io.0 - 1.6593).abs() < 5e-5 && (io.1 - 1.6593).abs() < 5e-5, "{io:?}");
        let one = Repeats::of(&[seen]).unwrap();
        assert_eq!((one.servers, one.count, one.solved), (None, 1, seen.solved().unwrap()));
        assert_eq!(Repeats::of(&[]), Err(NoServers::NotPositive));
    }

    #[test]
    fn two_observations_have_the_interval_of_their_difference() {
        // Two repeats: the pseudovalues are the logarithms without the other; t(0.975, 1) is 12.706.
        let seen = |response_s| Observation { arrival_per_s: 100.0, service_s: 0.004, response_s };
        let pair = [seen(0.010), seen(0.012)];
        let [one, two] = pair.map(|one| one.solved().unwrap()[1].servers);
        let reach = 12.706 * (one / two).ln().abs() / 2.0;
        let found = Repeats::of(&pair).unwrap();
        let (least, most) = found.servers.unwrap()[1];
        // R = 11 ms: M = S L R / Q = 0.4 x 11 / 7.
        let middle = 0.4 * 11.0 / 7.0;
        assert!((found.solved[1].servers / middle - 1.0).abs() < 1e-9);
        assert!((least / (middle * (-reach).exp()) - 1.0).abs() < 1e-4, "{least}");
        assert!((most / (middle * reach.exp()) - 1.0).abs() < 1e-4, "{most}");
        // Without the slower one nothing queues.
        let unknown = Repeats::of(&[seen(0.004), seen(0.012)]).unwrap();
        assert_eq!(unknown.servers.unwrap()[0], (0.0, f64::INFINITY));
    }

    #[test]
    fn one_load_is_ten_per_cent_wide() {
        let seen = |arrival_per_s| Observation { arrival_per_s, service_s: 1.0, response_s: 2.0 };
        let rates = |rates: &[f64]| {
            let all: Vec<Observation> = rates.iter().map(|rate| seen(*rate)).collect();
            Observation::are_of_one_load(&all)
        };
        assert!(rates(&[100.0]) && rates(&[100.0, 109.0, 104.0]));
        assert!(!rates(&[]) && !rates(&[100.0, 111.0]));
    }
}
