//! Points from what was watched: the intervals of a recording, by their load.

use isotherm_frame::{Frame, Histogram, Quality, Timestamp};
use isotherm_queueing::{Loop, Point, Points, Sample};

use crate::{ModelPoints, ModelPointsError};

/// The most points that intervals are put together into.
const MOST_POINTS: usize = 12;
/// The fewest intervals of a point.
const LEAST_INTERVALS: usize = 5;
/// The busiest point has so many times the rate of the quietest, or nothing can be fitted.
const LEAST_RANGE: f64 = 1.5;
/// An interval shorter than this share of the usual one was cut off.
const CUT: f64 = 0.5;
/// The first and the last interval are whole from this share of the usual one on: where a recording
/// begins or ends within an interval, its rate is no load that was there.
const WHOLE: f64 = 0.98;

/// One interval of a series with events.
struct Interval<'a> {
    start: Timestamp,
    seconds: f64,
    events: f64,
    waited_s: f64,
    counts: &'a Histogram,
}

impl Interval<'_> {
    fn rate(&self) -> f64 {
        self.events / self.seconds
    }
}

impl ModelPoints {
    /// The points of one series of a recording. Nobody chose its load, so it is an open one: intervals
    /// of about the same rate of events are one point, with their mean latency.
    pub fn of_frames(frames: &[&Frame]) -> Result<ModelPoints, ModelPointsError> {
        let mut intervals: Vec<Interval> =
            frames.iter().filter_map(|frame| interval(frame)).collect();
        let left_out = frames.len() - intervals.len();
        let usual = median(intervals.iter().map(|one| one.seconds).collect());
        let with_events = intervals.len();
        let starts = || intervals.iter().map(|one| one.start);
        let edges = [starts().min(), starts().max()];
        intervals.retain(|one| {
            let is_edge = edges.contains(&Some(one.start));
            one.seconds >= usual * if is_edge { WHOLE } else { CUT }
        });
        let cut_off = with_events - intervals.len();
        // Stable, so that intervals of one rate stay in the order of time.
        intervals.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
        let count = intervals.len();
        let cuts = cuts(&intervals);
        let (mut points, mut latencies) = (Vec::new(), Vec::new());
        for cut in cuts.windows(2) {
            let part = cut.first().zip(cut.last()).and_then(|(from, to)| intervals.get(*from..*to));
            if let Some((point, merged)) = part.and_then(together) {
                points.push(point);
                latencies.push(merged);
            }
        }
        let rate = |point: Option<&Point>| point.map_or(0.0, |point| point.load);
        let (least, most) = (rate(points.first()), rate(points.last()));
        if points.is_empty() {
            let said = "it has no interval with events and their latencies".to_owned();
            return Err(ModelPointsError::NothingUsable(said));
        }
        if most < least * LEAST_RANGE {
            return Err(ModelPointsError::SteadyLoad { least, most, intervals: count });
        }
        let mut remarks = vec![format!(
            "{count} intervals of about {} s, put together by their load into {} points. Events/s are \
             taken for an arrival rate, the mean latency for the response time.",
            (usual * 1e3).round() / 1e3,
            points.len()
        )];
        remarks.extend(
            (left_out > 0)
                .then(|| format!("Left out are {left_out} intervals without events, and gaps.")),
        );
        remarks.extend(
            (cut_off > 0).then(|| format!("Left out are {cut_off} intervals that were cut off.")),
        );
        Ok(ModelPoints {
            points: Points::new(Loop::Open, points)?,
            latencies,
            observations: Vec::new(),
            remarks,
            passed_over: 0,
        })
    }
}

/// Where intervals by rising rate are cut into groups of about as many: never between two of the same
/// rate, so that each group has a load of its own.
fn cuts(intervals: &[Interval]) -> Vec<usize> {
    let count = intervals.len();
    let groups = (count / LEAST_INTERVALS).clamp(1, MOST_POINTS);
    let rises = |at: usize| {
        let rate = |at: usize| intervals.get(at).map_or(f64::INFINITY, Interval::rate);
        at == 0 || rate(at - 1) < rate(at) * (1.0 - 1e-9)
    };
    let wanted = (0..=groups).map(|group| count * group / groups);
    let mut cuts: Vec<usize> =
        wanted.map(|from| (from..count).find(|at| rises(*at)).unwrap_or(count)).collect();
    cuts.dedup();
    cuts
}

fn interval(frame: &Frame) -> Option<Interval<'_>> {
    if matches!(frame.quality, Quality::Gap(_)) {
        return None;
    }
    let length = frame.end.as_nanos().checked_sub(frame.start.as_nanos())?;
    let (seconds, events) = (length as f64 / 1e9, frame.counts.events() as f64);
    let mean_ns = frame.counts.mean_ns()?;
    let usable = seconds > 0.0 && events > 0.0 && mean_ns > 0.0;
    let waited_s = mean_ns / 1e9 * events;
    let start = frame.start;
    usable.then_some(Interval { start, seconds, events, waited_s, counts: &frame.counts })
}

