//! What goes wrong with Oracle: words that are counted, and words that say what to do.

use std::borrow::Cow;
use std::time::Duration;

use oracledb::{Error, ErrorKind};
use thiserror::Error;

use crate::{LoadError, OracleLogon};

/// How long a call may take.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Trouble {
    /// The server says so.
    #[error("{message}")]
    Told {
        /// The number after `ORA-`.
        code: u32,
        /// The whole of it.
        message: String,
    },
    /// It took too long, and was broken off.
    #[error("no answer within {} seconds", PATIENCE.as_secs())]
    Slow,
    /// The network, or a driver that cannot go on.
    #[error("{0}")]
    Broken(String),
}

/// Numbers after which the session is no more: it was ended, the instance starts or stops, a
/// process or the network went away.
const ENDED: [u32; 31] = [
    18, 20, 28, 1012, 1033, 1034, 1035, 1089, 1090, 1092, 2396, 3113, 3114, 3115, 3135, 12500,
    12505, 12514, 12516, 12518, 12519, 12520, 12526, 12527, 12528, 12537, 12541, 12547, 12570,
    12571, 25408,
];

impl Trouble {
    /// What the driver tells.
    pub fn of(error: &Error) -> Trouble {
        let told = |code: usize| Trouble::Told {
            code: u32::try_from(code).unwrap_or(u32::MAX),
            message: plain(error),
        };
        match error.kind() {
            ErrorKind::DbError(server) => told(server.code()),
            ErrorKind::ListenerRefusedConnection(_, _, _, code) => told(*code),
            ErrorKind::InvalidServiceName(..) => told(12514),
            ErrorKind::InvalidSid(..) => told(12505),
            ErrorKind::CallTimeoutExceeded => Trouble::Slow,
            _ => Trouble::Broken(plain(error)),
        }
    }

    /// Whether the session is of no use any more.
    pub fn ends_session(&self) -> bool {
        match self {
            Trouble::Told { code, .. } => ENDED.contains(code),
            Trouble::Slow => false,
            Trouble::Broken(_) => true,
        }
    }

    /// What it is counted as.
    pub fn fault(&self) -> Cow<'static, str> {
        let code = match self {
            Trouble::Told { code, .. } => *code,
            Trouble::Slow => return "no answer within 60 seconds".into(),
            Trouble::Broken(_) => return "session lost".into(),
        };
        let known = KNOWN.iter().find(|(number, _)| *number == code);
        known.map_or_else(
            || Cow::Owned(format!("ORA-{code:05}")),
            |(_, words)| Cow::Borrowed(*words),
        )
    }

    /// Why there is no session.
    pub fn connecting(&self, logon: &OracleLogon) -> LoadError {
        let (user, connect) = (&logon.user, &logon.connect_string);
        let advice = match self.code() {
            Some(1017) => ": user or password are wrong".to_owned(),
            Some(1045) => format!(": GRANT CREATE SESSION TO {user}"),
            Some(28000) => format!(": ALTER USER {user} ACCOUNT UNLOCK"),
            Some(12514 | 12505) => ": 'lsnrctl status' on the server lists what it knows".into(),
            Some(12516 | 12519 | 12520 | 18 | 20) => {
                ": fewer in flight, or larger PROCESSES and SESSIONS".to_owned()
            }
            _ => String::new(),
        };
        LoadError::Unreachable(format!("{user}@{connect}: {self}{advice}"))
    }

    /// Why something was not done, and what to grant.
    pub fn doing(&self, what: &str, logon: &OracleLogon) -> LoadError {
        let user = &logon.user;
        match self.code() {
            Some(1031) => LoadError::Unreachable(format!(
                "{what}: {self}. Needed is: GRANT CREATE SESSION, CREATE TABLE TO {user}"
            )),
            Some(1950 | 1536) => LoadError::Unreachable(format!(
                "{what}: {self}. Needed is: ALTER USER {user} QUOTA UNLIMITED ON its tablespace"
            )),
            _ if self.ends_session() => LoadError::Unreachable(format!("{what}: {self}")),
            _ => LoadError::Failed(format!("{what}: {self}")),
        }
    }

    /// The number after `ORA-`, if there is one.
    pub fn code(&self) -> Option<u32> {
        match self {
            Trouble::Told { code, .. } => Some(*code),
            _ => None,
        }
    }
}

const KNOWN: [(u32, &str); 16] = [
    (1, "ORA-00001: unique constraint violated"),
    (28, "ORA-00028: the session was killed"),
    (60, "ORA-00060: deadlock"),
    (942, "ORA-00942: the table is not there"),
    (1013, "ORA-01013: broken off"),
    (1034, "ORA-01034: the instance is down"),
    (1089, "ORA-01089: the instance is shutting down"),
    (1555, "ORA-01555: snapshot too old"),
    (1653, "ORA-01653: no space for the table"),
    (3113, "ORA-03113: the server process went away"),
    (3135, "ORA-03135: the connection was lost"),
    (4031, "ORA-04031: no shared memory"),
    (12514, "ORA-12514: the listener does not know the service"),
    (12541, "ORA-12541: no listener"),
    (20001, MISSING),
    (30036, "ORA-30036: no space for undo"),
];

/// A range without all of its rows.
pub const MISSING: &str = "rows are missing from the table";

/// What the driver says, without words that differ each time.
fn plain(error: &Error) -> String {
    let told = error.to_string();
    told.split(" (CONNECTION_ID=").next().unwrap_or(&told).to_owned()
}
