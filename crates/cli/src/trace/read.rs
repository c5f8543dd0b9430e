//! Reads traces, or a part of them, and adds up their profiles.

use isotherm_analysis::side_by_side;
use isotherm_frame::{Ends, TimeRange};
use isotherm_live::{Address, open_bytes};
use isotherm_oracle::trace::profile::{GroupBy, Limits, Profile, Profiler};
use isotherm_oracle::trace::{
    CutCalls, NO_SQL_TRACE, ReadTrace, Remark, TraceSpan, TraceUnit, WithinRange,
};
use jiff::tz::TimeZone;

use crate::failure::{Code, Failure};
use crate::range::Part;
use crate::trace_args::TraceArgs;
use crate::when::Span;
use crate::{input, screen};

/// How many files are read before their profiles are added up.
const AT_ONCE: usize = 32;

/// What a trace does not say of itself, and what of it is wanted.
struct Reading {
    groups: Option<GroupBy>,
    binds: bool,
    block_bytes: u64,
    unit: Option<TraceUnit>,
    zone: Option<TimeZone>,
    part: Part,
}

/// A trace and what it says; `None` if it has no record of a SQL trace.
type Outcome = Result<Option<Profile>, Failure>;

/// The profile of these traces together, or of the part that is asked for.
pub fn profile(args: &TraceArgs, files: &[Address]) -> Result<Profile, Failure> {
    let unit = args.unit.map(TraceUnit::given);
    let (block_bytes, zone) = (args.block_size, args.zone.clone());
    let (groups, binds) = (args.groups(), args.binds);
    let part = Part::default();
    let mut reading = Reading { groups, binds, block_bytes, unit, zone, part };
    if args.stretch.is_given() {
        let span = reading.span_of_all(files)?;
        let title = input::title(&args.files);
        reading.part = args.stretch.within(span, &title)?.some()?;
    }
    let profile = profile_of(files, &reading)?;
    let is_empty = profile.inputs.calls + profile.inputs.waits == 0;
    reading.part.nothing().filter(|_| is_empty).map_or(Ok(profile), Err)
}

impl Reading {
    /// When a trace begins and ends.
    fn span(&self, file: &Address) -> Result<TraceSpan, Failure> {
        let mut span = TraceSpan::new(self.unit, self.zone.clone());
        let has_records = scanned(file, &mut span, Warn::No)?;
        if has_records && span.ends().is_none() {
            return Err(Failure::usage(format!(
                "{}: --from and --to need a wall clock, and it has no timestamp: leave them out",
                called(file)
            )));
        }
        Ok(span)
    }

    /// When the first of these traces begins and the last one ends.
    fn span_of_all(&self, files: &[Address]) -> Result<Option<Span>, Failure> {
        let spans: Result<Vec<TraceSpan>, Failure> =
            side_by_side(files, |file| self.span(file)).into_iter().collect();
        let spans = spans?;
        if spans.iter().any(TraceSpan::is_utc_assumed) {
            screen::warn(&Remark::UtcAssumed.to_string());
        }
        let ends: Ends = spans.iter().filter_map(TraceSpan::ends).collect();
        Ok(ends.get().map(Span::from))
    }
}

/// The profile of all files together.
fn profile_of(files: &[Address], reading: &Reading) -> Result<Profile, Failure> {
    let mut whole: Option<Profile> = None;
    let mut without = Vec::new();
    for some in files.chunks(AT_ONCE) {
        let profiles = side_by_side(some, |file| profile_of_one(file, reading));
        for (file, outcome) in some.iter().zip(profiles) {
            match (outcome?, &mut whole) {
                (None, _) => without.push(file.to_string()),
                (Some(profile), Some(whole)) => whole.merge(&profile),
                (Some(profile), whole @ None) => *whole = Some(profile),
            }
        }
    }
    match (whole, without.as_slice()) {
        (Some(whole), []) => Ok(whole),
        (Some(whole), [first, more @ ..]) => {
            let more =
                if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            screen::warn(&format!("{first}{more}: no record of a SQL trace in it; left out"));
            Ok(whole)
        }
        (None, names) => {
            Err(Failure::new(Code::Runtime, format!("{}: {NO_SQL_TRACE}", names.join(", "))))
        }
    }
}

fn profile_of_one(file: &Address, reading: &Reading) -> Outcome {
    let profiler = Profiler::new(&called(file), Limits::default(), reading.block_bytes);
    let mut profiler = profiler.with_unit(reading.unit);
    if let Some(groups) = &reading.groups {
        profiler = profiler.with_groups(groups.clone());
    }
    if reading.binds {
        profiler = profiler.with_bind_values();
    }
    if reading.part.range == TimeRange::default() {
        let has_records = scanned(file, &mut profiler, Warn::Yes)?;
        return Ok(has_records.then(|| profiler.finish()));
    }
    let Some((start, _)) = reading.span(file)?.ends() else { return Ok(None) };
    let mut cut = CutCalls::new(reading.part.range, reading.unit, reading.zone.clone());
    scanned(file, &mut cut, Warn::No)?;
    let clock = (reading.unit, reading.zone.clone());
    let mut within = WithinRange::new(profiler, cut, start, clock);
    let has_records = scanned(file, &mut within, Warn::Yes)?;
    Ok(has_records.then(|| within.into_inner().finish()))
}

/// Whether what is to be known of how a file was read is said.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Warn {
    Yes,
    No,
}

/// Reads a file; whether it has records of a SQL trace.
pub(crate) fn scanned(
    file: &Address,
    reader: &mut dyn ReadTrace,
    warn: Warn,
) -> Result<bool, Failure> {
    let mut input = open_bytes(file)?;
    let account = reader
        .read_trace(&mut input)
        .map_err(|error| Failure::new(Code::Runtime, format!("{}: {error}", called(file))))?;
    if let Some(message) = input.message().filter(|_| warn == Warn::Yes) {
        screen::warn(&format!("{}: {message}", called(file)));
    }
    Ok(!account.is_no_sql_trace())
}

pub(super) fn called(file: &Address) -> String {
    match file {
        Address::Stdin => "standard input".to_owned(),
        other => other.to_string(),
    }
}
