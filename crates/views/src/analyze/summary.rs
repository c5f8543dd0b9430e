//! What is shown of sweeps: their runs, and the curves of load that these come to.

use isotherm_experiment::{LoadCurve, RunTable};
use isotherm_frame::Nanos;

/// The runs of a sweep.
#[derive(Debug)]
pub struct SweepRuns {
    /// What to call it.
    pub name: String,
    /// What was loaded, without secrets.
    pub target: String,
    /// Every run.
    pub table: RunTable,
}

/// A curve of one of several sweeps.
#[derive(Debug)]
pub struct NamedCurve<'a> {
    /// What to call it; empty where there is only one.
    pub name: String,
    /// Its points.
    pub curve: LoadCurve<'a>,
}

/// Everything that is shown of sweeps.
#[derive(Debug)]
pub struct AnalyzeSummary<'a> {
    /// The sweeps.
    pub sweeps: Vec<&'a SweepRuns>,
    /// Their curves, each with a name that tells it from the others.
    pub curves: Vec<NamedCurve<'a>>,
    /// The limits of p99 that are asked for; if there are none, some that tell points apart.
    pub limits: Vec<Nanos>,
}

impl<'a> AnalyzeSummary<'a> {
    /// What is shown of these sweeps.
    pub fn of(sweeps: Vec<&'a SweepRuns>, limits: Vec<Nanos>) -> AnalyzeSummary<'a> {
        let curves = curves(&sweeps);
        AnalyzeSummary { sweeps, curves, limits }
    }
}

fn curves<'a>(sweeps: &[&'a SweepRuns]) -> Vec<NamedCurve<'a>> {
    let several = sweeps.len() > 1;
    let named = sweeps.iter().flat_map(|sweep| {
        sweep.table.curves().into_iter().map(move |curve| {
            let parts = [if several { sweep.name.as_str() } else { "" }, curve.name.as_str()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            NamedCurve { name: parts.join(", "), curve }
        })
    });
    named.collect()
}
