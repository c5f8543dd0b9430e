//! Miss-ratio curves and the model of a buffer cache.

use serde_json::Value;

use super::{Room, run, schemas, succeed};

const CURVE: &str = "cache-curve";

/// What a failing command says.
fn refused(args: &[&str], code: i32) -> String {
    let output = run(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    said
}

/// Four rounds of this many blocks, 200 µs each and 1 ms apart, as the waits of a session.
fn rounds(blocks: u64, file: u64, from_us: u64) -> String {
    let wait = |at: u64| {
        format!(
            "WAIT #1: nam='db file sequential read' ela= 200 file#={file} block#={} blocks=1 obj#=9 \
             tim={}\n",
            at % blocks,
            from_us + at * 1_000
        )
    };
    (0..4 * blocks).map(wait).collect()
}

fn ratio(object: &Value, blocks: u64) -> f64 {
    let sizes = object["sizes"].as_array().unwrap();
    let size = sizes.iter().find(|size| size["cache_blocks"] == blocks);
    size.unwrap_or_else(|| panic!("{blocks}: {sizes:#?}"))["miss_ratio"].as_f64().unwrap()
}

#[test]
fn a_trace_says_what_a_second_cache_would_answer_in_every_form() {
    let room = Room::new();
    let trace = room.file("a.trc", rounds(1_000, 7, 0));
    let object = schemas::parsed(CURVE, &succeed(&["cache", "curve", &trace, "--format", "json"]));
    assert_eq!(
        (&object["references"], &object["distinct_blocks"]),
        (&4_000.into(), &1_000.0.into())
    );
    assert_eq!((ratio(&object, 512), ratio(&object, 1_024)), (1.0, 0.25));
    assert_eq!(object["physical_reads_only"], true);
    assert_eq!(object["mean_latency_s"], 0.000_2);
    // 4,000 blocks in the 3.999 s from the first to the last.
    let rate = object["references_per_s"].as_f64().unwrap();
    assert!((rate - 4_000.0 / 3.999).abs() < 1e-6, "{rate}");

    // 200 µs a read, 4,000 of them in that time; with 1,024 blocks a quarter of it.
    let waiting = |blocks: u64| {
        let sizes = object["sizes"].as_array().unwrap();
        let size = sizes.iter().find(|size| size["cache_blocks"] == blocks).unwrap();
        size["estimated_average_waiting"].as_f64().unwrap()
    };
    assert!((waiting(0) - 0.8 / 3.999).abs() < 1e-9 && (waiting(1_024) - 0.2 / 3.999).abs() < 1e-9);

    let text = succeed(&["cache", "curve", &trace]);
    let first =
        "A cache of 7.81 MiB answers 75 % of the 4,000 references; none answers more than 75 %.";
    assert!(text.starts_with(first), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("8 MiB")).unwrap();
    assert!(row.contains("1,024") && row.contains("25%") && row.contains("50.0 µs"), "{row}");
    assert!(text.contains("a second tier") && text.contains("≈ is an estimate"), "{text}");

    let csv = succeed(&["cache", "curve", &trace, "--format", "csv", "--cache-size", "8M"]);
    let last: Vec<&str> = csv.lines().last().unwrap().split(',').collect();
    assert_eq!(last[..4], ["8388608", "1024", "0.25", "0"]);
    assert!((last[6].parse::<f64>().unwrap() - 0.2 / 3.999).abs() < 1e-9, "{last:?}");
    for (name, begins) in
        [("c.html", "<!doctype html>"), ("c.md", "<!-- isotherm"), ("c.csv", "cache_bytes,")]
    {
        let path = room.name(name);
        succeed(&["cache", "curve", &trace, "-o", &path]);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(begins), "{name}");
        // What isotherm wrote it writes again.
        succeed(&["cache", "curve", &trace, "-o", &path]);
    }
}

