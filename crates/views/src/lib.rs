//! From results to words, tables, maps in text, charts and JSON. Views compute nothing.

pub mod activity;
mod analyze;
mod ansi;
mod awr;
mod bars;
mod buckets;
pub mod calibration;
mod catalogue;
pub mod cells;
pub mod chart;
mod classic;
pub mod compare;
mod description;
mod document;
mod explain;
mod findings_json;
mod fit;
mod fitting;
mod fleet;
mod generator;
mod grid;
pub mod headline;
mod heat_grid;
mod input_account;
pub mod instances;
mod interval;
mod io_path;
mod json;
mod load;
mod map;
pub mod narration;
pub mod ranges;
mod sanitize;
mod seconds;
pub mod section;
mod source_list;
mod stacked_bars;
mod statements;
mod stats_json;
mod stats_table;
mod stream;
pub mod style;
mod sums;
mod sweep;
mod threshold_json;
mod threshold_line;
pub mod times;
mod trace_profile;
mod trial;
mod view;
mod who;

pub use analyze::{AnalyzeJson, AnalyzeSummary, AnalyzeText, NamedCurve, SweepRuns};
pub use awr::{
    AwrHistoryDocument, AwrJson, TooManyIntervals, awr_csv, awr_sections, awr_table, slob_chart,
    slob_sheet, slob_table,
};
pub use buckets::BucketsView;
pub use catalogue::VIEWS;
pub use classic::{CLASSIC_STEPS, ClassicView};
pub use compare::{
    Alignment, CompareJson, CompareSummary, CompareView, Compared, PairLine, Presence, SideLabel,
    compare_sentences, figures::interval as ratio_interval,
};
pub use description::{Description, SeriesShare, wrapped_to};
pub use document::Document;
pub use explain::{ExplainJson, ExplainSummary, ExplainView};
pub use findings_json::FindingsJson;
pub use fit::{
    FitJson, FitLimit, FitSummary, FitText, OnePointJson, OnePointSummary, ServersRange, fit_csv,
    load_in_words, no_what_if, published_json, published_section, published_sentences,
    published_text,
};
pub use fitting::Extent;
pub use fleet::{FleetHost, FleetHostJson, FleetJson, FleetReport, MeasuredPart};
pub use generator::{generator, is_own_json};
pub use heat_grid::{HEAT_STEPS, HeatGrid, HeatRow};
pub use input_account::{IdleJson, InputAccount, WindowJson};
pub use io_path::{
    PathTimeline, TimelineBar, TimelineInput, TimelineJson, TimelineLine, TimelineText,
    timeline_lines, timeline_sections,
};
pub use isotherm_frame::numbers;
pub use json::{BucketJson, Micros, QuantileJson, SchemaVersion, entries, write_json};
pub use load::{
    FinishedRun, LatencySummary, LoadArrival, LoadCpu, LoadEnd, LoadFault, LoadKind, LoadLatency,
    LoadLittle, LoadObserved, LoadProgress, LoadRate, LoadResult, LoadSchedule, LoadSummary,
    LoadTable, LoadTouched, ProgressBar, ProgressLines, ProgressPart, QuantileSummary, RunFigures,
    rate_unit,
};
pub use map::MapView;
pub use numbers::{quantity, seconds, waited};
pub use ranges::{Digits, range};
pub use sanitize::{OutputForm, Sanitizer, sanitized};
pub use source_list::{ListedFormat, ListedSource, SourceListJson, TimeWaited};
pub use stacked_bars::{BarPart, StackedBar, StackedBars};
pub use statements::statement_section;
pub use stats_json::{StatsFindings, StatsJson, detail_word};
pub use stats_table::StatsTable;
pub use stream::{StreamOptions, StreamView};
pub use style::{Depth, Ink, MapKind, Palette, STEPS, Style, Theme, ramp};
pub use sweep::{SweepJson, SweepTable};
pub use threshold_json::{ThresholdJson, ThresholdVerdict};
pub use times::{TimeFormat, span};
pub use trace_profile::{
    PAGE_GROUPS, TraceProfileJson, TraceProfileText, row_sources, trace_sections,
};
pub use trial::{DecoderTrial, TrialJson, TrialRead, TrialVerdict};
pub use view::{ViewMeta, page};
pub use who::who_waits;
