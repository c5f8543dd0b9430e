//! AWR reports in every form.

use isotherm_experiment::Csv;
use isotherm_views::section::Section;
use isotherm_views::{AnalyzeJson, slob_chart, slob_sheet, slob_table, write_json};

use super::content::{Content, svg, text};
use super::page;
use crate::analyze_args::{AnalyzeArgs, AnalyzeFormat};
use crate::awr::{self, AwrReports};
use crate::failure::Failure;
use crate::report::command_line;
use crate::screen;

/// Everything about the reports in the form that is asked for.
pub fn content(args: &AnalyzeArgs, form: AnalyzeFormat) -> Result<Content, Failure> {
    let gathered = awr::gather(&args.inputs, args.strict, &args.stretch)?;
    let judgement = gathered.judge(&args.fail_if)?;
    let table = slob_table(&gathered.reports);
    let mut bytes = Vec::new();
    match form {
        AnalyzeFormat::Table => people(args, &gathered, &table, &mut bytes)?,
        AnalyzeFormat::Csv => screen::written(table.write(&mut bytes))?,
        AnalyzeFormat::Json => {
            let command = command_line();
            let object = AnalyzeJson::of_reports(&gathered.warnings, &table, &command);
            let object = object.with_thresholds(&judgement.json);
            screen::written(write_json(&object, &mut bytes))?;
        }
        AnalyzeFormat::Svg => bytes = svg(&slob_chart(&table), args),
        AnalyzeFormat::Html | AnalyzeFormat::Md => {
            let title = args.title.clone();
            let title = title.unwrap_or_else(|| crate::input::title(&args.inputs));
            let section = Section {
                title: "AWR reports".to_owned(),
                sentences: gathered.warnings.clone(),
                charts: vec![slob_chart(&table)],
                tables: vec![slob_sheet(&table)],
                ..Section::default()
            };
            bytes = page::written(args, form, &[], (title, vec![section]))?;
        }
    }
    Ok(Content { bytes, end: gathered.verdict(args.strict), judgement })
}

/// The table of `isotherm awr`, and the averages against the requests.
fn people(
    args: &AnalyzeArgs,
    gathered: &AwrReports,
    table: &Csv,
    bytes: &mut Vec<u8>,
) -> Result<(), Failure> {
    screen::written(gathered.write_table(bytes))?;
    if gathered.reports.len() > 1 {
        bytes.push(b'\n');
        bytes.extend(text(args, &[], &slob_chart(table), &[]));
    }
    Ok(())
}
