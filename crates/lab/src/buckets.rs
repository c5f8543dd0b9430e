//! What the resolution of a histogram does to percentiles and to time waited.

use isotherm_frame::{Histogram, LogLinear, Nanos, Scheme, Unit, nearest_rank, percent};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::{Digits, numbers, range, waited};

use crate::averages::ReadFile;
use crate::{Bench, Finding, Lab, LabError, Verdict};

pub(crate) static LAB: Lab = Lab {
    name: "buckets",
    question: "How wrong are percentiles and time waited that come from a histogram?",
    method: "Times reads of 8 KiB of a file through the system's cache, which holds nothing of it at first; counts \
             them in powers of two, in 8 buckets an octave and in 128 buckets an octave, and compares percentiles \
             and time waited with those of the events themselves",
    lesson: &[
        "A histogram knows in which bucket an event was counted, and nothing more. A percentile is \
         therefore a range, as wide as its bucket: with powers of two p99 = 16-33 ms is all that is \
         known. A single number within it is a guess.",
        "Time waited has to be guessed as well: count times the middle of the bucket, the classic 0.75 \
         times its upper bound. Where the events of a bucket lie near its lower bound, that is up to \
         half too much; near its upper bound, up to a quarter too little.",
        "Buckets an eighth of an octave wide (log-linear, as HdrHistogram has them and isotherm counts \
         single events) make both errors small for the price of a few hundred counters.",
        "Ask a source for its exact total time where it has one: isotherm then shows time waited \
         without the ≈. Counts are right whatever the buckets are.",
    ],
    needs: "",
    takes: (Nanos::from_millis(2_000), Nanos::from_millis(6_000)),
    disk: 128 << 20,
    takes_events: true,
    takes_traces: false,
    on_server: None,
    run,
};

/// The events from which on p99 is one of several.
const LEAST: usize = 100;
/// What is printed.
const PERCENTILES: [(&str, f64); 5] =
    [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];
/// The percentiles that are compared: every tenth of a per cent.
const COMPARED: u32 = 999;

/// Events with the histograms they were counted in.
struct Counted {
    name: String,
    /// In ascending order.
    sorted: Vec<Nanos>,
    /// In powers of two, in 8 buckets an octave, in 128.
    schemes: [Counting; 3],
}

/// The events in buckets of one scheme.
struct Counting {
    name: &'static str,
    histogram: Histogram,
    /// The relative error of the estimate at each compared percentile; none of an event of 0 ns.
    errors: Vec<(f64, Option<f64>)>,
    /// Percentiles that do not lie in the bucket that is said to hold them.
    misplaced: usize,
}

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let measured;
    let events = if let Some(events) = bench.events {
        events
    } else {
        measured = ReadFile::write(bench, 0.0)?.through_the_cache((bench, 0.4))?;
        &measured
    };
    if events.latencies.len() < LEAST {
        let (name, events) = (events.name.clone(), events.latencies.len());
        return Err(LabError::TooFew { name, events, least: LEAST });
    }
    let schemes = [
        ("powers of two", Scheme::powers_of_two(Unit::Micros)),
        ("8 an octave", LogLinear::EVENTS.scheme().clone()),
        ("128 an octave", LogLinear::new(7).scheme().clone()),
    ];
    let mut sorted = events.latencies.clone();
    sorted.sort_unstable();
    bench.step(0.8, "counting events in buckets")?;
    let schemes = schemes.map(|(name, scheme)| Counting::of(name, scheme, &sorted));
    let counted = Counted { name: events.name.clone(), sorted, schemes };
    Ok(counted.finding())
}

/// The event of a quantile by nearest rank.
fn exact(sorted: &[Nanos], q: f64) -> Nanos {
    let rank = usize::try_from(nearest_rank(q, sorted.len() as u64)).unwrap_or(usize::MAX);
    sorted.get(rank - 1).copied().unwrap_or(Nanos::ZERO)
}

impl Counting {
    fn of(name: &'static str, scheme: Scheme, sorted: &[Nanos]) -> Counting {
        let mut histogram = Histogram::empty(scheme);
        for &latency in sorted {
            histogram.record(latency);
        }
        let (mut errors, mut misplaced) = (Vec::new(), 0);
        for tenth in 1..=COMPARED {
            let q = f64::from(tenth) / 1_000.0;
            let truth = exact(sorted, q);
            let found = histogram.quantile(q).ok();
            misplaced += usize::from(!found.is_some_and(|found| found.contains(truth)));
            let error = found
                .filter(|_| truth > Nanos::ZERO)
                .map(|found| found.estimate.as_secs_f64() / truth.as_secs_f64() - 1.0);
            errors.push((q, error));
        }
        Counting { name, histogram, errors, misplaced }
    }

    /// The largest error of a percentile, whichever way.
    fn worst(&self) -> f64 {
        self.errors.iter().filter_map(|(_, error)| *error).map(f64::abs).fold(0.0, f64::max)
    }

    /// The time waited that its buckets say, seconds: each event in the middle of its bucket, and at
    /// least and at most. The last bucket may have no upper bound.
    fn waited_s(&self) -> (f64, f64, Option<f64>) {
        let (mut middle, mut least, mut most) = (0.0, 0.0, Some(0.0));
        for (bucket, count) in self.histogram.non_zero() {
            let count = count as f64;
            middle += count * bucket.mid_point().as_secs_f64();
            least += count * bucket.lo.as_secs_f64();
            most = most.zip(bucket.hi).map(|(most, hi)| most + count * hi.as_secs_f64());
        }
        (middle, least, most)
    }
}

