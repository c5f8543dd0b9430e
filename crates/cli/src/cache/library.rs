//! `isotherm cache library`: a library cache, its buckets and its cursors.

use isotherm_cache::{LIBRARY_PRESETS, LibraryJson, LibraryModel};
use isotherm_frame::numbers::grouped;
use isotherm_report::CacheWords;
use isotherm_views::Document;

use super::graph::{self, Graph};
use crate::cache_library_args::LibraryArgs;
use crate::failure::Failure;

/// `isotherm cache library`
pub fn run(args: &LibraryArgs) -> Result<(), Failure> {
    if args.list {
        return graph::list(&LIBRARY_PRESETS);
    }
    let file = graph::file(args.output.as_deref(), args.force, args.graph)?;
    let model = LibraryModel::run(args.settings());
    let model = model.map_err(|error| Failure::usage(error.to_string()))?;
    let settings = &model.settings;
    let number = |number: u32| grouped(u64::from(number));
    let graph = Graph {
        document: Document::of("A library cache, modelled".to_owned(), model.section()),
        result: LibraryJson::new(&model),
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
        words: CacheWords::Library,
        picture: &|| serde_json::to_value(model.picture()),
    };
    graph.give(file.as_ref(), (args.format, args.ascii), args.graph)
}
