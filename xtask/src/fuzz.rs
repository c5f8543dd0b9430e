//! Runs every fuzz target in turn, each on a corpus that is kept from run to run.
//!
//! The targets are built with the stable compiler: its coverage counters need no nightly one,
//! and what they run is safe code, in which an address sanitizer has nothing to find.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// How long all targets together run if nothing else is said.
const FOR: Duration = Duration::from_mins(10);

/// The counters that tell `libFuzzer` which code an input reached, as cargo-fuzz asks for them.
const COUNTERS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 --cfg fuzzing";

/// What to run, and for how long altogether.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    time: Duration,
    /// All if empty.
    targets: Vec<String>,
}

/// Runs the targets that `arguments` name (all if none) for as long as `--for` says, and gives what
/// was found.
pub fn run(root: &Path, arguments: impl Iterator<Item = String>) -> Result<Vec<String>> {
    let order = order(arguments)?;
    let fuzz = root.join("fuzz");
    let targets = chosen(&fuzz, &order.targets)?;
    let programs = build(&fuzz)?;
    let seconds = (order.time.as_secs() / targets.len() as u64).max(1);
    let mut findings = Vec::new();
    for target in &targets {
        findings.extend(run_one(&fuzz, &programs, target, seconds)?);
    }
    Ok(findings)
}

fn order(mut arguments: impl Iterator<Item = String>) -> Result<Order> {
    let mut order = Order { time: FOR, targets: Vec::new() };
    while let Some(argument) = arguments.next() {
        if argument == "--for" {
            let text = arguments.next().context("--for needs a time such as 10m")?;
            order.time = length(&text).with_context(|| format!("--for {text}: not a time"))?;
        } else {
            order.targets.push(argument);
        }
    }
    Ok(order)
}

/// `90s`, `10m` or `2h`.
fn length(text: &str) -> Option<Duration> {
    let (number, seconds) = match text.split_at_checked(text.len().checked_sub(1)?)? {
        (number, "s") => (number, 1),
        (number, "m") => (number, 60),
        (number, "h") => (number, 3_600),
        _ => return None,
    };
    Some(Duration::from_secs(number.parse::<u64>().ok()?.checked_mul(seconds)?))
}

/// The targets that are named, or all, in the order of their names.
fn chosen(fuzz: &Path, named: &[String]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(fuzz.join("fuzz_targets"))? {
        let path = entry?.path();
        all.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    all.sort();
    if let Some(unknown) = named.iter().find(|name| !all.contains(name)) {
        bail!("there is no target {unknown}; there are {}", all.join(", "));
    }
    all.retain(|name| named.is_empty() || named.contains(name));
    Ok(all)
}

/// Builds all targets and gives the directory they are in.
fn build(fuzz: &Path) -> Result<PathBuf> {
    let host = host()?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| fuzz.join("target"), |directory| PathBuf::from(directory).join("fuzz"));
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(fuzz).args(["build", "--release", "--bins", "--target", &host]);
    command.arg("--target-dir").arg(&target).env("RUSTFLAGS", COUNTERS);
    // What a debug build would notice is to be found here too.
    command.env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true");
    command.env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true");
    command.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
    if !command.status()?.success() {
        bail!("the fuzz targets could not be built");
    }
    Ok(target.join(host).join("release"))
}

/// The machine that this runs on, as the compiler calls it: naming it keeps the counters out of
/// build scripts.
pub fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say its host")
}

/// Runs one target; what it finds is kept in `fuzz/artifacts`.
fn run_one(fuzz: &Path, programs: &Path, target: &str, seconds: u64) -> Result<Vec<String>> {
    let (corpus, artifacts) =
        (fuzz.join("corpus").join(target), fuzz.join("artifacts").join(target));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let before = files(&artifacts)?;
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(artifacts.join(""));
    let mut command = Command::new(programs.join(target));
    command.current_dir(fuzz).arg(&corpus);
    let seeds = fuzz.join("seeds").join(target);
    command.args(seeds.is_dir().then_some(seeds));
    command.arg(prefix).arg(format!("-max_total_time={seconds}"));
    command.args(["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=0"]);
    let output = command.output()?;
    let output_text = String::from_utf8_lossy(&output.stderr);
    let runs =
        output_text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let runs = runs.map_or("?", str::trim);
    println!("{target}: {seconds} s, {runs} runs, corpus of {}", files(&corpus)?.len());
    let found: Vec<String> = files(&artifacts)?
        .into_iter()
        .filter(|name| !before.contains(name))
        .map(|name| format!("{target}: fuzz/artifacts/{target}/{name}"))
        .collect();
    if found.is_empty() && !output.status.success() {
        return Ok(vec![format!("{target}: ended with {}: {}", output.status, output_text.trim())]);
    }
    Ok(found)
}

fn files(directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_time_and_targets() {
        let read = |text: &str| order(text.split_whitespace().map(str::to_owned));
        let expected = |seconds, targets: &[&str]| Order {
            time: Duration::from_secs(seconds),
            targets: targets.iter().map(|&name| name.to_owned()).collect(),
        };
        assert_eq!(read("").unwrap(), expected(600, &[]));
        assert_eq!(read("--for 90s").unwrap(), expected(90, &[]));
        assert_eq!(
            read("import --for 2h scan_trace").unwrap(),
            expected(7_200, &["import", "scan_trace"])
        );
        for wrong in ["--for", "--for m", "--for 5", "--for 5d", "--for -1s"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
