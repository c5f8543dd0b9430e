//! What one transaction writes.

use std::collections::HashMap;
use std::path::Path;

use isotherm_frame::{Frame, Quality, Scheme, Series, Timestamp};
use rusqlite::types::ValueRef;
use rusqlite::{Transaction, params};

use crate::layout::SERIES_PER_TICK;
use crate::{Reader, RecordingError, checksum, codec, limits};

/// What is in the recording already, so that it is written once.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The id of each scheme, by how it is written.
    schemes: HashMap<String, i64>,
    /// The ids of each series, one for each scheme of its frames.
    series: HashMap<Series, Vec<(Scheme, i64)>>,
    next_series: i64,
    last_tick: i64,
}

/// What a transaction made known, to be forgotten again should it fail.
pub(crate) struct Added {
    schemes: Vec<Scheme>,
    series: Vec<Series>,
    /// The last tick before the transaction.
    last_tick: i64,
}

impl Known {
    /// What a recording holds.
    pub(crate) fn read(reader: &Reader) -> Result<Known, RecordingError> {
        let mut known = Known { last_tick: reader.last_tick()?, ..Known::default() };
        let schemes = reader.schemes()?.into_iter();
        known.schemes = schemes
            .filter_map(|(id, scheme)| Some((codec::bounds_text(&scheme.ok()?), id)))
            .collect();
        for (id, stored) in reader.stored()? {
            // One that cannot be read keeps its number.
            known.next_series = known.next_series.max(id.saturating_add(1));
            if let Ok((series, scheme)) = stored {
                known.series.entry(series).or_default().push((scheme, id));
            }
        }
        Ok(known)
    }

    /// The number of the last interval.
    pub(crate) fn last_tick(&self) -> i64 {
        self.last_tick
    }

    /// The ids of a series.
    pub(crate) fn ids(&self, series: &Series) -> impl Iterator<Item = i64> + '_ {
        self.series.get(series).into_iter().flatten().map(|(_, id)| *id)
    }

    /// The id of a series with the scheme of its frames, if there is one.
    fn id(&self, series: &Series, scheme: &Scheme) -> Option<i64> {
        let known = self.series.get(series).into_iter().flatten();
        known.into_iter().find(|(known, _)| known == scheme).map(|(_, id)| *id)
    }

    /// Forgets what a failed transaction had added.
    pub(crate) fn forget(&mut self, added: Added) {
        for scheme in added.schemes {
            self.schemes.remove(&codec::bounds_text(&scheme));
        }
        for series in added.series.into_iter().rev() {
            self.next_series -= 1;
            self.series.get_mut(&series).and_then(Vec::pop);
        }
        self.last_tick = added.last_tick;
    }
}

/// Frames of a batch that no reader would take: their series are too large, or too many, or their interval
/// does not run forward.
#[derive(Debug)]
pub struct Refused {
    /// Which of the frames, in their order.
    pub frames: Vec<usize>,
    /// Why the first of them.
    pub reason: RecordingError,
}

