//! `--describe` and `--device`: what was found, in words.

use clap::Args;
use isotherm_analysis::{Circumstances, DeviceClass, Findings};
use isotherm_frame::{Clock, Frame, Series};
use isotherm_views::{Moments, narration};

/// How findings are told.
#[derive(Args, Debug, Default)]
pub struct StoryArgs {
    /// Say in plain words what there is to see, and nothing else
    #[arg(long)]
    pub describe: bool,
    /// The device: hdd, ssd, nvme, san, or how long its fastest reads take as measured, such as
    /// 80us; says what is too fast to be true
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceClass>,
}

/// What is worth saying of these frames taken together, in sentences; none without frames.
pub fn sentences(frames: &[Frame], clock: Clock, device: Option<DeviceClass>) -> Vec<String> {
    let Some(zero) = frames.iter().map(|frame| frame.start).min() else { return Vec::new() };
    // Frames of one series share its handle: each is looked at once in a row.
    let mut series: Vec<&Series> = frames.iter().map(|frame| &frame.series).collect();
    series.dedup_by(|one, two| one.is_same_handle(two));
    let circumstances = Circumstances::of(series, device);
    let findings = Findings::of_frames(frames, &circumstances);
    let remarks = findings.map(|findings| findings.remarks()).unwrap_or_default();
    narration::sentences(&remarks, &Moments::new(clock, zero))
}
