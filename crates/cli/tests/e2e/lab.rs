//! Labs run by the program, in their short form.

use std::fmt::Write as _;
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::{Room, isotherm, run, schemas, signal, start, succeed};

fn parsed(text: &str) -> Value {
    schemas::parsed("lab", text)
}

#[test]
fn labs_are_listed_and_explained_without_running() {
    let list = succeed(&["lab"]);
    assert_eq!(list, succeed(&["lab", "--list"]));
    // What is indented is the question of the lab above it; an empty line ends the list.
    let labs = list.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = labs
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(
        names,
        [
            "averages",
            "commit",
            "batch",
            "io-count",
            "run-queue",
            "user-calls",
            "buckets",
            "working-set",
            "backup",
            "locks",
        ]
    );
    for name in names {
        let lesson = succeed(&["lab", name, "--explain"]);
        assert!(lesson.contains("The lab: "), "{lesson}");
        assert!(!lesson.contains("Holds"), "{lesson}");
    }
}

#[test]
fn a_lab_says_what_it_will_do_and_ends_in_a_verdict_and_a_page() {
    let room = Room::new();
    let (page, json) = (room.name("buckets.html"), room.name("buckets.json"));
    let output = run(&["lab", "buckets", "--short", "-o", &page]);
    let (text, said) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{said}");
    assert!(text.starts_with("Holds: "), "{text}");
    assert!(said.contains("it writes up to 128 MiB to disk and removes it"), "{said}");
    let page = std::fs::read_to_string(page).unwrap();
    // Errors of one slow read may be ">99 %", others "<0.1 %".
    let verdict = text.lines().next().unwrap().split(" (").next().unwrap().replace('<', "&lt;");
    let verdict = verdict.replace('>', "&gt;");
    assert!(page.contains(&verdict), "the page begins with: {verdict}");
    assert!(page.contains("The lesson") && page.contains("<svg"));
    let object = succeed(&["lab", "buckets", "--short", "--format", "json", "-q", "-o", &json]);
    assert_eq!(parsed(&object)["finding"]["verdict"], "holds");
    assert_eq!(object, std::fs::read_to_string(json).unwrap());
}

#[test]
fn events_of_a_file_are_counted_one_by_one() {
    let room = Room::new();
    // 2 to 2,000 µs, a second apart: the median is 1 ms, the total 1.001 s.
    let lines: Vec<String> =
        (1..=1_000).map(|at| format!("{},{}", 1_700_000_000 + at, 2 * at)).collect();
    let file = room.file("reads.csv", lines.join("\n"));
    let asked = ["lab", "buckets", "--short", "--columns", "time,latency", "--unit", "us", "-q"];
    let text = succeed(&[&asked[..], &["--measured", &file, "--format", "json"]].concat());
    let object = parsed(&text);
    assert_eq!(object["input"], Value::from(file.as_str()));
    let tables = &object["finding"]["tables"];
    assert_eq!(tables[0]["rows"][0][1], "1.00 ms");
    assert_eq!(tables[1]["rows"][0][2], "1.00 s");
}

/// A query of 71,353 rows that Oracle gave in fetches of these many rows.
#[cfg(test)]
fn trace(array: u64) -> String {
    let costs = "c=0,e=1,p=0,cr=0,cu=0,mis=0";
    let mut text = format!(
        "PARSING IN CURSOR #1 len=15 dep=0 uid=5 oct=3 lid=5 tim=1 hv=7 ad='1' sqlid='aaa'\nselect * from t\n\
         END OF STMT\nPARSE #1:{costs},r=0,dep=0,og=1,plh=1,tim=2\n\
         EXEC #2:{costs},r=0,dep=1,og=1,plh=1,tim=3\nEXEC #1:{costs},r=0,dep=0,og=1,plh=1,tim=4\n"
    );
    let mut left = 71_353;
    while left > 0 {
        let rows = array.min(left);
        let _ = writeln!(text, "FETCH #1:{costs},r={rows},dep=0,og=1,plh=1,tim=5");
        left -= rows;
    }
    text
}

