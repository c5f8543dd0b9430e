//! The frames of a recording, a page at a time.

use isotherm_frame::{Frame, Quality, Timestamp};
use rusqlite::{Row, params};

use crate::layout::SERIES_PER_TICK;
use crate::reader::Stored;
use crate::{Reader, RecordingError, codec};

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
    page: std::vec::IntoIter<Result<Frame, RecordingError>>,
}

/// The frames of a page, and the ids that follow it.
type Page = (Option<(i64, i64)>, Vec<Result<Frame, RecordingError>>);

impl<'r> Frames<'r> {
    pub(crate) fn new(reader: &'r Reader, range: (i64, i64)) -> Result<Frames<'r>, RecordingError> {
        let query = "select min(id), max(id) from tick where end_ns > ?1 and start_ns < ?2";
        let ticks: (Option<i64>, Option<i64>) = reader
            .connection
            .query_row(query, [range.0, range.1], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(|error| reader.failed(error))?;
        let first = |tick: i64| tick.saturating_mul(SERIES_PER_TICK);
        let last = |tick: i64| first(tick).saturating_add(SERIES_PER_TICK - 1);
        let ids = ticks.0.map(first).zip(ticks.1.map(last));
        // After the ticks, so that a series that appears meanwhile is not missed.
        let stored = reader.stored()?;
        Ok(Frames { reader, stored, range, ids, page: Vec::new().into_iter() })
    }

    fn read(&self, (first, last): (i64, i64)) -> rusqlite::Result<Page> {
        let waited = if self.reader.has_waited() { "waited_ns" } else { "null" };
        let query = format!(
            "select frame.id, start_ns, end_ns, lo, counts, sum_ns, quality, {waited}
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
        let (mut frames, mut read) = (Vec::new(), first);
        while let Some(row) = rows.next()? {
            read = row.get(0)?;
            frames.push(self.frame(read, row)?);
        }
        let more = frames.len() == PAGE && read < last;
        Ok((more.then(|| (read + 1, last)), frames))
    }

    fn frame(&self, id: i64, row: &Row) -> rusqlite::Result<Result<Frame, RecordingError>> {
        let damaged = |why: &str| Err(self.reader.damaged(format!("frame {id}"), why.to_owned()));
        let (series, scheme) = match self.stored.get(&(id % SERIES_PER_TICK)) {
            Some(Ok(both)) => both,
            Some(Err(why)) => return Ok(damaged(why)),
            None => return Ok(damaged("its series is missing")),
        };
        let Some((start, end)) = row.get::<_, Option<i64>>(1)?.zip(row.get(2)?) else {
            return Ok(damaged("its interval is missing"));
        };
        let quality: Option<String> = row.get(6)?;
        let Some(quality) =
            quality.map_or(Some(Quality::Complete), |text| Quality::from_text(&text))
        else {
            return Ok(damaged("its quality is unknown"));
        };
        let (counts, waited): (String, Option<String>) = (row.get(4)?, row.get(7)?);
        let texts = (counts.as_str(), waited.as_deref());
        let (start, end) = (Timestamp::new(start), Timestamp::new(end));
        Ok(match codec::histogram_from(scheme, row.get(3)?, texts, row.get(5)?) {
            Ok(counts) => Ok(Frame { series: series.clone(), start, end, counts, quality }),
            Err(why) => damaged(&why),
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
            let ids = self.ids.take()?;
            match self.read(ids) {
                Ok((ids, frames)) => {
                    self.ids = ids;
                    self.page = frames.into_iter();
                }
                Err(error) => return Some(Err(self.reader.failed(error))),
            }
        }
    }
}
