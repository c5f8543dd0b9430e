//! Flame graphs: stacks as SVG, as one page, and for programs.

mod graph;
mod input;
mod json;
mod page;
mod svg;
mod words;

pub use graph::FlameGraph;
pub use input::FlameInput;
pub use json::{FlameJson, flame_json};
pub use page::flame_html;
pub(crate) use page::{FLAME_PART, FLAME_STYLE, flame_part};
pub use svg::flame_svg;
