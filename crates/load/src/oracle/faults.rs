//! What goes wrong with Oracle: words that are counted, and words that say what to grant.

use std::borrow::Cow;
use std::time::Duration;

use isotherm_oracle::client::{ClientError, ErrorKind, Logon};
use isotherm_oracle::identifier;

use crate::LoadError;

/// How long a call may take.
pub const CALL_LIMIT: Duration = Duration::from_mins(1);

/// What an operation that failed is counted as.
pub fn fault(error: &ClientError) -> Cow<'static, str> {
    let Some(code) = error.code else {
        return match error.kind {
            ErrorKind::TimedOut => format!("no answer within {} seconds", CALL_LIMIT.as_secs()),
            _ => "session lost".to_owned(),
        }
        .into();
    };
    let known = KNOWN.iter().find(|(number, _)| *number == code);
    known.map_or_else(|| Cow::Owned(format!("ORA-{code:05}")), |(_, words)| Cow::Borrowed(*words))
}

/// Why there is no session.
pub fn connecting(error: &ClientError) -> LoadError {
    let advice = match error.code {
        Some(12516 | 12519 | 12520 | 18 | 20) => {
            "; put fewer in flight, or make PROCESSES and SESSIONS larger"
        }
        _ => "",
    };
    LoadError::Unreachable(format!("{error}{advice}"))
}

/// Why something was not done, and what to grant.
pub fn doing(error: &ClientError, what: &str, logon: &Logon) -> LoadError {
    let user = identifier(&logon.user);
    match error.code {
        Some(1031) => LoadError::Unreachable(format!(
            "{what}: {error}. Needed is: GRANT CREATE SESSION, CREATE TABLE TO {user}"
        )),
        Some(1950 | 1536) => LoadError::Unreachable(format!(
            "{what}: {error}. Needed is: ALTER USER {user} QUOTA UNLIMITED ON its tablespace"
        )),
        _ if error.ends_session() => LoadError::Unreachable(format!("{what}: {error}")),
        _ => LoadError::Failed(format!("{what}: {error}")),
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
