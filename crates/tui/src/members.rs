//! The series that a choice comes to, and choosing others.

use isotherm_frame::Series;
use isotherm_views::instances::{whole, without_instance};
use isotherm_views::narration::longest_waiting;

use crate::app::App;
use crate::series_choice::SeriesChoice;
use crate::window::End;

impl App {
    /// The one series that is shown; `None` when several are shown together.
    pub(super) fn series(&self) -> Option<&Series> {
        match &self.shown {
            SeriesChoice::Chosen(series) => Some(series),
            SeriesChoice::Foremost(Some(series)) if self.instances(series).len() < 2 => {
                Some(series)
            }
            SeriesChoice::Foremost(_) | SeriesChoice::Named(_) | SeriesChoice::Merged => None,
        }
    }

    /// All series that are shown.
    pub(super) fn members(&self) -> Vec<Series> {
        let all = &self.ledger.order;
        match &self.shown {
            SeriesChoice::Chosen(series) => vec![series.clone()],
            SeriesChoice::Foremost(Some(series)) => self.instances(series),
            SeriesChoice::Named(kind) => {
                all.iter().filter(|one| one.kind() == *kind).cloned().collect()
            }
            SeriesChoice::Foremost(None) | SeriesChoice::Merged => all.clone(),
        }
    }

    /// A series and all that differ from it in nothing but the instance.
    fn instances(&self, series: &Series) -> Vec<Series> {
        let whole = whole(series);
        let same =
            |other: &&Series| *other == series || without_instance(other) == Some(whole.clone());
        if without_instance(series).is_none() {
            return vec![series.clone()];
        }
        self.ledger.order.iter().filter(same).cloned().collect()
    }

    /// Shows other series: colours and axis begin anew.
    pub(super) fn show(&mut self, shown: SeriesChoice) {
        if self.shown == shown {
            return;
        }
        self.shown = shown;
        self.look.forget_data();
        self.cursor.latency = None;
        self.changed();
    }

    /// Shows more series together: all of the name of the one shown, then all there are.
    pub(super) fn widen(&mut self) {
        let named = self.series().map(Series::kind).filter(|kind| {
            let same = self.ledger.order.iter().filter(|one| one.kind() == *kind).count();
            (2..self.ledger.order.len()).contains(&same)
        });
        self.show(named.map_or(SeriesChoice::Merged, SeriesChoice::Named));
    }

    /// While the user has not chosen, tabs and what is shown follow the time waited. From then on each key stays with its
    /// series.
    pub(super) fn follow_time_waited(&mut self) {
        if matches!(self.shown, SeriesChoice::Foremost(_)) {
            self.ledger.sort_by_time_waited();
            self.choose_foremost();
        }
    }

    /// While the user has not chosen, what sessions wait for at the moment is shown, or else what waited
    /// most, all instances together; something else takes its place only when it waited twice as long.
    fn choose_foremost(&mut self) {
        let SeriesChoice::Foremost(shown) = &self.shown else { return };
        if self.window.position() == End::Follows
            && let Some(series) = longest_waiting(&self.ledger.open)
        {
            return self.show(SeriesChoice::Foremost(Some(series.clone())));
        }
        let mut sums: Vec<(Series, Series, f64)> = Vec::new();
        for (series, total) in self.ledger.history.by_time_waited() {
            let whole = whole(&series);
            match sums.iter_mut().find(|(known, ..)| *known == whole) {
                Some((.., seconds)) => *seconds += total.waited.seconds,
                None => sums.push((whole, series, total.waited.seconds)),
            }
        }
        let most = sums.iter().reduce(|one, other| if other.2 > one.2 { other } else { one });
        let Some((_, first, waited)) = most else { return };
        let shown = shown.as_ref().map(whole);
        let present = sums.iter().find(|(known, ..)| shown.as_ref() == Some(known));
        if present.is_none_or(|(.., present)| *waited > 2.0 * present) {
            self.show(SeriesChoice::Foremost(Some(first.clone())));
        }
    }
}
