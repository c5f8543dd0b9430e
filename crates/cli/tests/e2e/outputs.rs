//! What commands write: nothing that somebody needs is lost.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use testing::bounded;

use super::{RECORDS, Room, isotherm, run, succeed};

/// A room with a recording, and what is in it.
fn with_recording() -> (Room, String, Vec<u8>) {
    let room = Room::new();
    let (records, heat) = (room.file("records.txt", RECORDS), room.name("a.heat"));
    succeed(&["import", &records, "-o", &heat]);
    let bytes = fs::read(&heat).unwrap();
    (room, heat, bytes)
}

fn refused(args: &[&str]) -> String {
    let output = run(args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    message
}

#[test]
fn an_export_does_not_destroy_its_recording() {
    let (room, heat, before) = with_recording();
    let (hard, soft) = (room.name("hard.heat"), room.name("soft.heat"));
    fs::hard_link(&heat, &hard).unwrap();
    symlink(&heat, &soft).unwrap();
    for output in [&heat, &hard, &soft, &format!("{heat}-wal")] {
        for force in [&["--force"][..], &[]] {
            let args = [&["export", &heat, "--format", "csv", "-o", output], force].concat();
            assert!(refused(&args).contains("reads that file"));
        }
    }
    assert_eq!(fs::read(&heat).unwrap(), before);
    let append = fs::File::options().append(true).open(&heat).unwrap();
    let mut export = isotherm(&["export", &heat, "--format", "csv"]);
    let output = bounded::spawn(export.stdout(append).stderr(Stdio::piped()));
    let output = output.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&heat).unwrap(), before);
}

#[test]
fn an_export_while_it_is_recorded_does_not_destroy_it_either() {
    let room = Room::new();
    let heat = room.name("a.heat");
    let args = ["record", "cmd:while :; do echo 1 1; sleep 0.1; done", "-o", &heat];
    let more = ["--columns", "time,latency", "--unit", "us"];
    let mut child = super::start(&[&args[..], &more[..]].concat());
    bounded::until("a recording", || run(&["stats", &heat]).status.success().then_some(()));
    assert!(
        refused(&["export", &heat, "--format", "csv", "-o", &heat]).contains("reads that file")
    );
    super::signal(&child, rustix::process::Signal::INT);
    child.wait().unwrap();
    succeed(&["stats", &heat]);
}

#[test]
fn the_name_of_an_export_says_its_form() {
    let (room, heat, _) = with_recording();
    for (name, format) in [("a.csv", "csv"), ("a.jsonl", "jsonl")] {
        let path = room.name(name);
        succeed(&["export", &heat, "-o", &path]);
        let printed = succeed(&["export", &heat, "--format", format]);
        assert_eq!(fs::read_to_string(&path).unwrap(), printed);
    }
    assert!(refused(&["export", &heat, "-o", &room.name("a.dat")]).contains("--format csv"));
    assert!(refused(&["export", &heat]).contains("--format csv"));
}

#[test]
fn an_export_replaces_an_export_and_nothing_else() {
    let (room, heat, _) = with_recording();
    let csv = room.name("a.csv");
    let to_csv = ["export", &heat, "--format", "csv", "-o", &csv];
    succeed(&to_csv);
    let first = fs::read(&csv).unwrap();
    succeed(&to_csv);
    assert_eq!(fs::read(&csv).unwrap(), first);
    let other = ["export", &heat, "--format", "jsonl", "-o", &csv];
    assert!(refused(&other).contains("the name and --format say different forms"));
    let nameless = room.name("export");
    succeed(&["export", &heat, "--format", "csv", "-o", &nameless]);
    assert!(refused(&["export", &heat, "--format", "jsonl", "-o", &nameless]).contains("--force"));
    fs::write(&csv, "mine").unwrap();
    refused(&to_csv);
    assert_eq!(fs::read(&csv).unwrap(), b"mine");
    succeed(&[&to_csv[..], &["--force"]].concat());
    assert_eq!(fs::read(&csv).unwrap(), first);
}

