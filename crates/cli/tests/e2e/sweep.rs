//! Sweeps over a system whose truth is known.

use std::fs;
use std::path::Path;

use serde_json::Value;
use testing::bounded;

use super::{Room, run, signal, start, succeed};

/// Four servers of 4 ms, one queue: at most 1,000 operations a second.
const QUEUE: &str = "sim:servers=4,service=4ms";

/// The runs of a directory, line by line.
fn runs(directory: &str) -> Vec<Value> {
    let text = fs::read_to_string(Path::new(directory).join("runs.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Label and repeat of the runs that came to their end.
fn whole(directory: &str) -> Vec<(String, u64)> {
    let ended = |run: &Value| run["outcome"]["ended"] == "time";
    let name =
        |run: &Value| (run["label"].as_str().unwrap().to_owned(), run["repeat"].as_u64().unwrap());
    let mut whole: Vec<_> = runs(directory).iter().filter(|run| ended(run)).map(name).collect();
    whole.sort();
    whole
}

fn refused(args: &[&str]) -> (i32, String) {
    let output = run(args);
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

const LOADS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

/// Sweeps over [`LOADS`] and checks what is true however much a busy machine delays; whether the throughput of
/// each load is what a machine gives that delays little.
fn is_swept_without_delay(directory: &str) -> bool {
    let vary = "in-flight=1..16x2";
    let args = ["sweep", QUEUE, "--vary", vary, "--for", "1s", "--warmup", "100ms", "-o"];
    let text = succeed(&[&args[..], &[directory, "--format", "json"]].concat());
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["schema_version"], 1);
    let points = report["points"].as_array().unwrap();
    let number = |point: &Value, name: &str| point[name]["median"].as_f64().unwrap();
    assert_eq!((points.len(), runs(directory).len()), (5, 5));
    let mut is_quick = true;
    for ((point, run), load) in points.iter().zip(runs(directory)).zip(LOADS) {
        // A closed loop without pauses keeps min(N, 4) of four servers busy, 250 operations a
        // second each: saturated from 4 in flight on. The services of a second differ by chance:
        // five standard deviations. Time that a busy machine takes away is only ever missing.
        let truth = load.min(4.0) * 250.0;
        let throughput = number(point, "operations_per_s");
        let chance = 5.0 / truth.sqrt();
        assert!(throughput <= truth * (1.0 + chance), "{load}: {throughput} of {truth}");
        // Little's law: each of those in flight waits for a second, and for what it had already
        // waited when the second began: not longer than the longest. What is in flight at the end
        // is not counted, and on a busy machine that is much.
        let in_flight = throughput * number(point, "mean_s");
        is_quick &= throughput >= truth * (0.6 - chance) && in_flight >= load * 0.6;
        let (outcome, response) = (&run["outcome"], &run["outcome"]["kinds"][0]["response"]);
        let seconds = |name: &str| response[name].as_f64().unwrap() / 1e9;
        let most = load * (1.0 + seconds("max_ns"));
        assert!(seconds("sum_ns") <= most, "{load}: {} of {most}", seconds("sum_ns"));
        // What the report says is what the run counted.
        let measured = outcome["measured_s"].as_f64().unwrap();
        let events = response["events"].as_f64().unwrap();
        assert!((throughput * measured / events - 1.0).abs() < 1e-6, "{load}: {run}");
        assert!((in_flight * measured / seconds("sum_ns") - 1.0).abs() < 1e-6, "{load}: {run}");
    }
    is_quick
}

#[test]
fn a_screen_without_a_terminal_is_refused_before_anything_is_made() {
    let room = Room::new();
    let directory = room.name("sweep");
    let vary = ["--vary", "in-flight=1..2x2", "--for", "100ms"];
    let sweep = ["sweep", QUEUE, "--ui", "tui", "-o", &directory];
    for args in [[&sweep[..], &vary].concat(), vec!["calibrate", QUEUE, "--ui", "tui"]] {
        let (code, said) = refused(&args);
        assert!(code == 2 && said.contains("--ui tui needs a terminal"), "{code} {said}");
    }
    assert!(!Path::new(&directory).exists());
}

#[test]
fn a_sweep_shows_where_four_servers_are_saturated() {
    let room = Room::new();
    let names = ["first", "second", "third"].map(|name| room.name(name));
    // A machine that is busy for a while takes time away; one sweep in three is not hit by it.
    let directory = names.iter().find(|directory| is_swept_without_delay(directory));
    let directory = directory.expect("throughput that four servers give, in one of three sweeps");
    for run in runs(directory) {
        let name = run["recording"].as_str().unwrap();
        let heat = Path::new(directory).join(name);
        let stats = succeed(&["stats", heat.to_str().unwrap(), "--format", "json"]);
        let stats: Value = serde_json::from_str(&stats).unwrap();
        let measured = run["outcome"]["kinds"][0]["response"]["events"].as_u64().unwrap();
        assert!(stats["input"]["events"].as_u64().unwrap() >= measured, "warm-up is recorded, too");
    }
}

#[test]
fn a_sweep_that_was_killed_goes_on_without_losing_or_doubling_a_run() {
    let room = Room::new();
    let directory = room.name("sweep");
    let args = [
        "sweep",
        QUEUE,
        "--vary",
        "in-flight=1..8x2",
        "--repeats",
        "2",
        "--for",
        "200ms",
        "--warmup",
        "0",
        "-o",
        &directory,
    ];
    // Where this test was held up until the sweep had ended, there is another one.
    let before = bounded::until("a sweep that is killed before its end", || {
        let _ = fs::remove_dir_all(&directory);
        let mut child = start(&args);
        bounded::until("two runs", || (runs(&directory).len() >= 2).then_some(()));
        child.kill().unwrap();
        child.wait().unwrap();
        Some(whole(&directory).len()).filter(|before| *before < 8)
    });
    // What a machine that lost its power leaves, too: half a line.
    let table = Path::new(&directory).join("runs.jsonl");
    let mut text = fs::read_to_string(&table).unwrap();
    text.push_str("{\"format\":1,\"point\":3,\"rep");
    fs::write(&table, text).unwrap();
    let output = run(&args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("was cut off while it was written: its 26 bytes"), "{said}");
    let left = if before == 7 { "1 run".to_owned() } else { format!("{} runs", 8 - before) };
    assert!(said.contains(&format!("{left} ({before} done before)")), "{said}");
    let loads = ["in-flight 1", "in-flight 2", "in-flight 4", "in-flight 8"];
    let all: Vec<(String, u64)> =
        loads.iter().flat_map(|load| [0, 1].map(|repeat| ((*load).to_owned(), repeat))).collect();
    assert_eq!(whole(&directory), all);
    assert_eq!(runs(&directory).len(), 8, "nothing twice");
    // Once more there is nothing to do, and the points are reported all the same.
    let again = succeed(&["sweep", "--resume", "-o", &directory]);
    assert!(again.contains("in-flight 8"), "{again}");
    assert_eq!(runs(&directory).len(), 8);
}

#[test]
fn an_interrupted_run_is_kept_as_such_and_done_again() {
    let room = Room::new();
    let directory = room.name("sweep");
    let args = [
        "sweep",
        QUEUE,
        "--vary",
        "in-flight=2",
        "--for",
        "30s",
        "--warmup",
        "0",
        "-o",
        &directory,
    ];
    let mut child = start(&args);
    let heat = Path::new(&directory).join("000-in-flight-2-r0.heat");
    bounded::until("recorded operations", || {
        let output = run(&["stats", heat.to_str().unwrap(), "--format", "json"]);
        let stats: Value = serde_json::from_slice(&output.stdout).ok()?;
        stats["input"]["events"].as_u64().filter(|events| *events > 0)
    });
    signal(&child, rustix::process::Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let found = runs(&directory);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["outcome"]["ended"], "interrupted");
    assert!(found[0]["outcome"]["kinds"][0]["response"]["events"].as_u64().unwrap() > 0);
    let left = succeed(&["sweep", "--resume", "--dry-run", "-o", &directory]);
    assert!(left.contains("1 runs: at most 30s of load"), "{left}");
}

#[test]
fn a_random_order_is_that_of_its_seed_and_a_plan_makes_the_same_sweep() {
    let room = Room::new();
    let flags = |seed: &'static str| {
        let vary = ["--vary", "in-flight=1..256x2", "--vary", "update-pct=0,20"];
        let rest =
            ["--repeats", "3", "--order", "random", "--cool-down", "2s", "--order-seed", seed];
        [&["sweep", QUEUE][..], &vary, &rest].concat()
    };
    let dry = |args: &[&str]| succeed(&[args, &["--dry-run"]].concat());
    let (one, other) = (dry(&flags("7")), dry(&flags("8")));
    assert_eq!(one, dry(&flags("7")));
    assert_ne!(one, other);
    // 18 points three times, 31 s each, and a rest before each but the first: 1780 s.
    assert!(
        one.contains("54 runs: at most 29m40s of load and rests, 31s each, rests of 2s"),
        "{one}"
    );
    assert_eq!(one.lines().filter(|line| line.ends_with("repeat 2")).count(), 18);
    let plan = room.name("plan.toml");
    let written = succeed(&[&flags("7")[..], &["--write-plan", &plan]].concat());
    assert!(written.is_empty());
    assert_eq!(dry(&["sweep", "--plan", &plan]), one);
    let text = fs::read_to_string(&plan).unwrap();
    assert!(text.contains("# Rest before each run but the first.\ncool-down = \"2s\""), "{text}");
}

#[test]
fn a_plan_that_makes_no_sense_is_refused_with_its_key() {
    let room = Room::new();
    let target = "[job]\ntarget = \"sim:servers=1\"\n";
    for (text, part) in [
        (format!("repeats = 0\n{target}"), "repeats: 0 is not a number of runs from 1 to 1000"),
        (format!("vary = [\"in-flight=1..4\"]\n{target}"), "is not a range"),
        (format!("repeat = 3\n{target}"), "unknown field `repeat`"),
        (format!("{target}[job.limit]\nfor = \"0s\""), "job.limit.for: no time at all"),
    ] {
        let plan = room.file("plan.toml", text);
        let (code, said) = refused(&["sweep", "--plan", &plan, "-o", &room.name("never")]);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(part), "{said}");
        assert!(!room.path("never").exists());
    }
    for (args, part) in [
        (vec!["sweep", QUEUE, "--vary", "in-flight=0,1"], "whole number from 1 to 65536"),
        (vec!["sweep", QUEUE, "--vary", "speed=1"], "'speed' cannot be varied"),
        (vec!["sweep", QUEUE, "--vary", "in-flight=1"], "-o DIR"),
        (vec!["sweep", QUEUE, "--vary", "in-flight=1", "-o", "x.heat"], "not one file: use -o x"),
        (
            vec!["sweep", QUEUE, "--vary", "in-flight=1", "-o", "x.html"],
            "isotherm analyze x -o x.html",
        ),
        (vec!["sweep", QUEUE, "--repeats", "0", "-o", "x"], "repeats: 0"),
        (vec!["sweep", "--resume"], "--output"),
        (vec!["sweep", "--plan", "p", "--vary", "in-flight=1"], "cannot be used with"),
        (vec!["sweep", "sim:speed=1", "--vary", "in-flight=1", "-o"], "there are servers"),
    ] {
        let last = room.name("refused");
        let args = if args.last() == Some(&"-o") { [&args[..], &[&last]].concat() } else { args };
        let (code, said) = refused(&args);
        assert_eq!(code, 2, "{args:?}: {said}");
        assert!(said.contains(part), "{args:?}: {said}");
    }
}

#[test]
fn another_plan_does_not_go_into_the_same_directory() {
    let room = Room::new();
    let directory = room.name("sweep");
    let sweep = |vary: &'static str, length: &'static str| {
        let args = ["sweep", QUEUE, "--vary", vary, "--for", length, "--warmup", "0"];
        args.into_iter().chain(["-o", &directory]).map(str::to_owned).collect::<Vec<String>>()
    };
    let run = |args: &[String], more: &[&str]| {
        let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
        super::run(&args)
    };
    assert!(run(&sweep("in-flight=2", "200ms"), &["-q"]).stderr.is_empty());
    let other = run(&sweep("in-flight=2,4", "300ms"), &[]);
    let said = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(2), "{said}");
    assert!(said.contains("job.limit.for: \"200ms\" before, \"300ms\" now"), "{said}");
    let more = run(&sweep("in-flight=2,4", "200ms"), &["--extend", "--format", "csv"]);
    assert!(more.status.success(), "{}", String::from_utf8_lossy(&more.stderr));
    let csv = String::from_utf8(more.stdout).unwrap();
    assert!(csv.starts_with("point,label,runs,unusable runs,operations/s"), "{csv}");
    let labels = [("in-flight 2".to_owned(), 0), ("in-flight 4".to_owned(), 0)];
    assert_eq!(whole(&directory), labels);
}

