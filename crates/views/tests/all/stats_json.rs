//! The JSON of statistics against its schema and against the counts it was made of.

use isotherm_views::StatsJson;
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;
use crate::{scene, shown};

fn schema() -> Value {
    schema_of::<StatsJson>("stats.schema.json")
}

#[test]
fn the_object_keeps_to_its_schema() {
    for frames in [scene::coarse(), scene::fine(), Vec::new()] {
        let object: Value = serde_json::from_str(&shown::json(&frames)).unwrap();
        assert_eq!(faults(&object, &schema()), Vec::<String>::new());
    }
}

#[test]
fn the_check_itself_finds_faults() {
    let mut object: Value = serde_json::from_str(&shown::json(&scene::coarse())).unwrap();
    object["input"].as_object_mut().unwrap().remove("rejected");
    object["series"][0]["buckets"][0]["count"] = "three".into();
    object["schema_version"] = 2.into();
    assert_eq!(faults(&object, &schema()).len(), 3);
}

#[test]
fn counts_add_up_and_quantiles_lie_in_their_buckets() {
    let frames = scene::coarse();
    let object: Value = serde_json::from_str(&shown::json(&frames)).unwrap();
    let reads: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
    let mut all = 0;
    for series in object["series"].as_array().unwrap() {
        let buckets = series["buckets"].as_array().unwrap();
        let sum: u64 = buckets.iter().map(|bucket| bucket["count"].as_u64().unwrap()).sum();
        assert_eq!(series["events"].as_u64(), Some(sum));
        all += sum;
        for quantile in series["quantiles"].as_array().unwrap() {
            let estimate = quantile["estimate_ns"].as_u64().unwrap();
            assert!(quantile["lo_ns"].as_u64().unwrap() <= estimate);
            assert!(estimate < quantile["hi_ns"].as_u64().unwrap());
            let same = |bucket: &&Value| bucket["lo_ns"] == quantile["lo_ns"];
            assert!(buckets.iter().find(same).is_some());
        }
    }
    assert_eq!(object["series"][0]["name"], "db file sequential read");
    assert_eq!(object["series"][0]["attributes"]["instance"], "1");
    assert_eq!(object["series"][0]["events"].as_u64(), Some(reads));
    assert_eq!(object["input"]["events"].as_u64(), Some(all));
}

#[test]
fn time_waited_is_exact_where_the_source_gives_it() {
    let object: Value = serde_json::from_str(&shown::json(&scene::fine())).unwrap();
    let series = object["series"].as_array().unwrap();
    let exact = |name: &str| {
        series.iter().find(|one| one["name"] == name).unwrap()["time_waited_exact"].as_bool()
    };
    assert_eq!(exact("db file sequential read"), Some(true));
    assert_eq!(exact("log file sync"), Some(false));
}

#[test]
fn a_series_without_events_has_no_mean() {
    let mut frames = scene::coarse();
    frames.retain(isotherm_frame::Frame::is_gap);
    let object: Value = serde_json::from_str(&shown::json(&frames)).unwrap();
    let series = object["series"].as_array().unwrap();
    let empty = series.iter().find(|one| one["events"] == 0).unwrap();
    assert!(empty["mean_ns"].is_null());
    // Nothing was said of any time: there is no rate, for no series.
    let covered = object["series"].as_array().unwrap().iter().all(|one| one["events"] == 0);
    assert_eq!(empty["rate_per_s"].is_null(), covered);
    assert_eq!(empty["quantiles"].as_array().unwrap().len(), 0);
    assert_eq!(empty["gaps"], 1);
}

#[test]
fn what_was_found_is_in_the_object_with_its_sentences() {
    let object: Value = serde_json::from_str(&shown::json(&scene::fine())).unwrap();
    let findings = &object["series"][0]["findings"];
    // The scene's burst: from second 30 to 46.
    let change = &findings["changes"][0];
    assert_eq!(change["kind"], "appears");
    assert_eq!(change["start_ns"], scene::at(30).as_nanos());
    assert_eq!(change["end_ns"], scene::at(46).as_nanos());
    assert_eq!(findings["modes"].as_array().unwrap().len(), 2);
    let sentences = findings["sentences"].as_array().unwrap();
    assert!((1..=5).contains(&sentences.len()), "{sentences:?}");
    assert!(sentences[0].as_str().unwrap().starts_with("From 14:31:21 to 14:31:37 UTC, "));
}
