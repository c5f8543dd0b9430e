//! `--io`: what a database reads and writes, by function and file.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use isotherm_analysis::IoChange;
use isotherm_frame::Nanos;
use isotherm_live::{Address, IoReader};
use isotherm_views::OutputForm;
use isotherm_views::activity::{IoReport, LastInterval};

use crate::failure::Failure;
use crate::redact::redacted;
use crate::screen;
use crate::signals::Signals;
use crate::top_args::{TopArgs, TopFormat};

/// The time between the readings where none is given: servers hand on some counters once a second.
const USUAL: Nanos = Nanos::from_millis(5_000);
/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);

/// Reads the counters twice, and prints the difference, with the last minute as the database measured it itself.
pub fn run(args: &TopArgs, address: &Address, signals: &Signals) -> Result<(), Failure> {
    let mut reader = IoReader::open(address)?;
    let before = reader.read()?;
    wait(args.duration.unwrap_or(USUAL), signals);
    let after = reader.read()?;
    let measured = reader.metrics();
    let report = IoReport {
        source: redacted(&args.source),
        change: IoChange::between(&before, &after),
        last_interval: measured
            .map(|read| LastInterval::new(read.map_err(|error| redacted(&error.to_string())))),
    };
    let json = args.format == TopFormat::Json;
    let mut out = screen::output(if json { OutputForm::Json } else { OutputForm::Text });
    let top = usize::try_from(args.top).unwrap_or(usize::MAX);
    let written = if json {
        report.write_json(&mut out)
    } else {
        report.write_text(screen::width(args.width), top, &mut out)
    };
    screen::written(written.and_then(|()| out.flush()))
}

/// Waits for this time, or until the user ends it.
fn wait(length: Nanos, signals: &Signals) {
    let (began, length) = (Instant::now(), Duration::from_nanos(length.as_nanos()));
    while !signals.stop_asked() {
        let left = length.saturating_sub(began.elapsed());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(TICK));
    }
}
