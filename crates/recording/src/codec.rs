//! Between values of the vocabulary and columns of the tables.

use std::path::Path;

use isotherm_frame::{Detail, Frame, Histogram, Nanos, Partial, Quality, Scheme, Series};
use serde_json::{Map, Value};

use crate::RecordingError;
use crate::bounds::{ATTRIBUTES, BOUNDS, NAME};

/// What stands in place of bounds where only averages are known.
const AVERAGES: &str = "\"averages\"";

/// Bounds as JSON, `null` for "no upper bound"; the word `averages` where there are none.
pub(crate) fn bounds_text(scheme: &Scheme) -> String {
    match scheme.detail() {
        Detail::Averages => AVERAGES.to_owned(),
        Detail::Distribution => bounds_json(scheme),
    }
}

fn bounds_json(scheme: &Scheme) -> String {
    let bound = |&bound: &u64| if bound == Scheme::UNBOUNDED { Value::Null } else { bound.into() };
    Value::from(scheme.bounds().iter().map(bound).collect::<Vec<Value>>()).to_string()
}

/// Reads what [`bounds_text`] writes.
pub(crate) fn scheme_from(text: &str) -> Result<Scheme, String> {
    if text == AVERAGES {
        return Ok(Scheme::averages());
    }
    let bounds: Vec<Option<u64>> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if bounds.len() > BOUNDS {
        return Err(format!("{} bucket bounds: at most {BOUNDS} are read", bounds.len()));
    }
    let bounds = bounds.into_iter().map(|bound| bound.unwrap_or(Scheme::UNBOUNDED)).collect();
    Scheme::new(bounds).map_err(|error| error.to_string())
}

/// Attributes as a JSON object, sorted by key.
pub(crate) fn attributes_text(series: &Series) -> String {
    let object: Map<String, Value> =
        series.attributes().map(|(key, value)| (key.to_owned(), value.into())).collect();
    Value::Object(object).to_string()
}

/// Refuses what a reader would refuse.
pub(crate) fn check_sizes(
    series: &Series,
    scheme: &Scheme,
    path: &Path,
) -> Result<(), RecordingError> {
    let too_large = |what: &str, found: usize, most: usize| {
        let path = path.to_owned();
        Err(RecordingError::TooLarge { path, what: what.to_owned(), found, most })
    };
    let (bounds, name) = (scheme.bounds().len(), series.name().len());
    let attributes = attributes_text(series).len();
    if bounds > BOUNDS {
        return too_large("bucket bounds", bounds, BOUNDS);
    }
    if name > NAME {
        return too_large("bytes in the name of a series", name, NAME);
    }
    if attributes > ATTRIBUTES {
        return too_large("bytes in the attributes of a series", attributes, ATTRIBUTES);
    }
    Ok(())
}

/// The series of that name and these attributes.
pub(crate) fn series_from(name: String, attributes: &str) -> Result<Series, String> {
    for (what, found, most) in
        [("name", name.len(), NAME), ("attributes", attributes.len(), ATTRIBUTES)]
    {
        if found > most {
            return Err(format!("{found} bytes of {what}: at most {most} are read"));
        }
    }
    let object: std::collections::BTreeMap<String, String> =
        serde_json::from_str(attributes).map_err(|error| error.to_string())?;
    Ok(Series::with_attributes(name, object))
}

/// The run of buckets that hold something: the bucket it begins at, the counts as JSON and, where
/// it is known when time was waited, the nanoseconds as JSON.
pub(crate) fn counts_text(counts: &Histogram) -> (i64, String, Option<String>) {
    let run = counts.occupied_range();
    let text = |number: &dyn Fn(usize) -> u64| {
        let numbers: Vec<String> = run.clone().map(|index| number(index).to_string()).collect();
        format!("[{}]", numbers.join(","))
    };
    let lo = i64::try_from(run.start).unwrap_or(0);
    let waited = counts.has_waited_ns().then(|| text(&|index| counts.waited_in(index)));
    (lo, text(&|index| counts.count(index)), waited)
}

/// The sum to be kept: the exact one, or the one that a frame says is estimated.
pub(crate) fn kept_sum(frame: &Frame) -> Option<Nanos> {
    let estimated = frame.quality == Quality::Partial(Partial::FromRates)
        || frame.counts.length_error() > Nanos::ZERO;
    frame.counts.sum().or_else(|| frame.counts.partly_known_sum().filter(|_| estimated))
}

/// What follows the quality of a frame if a part of the time waited is in no interval, although all of
/// the latencies are known: of a wait of several days its last day only is looked at.
const LEAVES_OUT: &str = "; a part of the time is in no interval";

