//! The lines above the maps: source and state, series, the numbers, and what they mean.

use isotherm_analysis::{Picture, ShortNames, counted_s};
use isotherm_frame::{Nanos, Series, whole_percent_of};
use isotherm_views::numbers::{self, grouped, seconds};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::text::{Part, bold, fit, put, put_right, shortened};
use super::view::View;
use super::{ink, load, phrase};
use crate::clock;
use crate::keys::Command;
use crate::options::Feed;
use crate::series_choice::SeriesChoice;
use crate::window::End;
use isotherm_views::instances::whole;

pub(super) fn paint(view: View<'_>, buffer: &mut Buffer) {
    let plan = &view.scene.plan;
    if let Some(place) = plan.header {
        header(view, place, buffer);
    }
    if let Some(place) = plan.tabs {
        tabs(view, place, buffer);
    }
    if let Some(place) = plan.load {
        put(buffer, place, &load::course(view, place.width));
    }
    if let Some(place) = plan.headline {
        let now = load::now(view, place.width);
        put(buffer, place, &now.unwrap_or_else(|| headline(view, place.width)));
    }
    if let Some(place) = plan.remark {
        put(buffer, place, &story(view, place.width));
    }
}

fn header(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let chip = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
    let right = fit(state(view), "  ", place.width.saturating_sub(1));
    let taken = put_right(buffer, Rect { width: place.width - 1, ..place }, &right);
    let room = usize::from(place.width.saturating_sub(taken + 17));
    let mut spans = vec![Span::styled(" isotherm ", chip), Span::raw(" ")];
    let name = view.app.series().map_or_else(|| shown_name(view), Series::to_string);
    let (title, name) = share_room(&view.app.title, &name, room);
    spans.push(Span::raw(title));
    if !name.is_empty() {
        spans.extend([Span::raw(" · "), bold(name)]);
    }
    let width = place.width.saturating_sub(taken + 2);
    put(buffer, Rect { width, ..place }, &Line::from(spans));
}

fn shown_name(view: View<'_>) -> String {
    match &view.app.shown {
        SeriesChoice::Merged => format!("all {} series", view.app.ledger.order.len()),
        SeriesChoice::Named(kind) => format!("{kind} (all {})", view.app.members().len()),
        SeriesChoice::Foremost(Some(series)) => {
            format!("{} (sum of {} instances)", whole(series), view.app.members().len())
        }
        _ => String::new(),
    }
}

/// The source gives way to the series, but not all of it.
fn share_room(title: &str, name: &str, room: usize) -> (String, String) {
    let least = room / 3;
    let name = shortened(name, room.saturating_sub(Span::raw(title).width().min(least)));
    let left = room.saturating_sub(Span::raw(name.as_str()).width());
    (shortened(title, left), name)
}

/// What the view is doing, the time, and how much of it is shown.
fn state(view: View<'_>) -> Vec<Part> {
    let app = view.app;
    let column = clock::span(app.window.column());
    let alarmed = Style::new().fg(ink::alarm(view.style())).add_modifier(Modifier::BOLD);
    let end = view.end();
    let newest = app.latest();
    let behind = newest.zip(end).map(|(newest, end)| clock::span(newest.since(end)));
    let behind = behind.unwrap_or_default();
    let silent = newest != app.ledger.latest();
    let state = match (app.window.position(), app.feed) {
        (End::Frozen(_), _) => Span::styled(format!("❚❚ FROZEN +{behind} behind"), alarmed),
        (End::Back(_), _) => Span::styled(format!("◀ SCROLLED BACK {behind}"), alarmed),
        (End::Follows, _) if app.ledger.ended.is_some() => bold("■ ENDED"),
        (End::Follows, Feed::Live) if silent && !app.runs.unit.is_empty() => bold("○ BETWEEN RUNS"),
        (End::Follows, Feed::Live) if silent => Span::styled("○ SOURCE SILENT", alarmed),
        (End::Follows, Feed::Live) => bold(format!("● LIVE {column}")),
        (End::Follows, Feed::Replay) => bold(format!("▶ REPLAY {column}")),
    };
    let span = view.scene.picture.columns.first().zip(end);
    let span = span.map_or_else(String::new, |(first, end)| clock::span(end.since(first.start)));
    let mut parts = vec![Part::new(0, vec![state])];
    parts.extend(end.map(|end| Part::plain(1, clock::clock_in_zone(app, end))));
    parts.push(Part::plain(2, format!("win {span}")));
    parts
}

