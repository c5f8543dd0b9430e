//! An axis: where values lie on it, and the values that are written beside it.

use super::ChartUnit;

/// An axis from a value to a larger one.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    lo: f64,
    hi: f64,
    log: bool,
    unit: ChartUnit,
    /// What is written: the value, and its label.
    pub ticks: Vec<(f64, String)>,
}

impl Scale {
    /// An axis that holds all of `values`, which are finite and, if it is logarithmic, more than
    /// zero; with about `most` ticks at most. An even axis holds zero.
    pub fn of(
        values: impl Iterator<Item = f64>,
        (log, unit): (bool, ChartUnit),
        most: u8,
    ) -> Scale {
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), value| {
            (lo.min(value), hi.max(value))
        });
        match (lo <= hi, log) {
            (false, true) => Scale::logarithmic((1.0, 10.0), unit, most),
            (false, false) => Scale::even((0.0, 1.0), unit, most),
            (true, true) => Scale::logarithmic((lo, hi), unit, most),
            (true, false) => Scale::even((lo.min(0.0), hi.max(0.0)), unit, most),
        }
    }

    /// Where a value lies, from 0 at the beginning to 1 at the end; what is beyond is at the edge.
    pub fn place(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(f64::MIN_POSITIVE).log10() - self.lo.log10())
                / (self.hi.log10() - self.lo.log10())
        } else {
            // Halves, so that no difference of two numbers is too large to be one.
            (value / 2.0 - self.lo / 2.0) / (self.hi / 2.0 - self.lo / 2.0)
        };
        if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Whether a value lies on the axis.
    pub fn holds(&self, value: f64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }

    /// The value in words.
    pub fn value(&self, value: f64) -> String {
        self.unit.value(value)
    }

    fn even((lo, hi): (f64, f64), unit: ChartUnit, most: u8) -> Scale {
        let (lo, hi) = if lo < hi { (lo, hi) } else { (0.0, 1.0) };
        let step = nice((hi / 2.0 - lo / 2.0) / f64::from(most.max(2)) * 2.0);
        // What is too small to be seen beside the step still lies on the axis.
        let (lo, hi) = (whole(lo, step, f64::floor).min(lo), whole(hi, step, f64::ceil).max(hi));
        let most = lo.abs().max(hi.abs());
        let ticks = multiples(lo, hi, step);
        let ticks = ticks.map(|value| (value, unit.tick(value, step, most))).collect();
        Scale { lo, hi, log: false, unit, ticks }
    }

    fn logarithmic((lo, hi): (f64, f64), unit: ChartUnit, most: u8) -> Scale {
        let (lo, hi) = (lo.max(f64::MIN_POSITIVE), hi.max(f64::MIN_POSITIVE));
        let decades = hi.log10() - lo.log10();
        if decades < 0.7 && lo < hi {
            return Scale::within_a_decade((lo, hi), unit, most);
        }
        // As few steps of a decade as are needed for the ticks to have room.
        let room = f64::from(most.max(2));
        let steps: &[f64] = match decades {
            ..3.0 if decades * 3.0 <= room => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let (lo, hi) = (below(lo, steps), above(hi, steps));
        let every = ((hi.log10() - lo.log10()) / room).ceil().max(1.0);
        let ticks = decade_ticks((lo, hi), steps, every);
        let ticks = ticks.map(|value| (value, unit.tick(value, power_below(value), value)));
        let ticks = ticks.collect();
        Scale { lo, hi, log: true, unit, ticks }
    }

    /// Less than a decade: ticks are evenly apart in value.
    fn within_a_decade((lo, hi): (f64, f64), unit: ChartUnit, most: u8) -> Scale {
        let step = nice((hi - lo) / f64::from(most.max(2)));
        let floor = whole(lo, step, f64::floor);
        let lo = if floor > 0.0 { floor.min(lo) } else { lo };
        let hi = whole(hi, step, f64::ceil).max(hi);
        let ticks = multiples(lo, hi, step).filter(|&tick| tick >= lo);
        let ticks = ticks.map(|value| (value, unit.tick(value, step, hi))).collect();
        Scale { lo, hi, log: true, unit, ticks }
    }
}

