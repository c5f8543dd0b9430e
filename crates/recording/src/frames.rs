//! The frames of a recording, a page at a time.

use isotherm_frame::{Frame, Quality, Timestamp};
use rusqlite::{Row, params};

use crate::bounds::BUCKETS_AT_ONCE;
use crate::layout::SERIES_PER_TICK;
use crate::reader::Stored;
use crate::{LetGo, Reader, RecordingError, codec};

/// How many frames are read at once.
const PAGE: usize = 1_024;

/// The frames of a recording. Ends after the first page that cannot be read; a frame that
/// contradicts the format is an error of its own and the next ones follow.
pub struct Frames<'r> {
    reader: &'r Reader,
    stored: Stored,
    /// From and to, in nanoseconds.
    range: (i64, i64),
    /// The ids still to be read: the first and the last.
    ids: Option<(i64, i64)>,
    /// How many frames the intervals say are still to come, and what had been let go of when
    /// reading began.
    left: Option<(i64, Option<LetGo>)>,
    page: std::vec::IntoIter<Result<Frame, RecordingError>>,
}

/// The frames of a page, and the ids that follow it.
type Page = (Option<(i64, i64)>, Vec<Result<Frame, RecordingError>>);

/// What the intervals say about the frames there are.
#[derive(Default)]
struct Expected {
    /// The first and the last interval in the range.
    ticks: Option<(i64, i64)>,
    /// The frames of the intervals in the range.
    frames: i64,
    /// How many intervals are missing of all.
    missing: i64,
}

impl Reader {
    /// The frames that end after `from` and begin before `to`, interval by interval in the order
    /// they were recorded, a page at a time. What is written after this call is not among them.
    pub fn frames(
        &self,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
    ) -> Result<Frames<'_>, RecordingError> {
        let from = from.map_or(i64::MIN, Timestamp::as_nanos);
        let to = to.map_or(i64::MAX, Timestamp::as_nanos);
        Frames::new(self, (from, to))
    }

    /// The frames of at most so many intervals after the one numbered `after`, in the order they were
    /// recorded, and the number of the last of these intervals: what was written since a reader looked.
    /// 0 comes before the first. `None` if nothing was.
    pub fn frames_after(
        &self,
        after: i64,
        most: i64,
    ) -> Result<Option<(Frames<'_>, i64)>, RecordingError> {
        let query = "select min(id), max(id) from tick where id > ?1";
        let there = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let there: (Option<i64>, Option<i64>) =
            self.connection.query_row(query, [after], there).map_err(|error| self.failed(error))?;
        let Some((first, latest)) = there.0.zip(there.1) else { return Ok(None) };
        let last = latest.min(first.saturating_add(most.max(1) - 1));
        let ids = (first.saturating_mul(SERIES_PER_TICK), last.saturating_add(1));
        let ids = (ids.0, ids.1.saturating_mul(SERIES_PER_TICK).saturating_sub(1));
        // After the ticks, so that a series that appears meanwhile is not missed.
        let stored = self.stored()?;
        let (range, page) = ((i64::MIN, i64::MAX), Vec::new().into_iter());
        Ok(Some((Frames { reader: self, stored, range, ids: Some(ids), left: None, page }, last)))
    }
}

