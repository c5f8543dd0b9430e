//! The two sides of a comparison: what is read, which stretch of it, and which moments of both
//! belong together.

use isotherm_frame::{BinnerLimits, Clock, Frame, Mark, Nanos, Timestamp};
use isotherm_views::{Alignment, SideLabel};

use crate::compare_args::CompareArgs;
use crate::failure::Failure;
use crate::input;
use crate::stretch::Stretch;
use crate::{screen, when};
use isotherm_pipeline::{Binning, Collector};

/// Single events are counted by the second, and by longer intervals only when they are many. The
/// seconds without events are wanted too, or the rate of rare events would be too high.
const BINNING: Binning = Binning {
    interval: Nanos::SECOND,
    limits: BinnerLimits { max_intervals: 1 << 18, ..BinnerLimits::cells(1 << 14) },
};

/// What was read of one side.
#[derive(Clone, Debug)]
pub struct Side {
    pub source: String,
    pub clock: Clock,
    pub frames: Vec<Frame>,
    marks: Vec<Mark>,
}

/// Reads both sides, or one input for both, and keeps the stretches asked for.
pub fn both(args: &CompareArgs) -> Result<[Side; 2], Failure> {
    let read_a = read(&args.before, args)?;
    let read_b = match &args.after {
        Some(after) => read(after, args)?,
        None if args.a.is_none() && args.b.is_none() => {
            return Err(Failure::usage(
                "one input has nothing to be compared with: name a second one, or two stretches \
                 of this one, such as --a ..10m --b 10m..",
            ));
        }
        None => read_a.clone(),
    };
    Ok([stretch(read_a, args.a.as_deref(), "--a")?, stretch(read_b, args.b.as_deref(), "--b")?])
}

fn read(name: &str, args: &CompareArgs) -> Result<Side, Failure> {
    let names = [name.to_owned()];
    let mut collector = Collector::to_unpack(args.series.as_deref(), args.input.memory, 2);
    let warn = |text: &str| screen::warn(&format!("{name}: {text}"));
    let account = input::read_all(&names, &args.input, BINNING, &mut |event| {
        if let Some(text) = collector.take(event) {
            warn(&text);
        }
    })?;
    collector.message().iter().for_each(|text| warn(text));
    let frames = collector.frames();
    let source = input::title(&names);
    if frames.is_empty() {
        let nothing = || "there is no interval to compare".to_owned();
        let what = collector.unmatched().unwrap_or_else(nothing);
        return Err(Failure::nothing(format!("{source}: {what}")));
    }
    Ok(Side { source, clock: account.clock, frames, marks: collector.marks })
}

impl Side {
    /// The earliest start and the latest end.
    pub fn span(&self) -> (Timestamp, Timestamp) {
        let start = self.frames.iter().map(|frame| frame.start).min();
        let end = self.frames.iter().map(|frame| frame.end).max();
        (start.unwrap_or_default(), end.unwrap_or_default())
    }

    /// The moment of the only mark that is called so, or that has the text in it.
    fn mark(&self, text: &str) -> Option<Result<Timestamp, Failure>> {
        let lower = text.to_lowercase();
        let exact = |mark: &&Mark| mark.text.to_lowercase() == lower;
        let inside = |mark: &&Mark| mark.text.to_lowercase().contains(&lower);
        let all: Vec<&Mark> = self.marks.iter().filter(inside).collect();
        let called: Vec<&Mark> = self.marks.iter().filter(exact).collect();
        let found = if called.is_empty() { all } else { called };
        match found.as_slice() {
            [] => None,
            [mark] => Some(Ok(mark.at)),
            [first, rest @ ..] => Some(Err(Failure::usage(format!(
                "{}: {} marks are called '{text}', the first '{}': give a moment instead",
                self.source,
                rest.len() + 1,
                first.text
            )))),
        }
    }

    /// A moment: that of a mark, or one as people write them.
    fn moment(&self, text: &str) -> Result<Timestamp, Failure> {
        let exact = self.marks.iter().any(|mark| mark.text.eq_ignore_ascii_case(text));
        if !exact && let Ok(moment) = when::parse(text, self.span().into()) {
            return Ok(moment);
        }
        self.mark(text).unwrap_or_else(|| {
            let marks: Vec<&str> = self.marks.iter().map(|mark| mark.text.as_str()).collect();
            let marks = match marks.as_slice() {
                [] => "it has no marks".to_owned(),
                marks => format!("its marks are {}", marks.join(", ")),
            };
            Err(Failure::usage(format!(
                "{}: '{text}' is no moment of it: write a length of time from the start (10m) or \
                 before the end (-10m), a time of day (05:00:00), a date and time, or the text of a \
                 mark; {marks}",
                self.source
            )))
        })
    }
}

