//! `isotherm sources --try`: how each decoder judges an input.

use isotherm_formats::{Columns, Context, Judgement, Outcome, SOURCES, Verdict, try_sources};
use isotherm_live::{Address, open_bytes};
use isotherm_views::{DecoderTrial, OutputForm, TrialJson, TrialRead, TrialVerdict, write_json};

use crate::choices::StatsFormat;
use crate::failure::{Code, Failure};
use crate::input::source_of;
use crate::screen;
use crate::sources_args::SourcesArgs;

/// Tries every decoder on the beginning of an input.
pub fn run(input: &str, args: &SourcesArgs) -> Result<(), Failure> {
    let address: Address = input.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    let columns = args.columns.clone();
    let source = source_of(args.as_source.as_deref(), columns.as_deref())?;
    let context = Context {
        unit: args.unit,
        time_unit: args.time_unit,
        columns: columns.map(|names| Columns { names }),
        ..Context::default()
    };
    let trial = try_sources(open_bytes(&address)?, &context, source)?;
    let mut json = TrialJson::new(address.to_string(), trial.bytes);
    json.taken_by = trial.taken_by.map(|(name, _)| name.to_owned());
    if let Some(unknown) = trial.unknown {
        (json.looks_like, json.advice) = (Some(unknown.looks), Some(unknown.advice));
    }
    if let Address::File(path) = &address
        && isotherm_pipeline::is_recording(path)
    {
        json.looks_like = Some("a recording of isotherm".to_owned());
        json.advice =
            Some("it needs no decoder: isotherm stats, show and replay read it".to_owned());
    }
    json.decoders = trial.judgements.into_iter().map(decoder).collect();
    match args.format {
        StatsFormat::Table => screen::print(OutputForm::Text, &json.text()),
        StatsFormat::Json => {
            let mut bytes = Vec::new();
            let text = write_json(&json, &mut bytes).map(|()| String::from_utf8_lossy(&bytes));
            let text = text.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
            screen::print(OutputForm::Json, &text)
        }
    }
}

fn decoder(judgement: Judgement) -> DecoderTrial {
    let source = SOURCES.iter().find(|source| source.meta().name == judgement.source);
    DecoderTrial {
        name: judgement.source.to_owned(),
        about: source.map_or("", |source| source.meta().about).to_owned(),
        verdict: match judgement.verdict {
            Verdict::Yes => TrialVerdict::Yes,
            Verdict::Unsure => TrialVerdict::Fits,
            Verdict::No => TrialVerdict::No,
        },
        refusal: judgement.refusal,
        read: judgement.outcome.map(read),
    }
}

fn read(outcome: Outcome) -> TrialRead {
    let Outcome { account, readings, error } = outcome;
    let notes = account.notices.iter().chain(&account.assumptions);
    TrialRead {
        records: account.records,
        readings,
        rejected: account.rejected,
        ignored_lines: account.ignored_lines,
        clock: account.clock.to_string(),
        rejections: account.rejections.iter().map(ToString::to_string).collect(),
        notes: notes.map(ToString::to_string).collect(),
        error,
    }
}
