//! Checks that are not tests: `cargo xtask check` says where a norm is broken, `cargo xtask bless`
//! writes the generated pages anew, `cargo xtask fuzz` runs the fuzz targets, `cargo xtask dist` packs
//! the program for users.

#![allow(clippy::print_stdout, reason = "a program for developers that prints what it finds")]

mod dependencies;
mod dist;
mod fuzz;
mod pages;
mod rooms;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask check|bless|fuzz|dist
  check   sizes and names of files, dependencies that nothing uses, and that generated pages are
          up to date
  bless   write the generated pages anew; read the difference before you commit it
  fuzz [--for 10m] [TARGET...]
          run the fuzz targets in turn, on a corpus that is kept in fuzz/corpus; 10m is for all
          of them together
  dist [--host]
          build one static program and pack it into target/dist with a checksum; --host builds
          for this machine's C library";

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let found = match std::env::args().nth(1).as_deref() {
        Some("check") => rooms::check(root).and_then(|mut found| {
            found.extend(dependencies::check(root)?);
            found.extend(pages::check(root)?);
            Ok(found)
        }),
        Some("fuzz") => fuzz::run(root, std::env::args().skip(2)),
        Some("dist") => dist::run(root, std::env::args().skip(2)),
        Some("bless") => pages::bless(root).map(|()| Vec::new()),
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
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
