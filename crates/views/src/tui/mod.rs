//! The live heat map in a terminal.
//!
//! [`App`] is the whole view without a terminal: frames, keys and the passing of time go in, a
//! drawing comes out. [`run`] gives it a terminal.

mod app;
mod doorbell;
mod input;
mod keys;
mod ledger;
mod list;
mod paint;
mod plan;
mod run;
mod scene;
mod stack;
mod window;

pub use app::{Action, App, AppOptions, Feed};
pub use doorbell::{Bell, Door, doorbell};
pub use keys::{Command, Context, Key, KeyBinding, bindings};
pub use ledger::Tally;
pub use run::{Feeder, Flow, Outcome, Signals, TuiError, run};
