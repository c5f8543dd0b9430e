//! What AWR remembers: the wait histograms of every snapshot, read once from end to end.

mod query;
mod tell;
mod window;

pub(crate) use query::{Layout, Span, Wanted, polls};
pub(crate) use tell::{Listener, Plan};
pub use window::NoMoment;
pub(crate) use window::Window;

#[cfg(test)]
mod tests;
