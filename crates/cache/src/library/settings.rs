//! What a model of a library cache is of.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Preset, SettingsError, are_shares, within};

/// The settings of a model of a library cache.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LibrarySettings {
    /// Hash buckets, each with a mutex.
    pub buckets: u32,
    /// Distinct statements that sessions share.
    pub statements: u32,
    /// The share of executions with a text of their own, literals in place of bind variables, 0 to 1.
    pub literals: f64,
    /// Environments that need a child cursor of their own.
    pub versions: u32,
    /// The share of executions of the first statement, beside its part of all others, 0 to 1.
    pub hottest: f64,
    /// Child cursors that memory holds.
    pub cursors: u32,
    /// The share of executions that are followed by a change of a table, 0 to 1: it invalidates the
    /// cursors that depend on it.
    pub changes: f64,
    /// Executions.
    pub executions: u32,
    /// Sessions that compete for mutexes.
    pub sessions: u32,
    /// The seed of random numbers.
    pub seed: u64,
}

impl LibrarySettings {
    /// The settings that others differ from.
    pub const PLAIN: LibrarySettings = LibrarySettings {
        buckets: 64,
        statements: 100,
        literals: 0.0,
        versions: 2,
        hottest: 0.0,
        cursors: 250,
        changes: 0.0,
        executions: 20_000,
        sessions: 16,
        seed: 1,
    };

    /// Whether a model can be made of the settings.
    pub fn check(&self) -> Result<(), SettingsError> {
        within("hash buckets", self.buckets, (1, 5_000))?;
        within("statements", self.statements, (1, 100_000))?;
        within("versions", self.versions, (1, 1_000))?;
        within("cursors", self.cursors, (8, 5_000))?;
        within("executions", self.executions, (1, 200_000))?;
        within("sessions (at most half of the cursors)", self.sessions, (1, self.cursors / 2))?;
        are_shares(&[
            ("literals", self.literals),
            ("hottest", self.hottest),
            ("changes", self.changes),
        ])
    }
}

/// Our own presets, the plain one first.
pub static LIBRARY_PRESETS: [Preset<LibrarySettings>; 6] = [
    Preset {
        name: "plain",
        about: "statements with bind variables: parsed once, then found",
        settings: LibrarySettings::PLAIN,
    },
    Preset {
        name: "literals",
        about: "half of all executions have literals: each is parsed, and pushes out another",
        settings: LibrarySettings { literals: 0.5, ..LibrarySettings::PLAIN },
    },
    Preset {
        name: "versions",
        about: "few statements with many child cursors: each search walks a long list",
        settings: LibrarySettings {
            statements: 5,
            versions: 40,
            sessions: 32,
            ..LibrarySettings::PLAIN
        },
    },
    Preset {
        name: "hot-statement",
        about: "one statement has most executions: its mutex is the bottleneck",
        settings: LibrarySettings {
            hottest: 0.9,
            versions: 1,
            sessions: 100,
            ..LibrarySettings::PLAIN
        },
    },
    Preset {
        name: "little-memory",
        about: "more cursors than memory holds: they are aged out and loaded again",
        settings: LibrarySettings { statements: 400, ..LibrarySettings::PLAIN },
    },
    Preset {
        name: "changes",
        about: "tables change, as by DDL or new statistics: their cursors are invalid and parsed again",
        settings: LibrarySettings { changes: 0.05, ..LibrarySettings::PLAIN },
    },
];

/// The preset of a name.
pub fn library_preset(name: &str) -> Option<&'static Preset<LibrarySettings>> {
    LIBRARY_PRESETS.iter().find(|preset| preset.name == name)
}
