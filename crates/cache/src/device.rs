//! The device behind a cache: how long its reads take at each load, by the model of a sweep.

use isotherm_queueing::{FitRequest, Fitted, Loop, Model, Points, Study};

/// Numbers in flight that are tried grow by this factor.
const STEP: f64 = 1.05;
/// The most that are tried, in those of the sweep.
const FURTHEST: f64 = 10.0;
/// Halvings that find a number in flight.
const HALVINGS: u32 = 60;

/// A device that a sweep has measured.
#[derive(Clone, Debug)]
pub struct Device {
    /// What the sweep is called.
    pub sweep: String,
    fitted: Fitted,
    /// The greatest throughput that was measured, reads per second.
    most_measured: f64,
    /// The greatest load that was measured, in its own unit.
    most_load: f64,
}

/// What the device does with reads at a rate.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct DeviceLoad {
    /// Reads per second that miss the cache.
    pub reads_per_s: f64,
    /// Mean response time of a read, seconds; none where it cannot keep up.
    pub response_s: Option<f64>,
    /// Reads that go on at a moment, on average; none where it cannot keep up.
    pub waiting: Option<f64>,
    /// Whether that is more than the sweep measured, so that the model alone says it.
    pub is_beyond: bool,
}

impl Device {
    /// By the model that the points support best; none where no model of their own kind can be fitted.
    pub fn of(sweep: String, points: Points, seed: u64) -> Option<Device> {
        let throughputs = points.points.iter().map(|point| points.throughput(point));
        let most_measured = throughputs.fold(0.0, f64::max);
        let most_load = points.span()?.1;
        // Values alone are used, so that no intervals are needed.
        let request = FitRequest { seed, resamples: 0, ..FitRequest::default() };
        let study = Study::of(points, &request);
        let fitted = study.fits.by_support().find(|fitted| !fitted.borrowed)?.clone();
        Some(Device { sweep, fitted, most_measured, most_load })
    }

    /// The model.
    pub fn model(&self) -> Model {
        self.fitted.model
    }

    /// What the model leaves unexplained: the root mean square of relative errors.
    pub fn rms(&self) -> f64 {
        self.fitted.rms
    }

    /// What it does at a rate of reads.
    pub fn at(&self, reads_per_s: f64) -> DeviceLoad {
        let response = match (reads_per_s > 0.0, self.fitted.model.applies_to()) {
            // Nothing is read.
            (false, _) => Some(0.0),
            (true, Loop::Open) => Some(self.fitted.response_at(reads_per_s)),
            (true, Loop::Closed) => self.in_flight(reads_per_s).map(|load| {
                // One in flight is the least that was measured: fewer do not answer sooner.
                self.fitted.response_at(load.max(1.0))
            }),
        };
        let response_s = response.filter(|response| response.is_finite() && *response >= 0.0);
        DeviceLoad {
            reads_per_s,
            response_s,
            waiting: response_s.map(|response| response * reads_per_s),
            is_beyond: reads_per_s > self.most_measured,
        }
    }

    /// The number in flight with this throughput; none where no number has it.
    fn in_flight(&self, reads_per_s: f64) -> Option<f64> {
        let throughput = |load: f64| self.fitted.model.throughput_at(&self.fitted.values, load);
        if throughput(1.0) >= reads_per_s {
            return Some(1.0);
        }
        let (mut low, mut high) = (1.0, STEP);
        while throughput(high) < reads_per_s {
            if high > FURTHEST * self.most_load {
                return None;
            }
            (low, high) = (high, high * STEP);
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if throughput(middle) < reads_per_s {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use isotherm_queueing::Point;

    use super::*;

    fn device(arrivals: Loop, points: impl Iterator<Item = (f64, f64)>) -> Device {
        let points = points.map(|(load, value)| Point::bare(load, value)).collect();
        Device::of("sweep".to_owned(), Points::new(arrivals, points).unwrap(), 1).unwrap()
    }

    #[test]
    fn an_open_sweep_is_read_off_at_the_rate() {
        // M/M/1 of 1 ms: R = S / (1 - S L).
        let loads = [50.0, 100.0, 200.0, 400.0, 600.0, 800.0];
        let mm1 = |load: f64| 1e-3 / (1.0 - 1e-3 * load);
        let device = device(Loop::Open, loads.into_iter().map(|load| (load, mm1(load))));
        for load in [75.0, 300.0, 700.0, 900.0] {
            let at = device.at(load);
            let off = at.response_s.unwrap() / mm1(load) - 1.0;
            assert!(off.abs() < 0.02, "{load}: {off} by {:?}", device.model());
            assert!((at.waiting.unwrap() - load * at.response_s.unwrap()).abs() < 1e-12);
            assert_eq!(at.is_beyond, load > 800.0);
        }
        let over = device.at(1_100.0);
        assert_eq!((over.response_s, over.waiting, over.is_beyond), (None, None, true));
        assert_eq!(device.at(0.0).waiting, Some(0.0));
    }

    #[test]
    fn a_closed_sweep_is_read_off_where_it_has_that_throughput() {
        // Five servers of 1 ms without think time: X = min(N, 5) / 1 ms.
        let loads = [1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 16.0];
        let points = loads.into_iter().map(|load: f64| (load, load.min(5.0) * 1e3));
        let device = device(Loop::Closed, points);
        for (rate, waiting) in [(500.0, 0.5), (2_000.0, 2.0), (4_000.0, 4.0)] {
            let at = device.at(rate);
            let off = at.waiting.unwrap() / waiting - 1.0;
            assert!(off.abs() < 0.05, "{rate}: {at:?} by {:?}", device.model());
        }
        assert_eq!(device.at(5_500.0).response_s, None);
    }
}
