//! `--describe` and `--device`: what was found, in words.

use clap::Args;
use isotherm_analysis::{DeviceClass, Digest, Story};
use isotherm_frame::{BinnerLimits, Nanos};
use isotherm_views::{TimeFormat, narration};

use isotherm_pipeline::Binning;

use crate::range_args::RangeArgs;

/// How single events are binned wherever something is said about them, so that every surface says
/// the same: intervals begin at 1/512 s and grow with the input by doubling, so that they become
/// quarters, halves and whole seconds. A page shows no more than 6,000 of them.
pub const BINNING: Binning = Binning::new(
    Nanos::new(1_953_125),
    BinnerLimits { max_intervals: 6_000, max_bytes: 20 << 20, ..BinnerLimits::cells(1 << 18) },
);

/// The same where no more columns are drawn than a screen has: as fine as findings need it.
const ON_SCREEN: Binning =
    Binning::new(BINNING.interval, BinnerLimits { max_intervals: 2_048, ..BINNING.limits });

/// How single events are binned for a screen: a part is cut where that of a page is.
pub fn binning_of(stretch: &RangeArgs) -> Binning {
    if stretch.is_given() { BINNING } else { ON_SCREEN }
}

/// How findings are reported.
#[derive(Args, Debug, Default)]
pub struct DescriptionArgs {
    /// Print a description in plain words (and nothing else)
    #[arg(long)]
    pub describe: bool,
    /// The device: hdd, ssd, nvme, san, or the measured time of its fastest reads, such as 80us;
    /// warns about latencies that are too short for it
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceClass>,
}

/// What is worth saying of everything a digest took, in sentences; none if that is nothing.
pub fn of_digest(
    digest: &Digest,
    moments: &TimeFormat,
    device: Option<DeviceClass>,
) -> Vec<String> {
    let story = Story::of_digest(digest, device);
    let remarks = story.map(|story| story.remarks).unwrap_or_default();
    narration::sentences(&remarks, moments)
}
