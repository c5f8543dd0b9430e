//! Marks: a line through the maps where each is, its words above where they have room, and a list
//! of the others.

use std::cmp::Ordering;

use isotherm_analysis::Picture;

use isotherm_views::times::TimeFormat;

use super::axes::column_start;
use super::geometry::{Anchor, Area, Curve, Dash, Face, Item, Words, pixels};
use super::lettering::fitted;
use super::tones::Tone;

/// The height of a lane of words.
pub(super) const LANE: i32 = 14;
/// The most lanes of words above a map.
const MOST_LANES: usize = 3;
/// The most pixels of the words of one mark.
const MOST_WIDE: i32 = 240;
/// The least space between words of two marks.
const APART: i32 = 8;
/// The most marks listed below; the others are counted.
const MOST_LISTED: usize = 12;

/// Where the words of marks go.
pub(super) struct Placed {
    /// The lanes used, from the map upwards.
    pub lanes: usize,
    words: Vec<Flag>,
    /// Marks whose words had no room, or not all of them, by index.
    unsaid: Vec<usize>,
}

/// The words of one mark, and the line from them down to the map.
struct Flag {
    lane: usize,
    /// Where the line is.
    x: i32,
    /// Where the words begin and end.
    left: i32,
    right: i32,
    text: String,
}

impl Flag {
    /// Whether words lie on words, or a line goes through words.
    fn collides(&self, other: &Flag) -> bool {
        let apart = self.right + APART <= other.left || other.right + APART <= self.left;
        let crosses = |line: &Flag, words: &Flag| (words.left - 2..words.right).contains(&line.x);
        match self.lane.cmp(&other.lane) {
            Ordering::Equal => !apart || crosses(self, other) || crosses(other, self),
            Ordering::Greater => crosses(self, other),
            Ordering::Less => crosses(other, self),
        }
    }
}

/// Finds room for the words of each mark above a map that lies at `area`, up to `end` on the
/// right. From right to left, because words stand right of their line.
pub(super) fn place(picture: &Picture, area: Area, end: i32) -> Placed {
    let mut placed = Placed { lanes: 0, words: Vec::new(), unsaid: Vec::new() };
    for (index, mark) in picture.marks.iter().enumerate().rev() {
        let text = fitted(&mark.text, Face::Plain, MOST_WIDE);
        if text != mark.text {
            placed.unsaid.push(index);
        }
        let length = Face::Plain.room(&text);
        let x = column_start(area, picture.columns.len(), mark.column);
        // At the end of the sheet they stand left of it.
        let fits = x + 4 + length <= end;
        let left = if fits { x + 4 } else { (x - 4 - length).max(area.x) };
        let mut flag = Flag { lane: 0, x, left, right: left + length, text };
        let free = |lane: &usize| {
            flag.lane = *lane;
            placed.words.iter().all(|other| !flag.collides(other))
        };
        if (0..MOST_LANES).find(free).is_some() {
            placed.lanes = placed.lanes.max(flag.lane + 1);
            placed.words.push(flag);
        } else if placed.unsaid.last() != Some(&index) {
            placed.unsaid.push(index);
        }
    }
    placed.unsaid.reverse();
    placed
}

impl Placed {
    /// The words and their lines down to the map at `area`.
    pub fn items(&self, area: Area) -> Vec<Item> {
        let mut items = Vec::new();
        for Flag { lane, x, left, text, .. } in &self.words {
            let y = area.y - 4 - pixels(*lane) * LANE;
            let (face, dash) = (Face::Plain, Dash::Solid);
            items.push(Item::Rule { from: (*x, y - 9), to: (*x, area.y), tone: Tone::Faint, dash });
            items.push(Item::Words(Words {
                x: *left,
                y,
                anchor: Anchor::Start,
                face,
                tone: Tone::Ink,
                text: text.clone(),
            }));
        }
        items
    }

    /// What had no room above, one line each.
    pub fn list(&self, picture: &Picture, moments: &TimeFormat) -> Vec<String> {
        let line = |&index: &usize| {
            let mark = picture.marks.get(index)?;
            Some(format!("▲ {} {}", moments.time(mark.at, false), mark.text))
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
