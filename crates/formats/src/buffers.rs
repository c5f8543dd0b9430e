//! What the buffers of a database's cache hold, from the rows of a server or of a file.

mod contents;
mod listing;
pub mod oracle;
mod touches;

pub use contents::{BufferCell, BufferContents, BufferHolder, BufferTally, LevelKind};
pub use listing::{BufferList, BufferListError, read_buffer_list};
