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
    let told = json(&["fit", &file, "--service-time", "x0.5", "--servers", "+5"]);
    assert_eq!((&told["loop"], &told["chosen"]), (&"closed".into(), &"servers".into()));
    let servers = told["models"].as_array().unwrap().iter().find(|one| one["model"] == "servers");
    let servers = servers.unwrap();
    assert!((value(servers, "M") - 5.0).abs() < 0.25, "{servers}");
    assert!((value(servers, "S") - 0.001).abs() < 5e-5, "{servers}");
    let knee = &told["knee"];
    assert_eq!((&knee["verdict"], knee["power"].as_f64()), (&"found".into(), Some(5.0)), "{knee}");
    let after = told["what_if"]["after"]["throughput_per_s"].as_f64().unwrap();
    assert!((after / 20_000.0 - 1.0).abs() < 0.05, "{after}");
    // No open model is fitted unless it is named; then it is said.
    let names = |told: &Value| -> Vec<String> {
        let models = told["models"].as_array().unwrap();
        models.iter().map(|one| one["model"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&told), ["bound", "servers", "usl2", "usl", "mva"]);
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
}

#[test]
fn a_sweep_gives_back_the_queue_it_was_made_of() {
    let room = Room::new();
    let directory = room.name("sweep");
    let system = "sim:servers=4,service=4ms";
    let vary = ["--vary", "in-flight=1,2,4,8,16", "--for", "1s", "--warmup", "100ms"];
    succeed(&[&["sweep", system, "-o", &directory], &vary[..]].concat());
    let told = json(&["fit", &directory, "--limit", "p99<1s", "--model", "servers,bound"]);
    assert_eq!(told["points"].as_array().unwrap().len(), 5);
    // Time that a busy machine takes away makes services longer and capacity less, never the other
    // way round but for chance; the fit says what was measured.
    let servers = &told["models"][0];
    let (m, s) = (value(servers, "M"), value(servers, "S"));
    assert!(s > 0.0034 && m / s < 1_100.0, "{servers}");
    let points = told["points"].as_array().unwrap();
    let throughputs = points.iter().map(|point| point["throughput_per_s"].as_f64().unwrap());
    let most = throughputs.fold(0.0, f64::max);
    assert!((0.7..1.3).contains(&(m / s / most)), "{servers}: {most}");
    assert_eq!(told["limit"]["largest_load"].as_f64(), Some(16.0));
    assert_eq!(told["limit"]["broken_at"], Value::Null);
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
        ("points.csv", "in_flight,throughput_per_s,response_s,doubt,servers_throughput_per_s"),
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
        (vec!["fit", &torn, "--strict"], 4, "1 rows or runs were passed over"),
        (vec!["fit", &file, "--model", "mm7"], 2, "there are bound, servers"),
        (vec!["fit", &file, "--model", "usl", "--servers", "+1"], 2, "usl has no servers"),
        (vec!["fit", &file, "--limit", "p99<5ms"], 2, "a table of points has not"),
        (vec!["fit", &file, "--at", "5"], 2, "--at says where"),
        (vec!["fit", &file, "--loads", "100..200"], 2, "no load lies within"),
        (vec!["fit", &file, "--arrival", "x0"], 2, "xFACTOR"),
        (vec!["fit", "--example", "commit-batch", "-o", "x.html"], 2, "printed"),
    ] {
        let (found, said) = refused(&args);
        assert_eq!(found, code, "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
    let text = succeed(&["fit", &torn]);
    assert!(text.contains("line 3 is passed over ('oops' is not a number)"), "{text}");
    let few = room.file("few.csv", "n,x\n1,100\n2,190\n");
    let text = succeed(&["fit", &few]);
    assert!(text.contains("No model can be fitted to 2 points: measure more loads."), "{text}");
}
