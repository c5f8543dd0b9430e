//! `--from` and `--to`: the part of an input that is looked at.

use isotherm_frame::{BinnerLimits, Event, Nanos, TimeRange, Timestamp};
use isotherm_pipeline::{Binning, is_recording};
use isotherm_recording::Reader;
use isotherm_sources::Address;

use crate::failure::Failure;
use crate::input;
use crate::input_args::InputArgs;
use crate::stretch_args::StretchArgs;
use crate::when::{self, Span};

/// The first look at an input only asks when it begins and ends.
const BINNING: Binning = Binning { interval: Nanos::SECOND, limits: BinnerLimits::cells(2_048) };

impl StretchArgs {
    /// The part of these inputs that is wanted. What is no recording is read for it.
    pub fn of(&self, names: &[String], args: &InputArgs) -> Result<TimeRange, Failure> {
        if !self.is_given() {
            return Ok(TimeRange::default());
        }
        if names.iter().any(|name| name == "-") {
            return Err(Failure::usage(
                "standard input can be read only once, and --from and --to take two readings: save \
                 it to a file first",
            ));
        }
        self.within(span_of(names, args)?)
    }

    /// The part of something that lasts so long.
    pub fn within(&self, span: Span) -> Result<TimeRange, Failure> {
        let moment =
            |text: &Option<String>| text.as_deref().map(|text| when::parse(text, span)).transpose();
        let range = TimeRange { from: moment(&self.from)?, to: moment(&self.to)? };
        match range {
            TimeRange { from: Some(from), to: Some(to) } if from >= to => {
                Err(Failure::usage("--from must be before --to"))
            }
            _ => Ok(range),
        }
    }
}

/// When inputs begin and end.
fn span_of(names: &[String], args: &InputArgs) -> Result<Span, Failure> {
    let inputs = input::expand(names, &args.oracle)?;
    let mut known: Option<(Timestamp, Timestamp)> = None;
    let mut reach = |start, end| {
        known = Some(known.map_or((start, end), |(from, to)| (from.min(start), to.max(end))));
    };
    let (mut others, mut wanted) = (Vec::new(), args.clone());
    for one in inputs {
        match &one.address {
            Address::File(path) if is_recording(path) => {
                let span = Reader::open(path)?.span()?;
                if let Some((start, end)) = span {
                    reach(start, end);
                }
            }
            _ => others.push(one),
        }
    }
    // What there is to reject is said when it is read for its numbers.
    wanted.strict = false;
    if !others.is_empty() {
        input::read_inputs(&others, &wanted, BINNING, &mut |event| {
            if let Event::Frame(frame) = event
                && !frame.is_gap()
            {
                reach(frame.start, frame.end);
            }
        })?;
    }
    let (start, end) = known.unwrap_or_default();
    Ok(Span { start, end: Some(end) })
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Quality, Scheme, Series};

    use super::*;

    const S: i64 = 1_000_000_000;

    fn frame(start_s: i64, end_s: i64, events: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_millis(1)));
        let (start, end) = (Timestamp::new(start_s * S), Timestamp::new(end_s * S));
        Frame { series: Series::named("x"), start, end, counts, quality: Quality::Complete }
    }

    fn stretch(from: Option<&str>, to: Option<&str>) -> Result<TimeRange, Failure> {
        let args = StretchArgs { from: from.map(Into::into), to: to.map(Into::into) };
        args.within(Span { start: Timestamp::new(0), end: Some(Timestamp::new(60 * S)) })
    }

    #[test]
    fn neighbouring_stretches_share_no_event_and_lose_none() {
        let frames: Vec<Frame> = (0..30).map(|n| frame(2 * n, 2 * n + 2, 3)).collect();
        for cut in ["7s", "8s", "00:00:13", "-1s", "1s500ms"] {
            let (before, after) =
                (stretch(None, Some(cut)).unwrap(), stretch(Some(cut), None).unwrap());
            let events = |stretch: &TimeRange| -> u64 {
                let kept = frames.iter().filter_map(|frame| stretch.keep(frame.clone()));
                kept.map(|frame| frame.counts.events()).sum()
            };
            assert_eq!(events(&before) + events(&after), 90, "{cut}");
            assert!(events(&before) > 0 && events(&after) > 0, "{cut}");
        }
    }

    #[test]
    fn of_silence_the_part_inside_is_kept() {
        let stretch = stretch(Some("10s"), Some("-40s")).unwrap();
        let kept = stretch.keep(frame(0, 60, 0)).unwrap();
        assert_eq!((kept.start, kept.end), (Timestamp::new(10 * S), Timestamp::new(20 * S)));
        assert_eq!(stretch.keep(frame(0, 10, 0)), None);
    }

    #[test]
    fn a_stretch_goes_forward() {
        assert!(stretch(Some("20s"), Some("20s")).is_err());
        assert!(stretch(Some("-20s"), Some("20s")).is_err());
        assert_eq!(stretch(None, None).unwrap(), TimeRange::default());
    }
}
