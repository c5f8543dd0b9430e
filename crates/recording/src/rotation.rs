//! Letting go of what is older than a recording is to keep.

use std::collections::VecDeque;

use isotherm_frame::{Frame, Nanos, Timestamp};
use rusqlite::{Connection, Transaction, params};

use crate::layout::SERIES_PER_TICK;
use crate::meta;

/// What a recording that keeps only its latest has let go of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LetGo {
    /// How much it keeps.
    pub keep: Nanos,
    /// Frames that were let go of since it began.
    pub frames: u64,
    /// The events they had counted.
    pub events: u64,
    /// Everything up to this moment was let go of; `None` as long as nothing was.
    pub until: Option<Timestamp>,
}

/// Keys of `meta`.
pub(crate) const KEEP: &str = "keep_ns";
pub(crate) const FRAMES: &str = "let_go.frames";
pub(crate) const EVENTS: &str = "let_go.events";
pub(crate) const UNTIL: &str = "let_go.until_ns";

/// How many writes are looked at to tell what time it is.
const RECENT: usize = 5;
/// How many intervals go at once at least, so that a recording which has much to let go of catches
/// up and no single write takes long.
const AT_ONCE: usize = 64;

/// Deletes what is older than a length of time before the latest.
#[derive(Debug)]
pub(crate) struct Rotation {
    keep: Nanos,
    /// Where the latest writes ended, the newest last.
    recent: VecDeque<Timestamp>,
}

impl Rotation {
    /// Goes on from what a recording holds.
    pub(crate) fn new(keep: Nanos, connection: &Connection) -> rusqlite::Result<Rotation> {
        let mut select = connection.prepare("select end_ns from tick order by id desc limit ?1")?;
        let limit = i64::try_from(RECENT).unwrap_or(i64::MAX);
        let ends = select.query_map([limit], |row| row.get(0).map(Timestamp::new))?;
        let mut recent = ends.collect::<rusqlite::Result<VecDeque<Timestamp>>>()?;
        recent.make_contiguous().reverse();
        Ok(Rotation { keep, recent })
    }

    /// How much is kept.
    pub(crate) fn keep(&self) -> Nanos {
        self.keep
    }

    /// After these frames were written, in the same transaction: lets go of what is too old.
    pub(crate) fn turn(
        &mut self,
        transaction: &Transaction<'_>,
        frames: &[Frame],
    ) -> rusqlite::Result<()> {
        let Some(end) = frames.iter().map(|frame| frame.end).max() else { return Ok(()) };
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(end);
        let until = self.latest().minus(self.keep);
        let at_once = frames.len().saturating_mul(2).max(AT_ONCE);
        let gone = let_go(transaction, until, at_once)?;
        if gone.0 > 0 {
            count(transaction, gone, until)?;
        }
        let marks = "delete from mark where at_ns <= ?1
            and rowid < (select max(rowid) from mark)";
        // The last one stays, so that no number of a mark is ever given twice: those who wait for
        // new marks go by their numbers. Readers do not show it.
        transaction.prepare_cached(marks)?.execute([until.as_nanos()]).map(drop)
    }

    /// The latest moment that can be trusted: the middle one of where the latest writes ended. One
    /// interval from a far future, of a record that is damaged, must not cost the whole past.
    fn latest(&self) -> Timestamp {
        let mut ends: Vec<Timestamp> = self.recent.iter().copied().collect();
        ends.sort_unstable();
        ends.get(ends.len().saturating_sub(1) / 2).copied().unwrap_or_default()
    }
}

/// Deletes up to so many intervals that end by `until`; gives the frames and events in them.
fn let_go(
    transaction: &Transaction<'_>,
    until: Timestamp,
    at_once: usize,
) -> rusqlite::Result<(u64, u64)> {
    let old = "select id from tick where end_ns <= ?1 order by end_ns limit ?2";
    let limit = i64::try_from(at_once).unwrap_or(i64::MAX);
    let mut select = transaction.prepare_cached(old)?;
    let ticks = select.query_map(params![until.as_nanos(), limit], |row| row.get(0))?;
    let ticks = ticks.collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut gone = (0_u64, 0_u64);
    for tick in ticks {
        let first = tick.saturating_mul(SERIES_PER_TICK);
        let ids = params![first, first.saturating_add(SERIES_PER_TICK - 1)];
        let counts = "select counts from frame where id between ?1 and ?2";
        let mut select = transaction.prepare_cached(counts)?;
        let mut rows = select.query(ids)?;
        while let Some(row) = rows.next()? {
            gone.0 = gone.0.saturating_add(1);
            gone.1 = gone.1.saturating_add(row.get_ref(0)?.as_str().map_or(0, events));
        }
        let frames = "delete from frame where id between ?1 and ?2";
        transaction.prepare_cached(frames)?.execute(ids)?;
        transaction.prepare_cached("delete from tick where id = ?1")?.execute([tick])?;
    }
    Ok(gone)
}

/// The events of stored counts; none where they cannot be read.
fn events(counts: &str) -> u64 {
    let counts: Vec<u64> = serde_json::from_str(counts).unwrap_or_default();
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Adds what went to the account of it.
fn count(
    transaction: &Transaction<'_>,
    (frames, events): (u64, u64),
    until: Timestamp,
) -> rusqlite::Result<()> {
    meta::add(transaction, FRAMES, frames)?;
    meta::add(transaction, EVENTS, events)?;
    meta::set_number(transaction, UNTIL, until.as_nanos())
}
