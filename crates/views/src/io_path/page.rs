//! The timeline as parts of a page: sections of words, and lines to be drawn.

use isotherm_frame::{PathLevel, Timestamp};

use super::PathTimeline;
use super::words::{LEVEL_HEADS, findings, headline, label, levels, offset, remarks};
use crate::section::{Section, Table};

/// A line to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineLine {
    /// How many steps it is in.
    pub depth: u32,
    /// What it is.
    pub label: String,
    /// When it began, and how long it took, in words.
    pub times: String,
    /// All that is known of it, in words.
    pub details: String,
    /// Its level.
    pub level: PathLevel,
    /// Where its bar is.
    pub bar: TimelineBar,
}

/// Where a bar is, as parts of the axis of its tree: from 0 to 1.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TimelineBar {
    /// Where the time in the queue begins; of most steps, where the bar begins.
    pub asked: f64,
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
}

/// The sections of a timeline: what it is of, and what there is of each level.
pub fn timeline_sections(timeline: &PathTimeline) -> Vec<Section> {
    let mut sentences = vec![headline(timeline)];
    sentences.extend(findings(timeline));
    let heads = std::iter::once("level").chain(LEVEL_HEADS);
    let table = Table {
        caption: "What there is of each level".to_owned(),
        head: heads.map(str::to_owned).collect(),
        rows: levels(timeline)
            .into_iter()
            .map(|(name, cells)| std::iter::once(name).chain(cells).collect())
            .collect(),
    };
    let title = "The path of each I/O".to_owned();
    vec![Section { title, sentences, tables: vec![table], ..Section::default() }]
}

/// The first `most` lines of a timeline.
pub fn timeline_lines(timeline: &PathTimeline, most: usize) -> Vec<TimelineLine> {
    let steps = &timeline.path.steps;
    let zero = timeline.zero;
    let mut axis = (zero, zero);
    let mut lines = Vec::new();
    for (at, placed) in steps.iter().enumerate().take(most) {
        let step = &placed.step;
        if placed.parent.is_none() {
            axis = timeline.axis(at);
        }
        let part = |at: Timestamp| {
            let length = axis.1.since(axis.0).as_nanos().max(1) as f64;
            (at.since(axis.0).as_nanos() as f64 / length).min(1.0)
        };
        let mut details = vec![
            format!("{}: {}", step.level.name(), label(placed)),
            format!("start {}", offset(step.start, zero)),
            format!("took {}", step.duration),
            format!("own {}", placed.own),
            format!("process {}, thread {}", step.process, step.thread),
        ];
        details.extend(remarks(placed));
        let process =
            if placed.parent.is_none() { format!("[{}] ", step.process) } else { String::new() };
        lines.push(TimelineLine {
            depth: placed.depth,
            label: format!("{process}{}", label(placed)),
            times: format!("{}  {}", offset(step.start, zero), step.duration),
            details: details.join(" · "),
            level: step.level,
            bar: TimelineBar {
                asked: part(step.asked()),
                start: part(step.start),
                end: part(step.end()),
            },
        });
    }
    lines
}
