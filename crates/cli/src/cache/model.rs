//! `isotherm cache model`: a buffer cache, its lists and its latches.

use isotherm_cache::{CacheModel, ModelJson, PRESETS};
use isotherm_frame::numbers::grouped;
use isotherm_report::{CachePage, CacheWords};
use isotherm_views::write_json;

use super::graph::{self, GraphFile};
use crate::cache_args::ModelArgs;
use crate::failure::Failure;
use crate::report::command_line;

/// `isotherm cache model`
pub fn run(args: &ModelArgs) -> Result<(), Failure> {
    if args.list {
        return graph::list(&PRESETS);
    }
    let file = args.output.as_deref().map(|path| GraphFile::check(path, args.force)).transpose()?;
    let model = CacheModel::run(args.settings());
    let model = model.map_err(|error| Failure::usage(error.to_string()))?;
    let json = || graph::json(|out| write_json(&ModelJson::new(&model), out));
    graph::print((args.format, args.ascii), &model.section(), &json)?;
    file.map_or(Ok(()), |file| file.write(&json, &|| page(&model)))
}

fn page(model: &CacheModel) -> Result<Vec<u8>, Failure> {
    let settings = &model.settings;
    let number = |number: u32| grouped(u64::from(number));
    let mut section = model.section();
    let page = CachePage {
        title: "A buffer cache, modelled".to_owned(),
        facts: format!(
            "{} buffers on {} chains with {} latches, {} blocks, {} references, seed {}",
            number(settings.buffers),
            number(settings.chains),
            number(settings.latches),
            number(settings.blocks),
            number(settings.references),
            settings.seed
        ),
        notes: std::mem::take(&mut section.sentences),
        picture: graph::picture(serde_json::to_value(model.picture()))?,
        words: CacheWords::Buffers,
        sections: vec![section],
        command: command_line(),
    };
    graph::page(&page)
}
