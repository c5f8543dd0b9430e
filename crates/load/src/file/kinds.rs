//! The kinds of operations on a file, by number.

/// The kind of operation that reads; every other writes.
pub(super) const READ: u8 = 0;
