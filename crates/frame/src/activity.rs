//! Sessions of a database that were active at one moment.

use std::sync::Arc;

use crate::{Nanos, Timestamp};

/// The wait class, and the event, of a session that works and waits for nothing.
pub const ON_CPU: &str = "CPU";

/// Stands for the blocker of a session of which is only known that it is blocked.
pub const NOT_KNOWN: &str = "not known";

/// The blocker that has no session: a transaction that was prepared and not yet committed.
pub const PREPARED_TRANSACTION: &str = "a prepared transaction";

/// What a session did when it was looked at. An empty text is what the server does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActiveSession {
    /// What distinguishes it from all others: a process number, or `instance:sid,serial`.
    pub session: Arc<str>,
    /// The class of its wait, or [`ON_CPU`].
    pub class: Arc<str>,
    /// What it waits for, or [`ON_CPU`].
    pub event: Arc<str>,
    /// The identifier of its statement: the same for statements that differ in literals only.
    pub sql: Arc<str>,
    /// Its user.
    pub user: Arc<str>,
    /// The program at its other end.
    pub program: Arc<str>,
    /// The session that holds what it waits for, at the head of the queue; several with `, ` between them.
    pub blocker: Arc<str>,
}

/// The wait that a session is in, or its time on CPU since the last one.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CurrentWait {
    /// What distinguishes it from a later one of the same session for the same event: the number of the
    /// wait, or when its statement began.
    pub number: i64,
    /// How long it has lasted, where the server says so.
    pub lasted: Option<Nanos>,
}

/// All active sessions at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSample {
    /// When.
    pub at: Timestamp,
    /// How long the server took to answer, in nanoseconds.
    pub took_ns: u64,
    /// The active sessions, without the one that looked.
    pub sessions: Vec<ActiveSession>,
    /// The wait of each session, in the same order; nothing is known of those beyond its end.
    pub waits: Vec<CurrentWait>,
    /// Sessions of which the server does not say whether they are active: a privilege is missing.
    pub hidden: u32,
    /// What is known of names for the first time, or anew.
    pub names: Vec<SessionName>,
}

/// What stands behind an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionName {
    /// Of what.
    pub kind: NameKind,
    /// The identifier.
    pub id: Arc<str>,
    /// The text of the statement; who the blocker is and what it does.
    pub text: Arc<str>,
}

/// What an identifier is of.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// A statement.
    Sql,
    /// A session that blocks others.
    Blocker,
}
