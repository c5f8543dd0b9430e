//! What stands where, on screens of any size.

use ratatui::layout::Rect;

/// Where everything stands. What there is no room for is empty.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) header: Rect,
    pub(super) headline: Rect,
    pub(super) sentence: Rect,
    pub(super) legend: Rect,
    pub(super) strip: Rect,
    pub(super) axis: Rect,
    pub(super) tabs: Rect,
    pub(super) table: Rect,
    /// Beside the table, two tables of its chosen row.
    pub(super) below: [Rect; 2],
    pub(super) hints: Rect,
}

/// A screen with tables beside the table.
const WIDE: u16 = 130;
/// Lines that are neither strip nor table.
const OTHERS: u16 = 7;

impl Layout {
    /// `sentence` is the number of its lines.
    pub(super) fn of(area: Rect, sentence: usize) -> Layout {
        let strip = (area.height.saturating_sub(OTHERS) * 2 / 5).clamp(1, 16);
        let mut y = area.y;
        let mut next = |height: u16| {
            let height = height.min(area.bottom().saturating_sub(y));
            let place = Rect { y, height, ..area };
            y += height;
            place
        };
        let sentence = u16::try_from(sentence).unwrap_or(u16::MAX);
        let (header, headline, sentence) = (next(1), next(1), next(sentence));
        let (legend, strip, axis, tabs) = (next(1), next(strip), next(1), next(1));
        let left = area.bottom().saturating_sub(tabs.bottom());
        let table = next(left.saturating_sub(1));
        let hints = next(1);
        let (table, below) = divided(table);
        Layout { header, headline, sentence, legend, strip, axis, tabs, table, below, hints }
    }
}

/// The place of the table and those beside it.
fn divided(place: Rect) -> (Rect, [Rect; 2]) {
    if place.width < WIDE || place.height < 6 {
        return (place, [Rect::default(); 2]);
    }
    let width = place.width * 11 / 20;
    let x = place.x + width + 1;
    let right = Rect { x, width: place.right() - x, ..place };
    let height = right.height / 2;
    let upper = Rect { height, ..right };
    let lower = Rect { y: right.y + height, height: right.height - height, ..right };
    (Rect { width, ..place }, [upper, lower])
}
