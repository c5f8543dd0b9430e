//! What the user wants to know of a database.

use super::OracleOptions;
use super::pattern::Pattern;

/// What the user wants to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PollRequest {
    /// Which wait events; those that are not idle if there are none.
    pub(crate) events: Vec<Pattern>,
    /// Of which instances; of all if none.
    pub(crate) instances: Vec<u32>,
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

impl PollRequest {
    /// What the options of an address ask for; an error says which of them cannot be.
    pub(crate) fn of(options: &OracleOptions) -> Result<PollRequest, String> {
        let which = Which {
            sids: options.sids.clone(),
            modules: Pattern::all(&options.modules)?,
            table: options.xkslwh,
        };
        let chosen = which != Which::default();
        if chosen && !options.sample_sessions {
            return Err("sid, module and xkslwh choose sessions: add sample=session".into());
        }
        if options.sample_sessions && !options.inst.is_empty() {
            return Err("sessions are those of the instance connected to: leave inst out".into());
        }
        Ok(PollRequest {
            events: Pattern::all(&options.events)?,
            instances: options.inst.clone(),
            per_pdb: options.per_pdb,
            sessions: options.sample_sessions.then_some(which),
        })
    }
}