#[test]
fn pipes_and_devices_take_what_is_written() {
    let (_room, heat, _) = with_recording();
    let wanted = succeed(&["export", &heat, "--format", "csv"]);
    assert_eq!(succeed(&["export", &heat, "--format", "csv", "-o", "/dev/stdout"]), wanted);
    assert_eq!(succeed(&["export", &heat, "--format", "csv", "-o", "/dev/null"]), "");
    let full = run(&["export", &heat, "--format", "csv", "-o", "/dev/full"]);
    assert_eq!(full.status.code(), Some(1));
}

#[test]
fn a_pipe_with_a_name_is_written_to() {
    let (room, heat, _) = with_recording();
    let fifo = room.path("fifo");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, mode).unwrap();
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::read_to_string(fifo).unwrap()
    });
    succeed(&["export", &heat, "--format", "csv", "-o", fifo.to_str().unwrap()]);
    assert_eq!(bounded::join(reader), succeed(&["export", &heat, "--format", "csv"]));
}

/// Each command with an output, writing to a file of somebody else's.
#[test]
fn no_command_overwrites_what_isotherm_did_not_write() {
    let (room, heat, _) = with_recording();
    let thesis = "my thesis";
    let queue = "sim:servers=1,service=1ms";
    let points = room.file("p.csv", "arrival,response\n1,1\n2,1.1\n3,1.3\n4,1.6\n5,2\n");
    let with = |name: &str| room.file(name, thesis);
    let (html, md, json, svg, png) =
        (with("x.html"), with("x.md"), with("x.json"), with("x.svg"), with("x.png"));
    let (csv, text, plan) = (with("x.csv"), with("x.txt"), with("x.toml"));
    for args in [
        &["export", &heat, "--format", "csv", "-o", &csv][..],
        &["export", &heat, "--format", "pylatencymap", "-o", &text],
        &["report", &heat, "-o", &html],
        &["report", &heat, "-o", &md],
        &["report", &heat, "-o", &json],
        &["report", &heat, "-o", &svg],
        &["report", &heat, "-o", &png],
        &["compare", &heat, &heat, "-o", &html],
        &["fit", &points, "-o", &csv],
        &["fit", &points, "-o", &html],
        &["stress", queue, "--operations", "5", "-o", &text],
        &["stress", queue, "--operations", "5", "--format", "json", "-o", &json],
        &["calibrate", queue, "--quick", "-o", &md],
        &["sweep", queue, "--vary", "in-flight=1,2", "--write-plan", &plan],
    ] {
        refused(args);
    }
    for path in [html, md, json, svg, png, csv, text, plan] {
        assert_eq!(fs::read_to_string(&path).unwrap(), thesis, "{path}");
    }
    assert_eq!(fs::read_dir(room.dir()).unwrap().count(), 11);
}

#[test]
fn reports_are_written_again_without_a_word() {
    let (room, heat, _) = with_recording();
    for name in ["x.html", "x.md", "x.json", "x.svg", "x.png"] {
        let path = room.name(name);
        for _ in 0..2 {
            succeed(&["report", &heat, "-o", &path]);
        }
    }
    let html = room.name("x.html");
    succeed(&["compare", &heat, &heat, "-o", &html]);
    assert!(refused(&["report", &heat, "--format", "md", "-o", &html]).contains("--force"));
}

#[test]
fn a_plan_that_is_there_may_have_been_changed_by_hand() {
    let room = Room::new();
    let plan = room.name("plan.toml");
    let args =
        ["sweep", "sim:servers=1,service=1ms", "--vary", "in-flight=1,2", "--write-plan", &plan];
    succeed(&args);
    assert!(refused(&args).contains("--force"));
    succeed(&[&args[..], &["--force"]].concat());
}

#[test]
fn a_mistyped_address_does_not_become_a_file() {
    let room = Room::new();
    for (target, part) in [
        ("postgres:mydb", "postgres:///mydb"),
        ("redis:foo", "redis://foo"),
        ("-", "standard input"),
        ("host=db1 dbname=x", "postgres://USER@db1/x"),
        ("typo.dat", "--create"),
        ("file:typo.dat", "--create"),
        ("disk:vda", "/dev/vda"),
    ] {
        for command in [&["stress", target, "--for", "1s"][..], &["stress", "setup", target]] {
            if command[1] == "setup" && part == "--create" {
                continue;
            }
            let output = bounded::output(isotherm(command).current_dir(room.dir()));
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{command:?}: {message}");
            assert!(message.contains(part), "{command:?}: {message}");
        }
    }
    let sweep = ["sweep", "typo.dat", "-o", "sweep", "--vary", "in-flight=1,2", "--for", "1s"];
    let output = bounded::output(isotherm(&sweep).current_dir(room.dir()));
    assert_ne!(output.status.code(), Some(0));
    let mut names = fs::read_dir(room.dir()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.all(|name| name == "sweep"));
}

