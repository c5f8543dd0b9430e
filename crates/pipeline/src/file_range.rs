//! A range of a file, read to intervals that add up with those of other ranges.

use std::cell::Cell;
use std::path::Path;

use isotherm_formats::{ByteRange, Context, Reach, decode_part};
use isotherm_frame::{AnomalyKind, Event, Frame, Nanos};

use crate::PipelineError;
use crate::input::{Binning, Read, ReadOptions, remarks};
use crate::intake::{AtOnce, Intake};

/// Reads the records that begin in a range of a file and hands on what happened. Where the range begins or
/// ends within the file, its intervals are whole ones.
pub(crate) fn read_range(
    (path, range): (&Path, ByteRange),
    options: &ReadOptions,
    binning: Binning,
    take: &mut dyn FnMut(Event),
) -> Result<Read, PipelineError> {
    let named = |error| match error {
        PipelineError::Request(text) => {
            PipelineError::Request(format!("{}@{range}: {text}", path.display()))
        }
        other => other,
    };
    if crate::input::begins(path, isotherm_recording::is_database) {
        let text = "a range of it cannot be read by itself: it is a recording. Read the whole file";
        return Err(named(PipelineError::Request(text.to_owned())));
    }
    let width = options.interval.unwrap_or(binning.interval);
    let (reach, too_many) = (Cell::new(None), Cell::new(false));
    let mut take = |event: Event| match event {
        Event::Frame(frame) => take(Event::Frame(uncut(frame, width, reach.get()))),
        Event::Anomaly(anomaly) => {
            too_many.set(too_many.get() || matches!(anomaly.kind, AnomalyKind::TooManySeries(_)));
            take(Event::Anomaly(anomaly));
        }
        other => take(other),
    };
    let out = AtOnce { take: &mut take, events: None };
    let mut intake = Intake::whole(out, width, binning.limits, binning.widest).with_fixed_width();
    let context = Context { keeps_attributes: false, ..options.context.clone() };
    let decoded = decode_part((path, range), &context, options.source, &mut intake);
    reach.set(Some(decoded.map_err(|error| named(error.into()))?));
    let whole = intake.end();
    if too_many.get() || whole.has_strays {
        return Err(named(PipelineError::Request(NEEDS_ALL.to_owned())));
    }
    let name = format!("{}@{range}", path.display());
    for text in remarks(&name, options, (width, binning.widest), &whole)? {
        take(Event::Message(text));
    }
    Ok(Read::Done(Box::new(whole.account)))
}

/// Why a range cannot be read where the first of all events or series decide.
const NEEDS_ALL: &str = "a range of it cannot be read by itself: it has too many series, or events dated years \
    apart, and the whole file decides which of them count. Read the whole file";

/// A frame of a range with the whole interval that it belongs to, where the range does not begin or end
/// with the file: other ranges have the rest of it. Where nothing ended yet there is only what waited
/// then: that begins when it is known to, or it would look as if ends had been counted there.
fn uncut(mut frame: Frame, width: Nanos, reach: Option<Reach>) -> Frame {
    let Some(reach) = reach else { return frame };
    let width = i64::try_from(width.as_nanos()).unwrap_or(i64::MAX).max(1);
    if !reach.from_beginning && frame.counts.events() > 0 {
        let past = frame.start.as_nanos().rem_euclid(width);
        frame.start = frame.start.minus(Nanos::new(past.unsigned_abs()));
    }
    if !reach.to_end {
        let past = frame.end.as_nanos().rem_euclid(width);
        let missing = if past == 0 { 0 } else { width - past };
        frame.end = frame.end.plus(Nanos::new(missing.unsigned_abs()));
    }
    frame
}

#[cfg(test)]
mod tests;
