//! A comparison of two stretches of time, for a terminal: both maps in one scale of colours, their
//! difference, what moved by how much, and what to make of it.

pub mod figures;
mod json;
mod pairs;
mod panels;
mod profile;
pub mod sentences;
mod summary;
mod table;

use std::io::{self, Write};

use isotherm_analysis::Verdict;
use isotherm_frame::shortened;

use crate::ansi::{Ansi, Look};
use crate::style::Style;
use crate::view::ViewMeta;
use crate::{Depth, MapKind};
use isotherm_analysis::Shade;

pub use json::CompareJson;
pub use sentences::compare_sentences;
pub use summary::{Alignment, CompareSummary, Compared, PairLine, Presence, SideLabel};

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "compare",
    about: "Two runs, or two stretches of one: where they differ, by how much, and whether chance explains it.",
    when: "Right after a change, a move or an incident, and as a gate in a pipeline.",
    reading: &[
        "Both maps have the same axes and one scale of colours. In the difference map blue is less \
         in B, orange more; blank cells differ by no more than chance and the unsteadiness of both \
         runs can explain. Without colour, triangles point up for more and down for less.",
        "Ratios are B / A. In 19 comparisons of 20 all of their intervals hold the true ratios. \
         The intervals come from a bootstrap of blocks of columns, because neighbouring seconds \
         are alike, for each side by itself: rare slow events or an incident on one side make \
         them wide. A measure is `more` or `less` when its interval leaves out ×1 and its ratio is at \
         least ×1.05, or at most 1/1.05. `in these runs only`: one run varies clearly more than \
         its number of events explains, the two differ by more than the steadier one varies, and the \
         interval holds ×1.",
        "In runs of fewer than 30 intervals a percentile is judged by what it is in typical intervals, \
         where the bootstrap cannot tell: so one odd second does not hide that all others are slower.",
        "`one bucket` means that both percentiles lie in one bucket of the source: nothing is \
         known of their ratio but that it is within its width. `≈` marks estimates.",
        "The bucket profile shows how shares moved, in percentage points: of events, and of the \
         time waited. A faint number is within noise.",
    ],
    example: "isotherm compare before.heat after.heat",
};

/// How the comparison is printed.
#[derive(Copy, Clone, Debug)]
pub struct CompareView {
    /// The number of characters in a line, at least 60.
    pub width: usize,
    /// Which map is drawn.
    pub kind: MapKind,
}

impl CompareSummary<'_> {
    /// The comparison as the report shows it.
    pub fn for_report(&self) -> Compared {
        Compared {
            // Keys are texts: it cannot fail.
            value: serde_json::to_value(CompareJson::new(self)).unwrap_or_default(),
            title: format!("{}: {}", self.label, figures::verdict_word(self.comparison.verdict)),
            sides: [0, 1].map(|side: usize| {
                let label = &self.sides[side];
                format!("{}, {}", label.source, label.stretch())
            }),
            sentences: compare_sentences(self),
            table: table::rows(self.comparison),
            pairs: if self.pairs.len() > 1 { pairs::rows(self.pairs) } else { Vec::new() },
        }
    }
}

impl CompareView {
    /// The number of columns of one map in lines of `width` characters.
    pub fn columns_in(width: usize) -> usize {
        panels::Layout::of(width).columns
    }

    /// The most rows of a map so that all fits in about `height` lines.
    pub fn rows_in(width: usize, height: usize, style: Style) -> usize {
        let layout = panels::Layout::of(width);
        let lines = if layout.side_by_side { height.saturating_sub(22) } else { height / 3 };
        let lines = lines.clamp(14, 28);
        if style.has_half_blocks() { 2 * lines } else { lines }
    }

    /// The most rows of the profile.
    pub const PROFILE_ROWS: usize = 14;

