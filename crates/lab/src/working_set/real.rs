//! Random reads of a table by a server that was just started, counted by the server.

use std::collections::HashSet;
use std::fmt::Write as _;

use isotherm_client::postgres::control::Control;
use isotherm_frame::Random;

use super::expected::Uniform;
use crate::server::{Server, failed};
use crate::{Bench, LabError};

/// The first release that can be asked to count at once.
pub const LEAST_VERSION: u64 = 150_000;
/// Blocks of the table: short, full.
const BLOCKS: (u64, u64) = (2_000, 12_000);
/// Each block is referenced about so often, in this many steps each.
const LENGTH: (u64, u64) = (5, 8);
/// References in one statement.
const AT_ONCE: usize = 1_000;

const COUNTERS: &str = "select heap_blks_read, heap_blks_hit from pg_statio_user_tables where \
    relname = 'rows_ramp' and schemaname = current_schema";

/// A cache that fills.
#[derive(Debug)]
pub struct Ramp {
    /// Blocks of the table.
    pub blocks: u64,
    /// Blocks that the cache has room for.
    pub buffers: u64,
    pub steps: Vec<Step>,
}

/// What was so far at the end of a step.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub references: u64,
    /// Distinct blocks among them, counted here.
    pub distinct: u64,
    /// Blocks that the server did not find in its cache.
    pub read: u64,
    /// Those that it found.
    pub hit: u64,
}

impl Ramp {
    /// Whether the server counted every reference once, as read or hit.
    pub fn is_complete(&self) -> bool {
        self.steps.iter().all(|step| step.read + step.hit == step.references)
    }

    /// Whether it read each distinct block once, and nothing else.
    pub fn reads_distinct_blocks(&self) -> bool {
        self.steps.iter().all(|step| step.read == step.distinct)
    }

    /// How far the distinct blocks are from the formula at most, in its standard deviations.
    pub fn farthest(&self) -> f64 {
        let uniform = Uniform { blocks: self.blocks };
        let distance = |step: &Step| {
            let off = step.distinct as f64 - uniform.distinct(step.references);
            (off / uniform.deviation(step.references)).abs()
        };
        self.steps.iter().map(distance).fold(0.0, f64::max)
    }

    /// The share of hits within each step.
    pub fn hits(&self) -> impl Iterator<Item = f64> {
        let before = std::iter::once((0, 0))
            .chain(self.steps.iter().map(|step| (step.hit, step.references)));
        self.steps.iter().zip(before).map(|(step, (hit, references))| {
            step.hit.saturating_sub(hit) as f64 / step.references.saturating_sub(references) as f64
        })
    }
}

/// Fills a cache with room for all of the table, and one with room for half of it.
pub fn ramps(server: &mut Server<'_>, bench: &mut Bench<'_>) -> Result<[Ramp; 2], LabError> {
    let rows = bench.either(BLOCKS.0, BLOCKS.1);
    bench.step(0.65, "filling a table")?;
    let mut control = server.control()?;
    for statement in prepare(rows) {
        control.rows(&statement).map_err(failed)?;
    }
    let size = "select pg_relation_size('rows_ramp') / current_setting('block_size')::int";
    let blocks = control.number(size).map_err(failed)?;
    drop(control);
    let mut ramp = |done: f64, buffers: u64, part: u64| {
        server.restart(bench, &format!("shared_buffers={buffers}"))?;
        let steps = fill(server, blocks, (done, part), bench)?;
        Ok(Ramp { blocks, buffers, steps })
    };
    Ok([ramp(0.7, 2 * blocks, 2)?, ramp(0.85, blocks / 2, 3)?])
}

/// A table with one row in each block, and a function that reads some of them.
fn prepare(rows: u64) -> [String; 6] {
    [
        "create table rows_ramp (filler text)".to_owned(),
        // Neither compressed nor in a table of its own.
        "alter table rows_ramp alter filler set storage plain".to_owned(),
        format!("insert into rows_ramp select repeat('x', 6000) from generate_series(1, {rows})"),
        "vacuum (freeze, analyze) rows_ramp".to_owned(),
        "create function touch(blocks int[]) returns void language plpgsql as 'declare block int; \
         place tid; begin foreach block in array blocks loop place := format(''(%s,1)'', block); \
         perform 1 from rows_ramp where ctid = place; end loop; end'"
            .to_owned(),
        "checkpoint".to_owned(),
    ]
}

fn fill(
    server: &Server<'_>,
    blocks: u64,
    (done, part): (f64, u64),
    bench: &mut Bench<'_>,
) -> Result<Vec<Step>, LabError> {
    let mut control = server.control()?;
    let mut random: Random = bench.random(part);
    let before = counters(&mut control)?;
    let (times, steps) = LENGTH;
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for step in 1..=times * steps {
        bench.step(done, "reading random blocks")?;
        let width = blocks / steps;
        let references: Vec<u64> = (0..width).map(|_| random.below(blocks)).collect();
        seen.extend(references.iter().copied());
        for some in references.chunks(AT_ONCE) {
            control.rows(&touch(some)).map_err(failed)?;
        }
        let (read, hit) = counters(&mut control)?;
        found.push(Step {
            references: step * width,
            distinct: seen.len() as u64,
            read: read.saturating_sub(before.0),
            hit: hit.saturating_sub(before.1),
        });
    }
    Ok(found)
}

fn touch(blocks: &[u64]) -> String {
    let mut list = String::new();
    for (at, block) in blocks.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(list, "{comma}{block}");
    }
    format!("select touch('{{{list}}}')")
}

/// Blocks of the table that were read, and those that were found in the cache.
fn counters(control: &mut Control<'_>) -> Result<(u64, u64), LabError> {
    control.rows("select pg_stat_force_next_flush()").map_err(failed)?;
    let rows = control.rows(COUNTERS).map_err(failed)?;
    let number = |column: usize| {
        let cell = rows.first().and_then(|row| row.get(column)?.as_deref()?.parse().ok());
        cell.ok_or_else(|| LabError::Unusable {
            why: "pg_statio_user_tables does not have the lab's table".to_owned(),
            next: "see whether track_counts is on",
        })
    };
    Ok((number(0)?, number(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_those_of_each_step() {
        let step = |references, distinct, read| Step {
            references,
            distinct,
            read,
            hit: references - read,
        };
        let ramp = Ramp { blocks: 4, buffers: 8, steps: vec![step(4, 3, 3), step(8, 4, 4)] };
        assert_eq!(ramp.hits().collect::<Vec<f64>>(), [0.25, 0.75]);
        assert!(ramp.is_complete() && ramp.reads_distinct_blocks());
        // 4 (1 - 0.75^4) = 2.734 and 3.600 after 8.
        assert!(ramp.farthest() < 1.0, "{}", ramp.farthest());
        let evicted = Ramp { buffers: 2, steps: vec![step(8, 4, 6)], ..ramp };
        assert!(!evicted.reads_distinct_blocks());
    }

    #[test]
    fn blocks_are_an_array_of_sql() {
        assert_eq!(touch(&[3, 0, 12]), "select touch('{3,0,12}')");
    }
}
