//! The order of a real server's grants, added to what was simulated.

use isotherm_frame::nearest_rank;
use isotherm_frame::numbers::{counted, grouped, whole};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::grants::{Grant, at_random, out_of_order};
use super::kind::LockKind;
use super::real::{Measured, WAITING};
use crate::server::Server;
use crate::{Finding, Verdict};

/// The simulation alone.
pub fn without(mut finding: Finding, why: &str) -> Finding {
    finding.remarks.push(format!("Left out: the locks of a real server, because {why}."));
    finding
}

/// Both. The lesson holds where it holds in the simulation and every queue was served in order.
pub fn with(mut finding: Finding, measured: &[Measured], server: &Server<'_>) -> Finding {
    let queues = || measured.iter().filter(|one| one.kind.is_queue());
    let overtaking: u64 = queues().map(Measured::out_of_order).sum();
    let grants: u64 = queues().map(Measured::grants).sum();
    if overtaking > 0 {
        finding.verdict = Verdict::Fails;
    }
    let updates = measured.iter().find(|one| one.kind == LockKind::Update).map(|one| {
        let (some, all) = (grouped(one.out_of_order()), grouped(one.grants()));
        format!(", {some} of {all} of a row that is updated")
    });
    finding.sentence = format!(
        "{} of {} grants of PostgreSQL's lock queues were out of order{}; in the simulation, {}",
        grouped(overtaking),
        grouped(grants),
        updates.unwrap_or_default(),
        finding.sentence
    );
    let random: f64 = queues().map(Measured::at_random).sum();
    finding.remarks.insert(
        0,
        format!(
            "A grant is out of order if a session that asked before still waits: at random ≈{} of \
             these {} would be. That is a count; how long anything took has no part in it.",
            whole(random),
            grouped(grants)
        ),
    );
    let others = measured.iter().filter(|one| !one.kind.is_queue()).map(Measured::in_words);
    finding.remarks.splice(1..1, others);
    finding.remarks.push(LIGHTWEIGHT.to_owned());
    finding.remarks.extend(server.remarks.iter().cloned());
    finding.tables.push(table(measured));
    finding.charts.push(chart(measured));
    finding
}

impl Measured {
    fn grants(&self) -> u64 {
        self.rounds.iter().map(|round| round.len() as u64).sum()
    }

    fn out_of_order(&self) -> u64 {
        self.rounds.iter().map(|round| out_of_order(round)).sum()
    }

    /// Grants that would be out of order if any of those who wait were next.
    fn at_random(&self) -> f64 {
        self.rounds.iter().map(|round| at_random(round.len() as u64)).sum()
    }

    fn in_words(&self) -> String {
        let why = match self.kind {
            LockKind::Update => {
                "each update makes a new version of the row, and those who waited for the old one race for \
                 the new one"
            }
            _ => "who asks at the right moment has it",
        };
        format!(
            "No queue ({}): {} of {} were out of order, ≈{} at random; {why}.",
            self.kind.name(),
            grouped(self.out_of_order()),
            counted(self.grants(), "grant"),
            whole(self.at_random())
        )
    }

    /// The times from the moment that the lock became free to each grant, in ascending order, seconds.
    fn times_s(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.rounds.iter().flatten().map(|grant| grant.after_s).collect();
        times.sort_by(f64::total_cmp);
        times
    }
}

/// The value at a rank of sorted ones.
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let rank = usize::try_from(nearest_rank(q, sorted.len() as u64)).unwrap_or(usize::MAX);
    sorted.get(rank.saturating_sub(1)).copied()
}

fn table(measured: &[Measured]) -> Table {
    let row = |one: &Measured| {
        let times = one.times_s();
        let time = |q| quantile(&times, q).map_or_else(|| "-".to_owned(), waited);
        let queue = if one.kind.is_queue() { "one queue" } else { "none" };
        vec![
            one.kind.name().to_owned(),
            queue.to_owned(),
            grouped(one.grants()),
            grouped(one.out_of_order()),
            format!("≈{}", whole(one.at_random())),
            time(0.5),
            time(0.99),
            time(1.0),
        ]
    };
    let head = ["", "waiting in", "grants", "out of order", "at random", "p50", "p99", "max"];
    Table {
        caption: format!(
            "Locks of PostgreSQL that {WAITING} sessions wait for, who asked one after the other: grants out \
             of order, here and at random; times from the moment that the lock became free to a grant"
        ),
        head: head.map(str::to_owned).to_vec(),
        rows: measured.iter().map(row).collect(),
    }
}

fn chart(measured: &[Measured]) -> Chart {
    let curve = |one: &Measured| Curve {
        name: one.kind.name().to_owned(),
        stroke: Stroke::Measured,
        points: (1..=WAITING as u64).filter_map(|asked| mean_grant(&one.rounds, asked)).collect(),
    };
    Chart {
        title: "PostgreSQL: mean place among the grants by place in asking".to_owned(),
        x: ChartAxis { label: "place in asking".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: "place among the grants".to_owned(), ..ChartAxis::default() },
        curves: measured.iter().map(curve).collect(),
        ..Chart::default()
    }
}

/// The mean place of the sessions that asked as the n-th.
fn mean_grant(rounds: &[Vec<Grant>], asked: u64) -> Option<ChartPoint> {
    let is_it = |grant: &&Grant| grant.asked == asked;
    let places: Vec<u64> =
        rounds.iter().flatten().filter(is_it).map(|grant| grant.granted).collect();
    let mean = places.iter().sum::<u64>() as f64 / places.len() as f64;
    (!places.is_empty()).then(|| ChartPoint { x: asked as f64, y: mean, ..ChartPoint::default() })
}

const LIGHTWEIGHT: &str = "In these rounds all sessions wait before the lock is free: the order decides who \
    waits, and the n-th grant takes as long in any order. What it does to p99 where sessions come all the time is \
    simulated. PostgreSQL's lightweight locks and spinlocks are not here: nothing shows who asked first for them.";
