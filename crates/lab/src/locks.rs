//! A queue served in order against one served at random: the same mean, other percentiles.

use std::collections::VecDeque;

use isotherm_frame::{Nanos, Random, nearest_rank, numbers};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use crate::{Bench, Estimate, Finding, Lab, LabError, Verdict};

pub(crate) static LAB: Lab = Lab {
    name: "locks",
    question: "Locks queue in order, latches are raced for: what does the order do to waiting?",
    method: "Simulates one server at 80 % utilisation twice with the same arrivals and service times, \
             served first come first served and in random order, 20 times, and checks both against the \
             formulas of M/M/1",
    lesson: &[
        "A lock or enqueue serves those who wait in the order in which they came. A latch, a spinlock \
         or a mutex without a queue is taken by whoever asks at the right moment: the order is \
         random.",
        "The order does not change how much is waited in all: the server is busy at the same moments, \
         and the same number of tasks is waiting at each moment. So the mean is the same to the \
         nanosecond, and a mean shows no difference.",
        "It changes who waits. In random order most get through sooner and a few are overtaken again \
         and again: the median falls and p99 rises. The mean square of the waiting time grows by \
         2 / (2 - utilisation), so it matters most near saturation (Kingman 1962, Takács 1963).",
        "Two systems with one mean and different p99 may differ in nothing but the order. Look at \
         percentiles, or at the heat map, before blaming the holder of a latch.",
    ],
    needs: "",
    takes: (Nanos::from_millis(3_000), Nanos::from_millis(20_000)),
    takes_events: false,
    run,
};

