//! The two sides of a comparison: what is read, which stretch of it, and which moments of both
//! belong together.

use isotherm_analysis::{Excerpt, History};
use isotherm_frame::{BinnerLimits, Clock, Mark, Nanos, TimeRange, Timestamp};
use isotherm_pipeline::{Binning, Collector, MemoryBudget, SeriesFilter, contains};
use isotherm_views::{Alignment, SideLabel};

use crate::compare_args::CompareArgs;
use crate::failure::{Code, Failure};
use crate::input;
use crate::range::nothing_of;
use crate::when::Span;
use crate::{screen, when};

/// Single events are counted by the second, and by longer intervals only when they are many. The
/// seconds without events are wanted too, or the rate of rare events would be too high.
const BINNING: Binning = Binning::new(
    Nanos::SECOND,
    BinnerLimits { max_intervals: 1 << 18, ..BinnerLimits::cells(1 << 14) },
);

/// What was read of an input.
pub struct Read {
    source: String,
    clock: Clock,
    history: History,
    marks: Vec<Mark>,
}

/// A side: an input, or a stretch of one.
#[derive(Clone)]
pub struct Side<'a> {
    pub source: &'a str,
    pub clock: Clock,
    /// The series to be compared.
    pub excerpt: Excerpt<'a>,
    /// All series: they say of how long anything is known.
    pub all: Excerpt<'a>,
    marks: &'a [Mark],
    span: (Timestamp, Timestamp),
}

/// Reads the inputs of both sides, or one for both.
pub fn read_all(args: &CompareArgs) -> Result<Vec<Read>, Failure> {
    if args.after.is_none() && args.a.is_none() && args.b.is_none() {
        return Err(Failure::usage(
            "one input has nothing to be compared with: name a second one, or two stretches of \
             this one, such as --a ..10m --b 10m..",
        ));
    }
    let names = [Some(&args.before), args.after.as_ref()];
    let memory = args.input.memory.shared_by(names.iter().flatten().count());
    let read: Result<Vec<Read>, Failure> =
        names.into_iter().flatten().map(|name| read(name, args, memory)).collect();
    let read = read?;
    // What only one side has is compared with none on the other.
    let unmatched = read.iter().map(|side| Some((side, side.unmatched(args.series.as_deref())?)));
    let unmatched: Option<Vec<(&Read, String)>> = unmatched.collect();
    match unmatched.as_deref() {
        Some([(side, what), ..]) => Err(Failure::unmatched(format!("{}: {what}", side.source))),
        _ => Ok(read),
    }
}

/// The stretches asked for of what was read.
pub fn both<'a>(args: &CompareArgs, inputs: &'a [Read]) -> Result<[Side<'a>; 2], Failure> {
    let nothing = || Failure::nothing("there is no input to compare".to_owned());
    let (before, after) = inputs.first().zip(inputs.last()).ok_or_else(nothing)?;
    Ok([
        stretch(part(Side::of(before, args)?, args)?, args.a.as_deref(), "--a")?,
        stretch(part(Side::of(after, args)?, args)?, args.b.as_deref(), "--b")?,
    ])
}

fn read(name: &str, args: &CompareArgs, memory: MemoryBudget) -> Result<Read, Failure> {
    let names = [name.to_owned()];
    let mut collector = Collector::new(None, memory.history());
    let warn = |text: &str| screen::warn(&format!("{name}: {text}"));
    let account = input::read_all(&names, &args.input, BINNING, &mut |event| {
        if let Some(text) = collector.take(event) {
            warn(&text);
        }
    })
    .map_err(|failure| of_side(name, failure))?;
    memory.message(&collector.kept).iter().for_each(|text| warn(text));
    let source = input::title(&names);
    Ok(Read { source, clock: account.clock, history: collector.kept, marks: collector.marks })
}

/// A list of what is wrong in an input says in which one.
fn of_side(name: &str, failure: Failure) -> Failure {
    match failure.code {
        Code::BadData => Failure { message: format!("{name}: {}", failure.message), ..failure },
        _ => failure,
    }
}

impl Read {
    /// The message if there are series and none of them is wanted.
    fn unmatched(&self, wanted: Option<&str>) -> Option<String> {
        let filter = SeriesFilter::new(wanted);
        for series in Excerpt::of(&self.history).series() {
            filter.matches(series);
        }
        filter.unmatched()
    }
}