impl Counted {
    fn total_s(&self) -> f64 {
        self.sorted.iter().map(|latency| latency.as_secs_f64()).sum()
    }

    fn finding(&self) -> Finding {
        let [coarse, fine, _] = &self.schemes;
        let misplaced: usize = self.schemes.iter().map(|scheme| scheme.misplaced).sum();
        let is_finer = fine.worst() < coarse.worst();
        let verdict = if misplaced == 0 && is_finer { Verdict::Holds } else { Verdict::Fails };
        let error = |scheme: &Counting| (scheme.waited_s().0 / self.total_s() - 1.0).abs();
        Finding {
            verdict,
            sentence: format!(
                "percentiles from powers of two are up to {} wrong and time waited by {}; from 8 \
                 buckets an octave up to {} and {}.",
                percent(coarse.worst()),
                percent(error(coarse)),
                percent(fine.worst()),
                percent(error(fine))
            ),
            uncertainty: format!(
                "Not an estimate: {} events of {} are counted one by one, and {} of {} true percentiles \
                 lie in the bucket that is said to hold them.",
                numbers::grouped(self.sorted.len() as u64),
                self.name,
                self.schemes.len() * self.compared() - misplaced,
                self.schemes.len() * self.compared()
            ),
            remarks: vec![
                "The error of a percentile is that of the estimate within its bucket; the bucket itself \
                 is always right."
                    .to_owned(),
            ],
            tables: vec![self.percentiles(), self.time_waited()],
            charts: vec![self.chart()],
            figures: Vec::new(),
        }
    }

    fn compared(&self) -> usize {
        self.schemes.first().map_or(0, |scheme| scheme.errors.len())
    }

    fn percentiles(&self) -> Table {
        let head = ["", "exact"].into_iter().chain(self.schemes.iter().map(|scheme| scheme.name));
        let rows = PERCENTILES.iter().map(|&(name, q)| {
            let truth = exact(&self.sorted, q);
            let cells = self.schemes.iter().map(|scheme| {
                scheme.histogram.quantile(q).map_or_else(
                    |_| "-".to_owned(),
                    |found| {
                        let off = found.estimate.as_secs_f64() / truth.as_secs_f64() - 1.0;
                        let range = range(found.bucket, Digits::Three);
                        format!("{range} (≈{}, {:+.1} %)", found.estimate, off * 100.0)
                    },
                )
            });
            [name.to_owned(), waited(truth.as_secs_f64())].into_iter().chain(cells).collect()
        });
        Table {
            caption: "Percentiles: the bucket, and the estimate within it with its error"
                .to_owned(),
            head: head.map(str::to_owned).collect(),
            rows: rows.collect(),
        }
    }

    fn time_waited(&self) -> Table {
        let total = self.total_s();
        let share = |seconds: f64| format!("{:+.1} %", (seconds / total - 1.0) * 100.0);
        let none = || "-".to_owned();
        let row = |scheme: &Counting| {
            let (middle, least, most) = scheme.waited_s();
            let range =
                most.map_or_else(none, |most| format!("{} to {}", share(least), share(most)));
            let buckets = scheme.histogram.non_zero().count();
            vec![scheme.name.to_owned(), buckets.to_string(), waited(middle), share(middle), range]
        };
        let exact = vec!["exact".to_owned(), none(), waited(total), none(), none()];
        Table {
            caption: "Time waited: count times the middle of each bucket".to_owned(),
            head: ["buckets", "in use", "time waited", "error", "possible error"]
                .map(str::to_owned)
                .to_vec(),
            rows: std::iter::once(exact).chain(self.schemes.iter().map(row)).collect(),
        }
    }

    fn chart(&self) -> Chart {
        let curves = self.schemes.iter().zip([Stroke::Line, Stroke::Dashed, Stroke::Dots]);
        let curve = |(scheme, stroke): (&Counting, Stroke)| {
            let every = if stroke == Stroke::Dots { 25 } else { 1 };
            let points = scheme.errors.iter().step_by(every).filter_map(|&(q, error)| {
                Some(ChartPoint { x: q, y: error?, ..ChartPoint::default() })
            });
            Curve { name: scheme.name.to_owned(), stroke, points: points.collect() }
        };
        Chart {
            title: "Error of the estimate at each percentile".to_owned(),
            x: ChartAxis { label: "percentile".to_owned(), unit: ChartUnit::Share, log: false },
            y: ChartAxis { label: "error".to_owned(), unit: ChartUnit::Share, log: false },
            curves: curves.map(curve).collect(),
            ..Chart::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_reads_waited_as_long_as_their_buckets_allow() {
        // 1.1, 3 and 5 ms: in microseconds the buckets are 1,024-2,048, 2,048-4,096, 4,096-8,192.
        let sorted = [1_100, 3_000, 5_000].map(Nanos::from_micros);
        let counted = Counting::of("powers of two", Scheme::powers_of_two(Unit::Micros), &sorted);
        let (middle, least, most) = counted.waited_s();
        assert!((middle - (0.001_536 + 0.003_072 + 0.006_144)).abs() < 1e-12);
        assert!((least - 0.007_168).abs() < 1e-12);
        assert!((most.unwrap() - 0.014_336).abs() < 1e-12);
        assert_eq!(counted.misplaced, 0);
        assert_eq!(exact(&sorted, 0.5), Nanos::from_micros(3_000));
    }
}