#[test]
fn a_dry_run_refuses_what_the_run_would_refuse() {
    let room = Room::new();
    let missing = room.name("missing.dat");
    for (target, vary, words) in [
        ("sim:servers=0", "in-flight=1,2", "must lie between 1 and 65536"),
        ("sim:servers=4,servers=5", "in-flight=1,2", "servers is there twice"),
        ("sim:", "schemas=1,2", "schemas is for postgres://... and oracle://..."),
        ("sim:", "block=4k,8k", "block is for "),
        (missing.as_str(), "in-flight=1,2", "there is no file"),
        ("redis://h:port", "in-flight=1,2", "a port was expected"),
        ("nosuch://h", "in-flight=1,2", "cannot be put under load"),
    ] {
        let output = run(&["sweep", target, "--vary", vary, "--dry-run"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(words), "{target} {vary}: {said}");
        assert_eq!(output.status.code(), Some(2), "{target} {vary}");
        assert!(output.stdout.is_empty(), "{target} {vary}: no plan is printed");
    }
    succeed(&["sweep", "sim:servers=4", "--vary", "in-flight=1,2", "--dry-run"]);
    succeed(&["sweep", &missing, "--size", "1M", "--vary", "block=4k,8k", "--dry-run"]);
}

#[test]
fn the_files_of_a_slob_harness_make_a_plan() {
    let room = Room::new();
    let inf = room.file(
        "slob2-harness.inf",
        "UPDATE_PCT\n000\n020\n/UPDATE_PCT\nWORKERS\n001 004\n/WORKERS\n",
    );
    let conf = room.file("slob.conf", "RUN_TIME=30\nSCALE=80M\nTHREADS_PER_SCHEMA=2\nSCAN_PCT=5\n");
    let files = ["--inf", &inf, "--inf", &conf];
    let output = run(&[&["sweep", QUEUE, "--dry-run"], &files[..]].concat());
    let (text, said) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    // The harness steps through the workers of each share of updates.
    let runs = [
        "update-pct 0, in-flight 2",
        "update-pct 0, in-flight 8",
        "update-pct 20, in-flight 2",
        "update-pct 20, in-flight 8",
    ];
    let listed: Vec<&str> = text.lines().filter_map(|line| line.split("  ").last()).collect();
    let expected = runs.map(|run| format!("{run}, repeat 1"));
    assert_eq!(listed[listed.len() - 4..], expected, "{text}");
    assert!(text.contains("31s each"), "{text}");
    assert!(said.contains("not like SLOB: SCAN_PCT=5"), "{said}");
    let plan =
        succeed(&[&["sweep", QUEUE, "--write-plan", "-", "--for", "2s"], &files[..]].concat());
    assert!(plan.contains("\"update-pct=0,20\"") && plan.contains("\"in-flight=2,8\""), "{plan}");
    let (code, said) = refused(&["sweep", QUEUE, "--inf", &conf, "--dry-run"]);
    assert!(code == 2 && said.contains("WORKERS"), "{said}");
}