#[test]
fn sessions_that_ran_side_by_side_are_put_in_the_order_of_time() {
    let room = Room::new();
    // Each for itself would fit into 300 blocks; side by side they need 600.
    let one = room.file("one.trc", rounds(300, 7, 0));
    let two = room.file("two.trc", rounds(300, 8, 500));
    let json = |names: &[&str]| {
        let sizes = ["--cache-size", "2400k,4800k", "--format", "json"];
        schemas::parsed(CURVE, &succeed(&[&["cache", "curve"], names, &sizes].concat()))
    };
    assert!((ratio(&json(&[&one]), 300) - 0.25).abs() < 1e-12);
    let both = json(&[&one, &two]);
    assert_eq!((ratio(&both, 300), ratio(&both, 600)), (1.0, 0.25));
    assert_eq!(both["inputs"].as_array().unwrap().len(), 2);
}

#[test]
fn samples_are_close_and_the_same_for_a_seed() {
    let room = Room::new();
    let lines: Vec<String> = (0..60_000_u64).map(|at| (at * at % 19_997).to_string()).collect();
    let file = room.file("b.csv", format!("block\n{}\n", lines.join("\n")));
    let json = |more: &[&str]| {
        let args = [&["cache", "curve", &file, "--format", "json", "--cache-size", "64M"], more];
        schemas::parsed(CURVE, &succeed(&args.concat()))
    };
    let exact = ratio(&json(&[]), 8_192);
    for sampling in [["--sample", "10%"], ["--sample-blocks", "1000"]] {
        let sampled = json(&sampling);
        let error = sampled["sizes"][1]["miss_ratio_error"].as_f64().unwrap();
        let off = (ratio(&sampled, 8_192) - exact).abs();
        // Four times the error of 90 % confidence, and a seed that does not change.
        assert!(off <= 4.0 * error + 0.01, "{off} {error}");
        assert_eq!(sampled, json(&[sampling[0], sampling[1], "--seed", "1"]));
    }
    assert!(json(&["--sample", "10%"])["physical_reads_only"] == false);
}

#[test]
fn what_cannot_be_read_says_what_to_do() {
    let room = Room::new();
    let plain = room.file("plain.txt", "nothing\n");
    assert!(refused(&["cache", "curve", &plain], 1).contains("blkparse text"));
    let damaged = room.file("bad.csv", "block\n1\nx\n1\n");
    assert!(succeed(&["cache", "curve", &damaged]).contains("Rejected: 1; line 3: block 'x'"));
    assert!(refused(&["cache", "curve", &damaged, "--strict"], 4).contains("line 3"));
    assert!(refused(&["cache", "curve", &damaged, "--seed", "2"], 2).contains("--sample"));
    assert!(refused(&["cache", "curve", &damaged, "--sample", "2"], 2).contains("such as 1%"));
    assert!(refused(&["cache", "curve", &damaged, "-o", "x.xml"], 2).contains("end it in .html"));
    assert!(refused(&["cache", "curve"], 2).contains("INPUT"));
}

#[test]
fn a_model_gives_a_verdict_and_the_same_page_for_a_seed() {
    let room = Room::new();
    let page = |name: &str, seed: &str| {
        let path = room.name(name);
        let args = ["cache", "model", "--references", "5000", "--seed", seed, "-o", &path];
        let text = succeed(&args);
        (text, std::fs::read_to_string(path).unwrap())
    };
    let (text, html) = page("a.html", "3");
    assert!(text.contains("of latch gets wait"), "{text}");
    assert!(html.starts_with("<!doctype html>") && html.contains("id=\"graph\""));
    assert_eq!(html, {
        std::fs::remove_file(room.name("a.html")).unwrap();
        page("a.html", "3").1
    });
    assert_ne!(html, page("b.html", "4").1);
    let json = succeed(&["cache", "model", "--preset", "hot-block", "--format", "json"]);
    let object = schemas::parsed("cache-model", &json);
    assert_eq!(object["verdict"], "hot-blocks");
    assert_eq!(object["settings"]["sessions"], 96);
    let image = room.name("model.svg");
    succeed(&["cache", "model", "--references", "5000", "-o", &image]);
    let svg = std::fs::read_to_string(&image).unwrap();
    // A circle for each of the 200 buffers, all of which are used, and those of the legend and of dirty ones.
    let dirty = svg.matches("fill=\"none\"").count() - 1;
    assert_eq!(svg.matches("<circle").count(), 200 + dirty + 7, "{dirty} are dirty");
    let part = room.name("part.svg");
    let of = ["cache", "model", "--focus", "lru", "--orientation", "circle"];
    succeed(&[&of[..], &["--references", "5000", "--moment", "3", "-o", &part]].concat());
    let svg = std::fs::read_to_string(&part).unwrap();
    // A quarter of the run.
    assert!(svg.contains(">After 1,250 references") && svg.contains("Shown: LRU list<"), "{svg}");
    for (more, says) in [
        (&["-o", "model.json"][..], "--focus has no effect on JSON"),
        (&[], "--output"),
        (&["--moment", "13", "-o", "model.svg"], "1..=12"),
        (&["--references", "5", "--moment", "6", "-o", "model.svg"], "this run has 5 moments"),
    ] {
        let refused = run(&[&of[..], more].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.contains(says), "{said}");
    }
    let trace = room.file("blocks.csv", format!("block\n{}", "5\n6\n7\n".repeat(500)));
    let text = succeed(&["cache", "model", "--blocks-of", &trace]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("of 1,500 references to the blocks of the trace"), "{text}");
    assert!(text.contains("for 3 blocks") && text.contains("numbered as they are met"), "{text}");
    let both = refused(&["cache", "model", "--blocks-of", &trace, "--pattern", "hot"], 2);
    assert!(both.contains("--pattern"), "{both}");
    let list = succeed(&["cache", "model", "--list"]);
    assert_eq!(list.lines().count(), 8);
    let said = refused(&["cache", "model", "--latches", "1000"], 2);
    assert!(said.contains("latches (at most one for each chain) must be from 1 to 128"), "{said}");
}

