//! Who waits: series with their share of all time waited, how many were waiting, the percentiles,
//! and when.

use isotherm_analysis::{SeriesWaits, Shade, ShortNames};
use isotherm_frame::{Histogram, Series, whole_percent_of};
use isotherm_views::{MapKind, seconds};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::rows::heading;
use super::text::shortened;
use super::view::View;
use super::{ink, phrase, spark};
use crate::keys::Command;

/// The widths of numbers.
const SHARE: usize = 5;
const WAITING: usize = 7;
const QUANTILE: usize = 11;
/// The width from which one line holds all of a series.
pub(super) const ONE_LINE: usize = 62;
/// What of such a line is no name.
const ONE_LINE_NUMBERS: usize = WAITING + SHARE + 2 * QUANTILE + 22;

/// The heading, and a line or two for each series, as many as fit in so many lines.
pub(super) fn lines(view: View<'_>, width: usize, most: usize) -> Vec<Line<'static>> {
    let waits = &view.scene.waits;
    if waits.len() < 2 || most < 4 {
        return Vec::new();
    }
    let quiet = Style::new().fg(ink::quiet(view.style()));
    let short = ShortNames::of(view.app.ledger.order.iter());
    let of = short.common().map(|common| format!(": {common}")).unwrap_or_default();
    let title = format!("WHO WAITS in this window{of}");
    let mut lines = vec![heading(view, &shortened(&title, width.saturating_sub(4)), width)];
    let longest = waits.iter().map(|(series, _)| Span::raw(short.name(series)).width()).max();
    // Two lines a series leave more room for its name, where there is room for them.
    let is_cut = longest.unwrap_or(0) + ONE_LINE_NUMBERS > width;
    let one_line = width >= ONE_LINE && !(is_cut && most > 2 * waits.len() + 2);
    lines.push(Line::from(Span::styled(head(width, one_line), quiet)));
    let each = if one_line { 1 } else { 2 };
    let room = most.saturating_sub(lines.len() + 1) / each;
    for (series, of) in waits.iter().take(room) {
        let entry = Entry { view, series, of, name: short.name(series), chosen: false };
        lines.extend(if one_line { vec![entry.line(width)] } else { entry.two_lines(width) });
    }
    let shown = waits.len().min(room);
    lines.extend(rest(view, shown).map(|text| Line::from(Span::styled(text, quiet))));
    lines
}

/// How many others waited, and their share.
fn rest(view: View<'_>, shown: usize) -> Option<String> {
    let ranked = view.app.ranked.as_ref()?;
    let others = ranked.waits.ranking.get(shown..).filter(|others| !others.is_empty())?;
    let waited: f64 = others.iter().map(|(_, waited)| waited.seconds).sum();
    let share = whole_percent_of(waited, ranked.waits.waited().seconds);
    let key = view.app.keys.first(Command::Switcher);
    Some(format!("    {} more series {share:>SHARE$}  ({key} shows all)", others.len()))
}

/// The names of the columns: of lines that hold all of a series, or of the first of two.
pub(super) fn head(width: usize, one_line: bool) -> String {
    let first = format!("{:>WAITING$} {:>SHARE$}", "waiting", "time");
    let more = format!(" {:>QUANTILE$} {:>QUANTILE$}  {:<12}", "p50", "p99", "over time");
    let numbers = if one_line { first + &more } else { first };
    format!("{:>1$}", numbers, width.saturating_sub(1))
}

/// A series in the table.
pub(super) struct Entry<'a> {
    pub(super) view: View<'a>,
    pub(super) series: &'a Series,
    pub(super) of: &'a SeriesWaits,
    /// What it is called here.
    pub(super) name: String,
    /// Whether it is the line of a list that a key would take.
    pub(super) chosen: bool,
}

impl Entry<'_> {
    /// All of it on one line.
    pub(super) fn line(&self, width: usize) -> Line<'static> {
        let (p50, p99) = (self.quantile(0.5), self.quantile(0.99));
        let first = self.first_numbers();
        let numbers = format!("{first} {p50:>QUANTILE$} {p99:>QUANTILE$}  ");
        let spark = self.spark();
        let taken = numbers.chars().count() + spark.width() + 1;
        let mut line = self.named(width.saturating_sub(taken));
        line.extend([Span::raw(numbers), spark]);
        line
    }

    /// Its name and share, and the rest below.
    pub(super) fn two_lines(&self, width: usize) -> Vec<Line<'static>> {
        let numbers = self.first_numbers();
        let mut first = self.named(width.saturating_sub(numbers.chars().count() + 1));
        first.push_span(Span::raw(numbers));
        let (p50, p99) = (self.quantile(0.5), self.quantile(0.99));
        let text = format!("  p50 {p50}  p99 {p99}");
        let spark = self.spark();
        let text = shortened(&text, width.saturating_sub(4 + spark.width()));
        let quiet = Style::new().fg(ink::quiet(self.view.style()));
        vec![first, Line::from(vec![Span::raw("    "), spark, Span::styled(text, quiet)])]
    }

    /// The key that shows it and its name, in so many characters; bold if it is shown.
    fn named(&self, width: usize) -> Line<'static> {
        let app = self.view.app;
        let place = app.ledger.order.iter().position(|known| known == self.series);
        let key = place.filter(|place| *place < 9).map(|place| (place + 1).to_string());
        let name = shortened(&self.name, width.saturating_sub(4));
        let fill = width.saturating_sub(4 + Span::raw(name.as_str()).width());
        let weight = if self.view.members().contains(self.series) {
            Modifier::BOLD
        } else {
            Modifier::empty()
        };
        Line::from(vec![
            Span::raw(format!(
                "{} {:<2}",
                if self.chosen { '▸' } else { ' ' },
                key.unwrap_or_default()
            )),
            Span::styled(name, Style::new().add_modifier(weight)),
            Span::raw(" ".repeat(fill)),
        ])
    }

    /// How many were waiting, and the share of all time waited.
    fn first_numbers(&self) -> String {
        format!("{:>WAITING$} {:>SHARE$}", self.waiting(), self.share())
    }

    fn share(&self) -> String {
        let all = self.view.app.ranked.as_ref().map(|ranked| ranked.waits.waited().seconds);
        whole_percent_of(self.of.waited.seconds, all.unwrap_or(0.0))
    }

    fn waiting(&self) -> String {
        let ranked = self.view.app.ranked.as_ref();
        let average = ranked.map_or(0.0, |ranked| ranked.waits.average_waiting(self.of.waited));
        let about = if self.of.waited.exact { "" } else { "≈" };
        format!("{about}{}", seconds(average))
    }

    fn quantile(&self, q: f64) -> String {
        quantile(&self.of.latencies, q)
    }

    fn spark(&self) -> Span<'static> {
        let most = self.of.course.iter().flatten().copied().fold(0.0, f64::max);
        let no_data = self.view.style().no_data();
        let first = self.of.course.iter().position(Option::is_some).unwrap_or(usize::MAX);
        let block = |(at, part): (usize, &Option<f64>)| match part {
            Some(part) => spark::block(*part, most),
            None if at < first => ' ',
            None => no_data,
        };
        let bars: String = self.of.course.iter().enumerate().map(block).collect();
        let ink = self.view.style().ink(MapKind::Intensity, Shade::Step(5));
        Span::styled(bars, ink.map_or_else(Style::new, |ink| Style::new().fg(ink::colour(ink))))
    }
}

fn quantile(latencies: &Histogram, q: f64) -> String {
    latencies.quantile(q).map_or_else(|_| "-".to_owned(), |interval| phrase::quantile(&interval))
}
