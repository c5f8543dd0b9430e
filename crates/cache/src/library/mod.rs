//! A model of a library cache: hash buckets with a mutex each, handles (parent cursors) in them, child
//! cursors below these, an LRU list, pins, hard and soft parses, invalidations.
//!
//! It follows the published descriptions of Oracle's library cache. Its times are assumptions: it shows
//! how the parts work together, and predicts no database.

mod json;
mod objects;
mod picture;
mod section;
mod settings;
#[cfg(test)]
mod tests;
mod verdict;

use isotherm_frame::Random;

use crate::model::{Competitors, Contention, SettingsError, compete};
use objects::{Library, TABLES};

pub use json::LibraryJson;
pub use objects::LibraryCounts;
pub use picture::LibraryPicture;
pub use settings::{LIBRARY_PRESETS, LibrarySettings, library_preset};
pub use verdict::LibraryVerdict;

/// Moments of which there is a picture.
const MOMENTS: u64 = 12;
/// A mutex is held this long, and longer for each object that is looked at; nanoseconds.
const HELD_NS: u64 = 200;
/// For each object.
const HELD_PER_OBJECT_NS: u64 = 100;
/// The mean time of a session between two mutexes, nanoseconds.
const BETWEEN_NS: u64 = 20_000;
/// Of shared statements one in five has four executions in five.
const BUSY_STATEMENTS: u32 = 5;
const BUSY_SHARE: f64 = 0.8;

/// A model that has run.
#[derive(Clone, Debug)]
pub struct LibraryModel {
    /// What it is of.
    pub settings: LibrarySettings,
    /// What happened.
    pub counts: LibraryCounts,
    /// How sessions compete for the mutexes of the buckets.
    pub contention: Contention,
    /// The cache at moments during the run, the last at its end.
    moments: Vec<Library>,
}

/// What is executed, one after the other.
struct Executions<'a> {
    settings: &'a LibrarySettings,
    random: Random,
    /// The next text that was never there before.
    next_literal: u32,
}

impl Executions<'_> {
    /// The next statement and its environment.
    fn next(&mut self) -> (u32, u32) {
        let settings = self.settings;
        if self.random.unit() < settings.literals {
            self.next_literal = self.next_literal.wrapping_add(1).max(settings.statements);
            return (self.next_literal, 0);
        }
        let statement = match self.random.unit() {
            hot if hot < settings.hottest => 0,
            _ if self.random.unit() < BUSY_SHARE => {
                self.below((settings.statements / BUSY_STATEMENTS).max(1))
            }
            _ => self.below(settings.statements),
        };
        (statement, self.below(settings.versions))
    }

    fn below(&mut self, limit: u32) -> u32 {
        u32::try_from(self.random.below(u64::from(limit))).unwrap_or(0)
    }
}

impl LibraryModel {
    /// Runs a model. The same settings give the same model.
    pub fn run(settings: LibrarySettings) -> Result<LibraryModel, SettingsError> {
        settings.check()?;
        let mut library = Library::new(&settings);
        let next_literal = settings.statements;
        let mut executions =
            Executions { settings: &settings, random: Random::new(settings.seed), next_literal };
        let mut random = Random::new(settings.seed ^ 0x0dd1);
        let (mut moments, all) = (Vec::new(), u64::from(settings.executions));
        for count in 1..=all {
            let (statement, environment) = executions.next();
            library.execute(statement, environment);
            if random.unit() < settings.changes {
                let table = random.below(u64::from(TABLES));
                library.change(u32::try_from(table).unwrap_or(0));
            }
            if count * MOMENTS / all > (count - 1) * MOMENTS / all {
                moments.push(library.clone());
            }
        }
        let counts = library.counts;
        let contention = contention(&settings, &library, &mut executions);
        Ok(LibraryModel { settings, counts, contention, moments })
    }

    /// The cache at the end.
    fn last(&self) -> Option<&Library> {
        self.moments.last()
    }
}

/// Lets sessions look for cursors in the cache as it is at the end.
fn contention(
    settings: &LibrarySettings,
    library: &Library,
    executions: &mut Executions<'_>,
) -> Contention {
    let LibrarySettings { sessions, buckets, seed, .. } = *settings;
    let who = Competitors { sessions, latches: buckets, seed };
    let times = compete(who, BETWEEN_NS, &mut || {
        let (statement, environment) = executions.next();
        let (.., examined) = library.find(statement, environment);
        (library.bucket_of(statement), HELD_NS + examined * HELD_PER_OBJECT_NS)
    });
    Contention::from_times(&times, buckets, who)
}
