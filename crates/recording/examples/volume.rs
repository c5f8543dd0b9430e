//! What a recording of 200 series at 1,000 intervals costs: seconds to write and to read, bytes
//! for each frame. `cargo run --release -p isotherm-recording --example volume`
#![allow(clippy::print_stdout, reason = "the numbers are what it is for")]

use std::error::Error;
use std::time::Instant;

use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_recording::{About, Durability, Reader, Writer};

const SERIES: u64 = 200;
const INTERVALS: u64 = 1_000;

/// One interval of all series: latencies of about 2 ms, 30 events to a frame, in the scheme that
/// events are binned in.
fn interval(series: &[Series], second: u64) -> Vec<Frame> {
    let start = Timestamp::new(0).plus(Nanos::from_millis(second * 1_000));
    let frame = |(index, series): (u64, &Series)| {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for event in 0..30 {
            let spread = (index * 7_919 + second * 104_729 + event * 1_299_709) % 4_096;
            counts.record(Nanos::from_micros(500 + spread));
        }
        let (end, quality) = (start.plus(Nanos::SECOND), Quality::Complete);
        Frame { series: series.clone(), start, end, counts, quality }
    };
    (0..).zip(series).map(frame).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("volume.heat");
    let series: Vec<Series> = (0..SERIES)
        .map(|n| Series::with_attributes("read", [("device", format!("d{n}"))]))
        .collect();
    let intervals: Vec<Vec<Frame>> = (0..INTERVALS).map(|n| interval(&series, n)).collect();

    let begun = Instant::now();
    let mut writer = Writer::create(&path, &About::default(), Durability::Normal)?;
    for frames in &intervals {
        writer.write(frames)?;
    }
    writer.finish()?;
    let written = begun.elapsed();

    let bytes = std::fs::metadata(&path)?.len();
    let begun = Instant::now();
    let reader = Reader::open(&path)?;
    let mut events = 0;
    for frame in reader.frames(None, None)? {
        events += frame?.counts.events();
    }
    let read = begun.elapsed();

    let frames = SERIES * INTERVALS;
    assert_eq!(events, frames * 30, "every event that was written is read");
    println!("frames: {frames}");
    println!(
        "write: {:.2} s, {:.1} us a frame",
        written.as_secs_f64(),
        written.as_secs_f64() * 1e6 / frames as f64
    );
    println!("size: {bytes} bytes, {:.1} bytes a frame", bytes as f64 / frames as f64);
    println!(
        "read: {:.2} s, {:.1} us a frame",
        read.as_secs_f64(),
        read.as_secs_f64() * 1e6 / frames as f64
    );
    Ok(())
}
