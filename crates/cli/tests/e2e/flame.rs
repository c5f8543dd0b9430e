//! Flame graphs: nothing is lost between an input and a picture.

use std::path::{Path, PathBuf};

use serde_json::Value;
use testing::{bounded, grid};

use super::{Room, isotherm, run, succeed};

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../flame/fixtures").join(name);
    path.to_str().unwrap().to_owned()
}

fn json(args: &[&str]) -> Value {
    let words = [&["flame"], args, &["-o", "-", "--format", "json"]].concat();
    serde_json::from_str(&succeed(&words)).unwrap()
}

fn sum_of_stacks(object: &Value) -> u64 {
    object["stacks"].as_array().unwrap().iter().map(|stack| stack["count"].as_u64().unwrap()).sum()
}

/// What a failing command says.
fn refused(args: &[&str], code: i32) -> String {
    let output = run(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    said
}

#[test]
fn every_sample_of_perf_is_in_every_form() {
    let file = fixture("perf-script.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let begins_sample = |line: &&str| !line.is_empty() && !line.starts_with(['\t', ' ', '#']);
    let samples = text.lines().filter(begins_sample).count() as u64;
    assert_eq!(samples, 60);
    let object = json(&[&file]);
    assert_eq!((object["total"].as_u64(), sum_of_stacks(&object)), (Some(samples), samples));
    let input = &object["inputs"][0];
    assert_eq!(
        (&input["format"], &input["event"]),
        (&"perf script".into(), &"cpu-clock:pppH".into())
    );
    // The period of the clock is 10,101,010 ns.
    assert!((input["rate_hz"].as_f64().unwrap() - 99.0).abs() < 0.001);
    assert_eq!(input["rejected"], 0);

    let folded = succeed(&["flame", &file, "-o", "-", "--format", "folded"]);
    let counts =
        folded.lines().map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
    assert_eq!(counts.sum::<u64>(), samples);
    // Folded text is read back to the same.
    let room = Room::new();
    let again = room.file("again.folded", &folded);
    assert_eq!(succeed(&["flame", &again, "-o", "-", "--format", "folded"]), folded);

    let svg = succeed(&["flame", &file, "-o", "-", "--format", "svg"]);
    assert!(svg.contains("all (60 samples, 100%)"), "the root holds everything");
    assert!(svg.contains("60 samples at 99 Hz in "), "the title says how often");
    for words in ["not chronological", "On CPU only"] {
        assert!(svg.contains(words), "{words}");
    }
    let page = succeed(&["flame", &file, "-o", "-", "--format", "html"]);
    for words in ["not chronological", "On CPU only", "60 samples at 99 Hz in "] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn time_off_cpu_is_the_sum_of_the_map() {
    let file = fixture("bpftrace-off-cpu.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let ends = text.lines().filter_map(|line| line.rsplit_once("]: ")?.1.parse::<u64>().ok());
    let sum: u64 = ends.sum();
    let object = json(&[&file]);
    assert_eq!((object["total"].as_u64(), sum_of_stacks(&object)), (Some(sum), sum));
    assert_eq!(object["inputs"][0]["counts"], "nanoseconds");
    assert_eq!(object["inputs"][0]["records"], 39);
}

#[test]
fn a_part_of_the_time_has_the_samples_of_that_time() {
    let file = fixture("perf-script.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let times: Vec<f64> = text
        .lines()
        .filter(|line| !line.starts_with(['\t', ' ']))
        .filter_map(|line| line.split_whitespace().nth(2)?.strip_suffix(':')?.parse().ok())
        .collect();
    let within = |at: &&f64| (0.1 - 1e-9..0.4 - 1e-9).contains(&(**at - times[0]));
    let expected = times.iter().filter(within).count() as u64;
    assert!(expected > 10 && expected < 50);
    let object = json(&[&file, "--from", "100ms", "--to", "400ms"]);
    assert_eq!(object["total"].as_u64(), Some(expected));
    assert_eq!(object["inputs"][0]["outside"].as_u64(), Some(60 - expected));

    let said = refused(&["flame", &file, "--from", "1h", "-o", "-"], 1);
    assert!(said.contains("60 samples outside of --from and --to"), "{said}");
    let room = Room::new();
    let folded = room.file("x.folded", "a;b 1\n");
    let said = refused(&["flame", &folded, "--from", "1s", "-o", "-"], 2);
    assert!(said.contains("folded stacks has no times"), "{said}");
}

#[test]
fn a_trace_adds_up_to_its_response_time() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/fixtures/oracletrace");
    let mut seen = 0;
    for case in std::fs::read_dir(fixtures).unwrap() {
        let case = case.unwrap();
        let file = case.path().join("input.trc");
        if case.file_name().to_string_lossy().starts_with("bad-") || !file.exists() {
            continue;
        }
        let file = file.to_str().unwrap();
        let profile: Value =
            serde_json::from_str(&succeed(&["trace", file, "--format", "json"])).unwrap();
        let response_s = profile["response_time"]["response_s"].as_f64().unwrap();
        let output = run(&["flame", file, "-o", "-", "--format", "json"]);
        if response_s <= 0.0 {
            assert_eq!(output.status.code(), Some(1), "{file}");
            continue;
        }
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        let total_s = sum_of_stacks(&object) as f64 / 1e9;
        let notes = object["notes"].to_string();
        let is_more = notes.contains("which the picture has more");
        let agrees = (total_s - response_s).abs() < 1e-9 * response_s.max(1.0);
        assert!(agrees || (is_more && total_s > response_s), "{file}: {total_s} {response_s}");
        seen += 1;
    }
    assert!(seen >= 8, "{seen} traces");
}

#[test]
fn what_differs_is_compared_by_shares() {
    let room = Room::new();
    let a = room.file("a.folded", "p;parse 10\np;gone 10\n");
    let b = room.file("b.folded", "p;parse 300\np;new 100\n");
    let object = json(&["diff", &a, &b]);
    assert_eq!((object["total"].as_u64(), object["total_before"].as_u64()), (Some(400), Some(20)));
    assert!(object["notes"].to_string().contains("those of A times 20.0"), "{}", object["notes"]);
    let svg = succeed(&["flame", "diff", &a, &b, "-o", "-", "--format", "svg"]);
    // Of 400: 300 against 10 times 20.
    assert!(svg.contains("parse (300 counts, 75.00% of B; own share +25.00 points)"), "{svg}");
    assert!(
        svg.contains("10 counts of A, 50 % of it, are in stacks that B does not have"),
        "{svg}"
    );
    let functions = object["functions"].as_array().unwrap();
    let gone = functions.iter().find(|function| function["name"] == "gone").unwrap();
    assert_eq!((&gone["own"], &gone["own_before"]), (&0.into(), &10.into()));
    let folded = succeed(&["flame", "diff", &a, &b, "-o", "-", "--format", "folded"]);
    assert_eq!(folded, "p;gone 10 0\np;new 0 100\np;parse 10 300\n");
    let page = succeed(&["flame", "diff", &a, &b, "-o", "-", "--format", "html"]);
    let row =
        "<th scope=\"row\">gone</th><td>10 counts</td><td>0 counts</td><td>-50.00 points</td>";
    assert!(page.contains(row), "{page}");
}

/// Shares of a few counts, and of very many, are compared exactly.
#[test]
fn a_change_is_not_that_of_rounded_counts() {
    let room = Room::new();
    let of = |x: u64, y: u64| format!("a;x {x}\na;y {y}\n");
    for (scale_a, scale_b) in [(1, 1), (1, 5_000_000_000_000_000), (9_000_000_000_000_000, 1)] {
        let a = room.file("a.folded", of(149 * scale_a, 851 * scale_a));
        let b = room.file("b.folded", of(scale_b, 2 * scale_b));
        let svg = succeed(&["flame", "diff", &a, &b, "-o", "-", "--format", "svg"]);
        // 1/3 - 149/1000 = 18.43 points.
        for words in
            ["33.33% of B; own share +18.43 points", "66.67% of B; own share -18.43 points"]
        {
            assert!(svg.contains(words), "{words}: {svg}");
        }
    }
}

#[test]
fn frames_are_chosen_and_explained() {
    let room = Room::new();
    let text = "oracle;opifch2;qertbFetch;kcbgtcr 5\noracle;epoll_wait 2\n";
    let file = room.file("x.folded", text);
    let folded = |args: &[&str]| {
        let words = [&["flame", &file, "-o", "-", "--format", "folded"], args].concat();
        succeed(&words)
    };
    assert_eq!(folded(&["--frames", "rowsource"]), "oracle 2\noracle;opifch2;qertbFetch 5\n");
    assert_eq!(folded(&["--frames", "k*"]), "oracle 2\noracle;kcbgtcr 5\n");
    let explained = folded(&["--frames", "rowsource", "--oracle"]);
    let expected = "oracle 2\noracle;SELECT FETCH [opifch2];TABLE ACCESS: Fetch [qertbFetch] 5\n";
    assert_eq!(explained, expected);
    let sed = room.file("os_explain.sed", "s/qertb/FULL SCAN: /g\ny/a/b/\n");
    let output = run(&["flame", &file, "-o", "-", "--format", "folded", "--sed", &sed]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("line 2: y/a/b/"), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("FULL SCAN: Fetch;kcbgtcr 5"));
    let said = refused(&["flame", &file, "--frames", "nowhere", "-o", "-"], 2);
    assert!(said.contains("no frame matches --frames nowhere"), "{said}");
}

#[test]
fn what_cannot_be_read_is_said_with_its_place() {
    let room = Room::new();
    let file = room.file("x.folded", "a;b 1\na;b\n");
    let output = run(&["flame", &file, "-o", "-", "--format", "json"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("1 rejected; line 2: no stack with a count at its end: 'a;b'"), "{said}");
    let said = refused(&["flame", &file, "--strict", "-o", "-"], 4);
    assert!(said.contains("--strict is set; line 2"), "{said}");
    let nothing = room.file("nothing.txt", "no stack here\n");
    let said = refused(&["flame", &nothing, "-o", "-"], 1);
    assert!(said.contains("no stacks: expected the output of perf script"), "{said}");
    let empty = room.file("empty.txt", "");
    refused(&["flame", &empty, "-o", "-"], 1);
}

/// The fixtures of every source of latencies: inputs that hold no stacks, but for SQL traces.
#[test]
fn what_holds_no_stacks_is_refused() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/fixtures");
    let folders = |path: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let cases = folders(&fixtures).into_iter().filter(|path| !path.ends_with("oracletrace"));
    let is_input =
        |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("input");
    let mut inputs = 0;
    for source in cases.filter(|path| path.is_dir()) {
        let mut files: Vec<PathBuf> =
            folders(&source).iter().flat_map(|path| folders(path)).collect();
        files.retain(is_input);
        files.sort();
        inputs += files.len();
        // What a source writes is recognised by its form: a sample has two of each.
        for file in files.iter().take(grid::cases(usize::MAX, 2)) {
            let output = run(&["flame", file.to_str().unwrap(), "-o", "-", "--format", "folded"]);
            let drawn = String::from_utf8_lossy(&output.stdout);
            assert!(!output.status.success(), "{}: {drawn}", file.display());
        }
    }
    assert!(inputs > 300, "{inputs} inputs");
}

#[test]
fn a_map_is_chosen_by_its_name() {
    let room = Room::new();
    let text =
        "@a[\n    foo+1\n]: 2\n@b[\n    bar+1\n]: 40\n@a[\n    foo+1\n]: 7\n@start[123]: 55555\n";
    let file = room.file("maps.txt", text);
    assert_eq!(
        succeed(&["flame", &file, "--counter", "@b", "-o", "-", "--format", "folded"]),
        "bar 40\n"
    );
    let notes = json(&[&file])["notes"].to_string();
    assert!(notes.contains("Left out: 40 counts of @b."), "{notes}");
    let said = refused(&["flame", &file, "--counter", "@c", "-o", "-"], 2);
    assert!(said.contains("@a (9 counts), @b (40 counts)"), "{said}");
    let folded = room.file("x.folded", "a;b 1\n");
    let said = refused(&["flame", &folded, "--counter", "x", "-o", "-"], 2);
    assert!(said.contains("has no events to choose from"), "{said}");
}

#[test]
fn a_table_of_a_known_kind_is_named() {
    let room = Room::new();
    let line = "   7       0 loop0 30837 0 5674512 11803 17130 0 137056 24202 1 27484 54487 0 0 0 0 17130 18481\n";
    let disks = room.file("disks.txt", format!("# 1795237730.670923285\n{line}"));
    let said = refused(&["flame", &disks, "-o", "-"], 1);
    assert!(said.contains("this is diskstats: isotherm stats reads it"), "{said}");
    let binary = room.file("x.bin", "a 1\n\0\0\n");
    let said = refused(&["flame", &binary, "-o", "-"], 1);
    assert!(said.contains("this is binary"), "{said}");
}

#[test]
fn files_are_named_after_the_input_and_only_own_ones_are_replaced() {
    let room = Room::new();
    let file = room.file("cpu.folded", "a;b 1\n");
    for output in ["cpu.html", "cpu.svg", "cpu.json"] {
        let output = room.name(output);
        for _ in 0..2 {
            succeed(&["flame", &file, "-o", &output]);
        }
    }
    let foreign = room.file("foreign.svg", "<svg xmlns='x'/>");
    let said = refused(&["flame", &file, "-o", &foreign], 2);
    assert!(said.contains("not overwritten"), "{said}");
    let said = refused(&["flame", &file, "-o", &room.name("x.svg"), "--heat"], 2);
    assert!(said.contains("--heat is drawn in the page only"), "{said}");
    let mut command = isotherm(&["flame"]);
    command.current_dir(room.path(".")).arg("cpu.folded");
    assert!(bounded::output(&mut command).status.success());
    assert!(room.path("cpu.html").exists());
}