/// Frames on their way into one transaction.
pub(crate) struct Batch<'a> {
    known: &'a mut Known,
    transaction: &'a Transaction<'a>,
    added: Added,
    /// The ticks of this batch: their intervals, and how many frames each has.
    opened: HashMap<i64, ((Timestamp, Timestamp), i64)>,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(known: &'a mut Known, transaction: &'a Transaction<'a>) -> Batch<'a> {
        let last_tick = known.last_tick;
        let added = Added { schemes: Vec::new(), series: Vec::new(), last_tick };
        Batch { known, transaction, added, opened: HashMap::new() }
    }

    /// What is known only if the transaction succeeds.
    pub(crate) fn into_added(self) -> Added {
        self.added
    }

    /// Writes frames, but for those that are refused.
    pub(crate) fn write(
        &mut self,
        frames: &[Frame],
        path: &Path,
    ) -> Result<Option<Refused>, RecordingError> {
        let failed = |error| RecordingError::database(path, error);
        let mut ticks: HashMap<(Timestamp, Timestamp), i64> = HashMap::new();
        let mut refused: Option<Refused> = None;
        for (index, frame) in frames.iter().enumerate() {
            let series = match self.series_of(frame, path)? {
                Ok(series) => series,
                Err(reason) => {
                    let none = Refused { frames: Vec::new(), reason };
                    refused.get_or_insert(none).frames.push(index);
                    continue;
                }
            };
            let interval = (frame.start, frame.end);
            let tick = match ticks.get(&interval) {
                Some(tick) => *tick,
                None => self.tick(interval).map_err(failed)?,
            };
            let tick = self.insert(frame, (tick, series)).map_err(failed)?;
            ticks.insert(interval, tick);
        }
        self.close_ticks().map_err(failed)?;
        Ok(refused)
    }

    /// The id of the series of a frame, or why it is refused.
    fn series_of(
        &mut self,
        frame: &Frame,
        path: &Path,
    ) -> Result<Result<i64, RecordingError>, RecordingError> {
        let (series, scheme) = (&frame.series, frame.counts.scheme());
        // Whoever reads it would take it for damage.
        if let Err(why) = limits::check_interval(frame.start, frame.end) {
            let (path, series) = (path.to_owned(), series.name().to_owned());
            return Ok(Err(RecordingError::Frame { path, series, why }));
        }
        if let Some(id) = self.known.id(series, scheme) {
            return Ok(Ok(id));
        }
        if let Err(reason) = codec::check_sizes(series, scheme, path) {
            return Ok(Err(reason));
        }
        let id = self.add_series(series, scheme);
        let id = id.map_err(|error| RecordingError::database(path, error))?;
        Ok(id.ok_or_else(|| RecordingError::TooManySeries(path.to_owned())))
    }

    /// Says in each new tick how many frames it has: no other will be added to it.
    fn close_ticks(&self) -> rusqlite::Result<()> {
        let set = "update tick set frames = ?2, crc = ?3 where id = ?1";
        let mut set = self.transaction.prepare_cached(set)?;
        for (tick, ((start, end), frames)) in &self.opened {
            let ns = |at: &Timestamp| ValueRef::Integer(at.as_nanos());
            let row = [ValueRef::Integer(*tick), ns(start), ns(end), ValueRef::Integer(*frames)];
            set.execute(params![tick, frames, checksum::of(&row)])?;
        }
        Ok(())
    }

    fn tick(&mut self, (start, end): (Timestamp, Timestamp)) -> rusqlite::Result<i64> {
        let tick = self.known.last_tick.saturating_add(1);
        let insert = "insert into tick(id, start_ns, end_ns) values(?1, ?2, ?3)";
        let mut insert = self.transaction.prepare_cached(insert)?;
        insert.execute(params![tick, start.as_nanos(), end.as_nanos()])?;
        self.opened.insert(tick, ((start, end), 0));
        self.known.last_tick = tick;
        Ok(tick)
    }

    /// Inserts a frame; a second frame of one series in one interval gets a tick of its own.
    /// Gives the tick used.
    fn insert(&mut self, frame: &Frame, (tick, series): (i64, i64)) -> rusqlite::Result<i64> {
        let (lo, counts, waited) = codec::counts_text(&frame.counts);
        let sum = codec::kept_sum(frame).and_then(|sum| i64::try_from(sum.as_nanos()).ok());
        let quality = codec::quality_text(frame);
        let quality = (quality != Quality::Complete.to_string()).then_some(quality);
        let insert = "insert or ignore into frame values(?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let mut statement = self.transaction.prepare_cached(insert)?;
        let mut insert = |tick: i64| {
            let id = tick.saturating_mul(SERIES_PER_TICK).saturating_add(series);
            let crc = checksum::of(&[
                ValueRef::Integer(id),
                ValueRef::Integer(lo),
                checksum::text(&counts),
                sum.map_or(ValueRef::Null, ValueRef::Integer),
                checksum::optional(quality.as_deref()),
                checksum::optional(waited.as_deref()),
            ]);
            statement.execute(params![id, lo, counts, sum, quality, waited, crc])
        };
        let mut used = tick;
        if insert(used)? == 0 {
            used = self.tick((frame.start, frame.end))?;
            insert(used)?;
        }
        if let Some((_, frames)) = self.opened.get_mut(&used) {
            *frames += 1;
        }
        Ok(used)
    }

    fn scheme(&mut self, scheme: &Scheme) -> rusqlite::Result<i64> {
        let bounds = codec::bounds_text(scheme);
        if let Some(id) = self.known.schemes.get(&bounds) {
            return Ok(*id);
        }
        let id = "select coalesce(max(id), 0) + 1 from scheme";
        let id: i64 = self.transaction.query_row(id, [], |row| row.get(0))?;
        let crc = checksum::of(&[ValueRef::Integer(id), checksum::text(&bounds)]);
        let insert = "insert into scheme values(?1, ?2, ?3)";
        self.transaction.execute(insert, params![id, bounds, crc])?;
        self.known.schemes.insert(bounds, id);
        self.added.schemes.push(scheme.clone());
        Ok(id)
    }

    /// Adds a series with a scheme, and gives its id; `None` when no more fit.
    fn add_series(&mut self, series: &Series, scheme: &Scheme) -> rusqlite::Result<Option<i64>> {
        let id = self.known.next_series;
        if id >= SERIES_PER_TICK {
            return Ok(None);
        }
        let scheme_id = self.scheme(scheme)?;
        let attributes = codec::attributes_text(series);
        let crc = checksum::of(&[
            ValueRef::Integer(id),
            checksum::text(series.name()),
            checksum::text(&attributes),
            ValueRef::Integer(scheme_id),
        ]);
        self.transaction.execute(
            "insert into series values(?1, ?2, ?3, ?4, ?5)",
            params![id, series.name(), attributes, scheme_id, crc],
        )?;
        self.known.series.entry(series.clone()).or_default().push((scheme.clone(), id));
        self.known.next_series += 1;
        self.added.series.push(series.clone());
        Ok(Some(id))
    }
}
