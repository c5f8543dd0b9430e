//! `isotherm cache model`: a buffer cache, its lists and its latches.

use isotherm_cache::{
    CacheModel, ModelJson, ModelSettings, PRESETS, Reference, ReferenceError, ReferenceFormat,
    ReferenceOptions,
};
use isotherm_frame::numbers::grouped;
use isotherm_live::open_bytes;
use isotherm_report::CacheWords;
use isotherm_views::Document;

use super::graph::{self, Graph};
use crate::cache_args::ModelArgs;
use crate::failure::Failure;
use crate::{input, redact};

/// Bytes of a block where an input counts bytes: as `cache curve` takes them to be.
const BLOCK_BYTES: u64 = 8_192;

/// `isotherm cache model`
pub fn run(args: &ModelArgs) -> Result<(), Failure> {
    if args.list {
        return graph::list(&PRESETS);
    }
    let file = graph::file(args.output.as_deref(), args.force, args.graph)?;
    let (model, input) = match &args.blocks_of {
        None => (CacheModel::run(args.settings()), None),
        Some(name) => {
            let (blocks, input) = referenced(name)?;
            // What is read is not changed, unless that is asked for.
            let writes = args.writes.map_or(0.0, |per_cent| per_cent / 100.0);
            let settings = ModelSettings { writes, ..args.settings() };
            (CacheModel::of_blocks(settings, blocks), Some(input))
        }
    };
    let model = model.map_err(|error| Failure::usage(error.to_string()))?;
    let mut section = model.section();
    section.sentences.extend(input);
    let settings = &model.settings;
    let number = |number: u32| grouped(u64::from(number));
    let graph = Graph {
        document: Document::of("A buffer cache, modelled".to_owned(), section),
        result: ModelJson::new(&model),
        facts: format!(
            "{} buffers on {} chains with {} latches, {} blocks, {} references, seed {}",
            number(settings.buffers),
            number(settings.chains),
            number(settings.latches),
            number(settings.blocks),
            number(settings.references),
            settings.seed
        ),
        words: CacheWords::Buffers,
        picture: &|| serde_json::to_value(model.picture()),
    };
    graph.give(file.as_ref(), (args.format, args.ascii), args.graph)
}

/// The blocks that an input references, in its order, and what is to be known of it.
fn referenced(name: &str) -> Result<(Vec<u64>, String), Failure> {
    let (inputs, _) = input::traces(&[name.to_owned()], false)?;
    let [address] = inputs.as_slice() else {
        return Err(Failure::usage(format!("{name}: give one file: a model follows one order")));
    };
    let name = redact::redacted(&address.to_string());
    let failed = |error: ReferenceError| Failure::nothing(format!("{name}: {error}"));
    let mut bytes = open_bytes(address)?;
    let head = bytes.head(ReferenceFormat::HEAD)?;
    let format = ReferenceFormat::of(&head).ok_or(ReferenceError::Unrecognised).map_err(failed)?;
    let options = ReferenceOptions { block_bytes: BLOCK_BYTES, unit: None };
    let mut blocks = Vec::new();
    let most = ModelSettings::MOST_BLOCKS as usize + 1;
    let mut take = |reference: Reference| {
        if blocks.len() < most {
            blocks.push(reference.block);
        }
    };
    format.read(&mut bytes, &options, &mut take).map_err(failed)?;
    let text = match format {
        ReferenceFormat::Csv => {
            format!("The blocks are those of {name}, numbered as they are met.")
        }
        _ => format!(
            "The blocks are those of {name}, numbered as they are met. These are physical reads: a cache \
             had missed them already, so that hits here are those of a second cache behind it."
        ),
    };
    Ok((blocks, text))
}
