//! The clock of this machine, and moments of it in words.

use isotherm_frame::Timestamp;

/// The moment now.
pub fn now() -> Timestamp {
    timestamp(jiff::Timestamp::now())
}

/// A moment as nanoseconds since 1970; 64 bits of them reach to the year 2262.
pub fn timestamp(moment: jiff::Timestamp) -> Timestamp {
    Timestamp::new(i64::try_from(moment.as_nanosecond()).unwrap_or(i64::MAX))
}

/// A moment in UTC, such as `2026-11-21 05:00:00`.
pub(crate) fn date_and_time(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_nanosecond(i128::from(at.as_nanos()));
    moment.unwrap_or_default().strftime("%Y-%m-%d %H:%M:%S").to_string()
}