impl<'r> Frames<'r> {
    fn new(reader: &'r Reader, range: (i64, i64)) -> Result<Frames<'r>, RecordingError> {
        let let_go = if reader.has_checksums() { reader.let_go()? } else { None };
        let expected = Expected::read(reader, range).map_err(|error| reader.failed(error))?;
        let first = |tick: i64| tick.saturating_mul(SERIES_PER_TICK);
        let last = |tick: i64| first(tick).saturating_add(SERIES_PER_TICK - 1);
        let ids = expected.ticks.map(|ticks| (first(ticks.0), last(ticks.1)));
        // After the ticks, so that a series that appears meanwhile is not missed.
        let stored = reader.stored()?;
        let mut faults: Vec<_> = reader
            .faults()
            .iter()
            .map(|fault| Err(reader.damaged("its head".to_owned(), fault.clone())))
            .collect();
        // What keeps only its latest has gaps where it let go of something.
        if expected.missing != 0 && let_go.is_none() {
            let why = format!("{} intervals are missing", expected.missing);
            faults.push(Err(reader.damaged("its intervals".to_owned(), why)));
        }
        let left = (reader.has_checksums()).then_some((expected.frames, let_go));
        Ok(Frames { reader, stored, range, ids, left, page: faults.into_iter() })
    }

    fn read(&self, (first, last): (i64, i64)) -> rusqlite::Result<Page> {
        let waited = if self.reader.has_waited() { "waited_ns" } else { "null" };
        let checks = if self.reader.has_checksums() {
            "frame.crc, tick.id, start_ns, end_ns, tick.frames, tick.crc"
        } else {
            "null, tick.id, start_ns, end_ns"
        };
        let query = format!(
            "select frame.id, lo, counts, sum_ns, quality, {waited}, {checks}
            from frame left join tick on tick.id = frame.id / 65536
            where frame.id between ?1 and ?2
              and (tick.id is null or (end_ns > ?3 and start_ns < ?4)
                   or typeof(start_ns) <> 'integer' or typeof(end_ns) <> 'integer')
            order by frame.id limit ?5"
        );
        let mut statement = self.reader.connection.prepare_cached(&query)?;
        let (from, to) = self.range;
        let limit = i64::try_from(PAGE).unwrap_or(i64::MAX);
        let mut rows = statement.query(params![first, last, from, to, limit])?;
        let (mut frames, mut read, mut buckets) = (Vec::new(), first, 0);
        while let Some(row) = rows.next()? {
            read = row.get(0)?;
            let frame = self.frame(row);
            buckets += frame.as_ref().map_or(0, |frame| frame.counts.counts().len());
            let damaged = |why| self.reader.damaged(format!("frame {read}"), why);
            frames.push(frame.map_err(damaged));
            if buckets > BUCKETS_AT_ONCE {
                break;
            }
        }
        let more = (frames.len() == PAGE || buckets > BUCKETS_AT_ONCE) && read < last;
        Ok((more.then(|| (read + 1, last)), frames))
    }

    /// The frame of a row, or why it cannot be known.
    fn frame(&self, row: &Row<'_>) -> Result<Frame, String> {
        let reason = |error: rusqlite::Error| error.to_string();
        self.reader.whole(row, 0..6).map_err(reason)??;
        let series: i64 = row.get::<_, i64>(0).map_err(reason)? % SERIES_PER_TICK;
        let both = self.stored.get(&series).ok_or("its series is missing")?;
        let (series, scheme) = both.as_ref().map_err(Clone::clone)?;
        row.get::<_, Option<i64>>(7).map_err(reason)?.ok_or("its interval is missing")?;
        let tick = self.reader.whole(row, 7..11).map_err(reason)?;
        tick.map_err(|why| format!("its interval: {why}"))?;
        let ns = |column| row.get(column).map(Timestamp::new).map_err(reason);
        let (start, end) = (ns(8)?, ns(9)?);
        if start >= end {
            return Err("its interval does not run forward".into());
        }
        let quality: Option<String> = row.get(4).map_err(reason)?;
        let quality = quality.unwrap_or_else(|| Quality::Complete.to_string());
        let kept = codec::quality_from(&quality).ok_or("its quality is unknown")?;
        let counts: String = row.get(2).map_err(reason)?;
        let waited: Option<String> = row.get(5).map_err(reason)?;
        let (lo, sum) = (row.get(1).map_err(reason)?, row.get(3).map_err(reason)?);
        let counts = codec::histogram_from(scheme, lo, (&counts, waited.as_deref()), sum, kept)?;
        Ok(Frame { series: series.clone(), start, end, counts, quality: kept.quality })
    }

    /// At the end: whether there were as many frames as the intervals say. Where the recorder has
    /// let go of some meanwhile nobody can tell.
    fn missing(&mut self) -> Option<Result<Frame, RecordingError>> {
        let (left, let_go) = self.left.take().filter(|(left, _)| *left > 0)?;
        match self.reader.let_go() {
            Ok(now) if now != let_go => None,
            Ok(_) => {
                let why = format!("{left} frames are missing");
                Some(Err(self.reader.damaged("its intervals".to_owned(), why)))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl Expected {
    fn read(reader: &Reader, (from, to): (i64, i64)) -> rusqlite::Result<Expected> {
        let frames = if reader.has_checksums() { "frames" } else { "null" };
        // Through no index: it is a copy without a checksum.
        let query = format!(
            "select min(id) filter (where end_ns > ?1 and start_ns < ?2),
                    max(id) filter (where end_ns > ?1 and start_ns < ?2),
                    coalesce(sum(min({frames}, 65536)) filter (where end_ns > ?1 and start_ns < ?2), 0),
                    coalesce(max(id), 0), count(*) from tick not indexed"
        );
        let whole = reader.has_checksums();
        reader.connection.query_row(&query, [from, to], |row| {
            let ticks: (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
            let (last, count): (i64, i64) = (row.get(3)?, row.get(4)?);
            let missing = if whole { last.saturating_sub(count) } else { 0 };
            // Before the first interval nothing is right, and is reported.
            let first = ticks.0.map(|first| if from == i64::MIN { first.min(0) } else { first });
            Ok(Expected { ticks: first.zip(ticks.1), frames: row.get(2)?, missing })
        })
    }
}

impl Iterator for Frames<'_> {
    type Item = Result<Frame, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(frame) = self.page.next() {
                return Some(frame);
            }
            let Some(ids) = self.ids.take() else { return self.missing() };
            match self.read(ids) {
                Ok((ids, frames)) => {
                    self.ids = ids;
                    let read = i64::try_from(frames.len()).unwrap_or(i64::MAX);
                    if let Some((left, _)) = &mut self.left {
                        *left = left.saturating_sub(read);
                    }
                    self.page = frames.into_iter();
                }
                Err(error) => {
                    self.left = None;
                    return Some(Err(self.reader.failed(error)));
                }
            }
        }
    }
}
