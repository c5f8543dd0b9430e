//! What was recorded before a recording is continued.

use isotherm_frame::{Frame, Timestamp};
use rusqlite::{Connection, params};

use crate::layout::SERIES_PER_TICK;

/// Where the earlier part of a recording ends.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Earlier {
    /// In time.
    pub until: Timestamp,
    /// The last interval of it.
    pub last_tick: i64,
}

impl Earlier {
    /// Whether a frame lies in time that was recorded before, of its own series: these ids. A clock
    /// that is behind the recording's would count two stretches of time as one.
    pub(crate) fn overlaps(
        self,
        connection: &Connection,
        frame: &Frame,
        ids: impl Iterator<Item = i64>,
    ) -> rusqlite::Result<bool> {
        if frame.is_amendment() || frame.start >= self.until {
            return Ok(false);
        }
        let query = "select exists(select 1 from tick where id <= ?1 and end_ns > ?2
            and start_ns < ?3
            and exists(select 1 from frame where frame.id = tick.id * ?4 + ?5))";
        let mut exists = connection.prepare_cached(query)?;
        let (start, end) = (frame.start.as_nanos(), frame.end.as_nanos());
        for id in ids {
            let row = params![self.last_tick, start, end, SERIES_PER_TICK, id];
            if exists.query_row(row, |row| row.get(0))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
