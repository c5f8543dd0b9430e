//! `isotherm cache curve`: how many references miss a cache of each size.

use std::path::Path;

use isotherm_cache::{
    CurveCounter, CurveJson, CurveSummary, Device, OrderedReferences, Reference, ReferenceError,
    ReferenceFormat, ReferenceOptions, ReferenceTotals, Sample, TooManyBlocks,
};
use isotherm_frame::numbers::counted;
use isotherm_frame::percent;
use isotherm_live::{Address, open_bytes};
use isotherm_oracle::trace::TraceUnit;
use isotherm_views::Document;

use crate::cache_args::{CurveArgs, CurveFormat};
use crate::document::{self, DocumentFile};
use crate::failure::{Code, Failure};
use crate::output::Kind;
use crate::{fit, input, redact, screen};

/// What was read of all inputs.
#[derive(Default)]
struct ReadInputs {
    /// Whether there are several, so that what is said of one names it.
    are_several: bool,
    names: Vec<String>,
    formats: Vec<ReferenceFormat>,
    totals: ReferenceTotals,
}

/// `isotherm cache curve`
pub fn run(args: &CurveArgs) -> Result<(), Failure> {
    let method = args.method()?;
    let file = args.output.as_deref().map(|path| {
        let forms = [Kind::Page, Kind::Markdown, Kind::Json, Kind::Table];
        DocumentFile::check(path, &forms, args.force, &args.inputs)
    });
    let file = file.transpose()?;
    let device = args.sweep.as_deref().map(|sweep| device(sweep, args.seed())).transpose()?;
    let inputs = input::traces_once(&args.inputs, args.again)?;
    let mut counter = CurveCounter::new(method);
    let mut read = ReadInputs { are_several: inputs.len() > 1, ..ReadInputs::default() };
    let is_concatenated = match inputs.as_slice() {
        [one] => read_one(args, one, &mut read, &mut counter)?,
        several => read_several(args, several, &mut read, &mut counter)?,
    };
    let summary = CurveSummary {
        inputs: read.names,
        formats: read.formats,
        totals: read.totals,
        is_concatenated,
        block_bytes: args.block_size,
        counted: counter.finish(),
        seed: args.seed(),
        sizes: args.cache_size.clone(),
        device,
    };
    is_sampled(args, &summary)?;
    if let Some(sweep) = &args.sweep
        && summary.totals.blocks_per_s().is_none()
    {
        return Err(Failure::new(
            Code::Runtime,
            format!(
                "--sweep {}: the input has no times, so that the rate of its references is not known; give one \
                 with times (a CSV with time_ns)",
                sweep.display()
            ),
        ));
    }
    give(args, &summary, file.as_ref())?;
    strict(args, &summary)
}

/// Refuses a sample without a block: nothing is known from it.
fn is_sampled(args: &CurveArgs, summary: &CurveSummary) -> Result<(), Failure> {
    let is_empty = |sample: &Sample| sample.sampled_references == 0;
    if summary.totals.blocks == 0 || !summary.counted.sample().is_some_and(is_empty) {
        return Ok(());
    }
    let references = counted(summary.totals.blocks, "reference");
    let given = args.sample.map_or_else(String::new, |share| format!(" {}", percent(share)));
    Err(Failure::nothing(format!(
        "--sample{given}: none of the blocks of {references} is in the sample, so that nothing is known of them: leave \
         it out to count every reference, or sample a larger share"
    )))
}

/// The device by the model of a sweep.
fn device(sweep: &Path, seed: u64) -> Result<Device, Failure> {
    let name = redact::redacted(&sweep.display().to_string());
    let failed =
        |failure: Failure| Failure::new(failure.code, format!("--sweep {name}: {failure}"));
    let points = fit::sweep_points(sweep).map_err(failed)?;
    let device = Device::of(name.clone(), points.points, seed);
    device.ok_or_else(|| {
        Failure::new(
            Code::Runtime,
            format!("--sweep {name}: no model can be fitted to it; see isotherm fit {name}"),
        )
    })
}

