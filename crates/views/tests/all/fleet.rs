//! Hosts of a fleet as text, as a section and as JSON.

use isotherm_analysis::{fleet_distances, fleet_ranking};
use isotherm_frame::{Clock, Histogram, Nanos, Scheme, Timestamp, Unit};
use isotherm_views::{FleetHost, FleetJson, FleetReport, TimeFormat, write_json};
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;

fn host(name: &str, fast: u64, slow: u64) -> FleetHost {
    let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
    (0..fast).for_each(|_| counts.record(Nanos::from_micros(330)));
    (0..slow).for_each(|_| counts.record(Nanos::from_micros(8_000)));
    let p99 = if slow > 100 { 0.0081 } else { 0.000_6 };
    let p99_s = (0..12).map(|at| (at != 3).then_some(p99 * f64::from(at + 1))).collect();
    FleetHost {
        name: name.to_owned(),
        counts,
        distance: None,
        is_left_out: false,
        present: None,
        measured: None,
        p99_s,
    }
}

fn report() -> FleetReport {
    let hosts =
        [host("web-1", 9_900, 100), host("web-2\u{1b}[2J", 8_500, 1_500), host("", 9_910, 90)];
    let distances = fleet_distances(hosts.iter().map(|host| &host.counts)).distances;
    let hosts = fleet_ranking(&distances)
        .into_iter()
        .map(|place| FleetHost { distance: distances[place], ..hosts[place].clone() });
    FleetReport {
        source: "prom+http://p:9090".to_owned(),
        metric: "a_seconds".to_owned(),
        by: "host".to_owned(),
        span: (
            Timestamp::new(1_795_435_200_000_000_000),
            Timestamp::new(1_795_456_800_000_000_000),
        ),
        hosts: hosts.collect(),
        step: Nanos::from_millis(300_000),
        rejected: 2,
        rejected_reason: Some("its buckets overlap".to_owned()),
        layouts: 1,
        has_bounds: true,
        dominant: 0,
        is_estimate: true,
        open: "isotherm report 'prom+http://p:9090/?query=a_seconds_bucket{host=\"HOST\"}&range=6h' -o HOST.html"
            .to_owned(),
    }
}

#[test]
fn the_host_that_differs_is_said_first() {
    let report = report();
    let mut text = Vec::new();
    let moments = TimeFormat::new(Clock::Epoch, report.span.0);
    report.write_text((2, 110), &moments, &mut text).unwrap();
    insta::assert_snapshot!(String::from_utf8(text).unwrap());
    let section = report.section(2);
    assert_eq!(section.tables[0].rows.len(), 2);
    assert_eq!(section.details[0].tables[0].rows.len(), 1);
    // Of the slow host's time 1,500 x 6 ms in that and 8,500 x 0.38 ms, by the middles of buckets.
    assert!(section.sentences[0].starts_with("web-2"), "{:?}", section.sentences);
}

#[test]
fn recordings_are_no_estimates() {
    let mut report = report();
    report.is_estimate = false;
    report.by = "recording".to_owned();
    let row = &report.section(3).tables[0].rows[1];
    // 10,000 events in 6 hours, each with its latency.
    assert_eq!((row[4].as_str(), row[5].contains('≈')), ("0.463", false), "{row:?}");
    assert!(!report.sentences().iter().any(|one| one.contains("increase()")));
    assert!(!report.json().estimated);
}

#[test]
fn one_host_alone_is_not_said_to_wait_too_little() {
    let mut report = report();
    report.hosts.truncate(1);
    report.hosts[0].distance = None;
    assert_eq!(report.sentences()[0], "There is only one host: nothing to compare it with.");
}

#[test]
fn a_host_that_was_there_for_a_part_is_divided_by_that_part() {
    let mut report = report();
    report.hosts[2].present = Nanos::from_secs_f64(600.0);
    let events =
        |report: &FleetReport, row: usize| report.section(3).tables[0].rows[row][4].clone();
    // 10,000 events in 6 hours, and in 10 minutes.
    assert_eq!(
        (events(&report, 1).as_str(), events(&report, 2).as_str()),
        ("≈0.463", "≈16.7 (10m)")
    );
    assert!(report.sentences().iter().any(|one| one.starts_with("1 of 3 were there")));
    assert_eq!(report.json().hosts[2].present_s, Some(600.0));
}

#[test]
fn hosts_that_cannot_be_compared_are_named_and_nothing_is_said_of_them() {
    let mut report = report();
    report.hosts[2].is_left_out = true;
    report.hosts[2].distance = None;
    let said = report.sentences().join("\n");
    assert!(said.contains("differs most from the other 1:"), "{said}");
    assert!(said.contains("Not compared and not in the map, because their buckets lie"), "{said}");
    assert_eq!(report.section(3).tables[0].rows[2][2], "other buckets");
    report.has_bounds = false;
    report.hosts.iter_mut().for_each(|host| host.distance = None);
    assert!(report.sentences()[0].starts_with("These 3 cannot be compared"));
}

#[test]
fn the_object_keeps_to_its_schema() {
    let mut json = Vec::new();
    write_json(&report().json(), &mut json).unwrap();
    let object: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(faults(&object, &schema_of::<FleetJson>("fleet.schema.json")), Vec::<String>::new());
    assert_eq!(object["hosts"][0]["events"], 10_000);
    assert_eq!(object["hosts"][0]["p99_s"][3], Value::Null);
}
