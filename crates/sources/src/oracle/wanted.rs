//! What the user wants to know of a database.

use super::pattern::Pattern;

/// What the user wants to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// Which wait events; those that are not idle if there are none.
    pub(crate) events: Vec<Pattern>,
    /// Of which instance; of all if none.
    pub(crate) instance: Option<u32>,
    /// Whether containers are told apart.
    pub(crate) per_pdb: bool,
    /// Waits of sessions, looked at as often as can be, instead of counters.
    pub(crate) sessions: Option<Which>,
}

/// Which sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Which {
    /// By their numbers; all users' sessions if neither numbers nor modules are given.
    pub(crate) sids: Vec<u64>,
    /// By their modules.
    pub(crate) modules: Vec<Pattern>,
    /// From the fixed table `X$KSLWH`, which only SYS may read.
    pub(crate) table: bool,
}