#[test]
fn calls_of_a_sql_trace_are_those_that_were_published() {
    let room = Room::new();
    for (array, calls) in [(15, "4,759"), (200, "359")] {
        let file = room.file("a.trc", trace(array));
        let asked = ["lab", "user-calls", "--measured", &file, "--format", "json", "-q"];
        let object = parsed(&succeed(&asked));
        assert_eq!(object["finding"]["verdict"], "holds");
        let kinds = object["finding"]["tables"][0]["rows"].as_array().unwrap();
        assert_eq!((&kinds[0][0], &kinds[0][5]), (&Value::from("queries"), &Value::from(calls)));
        // What the database called on its own is no call of a user.
        assert_eq!((&kinds[1][3], &kinds[1][5]), (&Value::from("1"), &Value::from("0")));
    }
    let damaged = room.file("b.trc", trace(200) + "FETCH #1:c=0,e=,p=0\n");
    let output = run(&["lab", "user-calls", "--measured", &damaged, "--strict", "-q"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("1 damaged record"), "{said}");
    let none = room.file("c.trc", "nothing\n");
    let output = run(&["lab", "user-calls", "--measured", &none, "-q"]);
    assert!(!output.status.success());
}

#[test]
fn what_cannot_be_run_says_why_and_what_next() {
    let room = Room::new();
    let few = room.file("few.csv", "1,5\n2,6\n");
    let csv = ["--columns", "time,latency", "--unit", "us", "-q"];
    for (code, args, expected) in [
        (
            2,
            vec!["lab", "buckets", "--server", "postgres://postgres@db1/test"],
            "or use it with the lab averages, commit, batch, io-count, user-calls, backup or locks",
        ),
        (
            2,
            vec!["lab", "backup", "--server", "postgres://postgres@db1/test"],
            "It reads all files of the database at the address",
        ),
        (
            2,
            vec!["lab", "locks", "--server", "postgres://postgres@db1/test", "--disturb"],
            "use it with the lab backup",
        ),
        (
            3,
            vec!["lab", "commit", "--server", "oracle://scott@db1/SALES"],
            "cannot run on Oracle yet. Missing: log file sync",
        ),
        (
            2,
            vec!["lab", "locks", "--measured", &few],
            "use it with the lab averages, user-calls or buckets",
        ),
        (1, [&["lab", "buckets", "--measured", &few][..], &csv].concat(), "at least 100"),
        (2, vec!["lab", "locks", "-o", "page.xml"], "end it in .html, .md or .json"),
        (2, vec!["lab", "locks", "--commit-limit", "5ms"], "use it with the lab commit"),
        (2, vec!["lab", "commit", "--commit-limit", "5"], "5: add a unit, such as 5ms or 5s"),
        (2, vec!["lab", "lokcs"], "locks"),
        (2, vec!["lab", "locks", "--unit", "us"], "--measured"),
    ] {
        let output = run(&args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}

#[test]
fn ctrl_c_ends_a_lab_without_a_verdict() {
    let mut child = start(&["lab", "run-queue", "--no-progress"]);
    // The plan is printed when signals are watched already.
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    assert!(line.contains("Ctrl-C ends it without a verdict"), "{line}");
    signal(&child, rustix::process::Signal::INT);
    // What else it prints must not keep it from ending.
    std::io::copy(&mut said, &mut std::io::sink()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_lab_that_is_ended_leaves_neither_a_server_nor_a_file() {
    // Once while initdb still makes the files; a signal is the same flag then, whichever it is.
    for (end, is_up) in [
        (Signal::TERM, false),
        (Signal::INT, true),
        (Signal::TERM, true),
        (Signal::HUP, true),
        (Signal::QUIT, true),
    ] {
        let room = Room::new();
        // The server may run as another user, who has to reach its files.
        std::fs::set_permissions(room.dir(), Permissions::from_mode(0o711)).unwrap();
        let mut lab = isotherm(&["lab", "commit", "--no-progress"]);
        lab.env("TMPDIR", room.dir()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = bounded::spawn(&mut lab);
        let data = room.path(&format!("isotherm-lab-{}-0/data", child.id()));
        let has_begun = || if is_up { has_server(&data) } else { data.join("base").exists() };
        let has_begun = bounded::until("the lab's server", || {
            let is_over = child.try_wait().unwrap().is_some();
            (is_over || has_begun()).then(has_begun)
        });
        if !has_begun {
            assert_eq!(child.wait().unwrap().code(), Some(3));
            writeln!(std::io::stderr(), "SKIPPED: PostgreSQL is not installed").expect("said");
            return;
        }
        if is_up {
            assert!(!with_files_in(room.dir()).is_empty(), "{end:?}: nothing runs there");
        }
        signal(&child, end);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{end:?}");
        let left: Vec<_> = std::fs::read_dir(room.dir()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{end:?}: {left:?}");
        assert_eq!(with_files_in(room.dir()), Vec::<String>::new(), "{end:?}");
    }
}

/// Whether a server has these files. initdb writes the number of its own process there, with a minus.
#[cfg(test)]
fn has_server(data: &Path) -> bool {
    let text = std::fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
    text.lines().next().is_some_and(|line| line.parse::<u32>().is_ok())
}

/// The command lines that name files below this directory: of a lab's server, or of initdb.
#[cfg(test)]
fn with_files_in(directory: &Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines =
        processes.filter_map(|one| std::fs::read_to_string(one.path().join("cmdline")).ok());
    lines.filter(|line| line.contains(&*directory.to_string_lossy())).collect()
}
