//! What the options of the command line say of reading inputs.

use std::num::NonZeroUsize;
use std::path::Path;

use isotherm_formats::{ByteRange, Columns, Context, SOURCES, Source, Temporality, formats_named};
use isotherm_frame::numbers::counted;
use isotherm_frame::{Account, Event, Rejection};
use isotherm_live::Address;
use isotherm_pipeline::{Binning, Collector, Input, KeepEvents, ReadOptions};

use crate::choices::TemporalityChoice;
use crate::config;
use crate::failure::{Code, Failure};
use crate::idle;
use crate::input_args::InputArgs;
use crate::oracle_args::OracleArgs;
use crate::screen;

/// The inputs that `names` stand for, in the order given; the files of a directory by name.
pub fn expand(names: &[String], oracle: &OracleArgs) -> Result<Vec<Input>, Failure> {
    let addresses: Result<Vec<Address>, Failure> =
        names.iter().map(|name| oracle.address(name)).collect();
    Ok(isotherm_pipeline::expand(addresses?)?)
}

/// The same where files may be named with a range of bytes behind them, as `day.trc@1G..2G`. A file of
/// such a name is read whole.
pub fn expand_ranges(names: &[String], oracle: &OracleArgs) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for name in names {
        let range = ByteRange::behind(name).filter(|_| !Path::new(name).exists());
        let Some((file, range)) = range else {
            inputs.extend(expand(std::slice::from_ref(name), oracle)?);
            continue;
        };
        let range = range.map_err(|why| Failure::usage(format!("{name}: {why}")))?;
        if file == "-" {
            return Err(Failure::usage(format!(
                "{name}: a range needs a file: standard input is read whole"
            )));
        }
        inputs.push(Input::of_range(Path::new(file), range));
    }
    Ok(inputs)
}

/// The SQL traces named, each once unless they are to be read `again`: directories stand for the traces in them.
/// With what is to be said of files that are named twice, and of copies.
pub fn traces(names: &[String], again: bool) -> Result<(Vec<Address>, Vec<String>), Failure> {
    let inputs = expand(names, &OracleArgs::default())?;
    let trace = |input: &Input| input.address.to_string().to_lowercase().contains(".trc");
    let found = |input: &Input| input.found_in.is_some();
    let any = inputs.iter().any(|input| found(input) && trace(input));
    let wanted = inputs.into_iter().filter(|input| !found(input) || !any || trace(input));
    let (inputs, said) = isotherm_pipeline::read_once(wanted.collect(), again)?;
    Ok((inputs.into_iter().map(|input| input.address).collect(), said))
}

/// The same, with what is to be said as warnings.
pub fn traces_once(names: &[String], again: bool) -> Result<Vec<Address>, Failure> {
    let (files, said) = traces(names, again)?;
    for words in said {
        screen::warn(&words);
    }
    Ok(files)
}

/// How several inputs are called together.
pub fn title(names: &[String]) -> String {
    match names {
        [one] => crate::redact::redacted(one),
        [first, rest @ ..] => {
            format!("{} and {} more", crate::redact::redacted(first), rest.len())
        }
        [] => "-".to_owned(),
    }
}

/// How the options say that inputs are read.
pub fn options(args: &InputArgs) -> Result<ReadOptions, Failure> {
    let options = ReadOptions::new(context(args)).with_source(source_named(args)?);
    Ok(options.with_interval(args.interval).with_idle(args.oracle.idle).with_again(args.again))
}

/// Reads whole inputs, one after the other, and hands on what happened, in the order of each.
pub fn read_all(
    names: &[String],
    args: &InputArgs,
    binning: Binning,
    take: &mut dyn FnMut(Event),
) -> Result<Account, Failure> {
    read_inputs(&expand(names, &args.oracle)?, args, binning, take)
}

/// The same for inputs that are already known.
pub fn read_inputs(
    inputs: &[Input],
    args: &InputArgs,
    binning: Binning,
    take: &mut dyn FnMut(Event),
) -> Result<Account, Failure> {
    let account = isotherm_pipeline::read_all(inputs, &options(args)?, binning, take)?;
    conclude(account, args, take)
}

