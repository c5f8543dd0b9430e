//! Numbers of a fit as people read them.

use isotherm_frame::narrow_percent_change;
use isotherm_queueing::{Edge, Estimate, Loop, Parameter, Quantity};

use crate::chart::ChartUnit;
use crate::numbers::quantity;

/// A smaller share is no number that anybody needs.
const LEAST_SHARE: f64 = 1e-4;

/// A time: `1.02ms`.
pub(super) fn time(seconds: f64) -> String {
    if seconds.is_infinite() { "without end".to_owned() } else { ChartUnit::Seconds.value(seconds) }
}

/// A rate: `4.01k/s`.
pub(super) fn rate(per_second: f64) -> String {
    if per_second.is_infinite() {
        "no limit".to_owned()
    } else {
        format!("{}/s", quantity(per_second))
    }
}

/// A share as a percentage: `1.8%`, `<0.01%`.
pub(super) fn share(share: f64) -> String {
    if share > 0.0 && share < LEAST_SHARE {
        return "<0.01%".to_owned();
    }
    ChartUnit::Share.value(share)
}

/// The same in a sentence: `1.8 %`.
pub(super) fn share_in_words(of: f64) -> String {
    share(of).replace('%', " %")
}

/// A difference as a percentage with its sign: `+1.8%`.
pub(super) fn off(share: f64) -> String {
    narrow_percent_change(share)
}

/// A load: operations in flight, or arrivals per second.
pub(super) fn load(arrivals: Loop, load: f64) -> String {
    match arrivals {
        Loop::Closed => quantity_short(load),
        Loop::Open => rate(load),
    }
}

/// The same in a sentence: `12 in flight`, `4.01k/s`.
pub fn load_in_words(arrivals: Loop, value: f64) -> String {
    match arrivals {
        Loop::Closed => format!("{} in flight", quantity_short(value)),
        Loop::Open => rate(value),
    }
}

/// A number without zeros that say nothing: `8`, `2.72`.
pub(super) fn quantity_short(value: f64) -> String {
    if value.is_infinite() {
        return "without end".to_owned();
    }
    if value.fract().abs() < 1e-9 && value.abs() < 1e4 {
        return format!("{value:.0}");
    }
    quantity(value)
}

/// The letter of a parameter in the formulas.
pub(super) fn letter(parameter: Parameter) -> &'static str {
    match parameter {
        Parameter::Service => "S",
        Parameter::LeastResponse => "R0",
        Parameter::Delay => "Z",
        Parameter::Capacity => "Xmax",
        Parameter::Servers => "M",
        Parameter::Sharpness => "k",
        Parameter::Speed => "g",
        Parameter::Contention => "a",
        Parameter::Coherency => "b",
        Parameter::Variability => "v",
    }
}

/// The name of a quantity in files.
pub(super) fn key(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Parameter(parameter) => letter(parameter),
        Quantity::LightResponse => "light_response",
        Quantity::Capacity => "capacity",
        Quantity::Knee => "knee",
        Quantity::Peak => "peak",
    }
}

/// A value of a quantity.
pub(super) fn value(quantity: Quantity, arrivals: Loop, value: f64) -> String {
    match quantity {
        Quantity::LightResponse
        | Quantity::Parameter(Parameter::Service | Parameter::LeastResponse | Parameter::Delay) => {
            time(value)
        }
        Quantity::Capacity | Quantity::Parameter(Parameter::Capacity | Parameter::Speed) => {
            rate(value)
        }
        Quantity::Knee | Quantity::Peak => load(arrivals, value),
        Quantity::Parameter(_) => self::quantity_short(value),
    }
}

/// An estimate with its interval: `1.02ms [0.99ms, 1.05ms]`.
pub(super) fn estimate(estimate: &Estimate, arrivals: Loop) -> String {
    let shown = |number: f64| value(estimate.quantity, arrivals, number);
    let servers = estimate.quantity == Quantity::Parameter(Parameter::Servers);
    if let (true, Some(Edge::Most), Some((low, _))) = (servers, estimate.edge, estimate.interval) {
        return format!("{} or more", shown(low));
    }
    if estimate.value.is_infinite() {
        return not_reached(estimate, &shown);
    }
    let known = match estimate.edge {
        Some(Edge::Most) => format!("≥{}", shown(estimate.value)),
        _ => shown(estimate.value),
    };
    match estimate.interval {
        Some((low, high)) if high.is_infinite() => format!("{known} [{} or more]", shown(low)),
        Some((low, high)) => format!("{known} [{}, {}]", shown(low), shown(high)),
        None => known,
    }
}

/// An estimate that lies far beyond all that was measured, with the least it can be.
fn not_reached(estimate: &Estimate, shown: &dyn Fn(f64) -> String) -> String {
    let least = estimate.interval.map(|(low, _)| low).filter(|low| low.is_finite());
    let least = least.map_or_else(String::new, |low| format!(" [{} or more]", shown(low)));
    match estimate.quantity {
        Quantity::Peak => format!("none{least}"),
        _ => format!("not reached{least}"),
    }
}
