//! An explanation in sentences and tables.

use std::io::{self, Write};

use isotherm_analysis::{Contrast, Count, Selection, Side, Suggestion, SuggestionBasis};
use isotherm_frame::{Histogram, Nanos, percent};

use super::{Attribute, ExplainSummary, Rest};
use crate::Style;
use crate::grid::{Column, Grid, Page, Row};
use crate::narration::about_share;
use crate::numbers::{count, grouped, quantity, waited};
use crate::ranges::{self, Digits, range};

/// The explanation for people.
#[derive(Clone, Debug)]
pub struct ExplainView {
    /// The number of characters in a line; `None` for as many as are needed.
    pub width: Option<usize>,
    /// How it looks.
    pub style: Style,
}

const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)];

impl ExplainView {
    /// Writes the explanation. Fails only when `out` does.
    pub fn render(&self, summary: &ExplainSummary<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(self.style, self.width);
        for (number, sentence) in summary.sentences().iter().enumerate() {
            page.words(sentence, number == 0);
        }
        page.grid(&sides(summary));
        let attributes = summary.attributes();
        let (telling, alike): (Vec<_>, Vec<_>) =
            attributes.iter().partition(|attribute| attribute.telling > 0);
        for attribute in &telling {
            let (title, grid) = table(summary, attribute);
            page.title(&attribute.facet.to_string(), &title);
            page.grid(&grid);
        }
        if !alike.is_empty() {
            page.title("No noticeable difference", &names(&alike));
        }
        page.write_to(out)
    }
}

impl ExplainSummary<'_> {
    /// What there is to say, most important first.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.answer(), self.selected()];
        if let Some(Suggestion { basis, .. }) = self.suggestion {
            let reason = match basis {
                SuggestionBasis::Found => "this is the stretch that stands out.",
                SuggestionBasis::Longer => "in this stretch events took longer than in the rest.",
                SuggestionBasis::MostTime => "this is the stretch with the most time waited.",
                SuggestionBasis::MayBeChance => {
                    "this is the stretch with the most time waited. Nothing stands out in it: it may \
                     be chance."
                }
            };
            sentences.push(format!("Nothing was selected: {reason}"));
        }
        if self.explanation.estimated {
            sentences.push(
                "Intervals that lie across an end of the selected time are divided in proportion."
                    .to_owned(),
            );
        }
        sentences
    }

    /// The value that tells the selection from the rest best.
    fn answer(&self) -> String {
        let attributes = self.attributes();
        if attributes.is_empty() {
            return "These events have no attribute with several values: name columns with \
                    --columns, or attributes with --by."
                .to_owned();
        }
        let first = attributes.iter().find_map(|one| {
            let most = one.listed.first()?;
            (most.differs() && most.is_more()).then_some(*most)
        });
        let Some(most) = first else {
            return "No value of any attribute has noticeably more of the events or of the time in \
                    the selection."
                .to_owned();
        };
        if most.is_by_time() {
            return self.answer_by_time(most);
        }
        let others = match most.lift() {
            Some(lift) => format!(
                "and {} of all other events: {} times as common",
                percent(most.outside),
                quantity(lift)
            ),
            None => "and no other event".to_owned(),
        };
        format!(
            "{} {} has {} of the selected events, {} of their time, {others}.",
            most.facet,
            most.value,
            percent(most.inside),
            percent(self.share_of_time(most)),
        )
    }

    /// The same of a value that owns much of the time waited, however few events it has.
    fn answer_by_time(&self, most: &Contrast) -> String {
        let slow =
            most.slow.zip(self.explanation.slow_from).map_or_else(String::new, |(slow, from)| {
                format!(
                    ", and {} of the slow ones ({from} or longer; elsewhere {})",
                    percent(slow.inside),
                    slow.outside.map_or_else(|| "none".to_owned(), percent)
                )
            });
        format!(
            "{} {} has {} of the time waited in the selection and {} of all other time: {} of the \
             selected events{slow}.",
            most.facet,
            most.value,
            percent(most.time.inside),
            percent(most.time.outside),
            percent(most.inside),
        )
    }

    /// The share of the time waited in the selection that a value owns, 0 to 1.
    fn share_of_time(&self, contrast: &Contrast) -> f64 {
        let all = self.explanation.inside.waited.seconds;
        let own = Nanos::new(contrast.in_selection.waited_ns).as_secs_f64();
        if all > 0.0 { (own / all).min(1.0) } else { 0.0 }
    }

    /// What is selected, and how much that is.
    fn selected(&self) -> String {
        let explanation = self.explanation;
        let (inside, all) = (explanation.inside.events, explanation.outside.events);
        let all = inside.saturating_add(all);
        let about = if explanation.inside.waited.exact { "" } else { "≈" };
        format!(
            "Selected: {}{}: {} of {} events ({}), {about}{} waited ({} of all time waited).",
            self.time(),
            latencies(&explanation.selection),
            grouped(inside),
            grouped(all),
            percent(explanation.event_share()),
            waited(explanation.inside.waited.seconds),
            about_share(explanation.time_share(), explanation.inside.waited.exact),
        )
    }

    fn time(&self) -> String {
        let Selection { from, to, .. } = self.explanation.selection;
        if from <= self.span.0 && to >= self.span.1 {
            return "all of the time".to_owned();
        }
        let (from, to) = (from.max(self.span.0), to.min(self.span.1));
        let text = self.moments.between(from, to);
        // Of a clock that counts from anywhere it gives the length alone.
        if text.contains('–') {
            return text;
        }
        let fine = to.since(from) < Nanos::SECOND;
        format!("{}–{}, {text}", self.moments.time(from, fine), self.moments.time(to, fine))
    }
}

