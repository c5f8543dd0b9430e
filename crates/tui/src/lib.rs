//! The live heat map in a terminal.
//!
//! [`App`] is the whole view without a terminal: frames, keys and the passing of time go in, a
//! drawing comes out. [`run`] gives it a terminal.

mod across;
mod app;
mod clock;
mod compared;
mod comparing;
mod compose;
mod control;
mod docking;
mod doorbell;
mod explaining;
mod help;
mod input;
mod key_map;
mod key_table;
mod key_words;
mod keys;
mod ledger;
mod list;
mod members;
mod mouse;
mod navigation;
mod options;
mod paint;
mod plan;
mod pointing;
mod ranked;
mod reader;
mod run;
mod runs;
mod saved_view;
mod scene;
mod selection;
mod sequences;
mod series_choice;
mod stack;
mod story;
mod telling;
pub mod terminal;
mod terminal_guard;
mod top;
mod waiting;
mod window;

pub use app::App;
pub use doorbell::{Bell, Door, doorbell};
pub use key_map::{KeyError, KeyMap};
pub use key_table::bindings;
pub use key_words::words;
pub use keys::{Command, Context, Key, KeyBinding};
pub use options::{Action, AppOptions, Extent, Feed};
pub use run::{Feeder, Flow, LiveScreen, Outcome, Signals, TuiError, run};
pub use saved_view::SavedView;
pub use top::{TopOptions, TopScreen};
