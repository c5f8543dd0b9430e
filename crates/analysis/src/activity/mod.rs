//! Average active sessions from samples of them: of all, and of every class, event, statement and so on.

mod dimension;
mod estimate;
mod keys;
mod lengths;
mod query;
mod samples;
mod strip;
#[cfg(test)]
mod tests;
mod waits;

pub use dimension::{ActivityFilter, Dimension};
pub use estimate::Estimate;
pub use lengths::{ActivityLengths, LengthRow};
pub use query::{ActivityRow, ActivityRows};
pub use samples::{Activity, ActivityTotals, sample_period};
pub use strip::{ActivityStrip, StripColumn};
pub use waits::WaitAge;