/// The range of latency selected.
fn latencies(selection: &Selection) -> String {
    match (selection.above, selection.below) {
        (Nanos::ZERO, None) => String::new(),
        (above, None) => format!(", at least {above}"),
        (Nanos::ZERO, Some(below)) => format!(", less than {below}"),
        (above, Some(below)) => format!(", from {above} to less than {below}"),
    }
}

/// Events, time and percentiles of both sides.
fn sides(summary: &ExplainSummary<'_>) -> Grid {
    let explanation = summary.explanation;
    let mut columns = vec![column("events", 0), column("waited", 0), column("mean", 2)];
    columns.extend(QUANTILES.map(|(name, _)| column(name, 1)));
    let rows = [("selected", &explanation.inside), ("others", &explanation.outside)];
    let rows = rows.map(|(name, side)| Row::new(name, numbers(side))).into();
    Grid { title: "", columns, rows }
}

fn numbers(side: &Side) -> Vec<String> {
    let latencies = side.latencies.as_ref();
    let about = if side.waited.exact { "" } else { "≈" };
    let mean = latencies.and_then(Histogram::mean_ns);
    let mut numbers = vec![
        count(side.events),
        format!("{about}{}", waited(side.waited.seconds)),
        ranges::mean(mean, latencies.is_some_and(|all| all.sum().is_some())),
    ];
    numbers.extend(QUANTILES.map(|(_, q)| {
        let found = latencies.and_then(|latencies| latencies.quantile(q).ok());
        found.map_or("-".to_owned(), |found| range(found.bucket, Digits::Three))
    }));
    numbers
}

/// What there is to say of an attribute, and its values that differ.
fn table(summary: &ExplainSummary<'_>, attribute: &Attribute<'_>) -> (String, Grid) {
    let columns = vec![
        column("selected", 0),
        column("others", 0),
        column("lift", 0),
        column("events", 1),
        column("waited", 2),
        column("of time", 0),
        column("elsewhere", 1),
    ];
    let (shown, alike): (Vec<&Contrast>, Vec<&Contrast>) =
        attribute.listed.iter().copied().partition(|contrast| contrast.differs());
    let mut rows: Vec<Row> = shown.iter().map(|contrast| row(summary, contrast)).collect();
    let rest = attribute.rest.and(alike.into_iter());
    if rest.values > 0 {
        rows.push(others(summary, rest));
    }
    (head(attribute, shown.len()), Grid { title: "", columns, rows })
}

/// How many values an attribute has, and how many of them are listed.
fn head(attribute: &Attribute<'_>, listed: usize) -> String {
    let all = attribute.listed.len() as u64 + attribute.rest.values;
    let at_least = if attribute.rest.at_least { "at least " } else { "" };
    let telling = attribute.telling;
    let differ = if telling == 1 { "differs" } else { "differ" };
    let words = format!("{at_least}{} values, {telling} {differ} noticeably", count(all));
    if listed == telling { words } else { format!("{words}, {listed} are listed") }
}

fn row(summary: &ExplainSummary<'_>, contrast: &Contrast) -> Row {
    let Count { events, over, waited_ns, .. } = contrast.in_selection;
    let values = vec![
        percent(contrast.inside),
        percent(contrast.outside),
        contrast.lift().map_or("∞".to_owned(), |lift| format!("×{}", quantity(lift))),
        format!("{}{}", if over > 0 { "≥" } else { "" }, count(events)),
        waited(Nanos::new(waited_ns).as_secs_f64()),
        percent(summary.share_of_time(contrast)),
        percent(contrast.time.outside),
    ];
    Row::new(contrast.value.to_string(), values)
}

/// The values that are not listed, as one.
fn others(summary: &ExplainSummary<'_>, rest: Rest) -> Row {
    let share = |part: u64, side: &Side| {
        if side.events > 0 { part as f64 / side.events as f64 } else { 0.0 }
    };
    let selected = share(rest.inside, &summary.explanation.inside);
    let other = share(rest.outside, &summary.explanation.outside);
    let lift =
        if other > 0.0 { format!("×{}", quantity(selected / other)) } else { "-".to_owned() };
    let at_least = if rest.at_least { "at least " } else { "" };
    let plural = if rest.values == 1 { "value" } else { "values" };
    let values = vec![percent(selected), percent(other), lift, count(rest.inside)];
    Row::new(format!("(other: {at_least}{} {plural})", count(rest.values)), values)
}

/// The names of attributes and how many values each has.
fn names(attributes: &[&Attribute<'_>]) -> String {
    let name = |one: &&Attribute<'_>| {
        format!("{} ({} values)", one.facet, count(one.listed.len() as u64 + one.rest.values))
    };
    attributes.iter().map(name).collect::<Vec<String>>().join(", ")
}

const fn column(title: &'static str, gives_way: u8) -> Column {
    Column { title, gives_way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_nothing_or_everything() {
        let shares = [0.0, 0.000_4, 0.02, 0.098, 0.5, 0.996, 1.0].map(percent);
        assert_eq!(shares, ["0 %", "<0.1 %", "2 %", "9.8 %", "50 %", ">99 %", "100 %"]);
    }
}
