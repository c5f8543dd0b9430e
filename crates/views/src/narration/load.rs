//! How latency goes with load, and whether it is that of a device.

use isotherm_analysis::{CacheWarning, DeviceClass, LoadResponse, ResponseKind};
use isotherm_frame::{Nanos, percent};

use super::wording::{about, about_ns, two_digits};
use crate::numbers::quantity;

/// The latency at low and at high load, and where it begins to rise steeply.
pub(super) fn at_loads(response: &LoadResponse) -> String {
    let (low, high) = response.rates;
    let (low, high) = (crate::numbers::rate(low), crate::numbers::rate(high));
    let (at_low, at_high) = (about_ns(response.means_ns.0), about_ns(response.means_ns.1));
    let knee = match response.kind {
        ResponseKind::Follows(Some(rate)) => {
            format!(", steeply from ≈{} events/s on", crate::numbers::rate(rate))
        }
        _ => String::new(),
    };
    format!("{at_low} on average at {low} events/s, {at_high} at {high}{knee}")
}

pub(super) fn responds(response: &LoadResponse) -> String {
    let (low, high) = response.rates;
    let (at_low, at_high) = response.means_ns;
    let (low, high) = (crate::numbers::rate(low), crate::numbers::rate(high));
    let (at_low, at_high) = (about_ns(at_low), about_ns(at_high));
    match response.kind {
        ResponseKind::Follows(_) => {
            format!("Latency grows with load: {}.", at_loads(response))
        }
        ResponseKind::VariesWithoutLoad => format!(
            "Latency varies, not with load: {at_low} on average in the fastest fifth of the time, \
             {at_high} in the slowest."
        ),
        ResponseKind::Closed => format!(
            "About {} waiting whatever the rate: a fixed number of callers, and the rate falls as \
             latency rises.",
            quantity(response.waiting)
        ),
        ResponseKind::Unrelated => {
            format!("Latency does not grow with load, between {low} and {high} events/s.")
        }
    }
}

/// A declared class in words, and what stands behind it.
fn device(class: DeviceClass) -> &'static str {
    match class {
        DeviceClass::Hdd => "a rotating disk can be",
        DeviceClass::Ssd => "a SATA flash disk can be",
        DeviceClass::Nvme => "an NVMe disk can be",
        DeviceClass::San => "an array behind a network can be",
        DeviceClass::Measured(_) => "the fastest measured on this device",
    }
}

pub(super) fn cache_warning(warning: &CacheWarning) -> String {
    let than = |share: f64, reads: bool, floor: Nanos, class: DeviceClass| {
        let what = if reads { "reads" } else { "events" };
        let (share, floor) = (percent(share), two_digits(floor));
        format!("{share} of all {what} took less than {floor}, faster than {}", device(class))
    };
    match *warning {
        CacheWarning::FasterThanDevice { class, floor, share, reads } => {
            let than = than(share, reads, floor, class);
            let cache = if reads {
                "This was the cache."
            } else {
                "If they are reads, this was the cache."
            };
            format!("Too good to be true: {than}. {cache}")
        }
        CacheWarning::CacheHits { class, floor, share, reads } => {
            let than = than(share, reads, floor, class);
            let condition = if reads { "" } else { "if they are reads, " };
            format!("{than}: {condition}a cache answered them.")
        }
        CacheWarning::TwoSpeeds { fast, share, .. } => format!(
            "{} of all reads took {}: perhaps a cache answered them.",
            percent(share),
            about(fast)
        ),
        CacheWarning::MayBeCache { below, rate } => format!(
            "At least 99.9 % of all reads took less than {below}, at {} reads/s: this may be a \
             cache (declare the device with --device).",
            quantity(rate)
        ),
    }
}
