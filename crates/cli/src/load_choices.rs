//! The values that the options of a load take.

use clap::ValueEnum;
use isotherm_frame::Nanos;
use isotherm_load::{HotSpot, Think, Warmup};

use crate::amounts;

/// How arrivals are spaced.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpacingArg {
    /// Independent arrivals: exponential gaps
    Poisson,
    /// Equal gaps
    Fixed,
}

/// How reads and updates are mixed.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum MixArg {
    /// Each operation is chosen at random
    Independent,
    /// In bursts: of each hundred operations updates come first, until their share is used up
    Slob,
}

/// The order of places.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternArg {
    /// Each is as likely as any other
    Random,
    /// One after the other
    Sequential,
}

/// How operations on files are submitted.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodArg {
    /// `io_uring` where the kernel lets us, else sync
    Auto,
    /// `io_uring` with registered buffers and files
    Uring,
    /// pread and pwrite, one thread for each operation in flight
    Sync,
}

/// How much redo an update makes.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedoArg {
    /// Two columns change
    Lite,
    /// All nineteen change
    Heavy,
}

/// How long `--warmup auto` lasts at most.
pub const LONGEST_WARMUP: Nanos = Nanos::from_millis(60_000);

/// Reads `auto` or a length of time.
pub fn warmup(text: &str) -> Result<Warmup, String> {
    if text == "auto" {
        return Ok(Warmup::UntilSteady(LONGEST_WARMUP));
    }
    let length = text.parse().map_err(|error| format!("{error}, or auto"))?;
    Ok(Warmup::Time(length))
}

/// Reads `1-in-4`, or `4` alone.
fn one_in(text: &str) -> Result<u32, String> {
    let digits = text.trim().strip_prefix("1-in-").unwrap_or(text.trim());
    let number = digits.parse().ok().filter(|&number: &u32| number > 0);
    number.ok_or_else(|| format!("'{text}' must say one in how many: 1-in-4"))
}

/// Reads `10,1-in-4,50`.
pub fn hot(text: &str) -> Result<HotSpot, String> {
    let mut parts = text.splitn(3, ',');
    let size_pct = amounts::per_cent(parts.next().unwrap_or_default())?;
    let one_in = parts.next().map_or(Ok(2), one_in)?;
    let offset_pct = parts.next().map_or(Ok(0.0), amounts::per_cent)?;
    if size_pct <= 0.0 || size_pct + offset_pct > 100.0 {
        return Err(format!("'{text}': the hot places must lie between 0 and 100 per cent of all"));
    }
    Ok(HotSpot { size_pct, offset_pct, one_in })
}

/// Reads `5ms..10ms,1-in-100`.
pub fn think(text: &str) -> Result<Think, String> {
    let (lengths, rest) = text.split_once(',').map_or((text, None), |(a, b)| (a, Some(b)));
    let (least, most) = lengths.split_once("..").unwrap_or((lengths, lengths));
    let length = |text: &str| text.parse::<Nanos>().map_err(|error| error.to_string());
    let (least, most) = (length(least)?, length(most)?);
    if least > most || most == Nanos::ZERO {
        return Err(format!("'{text}': write MIN..MAX, such as 5ms..10ms"));
    }
    Ok(Think { one_in: rest.map_or(Ok(1), one_in)?, least, most })
}
