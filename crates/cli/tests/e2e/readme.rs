//! Every command in the README does what it says.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use testing::bounded;

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
    if live && !ends { format!("{command} --for 1s") } else { command.to_owned() }
}

/// The files that commands name.
fn furnish(room: &Room) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/fixtures");
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
    std::fs::write(room.path("before.jtl"), super::formats::jmeter(600, 1)).unwrap();
    std::fs::write(room.path("after.jtl"), super::formats::jmeter(600, 2)).unwrap();
    std::fs::write(room.path("k6.csv"), super::formats::k6(300)).unwrap();
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
    let binary = Path::new(env!("CARGO_BIN_EXE_isotherm"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let commands = commands();
    assert!(commands.len() >= 8, "the README lists its commands in sh blocks: {commands:?}");
    let is_root = rustix::process::geteuid().is_root();
    let has_bpftrace = bounded::try_output(Command::new("bpftrace").arg("--version")).is_ok()
        && Path::new("/sys/kernel/tracing/events/block").is_dir();
    for command in commands {
        // This very test is what `./test` runs; what installs the program has a test of its own.
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
        let output = bounded::output(
            Command::new("bash")
                .args(["-c", &format!("set -o pipefail; {runnable}")])
                .env("PATH", &path)
                .env("ISOTHERM_ORACLE_PASSWORD", "secret")
                .current_dir(room.dir())
                .stdin(Stdio::null()),
        );
        let error = String::from_utf8_lossy(&output.stderr);
        // What a gate decides is up to the machine: beside other work it may fail, or not be able to tell.
        let decided = command.contains("--fail-if") && output.status.code() == Some(99);
        assert!(output.status.success() || decided, "`{command}` failed: {error}");
    }
}

/// What cargo knows of the workspace, without building anything.
fn workspace() -> Value {
    let output = bounded::output(
        Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--offline", "--locked", "--format-version", "1"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null()),
    );
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The package whose manifest is in this folder of the workspace, if it has a program `isotherm` and no other.
fn package_of_isotherm<'w>(workspace: &'w Value, folder: &str) -> Option<&'w Value> {
    let root = Path::new(workspace["workspace_root"].as_str().unwrap());
    let manifest = root.join(folder).join("Cargo.toml");
    let mut packages = workspace["packages"].as_array().unwrap().iter();
    let package =
        packages.find(|package| package["manifest_path"] == manifest.to_str().unwrap())?;
    let targets = package["targets"].as_array().unwrap().iter();
    let programs = targets.filter(|target| target["kind"] == Value::from(vec!["bin"]));
    let names: Vec<&Value> = programs.map(|program| &program["name"]).collect();
    (names == ["isotherm"]).then_some(package)
}

/// The folder that a `cargo install` installs from; none for what is not understood here.
fn installed_folder(command: &str) -> Option<&str> {
    let mut words = command.strip_prefix("cargo install ")?.split_whitespace();
    let mut folder = None;
    while let Some(word) = words.next() {
        match word {
            // The lock file is used: `workspace` asks for one that needs no change.
            "--locked" => {}
            "--path" if folder.is_none() => folder = Some(words.next()?),
            _ => return None,
        }
    }
    folder
}

/// Nothing is built here: the continuous integration installs it.
#[test]
fn the_command_that_installs_it_names_its_package() {
    let commands = commands();
    let mut installs = commands.iter().filter(|one| one.starts_with("cargo install ")).peekable();
    assert!(installs.peek().is_some(), "{commands:?}");
    let workspace = workspace();
    for command in installs {
        let folder = installed_folder(command).unwrap_or_else(|| panic!("unknown: {command}"));
        assert!(package_of_isotherm(&workspace, folder).is_some(), "{command}: {folder}");
    }
    for refused in [
        "cargo install isotherm",
        "cargo install --locked",
        "cargo install --path",
        "cargo install --path crates/cli --no-such-option",
        "cargo install --path crates/cli --path crates/tui",
    ] {
        assert_eq!(installed_folder(refused), None, "{refused}");
    }
    assert!(package_of_isotherm(&workspace, "crates/frame").is_none());
}

/// `cargo run` runs the only program of the only default member.
#[test]
fn a_bare_cargo_run_runs_isotherm() {
    let commands = commands();
    let runs = |command: &String| command.starts_with("cargo run --release -- ");
    assert!(commands.iter().any(runs), "{commands:?}");
    let workspace = workspace();
    let package = package_of_isotherm(&workspace, "crates/cli").expect("the package");
    assert_eq!(workspace["workspace_default_members"], Value::from(vec![package["id"].clone()]));
    assert_eq!(package["default_run"], Value::Null);
}
