//! From pictures to bytes and screens. Views paint; they compute nothing.

mod numbers;
mod style;
mod terminal;
pub mod tui;

pub use numbers::{quantity, seconds};
pub use style::{Depth, Ink, MapKind, Palette, Style, Theme, ramp};
pub use terminal::{ColorChoice, Environment, Wishes, ask_terminal, depth, detect, theme};
