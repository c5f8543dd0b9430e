//! `isotherm analyze`: what a sweep, or a row of AWR reports, comes to.

mod content;
mod page;
mod reports;
mod sweep;
mod sweeps;

use std::path::PathBuf;

use crate::analyze_args::{AnalyzeArgs, AnalyzeFormat};
use crate::failure::Failure;
use crate::output::{Destination, Kind};
use crate::screen;

use sweep::Sweep;

/// `isotherm analyze`
pub fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let form = args.form()?;
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let destination = Destination::to(&output, kind(form), args.force, &args.inputs)?;
    let sweeps = args.inputs.iter().filter(|name| Sweep::is_one(name)).count();
    let content = match sweeps {
        0 => reports::content(args, form)?,
        all if all == args.inputs.len() => sweeps::content(args, form)?,
        _ => {
            let other = args.inputs.iter().find(|name| !Sweep::is_one(name));
            return Err(Failure::usage(format!(
                "{}: this is no sweep, but other inputs are: analyze sweeps and AWR \
                 reports with separate commands",
                other.map_or("", String::as_str)
            )));
        }
    };
    if let Some(said) = destination.write(&content.bytes)? {
        screen::warn(&said);
    }
    content.judgement.conclude()?;
    content.end
}

/// Whether a sweep is among the inputs.
pub fn reads_sweeps(args: &AnalyzeArgs) -> bool {
    args.inputs.iter().any(|name| Sweep::is_one(name))
}

fn kind(form: AnalyzeFormat) -> Kind {
    match form {
        AnalyzeFormat::Table => Kind::Text,
        AnalyzeFormat::Csv => Kind::Table,
        AnalyzeFormat::Html => Kind::Page,
        AnalyzeFormat::Md => Kind::Markdown,
        AnalyzeFormat::Json => Kind::Json,
        AnalyzeFormat::Svg => Kind::Svg,
    }
}
