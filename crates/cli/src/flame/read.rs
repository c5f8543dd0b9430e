//! Reading what a flame graph is made of.

use std::path::Path;

use isotherm_flame::{Counts, ReadError, ReadOptions};
use isotherm_formats::{Context, Note, Recognition, Verdict, recognise};
use isotherm_frame::numbers::counted;
use isotherm_live::open_bytes;
use isotherm_oracle::trace::begins_trace;
use isotherm_report::FlameInput;

use super::args::CountsArg;
use super::input::Read;
use super::trace;
use crate::failure::{Code, Failure};
use crate::input;
use crate::oracle_args::OracleArgs;
use crate::{redact, screen};

/// How much of an input tells whether it is a SQL trace.
const HEAD: usize = 64 << 10;

impl From<CountsArg> for Counts {
    fn from(counts: CountsArg) -> Counts {
        match counts {
            CountsArg::Samples => Counts::OnCpuSamples,
            CountsArg::Events => Counts::Events,
            CountsArg::Ns => Counts::Nanoseconds,
        }
    }
}

/// Whether anything is asked for that only samples with times have.
fn needs_samples(options: &ReadOptions) -> bool {
    options.keeps_times || options.part.is_limited() || options.event.is_some()
}

/// Reads an input, and warns of what could not be read.
pub fn read(name: &str, options: &ReadOptions) -> Result<Read, Failure> {
    let inputs = input::expand(&[name.to_owned()], &OracleArgs::default())?;
    let [input] = inputs.as_slice() else {
        return Err(Failure::usage(format!("{}: name one file", redact::redacted(name))));
    };
    let shown = shown_name(name);
    let mut bytes = open_bytes(&input.address)?;
    for note in bytes.make_plain(None, &Context::default())? {
        if let Note::Said(words) = note {
            screen::warn(&format!("{shown}: {words}"));
        }
    }
    let head = bytes.head(HEAD)?;
    let read = if begins_trace(&head) {
        if needs_samples(options) {
            let text = "has no samples: --counter, --from, --to and --heat are for perf script";
            return Err(Failure::usage(format!("{shown}: a SQL trace {text}")));
        }
        trace::read(&shown, &mut bytes)?
    } else {
        refuse_other(&shown, &head)?;
        let capture = isotherm_flame::read(&mut bytes, options);
        Read::of(&shown, capture.map_err(|error| failure(&shown, &error))?)
    };
    if let Some(damage) = bytes.message() {
        screen::warn(&format!("{shown}: {damage}"));
    }
    warn(&read.input);
    Ok(read)
}

/// Refuses what a decoder of latencies knows: a table that ends in a count is no stack.
fn refuse_other(shown: &str, head: &[u8]) -> Result<(), Failure> {
    let Recognition::Known(source) = recognise(head) else { return Ok(()) };
    let name = source.meta().name;
    let may_hold_stacks = name == "perfscript"
        || name == "bpftrace"
        || source.sniff(&head[..head.len().min(HEAD)]) != Verdict::Yes;
    if may_hold_stacks && isotherm_flame::recognise(head).is_some() {
        return Ok(());
    }
    Err(Failure::nothing(format!("{shown}: no stacks: this is {name}: isotherm stats reads it")))
}

/// Says what could not be read.
pub fn warn(input: &FlameInput) {
    if input.rejected > 0 {
        let first = input.rejections.first().cloned().unwrap_or_default();
        screen::warn(&format!("{}: {} rejected; {first}", input.name, input.rejected));
    }
    if input.repeated > 0 {
        screen::warn(&format!(
            "{}: the map was printed more than once, and its counts are added up: right only if the \
             program clears it after each print",
            input.name
        ));
    }
    if input.beyond_memory > 0 {
        screen::warn(&format!(
            "{}: more different stacks than fit into memory: {} are added up as (other)",
            input.name,
            input.counts.amount(input.beyond_memory)
        ));
    }
    for other in &input.other_events {
        screen::warn(&format!(
            "{}: {} of {} left out; --counter '{}' shows them",
            input.name,
            other.counts.amount(other.samples),
            other.event,
            other.event
        ));
    }
}

fn failure(name: &str, error: &ReadError) -> Failure {
    let code = match error {
        ReadError::NoSuchEvent { .. }
        | ReadError::Ambiguous { .. }
        | ReadError::NoEvents(_)
        | ReadError::NoTimes(_) => Code::Usage,
        _ => Code::Runtime,
    };
    let is_empty = !matches!(error, ReadError::Io(_));
    Failure { no_events: is_empty, ..Failure::new(code, format!("{name}: {error}")) }
}

fn shown_name(name: &str) -> String {
    match name {
        "-" => "standard input".to_owned(),
        path => {
            let base = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            redact::redacted(&base)
        }
    }
}

/// What a picture is called that nobody has named.
pub fn title(name: &str, input: &FlameInput) -> String {
    let kind = match input.counts {
        _ if input.format == "SQL trace" => "Response time",
        Counts::OnCpuSamples => "CPU flame graph",
        Counts::Nanoseconds => "Time by stack",
        Counts::Events | Counts::Unknown => "Flame graph",
    };
    format!("{kind} of {}", shown_name(name))
}

/// Fails when something could not be read and the user wants that to be fatal.
pub fn strict(strict: bool, inputs: &[FlameInput]) -> Result<(), Failure> {
    let damaged = inputs.iter().find(|input| strict && input.rejected > 0);
    damaged.map_or(Ok(()), |input| {
        let first = input.rejections.first().cloned().unwrap_or_default();
        let text = format!(
            "{}: {}, and --strict is set; {first}",
            input.name,
            counted(input.rejected, "rejection")
        );
        Err(Failure::new(Code::BadData, text))
    })
}
