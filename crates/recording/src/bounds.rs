//! How large the parts of a recording may be. A file may hold anything: what is larger is refused
//! before memory is taken for it.

/// Bucket bounds of one scheme.
pub(crate) const BOUNDS: usize = 65_536;
/// Bucket bounds of all schemes of a recording together: 32 MiB.
pub(crate) const ALL_BOUNDS: usize = 1 << 22;
/// Bytes of a series' name.
pub(crate) const NAME: usize = 1 << 16;
/// Bytes of the attributes of a series as JSON.
pub(crate) const ATTRIBUTES: usize = 1 << 20;
/// Bytes of any row of any table.
pub(crate) const ROW: i32 = 4 << 20;
/// Rows of `meta`.
pub(crate) const META: usize = 1_024;
/// Buckets of the frames that are read at once: 16 MiB with the time in them.
pub(crate) const BUCKETS_AT_ONCE: usize = 1 << 20;