    /// Prints everything. Fails only when `out` does.
    pub fn render(
        &self,
        summary: &CompareSummary<'_>,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut ansi = Ansi::new(style);
        self.head(&mut ansi, summary);
        if let Some(maps) = summary.maps {
            panels::paint(&mut ansi, style, summary, maps, (self.kind, self.width));
        }
        if let Some(profile) = summary.profile {
            profile::paint(&mut ansi, style, profile, self.width);
        }
        table::paint(&mut ansi, summary.comparison, self.width);
        if summary.pairs.len() > 1 {
            pairs::paint(&mut ansi, summary.pairs, self.width);
        }
        self.verdict(&mut ansi, summary);
        ansi.write_to(out)
    }

    /// Prints what there is to say in words alone. Fails only when `out` does.
    pub fn describe(
        &self,
        summary: &CompareSummary<'_>,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut ansi = Ansi::new(style);
        self.head(&mut ansi, summary);
        ansi.write_to(out)
    }

    /// Prints what the comparison comes to, in one sentence. Fails only when `out` does.
    pub fn verdict_alone(
        &self,
        summary: &CompareSummary<'_>,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut ansi = Ansi::new(style);
        let first = compare_sentences(summary).into_iter().next();
        wrap(&mut ansi, &first.unwrap_or_default(), usize::MAX);
        ansi.write_to(out)
    }

    /// The verdict, what there is to say, and what is compared.
    fn head(&self, ansi: &mut Ansi, summary: &CompareSummary<'_>) {
        let verdict = format!(": {}", figures::verdict_word(summary.comparison.verdict));
        let room = self.width.saturating_sub(8 + verdict.chars().count());
        ansi.bold("compare ");
        ansi.bold(&shortened(&summary.label, room));
        ansi.bold(&verdict);
        ansi.end_line();
        conditions(ansi, summary);
        for sentence in compare_sentences(summary) {
            wrap(ansi, &sentence, self.width);
        }
        for (name, side) in ["A", "B"].iter().zip(&summary.sides) {
            ansi.bold(name);
            ansi.plain(" ");
            let stretch = side.stretch();
            let room = self.width.saturating_sub(stretch.chars().count() + 4).max(16);
            ansi.plain(&shortened(&side.source, room));
            ansi.faint(&format!("  {stretch}"));
            ansi.end_line();
        }
    }

    /// The verdict once more, where a terminal ends.
    fn verdict(&self, ansi: &mut Ansi, summary: &CompareSummary<'_>) {
        ansi.bold(&format!("verdict {}", figures::verdict_word(summary.comparison.verdict)));
        for part in sentences::verdict_parts(summary.comparison) {
            if ansi.width() + part.chars().count() + 2 > self.width {
                ansi.end_line();
            }
            ansi.plain(&format!("  {part}"));
        }
        ansi.end_line();
    }
}

/// What became of each condition.
fn conditions(ansi: &mut Ansi, summary: &CompareSummary<'_>) {
    for (text, verdict) in &summary.conditions {
        let fg = match verdict {
            Verdict::Holds => self_ink(ansi.style(), MapKind::Intensity),
            _ => None,
        };
        let look = Look { fg, bold: *verdict == Verdict::Holds, bg: None };
        ansi.looking(&figures::condition(text, *verdict), look);
        ansi.end_line();
    }
}

fn self_ink(style: Style, kind: MapKind) -> Option<crate::Ink> {
    let coloured = !matches!(style.depth, Depth::Glyphs | Depth::Ascii);
    coloured.then(|| style.ink(kind, Shade::Step(5))).flatten()
}

/// A sentence on as many lines as it needs.
fn wrap(ansi: &mut Ansi, sentence: &str, width: usize) {
    for word in sentence.split(' ') {
        if ansi.width() > 0 && ansi.width() + 1 + word.chars().count() > width {
            ansi.end_line();
        }
        if ansi.width() > 0 {
            ansi.plain(" ");
        }
        ansi.plain(word);
    }
    ansi.end_line();
}
