//! What the shades of a map stand for: every step with the value it begins at.

use isotherm_analysis::{Legend, Shade};

use isotherm_views::cells::legend_shades;
use isotherm_views::numbers::quantity;
use isotherm_views::{Depth, MapKind, Palette, Style, Theme};

use super::geometry::{Anchor, Area, Face, Item, Words, pixels};
use super::tones::Tone;

/// The height of a legend: its swatches and the values below them.
pub(super) const HEIGHT: i32 = 24;
/// The height of a swatch.
const SWATCH: i32 = 9;
/// The breadth of a swatch, where there is room.
const WIDE: i32 = 46;

/// A legend laid out: its breadth, and what it is drawn of when its left end is at zero.
pub(super) struct Laid {
    pub width: i32,
    shades: Vec<(Shade, f64)>,
    swatch: i32,
    tail: String,
    kind: MapKind,
}

/// Lays a legend out in at most so many pixels.
pub(super) fn lay(legend: &Legend, kind: MapKind, most: i32) -> Laid {
    let style = Style { depth: Depth::TrueColour, theme: Theme::Dark, palette: Palette::IceHeat };
    let shades = legend_shades(style, kind, legend);
    let pinned = if legend.pinned { " pinned" } else { "" };
    let tail = format!("max {}{pinned}, {}", quantity(legend.max), legend.scale.name());
    let beside = Face::Plain.room(&tail) + 8;
    let count = pixels(shades.len()).max(1);
    let swatch = ((most - beside) / count).clamp(6, WIDE);
    Laid { width: swatch * count + beside, shades, swatch, tail, kind }
}

/// The place of a shade in its ramp; none for zero, which is never painted.
pub(super) fn place(shade: Shade) -> Option<u8> {
    match shade {
        Shade::Zero => None,
        Shade::Trace => Some(0),
        Shade::Step(step) => Some(step.min(8)),
    }
}

impl Laid {
    /// The swatches from left to right, as many values as have room, and the largest value.
    pub fn items(&self, x: i32, y: i32) -> Vec<Item> {
        let mut items = Vec::new();
        let text = |index: usize, from: f64| match index {
            0 => ">0".to_owned(),
            _ => quantity(from),
        };
        let mut free = x;
        for (index, (shade, from)) in self.shades.iter().enumerate() {
            let left = x + pixels(index) * self.swatch;
            let area = Area { x: left, y, width: self.swatch, height: SWATCH };
            if let Some(place) = place(*shade) {
                items.push(Item::Box { area, tone: Tone::Shade(self.kind, place) });
            }
            let words = text(index, *from);
            if left >= free {
                free = left + Face::Plain.room(&words) + 4;
                items.push(plain(words, left, y + HEIGHT - 3));
            }
        }
        let end = x + pixels(self.shades.len()) * self.swatch;
        items.push(plain(self.tail.clone(), end + 8, y + SWATCH));
        items
    }
}

fn plain(text: String, x: i32, y: i32) -> Item {
    let (anchor, face, tone) = (Anchor::Start, Face::Plain, Tone::Faint);
    Item::Words(Words { x, y, anchor, face, tone, text })
}
