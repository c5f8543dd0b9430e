//! The tables of a recording, and how a file is recognised.

use rusqlite::Connection;

/// "isoT": the application id in the header of the database.
pub(crate) const APPLICATION_ID: u32 = 0x6973_6f54;
/// The newest format this version reads and writes: 4 brought series of averages, whose scheme has the
/// word `averages` in place of bounds.
pub(crate) const FORMAT: i64 = 4;
/// The first format whose frames say when time was waited.
pub(crate) const WITH_WAITED: i64 = 2;
/// The first format whose rows have checksums.
pub(crate) const WITH_CHECKSUMS: i64 = 3;
/// Series to a tick: the id of a frame is `tick * 65536 + series`.
pub(crate) const SERIES_PER_TICK: i64 = 65_536;

const SCHEMA: &str = "
create table meta(key text primary key, value blob, crc integer) without rowid;
create table scheme(id integer primary key, bounds text not null unique, crc integer);
create table series(
  id integer primary key check (id between 0 and 65535),
  name text not null, attributes text not null, scheme integer not null references scheme(id),
  crc integer, unique(name, attributes, scheme));
create table tick(
  id integer primary key, start_ns integer not null, end_ns integer not null, frames integer,
  crc integer);
create index tick_by_end on tick(end_ns);
create table frame(
  id integer primary key, lo integer not null, counts text not null, sum_ns integer, quality text,
  waited_ns text, crc integer);
create table mark(at_ns integer not null, text text not null, origin text not null, crc integer);
";

/// The views, for those who read a recording without isotherm: nothing here reads them. What they show is
/// promised in `docs/format.md`, where they stand as they are here.
pub(crate) const VIEWS: [(&str, &str); 4] = [
    (
        "cells",
        "create view cells as
  select tick.end_ns as at_ns,
         datetime(tick.end_ns / 1000000000, 'unixepoch') as at,
         series.name as series, series.attributes as attributes,
         json_extract(scheme.bounds, '$[' || (frame.lo + cell.key) || ']') as lo_ns,
         json_extract(scheme.bounds, '$[' || (frame.lo + cell.key + 1) || ']') as hi_ns,
         cell.value as count,
         json_extract(frame.waited_ns, '$[' || cell.key || ']') as waited_ns
  from frame
  join tick on tick.id = frame.id >> 16
  join series on series.id = frame.id & 65535
  join scheme on scheme.id = series.scheme
  cross join json_each(frame.counts) as cell
  where cell.value > 0 or json_extract(frame.waited_ns, '$[' || cell.key || ']') > 0",
    ),
    (
        "intervals",
        "create view intervals as
  select tick.start_ns as start_ns, tick.end_ns as end_ns,
         datetime(tick.end_ns / 1000000000, 'unixepoch') as at,
         series.name as series, series.attributes as attributes,
         coalesce(frame.quality, 'complete') as quality,
         (select coalesce(sum(value), 0) from json_each(frame.counts)) as count,
         frame.sum_ns as sum_ns,
         case when frame.waited_ns is not null
           then (select coalesce(sum(value), 0) from json_each(frame.waited_ns)) end as waited_ns
  from frame
  join tick on tick.id = frame.id >> 16
  join series on series.id = frame.id & 65535",
    ),
    (
        "buckets",
        "create view buckets as
  select tick.start_ns as start_ns, tick.end_ns as end_ns,
         datetime(tick.end_ns / 1000000000, 'unixepoch') as at,
         series.name as series, series.attributes as attributes,
         coalesce(frame.quality, 'complete') as quality,
         json_extract(scheme.bounds, '$[' || (frame.lo + bucket.key) || ']') as lo_ns,
         json_extract(scheme.bounds, '$[' || (frame.lo + bucket.key + 1) || ']') as hi_ns,
         bucket.value as count,
         json_extract(frame.waited_ns, '$[' || bucket.key || ']') as waited_ns
  from frame
  join tick on tick.id = frame.id >> 16
  join series on series.id = frame.id & 65535
  join scheme on scheme.id = series.scheme
  cross join json_each(frame.counts) as bucket
  where bucket.value > 0 or json_extract(frame.waited_ns, '$[' || bucket.key || ']') > 0",
    ),
    (
        "marks",
        "create view marks as
  select at_ns, datetime(at_ns / 1000000000, 'unixepoch') as at, text, origin from mark
  where at_ns > coalesce((select cast(value as integer) from meta where key = 'let_go.until_ns'), at_ns - 1)",
    ),
];

/// Makes the views that a recording of an earlier version does not have. What already has the name of one
/// stays as it is.
pub(crate) fn add_views(connection: &Connection) -> rusqlite::Result<()> {
    VIEWS.iter().try_for_each(|(_, view)| {
        connection.execute_batch(&view.replacen("create view", "create view if not exists", 1))
    })
}

/// Makes the tables of an empty database.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "begin; pragma application_id = {APPLICATION_ID}; pragma user_version = {FORMAT}; {SCHEMA} {views} commit;",
        views = VIEWS.map(|(_, view)| format!("{view};")).join(" "),
    ))
}

/// Whether a file that begins with `head` is an SQLite database: a recording, perhaps, or one of
/// another program.
pub fn is_database(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
}

/// Whether a file that begins with `head` (at least 72 bytes) is a recording.
pub fn is_recording(head: &[u8]) -> bool {
    is_database(head) && head.get(68..72) == Some(APPLICATION_ID.to_be_bytes().as_slice())
}

#[cfg(test)]
mod tests {
    use super::VIEWS;

    #[test]
    fn the_views_stand_in_the_documentation_as_they_are() {
        let page = include_str!("../../../docs/format.md");
        for (name, view) in VIEWS {
            assert!(page.contains(&format!("{view};\n")), "{name}");
        }
    }
}
