//! Profiles of real traces, where they are at hand: `ISOTHERM_SAMPLES` names the folder. They are
//! not part of the repository. What they must say was counted by other programs.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot read its files must fail, and one that is skipped must say so"
)]

use std::fs::File;
use std::path::{Path, PathBuf};

use isotherm_oracle::trace::profile::{CostsByKind, Limits, Profile, Profiler};
use isotherm_oracle::trace::{CallKind, scan};
use serde_json::Value;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("ISOTHERM_SAMPLES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: ISOTHERM_SAMPLES is not set");
    }
    folder
}

fn profile(path: &Path) -> Profile {
    let mut profiler = Profiler::new(&path.display().to_string(), Limits::default(), 8_192);
    scan(&mut File::open(path).unwrap(), &mut profiler).unwrap();
    profiler.finish()
}

/// Every file with the numbers expected of it.
fn said(folder: &Path, list: &str) -> Vec<(PathBuf, Value)> {
    let said = std::fs::read_to_string(folder.join(list)).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    let files = said.as_object().unwrap().iter();
    files.map(|(name, said)| (folder.join(name), said.clone())).collect()
}

/// The number of calls of a kind: those of the user, and all others.
fn counts(calls: &CostsByKind, kind: CallKind) -> u64 {
    calls.of(kind).count
}

#[test]
fn events_and_calls_are_as_others_counted_them() {
    let Some(folder) = folder().map(|folder| folder.join("oracle/traces")) else { return };
    let said = said(&folder, "expected.json");
    assert!(said.len() >= 7);
    for (path, said) in said {
        let profile = profile(&path);
        let name = path.display();
        for (event, said) in said["events"].as_object().unwrap() {
            let found = profile.events.named(event).unwrap();
            assert_eq!(Value::from(found.count), said["count"], "{name}: {event}");
            assert_eq!(Value::from(found.total_ns / 1_000), said["sum_us"], "{name}: {event}");
        }
        assert_eq!(profile.events.iter().len(), said["events"].as_object().unwrap().len());
        let user = &said["user_calls_dep0"];
        for (kind, word) in
            [(CallKind::Parse, "PARSE"), (CallKind::Exec, "EXEC"), (CallKind::Fetch, "FETCH")]
        {
            let found = counts(&profile.user_calls, kind);
            assert_eq!(Value::from(found), user[word], "{name}: {word}");
            let deeper: u64 = said["calls"][word]
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(depth, _)| *depth != "dep=0")
                .map(|(_, count)| count.as_u64().unwrap())
                .sum();
            assert_eq!(counts(&profile.recursive_calls, kind), deeper, "{name}: {word}");
        }
        let lobs = said["lob_calls"].as_object().unwrap().values();
        let lobs: u64 = lobs.map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(profile.lob_costs().count, lobs, "{name}");
    }
}

#[test]
fn nothing_is_counted_twice_or_lost() {
    let Some(folder) = folder() else { return };
    let mut paths: Vec<PathBuf> = said(&folder.join("oracle/traces"), "expected.json")
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    paths.push(folder.join("pylatencymap/test_10046_tracefile.trc"));
    for path in paths {
        let profile = profile(&path);
        let name = path.display();
        let (spent, statements) = (&profile.spent, &profile.statements);
        let by_event: u64 = profile.events.iter().map(|event| event.total_ns).sum();
        let shares = statements.iter().flat_map(|statement| &statement.waits);
        assert_eq!(shares.map(|share| share.ns).sum::<u64>(), by_event, "{name}");
        assert_eq!(spent.waits_ns() + spent.idle_ns(), by_event, "{name}");
        let own: i64 = statements.iter().map(|statement| statement.own.elapsed_ns).sum();
        assert_eq!(own, i64::try_from(spent.calls_ns).unwrap(), "{name}");
        let parts: i64 = profile.parts().iter().map(|part| part.ns).sum();
        assert_eq!(parts, i64::try_from(spent.response_ns()).unwrap(), "{name}");
        // No call took time before it was made: children fit in their parents but for rounding.
        for statement in statements.iter() {
            assert!(statement.own.elapsed_ns > -1_000_000, "{name}: {}", statement.key.id);
        }
    }
}

/// Counted line by line, without the parser: rows and time of every line of a plan.
#[test]
fn plans_have_the_rows_and_the_time_of_their_lines() {
    let Some(folder) = folder().map(|folder| folder.join("oracle/traces")) else { return };
    for (path, _) in said(&folder, "expected.json") {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let number = |line: &str, name: &str| -> u64 {
            let value = line.split_once(name).map_or("0", |(_, rest)| rest);
            value.split([' ', ')']).next().unwrap().parse().unwrap()
        };
        let lines = text.lines().filter(|line| line.starts_with("STAT #"));
        let written = lines.fold((0, 0), |(rows, us), line| {
            (rows + number(line, " cnt="), us + number(line, " time="))
        });
        let profile = profile(&path);
        let plans = profile.statements.iter().flat_map(|one| profile.plans.of(one.key));
        let found = plans.flat_map(|plan| &plan.row_sources).fold((0, 0), |(rows, us), line| {
            (rows + line.rows, us + line.costs.time_ns.unwrap_or(0) / 1_000)
        });
        assert_eq!(found, written, "{}", path.display());
    }
}