/// The frames of the stretch that is asked for.
fn stretch(mut side: Side, wanted: Option<&str>, flag: &str) -> Result<Side, Failure> {
    let Some(text) = wanted else { return Ok(side) };
    let Some((from, to)) = text.split_once("..") else {
        return Err(Failure::usage(format!(
            "{flag} {text}: a stretch is FROM..TO, such as 5m..10m, ..10m or 'backup start..'"
        )));
    };
    let limit = |text: &str| {
        let text = text.trim();
        (!text.is_empty()).then(|| side.moment(text)).transpose()
    };
    let (from, to) = (limit(from)?, limit(to)?);
    let (span, stretch) = (side.span(), Stretch { from, to });
    side.frames = side.frames.into_iter().filter_map(|frame| stretch.keep(frame)).collect();
    if side.frames.is_empty() {
        let length = isotherm_views::span(span.1.since(span.0));
        let message =
            format!("{flag} {text}: nothing of {} lies there; it is {length} long", side.source);
        return Err(Failure { no_events: true, ..Failure::usage(message) });
    }
    Ok(side)
}

/// How moments belong together, as asked for.
pub fn alignment(wanted: &str, a: &Side, b: &Side) -> Result<Alignment, Failure> {
    match wanted {
        "start" => Ok(Alignment::Start),
        "clock" => {
            let timed = |side: &Side| matches!(side.clock, Clock::Epoch | Clock::TimeOfDay);
            if timed(a) && timed(b) {
                return Ok(Alignment::Clock);
            }
            Err(Failure::usage(format!(
                "--align clock: the clock of {} is {}, that of {} is {}: there is no time of day \
                 to go by",
                a.source, a.clock, b.source, b.clock
            )))
        }
        text => {
            for side in [a, b] {
                side.mark(text).unwrap_or_else(|| {
                    Err(Failure::usage(format!(
                        "--align {text}: {} has no mark of that text; use start, clock or a mark \
                         of both sides",
                        side.source
                    )))
                })?;
            }
            Ok(Alignment::Mark(text.to_owned()))
        }
    }
}

/// Where both sides come from, with the moments that belong together.
pub fn labels(a: &Side, b: &Side, alignment: &Alignment) -> [SideLabel; 2] {
    let (start_a, start_b) = (a.span().0, b.span().0);
    let marked = |side: &Side, text: &str| side.mark(text).and_then(Result::ok);
    let anchors = match alignment {
        Alignment::Start => [start_a, start_b],
        Alignment::Clock => [start_a, same_time_of_day(start_a, start_b)],
        Alignment::Mark(text) => {
            [marked(a, text).unwrap_or(start_a), marked(b, text).unwrap_or(start_b)]
        }
    };
    let label = |side: &Side, anchor| SideLabel {
        source: side.source.clone(),
        clock: side.clock,
        span: side.span(),
        anchor,
    };
    [label(a, anchors[0]), label(b, anchors[1])]
}

/// The moment nearest to `near` that is a whole number of days from `moment`.
fn same_time_of_day(moment: Timestamp, near: Timestamp) -> Timestamp {
    const DAY: i64 = 86_400_000_000_000;
    let apart = near.as_nanos().saturating_sub(moment.as_nanos());
    let days = apart.saturating_add(DAY / 2).div_euclid(DAY);
    Timestamp::new(moment.as_nanos().saturating_add(days.saturating_mul(DAY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_time_of_day_is_the_nearest_one() {
        let hour = 3_600_000_000_000;
        let at = |hours: i64| Timestamp::new(hours * hour);
        assert_eq!(same_time_of_day(at(10), at(10 + 24)), at(34));
        assert_eq!(same_time_of_day(at(10), at(11)), at(10));
        assert_eq!(same_time_of_day(at(10), at(24 * 7 + 15)), at(24 * 7 + 10));
        assert_eq!(same_time_of_day(at(23), at(24 * 3 + 1)), at(24 * 2 + 23));
    }
}
