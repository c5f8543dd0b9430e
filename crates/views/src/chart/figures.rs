//! Numbers on charts.

use super::ChartUnit;
use crate::numbers::quantity;

/// Units from small to large, each with what one of it is.
const NUMBERS: [(f64, &str); 5] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];
const SECONDS: [(f64, &str); 4] = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s")];
const SHARES: [(f64, &str); 1] = [(1e-2, "%")];

impl ChartUnit {
    fn units(self) -> &'static [(f64, &'static str)] {
        match self {
            ChartUnit::Number => &NUMBERS,
            ChartUnit::Seconds => &SECONDS,
            ChartUnit::Share => &SHARES,
        }
    }

    /// The largest unit of which `value` has at least one; the smallest if there is none.
    fn unit_of(self, value: f64) -> (f64, &'static str) {
        let units = self.units();
        // Numbers that round up to one are one.
        let fits = units.iter().rev().find(|(one, _)| value.abs() >= one * 0.9995);
        fits.or(units.first()).copied().unwrap_or((1.0, ""))
    }

    /// A value with three significant digits: `6.19k`, `457µs`, `12.5%`.
    pub(crate) fn value(self, value: f64) -> String {
        if value == 0.0 || !value.is_finite() {
            return if value == 0.0 { "0" } else { "no finite value" }.to_owned();
        }
        let (one, name) = self.unit_of(value);
        let scaled = value / one;
        if self == ChartUnit::Number && scaled.abs() >= 999.5 {
            return format!("{value:.2e}");
        }
        let text = quantity(scaled);
        let short = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        format!("{short}{name}")
    }

    /// A tick's label, exact to `step`, in a unit that suits values up to `most`: all ticks of an
    /// axis that is even have the same.
    pub(super) fn tick(self, value: f64, step: f64, most: f64) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        let by_step = self.unit_of(step);
        // Up to four digits where there is no unit to name.
        let limit = if by_step.1.is_empty() { 1e4 } else { 1e3 };
        let many = most / by_step.0 >= limit;
        let (one, name) = if many { self.unit_of(most) } else { by_step };
        let places = -(step / one).log10().mul_add(1.0, 1e-9).floor();
        if !(..=6.0).contains(&places) || (most / one).abs() >= 1e6 {
            return format!("{value:.1e}");
        }
        // At most six.
        let places = (0..=6_u8).find(|&count| f64::from(count) >= places).map_or(6, usize::from);
        format!("{:.places$}{name}", value / one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits_and_a_unit() {
        let seconds =
            [0.0, 457e-6, 0.0394, 12.0, 3e-10, 0.9996e-3].map(|s| ChartUnit::Seconds.value(s));
        assert_eq!(seconds, ["0", "457µs", "39.4ms", "12s", "0.3ns", "1ms"]);
        let numbers = [6_190.0, 1.0, 0.25, 1e15].map(|n| ChartUnit::Number.value(n));
        assert_eq!(numbers, ["6.19k", "1", "0.25", "1.00e15"]);
        assert_eq!(ChartUnit::Share.value(0.125), "12.5%");
    }

    #[test]
    fn ticks_of_an_axis_share_a_unit_and_say_what_differs() {
        let ticks = |unit: ChartUnit, step: f64, count: u8| -> Vec<String> {
            let most = step * f64::from(count);
            (0..=count).map(|at| unit.tick(step * f64::from(at), step, most)).collect()
        };
        assert_eq!(ticks(ChartUnit::Number, 20_000.0, 3), ["0", "20k", "40k", "60k"]);
        assert_eq!(ticks(ChartUnit::Number, 500.0, 3), ["0", "500", "1000", "1500"]);
        assert_eq!(ticks(ChartUnit::Number, 0.5, 2), ["0", "0.5", "1.0"]);
        assert_eq!(ticks(ChartUnit::Seconds, 2e-4, 2), ["0", "200µs", "400µs"]);
        assert_eq!(ticks(ChartUnit::Seconds, 5e-4, 2), ["0", "0.5ms", "1.0ms"]);
        assert_eq!(ticks(ChartUnit::Share, 0.25, 4), ["0", "25%", "50%", "75%", "100%"]);
        assert_eq!(ticks(ChartUnit::Share, 0.005, 2), ["0", "0.5%", "1.0%"]);
    }
}
