//! What a view is, and the list of them.

use std::io::{self, Write};

use isotherm_analysis::Picture;

use crate::{
    Style, buckets, classic, compare, explain, load, map, stats_json, stats_table, stream,
    trace_profile,
};

/// What a view says about itself: help texts and the documentation page are made of it.
#[derive(Debug, PartialEq, Eq)]
pub struct ViewMeta {
    /// The name on the command line.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// When it is the right one, in one sentence.
    pub when: &'static str,
    /// How to read it: one paragraph for each thing there is to know.
    pub reading: &'static [&'static str],
    /// A command that shows it.
    pub example: &'static str,
}

/// Something that paints a whole picture.
pub trait View {
    /// What the view says about itself.
    fn meta(&self) -> &'static ViewMeta;

    /// Paints the picture. Fails only when `out` does.
    fn render(&self, picture: &Picture, style: Style, out: &mut dyn Write) -> io::Result<()>;
}

/// Every view that needs no keyboard.
pub const VIEWS: [&ViewMeta; 10] = [
    &stream::META,
    &map::META,
    &classic::META,
    &buckets::META,
    &compare::META,
    &stats_table::META,
    &stats_json::META,
    &trace_profile::META,
    &load::META,
    &explain::META,
];

/// The documentation page of a view, with `sample` as what it prints.
pub fn page(meta: &ViewMeta, sample: &str) -> String {
    let ViewMeta { name, about, when, example, .. } = meta;
    let sample = sample.trim_end();
    let list: String = meta.reading.iter().flat_map(|text| ["- ", text, "\n"]).collect();
    format!(
        "# `{name}`\n\n{about}\n{when}\n\n```sh\n{example}\n```\n\n```text\n{sample}\n```\n\n\
         ## How to read it\n\n{list}"
    )
}
