//! Marks: a line through the maps where each is, its words above where they have room, and a list
//! of the others.

use isotherm_analysis::Picture;

use crate::times::Moments;

use super::axes::column_start;
use super::geometry::{Anchor, Area, Curve, Dash, Face, Item, Words};
use super::lettering::fitted;
use super::tones::Tone;

/// The height of a lane of words.
pub(super) const LANE: i32 = 14;
/// The most lanes of words above a map.
const MOST_LANES: usize = 3;
/// The most pixels of the words of one mark.
const MOST_WIDE: i32 = 240;
/// The most marks listed below; the others are counted.
const MOST_LISTED: usize = 12;

/// Where the words of marks go.
pub(super) struct Placed {
    /// The lanes used, from the map upwards.
    pub lanes: usize,
    /// The mark, its lane, the left end of its words, and the words.
    words: Vec<(usize, usize, i32, String)>,
    /// Marks whose words had no room, by index.
    unsaid: Vec<usize>,
}

/// Finds room for the words of each mark above a map that lies at `area`.
pub(super) fn place(picture: &Picture, area: Area) -> Placed {
    let mut taken: [Vec<(i32, i32)>; MOST_LANES] = Default::default();
    let mut placed = Placed { lanes: 0, words: Vec::new(), unsaid: Vec::new() };
    for (index, mark) in picture.marks.iter().enumerate() {
        let words = fitted(&mark.text, Face::Plain, MOST_WIDE);
        let length = Face::Plain.room(&words);
        let x = column_start(area, picture.columns.len(), mark.column);
        // Right of its line, or left of it at the end of the axis.
        let left =
            if x + 4 + length <= area.right() { x + 4 } else { (x - 4 - length).max(area.x) };
        let ends = (left.min(x) - 8, (left + length).max(x) + 8);
        let free =
            |lane: &Vec<(i32, i32)>| lane.iter().all(|&(from, to)| ends.1 <= from || to <= ends.0);
        let Some(lane) = taken.iter().position(free) else {
            placed.unsaid.push(index);
            continue;
        };
        if let Some(lane) = taken.get_mut(lane) {
            lane.push(ends);
        }
        placed.lanes = placed.lanes.max(lane + 1);
        if words != mark.text {
            placed.unsaid.push(index);
        }
        placed.words.push((index, lane, left, words));
    }
    placed
}

impl Placed {
    /// The words and their lines down to the map at `area`.
    pub fn items(&self, picture: &Picture, area: Area) -> Vec<Item> {
        let mut items = Vec::new();
        for (index, lane, left, text) in &self.words {
            let above = i32::try_from(*lane).unwrap_or(0) * LANE;
            let y = area.y - 4 - above;
            let x = picture
                .marks
                .get(*index)
                .map_or(area.x, |mark| column_start(area, picture.columns.len(), mark.column));
            let (face, tone, dash) = (Face::Plain, Tone::Ink, Dash::Solid);
            items.push(Item::Rule { from: (x, y - 9), to: (x, area.y), tone: Tone::Faint, dash });
            items.push(Item::Words(Words {
                x: *left,
                y,
                anchor: Anchor::Start,
                face,
                tone,
                text: text.clone(),
            }));
        }
        items
    }

    /// What had no room above, one line each.
    pub fn list(&self, picture: &Picture, moments: &Moments) -> Vec<String> {
        let line = |&index: &usize| {
            let mark = picture.marks.get(index)?;
            let at = picture.columns.get(mark.column)?.start;
            Some(format!("▲ {} {}", moments.time(at, false), mark.text))
        };
        let mut lines: Vec<String> =
            self.unsaid.iter().take(MOST_LISTED).filter_map(line).collect();
        let more = self.unsaid.len().saturating_sub(MOST_LISTED);
        if more > 0 {
            lines.push(format!("▲ and {more} more marks"));
        }
        lines
    }
}

/// The lines of the marks through a map.
pub(super) fn lines(picture: &Picture, area: Area) -> Option<Item> {
    let columns = picture.columns.len();
    let mut places: Vec<i32> =
        picture.marks.iter().map(|mark| column_start(area, columns, mark.column)).collect();
    places.dedup();
    let runs: Vec<_> = places.into_iter().map(|x| vec![(x, area.y), (x, area.bottom())]).collect();
    (!runs.is_empty()).then_some(Item::Curve(Curve { dash: Dash::Dotted, runs }))
}
