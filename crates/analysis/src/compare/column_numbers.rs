//! Where the numbers of a column stand.

/// The time covered.
pub(crate) const COVERED: usize = 0;
pub(crate) const EVENTS: usize = 1;
pub(crate) const WAITED: usize = 2;
/// The part of what is covered in which ends were counted.
pub(crate) const COUNTED: usize = 3;
/// The first bucket's count.
pub(crate) const COUNTS: usize = 4;
