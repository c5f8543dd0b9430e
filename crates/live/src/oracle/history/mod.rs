//! What AWR remembers: the wait histograms of every snapshot, read once from end to end.

mod collect;
mod query;
mod run;
mod series;
mod tell;
mod window;

pub use collect::{AwrCollectError, AwrCollection, AwrTables};
pub(crate) use query::{Layout, Selection, Span, polls};
pub(crate) use run::{PACE, start};
pub(crate) use series::{AwrSeries, QUERIES, SAME_CONTAINER};
use tell::{Listener, Plan};
pub use window::NoMoment;
pub(crate) use window::{Window, WindowEnd};

#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "oracle"))]
mod thin_tests;
