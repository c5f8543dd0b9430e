//! The points of a sweep, printed.

use std::io::Write;

use isotherm_experiment::{Csv, Sweep};
use isotherm_views::{OutputForm, SweepJson, SweepTable, ThresholdJson, write_json};

use crate::failure::Failure;
use crate::screen;
use crate::sweep_args::{SweepArgs, SweepFormat};

/// Prints the points as it is wanted.
pub fn print(args: &SweepArgs, sweep: &Sweep, thresholds: &[ThresholdJson]) -> Result<(), Failure> {
    let form = match args.format {
        SweepFormat::Table => OutputForm::Painted,
        SweepFormat::Json => OutputForm::Json,
        SweepFormat::Csv => screen::for_programs(),
    };
    let mut out = screen::output(form);
    let written = match args.format {
        SweepFormat::Table => {
            let width = screen::is_terminal().then(|| screen::width(None));
            let style = screen::style(&args.screen, false);
            let extent = screen::extent(args.details, screen::is_terminal());
            SweepTable { width, extent, thresholds }.render(&sweep.summary(), style, &mut out)
        }
        SweepFormat::Json => {
            let summary = sweep.summary();
            write_json(&SweepJson::new(&summary).with_thresholds(thresholds), &mut out)
        }
        SweepFormat::Csv => Csv::of_points(sweep.table()).write(&mut out),
    };
    screen::written(written.and_then(|()| out.flush()))
}
