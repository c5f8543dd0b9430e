//! How fast an input is read and folded: `cargo run --release -p isotherm-flame --example fold_speed FILE`.

#![allow(clippy::print_stdout, reason = "an example for the terminal")]

use std::error::Error;
use std::fs::File;
use std::time::Instant;

use isotherm_flame::{ReadOptions, Tree, read, write_folded};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a file")?;
    let begin = Instant::now();
    let capture = read(&mut File::open(path)?, &ReadOptions::default())?;
    let read_s = begin.elapsed().as_secs_f64();
    let mut folded = Vec::new();
    write_folded(&capture.stacks, &mut folded)?;
    let tree = Tree::of(&capture.stacks, &[]);
    println!(
        "{} bytes, {} samples, {} stacks, {} nodes: read in {read_s:.2} s, all in {:.2} s",
        capture.account.bytes,
        capture.stacks.total(),
        capture.stacks.len(),
        tree.nodes.len(),
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}