/// Intervals of about the same rate as one point, with all of their latencies.
fn together(part: &[Interval]) -> Option<(Point, Histogram)> {
    let sum = |of: &dyn Fn(&Interval) -> f64| part.iter().map(of).sum::<f64>();
    let load = sum(&|one| one.events) / sum(&|one| one.seconds);
    let samples = part.iter().map(|one| Sample { amount: one.waited_s, base: one.events });
    let merged = Histogram::merged(part.iter().map(|one| one.counts))?;
    Some((Point::measured(load, vec![samples.collect()]), merged))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Gap, Nanos, Random, Scheme, Series, Timestamp};
    use isotherm_queueing::{FitRequest, Model, Parameter, Quantity, Study};

    use super::*;

    /// A second of M/M/1 with a service time of 2 ms at a rate: R = S/(1 - SL), known to 5 %.
    fn second(at: i64, rate: f64, random: &mut Random) -> Frame {
        let response = 0.002 / (1.0 - 0.002 * rate) * (1.0 + 0.05 * random.normal());
        let mut counts = Histogram::empty(Scheme::log_linear());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds")]
        for _ in 0..rate as u32 {
            counts.record(Nanos::from_secs_f64(response).unwrap());
        }
        let (start, end) = (at * 1_000_000_000, (at + 1) * 1_000_000_000);
        Frame {
            series: Series::named("disk"),
            start: Timestamp::new(start),
            end: Timestamp::new(end),
            counts,
            quality: Quality::Complete,
        }
    }

    fn frames(seconds: i64, rate: impl Fn(i64) -> f64) -> Vec<Frame> {
        let mut random = Random::new(3);
        (0..seconds).map(|at| second(at, rate(at), &mut random)).collect()
    }

    #[test]
    fn a_day_of_changing_load_gives_back_its_queue() {
        // From 50 to 450 a second and back: utilisations of 10 to 90 %.
        let mut all =
            frames(400, |at| 250.0 - 200.0 * (at as f64 / 400.0 * std::f64::consts::TAU).cos());
        let gap = Frame { quality: Quality::Gap(Gap::Reset), ..all[7].clone() };
        all.push(gap);
        let found = ModelPoints::of_frames(&all.iter().collect::<Vec<&Frame>>()).unwrap();
        assert_eq!((found.points.arrivals, found.points.points.len()), (Loop::Open, 12));
        assert_eq!(found.latencies.iter().map(Histogram::events).sum::<u64>(), events(&all[..400]));
        assert!(found.remarks[1].contains("1 intervals without events"), "{:?}", found.remarks);
        let request = FitRequest { models: vec![Model::Mmc], ..FitRequest::default() };
        let study = Study::of(found.points, &request);
        let fitted = study.fits.of_model(Model::Mmc).unwrap();
        let value = |parameter| fitted.estimate(Quantity::Parameter(parameter)).unwrap().value;
        assert!((value(Parameter::Service) / 0.002 - 1.0).abs() < 0.03, "{fitted:?}");
        assert!((value(Parameter::Servers) - 1.0).abs() < 0.03, "{fitted:?}");
    }

    /// Thirty seconds at 100/s and thirty at 200/s; the recording ends with 0.7 s in which there were 190
    /// events, 271/s.
    #[test]
    fn an_interval_that_was_cut_off_is_no_load_of_its_own() {
        let mut all = frames(61, |at| if at < 30 { 100.0 } else { 200.0 });
        let last = all.last_mut().unwrap();
        last.end = last.start.plus(Nanos::from_millis(700));
        *last = Frame { counts: second(60, 190.0, &mut Random::new(5)).counts, ..last.clone() };
        let found = ModelPoints::of_frames(&all.iter().collect::<Vec<&Frame>>()).unwrap();
        let loads: Vec<f64> = found.points.points.iter().map(|point| point.load).collect();
        assert_eq!(loads, [100.0, 200.0]);
        assert!(found.remarks[1].contains("1 intervals that were cut off"), "{:?}", found.remarks);
    }

    fn events(frames: &[Frame]) -> u64 {
        frames.iter().map(|frame| frame.counts.events()).sum()
    }

    #[test]
    fn a_load_that_hardly_changes_is_refused() {
        let all = frames(60, |at| 200.0 + (at % 7) as f64);
        let refused = ModelPoints::of_frames(&all.iter().collect::<Vec<&Frame>>());
        assert!(matches!(refused, Err(ModelPointsError::SteadyLoad { intervals: 60, .. })));
        assert!(matches!(ModelPoints::of_frames(&[]), Err(ModelPointsError::NothingUsable(_))));
    }
}
