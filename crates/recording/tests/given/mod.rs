//! Frames made by hand, and what tests ask of a recording.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::Path;

use isotherm_frame::{Clock, Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_recording::import::{ImportError, Imported, read_csv, read_jsonl};
use isotherm_recording::{About, Reader};

pub const SECOND: i64 = 1_000_000_000;

/// 2026-01-02 03:04:05 UTC.
pub const BEGIN: i64 = 1_767_323_045 * SECOND;

pub fn about() -> About {
    About::new("cmd:iostat 1")
        .with_command_line("isotherm record 'cmd:iostat 1' -o x.heat")
        .with_host("db1")
        .with_isotherm_version("0.1.0")
        .with_clock(Clock::Epoch)
        .with_started(Timestamp::new(BEGIN))
}

pub fn frame(series: &Series, second: i64, bounds: &[u64], counts: &[u64]) -> Frame {
    let scheme = Scheme::new(bounds.to_vec()).unwrap();
    Frame {
        series: series.clone(),
        start: Timestamp::new(BEGIN + second * SECOND),
        end: Timestamp::new(BEGIN + (second + 1) * SECOND),
        counts: Histogram::new(scheme, counts.to_vec(), None).unwrap(),
        quality: Quality::Complete,
    }
}

pub fn with_sum(mut frame: Frame, sum_ns: u64) -> Frame {
    frame.counts = frame.counts.with_sum(Some(Nanos::new(sum_ns)));
    frame
}

pub fn with_quality(mut frame: Frame, quality: Quality) -> Frame {
    frame.quality = quality;
    frame
}

/// Every frame of a recording; a test fails on the first that cannot be read.
pub fn frames(path: &Path) -> Vec<Frame> {
    let reader = Reader::open(path).unwrap();
    reader.frames(None, None).unwrap().collect::<Result<_, _>>().unwrap()
}

/// What an export in JSON lines holds.
pub fn of_jsonl(mut bytes: &[u8]) -> Result<(Vec<Frame>, Imported), ImportError> {
    let mut frames = Vec::new();
    let imported = read_jsonl(&mut bytes, &mut |frame| frames.push(frame))?;
    Ok((frames, imported))
}

/// The frames of an export in CSV.
pub fn of_csv(bytes: &[u8]) -> Result<Vec<Frame>, ImportError> {
    let mut frames = Vec::new();
    read_csv((&mut &*bytes, &mut &*bytes), &mut |frame| frames.push(frame))?;
    Ok(frames)
}
