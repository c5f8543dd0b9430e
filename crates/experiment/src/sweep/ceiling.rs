//! Up to which load a sweep goes, by its stop rules.

use crate::plan::{Amount, What};
use crate::{Point, Run, StopRule};

/// Where raising the load was found to be of no use.
#[derive(Clone, Debug, Default)]
pub(super) struct Ceiling {
    found: Vec<Found>,
}

#[derive(Clone, Debug)]
struct Found {
    /// What else is varied, beside the load.
    rest: Vec<(What, Amount)>,
    load: f64,
    why: String,
}

impl Ceiling {
    /// Judges the run of a point and those it is compared with. `run_of` gives the run that counts
    /// of a point (by its index) in the same repeat.
    pub fn look<'a>(
        &mut self,
        rules: &[StopRule],
        points: &[Point],
        index: usize,
        run_of: &dyn Fn(usize) -> Option<&'a Run>,
    ) {
        let Some(point) = points.get(index) else { return };
        let curve = curve_of(points, point);
        let Some(place) = curve.iter().position(|&(at, _)| at == index) else { return };
        let before = place.checked_sub(1).and_then(|before| curve.get(before));
        let pairs = [(before, curve.get(place)), (curve.get(place), curve.get(place + 1))];
        for (before, this) in pairs {
            let Some(&(at, load)) = this else { continue };
            let before = before.and_then(|&(at, load)| Some((load, &run_of(at)?.outcome)));
            let Some(run) = run_of(at) else { continue };
            if let Some(rule) = rules.iter().find(|rule| rule.holds(load, &run.outcome, before)) {
                let why = format!("{rule} at {}", run.label);
                self.found(Found { rest: rest_of(point), load, why });
            }
        }
    }

    /// Keeps what was found where nothing was at a load as small.
    fn found(&mut self, new: Found) {
        let covers = |old: &Found| old.rest == new.rest && old.load <= new.load;
        if !self.found.iter().any(covers) {
            self.found.push(new);
        }
    }

    /// Why a point is not run, if it is not.
    pub fn stops(&self, point: &Point) -> Option<&str> {
        let (load, _) = point.load()?;
        let rest = rest_of(point);
        let found = self.found.iter().find(|found| load > found.load && found.rest == rest);
        found.map(|found| found.why.as_str())
    }
}

fn rest_of(point: &Point) -> Vec<(What, Amount)> {
    let rest = point.load().map(|(_, rest)| rest).unwrap_or_default();
    rest.into_iter().cloned().collect()
}

/// The points that differ from this one by the load only, smallest load first: index and load.
fn curve_of(points: &[Point], point: &Point) -> Vec<(usize, f64)> {
    let rest = rest_of(point);
    let mut curve: Vec<(usize, f64)> = points
        .iter()
        .enumerate()
        .filter(|(_, other)| rest_of(other) == rest)
        .filter_map(|(index, other)| Some((index, other.load()?.0)))
        .collect();
    curve.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    curve
}
