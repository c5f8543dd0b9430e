//! Checks that are not tests: `cargo xtask check` says where a norm is broken, `cargo xtask bless`
//! writes the generated pages anew, `cargo xtask exhaustive` tries whole grids of cases, `cargo xtask
//! fuzz` runs the fuzz targets, `cargo xtask mutants`
//! looks for code that no test holds, `cargo xtask dist` packs the program for users,
//! `cargo xtask pictures` makes the example pages and the pictures of the documentation.

#![allow(clippy::print_stdout, reason = "a program for developers that prints what it finds")]

mod arguments;
mod cycles;
mod dependencies;
mod dist;
mod exhaustive;
mod fuzz;
mod known;
mod modules;
mod mutants;
mod pages;
mod pictures;
mod program;
mod readme;
mod rooms;
mod scripts;
mod source_text;
mod test_calls;
#[cfg(test)]
mod tree;
mod uses;
mod waits;
mod wall_clock;
mod words;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

const USAGE: &str = "usage: cargo xtask check|bless|cycles|words|exhaustive|fuzz|mutants|dist|pictures
  check   sizes and names of files, files that need each other, dependencies that nothing uses,
          tests that look at the clock or wait without an end, discouraged words, scripts that pages name, and that generated pages,
          example pages and pictures are up to date
  bless   write the generated pages anew; read the difference before you commit it. Shortens the
          lists in xtask/known
  cycles  every circle of files that need each other, and the items that tie them
  words   how often discouraged words are in what users read, by directory
  exhaustive [NAME...]
          run the tests (those whose names hold a NAME) with whole grids of cases, of which an
          ordinary run tries a sample; needs cargo-nextest
  fuzz [--for 10m] [TARGET...]
          run the fuzz targets in turn, on a corpus that is kept in fuzz/corpus; 10m is for all
          of them together
  mutants [CRATE...] [--OPTION...]
          change the code of frame, analysis and load in small ways and list what no test notices;
          needs cargo-mutants, and hours
  dist [--host]
          build one static program and pack it into target/dist with a checksum; --host builds
          for this machine's C library
  pictures
          make the pages in docs/examples and the pictures in docs/pictures anew, from the inputs
          in docs/examples; needs node, Chromium and what web-tests/run installs";

/// A check: what breaks a norm, one finding each.
type Check = fn(&Path) -> Result<Vec<String>>;

const CHECKS: [Check; 10] = [
    rooms::check,
    arguments::check,
    cycles::check,
    dependencies::check,
    wall_clock::check,
    waits::check,
    words::check,
    scripts::check,
    pages::check,
    pictures::check,
];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let mut arguments = std::env::args().skip(1);
    let found = match arguments.next().as_deref() {
        Some("check") => check(root),
        Some("bless") => bless(root),
        Some("cycles") => return print(cycles::list(root)),
        Some("words") => return print(words::list(root)),
        Some("exhaustive") => exhaustive::run(root, arguments),
        Some("fuzz") => fuzz::run(root, arguments),
        Some("mutants") => mutants::run(root, arguments),
        Some("dist") => dist::run(root, arguments),
        Some("pictures") => pictures::run(root),
        _ => {
            println!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match found {
        Ok(found) if found.is_empty() => ExitCode::SUCCESS,
        Ok(found) => {
            println!("{}", found.join("\n"));
            println!("{} finding(s)", found.len());
            ExitCode::FAILURE
        }
        error => print(error),
    }
}

fn check(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for check in CHECKS {
        found.extend(check(root)?);
    }
    Ok(found)
}

fn bless(root: &Path) -> Result<Vec<String>> {
    cycles::bless(root)?;
    pages::bless(root)?;
    words::bless(root)?;
    Ok(Vec::new())
}

fn print(lines: Result<Vec<String>>) -> ExitCode {
    match lines {
        Ok(lines) => {
            println!("{}", lines.join("\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
