//! From values to the few shades a map is drawn in.

/// One cell's shade: nothing, a trace, or a step from 1 to the number of steps.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shade {
    /// Exactly zero: never painted.
    #[default]
    Zero,
    /// More than zero, too little for a step: painted faintly, so that rare outliers stay seen.
    Trace,
    /// A step of the ramp, from 1.
    Step(u8),
}

/// How values become shades.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Square root: the default of frequency.
    Sqrt,
    /// The power 0.75, between square root and linear: the default of intensity.
    Power,
    /// In proportion.
    Linear,
    /// By the logarithm, over three decades.
    Log,
    /// By rank among the cells that are not zero: as many cells in each step.
    Rank,
}

impl Scale {
    /// The scale after this one when the user steps through them.
    #[must_use]
    pub fn next(self) -> Scale {
        match self {
            Scale::Sqrt => Scale::Power,
            Scale::Power => Scale::Linear,
            Scale::Linear => Scale::Log,
            Scale::Log => Scale::Rank,
            Scale::Rank => Scale::Sqrt,
        }
    }

    /// A short name for the legend.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Sqrt => "sqrt",
            Scale::Power => "power 0.75",
            Scale::Linear => "linear",
            Scale::Log => "log",
            Scale::Rank => "rank",
        }
    }

    /// The share of the ramp that a value at `ratio` of the maximum takes: both 0 to 1.
    fn lift(self, ratio: f64) -> f64 {
        match self {
            Scale::Sqrt => ratio.sqrt(),
            Scale::Power => ratio.powf(0.75),
            Scale::Linear | Scale::Rank => ratio,
            Scale::Log => 1.0 + ratio.log10() / 3.0,
        }
    }

    /// The ratio whose share is `share`.
    fn lower(self, share: f64) -> f64 {
        match self {
            Scale::Sqrt => share * share,
            Scale::Power => share.powf(4.0 / 3.0),
            Scale::Linear | Scale::Rank => share,
            Scale::Log => 10_f64.powf((share - 1.0) * 3.0),
        }
    }
}

/// What each shade of a map stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// The scale.
    pub scale: Scale,
    /// The value from which step `i + 1` is used; ascending.
    pub steps: Vec<f64>,
    /// Values below this and above zero are a trace.
    pub trace_below: f64,
    /// The value that takes the whole ramp; larger ones are drawn in the last step too.
    pub max: f64,
    /// Whether `max` is pinned by the user.
    pub pinned: bool,
}

impl Legend {
    /// The legend of a map with these cells.
    ///
    /// `steps` is the number of steps of the ramp, `trace` the share of the maximum below which
    /// a value is only a trace.
    pub fn new(scale: Scale, steps: u8, max: &ColourMax, trace: f64, cells: &[f64]) -> Legend {
        if max.value() <= 0.0 {
            let (steps, pinned) = (vec![0.0; usize::from(steps)], max.is_pinned());
            return Legend { scale, steps, trace_below: 0.0, max: 0.0, pinned };
        }
        let top = max.value();
        let trace_below = trace * top;
        let ranked =
            if scale == Scale::Rank { sorted_above(cells, trace_below) } else { Vec::new() };
        let step_from = |step: u8| {
            let share = f64::from(step) / f64::from(steps);
            if scale == Scale::Rank { at_share(&ranked, share) } else { top * scale.lower(share) }
        };
        let mut steps: Vec<f64> = (0..steps).map(step_from).collect();
        if let Some(first) = steps.first_mut() {
            *first = trace_below;
        }
        for index in 1..steps.len() {
            steps[index] = steps[index].max(steps[index - 1]);
        }
        Legend { scale, steps, trace_below, max: top, pinned: max.is_pinned() }
    }

    /// The shade of a value.
    pub fn shade(&self, value: f64) -> Shade {
        if value <= 0.0 {
            return Shade::Zero;
        }
        if value < self.trace_below {
            return Shade::Trace;
        }
        let step = self.steps.partition_point(|&from| from <= value);
        Shade::Step(u8::try_from(step.max(1)).unwrap_or(u8::MAX))
    }

    /// How far up the ramp a value lies, 0 to 1: for a bar or a finer ramp.
    pub fn share(&self, value: f64) -> f64 {
        if value <= 0.0 {
            0.0
        } else if self.max <= 0.0 {
            1.0
        } else {
            self.scale.lift((value / self.max).min(1.0)).clamp(0.0, 1.0)
        }
    }
}

