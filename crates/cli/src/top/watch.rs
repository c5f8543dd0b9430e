//! The screen.

use std::time::{SystemTime, UNIX_EPOCH};

use isotherm_frame::Timestamp;
use isotherm_sources::Address;

use crate::failure::Failure;
use crate::signals::Signals;
use crate::top_args::TopArgs;

pub fn run(_: &TopArgs, _: &Address, _: &Signals) -> Result<(), Failure> {
    Ok(())
}

pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
