//! What can be looked at: all series together, those of one name, each one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use isotherm_analysis::{Digest, ShortNames, Story, side_by_side};
use isotherm_frame::{Ends, Histogram, Nanos, Series, shown_name};

use crate::axis::Axis;
use crate::buckets::trimmed;
use crate::error::ReportError;
use crate::input::{ReportInput, ReportOptions};
use crate::report::{Entry, Kind, NotDrawn, Report};
use isotherm_views::{FindingsJson, narration};

/// The most entries of a report.
const MOST: usize = 60;

/// A choice of series with what they counted in all.
pub(crate) struct Choice {
    pub kind: Kind,
    /// Its exact name, in full.
    pub label: String,
    pub members: Vec<(Series, u64)>,
    pub latencies: Histogram,
    /// Whether it is one of several series of the same name.
    pub part: bool,
}

/// What all series of a recording together are called.
pub(crate) const EVERYTHING: &str = "everything";

impl<'a> Report<'a> {
    /// Looks at what is given and says what there is to show. Fails when there is nothing: neither
    /// an interval nor a section.
    pub fn of(
        given: &'a [ReportInput<'a>],
        options: &ReportOptions,
    ) -> Result<Report<'a>, ReportError> {
        let (mut entries, mut not_drawn): (Vec<Entry>, Vec<_>) = (Vec::new(), Vec::new());
        let most = (MOST / given.len().max(1)).max(1);
        let numbered: Vec<(usize, &ReportInput)> = given.iter().enumerate().collect();
        let all = side_by_side(&numbered, |&(recording, one)| self::entries(one, recording, most));
        for (more, more_not_drawn) in all {
            entries.extend(more);
            not_drawn.extend(more_not_drawn);
        }
        if entries.is_empty() && options.sections.is_empty() {
            return Err(ReportError::Nothing);
        }
        let title = options.title.clone().unwrap_or_else(|| title(given));
        let (command, compare) = (options.command.clone(), options.compare.clone());
        let sections = options.sections.clone();
        Ok(Report { title, command, given, entries, not_drawn, compare, sections })
    }
}

/// How several recordings are called together.
fn title(given: &[ReportInput]) -> String {
    match given {
        [] => String::new(),
        [one] => one.label.clone(),
        [first, rest @ ..] => format!("{} and {} more", first.label, rest.len()),
    }
}

/// The entries of one recording: everything if it has several names, each name, each series
/// of a name that has several. At most `most`; the rest are said not to be drawn.
fn entries(given: &ReportInput, recording: usize, most: usize) -> (Vec<Entry>, Vec<NotDrawn>) {
    let (mut entries, mut not_drawn) = (Vec::new(), Vec::new());
    for (index, choice) in choices(given).into_iter().enumerate() {
        let made = (index < most).then(|| Entry::of(given, recording, &choice)).flatten();
        match made {
            Some(entry) => entries.push(entry),
            None => not_drawn.push(NotDrawn {
                recording,
                events: choice.latencies.events(),
                waited: choice.latencies.time_waited(),
                label: choice.label,
            }),
        }
    }
    shorten(&mut entries);
    (entries, not_drawn)
}

/// Leaves out of the names of series what all of them have.
fn shorten(entries: &mut [Entry]) {
    let of_one = |entry: &&Entry| entry.kind == Kind::Series;
    let first = |entry: &Entry| entry.members.first().map(|(series, _)| series.clone());
    let series: Vec<Series> = entries.iter().filter(of_one).filter_map(first).collect();
    let short = ShortNames::of(&series);
    for entry in entries.iter_mut().filter(|entry| entry.kind == Kind::Series) {
        if let Some(series) = first(entry) {
            entry.short_label = short.name(&series);
        }
    }
}

/// Everything first, then by time waited.
fn choices(given: &ReportInput) -> Vec<Choice> {
    let mut names: BTreeMap<Series, Vec<Choice>> = BTreeMap::new();
    for alone in counted(given) {
        let name = alone.members[0].0.kind();
        names.entry(name).or_default().push(alone);
    }
    let mut whole: Vec<Choice> = Vec::new();
    let mut parts: Vec<Choice> = Vec::new();
    for (name, mut series) in names {
        if series.len() > 1 {
            whole.push(together(&series, Kind::Name, name.full()));
            parts.extend(series.into_iter().map(|one| Choice { part: true, ..one }));
        } else {
            whole.append(&mut series);
        }
    }
    let all = (whole.len() > 1).then(|| together(&whole, Kind::All, EVERYTHING.to_owned()));
    whole.append(&mut parts);
    whole.sort_by(|one, two| waited(two).total_cmp(&waited(one)));
    all.into_iter().chain(whole).collect()
}

