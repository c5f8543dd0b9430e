//! How fast, and in how much memory, traces are profiled.
//!
//! `cargo run --release -p isotherm-oracle --example profile_speed TRACE...` profiles each file
//! five times, as `isotherm trace` does, and prints the fastest. `trace_speed` makes such a file.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::fs::File;
use std::io;
use std::time::Instant;

use isotherm_oracle::trace::profile::{Limits, Profiler};
use isotherm_oracle::trace::scan;

/// The most memory this process ever held, where the system says.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("an unknown amount", str::trim).to_owned()
}

fn main() -> io::Result<()> {
    for path in std::env::args().skip(1) {
        let (mut best, mut said) = (f64::MAX, String::new());
        for _ in 0..5 {
            let begun = Instant::now();
            let mut profiler = Profiler::new(&path, Limits::default(), 8_192);
            let account = scan(&mut File::open(&path)?, &mut profiler)?;
            let profile = profiler.finish();
            let seconds = begun.elapsed().as_secs_f64();
            let statements = profile.statements.distinct().0;
            if seconds < best {
                best = seconds;
                let speed = account.bytes as f64 / seconds / 1e9;
                said = format!(
                    "{seconds:.3} s, {speed:.2} GB/s: {} waits, {statements} statements",
                    account.waits
                );
            }
        }
        println!("{path}: {said}; at most {} held", peak_memory());
    }
    Ok(())
}
