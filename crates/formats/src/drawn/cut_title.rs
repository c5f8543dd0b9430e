//! The end of an input that is cut above the first row of a histogram: in its title, behind it, or in its heading.

use std::collections::BTreeSet;

use isotherm_frame::{Place, Rejection};

use crate::named_unit::unit_of_title;
use crate::number::shown;
use crate::{Line, Note, Sink};

/// The titles of an input, and its last line if that may be one.
#[derive(Debug, Default)]
pub(super) struct CutTitle {
    /// Whether there was a histogram.
    has_histograms: bool,
    /// Titles of histograms.
    titles: BTreeSet<String>,
    /// Lines of text with no histogram below them: a script may print its titles although nothing was counted.
    alone: BTreeSet<String>,
    last: Option<LastText>,
}

/// A line of text, with nothing but blank lines below it.
#[derive(Debug)]
struct LastText {
    text: String,
    place: Place,
    ended: bool,
    kind: TextKind,
}

/// What a line of text is, as far as it shows that itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// The beginning of the heading of a histogram.
    Heading,
    /// A title that can be nothing else.
    Key,
    /// A title or anything else.
    Any,
}

impl CutTitle {
    /// More titles are not remembered.
    const MOST: usize = 1_024;
    const IN_HEADING: &'static str =
        "the input ends in this heading of a histogram: its buckets are missing";
    const IN_TITLE: &'static str =
        "the input ends in this title of a histogram: its buckets are missing";
    const BELOW_TITLE: &'static str =
        "the input ends below this title of a histogram: its buckets are missing";

    /// A line that is neither blank nor a title: what stood above it is not the end.
    pub(super) fn goes_on(&mut self) {
        let last = self.last.take().filter(|_| self.alone.len() < CutTitle::MOST);
        self.alone.extend(last.map(|last| last.text));
    }

    /// A line that may be a title, below another such line or not.
    pub(super) fn text(
        &mut self,
        text: &str,
        line: Line<'_>,
        is_below_title: bool,
        kind: TextKind,
    ) {
        self.goes_on();
        let is_heading = is_below_title && !line.ended && "value |".starts_with(text);
        let kind = if is_heading { TextKind::Heading } else { kind };
        let (text, place, ended) = (text.to_owned(), line.place, line.ended);
        self.last = Some(LastText { text, place, ended, kind });
    }

    /// A histogram is headed, below this title if it has one.
    pub(super) fn headed(&mut self, title: Option<&str>) {
        (self.has_histograms, self.last) = (true, None);
        if let Some(title) = title.filter(|_| self.titles.len() < CutTitle::MOST) {
            self.titles.insert(title.to_owned());
        }
    }

    /// The input has ended: tells what is missing at its end, and what may be.
    pub(super) fn report(&mut self, sink: &mut dyn Sink) {
        let Some(last) = self.last.take() else { return };
        let begins_title = |title: &String| title.starts_with(&last.text) && *title != last.text;
        let begins_title = self.titles.iter().any(begins_title);
        let sure = match last.kind {
            TextKind::Heading => Some(CutTitle::IN_HEADING),
            TextKind::Key => Some(CutTitle::BELOW_TITLE),
            TextKind::Any => (begins_title && !last.ended).then_some(CutTitle::IN_TITLE),
        };
        if let Some(reason) = sure {
            return sink.reject(Rejection { place: last.place, reason: reason.into(), events: 0 });
        }
        let is_like_title = self.titles.contains(&last.text)
            || begins_title
            || unit_of_title(&last.text).is_some()
            || !last.ended && !is_prompt(&last.text);
        if self.has_histograms && is_like_title && !self.alone.contains(&last.text) {
            let (text, line) = (shown(last.text.as_bytes()), last.place.line);
            sink.note(Note::Said(
                format!(
                    "the input ends with '{text}' (line {line}): if that is the title of a histogram, it is cut \
                     there and the histogram is missing"
                )
                .into(),
            ));
        }
    }
}

/// Whether a line is what a shell shows while it waits, or an interrupt.
fn is_prompt(text: &str) -> bool {
    text.ends_with(['$', '#', '%', '>'])
        || text.starts_with("$ ")
        || text.starts_with("# ")
        || text == "^C"
}
