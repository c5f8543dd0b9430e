//! `isotherm export`, `import` and `mark`.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use isotherm_frame::{BinnerLimits, Frame, Nanos};
use isotherm_recording::{Durability, Mark, Reader, Writer, export, import};

use crate::args::{ExchangeFormat, ExportArgs, ImportArgs, MarkArgs};
use crate::failure::{Code, Failure};
use crate::input::{self, Binning, unreadable};
use crate::intake::Happening;
use crate::recorder;
use crate::{screen, when};

pub fn export(args: &ExportArgs) -> Result<(), Failure> {
    let reader = Reader::open(&args.recording).map_err(unreadable)?;
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) if path != Path::new("-") => {
            Box::new(BufWriter::new(File::create(path).map_err(|error| unwritable(path, &error))?))
        }
        _ => Box::new(screen::output()),
    };
    let wanted = |series: &isotherm_frame::Series| screen::matches(args.series.as_deref(), series);
    let report = match args.to {
        ExchangeFormat::Csv => export::write_csv(&reader, &wanted, &mut out),
        ExchangeFormat::Jsonl => export::write_jsonl(&reader, &wanted, &mut out),
        ExchangeFormat::Pylatencymap => export::write_pylatencymap(&reader, &wanted, &mut out),
    };
    report.map_err(unreadable)?;
    screen::written(out.flush())
}

pub fn mark(args: &MarkArgs) -> Result<(), Failure> {
    let at = match &args.at {
        Some(text) => {
            let reader = Reader::open(&args.recording).map_err(unreadable)?;
            let start = reader.span().map_err(unreadable)?.map_or_else(when::now, |(start, _)| start);
            when::parse(text, start)?
        }
        None => when::now(),
    };
    let mark = Mark { at, text: args.text.clone(), origin: "isotherm mark".to_owned() };
    isotherm_recording::mark(&args.recording, &mark).map_err(unreadable)
}

/// Events of a file are kept at a second's resolution, as a live recording would.
const BINNING: Binning =
    Binning { interval: Nanos::SECOND, limits: BinnerLimits { max_cells: 8_192 } };

pub fn import(args: &ImportArgs) -> Result<(), Failure> {
    let path = Path::new(&args.input_file);
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let about = recorder::about(&args.input_file);
    let mut writer = Writer::create(&args.output, &about, Durability::Normal).map_err(unreadable)?;
    let filled = match extension.as_str() {
        "jsonl" if exported(path, import::is_jsonl) => import_jsonl(path, &mut writer),
        "csv" if exported(path, import::is_csv) => import_csv(path, &mut writer),
        _ => import_any(args, &mut writer),
    };
    writer.finish().map_err(unreadable)?;
    if filled.is_err() {
        // Nothing of value is in a recording that could not be filled.
        let _ = std::fs::remove_file(&args.output);
    }
    filled
}
