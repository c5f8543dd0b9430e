//! Reads that the server times, before, during and after a backup.

use std::path::Path;
use std::time::Instant;

use isotherm_client::postgres::control::Control;
use isotherm_frame::numbers::bytes;
use isotherm_frame::{Nanos, Random};

use super::copy::Backup;
use super::timing::Timing;
use crate::server::{RelationFiles, Server, cached_pages, failed};
use crate::{Bench, LabError};

/// Rows of the table, about half a kilobyte each: more than the 32 MiB of the server's own cache.
const ROWS: (usize, usize) = (120_000, 300_000);
/// The largest database of a user's server that is read: its own table is added to it.
const LARGEST: u64 = 8 << 30;
/// Statements of a step.
const STATEMENTS: (usize, usize) = (200, 500);
/// Steps before, during and after the backup.
const STEPS: ([usize; 3], [usize; 3]) = ([4, 3, 6], [20, 5, 75]);

/// When a step was.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    Before,
    During,
    After,
}

/// Statements that were timed one after the other, between two pieces of the backup.
#[derive(Debug)]
pub struct Step {
    pub phase: Phase,
    /// Its beginning and end, in seconds since the first statement.
    pub begun_s: f64,
    pub ended_s: f64,
    /// The times of the reads of statements that read one block.
    pub latencies: Vec<Nanos>,
    /// Statements that found all in the server's own cache.
    pub without_read: u64,
    /// Statements that read several blocks, or one without a time.
    pub left_out: u64,
    /// Pages of the table and its index in the page cache before the statements; none if not known.
    pub cached: Option<u64>,
}

/// All steps.
#[derive(Debug)]
pub struct Course {
    pub steps: Vec<Step>,
    /// Pages that the files of the table and its index have.
    pub pages: u64,
    /// Why cached pages are not known.
    pub unseen: Option<String>,
    /// Bytes that the backup read.
    pub copied: u64,
}

/// A session that looks up rows.
struct Reader<'a> {
    session: Control<'a>,
    random: Random,
    begun: Instant,
    rows: usize,
    statements: usize,
}

/// Times reads before, during and after a backup.
pub fn measured(server: &Server<'_>, bench: &mut Bench<'_>) -> Result<Course, LabError> {
    let mut session = server.control()?;
    let rows = bench.either(ROWS.0, ROWS.1);
    bench.step(0.1, "filling a table")?;
    let directory = server.data_directory()?;
    let files = filled(&mut session, &directory, rows)?;
    let copied = copied(server, &mut session)?;
    let directory = directory.join(copied);
    let unreadable = |error: std::io::Error| LabError::Unreadable {
        what: directory.display().to_string(),
        why: error.to_string(),
        next: "set TMPDIR to a directory with room on a disk",
    };
    files.read()?;
    let mut reader = Reader {
        session,
        random: bench.random(41),
        begun: Instant::now(),
        rows,
        statements: bench.either(STATEMENTS.0, STATEMENTS.1),
    };
    let mut backup = Backup::of(&directory).map_err(unreadable)?;
    let mut course = Course { steps: Vec::new(), pages: 0, unseen: None, copied: 0 };
    let phases = phases(bench.either(STEPS.0, STEPS.1));
    let pieces = phases.iter().filter(|phase| **phase == Phase::During).count() as u64;
    let piece = backup.total / pieces + 1;
    for (number, &phase) in phases.iter().enumerate() {
        bench.step(0.3 + 0.7 * number as f64 / phases.len() as f64, phase.name())?;
        let begun_s = reader.begun.elapsed().as_secs_f64();
        if phase == Phase::During {
            backup.read(piece).map_err(unreadable)?;
        }
        let cached = course.looked_at(&files);
        course.steps.push(Step { begun_s, cached, ..reader.step(phase)? });
    }
    course.copied = backup.done;
    Ok(course)
}

/// The directory that is read, within the server's: of a server of the user only its database, if that is
/// not too large.
fn copied(server: &Server<'_>, session: &mut Control<'_>) -> Result<String, LabError> {
    if server.is_own() {
        return Ok("base".to_owned());
    }
    let size = session.number("select pg_database_size(current_database())").map_err(failed)?;
    if size > LARGEST {
        return Err(LabError::OutOfReach {
            what: "a backup of that database",
            why: format!("it has {}, more than {}", bytes(size), bytes(LARGEST)),
            next: "name a smaller database of that server, such as a new one",
        });
    }
    let own = "select regexp_replace(pg_relation_filepath('rows_backed_up'), '/[^/]*$', '')";
    Ok(session.value(own).map_err(failed)?.unwrap_or_default())
}

fn phases([before, during, after]: [usize; 3]) -> Vec<Phase> {
    [(Phase::Before, before), (Phase::During, during), (Phase::After, after)]
        .into_iter()
        .flat_map(|(phase, steps)| std::iter::repeat_n(phase, steps))
        .collect()
}

/// Makes the table, with nothing left to be written.
fn filled(
    session: &mut Control<'_>,
    directory: &Path,
    rows: usize,
) -> Result<RelationFiles, LabError> {
    let fill = format!(
        "create table rows_backed_up as select n as id, repeat(md5(n::text), 15) as filler from \
         generate_series(1, {rows}) n"
    );
    for statement in [
        &fill,
        "create unique index rows_backed_up_id on rows_backed_up (id)",
        "vacuum (freeze, analyze) rows_backed_up",
        "checkpoint",
        "set track_io_timing = on",
        "set enable_bitmapscan = off",
        "set enable_seqscan = off",
    ] {
        session.rows(statement).map_err(failed)?;
    }
    RelationFiles::of(session, directory, &["rows_backed_up", "rows_backed_up_id"])
}

impl Phase {
    pub const ALL: [Phase; 3] = [Phase::Before, Phase::During, Phase::After];

    pub fn name(self) -> &'static str {
        match self {
            Phase::Before => "before the backup",
            Phase::During => "during the backup",
            Phase::After => "after the backup",
        }
    }
}

impl Course {
    fn looked_at(&mut self, files: &RelationFiles) -> Option<u64> {
        match cached_pages(&files.paths) {
            Ok((cached, pages)) => {
                self.pages = pages;
                Some(cached)
            }
            Err(why) => {
                self.unseen = Some(why);
                None
            }
        }
    }
}

impl Reader<'_> {
    fn step(&mut self, phase: Phase) -> Result<Step, LabError> {
        let mut step = Step {
            phase,
            begun_s: 0.0,
            ended_s: 0.0,
            latencies: Vec::new(),
            without_read: 0,
            left_out: 0,
            cached: None,
        };
        for _ in 0..self.statements {
            let statement = format!(
                "explain (analyze, buffers, timing off, costs off) select length(filler) from \
                 rows_backed_up where id = {}",
                self.random.index(self.rows) + 1
            );
            let plan = self.session.rows(&statement).map_err(failed)?;
            let lines = plan.iter().filter_map(|row| row.first()?.as_deref());
            match Timing::read(lines) {
                Timing { blocks: 0, .. } => step.without_read += 1,
                Timing { blocks: 1, time } if time > Nanos::ZERO => step.latencies.push(time),
                _ => step.left_out += 1,
            }
        }
        step.ended_s = self.begun.elapsed().as_secs_f64();
        Ok(step)
    }
}