fn tabs(view: View<'_>, place: Rect, buffer: &mut Buffer) {
    let app = view.app;
    let order = &app.ledger.order;
    let shown = app.series().and_then(|shown| order.iter().position(|series| series == shown));
    let short = ShortNames::of(order);
    let labels: Vec<String> = order
        .iter()
        .enumerate()
        .map(|(index, one)| tab(index, &format!("{}{}", short.name(one), share(view, one))))
        .collect();
    let room = usize::from(place.width.saturating_sub(12));
    let first = first_tab(&labels, shown.unwrap_or(0), room);
    let (mut spans, mut taken, mut last) = (Vec::new(), 0, first);
    for (index, label) in labels.iter().enumerate().skip(first) {
        let label = shortened(label, room);
        let width = Span::raw(label.as_str()).width();
        if taken + width > room {
            break;
        }
        let chosen = Some(index) == shown || is_named(view, order.get(index));
        let style = if chosen { Modifier::REVERSED } else { Modifier::empty() };
        spans.push(Span::styled(label, Style::new().add_modifier(style)));
        (taken, last) = (taken + width, index + 1);
    }
    put(buffer, place, &Line::from(spans));
    let hidden = order.len() - (last - first).min(order.len());
    let more = match (hidden, app.shown == SeriesChoice::Merged) {
        (0, false) => String::new(),
        (0, true) => format!("all ({}) ", app.keys.first(Command::Merged)),
        (hidden, _) => format!("+{hidden} ({}) ", app.keys.first(Command::Switcher)),
    };
    put_right(buffer, place, &Line::from(more));
}

/// With more series than these the shares of time are left to the list.
const MOST_SHARES: usize = 64;

/// The share of all time waited in the window, of one of several series.
fn share(view: View<'_>, series: &Series) -> String {
    let ranked = view.app.ranked.as_ref().map(|ranked| &ranked.waits);
    let Some(waits) = ranked.filter(|_| (2..=MOST_SHARES).contains(&view.app.ledger.order.len()))
    else {
        return String::new();
    };
    let own = waits.ranking.iter().find(|(one, _)| one == series);
    let seconds = own.map_or(0.0, |(_, waited)| waited.seconds);
    format!(" {}", whole_percent_of(seconds, waits.waited().seconds))
}

/// Whether a series is one of those of one name, or of one cluster, that are shown together.
fn is_named(view: View<'_>, series: Option<&Series>) -> bool {
    match (&view.app.shown, series) {
        (SeriesChoice::Named(kind), Some(series)) => series.kind() == *kind,
        (SeriesChoice::Foremost(Some(_)), Some(series)) => view.app.members().contains(series),
        _ => false,
    }
}

fn tab(index: usize, name: &str) -> String {
    if index < 9 { format!(" {} {name} ", index + 1) } else { format!(" {name} ") }
}

/// The first tab to show so that the chosen one fits.
fn first_tab(labels: &[String], chosen: usize, room: usize) -> usize {
    let width = |label: &String| Span::raw(label.as_str()).width();
    (0..=chosen)
        .find(|&first| {
            labels
                .get(first..=chosen)
                .is_none_or(|some| some.iter().map(width).sum::<usize>() <= room)
        })
        .unwrap_or(chosen)
}

