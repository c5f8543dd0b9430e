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

/// A live command ends by itself when it is told how long to run.
fn ending(command: &str) -> String {
    let live = [" live", " record"].iter().any(|word| command.contains(word));
    if live && !command.contains("--for") && !command.contains("live -") {
        format!("{command} --for 2s")
    } else {
        command.to_owned()
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "what is passed over must be seen")]
fn every_command_of_the_readme_works() {
    let room = Room::new();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_isotherm"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let commands = commands();
    assert!(commands.len() >= 8, "the README lists its commands in sh blocks: {commands:?}");
    let is_root = rustix::process::geteuid().is_root();
    let has_bpftrace = Command::new("bpftrace").arg("--version").output().is_ok()
        && std::path::Path::new("/sys/kernel/tracing/events/block").is_dir();
    for command in commands {
        // This very test is what `./test` runs; building is what brought it here.
        if command == "./test" || command.starts_with("git ") {
            continue;
        }
        if (command.contains("disk:") || command.contains("bpftrace")) && !(is_root && has_bpftrace)
        {
            eprintln!("passed over, needs bpftrace, root and tracefs: {command}");
            continue;
        }
        let runnable = ending(&command).replace("cargo run --release --", "isotherm");
        let output = Command::new("bash")
            .args(["-c", &format!("set -o pipefail; {runnable}")])
            .env("PATH", &path)
            .current_dir(room.dir())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{command}` failed: {error}");
    }
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