#[test]
fn a_library_cache_gives_a_verdict_and_the_same_page_for_a_seed() {
    let room = Room::new();
    let page = |name: &str, seed: &str| {
        let path = room.name(name);
        let args = ["cache", "library", "--executions", "3000", "--seed", seed, "-o", &path];
        let text = succeed(&args);
        (text, std::fs::read_to_string(path).unwrap())
    };
    let (text, html) = page("a.html", "3");
    assert!(text.starts_with("Cursors are shared: "), "{text}");
    assert!(text.contains("A model, no measurement.") && html.contains("A model, no measurement."));
    assert!(html.starts_with("<!doctype html>") && html.contains("id=\"graph\""));
    std::fs::remove_file(room.name("a.html")).unwrap();
    assert_eq!(html, page("a.html", "3").1);
    assert_ne!(html, page("b.html", "4").1);
    let json = succeed(&["cache", "library", "--preset", "literals", "--format", "json"]);
    let object = schemas::parsed("cache-library", &json);
    assert_eq!(object["verdict"], "not-shared");
    assert_eq!(succeed(&["cache", "library", "--list"]).lines().count(), 6);
    let said = refused(&["cache", "library", "--cursors", "4"], 2);
    assert!(said.contains("cursors must be from 8 to 5000"), "{said}");
}

#[test]
fn a_curve_of_nothing_is_refused_and_an_input_that_is_named_twice_is_read_once() {
    let room = Room::new();
    // One block, referenced often: a sample of blocks without it knows nothing of its references.
    let same = room.file("same.csv", format!("block\n{}", "7\n".repeat(1_000)));
    let said = refused(&["cache", "curve", &same, "--sample", "1%"], 1);
    assert!(said.contains("none of the blocks of 1,000 references is in the sample"), "{said}");
    let object: Value =
        serde_json::from_str(&succeed(&["cache", "curve", &same, &same, "--format", "json"]))
            .unwrap();
    assert_eq!(object["references"], 1_000);
    let said = |args: &[&str]| String::from_utf8(run(args).stderr).unwrap();
    assert!(said(&["cache", "curve", &same, &same]).contains("is named twice and read once"));
    // The curve follows the order of the input, and says so where that is not the order of time.
    let back = room.file("back.csv", "time_ns,block\n30,1\n20,2\n25,1\n40,1\n");
    assert!(
        said(&["cache", "curve", &back])
            .contains("2 references with a time before that of an earlier one")
    );
    // What is rejected is named with its file and line.
    let bad = room.file("bad.csv", "block\nx\n1\ny\n");
    let text = succeed(&["cache", "curve", &bad, &same]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("bad.csv: line 2:") && text.contains("bad.csv: line 4:"), "{text}");
}
