//! A model as a section of a page.

use isotherm_frame::narrow_percent;
use isotherm_frame::numbers::{grouped, quantity, waited};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::{Section, Table};

use super::{CacheModel, Contention};

impl CacheModel {
    /// The sentences, waiting by the number of latches, and the table of contention.
    pub fn section(&self) -> Section {
        Section {
            title: "Contention for latches".to_owned(),
            sentences: self.sentences(),
            charts: self.chart().into_iter().collect(),
            tables: vec![self.table()],
            ..Section::default()
        }
    }

    /// The time that sessions wait by latches, with the chains of the settings.
    fn chart(&self) -> Option<Chart> {
        let chains = self.settings.chains;
        let own = self.contention.iter().filter(|one| one.chains == chains);
        let point = |one: &Contention| ChartPoint {
            x: f64::from(one.latches),
            y: one.session_share,
            ..ChartPoint::default()
        };
        let points: Vec<ChartPoint> = own.map(point).collect();
        (points.len() > 1).then(|| Chart {
            title: "Waiting for latches, by their number".to_owned(),
            x: ChartAxis { label: "latches".to_owned(), unit: ChartUnit::Number, log: true },
            y: ChartAxis {
                label: "share of the time of sessions".to_owned(),
                unit: ChartUnit::Share,
                log: false,
            },
            curves: vec![Curve {
                name: format!("{} chains", grouped(u64::from(chains))),
                stroke: Stroke::Measured,
                points,
            }],
            ..Chart::default()
        })
    }

    fn table(&self) -> Table {
        let own = (self.settings.chains, self.settings.latches);
        let row = |one: &Contention| {
            let is_own = (one.chains, one.latches) == own;
            vec![
                grouped(u64::from(one.chains)) + if is_own { " *" } else { "" },
                grouped(u64::from(one.latches)),
                narrow_percent(one.waiting_share),
                waited(one.mean_wait_ns / 1e9),
                narrow_percent(one.session_share),
                narrow_percent(one.busiest_share),
                narrow_percent(one.busiest_held),
                quantity(one.gets_per_s),
            ]
        };
        let head = [
            "chains",
            "latches",
            "gets that wait",
            "mean wait",
            "waiting of a session",
            "gets of the busiest latch",
            "it is held",
            "gets/s",
        ];
        Table {
            caption: "Latch gets by the number of chains and latches (* as set)".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: self.contention.iter().map(row).collect(),
        }
    }
}
