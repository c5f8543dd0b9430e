//! Queueing models, as a user fits them.

use serde_json::Value;

use super::{Room, run, succeed};

/// A closed sweep of five servers of 1 ms, one queue, each point off by some per cent.
const CLOSED: &str = "workers;iops\n1;1010\n2;1985\n3;3040\n4;3960\n5;4930\n6;5025\n8;4980\n\
                      16;5030\n32;4960\n64;5010\n";

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&succeed(&[args, &["--format", "json"]].concat())).unwrap()
}

fn refused(args: &[&str]) -> (i32, String) {
    let output = run(args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn value(model: &Value, name: &str) -> f64 {
    model["estimates"][name]["value"].as_f64().unwrap()
}

#[test]
fn a_table_gives_back_servers_and_service_time() {
    let room = Room::new();
    let file = room.file("closed.csv", CLOSED);
    let fitted = json(&["fit", &file, "--service-time", "x0.5", "--servers", "+5"]);
    assert_eq!((&fitted["loop"], &fitted["chosen"]), (&"closed".into(), &"servers".into()));
    let servers = fitted["models"].as_array().unwrap().iter().find(|one| one["model"] == "servers");
    let servers = servers.unwrap();
    assert!((value(servers, "M") - 5.0).abs() < 0.25, "{servers}");
    assert!((value(servers, "S") - 0.001).abs() < 5e-5, "{servers}");
    let knee = &fitted["knee"];
    assert_eq!((&knee["verdict"], knee["power"].as_f64()), (&"found".into(), Some(5.0)), "{knee}");
    let after = fitted["what_if"]["after"]["throughput_per_s"].as_f64().unwrap();
    assert!((after / 20_000.0 - 1.0).abs() < 0.05, "{after}");
    // No open model is fitted unless it is named; then it is said.
    let names = |fitted: &Value| -> Vec<String> {
        let models = fitted["models"].as_array().unwrap();
        models.iter().map(|one| one["model"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&fitted), ["bound", "servers", "usl2", "usl", "mva", "linear"]);
    let asked = json(&["fit", &file, "--model", "servers,orapub-cpu"]);
    assert_eq!(asked["models"][1]["borrowed"], true);
    assert_eq!(asked["chosen"], "servers");
}

#[test]
fn the_published_example_comes_out_of_the_program_and_of_a_table() {
    let example = json(&["fit", "--example", "commit-batch"]);
    assert!((example["servers"].as_f64().unwrap() - 1.42348).abs() < 5e-6);
    assert!((example["cases"][2]["response_ms"].as_f64().unwrap() - 0.1537978).abs() < 5e-8);
    assert!(example["cases"][1]["printed_off_by"].as_f64().is_some());
    let text = succeed(&["fit", "--example", "commit-batch"]);
    assert!(text.contains("The published text is inconsistent here"), "{text}");
    let room = Room::new();
    let page = room.name("example.html");
    succeed(&["fit", "--example", "commit-batch", "-o", &page]);
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("0.0926363"), "the page has the value that the formula gives");
}

#[test]
fn one_observation_is_solved_as_msolver_did() {
    let point = "rate=10.8445k,service=91.4us,response=227us";
    let change = ["--service-time", "61.3us", "--arrival", "16247"];
    let solved = json(&[&["fit", "--point", point], &change[..]].concat());
    let [cpu, io] = &solved["forms"].as_array().unwrap()[..] else { panic!("two forms") };
    assert!((cpu["servers"].as_f64().unwrap() - 1.42348).abs() < 5e-6, "{cpu}");
    assert!((io["servers"].as_f64().unwrap() - 1.6593).abs() < 5e-5, "{io}");
    assert!((cpu["after"]["response_s"].as_f64().unwrap() - 153.798e-6).abs() < 1e-8, "{cpu}");
    let room = Room::new();
    for name in ["point.html", "point.svg", "point.json"] {
        let file = room.name(name);
        succeed(&["fit", "--point", point, "-o", &file]);
        assert!(std::fs::read_to_string(&file).unwrap().len() > 500, "{name}");
    }
    assert_eq!(solved["servers_range_from"], "rounding");
    let full = "rate=5,service=1ms,response=1ms";
    assert!(refused(&["fit", "--point", full]).1.contains("longer than the service time"));
    assert!(
        refused(&["fit", "--point", point, "-o", "x.md"]).1.contains("a page, a chart or JSON")
    );
}

#[test]
fn repeats_of_one_load_have_an_interval_and_a_table_of_one_row_none() {
    // M = S L R / Q of the I/O form: 0.4 x 11 / 7 of the means.
    let io = |solved: &Value| solved["forms"][1]["servers"].as_f64().unwrap();
    let repeats = ["rate=100,service=4ms,response=10ms", "rate=100,service=4ms,response=12ms"];
    let typed = json(&["fit", "--point", repeats[0], "--point", repeats[1]]);
    let room = Room::new();
    let two = room.file("two.csv", "l,s_ms,q_ms\n100,4,6\n100,4,8\n");
    let read = json(&["fit", &two]);
    for solved in [&typed, &read] {
        assert!((io(solved) - 4.4 / 7.0).abs() < 1e-6, "{solved}");
        assert_eq!(solved["servers_range_from"], "repeats");
        assert_eq!(solved["observations"].as_u64(), Some(2));
        // Their logarithms are ln(10/12 x 8/6) apart, half of that times t(0.975, 1) = 12.706.
        let reach = (12.706 * (8.0_f64 * 10.0 / 6.0 / 12.0).ln() / 2.0).exp();
        let range = &solved["forms"][1]["servers_range"];
        assert!((range[1].as_f64().unwrap() / io(solved) / reach - 1.0).abs() < 1e-3, "{range}");
    }
    let one = room.file("one.csv", "l,s_ms,r_ms\n100,4,10\n");
    let solved = json(&["fit", &one, "--service-time", "x0.5"]);
    assert!((io(&solved) - 0.4 * 10.0 / 6.0).abs() < 1e-9, "{solved}");
    assert_eq!(solved["forms"][1]["servers_range"], Value::Null);
    // R = S / (1 - S L / M) with half of S.
    let after = solved["forms"][1]["after"]["response_s"].as_f64().unwrap();
    assert!((after - 0.002 / (1.0 - 0.2 / (4.0 / 6.0))).abs() < 1e-9, "{after}");
    let text = succeed(&["fit", &one]);
    assert!(text.contains("effective servers, 60 % used"), "{text}");
    // With and without options the same servers, as --point has them, and the answer at that load:
    // R = S / (1 - S L / M) at 125/s.
    let point = "rate=100,service=4ms,response=10ms";
    for start in [vec!["fit", &one], vec!["fit", "--point", point]] {
        let asked = [&start[..], &["--at-load", "125", "--model", "orapub-io"]].concat();
        let solved = json(&asked);
        let [form] = &solved["forms"].as_array().unwrap()[..] else { panic!("one form: {solved}") };
        assert!((form["servers"].as_f64().unwrap() - 4.0 / 6.0).abs() < 1e-9, "{form}");
        let response = form["at_load"]["response_s"].as_f64().unwrap();
        assert!((response - 0.004 / (1.0 - 0.004 * 125.0 / (4.0 / 6.0))).abs() < 1e-9, "{form}");
        let text = succeed(&asked);
        assert!(text.contains("At 125/s the response time is 16ms by the I/O form."), "{text}");
        // Twice as much as that load: more than 0.67 servers of 4 ms can do.
        let text = succeed(&[&asked[..], &["--arrival", "x2"]].concat());
        assert!(
            text.contains("After the change more arrives than the servers can do (250/s)"),
            "{text}"
        );
        let (code, said) = refused(&[&start[..], &["--model", "mmc"]].concat());
        assert!(code == 2 && said.contains("mmc cannot be solved from one load"), "{said}");
    }
    let several = room.file("several.csv", "l,s_ms,r_ms\n100,4,10\n50,4,6\n20,4,5\n10,4,4.5\n");
    let (code, said) = refused(&["fit", &several, "--at-load", "60"]);
    assert!(code == 2 && said.contains("it is the load of a what-if"), "{said}");
    let apart = ["fit", "--point", "rate=5,service=1s,response=2s", "--point"];
    let (code, said) = refused(&[&apart[..], &["rate=9,service=1s,response=2s"]].concat());
    assert!(code == 2 && said.contains("more than 10 % apart"), "{said}");
    let idle = room.file("idle.csv", "l,s_ms,r_ms\n100,4,4\n");
    let (code, said) = refused(&["fit", &idle]);
    assert!(code == 1 && said.contains("longer than the service time"), "{said}");
}

#[test]
fn a_sweep_gives_back_the_queue_it_was_made_of() {
    let room = Room::new();
    let directory = room.name("sweep");
    let system = "sim:servers=4,service=4ms";
    let vary = ["--vary", "in-flight=1,2,4,8,16", "--for", "1s", "--warmup", "100ms"];
    succeed(&[&["sweep", system, "-o", &directory], &vary[..]].concat());
    let fitted =
        json(&["fit", &directory, "--latency-limit", "p99<1s", "--model", "servers,bound"]);
    assert_eq!(fitted["points"].as_array().unwrap().len(), 5);
    // Time that a busy machine takes away makes services longer and capacity less, never the other
    // way round but for chance; the fit says what was measured.
    let servers = &fitted["models"][0];
    let (m, s) = (value(servers, "M"), value(servers, "S"));
    assert!(s > 0.0034 && m / s < 1_100.0, "{servers}");
    let points = fitted["points"].as_array().unwrap();
    let throughputs = points.iter().map(|point| point["throughput_per_s"].as_f64().unwrap());
    let most = throughputs.fold(0.0, f64::max);
    assert!((0.7..1.3).contains(&(m / s / most)), "{servers}: {most}");
    assert_eq!(fitted["limit"]["largest_load"].as_f64(), Some(16.0));
    assert_eq!(fitted["limit"]["broken_at"], Value::Null);
}

#[test]
fn files_are_written_in_the_form_their_name_says() {
    let room = Room::new();
    let file = room.file("closed.csv", CLOSED);
    for (name, part) in [
        ("fit.html", "<h2>What the sweep says</h2>"),
        ("fit.svg", "<svg"),
        ("fit.md", "## Models"),
        ("fit.json", "\"schema_version\":1"),
        (
            "points.csv",
            "in_flight,throughput_per_s,response_s,standard_error,servers_throughput_per_s",
        ),
    ] {
        let path = room.name(name);
        succeed(&["fit", &file, "--model", "servers,bound", "-o", &path]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(part), "{name}: {text}");
    }
    let (code, said) = refused(&["fit", &file, "-o", &file]);
    assert_eq!(code, 2, "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), CLOSED, "the input is not overwritten");
    let (code, said) = refused(&["fit", &file, "-o", &room.name("fit.xls")]);
    assert!(code == 2 && said.contains(".html"), "{said}");
}

#[test]
fn what_cannot_be_fitted_is_refused_with_the_reason() {
    let room = Room::new();
    let file = room.file("closed.csv", CLOSED);
    let torn = room.file("torn.csv", "n,x\n1,100\n2,oops\n4,300\n8,310\n16,320\n");
    let colours = room.file("colours.csv", "n,colour\n1,red\n");
    for (args, code, words) in [
        (vec!["fit"], 2, "INPUT"),
        (vec!["fit", "missing.csv"], 1, "missing.csv: cannot read"),
        (vec!["fit", &colours], 1, "line 1: of the columns n, colour no points can be made"),
        (vec!["fit", &torn, "--strict"], 4, "rows or runs skipped: 1 (--strict)"),
        (vec!["fit", &file, "--model", "mm7"], 2, "there are bound, servers"),
        (vec!["fit", &file, "--model", "usl", "--servers", "+1"], 2, "usl has no servers"),
        (vec!["fit", &file, "--latency-limit", "p99<5ms"], 2, "a table of points does not have"),
        (vec!["fit", &file, "--at-load", "5"], 2, "--at-load has no effect"),
        (vec!["fit", &file, "--loads", "100..200"], 2, "no load lies within"),
        (vec!["fit", &file, "--arrival", "x0"], 2, "xFACTOR"),
        (vec!["fit", "--example", "commit-batch", "-o", "x.csv"], 2, "a page, a chart or JSON"),
    ] {
        let (found, said) = refused(&args);
        assert_eq!(found, code, "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
    let text = succeed(&["fit", &torn]);
    assert!(text.contains("line 3 is skipped ('oops' is not a number)"), "{text}");
    let few = room.file("few.csv", "n,x\n1,100\n2,190\n");
    let text = succeed(&["fit", &few]);
    assert!(text.contains("No model can be fitted to 2 points: measure more loads."), "{text}");
}

fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[test]
fn a_straight_line_has_no_knee_and_a_fall_is_reported() {
    let room = Room::new();
    // 100 a second of each, off by a per cent or two.
    let straight = "n,x\n1,101\n2,198\n4,404\n6,596\n8,806\n12,1189\n16,1612\n24,2390\n32,3215\n";
    let file = room.file("straight.csv", straight);
    let text = flowing(&succeed(&["fit", &file]));
    assert!(
        text.contains("Throughput grows in proportion to the load up to 32 in flight"),
        "{text}"
    );
    assert!(text.contains("the knee lies beyond 32 in flight, the largest load"), "{text}");
    assert!(text.contains("Best of 6 models: straight line (linear), rms error 0.8 %"), "{text}");
    assert!(!text.contains("The knee is at") && !text.contains("without end"), "{text}");
    let falls = "n,x\n1,60\n16,930\n32,1600\n64,1800\n96,1780\n128,1730\n192,1660\n";
    let file = room.file("falls.csv", falls);
    let text = flowing(&succeed(&["fit", &file]));
    let said = "Throughput is highest at 64 in flight and falls beyond it: 1.66k/s at 192 in flight, \
                7.8 % less (the last 4 points each lie below the one before, by chance in 4.2 % of \
                sweeps).";
    assert!(text.contains(said), "{text}");
    assert!(!text.contains("no fall of throughput was seen"), "{text}");
    let fitted = json(&["fit", &file]);
    assert_eq!(fitted["retrograde"]["highest_at"].as_f64(), Some(64.0));
    assert_eq!(fitted["criterion"], "leave-one-out");
}

/// Waits of one server of 2 ms at utilisations of 10 to 90 %, as AWR reports of an hour count them.
fn reports() -> String {
    let row = |utilisation: u32| {
        let rate = f64::from(utilisation) / 100.0 / 0.002;
        let average_us = 2_000.0 / (1.0 - f64::from(utilisation) / 100.0);
        let waits = rate * 3_600.0;
        format!("awr_{utilisation}.html,65,3600,{},{average_us:.1},{waits:.0},0.7\n", rate * 1.5)
    };
    let head = "FILE,SESSIONS,ELAPSED,PREADS,DFSR_LAT,dfsr_waits,transactions_per_s\n";
    (1..10).map(|tenth| row(tenth * 10)).fold(head.to_owned(), |table, row| table + &row)
}

#[test]
fn a_table_of_awr_reports_is_an_event_against_its_own_latency() {
    let room = Room::new();
    let file = room.file("awr.csv", reports());
    let fitted = json(&["fit", &file, "--model", "mmc"]);
    assert_eq!(fitted["loop"], "open");
    let mmc = &fitted["models"][0];
    assert!((value(mmc, "S") / 0.002 - 1.0).abs() < 0.01, "{mmc}");
    assert!((value(mmc, "M") - 1.0).abs() < 0.01, "{mmc}");
    let text = flowing(&succeed(&["fit", &file]));
    let columns = "Columns: arrivals = dfsr_waits / ELAPSED, response time = DFSR_LAT (µs).";
    assert!(text.contains(columns), "{text}");
    let (code, said) = refused(&["fit", &file, "--series", "log file sync"]);
    assert!(code == 1 && said.contains("db file sequential read"), "{said}");
    // Sessions are no operations in flight; who names them means it.
    let columns = ["--columns", "n=SESSIONS,x=transactions_per_s,response_us=DFSR_LAT"];
    let named = succeed(&[&["fit", &file], &columns[..]].concat());
    assert!(flowing(&named).contains("in flight = SESSIONS"), "{named}");
    let mixed =
        room.file("mixed.csv", "sessions,tps,lat_us\n65,0.7,1700\n70,0.9,1900\n80,1,2000\n");
    let (code, said) = refused(&["fit", &mixed]);
    assert!(code == 1 && said.contains("Name those to use, such as --columns"), "{said}");
}

#[test]
fn a_recording_is_fitted_by_its_intervals() {
    use std::fmt::Write as _;
    let room = Room::new();
    // One server of 2 ms: 20 seconds at each of five rates, evenly spaced, R = S/(1 - SL).
    let mut events = String::new();
    let mut begin = 1_700_000_000.0;
    for rate in [50.0, 150.0, 250.0, 350.0, 420.0] {
        let response_us = 2_000.0 / (1.0 - 0.002 * rate);
        for number in 0..(rate * 20.0) as u32 {
            let at = begin + (f64::from(number) + 0.5) / rate;
            writeln!(events, "{at:.6},{response_us:.0}").unwrap();
        }
        begin += 20.0;
    }
    let (log, heat) = (room.file("log.csv", &events), room.name("log.heat"));
    let columns = ["--columns", "time,latency", "--unit", "us", "-i", "1s"];
    succeed(&[&["import", &log, "-o", &heat], &columns[..]].concat());
    let fitted = json(&["fit", &heat, "--model", "mmc", "--latency-limit", "p99<8ms"]);
    let mmc = &fitted["models"][0];
    assert!((value(mmc, "S") / 0.002 - 1.0).abs() < 0.05, "{mmc}");
    assert!((value(mmc, "M") - 1.0).abs() < 0.05, "{mmc}");
    let largest = fitted["limit"]["largest_load"].as_f64().unwrap();
    assert!((300.0..400.0).contains(&largest), "{largest}");
    let text = flowing(&succeed(&["fit", &heat]));
    assert!(text.contains("100 intervals of about 1 s, put together by their load"), "{text}");
    let (code, said) = refused(&["fit", &heat, "--series", "nothing"]);
    assert!(code == 1 && said.contains("no series of that name"), "{said}");
}

#[test]
fn what_a_sweep_writes_is_read_again() {
    let room = Room::new();
    let directory = room.name("sweep");
    let sweep =
        ["sweep", "sim:servers=2,service=2ms", "-o", &directory, "--vary", "in-flight=1,2,4"];
    let table = succeed(&[&sweep[..], &["--for", "300ms", "--format", "csv"]].concat());
    let points = room.file("points.csv", &table);
    let runs = room.file("runs.csv", succeed(&["analyze", &directory, "--format", "csv"]));
    let values = |input: &str| -> Vec<f64> {
        let fitted = json(&["fit", input]);
        assert_eq!(fitted["loop"], "closed");
        let points = fitted["points"].as_array().unwrap();
        points.iter().map(|point| point["throughput_per_s"].as_f64().unwrap()).collect()
    };
    let direct = values(&directory);
    for file in [&points, &runs] {
        for (one, two) in values(file).iter().zip(&direct) {
            assert!((one / two - 1.0).abs() < 1e-6, "{one} {two}");
        }
    }
}
