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
    /// The text of the statement that was chosen.
    pub(super) statement: Rect,
    pub(super) table: Rect,
    /// Beside the table, or below it, tables of what was chosen.
    pub(super) below: [Rect; 2],
    pub(super) hints: Rect,
}

/// A screen with tables beside the table.
const WIDE: u16 = 130;
/// Lines that are neither strip nor table.
const OTHERS: u16 = 7;

/// What there is to be shown.
#[derive(Copy, Clone, Debug)]
pub(super) struct Shown {
    /// The lines of the sentence, and of the text of a statement.
    pub(super) sentence: usize,
    pub(super) statement: usize,
    /// Whether a heat map is in the place of the strip, which wants to be higher.
    pub(super) has_map: bool,
    /// Whether there is a table below the table where there is no room beside it.
    pub(super) is_stacked: bool,
}

impl Layout {
    pub(super) fn of(area: Rect, shown: Shown) -> Layout {
        // Below a statement there are two tables, which need the room.
        let share = match shown.statement {
            0 if shown.has_map => 3,
            0 => 2,
            _ => 1,
        };
        let strip = (area.height.saturating_sub(OTHERS) * share / 5).clamp(1, 16);
        let mut y = area.y;
        let mut next = |height: u16| {
            let height = height.min(area.bottom().saturating_sub(y));
            let place = Rect { y, height, ..area };
            y += height;
            place
        };
        let lines = |lines: usize| u16::try_from(lines).unwrap_or(u16::MAX);
        let (header, headline, sentence) = (next(1), next(1), next(lines(shown.sentence)));
        let (legend, strip, axis, tabs) = (next(1), next(strip), next(1), next(1));
        let statement = next(lines(shown.statement));
        let left = area.bottom().saturating_sub(statement.bottom());
        let table = next(left.saturating_sub(1));
        let hints = next(1);
        let (table, below) = divided(table, shown.is_stacked);
        Layout {
            header,
            headline,
            sentence,
            legend,
            strip,
            axis,
            tabs,
            statement,
            table,
            below,
            hints,
        }
    }
}

/// The place of the table and those beside it, or of the one below it.
fn divided(place: Rect, is_stacked: bool) -> (Rect, [Rect; 2]) {
    if place.width < WIDE && is_stacked && place.height >= 6 {
        let height = place.height / 2;
        let below = Rect { y: place.y + height, height: place.height - height, ..place };
        return (Rect { height, ..place }, [below, Rect::default()]);
    }
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
