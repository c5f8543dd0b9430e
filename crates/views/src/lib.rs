//! From results to words, tables, maps in text, charts and JSON. Views compute nothing.

mod analyze;
mod ansi;
mod awr;
mod buckets;
pub mod calibration;
mod catalogue;
pub mod cells;
pub mod chart;
mod classic;
pub mod compare;
mod description;
mod explain;
pub mod findings_json;
mod fit;
mod generator;
mod grid;
pub mod headline;
mod input_account;
pub mod instances;
mod interval;
mod load;
mod map;
pub mod narration;
pub mod ranges;
mod sanitize;
pub mod section;
mod stats_json;
mod stats_table;
mod stream;
pub mod style;
mod sweep;
pub mod times;
mod trace_profile;
mod view;

pub use analyze::{
    ANALYZE_SCHEMA_VERSION, AnalyzeSheet, AnalyzeText, NamedCurve, SweepRuns, analyze_json,
    table_rows,
};
pub use awr::{awr_csv, awr_json, awr_table, slob_chart, slob_sheet, slob_table};
pub use buckets::BucketsView;
pub use catalogue::VIEWS;
pub use classic::{CLASSIC_STEPS, ClassicView};
pub use compare::{
    Alignment, COMPARE_SCHEMA_VERSION, CompareJson, CompareSheet, CompareView, Compared, PairLine,
    Presence, SideLabel, compare_sentences, figures::interval as ratio_interval,
};
pub use description::{Description, SeriesShare};
pub use explain::{EXPLAIN_SCHEMA_VERSION, ExplainSheet, ExplainView};
pub use fit::{
    FIT_SCHEMA_VERSION, FitJson, FitLimit, FitSheet, FitText, fit_csv, no_what_if, published_json,
    published_sentences, published_text,
};
pub use generator::generator;
pub use input_account::InputAccount;
pub use isotherm_frame::numbers;
pub use load::{
    LOAD_SCHEMA_VERSION, LoadArrival, LoadCpu, LoadEnd, LoadEnded, LoadJson, LoadKind, LoadLatency,
    LoadLittle, LoadObserved, LoadRate, LoadSchedule, LoadSheet, LoadSpread, LoadSteady, LoadTable,
    LoadTouched, LoadVerdict, LoadWhat,
};
pub use map::MapView;
pub use numbers::{quantity, seconds, waited};
pub use ranges::{Digits, range};
pub use sanitize::{OutputForm, Sanitizer, sanitized};
pub use stats_json::{SCHEMA_VERSION, StatsJson};
pub use stats_table::StatsTable;
pub use stream::{StreamOptions, StreamView};
pub use style::{Depth, Ink, MapKind, Palette, STEPS, Style, Theme, ramp};
pub use sweep::{
    SWEEP_SCHEMA_VERSION, SweepDoubt, SweepJson, SweepPoint, SweepRange, SweepSheet, SweepStopped,
    SweepTable,
};
pub use times::{Moments, span};
pub use trace_profile::{TRACE_SCHEMA_VERSION, TraceProfileJson, TraceProfileText};
pub use view::{ViewMeta, page};
