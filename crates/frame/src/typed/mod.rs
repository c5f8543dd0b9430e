//! What people type: amounts, lengths of time, conditions. One grammar for every command, plan and
//! address, so that what is accepted in one place is accepted in all.
//!
//! A refusal is a [`TypedError`]: what was typed, where it breaks, and two examples that work.

mod amount;
mod condition;
mod duration;
mod error;
mod scheme;

pub use amount::{bytes, count, factor, number, rate, share};
pub use condition::{Condition, Limit, Measure};
pub use duration::{duration, duration_range};
pub use error::TypedError;
pub use scheme::split_scheme;