/// Counts the references of one input as they are read.
fn read_one(
    args: &CurveArgs,
    input: &Address,
    read: &mut ReadInputs,
    counter: &mut CurveCounter,
) -> Result<bool, Failure> {
    let mut failed = None;
    let (mut latest, mut earlier) = (None, 0);
    read.input(args, input, &mut |reference| {
        let is_earlier = reference.at_ns.zip(latest).is_some_and(|(at, latest)| at < latest);
        earlier += u64::from(is_earlier);
        latest = latest.max(reference.at_ns);
        if failed.is_none() {
            failed = counter.reference(reference.block).err();
        }
    })?;
    if earlier > 0 {
        let references = counted(earlier, "reference");
        screen::warn(&format!(
            "{references} with a time before that of an earlier one: the curve follows the order of the input; sort it \
             by time if that is the order of the references"
        ));
    }
    failed.map_or(Ok(false), |error| Err(too_many(error)))
}

/// Counts the references of several inputs in the order of time; whether there are no times.
fn read_several(
    args: &CurveArgs,
    inputs: &[Address],
    read: &mut ReadInputs,
    counter: &mut CurveCounter,
) -> Result<bool, Failure> {
    let mut ordered = OrderedReferences::default();
    for input in inputs {
        read.input(args, input, &mut |reference| ordered.take(reference))?;
    }
    let is_timed = ordered.is_timed();
    let blocks = ordered.blocks();
    let blocks = blocks.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    for block in blocks {
        counter.reference(block).map_err(too_many)?;
    }
    Ok(!is_timed)
}

fn too_many(error: TooManyBlocks) -> Failure {
    Failure::new(
        Code::Runtime,
        format!(
            "{error}: an exact curve would take more memory than is used unasked. Add --sample 1% or \
             --sample-blocks 100000, or --exact to use it"
        ),
    )
}

impl ReadInputs {
    /// Reads an input to its end.
    fn input(
        &mut self,
        args: &CurveArgs,
        input: &Address,
        take: &mut dyn FnMut(Reference),
    ) -> Result<(), Failure> {
        let name = match input {
            Address::Stdin => "standard input".to_owned(),
            other => redact::redacted(&other.to_string()),
        };
        let failed = |error: ReferenceError| Failure::nothing(format!("{name}: {error}"));
        let mut bytes = open_bytes(input)?;
        let head = bytes.head(ReferenceFormat::HEAD)?;
        let format = ReferenceFormat::of(&head);
        let format = format.ok_or(ReferenceError::Unrecognised).map_err(failed)?;
        let unit = args.unit.map(TraceUnit::given);
        let options = ReferenceOptions { block_bytes: args.block_size, unit };
        let mut totals = format.read(&mut bytes, &options, take).map_err(failed)?;
        if self.are_several {
            totals.rejections.iter_mut().for_each(|why| *why = format!("{name}: {why}"));
        }
        if let Some(damage) = bytes.message() {
            screen::warn(&format!("{name}: {damage}"));
        }
        self.names.push(name);
        self.formats.push(format);
        self.totals.add(&totals);
        Ok(())
    }
}

/// Prints the curve, or writes it to a file.
fn give(
    args: &CurveArgs,
    summary: &CurveSummary,
    file: Option<&DocumentFile>,
) -> Result<(), Failure> {
    let title = format!("Miss-ratio curve of {}", input::title(&args.inputs));
    let document = Document::of(title, summary.section());
    let result = CurveJson::new(summary);
    match file {
        Some(file) if file.kind == Kind::Table => return file.put(summary.csv().as_bytes()),
        Some(file) => return file.write(document, &result),
        None => {}
    }
    let text = match args.format {
        CurveFormat::Table => document.text(screen::width(None), args.ascii),
        CurveFormat::Json => document::json(&result)?,
        CurveFormat::Csv => summary.csv(),
    };
    screen::print(args.format.into(), &text)
}

/// Fails when something could not be read and the user wants that to be fatal.
fn strict(args: &CurveArgs, summary: &CurveSummary) -> Result<(), Failure> {
    let totals = &summary.totals;
    if !args.strict || totals.rejected == 0 {
        return Ok(());
    }
    let first = totals.rejections.first().cloned().unwrap_or_default();
    let message =
        format!("{}, and --strict is set; {first}", counted(totals.rejected, "rejection"));
    Err(Failure::new(Code::BadData, message))
}
