//! A real cache that fills, added to what was simulated.

use isotherm_frame::numbers::grouped;
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;

use super::expected::Uniform;
use super::real::{Ramp, Step};
use crate::server::Server;
use crate::{Finding, Verdict};

/// Chance moves the distinct blocks farther than this from their mean in one of some ten thousand steps.
const FARTHEST: f64 = 4.0;

/// The simulation alone.
pub fn without(mut finding: Finding, why: &str) -> Finding {
    finding.remarks.push(format!("Left out: the cache of a real server, because {why}."));
    finding
}

/// Both. The lesson holds where `HyperLogLog` counts as stated and the server read the distinct blocks.
pub fn with(mut finding: Finding, ramps: &[Ramp; 2], server: &Server<'_>) -> Finding {
    let [whole, half] = ramps;
    if !is_as_said(ramps) {
        finding.verdict = Verdict::Fails;
    }
    finding.sentence = format!("{}; {}", finding.sentence.trim_end_matches('.'), read(whole));
    finding.remarks.extend([in_words(whole), by_formula(whole), levels_off(half)]);
    finding.remarks.extend(server.remarks.iter().cloned());
    finding.tables.push(table(whole));
    finding.charts.push(chart(ramps));
    finding
}

fn is_as_said([whole, half]: &[Ramp; 2]) -> bool {
    whole.reads_distinct_blocks()
        && [whole, half].iter().all(|ramp| ramp.is_complete() && ramp.farthest() <= FARTHEST)
}

fn read(ramp: &Ramp) -> String {
    let (read, distinct) = ramp.steps.last().map_or((0, 0), |step| (step.read, step.distinct));
    format!(
        "PostgreSQL with an empty cache read {} blocks where {} distinct ones were asked for.",
        grouped(read),
        grouped(distinct)
    )
}

fn in_words(ramp: &Ramp) -> String {
    let Some(last) = ramp.steps.last() else { return String::new() };
    let other = ramp.steps.iter().filter(|step| step.read != step.distinct).count();
    let same = match other {
        0 => format!("the same number in each of {} steps", ramp.steps.len()),
        _ => format!("other numbers in {other} of {} steps", ramp.steps.len()),
    };
    format!(
        "PostgreSQL had just been started with a cache for {} blocks, and answered {} random reads of a table \
         of {}: blocks that it read (heap_blks_read) and distinct ones that were asked for are {same}.",
        grouped(ramp.buffers),
        grouped(last.references),
        grouped(ramp.blocks)
    )
}

fn by_formula(ramp: &Ramp) -> String {
    format!(
        "The formula W (1 - (1 - 1/W)^n) is at most {:.1} standard deviations away from that in {} steps.",
        ramp.farthest(),
        ramp.steps.len()
    )
}

fn levels_off(ramp: &Ramp) -> String {
    let hits: Vec<f64> = ramp.hits().collect();
    // The last block per block is long after the cache is full.
    let last = hits.get(hits.len().saturating_sub(8)..).unwrap_or_default();
    let mean = last.iter().sum::<f64>() / last.len() as f64;
    format!(
        "With a cache for {} blocks, {:.1} % of the table, hits level off at {:.1} %. More can only be \
         chance, less is what catalogs take of the cache.",
        grouped(ramp.buffers),
        ramp.buffers as f64 / ramp.blocks as f64 * 100.0,
        mean * 100.0
    )
}

fn table(ramp: &Ramp) -> Table {
    let uniform = Uniform { blocks: ramp.blocks };
    let row = |step: &Step| {
        vec![
            grouped(step.references),
            grouped(step.distinct),
            grouped(step.read),
            grouped(step.hit),
            format!(
                "{:.1} ± {:.1}",
                uniform.distinct(step.references),
                uniform.deviation(step.references)
            ),
        ]
    };
    Table {
        caption: format!(
            "Random reads of {} blocks by PostgreSQL with room for all: blocks that it read and that it \
             found in its cache, beside the distinct ones among the references; the formula with its \
             standard deviation",
            grouped(ramp.blocks)
        ),
        head: ["references", "distinct", "heap_blks_read", "heap_blks_hit", "formula"]
            .map(str::to_owned)
            .to_vec(),
        // One row for each reference per block.
        rows: ramp.steps.iter().skip(7).step_by(8).map(row).collect(),
    }
}

/// The mean share of hits of a step by the formula: what is not read for the first time.
fn formula(ramp: &Ramp) -> impl Iterator<Item = f64> {
    let uniform = Uniform { blocks: ramp.blocks };
    let before = std::iter::once(0).chain(ramp.steps.iter().map(|step| step.references));
    ramp.steps.iter().zip(before).map(move |(step, before)| {
        let new = uniform.distinct(step.references) - uniform.distinct(before);
        1.0 - new / (step.references - before) as f64
    })
}

fn chart([whole, half]: &[Ramp; 2]) -> Chart {
    let curve = |name: &str, stroke: Stroke, ramp: &Ramp, shares: Vec<f64>| {
        let point = |(step, share): (&Step, f64)| ChartPoint {
            x: step.references as f64 / ramp.blocks as f64,
            y: share,
            ..ChartPoint::default()
        };
        let points = ramp.steps.iter().zip(shares).map(point).collect();
        Curve { name: name.to_owned(), stroke, points }
    };
    Chart {
        title: "The cache ramp of PostgreSQL: share of hits after it was started".to_owned(),
        x: ChartAxis { label: "references per block".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: "hits".to_owned(), unit: ChartUnit::Share, log: false },
        curves: vec![
            curve("room for all", Stroke::Dots, whole, whole.hits().collect()),
            curve("1 - (1 - 1/W)^n", Stroke::Line, whole, formula(whole).collect()),
            curve("room for half", Stroke::Dashed, half, half.hits().collect()),
        ],
        ..Chart::default()
    }
}