/// The smallest of 1, 2, 5, 10, 20... and their like that is not below this.
fn nice(least: f64) -> f64 {
    let power = power_below(least);
    let fits = [1.0, 2.0, 5.0].into_iter().find(|times| times * power >= least * (1.0 - 1e-9));
    (fits.unwrap_or(10.0) * power).clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// The largest power of ten that is not above this.
fn power_below(value: f64) -> f64 {
    10_f64.powf((value.max(f64::MIN_POSITIVE).log10() + 1e-12).floor())
}

/// The multiple of a step beside this value; the value itself where numbers end.
fn whole(value: f64, step: f64, round: fn(f64) -> f64) -> f64 {
    let multiple = round(value / step) * step;
    if multiple.is_finite() { multiple } else { value }
}

/// The multiples of a step from a value to another: a few, whatever they are.
fn multiples(lo: f64, hi: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (lo / step).ceil();
    let all = (0..64_u8).map(move |at| (first + f64::from(at)) * step);
    all.take_while(move |&tick| tick <= hi + step * 1e-6).filter(move |tick| tick.is_finite())
}

/// The largest of these steps of a decade that is not above the value.
fn below(value: f64, steps: &[f64]) -> f64 {
    let power = power_below(value);
    let fits = steps.iter().rev().map(|step| step * power).find(|&step| step <= value);
    fits.unwrap_or(value).max(f64::MIN_POSITIVE)
}

/// The smallest of these steps of a decade that is not below the value.
fn above(value: f64, steps: &[f64]) -> f64 {
    let power = power_below(value);
    let more = steps.iter().map(|step| step * power).chain([10.0 * power]);
    let fits = more.into_iter().find(|&step| step >= value);
    fits.filter(|step| step.is_finite()).unwrap_or(value)
}

/// These steps of every `every`th decade that lie on the axis.
fn decade_ticks(
    (lo, hi): (f64, f64),
    steps: &[f64],
    every: f64,
) -> impl Iterator<Item = f64> + use<'_> {
    let first = (lo.log10() + 1e-9).floor();
    let powers = (0..64_u8).map(move |at| 10_f64.powf(f64::from(at).mul_add(every, first)));
    let ticks = powers.flat_map(move |power| steps.iter().map(move |step| step * power));
    ticks.filter(move |tick| *tick >= lo * (1.0 - 1e-9) && *tick <= hi * (1.0 + 1e-9))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(values: &[f64], log: bool, unit: ChartUnit) -> Vec<String> {
        let scale = Scale::of(values.iter().copied(), (log, unit), 6);
        scale.ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn an_even_axis_begins_at_zero_and_ends_at_a_tick() {
        assert_eq!(
            labels(&[18e3, 73e3], false, ChartUnit::Number),
            ["0", "20k", "40k", "60k", "80k"]
        );
        assert_eq!(
            labels(&[-0.03, 0.04], false, ChartUnit::Share),
            ["-4%", "-2%", "0", "2%", "4%"]
        );
        assert_eq!(labels(&[], false, ChartUnit::Number), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn a_logarithmic_axis_has_steps_of_decades() {
        assert_eq!(
            labels(&[4e-5, 3e-3], true, ChartUnit::Seconds),
            ["20µs", "50µs", "100µs", "200µs", "500µs", "1ms", "2ms", "5ms"]
        );
        assert_eq!(labels(&[1.0, 256.0], true, ChartUnit::Number), ["1", "10", "100", "1k"]);
        assert_eq!(
            labels(&[2e-9, 30.0], true, ChartUnit::Seconds),
            ["1ns", "100ns", "10µs", "1ms", "100ms", "10s"]
        );
        assert_eq!(labels(&[450.0, 600.0], true, ChartUnit::Number), ["450", "500", "550", "600"]);
        assert_eq!(labels(&[7.0], true, ChartUnit::Number), ["5", "10"]);
    }

    proptest! {
        /// Whatever the values: an axis holds them all, in their order, and its ticks are few,
        /// rising and on it.
        #[test]
        fn an_axis_holds_its_values(
            values in prop::collection::vec(any::<f64>().prop_filter("finite", |v| v.is_finite()), 1..20),
            log: bool,
        ) {
            let values: Vec<f64> = values.into_iter().map(|v| if log { v.abs().max(1e-300) } else { v }).collect();
            let scale = Scale::of(values.iter().copied(), (log, ChartUnit::Number), 6);
            for &one in &values {
                prop_assert!(scale.holds(one), "{one} on {scale:?}");
                for &two in &values {
                    prop_assert!(one > two || scale.place(one) <= scale.place(two));
                }
            }
            prop_assert!(scale.ticks.len() <= 20, "{scale:?}");
            prop_assert!(scale.ticks.windows(2).all(|pair| pair[0].0 < pair[1].0), "{scale:?}");
            let span = scale.hi / 2.0 - scale.lo / 2.0;
            let near = |tick: f64| tick >= scale.lo - span * 1e-6 && tick <= scale.hi + span * 1e-6;
            prop_assert!(scale.ticks.iter().all(|tick| near(tick.0)), "{scale:?}");
        }
    }
}
