//! One server and its queue, simulated in two orders.

use std::collections::VecDeque;

use isotherm_frame::{Random, nearest_rank};

use crate::{Bench, LabError};

/// The share of time the server is busy.
pub const UTILISATION: f64 = 0.8;
/// The mean service time, nanoseconds.
pub const SERVICE_NS: f64 = 1e6;
/// Simulations that do not depend on each other.
pub const REPLICATIONS: u64 = 20;
/// Arrivals of each: short, full.
const ARRIVALS: (usize, usize) = (100_000, 1_000_000);
/// What is printed of each order.
pub const PERCENTILES: [(&str, f64); 6] =
    [("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

/// The share of the lab's work that they are.
pub const SHARE: f64 = 0.6;

/// Who is served next.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Order {
    FirstComeFirstServed,
    Random,
}

/// Arrivals and service times, nanoseconds: the n-th service takes the n-th time, whoever gets it.
struct Input {
    gaps: Vec<u64>,
    services: Vec<u64>,
}

/// What one simulation came to, in ascending order, nanoseconds.
struct Served {
    responses: Vec<u64>,
    /// The mean square of the time before service, in square nanoseconds.
    waits_squared: f64,
}

/// The numbers of one replication.
pub struct Replication {
    /// Arrivals that were served.
    pub arrivals: usize,
    pub means_are_equal: bool,
    /// Response times in order, seconds: one for each of [`PERCENTILES`].
    pub fifo: Vec<f64>,
    /// The same at random.
    pub random: Vec<f64>,
    /// The mean response time, seconds.
    pub mean_s: f64,
    /// The mean square of the time before service: in order, at random.
    pub squares: (f64, f64),
}

/// Simulates all of them.
pub fn replications(bench: &mut Bench<'_>) -> Result<Vec<Replication>, LabError> {
    let arrivals = bench.either(ARRIVALS.0, ARRIVALS.1);
    let mut replications = Vec::new();
    for number in 0..REPLICATIONS {
        let done = SHARE * number as f64 / REPLICATIONS as f64;
        bench.step(done, "simulating a queue in two orders")?;
        replications.push(replication(arrivals, &bench.random(number)));
    }
    Ok(replications)
}

fn replication(arrivals: usize, random: &Random) -> Replication {
    let mut draws = random.clone();
    let input = Input::draw(arrivals, &mut draws);
    let fifo = input.serve(Order::FirstComeFirstServed, &mut draws);
    let raced = input.serve(Order::Random, &mut draws);
    let total = |served: &Served| served.responses.iter().sum::<u64>();
    let at = |served: &Served| PERCENTILES.iter().map(|(_, q)| served.quantile_s(*q)).collect();
    Replication {
        arrivals,
        means_are_equal: total(&fifo) == total(&raced),
        fifo: at(&fifo),
        random: at(&raced),
        mean_s: total(&fifo) as f64 / arrivals as f64 / 1e9,
        squares: (fifo.waits_squared, raced.waits_squared),
    }
}

impl Input {
    fn draw(arrivals: usize, random: &mut Random) -> Input {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some milliseconds, above zero"
        )]
        let mut draw = |mean: f64| (random.exponential() * mean).round() as u64;
        let gaps = (0..arrivals).map(|_| draw(SERVICE_NS / UTILISATION)).collect();
        let services = (0..arrivals).map(|_| draw(SERVICE_NS)).collect();
        Input { gaps, services }
    }

    /// Serves all of them until nobody is left.
    fn serve(&self, order: Order, random: &mut Random) -> Served {
        let arrivals = self.gaps.iter().scan(0_u64, |at, gap| {
            *at += gap;
            Some(*at)
        });
        let (mut coming, mut waiting) = (arrivals.peekable(), VecDeque::new());
        let (mut free_at, mut squares) = (0_u64, 0.0);
        let mut responses = Vec::with_capacity(self.gaps.len());
        for service in &self.services {
            // The server is idle until the next one comes.
            if waiting.is_empty() {
                free_at = free_at.max(coming.peek().copied().unwrap_or(free_at));
            }
            while let Some(arrival) = coming.next_if(|arrival| *arrival <= free_at) {
                waiting.push_back(arrival);
            }
            let next = match order {
                Order::FirstComeFirstServed => waiting.pop_front(),
                Order::Random => waiting.swap_remove_back(random.index(waiting.len())),
            };
            let Some(arrival) = next else { break };
            squares += ((free_at - arrival) as f64).powi(2);
            free_at += service;
            responses.push(free_at - arrival);
        }
        responses.sort_unstable();
        Served { waits_squared: squares / responses.len().max(1) as f64, responses }
    }
}

impl Served {
    fn quantile_s(&self, q: f64) -> f64 {
        let rank = nearest_rank(q, self.responses.len() as u64);
        let at = usize::try_from(rank).unwrap_or(usize::MAX).saturating_sub(1);
        self.responses.get(at).map_or(f64::NAN, |&ns| ns as f64 / 1e9)
    }
}

/// The quantile of the response time of M/M/1, first come first served: it is exponential with the
/// mean S / (1 - U).
pub fn formula_s(q: f64) -> f64 {
    -(1.0 - q).ln() * SERVICE_NS / 1e9 / (1.0 - UTILISATION)
}

/// By how much random order multiplies the mean square of the time before service.
pub fn formula_squares() -> f64 {
    2.0 / (2.0 - UTILISATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_of_four_is_served_as_on_paper() {
        // They come at 0, 1, 2 and 20; each service takes 5.
        let input = Input { gaps: vec![0, 1, 1, 18], services: vec![5; 4] };
        let served = input.serve(Order::FirstComeFirstServed, &mut Random::new(1));
        // They end at 5, 10, 15 and 25, after 5, 9, 13 and 5; they waited 0, 4, 8 and 0.
        assert_eq!(served.responses, [5, 5, 9, 13]);
        assert!((served.waits_squared - 20.0).abs() < 1e-9);
        assert!((served.quantile_s(0.5) - 5e-9).abs() < 1e-15);
        let raced = input.serve(Order::Random, &mut Random::new(1));
        assert_eq!(raced.responses.iter().sum::<u64>(), 32);
    }

    #[test]
    fn the_same_seed_gives_the_same_replication() {
        let fifo = |seed| replication(1_000, &Random::new(seed)).fifo;
        let raced = |seed| replication(1_000, &Random::new(seed)).random;
        assert_eq!((fifo(7), raced(7)), (fifo(7), raced(7)));
        assert_ne!((fifo(7), raced(7)), (fifo(8), raced(8)));
        assert_ne!(fifo(7), raced(7));
    }

    #[test]
    fn formulas_are_those_of_the_books() {
        // M/M/1 at 80 %: a mean of 5 services, p99 of ln 100 times that.
        assert!((formula_s(0.99) - 0.005 * 4.605_170_185_988_092).abs() < 1e-12);
        assert!((formula_squares() - 5.0 / 3.0).abs() < 1e-12);
    }
}
