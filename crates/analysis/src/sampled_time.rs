//! Time waited that samples saw: how many waited, and when they were most.

use crate::busiest::busiest_time;
use crate::{Incident, Timeline};

/// What is known of time without events: neither a rate nor a latency.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SampledTime {
    /// How many waited on average.
    pub average: f64,
    /// The stretch of time that owns the most of it.
    pub busiest: Option<Incident>,
}

impl SampledTime {
    /// `None` where events are counted, or nothing was waited.
    pub(crate) fn of(timeline: &Timeline) -> Option<SampledTime> {
        let covered_s = timeline.covered_s();
        (timeline.total.is_time_only() && covered_s > 0.0).then(|| SampledTime {
            average: timeline.waited().seconds / covered_s,
            busiest: busiest_time(&timeline.for_findings().of_covered()),
        })
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Nanos, Partial, Quality, Series, Timestamp};

    use crate::{Circumstances, Findings, Remark, RemarkClass};

    /// Seconds in which so many milliseconds were waited.
    fn frames(seconds: &[u64]) -> Vec<Frame> {
        let frame = |(second, &ms): (i64, &u64)| {
            let start = Timestamp::new(second * 1_000_000_000);
            let counts = Histogram::of_sampled_time(Nanos::from_millis(ms));
            let series = Series::named("Lock:relation").with_detail(counts.detail());
            let quality = Quality::Partial(Partial::FromRates);
            Frame { series, start, end: start.plus(Nanos::SECOND), counts, quality }
        };
        (0..).zip(seconds).map(frame).collect()
    }

    #[test]
    fn eight_sessions_behind_a_lock_are_a_stretch_and_no_latency() {
        // 60 s; in eight of them eight sessions wait, in ten others one now and then.
        let ms = |second: u64| match second {
            31..39 => 8_000,
            second if second % 6 == 0 => 100,
            _ => 0,
        };
        let seconds: Vec<u64> = (0..60).map(ms).collect();
        let found = Findings::of_frames(&frames(&seconds), &Circumstances::default()).unwrap();
        let sampled = found.sampled.unwrap();
        let expected = seconds.iter().sum::<u64>() as f64 / 1e3 / 60.0;
        assert!((sampled.average - expected).abs() < 1e-9, "{sampled:?}");
        let busiest = sampled.busiest.unwrap();
        let second = |at: Timestamp| at.as_nanos() / 1_000_000_000;
        assert_eq!((second(busiest.start), second(busiest.end)), (31, 39));
        assert!((busiest.inside.waiting - 8.0).abs() < 1e-9);
        assert_eq!((found.events, found.mean_ns, found.quantiles.len()), (0, None, 0));
        let remarks = found.remarks();
        assert!(matches!(remarks[0].remark, Remark::Sampled(_)), "{remarks:?}");
        assert_eq!((remarks.len(), remarks[0].class), (1, RemarkClass::Episode));
        assert!(!remarks[0].exact);
    }

    #[test]
    fn a_steady_level_is_no_stretch_and_no_time_is_nothing() {
        let steady = Findings::of_frames(&frames(&[700; 60]), &Circumstances::default()).unwrap();
        assert_eq!(steady.sampled.unwrap().busiest, None);
        assert_eq!(steady.remarks()[0].class, RemarkClass::Hint);
        let nothing = Findings::of_frames(&frames(&[0; 60]), &Circumstances::default()).unwrap();
        assert!(matches!(nothing.remarks()[0].remark, Remark::Nothing));
    }
}
