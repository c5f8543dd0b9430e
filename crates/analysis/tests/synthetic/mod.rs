//! Synthetic runs of known truth: columns of one second, every bucket's count drawn from Poisson's
//! distribution, latencies from a mixture of lognormal ones, rate and latency moving from column
//! to column as an autoregression. The same seed gives the same run.

use isotherm_analysis::{Grid, Timeline};
use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp, Unit};

/// A run to draw.
#[derive(Clone, Debug)]
pub struct Run {
    /// The modes: share of events, median in seconds, spread as the deviation of the logarithm.
    pub modes: &'static [(f64, f64, f64)],
    /// Instead of modes: all latencies follow Pareto's law with this exponent, from 0.1 ms on.
    pub pareto: Option<f64>,
    /// Events of a column.
    pub events: f64,
    /// How far the logarithm of the rate moves, as a deviation.
    pub rate_moves: f64,
    /// How far the logarithm of every latency moves, as a deviation.
    pub latency_moves: f64,
    /// How much a column's move is that of the column before.
    pub alike: f64,
    /// Whether buckets are powers of two in microseconds; else an eighth of an octave.
    pub coarse: bool,
}

/// One mode at 0.2 ms.
pub const HILL: &[(f64, f64, f64)] = &[(1.0, 200e-6, 0.5)];
/// A cache and disks: no percentile judged lies between them.
pub const TWO_MODES: &[(f64, f64, f64)] = &[(0.7, 220e-6, 0.25), (0.3, 8e-3, 0.3)];
/// Two modes of the same weight: the median lies in the valley between them.
pub const VALLEY: &[(f64, f64, f64)] = &[(0.5, 220e-6, 0.25), (0.5, 8e-3, 0.3)];
/// One event in a hundred is slow: p99 lies in the valley.
pub const RARE: &[(f64, f64, f64)] = &[(0.99, 200e-6, 0.3), (0.01, 20e-3, 0.4)];

/// Of five thousand events one takes a thousand times as long.
pub const GIANTS: &[(f64, f64, f64)] = &[(0.9998, 1e-3, 0.5), (0.0002, 1.0, 0.5)];

/// The shortest latency of Pareto's law, in seconds.
const SHORTEST: f64 = 100e-6;

pub const PLAIN: Run = Run {
    modes: HILL,
    pareto: None,
    events: 1_000.0,
    rate_moves: 0.0,
    latency_moves: 0.0,
    alike: 0.0,
    coarse: false,
};

/// A small generator of random numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 50.0 {
            let drawn = (mean + mean.sqrt() * self.normal()).round().max(0.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "no less than zero and far below 2^64"
            )]
            return drawn as u64;
        }
        let (limit, mut product, mut drawn) = ((-mean).exp(), self.uniform(), 0);
        while product > limit {
            product *= self.uniform();
            drawn += 1;
        }
        drawn
    }
}

/// The share of a standard normal distribution below `x` (Abramowitz and Stegun 26.2.17).
fn normal_share(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let terms = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let sum = terms.iter().fold(0.0, |sum, term| (sum + term) * t);
    let tail = sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x > 0.0 { 1.0 - tail } else { tail }
}

impl Run {
    /// So many columns, those from `change` on with all latencies longer by `factor`.
    pub fn draw(&self, columns: usize, (change, factor): (usize, f64), seed: u64) -> Vec<Frame> {
        let mut random = Random::new(seed);
        let mut moves = [random.normal(), random.normal()];
        let scheme =
            if self.coarse { Scheme::powers_of_two(Unit::Micros) } else { Scheme::log_linear() };
        let fresh = (1.0 - self.alike * self.alike).sqrt();
        let mut frames = Vec::new();
        for column in 0..columns {
            moves = moves.map(|now| self.alike * now + fresh * random.normal());
            let rate = self.events * (self.rate_moves * moves[0]).exp();
            let slower = if column >= change { factor } else { 1.0 };
            let slower = slower * (self.latency_moves * moves[1]).exp();
            let counts = self.counts(&scheme, (rate, slower), &mut random);
            let start = Timestamp::new(i64::try_from(column).unwrap() * 1_000_000_000);
            frames.push(Frame {
                series: Series::named("read"),
                start,
                end: start.plus(Nanos::SECOND),
                counts,
                quality: Quality::Complete,
            });
        }
        frames
    }

    fn counts(
        &self,
        scheme: &Scheme,
        (rate, slower): (f64, f64),
        random: &mut Random,
    ) -> Histogram {
        let below = |bound: u64| -> f64 {
            let mode = |&(share, median, spread): &(f64, f64, f64)| {
                share * normal_share((bound as f64 / 1e9 / (median * slower)).ln() / spread)
            };
            let longer = bound as f64 / 1e9 / (SHORTEST * slower);
            match self.pareto {
                _ if bound == 0 => 0.0,
                Some(exponent) => 1.0 - longer.max(1.0).powf(-exponent),
                None => self.modes.iter().map(mode).sum(),
            }
        };
        let shares: Vec<f64> = scheme.bounds().iter().map(|&bound| below(bound)).collect();
        let counts = shares
            .windows(2)
            .map(|pair| {
                let mean = rate * (pair[1] - pair[0]).max(0.0);
                if mean > 1e-9 { random.poisson(mean) } else { 0 }
            })
            .collect();
        Histogram::new(scheme.clone(), counts, None).unwrap()
    }
}

/// The first and the last so many columns of frames of one second each.
pub fn halves(frames: &[Frame]) -> [Timeline; 2] {
    let (one, two) = frames.split_at(frames.len() / 2);
    [one, two].map(timeline)
}

pub fn timeline(frames: &[Frame]) -> Timeline {
    Timeline::place(frames, Grid::covering(frames, frames.len()).unwrap())
}
