//! The list of the views.

use crate::view::ViewMeta;
use crate::{
    buckets, classic, compare, explain, io_path, load, map, stats_json, stats_table, stream,
    trace_profile,
};

/// Every view that needs neither a keyboard nor a page of its own.
pub const VIEWS: [&ViewMeta; 11] = [
    &stream::META,
    &map::META,
    &classic::META,
    &buckets::META,
    &compare::META,
    &stats_table::META,
    &stats_json::META,
    &trace_profile::META,
    &io_path::META,
    &load::META,
    &explain::META,
];
