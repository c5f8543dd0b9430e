//! The report: everything there is to say about one or several recordings, in one document.
//!
//! [`Report::of`] says what there is to show; [`html`], [`markdown`] and [`json`] write it down.

mod awr;
mod axis;
mod bars_svg;
mod buckets;
mod cache_page;
mod cache_svg;
mod chart;
mod comparison;
mod document;
mod entry;
mod error;
mod facet;
mod fit;
mod flame;
mod header;
mod heat_svg;
mod image;
mod input;
mod io_path;
mod json;
pub mod live;
mod live_document;
mod live_grid;
mod markdown;
mod markup;
mod pack;
mod packed;
mod page;
mod raster;
mod report;
mod sections;
mod shell;
mod site;
mod spread_time;
mod still;
mod xml;

pub use awr::{AwrPage, awr_html};
pub use cache_page::{CachePage, CacheWords, cache_html};
pub use cache_svg::{cache_png, cache_svg};
pub use chart::{ChartLook, chart_svg};
pub use comparison::{JudgedCondition, comparison_junit, comparison_markdown};
pub use error::ReportError;
pub use fit::MOST_BYTES;
pub use flame::{FlameGraph, FlameInput, FlameJson, flame_html, flame_json, flame_svg};
pub use input::{FileDigest, ReportInput, ReportOptions};
pub use io_path::timeline_html;
pub use json::{ReportJson, json};
pub use live_document::{LiveChoice, LiveEntry, live_columns, live_document, live_summary};
pub use live_grid::{LiveGrid, LiveWindow};
pub use markdown::markdown;
pub use page::{html, html_with_flame};
pub use report::{Entry, Kind, META, NotDrawn, Report};
pub use still::{Look, png, svg};
