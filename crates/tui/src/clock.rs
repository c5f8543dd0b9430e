//! Moments and lengths of time as the screen shows them.

use isotherm_frame::{Clock, Nanos, Timestamp};
use isotherm_views::times::nearest_second;
use jiff::tz::TimeZone;

use crate::app::App;

/// A length of time as a clock would say it: `850ms`, `71s`, `12m`, `2h05m`, `3d04h`.
pub(crate) fn span(length: Nanos) -> String {
    let seconds = length.as_nanos() / 1_000_000_000;
    let whole = length.as_nanos().is_multiple_of(1_000_000_000);
    match seconds {
        0 if length == Nanos::ZERO => "0s".to_owned(),
        0..10 if !whole => length.to_string(),
        0..120 => format!("{seconds}s"),
        120..7_200 if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        120..7_200 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        7_200..172_800 => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// A moment in the zone the user reads, as precise as columns are long. Which zone that is, the
/// line above the maps says, with [`clock_in_zone`].
pub(crate) fn clock(app: &App, at: Timestamp) -> String {
    let fine = app.window.column() < Nanos::SECOND;
    let at = if fine { at } else { nearest_second(at) };
    match app.clock {
        Clock::Epoch => {
            let format = if fine { "%H:%M:%S%.3f" } else { "%H:%M:%S" };
            zoned(app, at, format).unwrap_or_else(|| elapsed(at, fine))
        }
        Clock::TimeOfDay => {
            let day = 86_400_000_000_000;
            elapsed(Timestamp::new(at.as_nanos().rem_euclid(day)), fine)
        }
        Clock::Arbitrary | Clock::Assumed => format!("+{}", elapsed(at, fine)),
    }
}

/// The same with the name of the zone: `05:11:33 UTC`, `06:11:33 CET`.
pub(crate) fn clock_in_zone(app: &App, at: Timestamp) -> String {
    let zone = match app.clock {
        Clock::Epoch if app.look.utc => Some("UTC".to_owned()),
        Clock::Epoch => zoned(app, at, "%Z"),
        Clock::TimeOfDay => Some("local time".to_owned()),
        Clock::Arbitrary | Clock::Assumed => None,
    };
    let zone = zone.map(|zone| format!(" {zone}")).unwrap_or_default();
    clock(app, at) + &zone
}

fn zoned(app: &App, at: Timestamp, format: &str) -> Option<String> {
    let zone = if app.look.utc { TimeZone::UTC } else { app.zone.clone() };
    let instant = jiff::Timestamp::from_nanosecond(i128::from(at.as_nanos())).ok()?;
    Some(instant.to_zoned(zone).strftime(format).to_string())
}

/// Hours, minutes and seconds since the clock's zero.
fn elapsed(at: Timestamp, fine: bool) -> String {
    let millis = at.as_nanos().div_euclid(1_000_000);
    let seconds = millis.div_euclid(1_000);
    let (h, m, s) =
        (seconds.div_euclid(3_600), seconds.rem_euclid(3_600) / 60, seconds.rem_euclid(60));
    let rest = if fine { format!(".{:03}", millis.rem_euclid(1_000)) } else { String::new() };
    format!("{h:02}:{m:02}:{s:02}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_well() {
        let spans = [71, 120, 750, 7_500, 180_000].map(|s| span(Nanos::new(s * 1_000_000_000)));
        assert_eq!(spans, ["71s", "2m", "12m30s", "2h05m", "2d02h"]);
        assert_eq!(span(Nanos::from_millis(250)), "250ms");
    }
}
