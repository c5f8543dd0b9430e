//! Where everything goes: one layout for every format.

use super::geometry::{Anchor, Face, Item, Words};
use super::lettering::wrapped;
use super::tones::Tone;

/// The rows that a picture for an image has at most.
pub const MOST_ROWS: usize = 48;
/// The same of a picture that is drawn as histograms, whose bars have numbers beside them, and of one
/// of several small ones.
pub const MOST_BARS: usize = 24;
pub const MOST_PART_BARS: usize = 12;

/// The space around everything.
pub(super) const MARGIN: i32 = 16;
/// Where maps begin: right of the labels of their rows.
pub(super) const LEFT: i32 = 76;
/// The room right of a map for the names of its lines.
pub(super) const NAMES: i32 = 52;
/// The width from which there is room for the share of each row.
const WITH_PROFILE: u32 = 720;

/// The least and the largest width of an image, in pixels.
pub(super) const WIDTHS: (u32, u32) = (320, 4_096);

/// The columns a picture may have so that each is at least one pixel wide in an image of this
/// width.
pub fn columns_in(width: u32) -> usize {
    let width = width.clamp(WIDTHS.0, WIDTHS.1);
    let beside = LEFT + NAMES + profile_width(width) + MARGIN;
    usize::try_from(width.saturating_sub(beside.unsigned_abs())).unwrap_or(1)
}

/// The room for the share of each row.
pub(super) fn profile_width(width: u32) -> i32 {
    if width >= WITH_PROFILE { 104 } else { 0 }
}

/// Everything drawn, from the background up.
pub(super) struct Layout {
    pub width: i32,
    /// The height down to which the sheet is filled.
    pub y: i32,
    pub items: Vec<Item>,
}

impl Layout {
    /// Leaves room.
    pub fn skip(&mut self, pixels: i32) {
        self.y += pixels;
    }

    /// Words on as many lines as they need.
    pub fn paragraph(&mut self, text: &str, face: Face, tone: Tone) {
        let line = if face == Face::Title { 24 } else { 17 };
        for text in wrapped(text, face, self.width - 2 * MARGIN) {
            let (x, y) = (MARGIN, self.y + line * 3 / 4);
            self.items.push(Item::Words(Words { x, y, anchor: Anchor::Start, face, tone, text }));
            self.skip(line);
        }
    }
}
