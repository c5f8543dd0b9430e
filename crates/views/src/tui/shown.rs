//! Which series are shown.

use isotherm_frame::Series;

use super::app::App;

/// Which series are shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shown {
    /// The one with the most time waited, until the user chooses.
    Foremost(Option<Series>),
    Chosen(Series),
    /// All of one name, together.
    Named(String),
    /// All, together.
    Merged,
}

impl App {
    /// The one series that is shown; `None` when several are shown together.
    pub(super) fn series(&self) -> Option<&Series> {
        match &self.shown {
            Shown::Chosen(series) | Shown::Foremost(Some(series)) => Some(series),
            Shown::Foremost(None) | Shown::Named(_) | Shown::Merged => None,
        }
    }

    /// All series that are shown.
    pub(super) fn members(&self) -> Vec<Series> {
        let all = &self.ledger.order;
        match &self.shown {
            Shown::Chosen(series) | Shown::Foremost(Some(series)) => vec![series.clone()],
            Shown::Named(name) => all.iter().filter(|one| one.name() == name).cloned().collect(),
            Shown::Foremost(None) | Shown::Merged => all.clone(),
        }
    }

    /// Shows other series: colours and axis begin anew.
    pub(super) fn show(&mut self, shown: Shown) {
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
        let named = self.series().map(|series| series.name().to_owned()).filter(|name| {
            let same = self.ledger.order.iter().filter(|one| one.name() == name).count();
            (2..self.ledger.order.len()).contains(&same)
        });
        self.show(named.map_or(Shown::Merged, Shown::Named));
    }

    /// While the user has not chosen, the series that waited most is shown; another takes its
    /// place only when it waited twice as long.
    pub(super) fn choose_foremost(&mut self) {
        let Shown::Foremost(shown) = &self.shown else { return };
        let Some((first, total)) = self.ledger.history.by_time_waited().into_iter().next() else {
            return;
        };
        let waited = |series| self.ledger.history.total(series).map(|total| total.waited.seconds);
        let present = shown.as_ref().and_then(waited);
        if present.is_none_or(|present| total.waited.seconds > 2.0 * present) {
            self.show(Shown::Foremost(Some(first)));
        }
    }
}