/// The share of time the server is busy.
const UTILISATION: f64 = 0.8;
/// The mean service time, nanoseconds.
const SERVICE_NS: f64 = 1e6;
/// Simulations that do not depend on each other.
const REPLICATIONS: u64 = 20;
/// Arrivals of each: short, full.
const ARRIVALS: (usize, usize) = (100_000, 1_000_000);
/// What is printed of each order.
const PERCENTILES: [(&str, f64); 6] =
    [("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

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
struct Replication {
    means_are_equal: bool,
    fifo: Vec<f64>,
    random: Vec<f64>,
    mean_s: f64,
    squares: (f64, f64),
}

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let arrivals = bench.either(ARRIVALS.0, ARRIVALS.1);
    let mut replications = Vec::new();
    for number in 0..REPLICATIONS {
        bench.step(number as f64 / REPLICATIONS as f64, "simulating a queue in two orders")?;
        replications.push(replication(arrivals, &bench.random(number)));
    }
    Ok(finding(&replications, arrivals))
}

fn replication(arrivals: usize, random: &Random) -> Replication {
    let mut draws = random.clone();
    let input = Input::draw(arrivals, &mut draws);
    let fifo = input.serve(Order::FirstComeFirstServed, &mut draws);
    let raced = input.serve(Order::Random, &mut draws);
    let total = |served: &Served| served.responses.iter().sum::<u64>();
    let at = |served: &Served| PERCENTILES.iter().map(|(_, q)| served.quantile_s(*q)).collect();
    Replication {
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
fn formula_s(q: f64) -> f64 {
    -(1.0 - q).ln() * SERVICE_NS / 1e9 / (1.0 - UTILISATION)
}

/// By how much random order multiplies the mean square of the time before service.
fn formula_squares() -> f64 {
    2.0 / (2.0 - UTILISATION)
}

fn estimate(replications: &[Replication], of: impl Fn(&Replication) -> f64) -> Option<Estimate> {
    Estimate::of(&replications.iter().map(of).collect::<Vec<f64>>())
}

fn finding(replications: &[Replication], arrivals: usize) -> Finding {
    let p99 = PERCENTILES.iter().position(|(name, _)| *name == "p99").unwrap_or_default();
    let equal = replications.iter().all(|one| one.means_are_equal);
    let ratio = estimate(replications, |one| one.random[p99] / one.fifo[p99]);
    let squares = estimate(replications, |one| one.squares.1 / one.squares.0);
    let verdict = match ratio.map(Estimate::interval) {
        Some((lo, _)) if equal && lo > 1.0 => Verdict::Holds,
        Some((_, hi)) if !equal || hi < 1.0 => Verdict::Fails,
        _ => Verdict::Unsure,
    };
    let mean =
        |of: &dyn Fn(&Replication) -> f64| estimate(replications, of).map_or(f64::NAN, |e| e.mean);
    let (fifo, raced) = (mean(&|one| one.fifo[p99]), mean(&|one| one.random[p99]));
    let same = if equal { "the same mean to the nanosecond" } else { "different means" };
    let with_reach = |estimate: Option<Estimate>| {
        estimate.map_or_else(String::new, |one| format!("{:.3} ± {:.3}", one.mean, one.reach))
    };
    Finding {
        verdict,
        sentence: format!(
            "first come first served and random order have {same} ({}), and p99 is {} in order and \
             {} at random.",
            waited(mean(&|one| one.mean_s)),
            waited(fifo),
            waited(raced)
        ),
        uncertainty: format!(
            "p99 at random is {} times p99 in order (90 % confidence, {REPLICATIONS} simulations of {} \
             arrivals).",
            with_reach(ratio),
            numbers::grouped(arrivals as u64)
        ),
        remarks: vec![
            format!(
                "Random order multiplies the mean square of the waiting time by {} here; the formula \
                 2 / (2 - U) gives {:.3}.",
                with_reach(squares),
                formula_squares()
            ),
            format!(
                "In order the formula of M/M/1 gives a mean of {} and a p99 of {}.",
                waited(SERVICE_NS / 1e9 / (1.0 - UTILISATION)),
                waited(formula_s(0.99))
            ),
        ],
        tables: vec![table(replications)],
        charts: vec![chart(replications)],
    }
}

fn table(replications: &[Replication]) -> Table {
    let cell = |of: &dyn Fn(&Replication) -> f64| {
        estimate(replications, of).map_or_else(String::new, |one| {
            format!("{:.2} ± {:.2} ms", one.mean * 1e3, one.reach * 1e3)
        })
    };
    let rows = PERCENTILES.iter().enumerate().map(|(at, &(name, q))| {
        let formula = if q < 1.0 { waited(formula_s(q)) } else { "-".to_owned() };
        vec![name.to_owned(), cell(&|one| one.fifo[at]), formula, cell(&|one| one.random[at])]
    });
    Table {
        caption: "Response times by order of service: mean of the simulations ± 90 % interval"
            .to_owned(),
        head: ["", "in order", "formula (M/M/1)", "at random"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn chart(replications: &[Replication]) -> Chart {
    // The maximum has no place on an axis of 1 / (1 - q).
    let shown = || PERCENTILES.iter().enumerate().filter(|(_, (_, q))| *q < 1.0);
    let measured = |of: &dyn Fn(&Replication, usize) -> f64| -> Vec<ChartPoint> {
        let point = |(at, &(name, q)): (usize, &(&str, f64))| {
            let estimate = estimate(replications, |one| of(one, at))?;
            Some(ChartPoint {
                x: 1.0 / (1.0 - q),
                y: estimate.mean,
                y_range: Some(estimate.interval()),
                label: Some(name.to_owned()),
                ..ChartPoint::default()
            })
        };
        shown().filter_map(point).collect()
    };
    let formula = shown().map(|(_, &(_, q))| ChartPoint {
        x: 1.0 / (1.0 - q),
        y: formula_s(q),
        ..ChartPoint::default()
    });
    let curve = |name: &str, stroke: Stroke, points: Vec<ChartPoint>| Curve {
        name: name.to_owned(),
        stroke,
        points,
    };
    Chart {
        title: "Response time by percentile and order of service".to_owned(),
        x: ChartAxis {
            label: "one in this many is slower".to_owned(),
            log: true,
            ..ChartAxis::default()
        },
        y: ChartAxis { label: "response time".to_owned(), unit: ChartUnit::Seconds, log: true },
        curves: vec![
            curve("in order", Stroke::Measured, measured(&|one, at| one.fifo[at])),
            curve("at random", Stroke::Measured, measured(&|one, at| one.random[at])),
            curve("M/M/1 in order", Stroke::Dashed, formula.collect()),
        ],
        ..Chart::default()
    }
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
    fn formulas_are_those_of_the_books() {
        // M/M/1 at 80 %: a mean of 5 services, p99 of ln 100 times that.
        assert!((formula_s(0.99) - 0.005 * 4.605_170_185_988_092).abs() < 1e-12);
        assert!((formula_squares() - 5.0 / 3.0).abs() < 1e-12);
    }
}
