//! What each kind of database gives.

use isotherm_formats::BufferContents;

use crate::feed::OpenError;

/// A connection to one kind of database.
pub(super) trait BufferServer {
    /// The buffers as they are now. An error of the server or of the connection is final.
    fn read(&mut self) -> Result<BufferContents, OpenError>;
}
