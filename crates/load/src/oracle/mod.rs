//! Loads an Oracle database: the data model of SLOB in our own SQL, through Oracle's thin driver.
//!
//! The driver waits for each answer, so each operation in flight is a session of a thread of its
//! own. A work unit is exactly as many rows, each in a block of its own (SLOB's `WORK_UNIT=64`
//! touches 63). With `server_loop` the loop runs inside the server, as SLOB's does: each call is a
//! block of PL/SQL that does a fixed number of operations, [`KindMeta::places`](crate::KindMeta)
//! counts the rows of all of them, and latencies are those of calls.

#[cfg(feature = "oracle")]
mod faults;
#[cfg(feature = "oracle")]
mod model;
#[cfg(feature = "oracle")]
mod oracle_lane;
#[cfg(feature = "oracle")]
mod server;
#[cfg(feature = "oracle")]
mod session;
#[cfg(feature = "oracle")]
mod setup;
#[cfg(feature = "oracle")]
mod target;
#[cfg(feature = "oracle")]
mod watch;
#[cfg(not(feature = "oracle"))]
mod without;

use std::sync::Arc;

use isotherm_oracle::client::Logon;
#[cfg(feature = "oracle")]
use target::Database;
#[cfg(not(feature = "oracle"))]
use without::Database;

use crate::engines::{EngineKind, Medium, Target};

pub(crate) static ENGINE: OracleEngine = OracleEngine;

pub(crate) struct OracleEngine;

impl EngineKind for OracleEngine {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["oracle://", "oracle+tcps://"]
    }

    fn example(&self) -> &'static str {
        "oracle://..."
    }

    fn options(&self) -> &'static [&'static str] {
        &["schemas", "scale", "work-unit", "redo", "server-loop"]
    }

    fn medium(&self) -> Medium {
        Medium::Database
    }

    fn is_watched_alongside(&self) -> bool {
        true
    }

    /// The caller knows of wallets and passwords.
    fn target(&self, _: &str) -> Option<Arc<dyn Target>> {
        None
    }

    fn mistyped(&self, scheme: &str, rest: &str) -> Option<(&'static str, String)> {
        if scheme.is_empty() && rest.starts_with('(') {
            let meant = "oracle://USER@(DESCRIPTION=...)".to_owned();
            return Some(("looks like a connect descriptor", meant));
        }
        let near = ["oracle", "oracle+tcps", "sqlplus", "awr"].contains(&scheme);
        let meant = "oracle://USER@HOST:PORT/SERVICE";
        near.then(|| ("looks like an Oracle database", meant.to_owned()))
    }
}

/// The database that somebody logs on to.
pub(crate) fn target(logon: Logon) -> Arc<dyn Target> {
    Arc::new(Database(logon))
}
