//! The numbers of kinds of locks, as probes of `PostgreSQL` show them.

/// What is locked, as `pg_locks.locktype` calls it, from 0 on (`LockTagType` in `storage/lock.h` of 14
/// and later).
const TYPES: [&str; 12] = [
    "relation",
    "extend",
    "frozenid",
    "page",
    "tuple",
    "transactionid",
    "virtualxid",
    "spectoken",
    "object",
    "userlock",
    "advisory",
    "applytransaction",
];

/// What is locked, by its number.
pub fn lock_type(number: &str) -> Option<&'static str> {
    TYPES.get(number.parse::<usize>().ok()?).copied()
}
