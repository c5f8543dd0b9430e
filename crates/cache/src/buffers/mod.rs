//! What a cache holds, now and over time.

mod history;
mod json;
mod pictures;
mod recorded;
mod report;
mod sentences;
mod tables;

pub use history::{BufferHistory, BufferSample};
pub use json::BuffersJson;
pub use recorded::RecordedBuffersError;
pub use report::BufferReport;
