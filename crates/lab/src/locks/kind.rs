//! Locks of a real server, and one that is asked for again and again.
//!
//! The keys of advisory locks come from the name of the lab's schema: on a server that others use, theirs are
//! other ones.

/// How a lock is taken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LockKind {
    Advisory,
    Table,
    Row,
    Update,
    Polled,
}

impl LockKind {
    /// In the order of the table.
    pub const ALL: [LockKind; 5] =
        [LockKind::Advisory, LockKind::Table, LockKind::Row, LockKind::Update, LockKind::Polled];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            LockKind::Advisory => "advisory lock",
            LockKind::Table => "LOCK TABLE",
            LockKind::Row => "row, SELECT FOR UPDATE",
            LockKind::Update => "row, UPDATE",
            LockKind::Polled => "pg_try_advisory_lock, in a loop",
        }
    }

    /// Whether the server keeps those who wait in one queue until they have the lock.
    pub fn is_queue(self) -> bool {
        matches!(self, LockKind::Advisory | LockKind::Table | LockKind::Row)
    }

    /// Begins a transaction and takes the lock.
    pub fn take(self) -> &'static str {
        match self {
            LockKind::Advisory => {
                "begin; select pg_advisory_xact_lock(hashtext(current_schema()), 1)"
            }
            LockKind::Table => "begin; lock table locked_whole in access exclusive mode",
            LockKind::Row => "begin; select n from locked where id = 1 for update",
            LockKind::Update => "begin; update locked set n = n + 1 where id = 1",
            LockKind::Polled => "select pg_try_advisory_lock(hashtext(current_schema()), 2)",
        }
    }

    /// Gives it back.
    pub fn release(self) -> &'static str {
        match self {
            LockKind::Polled => "select pg_advisory_unlock(hashtext(current_schema()), 2)",
            _ => "commit",
        }
    }
}

/// Tables to be locked, and the numbers of grants.
pub const PREPARE: [&str; 4] = [
    "create table locked_whole (id int)",
    "create table locked (id int primary key, n int)",
    "insert into locked values (1, 0)",
    "create sequence grants",
];
