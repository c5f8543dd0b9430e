//! `isotherm awr`: a row for each report.

use super::{Room, run, succeed};

/// A fixture of the source `awrreport`: an HTML report, or text.
fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/fixtures/awrreport");
    let extension = if name.starts_with("html") { "html" } else { "txt" };
    format!("{folder}/{name}/input.{extension}")
}

/// The rows of a CSV without quoted cells, as one map from heads to cells for each.
fn rows(csv: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    lines
        .map(|cells| {
            assert_eq!(cells.len(), heads.len(), "{cells:?}");
            heads.iter().cloned().zip(cells).collect()
        })
        .collect()
}

#[test]
fn csv_has_a_row_for_each_report_in_the_order_of_time() {
    let (late, early) = (fixture("html-12201"), fixture("text-11201-noise"));
    let rows = rows(&succeed(&["awr", &late, &early, "--csv"]));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["file"], early);
    assert_eq!(rows[0]["begin_local_time"], "2016-03-05T14:00:03");
    assert_eq!(rows[0]["elapsed_s"], "900.0");
    // 103 s of 39,995 waits: 2,575.3 us, known to half a second, 12.5 us.
    assert_eq!(rows[0]["db_file_sequential_read_waits"], "39995");
    assert_eq!(rows[0]["db_file_sequential_read_avg_us"], "2575");
    assert_eq!(rows[0]["db_file_sequential_read_avg_plus_minus_us"], "13");
    assert_eq!(rows[0]["db_file_sequential_read_avg_from"], "total");
    assert_eq!(rows[1]["release"], "12.2.0.1.0");
    assert_eq!(rows[1]["db_file_sequential_read_avg_us"], "746.75");
    assert_eq!(rows[1]["db_file_sequential_read_avg_from"], "average");
    assert_eq!(rows[1]["db_file_parallel_write_avg_us"], "");
    assert!(rows[1]["notes"].contains("does not list it"));
    // (90,000 + 27,000) requests in 900 s.
    assert!(rows.iter().all(|row| row["io_requests_per_s"].starts_with("130.0")));
}

