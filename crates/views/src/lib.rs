//! From pictures to bytes and screens. Views paint; they compute nothing.

mod numbers;
mod style;

pub use numbers::{quantity, seconds};
pub use style::{Depth, Ink, MapKind, Palette, Style, Theme, ramp};
