//! What is asked of a server.

/// What is asked of a server.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct BufferQuestion {
    /// Totals by usage count alone, without what the buffers hold: `PostgreSQL`.
    pub totals_only: bool,
    /// Touch counts from `X$BH` in place of states from `V$BH`: Oracle.
    pub touches: bool,
}
