//! `isotherm cache library`: a library cache, its buckets and its cursors.

use isotherm_cache::{LIBRARY_PRESETS, LibraryJson, LibraryModel};
use isotherm_frame::numbers::grouped;
use isotherm_report::{CachePage, CacheWords};
use isotherm_views::write_json;

use super::graph::{self, GraphFile};
use crate::cache_graph_args::GraphArgs;
use crate::cache_library_args::LibraryArgs;
use crate::failure::Failure;
use crate::report::command_line;

/// `isotherm cache library`
pub fn run(args: &LibraryArgs) -> Result<(), Failure> {
    if args.list {
        return graph::list(&LIBRARY_PRESETS);
    }
    let file = args
        .output
        .as_deref()
        .map(|path| GraphFile::check(path, args.force, args.graph))
        .transpose()?;
    let model = LibraryModel::run(args.settings());
    let model = model.map_err(|error| Failure::usage(error.to_string()))?;
    let json = || graph::json(|out| write_json(&LibraryJson::new(&model), out));
    let page = || page(&model, args.graph);
    graph::give(file.as_ref(), (args.format, args.ascii), &model.section(), &json, &page)
}

fn page(model: &LibraryModel, args: GraphArgs) -> Result<CachePage, Failure> {
    let settings = &model.settings;
    let number = |number: u32| grouped(u64::from(number));
    let mut section = model.section();
    let picture = graph::picture(serde_json::to_value(model.picture()))?;
    let view = graph::view(args, &picture)?;
    Ok(CachePage {
        title: "A library cache, modelled".to_owned(),
        facts: format!(
            "{} hash buckets, {} shared statements in {} environments, memory for {} child cursors, {} \
             executions, seed {}",
            number(settings.buckets),
            number(settings.statements),
            number(settings.versions),
            number(settings.cursors),
            number(settings.executions),
            settings.seed
        ),
        notes: std::mem::take(&mut section.sentences),
        picture,
        words: CacheWords::Library,
        view,
        sections: vec![section],
        command: command_line(),
    })
}
