//! The objects for programs keep to the schemas in the documentation.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test fails by panicking, and these numbers are exact"
)]

use isotherm_cache::{
    BufferHistory, BufferReport, BuffersJson, CacheModel, CurveCounter, CurveJson, CurveMethod,
    CurveSummary, Device, LibraryJson, LibraryModel, LibrarySettings, ModelJson, ModelSettings,
    ReferenceFormat, ReferenceTotals, Sampling,
};

use isotherm_formats::read_buffer_list;
use isotherm_frame::{Nanos, Timestamp};
use isotherm_queueing::{Loop, Point, Points};

#[path = "../../views/tests/all/schema.rs"]
mod schema;
#[path = "../../views/tests/all/schema_pages.rs"]
mod schema_pages;

#[test]
fn a_curve_keeps_to_its_schema() {
    let described = schema_pages::schema_of::<CurveJson>("cache-curve.schema.json");
    let sampled = CurveMethod::Sampled { sampling: Sampling::Blocks(100), seed: 1 };
    for method in [CurveMethod::Exact { most_blocks: 10_000 }, sampled] {
        let mut counter = CurveCounter::new(method);
        for block in 0..2_000_u64 {
            counter.reference(block % 700).unwrap();
        }
        let summary = CurveSummary {
            inputs: vec!["x.csv".to_owned()],
            formats: vec![ReferenceFormat::Csv],
            totals: ReferenceTotals { reads: 2_000, blocks: 2_000, ..ReferenceTotals::default() },
            is_concatenated: false,
            block_bytes: 8_192,
            counted: counter.finish(),
            seed: 1,
            sizes: Vec::new(),
            device: device(),
        };
        let object = serde_json::to_value(CurveJson::new(&summary)).unwrap();
        assert_eq!(schema::faults(&object, &described), Vec::<String>::new());
    }
}

fn device() -> Option<Device> {
    let points = [1.0, 2.0, 3.0, 4.0].map(|load| Point::bare(load, 900.0 * load)).to_vec();
    Device::of("sweep".to_owned(), Points::new(Loop::Closed, points).ok()?, 1)
}

#[test]
fn a_model_keeps_to_its_schema() {
    let described = schema_pages::schema_of::<ModelJson>("cache-model.schema.json");
    let model = CacheModel::run(ModelSettings { references: 2_000, ..ModelSettings::PLAIN });
    let object = serde_json::to_value(ModelJson::new(&model.unwrap())).unwrap();
    assert_eq!(schema::faults(&object, &described), Vec::<String>::new());
}

#[test]
fn what_buffers_hold_keeps_to_its_schema() {
    let described = schema_pages::schema_of::<BuffersJson>("cache-show.schema.json");
    let rows = "objd,status,dirty\n1,xcur,Y\n1,cr,N\n2,xcur,N\n0,free,N\nbad\n";
    let list = read_buffer_list(&mut rows.as_bytes()).unwrap();
    let mut history = BufferHistory::new(Nanos::SECOND, Timestamp::new(0));
    history.push(0, &list.contents);
    history.push(2, &list.contents);
    let report = BufferReport {
        source: "x.csv".to_owned(),
        contents: list.contents,
        history: Some(history),
        top: 1,
        rejected: (list.rejected, list.rejections),
    };
    let object = serde_json::to_value(BuffersJson::new(&report)).unwrap();
    assert_eq!(schema::faults(&object, &described), Vec::<String>::new());
    assert_eq!(
        (&object["buffers"], &object["free"], &object["dirty"]),
        (&4.into(), &1.into(), &1.into())
    );
    assert_eq!(object["history"]["due"], 3);

    let section = report.section();
    // The look that was due as number 1 is missing, and what is not among the largest is with all others.
    let [by_level, by_holder] = &section.grids[..] else { panic!("{:?}", section.grids) };
    let row = |name: &str| by_level.rows.iter().find(|row| row.name == name).unwrap().cells.clone();
    assert_eq!(row("xcur"), [Some(2), None, Some(2)]);
    assert_eq!(row("dirty"), [Some(1), None, Some(1)]);
    let names: Vec<&str> = by_holder.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["object 1", "all others"]);
    assert_eq!(by_holder.rows[1].cells, [Some(1), None, Some(1)]);
    let bars = &section.bars[0];
    let amounts: Vec<u64> = bars.bars.iter().map(isotherm_views::StackedBar::amount).collect();
    assert_eq!((amounts, bars.bars[1].name.as_str()), (vec![2, 1], "1 others"));
}

#[test]
fn a_library_cache_keeps_to_its_schema() {
    let described = schema_pages::schema_of::<LibraryJson>("cache-library.schema.json");
    let model = LibraryModel::run(LibrarySettings { executions: 2_000, ..LibrarySettings::PLAIN });
    let object = serde_json::to_value(LibraryJson::new(&model.unwrap())).unwrap();
    assert_eq!(schema::faults(&object, &described), Vec::<String>::new());
}
