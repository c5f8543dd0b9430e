//! What a cache holds, now and over time.

mod history;
mod json;
mod pictures;
mod report;
mod sentences;
mod tables;

pub use history::{BufferHistory, BufferSample};
pub use json::BuffersJson;
pub use report::BufferReport;