#[test]
fn a_file_is_made_when_that_is_said_and_then_it_is_reported() {
    let room = Room::new();
    let path = room.name("new.dat");
    let load = ["--operations", "10", "--warmup", "0", "--buffered"];
    let output = run(&[&["stress", &path, "--size", "1M"][..], &load].concat());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && message.contains("made "), "{message}");
    assert!(message.contains("new.dat, 1 MiB"), "{message}");
    let again = run(&[&["stress", &path][..], &load].concat());
    assert!(again.status.success());
    assert!(!String::from_utf8_lossy(&again.stderr).contains("made "));
    // What the load reads is not where its summary goes, whatever the options.
    let over = [&["stress", &path, "-o", &path, "--force"][..], &load].concat();
    assert!(refused(&over).contains("reads that file"));
}

#[test]
fn foreign_data_behind_our_own_stops_a_load_that_writes() {
    let room = Room::new();
    let path = room.name("new.dat");
    succeed(&["stress", "setup", &path, "--size", "1M"]);
    let mut content = fs::read(&path).unwrap();
    content.extend(b"somebody's data");
    fs::write(&path, &content).unwrap();
    let load = ["stress", &path, "--for", "100ms", "--update", "50", "--buffered"];
    let message = refused(&load);
    assert!(message.contains("up to byte 1048576, and the 15 bytes that follow"), "{message}");
    assert_ne!(run(&["stress", "teardown", &path]).status.code(), Some(0));
    assert_eq!(fs::read(&path).unwrap(), content);
}

/// A recording is replaced when that is asked for, by another one alone, and never by one that is made of it.
#[test]
fn a_recording_is_replaced_by_force_and_stays_where_that_fails() {
    let (room, heat, before) = with_recording();
    let other = room.file("one.csv", "1700000000.5,250\n1700000001.5,250\n");
    let columns = ["--columns", "time,latency", "--unit", "us"];
    let import = |input: &str, output: &str, options: &[&str]| {
        run(&[&["import", input, "-o", output], options].concat())
    };
    let said = import(&other, &heat, &columns);
    assert!(!said.status.success());
    assert!(
        String::from_utf8_lossy(&said.stderr).contains("or replace it with --force"),
        "{said:?}"
    );
    // What cannot be filled replaces nothing, nor does a recording of itself.
    let empty = room.file("none.csv", "no numbers\n");
    let forced = [&columns[..], &["--force"]].concat();
    assert!(!import(&empty, &heat, &forced).status.success());
    let itself = import(&heat, &heat, &["--force"]);
    assert!(String::from_utf8_lossy(&itself.stderr).contains("reads that file"), "{itself:?}");
    assert_eq!(fs::read(&heat).unwrap(), before);
    let nowhere = room.name("nowhere.heat");
    assert_eq!(import(&nowhere, &nowhere, &[]).status.code(), Some(2));
    assert!(!std::path::Path::new(&nowhere).exists());
    let text = room.file("notes.txt", "not a recording\n");
    let foreign = import(&other, &text, &forced);
    let message = String::from_utf8_lossy(&foreign.stderr).into_owned();
    assert!(message.contains("not a recording of isotherm: it is not replaced"), "{message}");
    assert_eq!(fs::read_to_string(&text).unwrap(), "not a recording\n");

    let events = |path: &str| {
        let stats: serde_json::Value =
            serde_json::from_str(&succeed(&["stats", "--format", "json", path])).unwrap();
        stats["input"]["events"].as_u64().unwrap()
    };
    assert!(import(&other, &heat, &forced).status.success());
    assert_eq!(events(&heat), 2);
    let left = fs::read_dir(std::path::Path::new(&heat).parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains(".heat")).collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