impl<'a> Side<'a> {
    fn of(read: &'a Read, args: &CompareArgs) -> Result<Side<'a>, Failure> {
        let Read { source, clock, history, marks } = read;
        let all = Excerpt::of(history);
        let excerpt = all.only(|series| contains(series, args.series.as_deref()));
        let message = || format!("{source}: there is no interval to compare");
        let nothing = || input::nothing(&args.input, message());
        let span = excerpt.ends().or_else(|| all.ends()).ok_or_else(nothing)?;
        Ok(Side { source, clock: *clock, excerpt, all, marks, span })
    }

    /// The earliest start and the latest end.
    pub fn span(&self) -> (Timestamp, Timestamp) {
        self.span
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

    /// A moment in `span`: that of a mark, or one as people write them.
    fn moment(&self, text: &str, span: Span) -> Result<Timestamp, Failure> {
        let exact = self.marks.iter().any(|mark| mark.text.eq_ignore_ascii_case(text));
        if !exact && let Ok(moment) = when::parse(text, span) {
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

/// The part of a side between `--from` and `--to`.
fn part<'a>(side: Side<'a>, args: &CompareArgs) -> Result<Side<'a>, Failure> {
    let part = args.stretch.within(Some(side.span.into()), side.source)?.some()?;
    let Some(nothing) = part.nothing() else { return Ok(side) };
    let (excerpt, all) = (side.excerpt.within(part.range), side.all.within(part.range));
    let span = excerpt.ends().or_else(|| all.ends()).ok_or(nothing)?;
    Ok(Side { excerpt, all, span, ..side })
}

/// The stretch of a side that is wanted.
fn stretch<'a>(side: Side<'a>, wanted: Option<&str>, flag: &str) -> Result<Side<'a>, Failure> {
    let Some(text) = wanted else { return Ok(side) };
    let Some((from, to)) = text.split_once("..") else {
        return Err(Failure::usage(format!(
            "{flag} {text}: a stretch is FROM..TO, such as 5m..10m, ..10m or 'backup start..'"
        )));
    };
    let limit = |text: &str, span: Span| {
        let text = text.trim();
        (!text.is_empty()).then(|| side.moment(text, span)).transpose()
    };
    let whole = Span::from(side.span());
    let from = limit(from, whole)?;
    let range = TimeRange { from, to: limit(to, whole.ending(from))? };
    let (excerpt, all) = (side.excerpt.within(range), side.all.within(range));
    let Some(span) = excerpt.ends().or_else(|| all.ends()) else {
        let length = side.span.1.since(side.span.0);
        let message = nothing_of(&format!("{flag} {text}"), side.source, length);
        return Err(Failure { no_events: true, ..Failure::usage(message) });
    };
    Ok(Side { excerpt, all, span, ..side })
}

/// How moments belong together, as asked for.
pub fn alignment(wanted: &str, a: &Side<'_>, b: &Side<'_>) -> Result<Alignment, Failure> {
    match wanted {
        "start" => Ok(Alignment::Start),
        "clock" => {
            let timed = |side: &Side| matches!(side.clock, Clock::Epoch | Clock::TimeOfDay);
            if timed(a) && timed(b) {
                return Ok(Alignment::Clock);
            }
            Err(Failure::usage(format!(
                "--align clock needs times of day on both sides: the clock of {} is {}, \
                 that of {} is {}",
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
pub fn labels(a: &Side<'_>, b: &Side<'_>, alignment: &Alignment) -> [SideLabel; 2] {
    let (start_a, start_b) = (a.span().0, b.span().0);
    let marked = |side: &Side<'_>, text: &str| side.mark(text).and_then(Result::ok);
    let anchors = match alignment {
        Alignment::Start => [start_a, start_b],
        Alignment::Clock => [start_a, same_time_of_day(start_a, start_b)],
        Alignment::Mark(text) => {
            [marked(a, text).unwrap_or(start_a), marked(b, text).unwrap_or(start_b)]
        }
    };
    let label = |side: &Side<'_>, anchor| SideLabel {
        source: side.source.to_owned(),
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