/// Whether a part of the time waited is in no interval, although all of the latencies are known.
pub(crate) fn leaves_out(counts: &Histogram) -> bool {
    counts.has_waited_ns() && counts.sum().is_some() && !counts.is_time_exact()
}

/// What follows the quality of a frame if the lengths of its events are estimates: how far from the
/// true ones they may be.
const LENGTHS_WITHIN: &str = "; lengths to within ";

/// What is kept as the quality of a frame: that, and what its numbers do not say.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptQuality {
    pub(crate) quality: Quality,
    /// A part of the time is in no interval.
    pub(crate) leaves_out: bool,
    /// How far from the true lengths those of the events may be.
    pub(crate) length_error: Nanos,
}

impl KeptQuality {
    /// That of a frame.
    pub(crate) fn of(frame: &Frame) -> KeptQuality {
        let (quality, counts) = (frame.quality, &frame.counts);
        let (leaves_out, length_error) = (leaves_out(counts), counts.length_error());
        KeptQuality { quality, leaves_out, length_error }
    }

    /// The same counts, of which no more is known than this says: with a sum that is estimated, or a
    /// time waited that is too low.
    pub(crate) fn applied(self, counts: Histogram) -> Result<Histogram, String> {
        let counts = match (self.quality, counts.sum()) {
            (Quality::Partial(Partial::FromRates), Some(sum)) => counts.with_partly_known_sum(sum),
            _ => counts,
        };
        let counts = match counts.waited_ns().filter(|_| self.leaves_out) {
            Some(waited) => counts.with_waited(waited, false).map_err(|error| error.to_string())?,
            None => counts,
        };
        Ok(counts.with_length_error(self.length_error))
    }
}

/// The quality of a frame, with what its numbers do not say.
pub(crate) fn quality_text(frame: &Frame) -> String {
    let KeptQuality { quality, leaves_out, .. } = KeptQuality::of(frame);
    let leaves_out = if leaves_out { LEAVES_OUT } else { "" };
    format!("{quality}{leaves_out}{}", length_error_text(&frame.counts))
}

/// How far from the true lengths those of the events may be, as it follows a quality.
pub(crate) fn length_error_text(counts: &Histogram) -> String {
    match counts.length_error() {
        Nanos::ZERO => String::new(),
        within => format!("{LENGTHS_WITHIN}{} ns", within.as_nanos()),
    }
}

/// A text without what [`length_error_text`] wrote at its end, and what that says; `None` if it says
/// nothing that can be read.
pub(crate) fn without_length_error(text: &str) -> Option<(&str, Nanos)> {
    let Some((before, within)) = text.split_once(LENGTHS_WITHIN) else {
        return Some((text, Nanos::ZERO));
    };
    let ns = within.strip_suffix(" ns")?.parse().ok()?;
    Some((before, Nanos::new(ns)))
}

/// Reads what [`quality_text`] writes.
pub(crate) fn quality_from(text: &str) -> Option<KeptQuality> {
    let (text, length_error) = without_length_error(text)?;
    let quality = text.strip_suffix(LEAVES_OUT);
    let leaves_out = quality.is_some();
    let quality = Quality::from_text(quality.unwrap_or(text))?;
    Some(KeptQuality { quality, leaves_out, length_error })
}

/// Reads what [`counts_text`] writes.
pub(crate) fn histogram_from(
    scheme: &Scheme,
    lo: i64,
    (text, waited): (&str, Option<&str>),
    sum_ns: Option<i64>,
    quality: KeptQuality,
) -> Result<Histogram, String> {
    let numbers = |text: &str| -> Result<Vec<u64>, String> {
        let run: Vec<u64> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let lo = usize::try_from(lo).map_err(|error| error.to_string())?;
        let end = lo.saturating_add(run.len());
        let mut numbers = vec![0; scheme.buckets()];
        let place = numbers.get_mut(lo..end).ok_or("more counts than the scheme has buckets")?;
        place.copy_from_slice(&run);
        Ok(numbers)
    };
    let sum = sum_ns.map(u64::try_from).transpose().map_err(|error| error.to_string())?;
    let counts = Histogram::new(scheme.clone(), numbers(text)?, sum.map(Nanos::new));
    let counts = counts.map_err(|error| error.to_string())?;
    let counts = match waited {
        None => counts,
        // Where the latencies are estimated, so is the time.
        Some(waited) => counts
            .with_waited(numbers(waited)?, sum_ns.is_some())
            .map_err(|error| error.to_string())?,
    };
    quality.applied(counts)
}
