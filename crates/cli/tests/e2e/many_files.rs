//! `isotherm frames`, `merge` and `sql-buckets`: parts that other engines add up are the whole.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use testing::bounded;

use super::{Room, run, succeed};

const READ: [&str; 6] = ["--columns", "end,latency,name", "--unit", "ns", "--time-unit", "ns"];

/// Operations of three names over a minute, by a generator of their own: when each ended, how long it took.
fn operations() -> Vec<(u64, u64, char)> {
    let mut state = 11_u64;
    let mut random = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut all: Vec<(u64, u64, char)> = (0..20_000)
        .map(|_| {
            let at =
                1_770_000_000_000_000_000 + random() % 60_000 * 1_000_000 + random() % 1_000_000;
            let octave = random() % 30;
            (at, (1 << octave) + random() % (1 << octave), ['a', 'b', 'c'][(random() % 3) as usize])
        })
        .collect();
    all.sort_unstable();
    all
}

fn csv(operations: impl Iterator<Item = (u64, u64, char)>) -> String {
    let lines = operations.map(|(at, ns, name)| format!("{at},{ns},{name}\n"));
    "end_ns,latency_ns,name\n".to_owned() + &lines.collect::<String>()
}

/// The counts of each bucket and the time of each series, over all intervals.
fn numbers(recording: &str) -> Vec<(String, serde_json::Value, String)> {
    let stats = succeed(&["stats", recording, "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let of = |series: &serde_json::Value| {
        let name = series["attributes"]["name"].as_str().or(series["name"].as_str()).unwrap();
        (name.to_owned(), series["buckets"].clone(), series["time_waited_s"].to_string())
    };
    let mut numbers: Vec<_> = stats["series"].as_array().unwrap().iter().map(of).collect();
    numbers.sort_by(|one, other| one.0.cmp(&other.0));
    numbers
}

/// What became of the input, as `stats` says it.
fn account(recording: &str) -> serde_json::Value {
    let stats = succeed(&["stats", recording, "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    stats["input"].clone()
}

/// Parts of the operations, each in a file, and all of them in one.
fn parts(room: &Room) -> (Vec<String>, String) {
    let all = operations();
    let part = |at: usize| csv(all.iter().skip(at).step_by(3).copied());
    let parts = (0..3).map(|at| room.file(&format!("part{at}.csv"), part(at))).collect();
    (parts, room.file("all.csv", csv(all.iter().copied())))
}

/// The rows of each part, in files.
fn rows_of(room: &Room, parts: &[String]) -> Vec<String> {
    parts
        .iter()
        .enumerate()
        .map(|(at, part)| {
            room.file(&format!("rows{at}.csv"), succeed(&[&["frames", part][..], &READ].concat()))
        })
        .collect()
}

#[test]
fn rows_of_parts_merge_to_the_whole_in_every_cell() {
    let room = Room::new();
    let (parts, all) = parts(&room);
    let rows = rows_of(&room, &parts);
    let merged = room.name("merged.heat");
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    succeed(&[&["merge"][..], &rows, &["-o", &merged]].concat());
    let at_once = room.name("at_once.heat");
    let whole = room.file("whole.csv", succeed(&[&["frames", &all][..], &READ].concat()));
    succeed(&["merge", &whole, "-o", &at_once]);
    // Until when a log was counted is estimated from its events: a part of them may reach a little further.
    let export = |recording: &str| {
        let rows = succeed(&["export", recording, "--format", "csv"]);
        let (beyond, within): (Vec<_>, Vec<_>) =
            rows.lines().map(str::to_owned).partition(|row| row.starts_with("1770000060"));
        assert!(beyond.iter().all(|row| row.contains(",,,0,0,")), "{beyond:?}");
        // The last second is cut there.
        let second = "1770000059000000000,";
        let uncut =
            |row: String| match row.strip_prefix(second).and_then(|rest| rest.split_once(',')) {
                Some((_, rest)) => format!("{second}{rest}"),
                None => row,
            };
        within.into_iter().map(uncut).collect::<Vec<_>>()
    };
    assert_eq!(export(&merged), export(&at_once));
    let imported = room.name("imported.heat");
    succeed(&[&["import", &all, "-o", &imported][..], &READ].concat());
    let (merged, imported) = (numbers(&merged), numbers(&imported));
    assert_eq!(merged, imported);
    // By a sum of their own.
    let time = |name: char| -> u64 {
        operations().iter().filter(|(.., of)| *of == name).map(|(_, ns, _)| ns).sum()
    };
    for (name, _, seconds) in &merged {
        let expected = time(name.chars().next().unwrap()) as f64 / 1e9;
        assert!((seconds.parse::<f64>().unwrap() - expected).abs() < 1e-6, "{name}: {seconds}");
    }
}

/// A recording of some seconds begins and ends within a second: how much of these was observed is in the rows,
/// however the file was dealt out.
#[test]
fn rates_of_merged_rows_are_those_of_the_file() {
    let room = Room::new();
    // Ten a second, from 0.35 s to 3.25 s, each 30 ms long.
    let at = |number: u64| 1_770_000_000_350_000_000 + number * 100_000_000;
    let all: Vec<(u64, u64, char)> = (0..30).map(|number| (at(number), 30_000_000, 'a')).collect();
    let file = room.file("all.csv", csv(all.iter().copied()));
    let imported = room.name("imported.heat");
    succeed(&[&["import", &file, "-o", &imported][..], &READ].concat());
    let rates = |recording: &str| {
        let stats = succeed(&["stats", recording, "--format", "json"]);
        let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
        let series = &stats["series"][0];
        let waiting = &series["sessions_waiting"];
        [&series["rate_per_s"], waiting].map(|number| number.as_f64().unwrap())
    };
    let expected = rates(&imported);
    assert!(
        (9.5..10.5).contains(&expected[0]) && (0.28..0.32).contains(&expected[1]),
        "{expected:?}"
    );
    let tables = |inputs: &[String]| -> Vec<String> {
        let rows = inputs.iter().map(|input| succeed(&[&["frames", input][..], &READ].concat()));
        rows.enumerate().map(|(at, rows)| room.file(&format!("t{at}.csv"), rows)).collect()
    };
    let length = csv(all.iter().copied()).len();
    let turns: Vec<String> = (0..2)
        .map(|turn| {
            let part = all.iter().skip(turn).step_by(2).copied();
            room.file(&format!("turn{turn}.csv"), csv(part))
        })
        .collect();
    let ranges = [format!("{file}@..{}", length / 2), format!("{file}@{}..", length / 2)];
    // Until when a file was counted is estimated from its events: from those of a part less surely.
    let twice = [file.clone(), file.clone()];
    for (what, inputs, times, within) in [
        ("file", &[file.clone()][..], 1.0, 1e-6),
        ("twice", &twice, 2.0, 1e-6),
        ("ranges", &ranges, 1.0, 1e-3),
        ("turns", &turns, 1.0, 0.04),
    ] {
        let merged = room.name(&format!("{what}.heat"));
        let tables = tables(inputs);
        let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
        succeed(&[&["merge"][..], &tables, &["-o", &merged]].concat());
        for (found, expected) in rates(&merged).into_iter().zip(expected) {
            let ratio = found / times / expected;
            assert!((ratio - 1.0).abs() < within, "{what}: {found} {expected}");
        }
    }
}

/// Rows added up as `GROUP BY` of all columns but the numbers does: sum, count and time waited.
fn grouped(tables: &[String]) -> BTreeMap<String, [u64; 3]> {
    let mut groups = BTreeMap::new();
    for line in tables.iter().flat_map(|table| table.lines().skip(1)) {
        let cells: Vec<&str> = line.split(',').collect();
        let sums: &mut [u64; 3] =
            groups.entry([&cells[..5], &cells[6..8]].concat().join(",")).or_default();
        for (sum, cell) in sums.iter_mut().zip([cells[5], cells[8], cells[9]]) {
            *sum += cell.parse::<u64>().unwrap_or(0);
        }
    }
    groups
}

#[test]
fn several_files_are_the_sum_of_each_alone_in_every_row() {
    let room = Room::new();
    let all = operations();
    // Files one after the other, which end and begin within a second, and one that overlaps both.
    let (half, quarter) = (all.len() / 2, all.len() / 4);
    let ranges = [0..half, half..all.len(), quarter..half + quarter];
    let files = ranges.into_iter().enumerate();
    let name = |(at, range): (usize, Range<usize>)| {
        room.file(&format!("{at}.csv"), csv(all[range].iter().copied()))
    };
    let files: Vec<String> = files.map(name).collect();
    let alone: Vec<String> =
        files.iter().map(|file| succeed(&[&["frames", file][..], &READ].concat())).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let together = succeed(&[&["frames"][..], &files, &READ].concat());
    assert_eq!(grouped(&[together]), grouped(&alone));
}

#[test]
fn the_rows_do_not_depend_on_how_many_files_are_read_at_a_time() {
    let room = Room::new();
    let (mut files, _) = parts(&room);
    files.push(room.file("bad.csv", csv(operations().into_iter().take(9)) + "1,x,a\n"));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let read = |jobs: &[&str]| {
        let output = run(&[&["frames"][..], &files, &READ, jobs].concat());
        assert!(output.status.success());
        (output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let one = read(&[]);
    let rejected =
        String::from_utf8_lossy(&one.0).lines().any(|line| line.ends_with("tally.rejected,,,,1,"));
    assert!(rejected && one.1.contains("bad.csv"), "{}", one.1);
    for jobs in ["1", "2", "3", "16"] {
        assert_eq!(read(&["-j", jobs]), one, "-j {jobs}");
    }
    let none = run(&["frames", files[0], "-j", "0"]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn a_file_that_cannot_be_read_fails_the_same_with_several_at_a_time() {
    let room = Room::new();
    let (files, _) = parts(&room);
    let missing = room.name("missing.csv");
    for jobs in ["1", "2"] {
        let out = room.name("rows.csv");
        let all = ["frames", &files[0], &missing, &files[1], "-j", jobs, "-o", &out];
        let output = run(&[&all[..], &READ].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains("missing.csv"), "{error}");
        assert!(!room.path("rows.csv").exists());
    }
}

/// Columns of seconds in which one event ends each day, which was waited for all of it.
fn days(room: &Room, days: u64) -> String {
    let rows = (1..=days).map(|day| format!("{},86400,long\n", 1_770_000_000 + day * 86_400));
    room.file("days.csv", format!("end,latency_s,name\n{}", rows.collect::<String>()))
}

/// Runs a command that succeeds; gives its output and what it said.
fn succeed_and_say(args: &[&str]) -> (String, String) {
    let output = run(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    (String::from_utf8(output.stdout).unwrap(), said)
}

#[test]
fn waits_of_days_and_of_decades_take_seconds_and_megabytes() {
    let room = Room::new();
    // In how many rows something waits, and how many seconds in all.
    let waited = |table: &str| -> (usize, u64) {
        let rows = table.lines().filter(|line| line.contains(",name=long,"));
        let ns = rows.filter_map(|line| line.split(',').nth(9)?.parse().ok());
        let ns: Vec<u64> = ns.filter(|ns| *ns > 0).collect();
        (ns.len(), ns.iter().sum::<u64>() / 1_000_000_000)
    };
    // A wait is looked at for a day; of 30 years it cannot be true.
    let years = |years: u64| {
        let latency = years * 365 * 86_400;
        let rows = format!("end,latency_s,name\n1770000000,1,a\n1770000100,{latency},long\n");
        succeed_and_say(&["frames", &room.file("years.csv", rows), "-i", "1s"])
    };
    let (table, said) = years(9);
    assert_eq!(waited(&table), (86_400, 86_400), "{said}");
    assert!(table.len() < 20 << 20 && said.contains("before"), "{} {said}", table.len());
    let (table, _) = years(30);
    assert!(table.lines().any(|line| line.ends_with("tally.rejected,,,,1,")), "{table}");
    assert_eq!(waited(&table), (0, 0));
    // Two days in a row.
    let (table, _) = succeed_and_say(&["frames", &days(&room, 2), "-i", "1s"]);
    assert_eq!(waited(&table), (2 * 86_400, 2 * 86_400));
    let many = run(&["frames", &days(&room, 100), "-i", "1s"]);
    let error = String::from_utf8_lossy(&many.stderr);
    assert_eq!((many.status.code(), many.stdout.len() < 200), (Some(2), true), "{error}");
    assert!(error.contains("too many intervals of 1s"), "{error}");
    let (table, _) = succeed_and_say(&["frames", &days(&room, 100), "-i", "1m"]);
    assert_eq!(waited(&table), (100 * 1_440, 100 * 86_400));
}

#[test]
fn intervals_keep_their_width_or_the_command_fails() {
    let room = Room::new();
    let (_, all) = parts(&room);
    let narrow = ["frames", &all, "-i", "10us", "--memory", "32M"];
    let output = run(&[&narrow[..], &READ].concat());
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("too many intervals of 10µs") && error.contains("--interval"),
        "{error}"
    );
    let wide = succeed(&[&["frames", &all, "-i", "10s"][..], &READ].concat());
    for line in wide.lines().skip(1).filter(|line| !line.contains("tally.")) {
        let cells: Vec<&str> = line.split(',').collect();
        let (start, end): (u64, u64) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
        // What waited before the first operation ended stays in the time it is known of.
        assert!(end - start == 10_000_000_000 || cells[8] == "0", "{line}");
    }
}

#[test]
fn a_directory_of_an_engine_is_merged_without_its_markers() {
    let room = Room::new();
    let (parts, all) = parts(&room);
    std::fs::create_dir(room.path("out")).unwrap();
    for (at, part) in parts.iter().enumerate() {
        room.file(&format!("out/part-{at}.csv"), succeed(&[&["frames", part][..], &READ].concat()));
    }
    room.file("out/_SUCCESS", "");
    let (merged, imported) = (room.name("merged.heat"), room.name("imported.heat"));
    let output = run(&["merge", &room.name("out"), "-o", &merged]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    succeed(&[&["import", &all, "-o", &imported][..], &READ].concat());
    assert_eq!(numbers(&merged), numbers(&imported));
}

/// The rows of a table dealt out to files of a directory: an engine keeps no interval in one of them.
fn dealt(room: &Room, directory: &str, table: &str, parts: usize) -> String {
    std::fs::create_dir(room.path(directory)).unwrap();
    let head = table.lines().next().unwrap();
    for at in 0..parts {
        let rows = table.lines().skip(1).skip(at).step_by(parts);
        let part = rows.fold(format!("{head}\n"), |part, row| part + row + "\n");
        room.file(&format!("{directory}/part-{at}.csv"), part);
    }
    room.name(directory)
}

#[test]
fn files_of_a_directory_are_one_table() {
    let room = Room::new();
    let (_, all) = parts(&room);
    let rows = succeed(&[&["frames", &all][..], &READ].concat());
    let whole = room.name("whole.heat");
    succeed(&["merge", &room.file("whole.csv", &rows), "-o", &whole]);
    let export = |recording: &str, form: &str| {
        let text = succeed(&["export", recording, "--format", form]);
        // The first line says what was read.
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let exact = |recording: &str| {
        let all = export(recording, "jsonl");
        let with = |text: &str| all.iter().filter(|line| line.contains(text)).count();
        (with("\"sum_ns\":"), with("\"sum_ns\":null"))
    };
    assert!(exact(&whole).0 > 100 && exact(&whole).1 == 0, "{:?}", exact(&whole));
    // More than are read side by side, too.
    for count in [2, 7, 150] {
        let directory = dealt(&room, &format!("rows{count}"), &rows, count);
        let files: Vec<String> =
            (0..count).map(|at| format!("{directory}/part-{at}.csv")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        for (at, inputs) in [vec![directory.as_str()], files].into_iter().enumerate() {
            let merged = room.name(&format!("{count}-{at}.heat"));
            succeed(&[&["merge"][..], &inputs, &["-o", &merged]].concat());
            for form in ["csv", "jsonl"] {
                assert_eq!(export(&merged, form), export(&whole, form), "{count} files as {form}");
            }
            assert_eq!(account(&merged), account(&whole));
        }
        let grouped = |table: &str| grouped(&[succeed(&["frames", table])]);
        assert_eq!(grouped(&directory), grouped(&room.name("whole.csv")));
    }
}

#[test]
fn averages_are_rows_of_numbers() {
    let room = Room::new();
    let stats = |at: u64, reads: u64| {
        format!("1770000{at:03}\n 8 0 sda {reads} 0 8 {} 0 0 0 0 0 0 0\n", reads * 3)
    };
    let prints: String = (0..5).map(|at| stats(at, (at + 1) * 40)).collect();
    let prints = room.file("diskstats.txt", prints);
    let rows = succeed(&["frames", &prints]);
    assert!(rows.contains("; averages,"), "{rows}");
    for line in rows.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let numbers = [&cells[..2], &cells[5..]].concat();
        assert!(
            numbers.iter().all(|cell| cell.is_empty() || cell.parse::<u64>().is_ok()),
            "{line}"
        );
    }
    let merged = room.name("merged.heat");
    succeed(&["merge", &dealt(&room, "rows", &rows, 2), "-o", &merged]);
    let stats = succeed(&["stats", &merged, "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let series = &stats["series"][0];
    assert_eq!(
        (&series["detail"], &series["events"]),
        (&"averages".into(), &160.into()),
        "{series}"
    );
    // 160 reads of 3 ms.
    assert_eq!(series["time_waited_s"].as_f64(), Some(0.48));
}

/// Python with `DuckDB`, where it is installed.
fn duckdb() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/python/bin/python");
    let there = bounded::try_output(Command::new(&root).args(["-c", "import duckdb"]));
    if there.is_ok_and(|output| output.status.success()) {
        return Some(root);
    }
    let said = writeln!(std::io::stderr(), "SKIPPED: DuckDB is not installed");
    said.expect("said");
    None
}

#[test]
fn a_query_gives_the_same_cells_where_the_table_is() {
    let Some(python) = duckdb() else { return };
    let room = Room::new();
    let (parts, all) = parts(&room);
    let table = format!("'{all}'");
    let query = ["sql-buckets", "--dialect", "duckdb", &table, "--series-column", "name"];
    let query = room.file("query.sql", succeed(&query));
    let rows = rows_of(&room, &parts);
    let (buckets, grouped) = (room.name("buckets.csv"), room.name("grouped.csv"));
    let program = "import duckdb, sys\n\
        query, buckets, grouped, rows = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]\n\
        duckdb.sql('copy (' + open(query).read() + f\") to '{buckets}' (header)\")\n\
        duckdb.sql(f\"copy (select start_ns, end_ns, series, attributes, quality, \
        sum(sum_ns) as sum_ns, lo_ns, hi_ns, sum(count) as count, sum(waited_ns) as waited_ns \
        from read_csv({rows}, header = true) group by all) to '{grouped}' (header)\")\n";
    let mut command = Command::new(python);
    let output =
        bounded::output(command.args(["-c", program, &query, &buckets, &grouped]).args(&rows));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let imported = room.name("imported.heat");
    succeed(&[&["import", &all, "-o", &imported][..], &READ].concat());
    for table in [&buckets, &grouped] {
        let merged = format!("{table}.heat");
        succeed(&["merge", table, "-o", &merged]);
        assert_eq!(numbers(&merged), numbers(&imported), "{table}");
        let number =
            |recording: &str| ["records", "rejected"].map(|name| account(recording)[name].clone());
        assert_eq!(number(&merged), number(&imported), "{table}");
    }
}