fn sorted_above(cells: &[f64], least: f64) -> Vec<f64> {
    let mut values: Vec<f64> =
        cells.iter().copied().filter(|&cell| cell > 0.0 && cell >= least).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn at_share(sorted: &[f64], share: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= index < len")]
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// The value that takes the whole ramp: steady from frame to frame, so that colours keep their
/// meaning, or pinned, so that runs can be compared.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct ColourMax {
    running: f64,
    pinned: Option<f64>,
}

impl ColourMax {
    /// Pinned to a value.
    pub fn pinned(value: f64) -> ColourMax {
        ColourMax { running: value, pinned: Some(value) }
    }

    /// The value.
    pub fn value(&self) -> f64 {
        self.pinned.unwrap_or(self.running)
    }

    /// Whether the value is pinned.
    pub fn is_pinned(&self) -> bool {
        self.pinned.is_some()
    }

    /// Pins the present value, or lets it run again.
    pub fn toggle_pin(&mut self) {
        self.pinned = if self.is_pinned() { None } else { Some(self.running) };
    }

    /// Follows the cells: up at once, down only when their 99.9th percentile has fallen below
    /// 60 % of the present value.
    pub fn follow(&mut self, cells: &[f64]) {
        let values = sorted_above(cells, f64::MIN_POSITIVE);
        let high = at_share(&values, 0.999);
        if high > self.running || high < 0.6 * self.running {
            self.running = high;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legend(scale: Scale) -> Legend {
        Legend::new(scale, 8, &ColourMax::pinned(800.0), 0.0012, &[])
    }

    #[test]
    fn zero_trace_and_steps_are_distinguished() {
        let legend = legend(Scale::Sqrt);
        assert_eq!(legend.shade(0.0), Shade::Zero);
        assert_eq!(legend.shade(0.9), Shade::Trace);
        assert_eq!(legend.shade(1.0), Shade::Step(1));
        // Half the ramp of a square root is a quarter of the maximum.
        assert_eq!(legend.shade(199.9), Shade::Step(4));
        assert_eq!(legend.shade(200.1), Shade::Step(5));
        assert_eq!(legend.shade(5_000.0), Shade::Step(8));
    }

    /// A map of time without events: no shade stands for any number of events.
    #[test]
    fn where_there_is_nothing_the_largest_value_is_zero() {
        for scale in [Scale::Sqrt, Scale::Linear, Scale::Rank] {
            let legend = Legend::new(scale, 4, &ColourMax::default(), 0.0012, &[0.0; 9]);
            assert_eq!(
                (legend.max, legend.trace_below, &legend.steps[..]),
                (0.0, 0.0, &[0.0; 4][..])
            );
            assert_eq!((legend.shade(0.0), legend.share(0.0)), (Shade::Zero, 0.0));
            assert_eq!((legend.shade(1e-300), legend.share(1e-300)), (Shade::Step(4), 1.0));
        }
    }

    #[test]
    fn a_value_at_which_a_step_begins_is_of_that_step() {
        let legend = Legend::new(Scale::Linear, 4, &ColourMax::pinned(400.0), 0.01, &[]);
        assert_eq!(legend.steps, [4.0, 100.0, 200.0, 300.0]);
        assert_eq!(legend.shade(4.0), Shade::Step(1));
        assert_eq!(legend.shade(100.0), Shade::Step(2));
    }

    #[test]
    fn one_cell_in_two_thousand_does_not_set_the_colours_of_all() {
        let mut cells: Vec<f64> = (1..2_000).map(f64::from).collect();
        cells.push(1e9);
        let mut max = ColourMax::default();
        max.follow(&cells);
        // The 99.9th percentile of 2,000 cells is the 1,999th of them.
        assert!((max.value() - 1_999.0).abs() < f64::EPSILON, "{}", max.value());
    }

    #[test]
    fn more_never_looks_like_less() {
        for scale in [Scale::Sqrt, Scale::Power, Scale::Linear, Scale::Log] {
            let legend = legend(scale);
            let shades: Vec<Shade> = (0..2_000).map(|v| legend.shade(f64::from(v))).collect();
            assert!(shades.is_sorted(), "{scale:?}");
            assert_eq!(shades.last(), Some(&Shade::Step(8)));
        }
    }

    #[test]
    fn rank_puts_as_many_cells_in_each_step() {
        let cells: Vec<f64> = (1..=800).map(|value| f64::from(value) * f64::from(value)).collect();
        let legend = Legend::new(Scale::Rank, 8, &ColourMax::pinned(640_000.0), 0.0, &cells);
        let in_step =
            |step| cells.iter().filter(|&&c| legend.shade(c) == Shade::Step(step)).count();
        assert_eq!((1..=8).map(in_step).collect::<Vec<_>>(), vec![100; 8]);
    }

    #[test]
    fn the_maximum_rises_at_once_and_falls_only_when_it_is_far_too_high() {
        let mut max = ColourMax::default();
        max.follow(&[0.0, 10.0, 100.0]);
        assert!((max.value() - 100.0).abs() < f64::EPSILON);
        max.follow(&[70.0]);
        assert!((max.value() - 100.0).abs() < f64::EPSILON);
        max.follow(&[50.0]);
        assert!((max.value() - 50.0).abs() < f64::EPSILON);
        max.toggle_pin();
        max.follow(&[5_000.0]);
        assert!((max.value() - 50.0).abs() < f64::EPSILON);
    }
}
