//! What a model is of.

use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

/// Which blocks are referenced.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AccessPattern {
    /// A fifth of all references go to one block, three fifths to one block in fifty, the rest anywhere.
    Hot,
    /// Full scans, one block after the other, and one reference in ten anywhere.
    Scan,
    /// Every block is as likely, as SLOB reads them.
    Random,
    /// Half as `Hot`, a quarter as `Scan`, a quarter as `Random`.
    Mixed,
    /// Those of an input, in its order.
    Trace,
}

/// The settings of a model.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ModelSettings {
    /// Buffers, each with a header.
    pub buffers: u32,
    /// Hash chains that the headers are linked to.
    pub chains: u32,
    /// Latches, each of which protects the same number of chains, up to one.
    pub latches: u32,
    /// Blocks of the database.
    pub blocks: u32,
    /// Which of them are referenced.
    pub pattern: AccessPattern,
    /// The share of references that change the block, 0 to 1.
    pub writes: f64,
    /// The share of reads of a changed block that need an older version of it: a clone, 0 to 1.
    pub clones: f64,
    /// References.
    pub references: u32,
    /// Sessions that compete for latches.
    pub sessions: u32,
    /// The seed of random numbers.
    pub seed: u64,
}

/// Settings that make no model.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{what} must be {allowed}")]
pub struct SettingsError {
    /// The name of the setting.
    pub what: &'static str,
    /// What it may be.
    pub allowed: String,
}

/// Settings with a name.
#[derive(Clone, Debug)]
pub struct Preset<S> {
    /// The name.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// The settings.
    pub settings: S,
}

/// Fails where a setting is not within these limits.
pub(crate) fn within(
    what: &'static str,
    value: u32,
    (least, most): (u32, u32),
) -> Result<(), SettingsError> {
    let allowed = || format!("from {least} to {most}");
    let is_within = (least..=most).contains(&value);
    is_within.then_some(()).ok_or_else(|| SettingsError { what, allowed: allowed() })
}

/// Fails where one of these is no share.
pub(crate) fn are_shares(shares: &[(&'static str, f64)]) -> Result<(), SettingsError> {
    let wrong = shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share));
    let error = |&(what, _): &(&'static str, f64)| SettingsError {
        what,
        allowed: "from 0 to 100 %".to_owned(),
    };
    wrong.map_or(Ok(()), |wrong| Err(error(wrong)))
}

impl ModelSettings {
    /// The most buffers that are modelled.
    pub const MOST_BUFFERS: u32 = 5_000;
    /// The most chains.
    pub const MOST_CHAINS: u32 = 20_000;
    /// The most blocks, and the most references.
    pub const MOST_BLOCKS: u32 = 10_000_000;
    /// The most sessions.
    pub const MOST_SESSIONS: u32 = 1_000;

    /// The settings that others differ from: a cache without any particular trouble.
    pub const PLAIN: ModelSettings = ModelSettings {
        buffers: 200,
        chains: 128,
        latches: 16,
        blocks: 1_000,
        pattern: AccessPattern::Mixed,
        writes: 0.1,
        clones: 0.1,
        references: 60_000,
        sessions: 8,
        seed: 1,
    };

    /// Whether a model can be made of the settings.
    pub fn check(&self) -> Result<(), SettingsError> {
        within("buffers", self.buffers, (8, ModelSettings::MOST_BUFFERS))?;
        within("chains", self.chains, (1, ModelSettings::MOST_CHAINS))?;
        within("latches (at most one for each chain)", self.latches, (1, self.chains))?;
        within("blocks", self.blocks, (1, ModelSettings::MOST_BLOCKS))?;
        within("references", self.references, (1, ModelSettings::MOST_BLOCKS))?;
        within("sessions", self.sessions, (1, ModelSettings::MOST_SESSIONS))?;
        are_shares(&[("writes", self.writes), ("clones", self.clones)])
    }
}

/// Our own presets, the plain one first.
pub static PRESETS: [Preset<ModelSettings>; 8] = [
    Preset {
        name: "plain",
        about: "hot blocks, scans and random reads together; nothing stands out",
        settings: ModelSettings::PLAIN,
    },
    Preset {
        name: "hot-block",
        about: "one block gets a fifth of all references: its latch is the bottleneck",
        settings: ModelSettings {
            chains: 1_024,
            latches: 256,
            pattern: AccessPattern::Hot,
            writes: 0.0,
            clones: 0.0,
            sessions: 96,
            ..ModelSettings::PLAIN
        },
    },
    Preset {
        name: "one-latch",
        about: "one latch protects every chain",
        settings: ModelSettings {
            latches: 1,
            pattern: AccessPattern::Random,
            sessions: 32,
            ..ModelSettings::PLAIN
        },
    },
    Preset {
        name: "few-chains",
        about: "chains are long, so latches are held long",
        settings: ModelSettings {
            chains: 8,
            latches: 8,
            pattern: AccessPattern::Random,
            sessions: 32,
            ..ModelSettings::PLAIN
        },
    },
    Preset {
        name: "full-scan",
        about: "scans pass through the cold end, and leave the rest where it is",
        settings: ModelSettings {
            pattern: AccessPattern::Scan,
            writes: 0.0,
            clones: 0.0,
            ..ModelSettings::PLAIN
        },
    },
    Preset {
        name: "random",
        about: "every block is as likely: the cache answers its share of the blocks",
        settings: ModelSettings {
            pattern: AccessPattern::Random,
            writes: 0.0,
            clones: 0.0,
            ..ModelSettings::PLAIN
        },
    },
    Preset {
        name: "dirty",
        about: "half of all references change their block: the write list is long",
        settings: ModelSettings {
            pattern: AccessPattern::Random,
            writes: 0.5,
            clones: 0.0,
            ..ModelSettings::PLAIN
        },
    },
    Preset {
        name: "clones",
        about: "changed blocks are read as they were: clones fill their chains",
        settings: ModelSettings {
            pattern: AccessPattern::Hot,
            writes: 0.2,
            clones: 0.5,
            ..ModelSettings::PLAIN
        },
    },
];

/// The preset of a name.
pub fn preset(name: &str) -> Option<&'static Preset<ModelSettings>> {
    PRESETS.iter().find(|preset| preset.name == name)
}