/// Reads whole inputs as [`read_all`] does, but collects single events as they are instead of
/// intervals of them, and tells apart many more series.
pub fn read_events<K: KeepEvents>(
    names: &[String],
    args: &InputArgs,
    binning: Binning,
    (collector, message): (&mut Collector<'_, K>, &mut dyn FnMut(String)),
) -> Result<Account, Failure> {
    let (inputs, options) = (expand(names, &args.oracle)?, options(args)?);
    let account = collector.read_events(&inputs, &options, binning, message)?;
    conclude(account, args, &mut |event| {
        collector.take(event).into_iter().for_each(&mut *message);
    })
}

/// Reports the idle waits that do not count, and fails when something was rejected that must not be.
pub fn conclude(
    account: Account,
    args: &InputArgs,
    take: &mut dyn FnMut(Event),
) -> Result<Account, Failure> {
    if let Some(text) = idle::message(&account) {
        take(Event::Message(text));
    }
    strict(args, &account)?;
    Ok(account)
}

/// That there is not a single event to look at: what `--where` asks for is not there, or nothing is.
pub fn nothing(args: &InputArgs, message: impl Into<String>) -> Failure {
    if args.only.is_empty() { Failure::nothing(message) } else { Failure::unmatched(message) }
}

/// What a decoder is given.
pub fn context(args: &InputArgs) -> Context {
    Context {
        unit: args.unit,
        time_unit: args.time_unit,
        temporality: match args.temporality {
            Some(TemporalityChoice::Cumulative) => Temporality::Cumulative,
            Some(TemporalityChoice::Delta) => Temporality::Delta,
            Some(TemporalityChoice::Auto) | None => Temporality::Auto,
        },
        interval: args.interval,
        columns: args.columns.clone().map(|names| Columns { names }),
        by: args.by.clone(),
        most_series: None,
        keeps_attributes: false,
        attributes: Vec::new(),
        series: args.series.clone(),
        only: args.only.clone(),
        leave_out_idle: !args.oracle.idle,
        zone: args.zone.clone(),
        threads: threads(args),
        block_length: None,
        arrival: None,
    }
}

/// How many threads may read.
pub fn threads(args: &InputArgs) -> usize {
    let processors = std::thread::available_parallelism().ok();
    args.threads.or(processors).map_or(1, NonZeroUsize::get)
}

/// The source the user names, if any: with `--columns` it is a text of columns, or of log lines if
/// it names their fields.
pub fn source_named(args: &InputArgs) -> Result<Option<&'static dyn Source>, Failure> {
    source_of(args.as_source.as_deref(), args.columns.as_deref())
}

/// The same of what is given with `--as` and `--columns`.
pub fn source_of(
    named: Option<&str>,
    columns: Option<&[String]>,
) -> Result<Option<&'static dyn Source>, Failure> {
    let of_fields = |names: &[String]| names.iter().any(|name| name.contains('='));
    let columns = columns.map(|names| if of_fields(names) { "logs" } else { "columns" });
    let Some(name) = named.or(columns) else { return Ok(None) };
    let found = SOURCES.iter().copied().find(|source| source.meta().name == name);
    if found.is_none() {
        config::check_format_named(name)?;
    }
    let known = || SOURCES.iter().map(|source| source.meta().name).collect::<Vec<_>>().join(", ");
    found.or_else(|| formats_named(name)).map(Some).ok_or_else(|| {
        Failure::usage(format!(
            "--as {name}: there is no such source; there are {}, and the formats that isotherm sources lists",
            known()
        ))
    })
}

/// Fails when something was rejected and the user wants that to be fatal.
pub fn strict(args: &InputArgs, account: &Account) -> Result<(), Failure> {
    if !args.strict || account.rejected == 0 {
        return Ok(());
    }
    let head =
        format!("{} in the input, and --strict is set:", counted(account.rejected, "rejection"));
    let examples = account.rejections.iter().map(Rejection::to_string);
    let lines: Vec<String> = std::iter::once(head).chain(examples).collect();
    Err(Failure::new(Code::BadData, lines.join("\n  ")))
}
