//! The timeline as text.

use std::io::{self, Write};

use isotherm_analysis::PlacedStep;
use isotherm_frame::numbers::grouped;
use isotherm_frame::{Nanos, Timestamp};

use super::PathTimeline;
use super::words::{LEVEL_HEADS, findings, headline, label, levels, offset, remarks};
use crate::grid::{Column, Grid, Page, Row, cut};
use crate::{Depth, Style};

/// The timeline as text for people.
#[derive(Clone, Debug)]
pub struct TimelineText {
    /// The number of characters in a line; `None` for 140.
    pub width: Option<usize>,
    /// How many lines of steps are shown.
    pub top: usize,
}

/// Characters of the columns before the label: start, took and own, with blanks.
const NUMBERS: usize = 13 + 2 + 8 + 2 + 8 + 2;
/// The width where nothing says any.
const WIDTH: usize = 140;

impl TimelineText {
    /// Writes the timeline. Fails only when `out` does.
    pub fn render(
        &self,
        timeline: &PathTimeline,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let width = self.width.unwrap_or(WIDTH).max(80);
        let mut page = Page::new(style, Some(width));
        page.words(&headline(timeline), true);
        for finding in findings(timeline) {
            page.words(&finding, false);
        }
        totals(&mut page, timeline);
        let steps = &timeline.path.steps;
        if steps.is_empty() {
            return page.write_to(out);
        }
        let zero = timeline.zero;
        page.title("Path", "");
        let bar = ((width - NUMBERS) * 3 / 10).min(60);
        let lines = Lines { zero, label: width - NUMBERS - bar - 2, bar, style };
        page.verbatim(&format!("{:>13}  {:>8}  {:>8}  step", "start", "took", "own"));
        let mut axis = (zero, zero);
        for (at, placed) in steps.iter().enumerate().take(self.top) {
            if placed.parent.is_none() {
                axis = timeline.axis(at);
            }
            page.verbatim(&lines.line(placed, axis, timeline.inputs.len() > 1));
        }
        let more = steps.len().saturating_sub(self.top);
        if more > 0 {
            page.remark(&format!(
                "{} more steps: choose a shorter time with --timeline, or more lines with --top",
                grouped(more as u64)
            ));
        }
        page.write_to(out)
    }
}

fn totals(page: &mut Page, timeline: &PathTimeline) {
    let columns = LEVEL_HEADS.iter().map(|title| Column { title, gives_way: 0 }).collect();
    let rows = levels(timeline).into_iter().map(|(name, cells)| Row::new(name, cells)).collect();
    page.title("Levels", "");
    page.grid(&Grid { title: "level", columns, rows });
}

/// How lines are laid out.
struct Lines {
    zero: Timestamp,
    label: usize,
    bar: usize,
    style: Style,
}

impl Lines {
    fn line(&self, placed: &PlacedStep, axis: (Timestamp, Timestamp), several: bool) -> String {
        /// Deeper steps do not stand further to the right.
        const DEEPEST: u32 = 12;
        let step = &placed.step;
        let indent = "  ".repeat(placed.depth.min(DEEPEST) as usize);
        let who = match (placed.parent, several) {
            (None, true) => format!("[{}:{}] ", placed.input + 1, step.process),
            (None, false) => format!("[{}] ", step.process),
            (Some(_), _) => String::new(),
        };
        let remarks = remarks(placed);
        let remarks =
            if remarks.is_empty() { String::new() } else { format!("  ({})", remarks.join(", ")) };
        // What is remarkable stays when the label is too long.
        let room = self.label.saturating_sub(indent.len() + remarks.chars().count()).max(24);
        let words = cut(&format!("{who}{}", label(placed)), room);
        let words = cut(&format!("{indent}{words}{remarks}"), self.label);
        let own = if placed.own == step.duration { String::new() } else { placed.own.to_string() };
        let width = self.label;
        format!(
            "{:>13}  {:>8}  {own:>8}  {words:<width$}  {}",
            offset(step.start, self.zero),
            step.duration.to_string(),
            self.bar(placed, axis)
        )
        .trim_end()
        .to_owned()
    }

    /// A bar on the axis of its tree.
    fn bar(&self, placed: &PlacedStep, (start, end): (Timestamp, Timestamp)) -> String {
        let (line, dots) =
            if self.style.depth == Depth::Ascii { ('=', '.') } else { ('━', '┄') };
        let length = end.since(start).as_nanos().max(1);
        let column = |at: Timestamp| {
            let at = at.since(start).min(Nanos::new(length)).as_nanos();
            usize::try_from(u128::from(at) * self.bar as u128 / u128::from(length)).unwrap_or(0)
        };
        let step = &placed.step;
        let last = self.bar.saturating_sub(1);
        let from = column(step.start).min(last);
        let to = column(step.end()).clamp(from + 1, self.bar.max(from + 1));
        let asked = column(step.asked()).min(from);
        let part = |letter: char, count: usize| letter.to_string().repeat(count);
        part(' ', asked) + &part(dots, from - asked) + &part(line, to - from)
    }
}