/// Now, the most, and the percentiles of the window.
fn headline(view: View<'_>, width: u16) -> Line<'static> {
    let picture = &view.scene.picture;
    let headline = &picture.headline;
    let about = if headline.exact { "" } else { "≈" };
    let (when, events, waited) = rates(view);
    let waited = seconds(waited);
    let of_ends = picture.most_is_of_ends();
    let what = if of_ends { "s of waits ended" } else { "waiting" };
    let waiting_now = [bold(format!("{about}{waited}")), Span::raw(" waiting")];
    let most = format!("{about}{} {what}", seconds(picture.intensity.max_sum));
    // Samples see that somebody waits, and no event.
    let rates = if picture.total.is_time_only() {
        let now = [Span::raw(when)].into_iter().chain(waiting_now).collect();
        vec![Part::new(0, now), Part::plain(3, format!("│ max Σ {most}"))]
    } else {
        let events =
            [Span::raw(when), bold(isotherm_views::numbers::rate(events)), Span::raw(" ev/s  ")];
        let now = events.into_iter().chain(waiting_now).collect();
        let most_events =
            format!("│ max Σ {} ev/s", isotherm_views::numbers::rate(picture.frequency.max_sum));
        vec![Part::new(0, now), Part::plain(3, most_events), Part::plain(3, format!(" {most}"))]
    };
    let mut parts = if picture.has_length { rates } else { totals(picture) };
    parts.splice(1..1, elsewhere(view));
    let quantiles = headline.quantiles.iter().enumerate().map(|(index, interval)| {
        let (name, rank) =
            [("│ p50", 4), ("p90", 6), ("p99", 1), ("p99.9", 7), ("max", 5)][index.min(4)];
        Part::new(rank, vec![Span::raw(format!("{name} ")), bold(phrase::quantile(interval))])
    });
    parts.extend(quantiles);
    if picture.total.is_blank() {
        parts = vec![Part::plain(0, waiting(view))];
        parts.extend(elsewhere(view));
    }
    fit(parts, " ", width)
}

/// How many wait now in series that are not shown.
fn elsewhere(view: View<'_>) -> Option<Part> {
    let open = &view.app.ledger.open.waits;
    let others = open.len() - view.app.ledger.waiting_now(&view.app.members()).min(open.len());
    (view.is_now() && others > 0).then(|| Part::plain(1, format!("(+{others} in other series)")))
}

/// Events and time waited, where nobody knows in how long a time.
fn totals(picture: &Picture) -> Vec<Part> {
    let about = if picture.headline.exact { "" } else { "≈" };
    let waited: f64 = picture.columns.iter().map(|column| column.waited.seconds).sum();
    let events = [bold(grouped(picture.total.events())), Span::raw(" events  ")];
    let waited = [bold(format!("{about}{}", numbers::waited(waited))), Span::raw(" waited")];
    vec![Part::new(0, events.into_iter().chain(waited).collect())]
}

/// Events and waiting now, or when a source that has said nothing since said so last; of what is over, or in
/// the past, on average over the window.
fn rates(view: View<'_>) -> (String, f64, f64) {
    let picture = &view.scene.picture;
    if view.is_now() {
        // The time of waits that have just begun is in no column yet.
        let open = view.app.ledger.waiting_now(&view.app.members()) as f64;
        let waited = picture.headline.now_waited.max(open);
        let silent = view.app.said_nothing_for();
        let is_now = silent == Nanos::ZERO || open > 0.0;
        let when = if is_now { "now".to_owned() } else { format!("{} ago", clock::span(silent)) };
        return (format!(" {when} "), picture.headline.now_events, waited);
    }
    let covered: f64 = picture.columns.iter().map(|column| column.covered_s).sum();
    let per = |amount: f64, length: f64| if length > 0.0 { amount / length } else { 0.0 };
    let waited: f64 = picture.columns.iter().map(|column| column.waited.seconds).sum();
    let rate = per(picture.total.events() as f64, counted_s(&picture.columns));
    (" average ".to_owned(), rate, per(waited, covered))
}

fn waiting(view: View<'_>) -> String {
    let known = view.app.ledger.latest().is_some();
    let text = if known { " no events in this window" } else { " waiting for the first interval" };
    text.to_owned()
}

/// The first of the sentences that fit.
fn story(view: View<'_>, width: u16) -> Line<'static> {
    let story = &view.scene.story;
    let room = usize::from(width);
    let lead = if story.alarming { " ⚠ " } else { " " };
    let Some(first) = story.sentences.first() else { return Line::default() };
    let mut text = format!("{lead}{first}");
    for more in story.sentences.iter().skip(1).take(1) {
        let longer = format!("{text} {more}");
        if Span::raw(longer.as_str()).width() <= room {
            text = longer;
        }
    }
    let hidden = story.sentences.len() > 1 || Span::raw(text.as_str()).width() > room;
    let key = view.app.keys.first(Command::Describe);
    let more = if hidden { format!(" ({key})") } else { String::new() };
    let text = shortened(&text, room.saturating_sub(Span::raw(more.as_str()).width()));
    let colour = if story.alarming { ink::alarm(view.style()) } else { ink::quiet(view.style()) };
    let quiet = Style::new().fg(ink::quiet(view.style()));
    Line::from(vec![Span::styled(text, Style::new().fg(colour)), Span::styled(more, quiet)])
}
