//! `isotherm fleet DIRECTORY`: a planted host is found among recordings, without a server.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Room, run, schemas, succeed};

const HOSTS: u64 = 12;
/// The host of which 15 of 100 operations are slow; of the others 1.
const PLANTED: u64 = 7;
const OPERATIONS: u64 = 6_000;

/// The latency of an operation, ns.
fn latency(host: u64, number: u64) -> u64 {
    let mixed = (number * 7_919 + host * 104_729) % 100;
    let slow = if host == PLANTED { mixed < 15 } else { mixed < 1 };
    if slow { 8_000_000 } else { 300_000 + mixed * 1_000 }
}

/// Ten operations a second for ten minutes; the last host was recorded for half of the time.
fn count(host: u64) -> u64 {
    if host + 1 == HOSTS { OPERATIONS / 2 } else { OPERATIONS }
}

fn recordings(room: &Room) -> String {
    std::fs::create_dir(room.path("fleet")).unwrap();
    for host in 0..HOSTS {
        let mut text = "end,latency\n".to_owned();
        for number in 0..count(host) {
            let at = 1_770_000_000_000_000_000 + number * 100_000_000;
            writeln!(text, "{at},{}", latency(host, number)).unwrap();
        }
        let table = room.file("operations.csv", text);
        let name = room.name(&format!("fleet/db{host:02}.heat"));
        let columns = ["--columns", "end,latency", "--unit", "ns", "--time-unit", "ns"];
        succeed(&[&["import", &table, "-o", &name][..], &columns].concat());
    }
    room.name("fleet")
}