#[test]
fn reports_are_chosen_by_their_snapshots() {
    let (late, early) = (fixture("html-12201"), fixture("text-11201-noise"));
    let files = |part: &[&str]| -> Vec<String> {
        let csv = succeed(&[&["awr", &late, &early, "--csv"][..], part].concat());
        rows(&csv).into_iter().map(|row| row["file"].clone()).collect()
    };
    assert_eq!(files(&["--to", "15m"]), [early.as_str()]);
    let both = rows(&succeed(&["awr", &late, &early, "--csv"]));
    let begin = both[1]["begin_local_time"].clone();
    assert_eq!(files(&["--to", &begin]), [early.as_str()]);
    assert_eq!(files(&["--from", &begin]), [late.as_str()]);
    let nothing = run(&["awr", &late, "--from", "2100-01-01"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("has nothing there; it is "));
}

#[test]
fn json_holds_everything_that_was_read() {
    let json = succeed(&["awr", &fixture("html-11204"), "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let report = &json["reports"][0]["report"];
    assert_eq!(report["database"]["id"], 271_828_182);
    assert_eq!(report["begin"]["time"]["local"], "2016-03-05T14:00:03");
    assert_eq!(report["histograms"].as_array().unwrap().len(), 7);
    let summary = &json["reports"][0]["summary"];
    assert_eq!(summary["latencies"][0]["event"], "db file sequential read");
    assert_eq!(json["warnings"].as_array().unwrap().len(), 0);
}

#[test]
fn what_is_no_report_is_reported_and_the_others_go_on() {
    let room = Room::new();
    let poem = room.file("poem.txt", "shall I compare thee\n");
    let report = fixture("text-12102");
    let output = run(&["awr", &poem, &report]);
    let (table, warnings) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
    let (table, warnings) = (table.unwrap(), warnings.unwrap());
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    assert!(warnings.contains("poem.txt: this is not an AWR report"), "{warnings}");
    assert!(table.contains("2016-03-05 14:00:03") && table.contains("2.58ms"), "{table}");
    let output = run(&["awr", &poem, &report, "--strict"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(!output.stdout.is_empty(), "the good one is printed all the same");
    assert_eq!(run(&["awr", &poem]).status.code(), Some(1));
    assert_eq!(run(&["awr", &report, "/no/such/report.html"]).status.code(), Some(1));
    let statspack = run(&["awr", &fixture("bad-statspack")]);
    assert!(String::from_utf8(statspack.stderr).unwrap().contains("Statspack"));
}

#[test]
fn reports_that_do_not_fit_together_are_reported() {
    let room = Room::new();
    let text = std::fs::read_to_string(fixture("text-12102")).unwrap();
    let same = room.file("same.txt", &text);
    let warnings = |args: &[&str]| String::from_utf8(run(args).stderr).unwrap();
    let one = fixture("text-12102");
    assert!(warnings(&["awr", &one, &same]).contains("reports of the same snapshots"));
    let later = text.replace("1201 05-Mar-16 14:00:03", "1202 05-Mar-16 14:10:03");
    assert_ne!(later, text);
    let later = room.file("later.txt", later);
    assert!(warnings(&["awr", &one, &later]).contains("overlap in time"));
    let other = room.file("other.txt", text.replace("271828182", "314159265"));
    assert!(warnings(&["awr", &one, &other]).contains("2 instances"));
}

#[test]
fn several_reports_are_one_heat_map() {
    let room = Room::new();
    let text = std::fs::read_to_string(fixture("text-12102")).unwrap();
    let next = text.replace("14:15:03", "14:30:03").replace("14:00:03", "14:15:03");
    let (first, second) = (room.file("1.txt", &text), room.file("2.txt", next));
    let heat = room.name("run.heat");
    let stats = succeed(&["stats", &first, &second, "--format", "json", "--zone", "+01:00"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    // Every wait of both reports: 2 x 71,000 or so, counted exactly by the fixture's own numbers.
    let events = stats["series"].as_array().unwrap().iter();
    let events: u64 = events.map(|series| series["events"].as_u64().unwrap()).sum();
    assert_eq!(events % 2, 0);
    succeed(&["import", &first, "-o", &heat]);
    let export = succeed(&["export", &heat, "--format", "jsonl"]);
    assert!(export.contains("\"from percentages\""), "{export}");
}

#[test]
fn shortened_totals_are_read_and_what_is_lost_is_fatal_if_asked() {
    let room = Room::new();
    let report = fixture("html-shortened");
    let json = succeed(&["awr", &report, "--strict", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let top = json["reports"][0]["report"]["top_events"].as_array().unwrap();
    assert_eq!(top.len(), 4);
    assert_eq!(
        (&top[0]["event"], &top[0]["total"]["value"]),
        (&"library cache: mutex X".into(), &100_500.0.into())
    );
    succeed(&["stats", &report, "--strict"]);
    let text = std::fs::read_to_string(&report).unwrap();
    let overflow = room.file("overflow.html", text.replace("100.5K", "######"));
    let cut =
        room.file("cut.html", &text[..text.find("<td>metadata operation</td><td>2.1M").unwrap()]);
    for file in [&overflow, &cut] {
        for command in ["awr", "stats"] {
            let output = run(&[command, file, "--strict"]);
            let warnings = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(4), "{command} {file}: {warnings}");
        }
    }
}

#[test]
fn idle_events_of_reports_take_no_part() {
    let report = fixture("html-shortened");
    let stats = |more: &[&str]| -> serde_json::Value {
        let args = [&["stats", &report, "--format", "json"][..], more].concat();
        serde_json::from_str(&succeed(&args)).unwrap()
    };
    let input = stats(&[])["input"].clone();
    // 1,200,000 + 500 + 2,148,722 waits; 30 + 1,100,000 + 300 are idle.
    assert_eq!(input["events"], 3_349_222);
    let idle = input["idle_left_out"].as_array().unwrap();
    assert_eq!(idle.iter().map(|one| one["waits"].as_u64().unwrap()).sum::<u64>(), 1_100_330);
    // The report prints 1,100,000 waits of 1154.55 ms.
    let client = idle.iter().find(|one| one["event"] == "SQL*Net message from client").unwrap();
    let seconds = client["time_waited_s"].as_f64().unwrap();
    assert!((seconds - 1_270_005.0).abs() < 10.0, "{seconds}");
    assert_eq!(stats(&["--idle"])["input"]["events"], 4_449_552);
}

/// Reports have no zone: a moment is compared with what their host's clock showed.
#[test]
fn help_says_which_time_chooses_reports() {
    for command in ["awr", "analyze", "fit"] {
        let help = succeed(&[command, "--help"]);
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("local time of the database's host"), "{command}: {words}");
        assert!(!words.contains("both in UTC"), "{command}: {words}");
    }
}

#[test]
fn statspack_is_read_like_awr() {
    let report = fixture("statspack-19c");
    let table = succeed(&["awr", &report, "--strict"]);
    for line in [
        "DB time 432.0 s: latch: shared pool 310 s (53 %), CPU time 120 s (21 %), db file",
        ": 0.68 (40619 by 60000): fewer waits than reads (asynchronous, or several reads in one wait)",
    ] {
        assert!(table.contains(line), "{line}\n{table}");
    }
    let rows = rows(&succeed(&["awr", &report, "--csv"]));
    let cell = |name: &str| rows[0][name].as_str();
    assert_eq!((cell("active_sessions"), cell("waits_per_read_request")), ("0.480", "0.6770"));
    assert_eq!((cell("read_waits"), cell("read_requests")), ("40619", "60000"));
    assert_eq!((cell("top_1_event"), cell("top_1_s")), ("latch: shared pool", "310"));
    assert_eq!((cell("write_requests_per_s"), cell("db_time_s")), ("30.00", "432.0"));
    let stats = succeed(&["stats", &report, "--format", "json", "--strict"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let of = |name: &str| {
        let mut series = stats["series"].as_array().unwrap().iter();
        series.find(|one| one["name"] == name).unwrap()["events"].as_u64()
    };
    assert_eq!(of("db file sequential read"), Some(39_995));
}

/// The fixture of the source `awrseries` of this name.
fn series(name: &str) -> String {
    format!("{}/../formats/fixtures/awrseries/{name}/input.csv", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_history_is_one_page_that_opens_with_its_busiest_interval() {
    let room = Room::new();
    let page = room.path("prod.html").display().to_string();
    succeed(&["awr", "report", &series("events"), &series("histograms"), "-o", &page]);
    let text = std::fs::read_to_string(&page).unwrap();
    // Foreground waits: 40 ms in the first hour, 30 ms in the second, 0.8 ms in the two after it.
    assert!(text.contains("From 06:00 to 07:00 UTC on 2026-03-01, instance 1 had"), "{text}");
    assert!(text.contains("waiting sessions on average"), "{text}");
    assert!(text.contains("I/O by data file: no rows of io-files"));
    assert!(text.contains("default-src 'none'"));
}

#[test]
fn what_is_no_history_is_not_drawn_as_one() {
    let room = Room::new();
    let page = room.path("prod.html").display().to_string();
    let other = run(&["awr", "report", &fixture("html-12201"), "-o", &page]);
    assert_eq!(other.status.code(), Some(1));
    let words = String::from_utf8_lossy(&other.stderr).into_owned();
    let advice = format!("use isotherm report {}", fixture("html-12201"));
    assert!(words.contains(&advice), "{words}");
    // A directory of reports, of which isotherm report makes a page.
    std::fs::create_dir(room.path("my reports")).unwrap();
    for name in ["html-12201", "text-12102"] {
        let text = std::fs::read(fixture(name)).unwrap();
        room.file(&format!("my reports/{name}.html"), text);
    }
    let directory = room.path("my reports").display().to_string();
    let reports = run(&["awr", "report", &directory, "-o", &page]);
    assert_eq!(reports.status.code(), Some(1));
    let words = String::from_utf8_lossy(&reports.stderr).into_owned();
    assert!(words.contains("2 of the files are AWR reports"), "{words}");
    assert!(words.contains(&format!("isotherm report '{directory}'")), "{words}");
    assert!(!std::path::Path::new(&page).exists());
    succeed(&["report", &directory, "-o", &page]);
    std::fs::remove_file(&page).unwrap();
    let poem = room.file("poem.txt", "shall I compare thee\n");
    let neither = run(&["awr", "report", &poem, "-o", &page]);
    assert_eq!(neither.status.code(), Some(1));
    let words = String::from_utf8_lossy(&neither.stderr).into_owned();
    assert!(words.contains("no table of AWR's history"), "{words}");
    assert!(!std::path::Path::new(&page).exists());
    let cut = run(&["awr", "report", &series("bad-truncated"), "-o", &page, "--strict"]);
    assert_eq!(cut.status.code(), Some(4));
    // What has no end is not read to it.
    let output = run(&["awr", "report", "/dev/zero", "-o", &Room::new().name("zero.html")]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("zero: no table of AWR's history"), "{error}");
    assert_eq!(output.status.code(), Some(1), "{error}");
}

#[test]
fn events_and_histograms_count_the_same_waits_and_are_not_added_up() {
    let both = run(&["stats", &series("events"), &series("histograms")]);
    let said = String::from_utf8_lossy(&both.stderr).into_owned();
    assert!(!both.status.success(), "{said}");
    assert!(said.contains("both hold totals of db file sequential read"), "{said}");
    for one in ["events", "histograms"] {
        succeed(&["stats", &series(one)]);
    }
}

#[test]
fn a_collection_asks_for_the_licence_and_shows_its_statements() {
    let address = "oracle://mon@127.0.0.1:1/SALES";
    let room = Room::new();
    let directory = room.path("history").display().to_string();
    for (option, says) in [("?inst=2", "leave inst= out"), ("?event=log*", "leave them out here")] {
        let chosen = format!("{address}{option}");
        let refused = run(&["awr", "collect", &chosen, "-o", &directory]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && said.contains(says), "{said}");
    }
    let unlicensed = run(&["awr", "collect", address, "-o", &directory]);
    assert_eq!(unlicensed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unlicensed.stderr).contains("--licensed diagnostics"));
    for (name, then) in [("prod.html", "isotherm awr report"), ("prod.csv", "")] {
        let (file, tables) = (room.name(name), room.name("prod"));
        let licensed = ["--licensed", "diagnostics"];
        let refused = run(&[&["awr", "collect", address, "-o", &file][..], &licensed].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("use -o {tables}")) && said.contains(then), "{said}");
        assert!(!room.path(name).exists() && !room.path("prod").exists());
    }
    let recording = room.file("there.heat", "");
    let licensed = ["--licensed", "diagnostics"];
    let none = ["--queries", "sql,time-model"];
    for (output, more, why) in [
        (&recording, &[][..], "is there already"),
        (&room.name("new.heat"), &none[..], "--queries has neither"),
    ] {
        let args = [&["awr", "collect", address, "-o", output][..], &licensed, more].concat();
        let refused = run(&args);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
    let sql = succeed(&["awr", "collect", address, "--queries", "time-model", "--show-sql"]);
    assert!(sql.contains("dba_hist_sys_time_model") && !sql.contains("dba_hist_sqlstat"), "{sql}");
}

#[test]
fn a_tree_of_slobs_harness_is_read_with_updates_and_workers_as_attributes() {
    let room = Room::new();
    let text = std::fs::read(fixture("text-11201-noise")).unwrap();
    let html = std::fs::read(fixture("html-12201")).unwrap();
    for run in ["awr.050.016", "awr.050.008", "awr.000.016"] {
        std::fs::create_dir(room.path(run)).unwrap();
        room.file(&format!("{run}/{run}.txt"), &text);
        // The harness writes the same report as HTML: it must not count twice.
        room.file(&format!("{run}/{run}.html"), &html);
    }
    room.file("slob.conf", "UPDATE_PCT=50\nRUN_TIME=300\n");
    room.file("plan.inf", "<UPDATE_PCT>\n0\n50\n</UPDATE_PCT>\n<WORKERS>\n8 16\n</WORKERS>\n");
    let tree = room.name("");
    let stats = |inputs: &[&str]| -> serde_json::Value {
        let series = ["--series", "db file sequential read", "--format", "json"];
        serde_json::from_str(&succeed(&[&["stats"][..], inputs, &series].concat())).unwrap()
    };
    let read = |found: &serde_json::Value| -> Vec<(String, u64)> {
        let of = |series: &serde_json::Value| {
            (series["attributes"].to_string(), series["events"].as_u64().unwrap())
        };
        let mut read: Vec<_> = found["series"].as_array().unwrap().iter().map(of).collect();
        read.sort();
        read
    };
    let found = read(&stats(&[&tree]));
    // 41.2 thousand waits in each report's table of histograms.
    assert_eq!(found.len(), 3, "{found:?}");
    for ((name, events), run) in found.iter().zip([(0, 16), (50, 16), (50, 8)]) {
        let attributes = format!("\"update_pct\":\"{}\",\"workers\":\"{}\"", run.0, run.1);
        assert!(name.contains(&attributes), "{found:?}");
        assert_eq!(*events, 41_202);
    }
    let eight = read(&stats(&[&tree, "--where", "workers=8"]));
    assert_eq!(eight.len(), 1);
    let one = read(&stats(&[&room.name("awr.050.008")]));
    assert_eq!(one, eight);
    let rows = rows(&succeed(&["awr", &tree, "--csv"]));
    assert_eq!(rows.len(), 3);
    let missing = run(&["awr", &tree, "--csv"]);
    assert!(
        String::from_utf8_lossy(&missing.stderr).contains("of which 1 have no report: awr.0.8")
    );
}

/// A report of an hour with 200 minutes of database time: ten row locks in the histogram and eleven in the
/// table of events, and 3.75 million messages of 11 s.
fn printed_totals() -> String {
    let cells = |tag: &str, cells: &[&str]| -> String {
        let cells = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>"));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let event = |[name, waits, total, average]: [&str; 4]| {
        cells("td", &[name, waits, "", total, average, "1.0"])
    };
    let heads =
        ["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "% DB time"];
    let buckets =
        ["&lt;1ms", "&lt;2ms", "&lt;4ms", "&lt;8ms", "&lt;16ms", "&lt;32ms", "&lt;=1s", "&gt;1s"];
    let histogram_heads = [&["Event", "Total Waits"][..], &buckets].concat();
    let histogram = |name: &str, waits: &str, shares: [&str; 8]| {
        cells("td", &[&[name, waits][..], &shares].concat())
    };
    let table = |title: &str, rows: &[String]| {
        format!("<h3>{title}</h3><table>{}</table>\n", rows.concat())
    };
    let snapshots = [
        cells("th", &["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"]),
        cells("td", &["Begin Snap:", "1", "01-Mar-26 10:00:00", "50", "1.3"]),
        cells("td", &["End Snap:", "2", "01-Mar-26 11:00:00", "51", "1.2"]),
        cells("td", &["Elapsed:", "", "60.00 (mins)", "", ""]),
        cells("td", &["DB Time:", "", "200.00 (mins)", "", ""]),
    ];
    let model = [
        cells("th", &["Statistic Name", "Time (s)", "% of DB Time"]),
        cells("td", &["DB CPU", "3,000.00", "25.0"]),
    ];
    let fore = [
        cells("th", &heads),
        event(["enq: TX - row lock contention", "11", "6,600", "600000"]),
        event(["db file sequential read", "20,000", "100", "5"]),
        event(["SQL*Net message to client", "3,719,163", "11", "0"]),
        event(["SQL*Net message from client", "40,000", "9,000", "225"]),
    ];
    let histograms = [
        cells("th", &histogram_heads),
        histogram("SQL*Net message to client", "3749.3K", ["100.0", "", "", "", "", "", "", ""]),
        histogram(
            "db file sequential read",
            "20,000",
            ["10.0", "20.0", "20.0", "50.0", "", "", "", ""],
        ),
        histogram("enq: TX - row lock contention", "10", ["", "", "", "", "", "", "", "100.0"]),
        histogram("SQL*Net message from client", "40,000", ["", "", "", "", "", "", "100.0", ""]),
    ];
    format!(
        "<html><head><title>AWR Report for DB: T, Inst: t1, Snaps: 1-2</title></head><body>\n\
         <h1>WORKLOAD REPOSITORY report for</h1>{}{}{}{}{}<p>End of Report</p></body></html>\n",
        table(
            "",
            &[
                cells("th", &["DB Name", "DB Id", "Release"]),
                cells("td", &["T", "1", "11.2.0.4.0"])
            ]
        ),
        table("", &snapshots),
        table("Time Model Statistics", &model),
        table("Foreground Wait Events", &fore),
        table("Wait Event Histogram", &histograms),
    )
}

#[test]
fn a_printed_total_wins_on_every_surface() {
    let room = Room::new();
    let report = room.file("awr.html", printed_totals());
    let (heat, csv, lines) = (room.name("awr.heat"), room.name("awr.csv"), room.name("awr.jsonl"));
    succeed(&["import", &report, "-o", &heat]);
    succeed(&["export", &heat, "-o", &csv]);
    succeed(&["export", &heat, "--format", "jsonl", "-o", &lines]);
    let (again, once_more) = (room.name("csv.heat"), room.name("jsonl.heat"));
    succeed(&["import", &csv, "-o", &again]);
    succeed(&["import", &lines, "-o", &once_more]);
    // The mean of eleven locks, ten times; the printed 11 s, where buckets suggest 1,875.
    for input in [&report, &heat, &again, &once_more] {
        let stats = succeed(&["stats", input, "--format", "json"]);
        let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
        let of = |name: &str| {
            let mut series = stats["series"].as_array().unwrap().iter();
            let one = series.find(|one| one["name"] == name).unwrap().clone();
            (one["time_waited_s"].as_f64().unwrap(), one["time_waited_exact"].as_bool().unwrap())
        };
        assert_eq!(of("enq: TX - row lock contention"), (6_000.0, false), "{input}");
        assert_eq!(of("SQL*Net message to client"), (11.0, false), "{input}");
        let words = succeed(&["stats", input, "--describe"]);
        // 6,000 of 6,111 s.
        assert!(
            words.contains("enq: TX - row lock contention is the largest of ")
                && words.contains(": ≈98 % of all time waited (≈6,000 s)"),
            "{input}: {words}"
        );
        let table = succeed(&["stats", input]);
        assert!(table.contains("6,000 s") && table.contains("11.0 s"), "{input}: {table}");
        let map = succeed(&["show", input, "--series", "enq: TX"]);
        assert!(map.contains("≈6,000 s waited"), "{input}: {map}");
        let page = succeed(&["report", input, "--format", "md", "-o", "-"]);
        assert!(page.contains("≈6,000 s"), "{input}: {page}");
    }
}

#[test]
fn a_report_of_reports_begins_with_the_load_and_with_slow_waits() {
    let room = Room::new();
    let report = room.file("awr.html", printed_totals());
    let page = succeed(&["report", &report, "--format", "md", "-o", "-"]);
    // 12,000 s in 3,600 s, 3,000 of them on a processor, and 9,000 s of idle waits.
    let figures = "| awr.html | 2026-03-01 10:00:00 | 3,600 s | 12,000 s | 3,000 s (25 %) | 3.33 | \
                   9,000 s in 40,000 waits |";
    assert!(page.contains(figures), "{page}");
    assert!(page.contains("1 of 2 events judged"), "{page}");
    let slow = "| enq: TX - row lock contention | 10 | ≈6,000 s | ≈600s | 100ms |";
    assert!(page.contains(slow), "{page}");
    assert!(page.find(figures) < page.find("of all time waited"), "{page}");
    let html = room.path("page.html").display().to_string();
    succeed(&["report", &report, "-o", &html]);
    let text = std::fs::read_to_string(&html).unwrap();
    assert!(text.contains("average active sessions") && text.contains("Slow waits"));
    let json = succeed(&["report", &report, "--format", "json", "-o", "-"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sections"][0]["title"], "Key figures");
}
