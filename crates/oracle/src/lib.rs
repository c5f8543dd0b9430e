//! What Oracle writes to files, and what it means: SQL traces and AWR reports. No input or output
//! of its own: bytes in, records and findings out.

pub mod awr;
pub mod idle;
pub mod trace;
pub mod uprobes;