#[test]
fn the_planted_host_is_the_first_of_its_directory() {
    let room = Room::new();
    let fleet = recordings(&room);
    let found = schemas::parsed("fleet", &succeed(&["fleet", &fleet, "--json"]));
    let hosts = found["hosts"].as_array().unwrap();
    assert_eq!(hosts.len() as u64, HOSTS);
    assert_eq!((&found["estimated"], &found["by"]), (&false.into(), &"recording".into()));
    assert_eq!(hosts[0]["host"], "db07");
    let number = |host: &Value, key: &str| host[key].as_f64().unwrap();
    assert!(number(&hosts[0], "distance") > number(&hosts[0], "distance_by_chance"));
    for host in hosts {
        let id: u64 = host["host"].as_str().unwrap()[2..].parse().unwrap();
        let other = id != PLANTED;
        assert_eq!(other, number(host, "distance") < 0.5, "{host}");
        // By a sum of their own: nothing is estimated.
        let ns: u64 = (0..count(id)).map(|number| latency(id, number)).sum();
        assert_eq!(host["events"].as_u64(), Some(count(id)));
        assert!((number(host, "time_waited_s") - ns as f64 / 1e9).abs() < 1e-6, "{host}");
        let present = number(host, "present_s");
        assert!((present - count(id) as f64 / 10.0).abs() < 2.0, "{host}");
        let p99_s = host["p99_s"].as_array().unwrap();
        let known = p99_s.iter().filter_map(Value::as_f64);
        // Ten minutes in at most 72 parts of whole seconds: 9 s each.
        assert!(known.clone().count() >= if id + 1 == HOSTS { 33 } else { 66 }, "{host}");
        assert!(known.clone().all(|s| other == (s < 0.002) || s > 0.007), "{host}");
    }

    let text = succeed(&["fleet", &fleet, "--top", "3", "--width", "150"]);
    assert!(text.contains("db07 differs most from the other 11"), "{text}");
    assert!(text.contains("FREQUENCY") && text.contains("HOST.heat -o HOST.html"), "{text}");
    assert!(!text.contains("increase()") && !text.contains("≈10.0"), "{text}");
    let page = room.name("fleet.html");
    succeed(&["fleet", &fleet, "-o", &page, "--top", "4", "--reports"]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!((0..HOSTS).all(|host| page.contains(&format!("db{host:02}"))));
    // The four of the table have a report each, to which their names lead.
    assert!(page.contains("<a href=\"fleet%2Dhosts/db07.html\">db07</a>"));
    let mut reports: Vec<String> = std::fs::read_dir(room.path("fleet-hosts"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    reports.sort_unstable();
    assert_eq!(reports.len(), 4);
    for report in reports {
        let host = report.strip_suffix(".html").unwrap();
        let text = std::fs::read_to_string(room.path("fleet-hosts").join(&report)).unwrap();
        assert!(text.contains(&format!("<title>{host}")), "{host}");
        assert!(page.contains(&format!("fleet%2Dhosts/{report}")), "{host}");
    }
}

/// Hosts that are called like numbers of the table, and like an option.
#[test]
fn a_name_leads_to_its_own_report_whatever_it_is() {
    let room = Room::new();
    let fleet = recordings(&room);
    std::fs::create_dir(room.path("numbers")).unwrap();
    for (host, name) in [(3, "1"), (4, "2"), (PLANTED, "3"), (5, "--title")] {
        let from = format!("{fleet}/db{host:02}.heat");
        std::fs::copy(from, room.path("numbers").join(format!("{name}.heat"))).unwrap();
    }
    let page = room.name("page.html");
    succeed(&["fleet", &room.name("numbers"), "-o", &page, "--reports"]);
    let page = std::fs::read_to_string(page).unwrap();
    for rank in 1..=4 {
        assert!(page.contains(&format!("<tr><th scope=\"row\">{rank}</th>")), "{rank}");
    }
    for name in ["1", "2", "3", "--title"] {
        assert!(
            page.contains(&format!("<a href=\"page%2Dhosts/{name}.html\">{name}</a>")),
            "{name}"
        );
        let report = std::fs::read_to_string(room.path("page-hosts").join(format!("{name}.html")));
        assert!(report.unwrap().contains(&format!("<title>{name}")), "{name}");
    }
    assert_eq!(page.matches("<a href=\"page%2Dhosts/").count(), 4);
}

#[test]
fn a_short_recording_has_no_gaps_and_its_own_rates() {
    let room = Room::new();
    std::fs::create_dir(room.path("fleet")).unwrap();
    for host in 0..3 {
        // Thirty seconds of 100 events each: fewer intervals than a map has columns.
        let rows = (0..3_000_u64).map(|number| {
            format!("{},{}\n", 1_770_000_000_005_000_000 + number * 10_000_000, 300_000 + number)
        });
        let table =
            room.file("operations.csv", "end,latency\n".to_owned() + &rows.collect::<String>());
        let name = room.name(&format!("fleet/db{host:02}.heat"));
        succeed(&[
            "import",
            &table,
            "-o",
            &name,
            "--columns",
            "end,latency",
            "--unit",
            "ns",
            "--time-unit",
            "ns",
        ]);
    }
    let fleet = room.name("fleet");
    let found = schemas::parsed("fleet", &succeed(&["fleet", &fleet, "--json"]));
    for host in found["hosts"].as_array().unwrap() {
        let p99_s = host["p99_s"].as_array().unwrap();
        let known = p99_s.iter().filter(|value| value.is_f64()).count();
        assert!(known >= 30 && known + 1 >= p99_s.len(), "{known} of {}", p99_s.len());
    }
    let text = succeed(&["fleet", &fleet]);
    assert!(text.contains("intervals of 1s"), "{text}");
    assert!(text.contains("at most 300 "), "{text}");
}

#[test]
fn a_part_of_the_recordings_is_chosen_or_refused_with_the_reason() {
    let room = Room::new();
    let fleet = recordings(&room);
    let minute = succeed(&["fleet", &fleet, "--since", "1m", "--json"]);
    let minute = schemas::parsed("fleet", &minute);
    for host in minute["hosts"].as_array().unwrap() {
        let expected = if host["host"] == "db11" { 0 } else { 600 };
        assert!(host["events"].as_u64().unwrap().abs_diff(expected) <= 10, "{host}");
    }
    room.file("fleet/notes.txt", "no recording\n");
    let output = run(&["fleet", &fleet, "--series", "latency", "--json"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 file left out"));
    std::fs::create_dir(room.path("empty")).unwrap();
    room.file("empty/notes.txt", "no recording\n");
    for (args, why) in [
        (&["fleet", &room.name("empty")][..], "there is no recording"),
        (&["fleet", &fleet, "--series", "nothing"], "nothing"),
        (&["fleet", &room.name("fleet/db00.heat")], "one file is no fleet"),
        (&["fleet", &fleet, "--metric", "a_seconds"], "choose series with --series"),
        (&["fleet", "prom+http://127.0.0.1:1"], "--metric NAME"),
        (&["fleet", "--rules"], "--metric NAME"),
    ] {
        let output = run(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(why), "{args:?}: {said}");
    }
}

/// Rows of whole minutes say only in rows of their own how much of the first and the last minute was observed.
#[test]
fn rates_of_intervals_of_unknown_length_are_not_said() {
    let room = Room::new();
    std::fs::create_dir_all(room.path("fleet/below")).unwrap();
    // Eleven events, 100 ms apart, around the turn of a minute.
    let rows = (0..11_u64)
        .map(|number| format!("{},80\n", 1_769_999_999_950_000_000 + number * 100_000_000));
    let table = room.file(
        "operations.csv",
        "end,latency\n".to_owned() + &rows.collect::<Vec<String>>().concat(),
    );
    let columns = ["--columns", "end,latency", "--unit", "ns", "--time-unit", "ns", "-i", "1m"];
    let minutes = succeed(&[&["frames", &table][..], &columns].concat());
    let unsaid = minutes.lines().filter(|row| !row.contains(",observed "));
    let minutes = room.file("minutes.csv", unsaid.collect::<Vec<&str>>().join("\n") + "\n");
    for host in ["fleet/a.heat", "fleet/b.heat", "fleet/below/c.heat"] {
        succeed(&["merge", &minutes, "-o", &room.name(host)]);
    }
    let fleet = room.name("fleet");
    let found = schemas::parsed("fleet", &succeed(&["fleet", &fleet, "--json"]));
    let hosts = found["hosts"].as_array().unwrap();
    let mut names: Vec<&str> = hosts.iter().filter_map(|host| host["host"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "below/c"], "directories below are read");
    for host in hosts {
        assert_eq!((&host["events"], &host["present_s"]), (&11.into(), &Value::Null));
    }
    let text = succeed(&["fleet", &fleet, "--width", "150"]);
    let line = text.lines().find(|line| line.contains("below/c")).unwrap();
    assert_eq!(line.split_whitespace().filter(|cell| *cell == "-").count(), 4, "{line}");
    let page = room.name("report.json");
    succeed(&["report", &room.name("fleet/a.heat"), "--format", "json", "-o", &page]);
    let report: Value = serde_json::from_str(&std::fs::read_to_string(page).unwrap()).unwrap();
    let windows = report.pointer("/recordings/0/windows").or(report.pointer("/windows")).unwrap();
    for window in windows.as_array().unwrap() {
        assert_eq!(
            (&window["rate_per_s"], &window["sessions_waiting"]),
            (&Value::Null, &Value::Null)
        );
    }
}
