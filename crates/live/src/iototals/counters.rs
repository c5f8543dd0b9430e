//! What each kind of database gives.

use isotherm_frame::{IoMetrics, IoTotals};

use crate::feed::OpenError;

/// A connection to one kind of database.
pub(super) trait Counters {
    /// The counters as they are now. An error of the server or of the connection is final.
    fn read(&mut self) -> Result<IoTotals, OpenError>;

    /// The rates that the server measured itself, in the last interval that it did so; nothing where it measures
    /// none.
    fn metrics(&mut self) -> Option<Result<IoMetrics, OpenError>> {
        None
    }
}