/// Every series with a frame in the time shown.
fn counted(given: &ReportInput) -> Vec<Choice> {
    let known = given.history.by_time_waited().into_iter().map(|(series, _)| series);
    let wanted = known.filter(|series| given.series.is_empty() || given.series.contains(series));
    let alone = |series: Series| {
        let latencies = latencies(given, &series)?;
        let label = series.full();
        let members = vec![(series, latencies.events())];
        Some(Choice { kind: Kind::Series, label, members, latencies, part: false })
    };
    wanted.filter_map(alone).collect()
}

/// What was counted of a series in the time shown; `None` if nothing is known of it there.
fn latencies(given: &ReportInput, series: &Series) -> Option<Histogram> {
    let frames = given.history.within(series, given.shown());
    let mut frames = frames.filter(|frame| !frame.is_gap());
    let mut total = frames.next()?.counts;
    frames.for_each(|frame| total.add(&frame.counts));
    Some(total)
}

fn together(parts: &[Choice], kind: Kind, label: String) -> Choice {
    let mut members: Vec<(Series, u64)> =
        parts.iter().flat_map(|part| part.members.iter().cloned()).collect();
    members.sort_by_key(|(_, events)| Reverse(*events));
    let empty = || Histogram::empty(isotherm_frame::Scheme::log_linear());
    let latencies = Histogram::merged(parts.iter().map(|part| &part.latencies));
    let latencies = latencies.unwrap_or_else(empty);
    Choice { kind, label, members, latencies, part: false }
}

fn waited(choice: &Choice) -> f64 {
    choice.latencies.time_waited().seconds
}

impl Entry {
    /// Looks at one choice; `None` if none of its intervals has a length.
    fn of(given: &ReportInput, recording: usize, choice: &Choice) -> Option<Entry> {
        let axis = Axis::of(given, &choice.members)?;
        let mut entry = Entry::without_findings(recording, choice, axis);
        entry.find(given);
        Some(entry)
    }

    /// A choice on an axis, of which nothing is found out.
    pub(crate) fn without_findings(recording: usize, choice: &Choice, axis: Axis) -> Entry {
        let latencies = trimmed(&choice.latencies);
        Entry {
            recording,
            kind: choice.kind,
            label: shown_name(&choice.label),
            full_label: choice.label.clone(),
            short_label: shown_name(&choice.label),
            members: choice.members.clone(),
            waited: latencies.time_waited(),
            latencies,
            covered_s: 0.0,
            counted_s: 0.0,
            has_length: true,
            quantiles: Vec::new(),
            findings: None,
            sentences: Vec::new(),
            part: choice.part,
            axis,
        }
    }

    /// Finds what there is to find: the same as every other surface.
    fn find(&mut self, given: &ReportInput) {
        let range = given.shown();
        let members = self.members.iter();
        let spans = members.flat_map(|(series, _)| given.history.spans_within(series, range));
        let ends: Ends = spans.map(|span| (span.start, span.end)).collect();
        let mut digest = Digest::of_span(Story::MOST_CELLS, ends.get().unwrap_or_default());
        digest.begin_as(given.history.beginning());
        let mut has_length = false;
        for (series, _) in &self.members {
            for frame in given.history.within(series, range) {
                has_length |= frame.has_length();
                digest.push(&frame);
            }
        }
        self.has_length = has_length;
        let Some(Story { findings, remarks }) = Story::of_digest(&digest, given.device) else {
            return;
        };
        let known = |length_s: f64| if self.has_length { length_s } else { 0.0 };
        (self.covered_s, self.counted_s) = (known(findings.covered_s), known(findings.counted_s));
        self.sentences = narration::sentences(&remarks, &given.moments());
        self.findings = Some(FindingsJson::new(&findings, &self.sentences));
        self.quantiles = findings.quantiles;
    }

    /// Events counted.
    pub fn events(&self) -> u64 {
        self.latencies.events()
    }

    /// The length of the finest intervals it can be drawn in.
    pub fn native(&self) -> Nanos {
        self.axis.native
    }
}
