//! Hosts with different buckets in a real server: counts up to a bound that not all have are not added up.

use std::time::{SystemTime, UNIX_EPOCH};

use super::fleet_servers::{Sample, Server};
use super::{Room, run, schemas, succeed};

/// Samples in an hour and a half, one in 15 seconds.
const SAMPLES: u64 = 360;

/// The labels of a series but `le`, its bounds with the share of events up to there, and its first and last
/// sample.
type Layout = (&'static str, &'static [(&'static str, f64)], (u64, u64));

/// Ten events of each series in each sample.
fn history(layouts: &[Layout]) -> Vec<Sample> {
    // wall clock: the server is asked for the time before its own present
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut samples = Vec::new();
    for (labels, bounds, (first, last)) in layouts {
        for sample in *first..=*last {
            let at_s = now - (SAMPLES - sample) * 15;
            let events = ((sample - first) * 10) as f64;
            let mut add = |name: String, value: f64| samples.push(Sample { name, value, at_s });
            for (bound, share) in *bounds {
                add(format!("a_seconds_bucket{{{labels},le=\"{bound}\"}}"), events * share);
            }
            if bounds.iter().any(|(bound, _)| *bound == "+Inf") {
                add(format!("a_seconds_sum{{{labels}}}"), events * 0.05);
                add(format!("a_seconds_count{{{labels}}}"), events);
            }
        }
    }
    samples
}

const ALL: (u64, u64) = (0, SAMPLES);
const FINE: &[(&str, f64)] = &[("0.1", 1.0), ("1", 1.0), ("+Inf", 1.0)];
const COARSE: &[(&str, f64)] = &[("0.5", 1.0), ("+Inf", 1.0)];

/// No event takes longer than half a second.
fn nothing_is_above_half_a_second(server: &Server) {
    let address = format!("prom+http://{}", server.place);
    let asked = ["fleet", &address, "--metric", "a_seconds", "--by", "host", "--since", "1h"];
    let text = succeed(&[&asked[..], &["--width", "120"]].concat());
    let headline = text.lines().find(|line| line.contains("p99.9")).unwrap();
    assert!(headline.contains("p99 <500ms") && headline.contains("max <500ms"), "{text}");
    assert!(text.contains("2 layouts of buckets"), "{text}");
    let found = schemas::parsed("fleet", &succeed(&[&asked[..], &["--json"]].concat()));
    assert_eq!(found["layouts"], 2);
    for host in found["hosts"].as_array().unwrap() {
        assert!(host["p99"]["hi_ns"].as_u64().unwrap() <= 500_000_000, "{host}");
    }
}

#[test]
fn prometheus_is_asked_for_the_sum_of_each_layout() {
    let room = Room::new();
    let history = history(&[("host=\"a\"", FINE, ALL), ("host=\"b\"", COARSE, ALL)]);
    let Some(server) = Server::prometheus(&room, &history) else { return };
    nothing_is_above_half_a_second(&server);
}

#[test]
fn victoria_is_asked_for_the_sum_of_each_layout() {
    let room = Room::new();
    let history = history(&[("host=\"a\"", FINE, ALL), ("host=\"b\"", COARSE, ALL)]);
    let Some(server) = Server::victoria(&room, &history) else { return };
    nothing_is_above_half_a_second(&server);
}

#[test]
fn a_host_with_several_layouts_is_refused_and_one_with_two_spellings_is_not() {
    const SPELT: &[(&str, f64)] = &[("0.1", 0.5), ("1.0", 1.0), ("+Inf", 1.0)];
    const BEFORE: &[(&str, f64)] = &[("0.1", 0.5), ("1", 1.0), ("+Inf", 1.0)];
    let room = Room::new();
    let history = history(&[
        ("host=\"a\",path=\"x\"", BEFORE, ALL),
        ("host=\"a\",path=\"y\"", SPELT, ALL),
        ("host=\"c\",path=\"x\"", FINE, ALL),
        ("host=\"c\",path=\"y\"", COARSE, ALL),
        ("host=\"d\",path=\"x\"", SPELT, (SAMPLES - 40, SAMPLES)),
        // The buckets of e were changed half an hour ago: no count falls from one bound to the next.
        ("host=\"e\",path=\"x\"", &[("0.1", 0.1), ("1", 1.0)], (0, SAMPLES - 120)),
        ("host=\"e\",path=\"x\"", &[("0.5", 0.5)], (SAMPLES - 119, SAMPLES)),
        ("host=\"e\",path=\"x\"", &[("+Inf", 1.0)], ALL),
    ]);
    let Some(server) = Server::prometheus(&room, &history) else { return };
    let address = format!("prom+http://{}", server.place);
    let asked = ["fleet", &address, "--metric", "a_seconds", "--by", "host", "--since", "1h"];
    let found = schemas::parsed("fleet", &succeed(&[&asked[..], &["--json"]].concat()));
    let hosts = found["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 2, "{found}");
    assert_eq!(found["rejected"], 2);
    assert!(found["rejected_reason"].as_str().unwrap().contains("different bounds"), "{found}");
    let of = |name: &str| hosts.iter().find(|host| host["host"] == name).unwrap();
    // Two series of 10 events in 15 seconds, of which all are below a second: none is lost.
    let events = of("a")["events"].as_f64().unwrap();
    assert!((4_600.0..=4_850.0).contains(&events), "{events}");
    assert_eq!(of("a")["p99"]["hi_ns"], 1_000_000_000);
    // The third was there for the last ten minutes, and its samples are found for five more.
    let present = of("d")["present_s"].as_f64().unwrap();
    assert!((500.0..=1_000.0).contains(&present), "{present}");
    let whole = of("a")["present_s"].as_f64().unwrap();
    assert!((3_300.0..=3_600.0).contains(&whole), "{whole}");

    let only = ["fleet", &address, "--metric", "a_seconds{host=\"c\"}", "--by", "host"];
    let said = String::from_utf8_lossy(&run(&only).stderr).into_owned();
    assert!(said.contains("could not be used, the first because"), "{said}");
}

#[test]
fn a_coarse_host_hides_neither_the_differences_nor_the_map() {
    const SLOW: &[(&str, f64)] = &[("0.1", 0.5), ("1", 1.0), ("+Inf", 1.0)];
    const NONE: &[(&str, f64)] = &[("+Inf", 1.0)];
    let room = Room::new();
    let history =
        history(&[("host=\"a\"", FINE, ALL), ("host=\"b\"", SLOW, ALL), ("host=\"c\"", NONE, ALL)]);
    let Some(server) = Server::prometheus(&room, &history) else { return };
    let address = format!("prom+http://{}", server.place);
    let asked = ["fleet", &address, "--metric", "a_seconds", "--by", "host", "--since", "1h"];
    let found = schemas::parsed("fleet", &succeed(&[&asked[..], &["--json"]].concat()));
    let left_out: Vec<&str> = found["hosts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|host| host["left_out"] == true)
        .map(|host| host["host"].as_str().unwrap())
        .collect();
    assert_eq!(left_out, ["c"]);
    assert!(found["hosts"][0]["distance"].as_f64() > Some(0.5), "{found}");
    let text = succeed(&[&asked[..], &["--width", "120"]].concat());
    assert!(text.contains("bounds of the others: c."), "{text}");
    assert!(text.contains("2 of 3 hosts") && text.contains("p90 0.1–1s"), "{text}");
}
