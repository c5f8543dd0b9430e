//! What there is to show: everything that a page, a text or an image is made of.

use isotherm_frame::{Histogram, QuantileInterval, Series, TimeWaited};
use isotherm_views::section::Section;
use isotherm_views::{Compared, FindingsJson, ViewMeta};

use crate::axis::Axis;
use crate::input::ReportInput;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "report",
    about: "Everything about one or several inputs in one HTML file that needs no network.",
    when: "Right for sending to somebody else: it opens in any browser, from a mail or a disk.",
    reading: &[
        "The sentences at the top say what there is to see, the most important first: its button \
         selects the time it speaks of. The numbers below are those of `isotherm stats`.",
        "Who waits: the ten series with the most time waited, each with its waiting over time (on \
         a scale of its own), its events by latency (on one axis) and what stands out. A row opens \
         its maps.",
        "Two maps share their axes: how often (frequency) and how long (time waited per second). \
         Columns of time are as wide as they must be for the file to stay small; the largest count \
         of any one interval is kept, so that a short burst is not averaged away.",
        "A single interval, such as one AWR report, has no course over time: its events and its time \
         waited are histograms, and each of its series has a small pair of them.",
        "Select a part of a map to see its numbers beside those of the time before, and what differs \
         in it: which attribute or series has a larger share inside than outside. Copy link gives the \
         address of this view.",
        "Every table is put in order by a click on a heading, and can be copied as CSV.",
        "Without scripts the page still shows its sentences, numbers and tables.",
        "At its end the page says where everything came from: source, host, command, version, \
         checksum of the file, and what was rejected or lost.",
    ],
    example: "isotherm report run.heat -o run.html",
};

/// What there is to show of some recordings: numbers first, maps when it is written down.
#[derive(Debug)]
pub struct Report<'a> {
    /// What it is called.
    pub title: String,
    /// The command that makes it again, without secrets.
    pub command: String,
    /// What it is made of.
    pub given: &'a [ReportInput<'a>],
    /// What can be looked at, most time waited first within each recording.
    pub entries: Vec<Entry>,
    /// Series that are not entries of their own. All of them are part of the others.
    pub not_drawn: Vec<NotDrawn>,
    /// What the first two recordings come to when they are compared.
    pub compare: Option<Compared>,
    /// What there is to show beside maps.
    pub sections: Vec<Section>,
}

/// Something to look at: one series or several together.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The index of its recording.
    pub recording: usize,
    /// How the series were chosen.
    pub kind: Kind,
    /// What people are told it is called.
    pub label: String,
    /// Its exact name, in full.
    pub full_label: String,
    /// What tells it from the other series of its recording: the name without what all of them have.
    pub short_label: String,
    /// Its series, most events first, each with the number of its events.
    pub members: Vec<(Series, u64)>,
    /// All latencies, in buckets that split none of the source's.
    pub latencies: Histogram,
    /// Time waited.
    pub waited: TimeWaited,
    /// The time about which the source said something, in seconds; what several series cover is
    /// counted once.
    pub covered_s: f64,
    /// The part of it in which ends were counted, in seconds: what rates of events are divided by.
    pub counted_s: f64,
    /// Whether it is known how long any interval was: if not, no rate means anything.
    pub has_length: bool,
    /// p50, p90, p99, p99.9 and the maximum, each with whether it is unstable.
    pub quantiles: Vec<(QuantileInterval, bool)>,
    /// What was found, for programs.
    pub findings: Option<FindingsJson>,
    /// What is worth saying, most important first.
    pub sentences: Vec<String>,
    /// Whether it is a part of an entry that has several series of the same name.
    pub(crate) part: bool,
    /// Where its finest columns lie.
    pub(crate) axis: Axis,
}

/// How the series of an entry were chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every series of the recording.
    All,
    /// Every series of one name.
    Name,
    /// One series.
    Series,
}

/// A series that is no entry of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct NotDrawn {
    /// The index of its recording.
    pub recording: usize,
    /// Its exact name, in full.
    pub label: String,
    /// Events counted.
    pub events: u64,
    /// Time waited.
    pub waited: TimeWaited,
}

impl Kind {
    /// The word of the document's format.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::All => "all",
            Kind::Name => "name",
            Kind::Series => "series",
        }
    }
}
