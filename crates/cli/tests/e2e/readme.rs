//! Every command in the README does what it says.

use std::process::{Command, Stdio};

use super::Room;

/// The commands of the README's `sh` blocks, without comments.
fn commands() -> Vec<String> {
    let readme = include_str!("../../../../README.md");
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks
        .flat_map(str::lines)
        .map(|line| line.split(" # ").next().unwrap_or(line).trim().to_owned())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// A live command ends by itself when it is told how long to run, and the demo at once when it does
/// not wait for a reader.
fn ending(command: &str) -> String {
    if command.ends_with("demo") {
        return format!("{command} --speed max");
    }
    let live = [" live", " record"].iter().any(|word| command.contains(word));
    let ends = ["--for", "--events", "live -"].iter().any(|word| command.contains(word));
    if live && !ends { format!("{command} --for 2s") } else { command.to_owned() }
}

/// The files that commands name.
fn furnish(room: &Room) {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../sources/fixtures");
    let copy = |from: &str, to: &str| {
        std::fs::copy(fixtures.join(from), room.path(to)).unwrap();
    };
    std::fs::create_dir_all(room.path("docs/examples")).unwrap();
    copy("../../../docs/examples/demo.heat", "docs/examples/demo.heat");
    copy("oracletrace/release-19c/input.trc", "session.trc");
    std::fs::create_dir(room.path("reports")).unwrap();
    copy("awrreport/html-12201/input.html", "reports/monday.html");
    copy("awrreport/html-21c/input.html", "reports/tuesday.html");
    std::fs::create_dir(room.path("history")).unwrap();
    copy("awrseries/events/input.csv", "history/awr-system-events.csv");
}

/// Where the database that commands name is played.
#[cfg(feature = "oracle")]
fn database() -> String {
    use fake_oracle::{FakeOracle, Simulation};
    // Until the test program ends.
    let server = Box::leak(Box::new(FakeOracle::start(Simulation::new(1, true).script()).unwrap()));
    format!("127.0.0.1:{}", server.port())
}

#[test]
#[allow(clippy::print_stderr, reason = "what is skipped must be seen")]
fn every_command_of_the_readme_works() {
    let room = Room::new();
    furnish(&room);
    #[cfg(feature = "oracle")]
    let oracle = database();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_isotherm"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let commands = commands();
    assert!(commands.len() >= 8, "the README lists its commands in sh blocks: {commands:?}");
    let is_root = rustix::process::geteuid().is_root();
    let has_bpftrace = Command::new("bpftrace").arg("--version").output().is_ok()
        && std::path::Path::new("/sys/kernel/tracing/events/block").is_dir();
    for command in commands {
        // This very test is what `./test` runs; the program is installed by a test of its own.
        if command == "./test" || command.starts_with("cargo install ") {
            continue;
        }
        if (command.contains("disk:") || command.contains("bpftrace")) && !(is_root && has_bpftrace)
        {
            eprintln!("skipped, needs bpftrace, root and tracefs: {command}");
            continue;
        }
        let mut runnable = ending(&command).replace("cargo run --release --", "isotherm");
        if command.contains("db1:1521") {
            #[cfg(not(feature = "oracle"))]
            continue;
            #[cfg(feature = "oracle")]
            {
                runnable = runnable.replace("db1:1521", &oracle);
            }
        }
        let output = Command::new("bash")
            .args(["-c", &format!("set -o pipefail; {runnable}")])
            .env("PATH", &path)
            .env("ISOTHERM_ORACLE_PASSWORD", "secret")
            .current_dir(room.dir())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{command}` failed: {error}");
    }
}

/// In the profile of the tests and with their directory, so that little is built anew.
#[test]
fn the_command_that_installs_it_installs_it() {
    let command = commands().into_iter().find(|one| one.starts_with("cargo install ")).unwrap();
    let room = Room::new();
    let targets = std::path::Path::new(env!("CARGO_BIN_EXE_isotherm")).ancestors().nth(2).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(command.split_whitespace().skip(1))
        .args(["--debug", "--offline", "--quiet", "--no-track", "--root", &room.name("installed")])
        .arg("--target-dir")
        .arg(targets)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{command}` failed: {error}");
    let version = Command::new(room.path("installed/bin/isotherm")).arg("--version").output();
    assert!(version.unwrap().stdout.starts_with(b"isotherm "));
}

#[test]
fn a_bare_cargo_run_runs_isotherm() {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--locked", "--", "--version"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.stdout.starts_with(b"isotherm "), "{error}");
}
