//! Files that are no recordings, or not any more: a clear answer, never a panic.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod given;

use std::path::{Path, PathBuf};

use given::{about, frame, frames, with_quality, with_sum};
use isotherm_frame::{Account, Gap, Quality, Random, Scheme, Series};
use isotherm_recording::{Durability, Reader, RecordedMark, RecordingError, Writer, mark};

/// How many bits are flipped, one at a time.
const FLIPS: usize = 2_000;

/// A finished recording of 40 intervals of two series.
fn recording(dir: &Path) -> PathBuf {
    let path = dir.join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    let attributed = Series::with_attributes("read", [("device", "vda")]);
    for second in 0..40 {
        let gap = with_quality(
            frame(&Series::named("write"), second, &[0, 10, Scheme::UNBOUNDED], &[0, 0]),
            Quality::Gap(Gap::Reset),
        );
        let read = with_sum(frame(&attributed, second, &[0, 10, 20, 40], &[1, 200, 3]), 123_456);
        writer.write(&[gap, read]).unwrap();
    }
    let text = "deploy".to_owned();
    writer.mark(&RecordedMark { at: about().started, text, origin: "me".to_owned() }).unwrap();
    writer.finish().unwrap();
    path
}

/// Everything that can be asked of a recording; the frames that could be read.
fn read_all(path: &Path) -> Result<usize, RecordingError> {
    let reader = Reader::open(path)?;
    reader.account();
    reader.span()?;
    reader.marks()?;
    reader.series()?;
    let mut read = 0;
    for frame in reader.frames(None, None)? {
        frame?;
        read += 1;
    }
    Ok(read)
}

fn said(path: &Path) -> String {
    let said = read_all(path).unwrap_err().to_string();
    said.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&said).to_owned()
}

/// Makes a recording one of format 2, in which nothing has a checksum.
const OLDER: &str = "
    alter table tick drop column frames; alter table tick drop column crc;
    alter table meta drop column crc; alter table scheme drop column crc;
    alter table series drop column crc; alter table frame drop column crc;
    alter table mark drop column crc; delete from meta where key = '_seal';
    pragma user_version = 2;";

fn changed(sql: &str, older: bool) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(if older { OLDER } else { "" }).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    read_all(&path).map_or_else(
        |error| error.to_string().replace(&format!("{}: ", path.display()), ""),
        |read| format!("{read} frames"),
    )
}

#[test]
fn what_is_no_recording_is_called_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    assert_eq!(said(&path), "No such file or directory");
    std::fs::write(&path, "").unwrap();
    assert_eq!(said(&path), "not a recording of isotherm: it is empty");
    std::fs::write(&path, "begin record\n".repeat(50)).unwrap();
    assert_eq!(said(&path), "not a recording of isotherm: it is no SQLite database");
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("create table a(b);").unwrap();
    assert_eq!(
        said(&path),
        "this is an SQLite database, but not a recording of isotherm (application_id 0x0); read it \
         with sqlite3"
    );
    assert!(matches!(
        Writer::append_to(&path, Durability::Normal),
        Err(RecordingError::OtherDatabase { id: 0, .. })
    ));
    assert!(matches!(
        Reader::open(dir.path()),
        Err(RecordingError::Io { .. } | RecordingError::NotARecording { .. })
    ));
}

#[test]
fn a_newer_format_is_refused_by_reader_writer_and_mark_and_stays_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert_eq!(
        said(&path),
        "written by a newer isotherm (format 7, this one reads up to 4); use that version to read it"
    );
    let append = Writer::append_to(&path, Durability::Normal);
    assert!(matches!(append, Err(RecordingError::Newer { found: 7, known: 4, .. })));
    let note = RecordedMark { at: about().started, text: "x".into(), origin: "x".into() };
    assert!(matches!(mark(&path, &note), Err(RecordingError::Newer { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn contents_that_contradict_the_format_are_named_with_their_place() {
    let cases = [
        ("update frame set counts = '[1,2' where id = 65537", "damaged at frame 65537: EOF"),
        ("update frame set counts = '[1,-2]' where id = 65537", "damaged at frame 65537: invalid"),
        ("update frame set counts = '[1,2.5]' where id = 65537", "damaged at frame 65537: invalid"),
        (
            "update frame set counts = '[1,2,3,4]' where id = 65537",
            "damaged at frame 65537: more counts",
        ),
        ("update frame set lo = 9 where id = 65537", "damaged at frame 65537: more counts"),
        ("update frame set lo = -1 where id = 65537", "damaged at frame 65537: out of range"),
        (
            "update frame set lo = 9223372036854775807 where id = 65537",
            "damaged at frame 65537: more",
        ),
        ("update frame set sum_ns = -5 where id = 65537", "damaged at frame 65537: out of range"),
        (
            "update frame set quality = 'fine' where id = 65537",
            "damaged at frame 65537: its quality",
        ),
        ("update frame set counts = x'00ff' where id = 65537", "damaged at frame 65537: Invalid"),
        ("update tick set start_ns = 'noon' where id = 3", "damaged at frame 196608: Invalid"),
        (
            "update tick set end_ns = start_ns where id = 3",
            "damaged at frame 196608: its interval does not run forward",
        ),
        (
            "update tick set end_ns = start_ns - 1 where id = 3",
            "damaged at frame 196608: its interval does not run forward",
        ),
        ("delete from tick where id = 3", "damaged at frame 196608: its interval is missing"),
        ("delete from series where id = 1", "damaged at frame 65537: its series is missing"),
        (
            "update scheme set bounds = '[3,2,1]' where id = 1",
            "damaged at frame 65536: series 0: its scheme 1: bucket bound 2 ns",
        ),
        (
            "update scheme set bounds = '[null,5]' where id = 1",
            "damaged at frame 65536: series 0: its scheme 1: bucket bound 5",
        ),
        (
            "update scheme set bounds = '{}' where id = 1",
            "damaged at frame 65536: series 0: its scheme 1: invalid type",
        ),
        (
            "update series set attributes = '[1]' where id = 1",
            "damaged at frame 65537: series 1: invalid type",
        ),
        ("pragma user_version = 0", "damaged at its head: format 0 never was"),
        ("drop view cells; drop table mark", "damaged at its tables: there is no table 'mark'"),
    ];
    assert_eq!(frames(&recording(tempfile::tempdir().unwrap().path())).len(), 80);
    for (sql, expected) in cases {
        let said = changed(sql, true);
        assert!(said.starts_with(expected), "{sql}: {said}");
        let said = changed(sql, false);
        assert!(said.starts_with("damaged at "), "{sql}: {said}");
    }
}

#[test]
fn what_was_changed_with_its_format_kept_is_recognised_by_its_checksum() {
    let no_checksum = "it does not have its checksum";
    let cases = [
        ("update frame set counts = '[2,200,3]' where id = 65537", "frame 65537"),
        ("update frame set lo = lo + 0, sum_ns = 123457 where id = 65537", "frame 65537"),
        ("update frame set quality = null where id = 65536", "frame 65536"),
        ("update frame set id = id + 2 where id = 65537", "frame 65539"),
        ("update tick set end_ns = end_ns + 1 where id = 3", "frame 196608: its interval"),
        ("update tick set frames = 3 where id = 3", "frame 196608: its interval"),
        ("update series set name = 'reed' where id = 1", "frame 65537: series 1"),
        ("update series set attributes = '{}' where id = 1", "frame 65537: series 1"),
        (
            "update scheme set bounds = replace(bounds, '20', '30') where id = 2",
            "frame 65537: series 1: its scheme 2",
        ),
        ("update meta set value = 'arbitrary' where key = 'clock'", "its head: meta 'clock'"),
        ("update mark set at_ns = at_ns + 1", "its head: mark 1"),
    ];
    for (sql, place) in cases {
        let said = changed(sql, false);
        assert!(said.starts_with(&format!("damaged at {place}: {no_checksum}")), "{sql}: {said}");
    }
    let missing = [
        ("delete from frame where id = 65537", "damaged at its intervals: 1 frames are missing"),
        (
            "delete from frame where id > 65536 * 40; delete from tick where id = 40",
            "damaged at its head: its contents: meta 6, last tick 39, series 2, schemes 2, and \
             there were: meta 6, last tick 40, series 2, schemes 2",
        ),
        (
            "delete from frame where id / 65536 = 7; delete from tick where id = 7",
            "damaged at its intervals: 1 intervals are missing",
        ),
        (
            "delete from meta where key = 'clock'",
            "damaged at its head: meta 'clock': it is missing",
        ),
    ];
    for (sql, expected) in missing {
        let said = changed(sql, false);
        assert!(said.starts_with(expected), "{sql}: {said}");
    }
}

/// A recording is what anyone may have sent.
#[test]
fn what_is_no_table_of_a_recording_is_never_asked() {
    let endless = "with recursive n(x) as (select 1 union all select x + 1 from n)
        select x as id, 0 as lo, '[1]' as counts, null as sum_ns, null as quality,
        null as waited_ns, 0 as crc from n";
    let cases = [
        (
            format!("drop view cells; drop table frame; create view frame as {endless}"),
            "damaged at its tables: a view 'frame' is none of a recording",
        ),
        (
            "create trigger t after insert on frame begin delete from tick; end".to_owned(),
            "damaged at its tables: a trigger 't' is none of a recording",
        ),
        (
            "create index i on frame(quality)".to_owned(),
            "damaged at its tables: a index 'i' is none of a recording",
        ),
        (
            "alter table mark add column x text as (hex(zeroblob(1000000000)))".to_owned(),
            "damaged at its tables: the columns of table 'mark' are not those of format 4",
        ),
        (
            "drop view cells; drop table meta; create virtual table meta using fts5(key, value, crc)"
                .to_owned(),
            "damaged at its tables: a table 'meta' is none of a recording",
        ),
        (
            "pragma user_version = 2".to_owned(),
            "damaged at its tables: the columns of table 'frame' are not those of format 2",
        ),
    ];
    for (sql, expected) in cases {
        let said = changed(&sql, false);
        assert!(said.starts_with(expected), "{sql}: {said}");
    }
    // Other tables, and views of one's own, are nobody's business.
    let own = "create view v as select * from frame; create table t(x); insert into t values(1)";
    assert_eq!(changed(own, false), "80 frames");
}

#[test]
fn what_is_larger_than_anything_recorded_is_refused_before_it_is_read() {
    let bounds = |most: u64| {
        format!(
            "update scheme set bounds = (with recursive n(x) as
             (select 0 union all select x + 1 from n where x < {most})
             select json_group_array(x) from n) where id = 2"
        )
    };
    let cases = [
        (bounds(65_535), "80 frames"),
        (
            bounds(65_536),
            "damaged at frame 65537: series 1: its scheme 2: 65537 bucket bounds: at most 65536",
        ),
        (
            bounds(2_000_000),
            "damaged at a row of a table: it is longer than the 4194304 bytes that are read",
        ),
        (
            "update frame set counts = '[' || printf('%.*c', 9000000, '1') || ']' where id = 65537"
                .to_owned(),
            "damaged at a row of a table: it is longer",
        ),
        (
            "update series set name = printf('%.*c', 65537, 'x') where id = 1".to_owned(),
            "damaged at frame 65537: series 1: 65537 bytes of name: at most 65536",
        ),
        (
            "update meta set value = zeroblob(9000000) where key = 'host'".to_owned(),
            "damaged at a row of a table: it is longer",
        ),
    ];
    for (sql, expected) in cases {
        let said = changed(&sql, true);
        assert!(said.starts_with(expected), "{sql}: {said}");
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.heat");
    let mut writer = Writer::create(&path, &about(), Durability::Normal).unwrap();
    let wide: Vec<u64> = (0..70_000).collect();
    let wide = frame(&Series::named("wide"), 0, &wide, &vec![1; 69_999]);
    let refused = writer.write(&[wide]).unwrap_err();
    assert!(
        refused.to_string().ends_with("70000 bucket bounds: a recording holds at most 65536"),
        "{refused}"
    );
    writer.write(&[frame(&Series::named("narrow"), 0, &[0, 10], &[1])]).unwrap();
    writer.finish().unwrap();
    assert_eq!(frames(&path).len(), 1);
}

/// What a recording tells when all of it is asked, and the bytes that follow from it.
fn everything(path: &Path) -> Result<String, RecordingError> {
    let reader = Reader::open(path)?;
    let frames = reader.frames(None, None)?.collect::<Result<Vec<_>, _>>()?;
    let (marks, series) = (reader.marks()?, reader.series()?);
    let (tally, span, gone) = (reader.account(), reader.span()?, reader.let_go()?);
    Ok(format!("{:?} {tally:?} {span:?} {gone:?} {marks:?} {series:?} {frames:?}", reader.about()))
}

#[test]
fn a_flipped_bit_changes_nothing_or_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    let tally = Account {
        records: 80,
        rejected: 3,
        rejected_events: 7,
        lost: 12,
        ignored_lines: 5,
        ..Account::default()
    };
    writer.add_account(&tally).unwrap();
    writer.finish().unwrap();
    let (whole, known) = (std::fs::read(&path).unwrap(), everything(&path).unwrap());
    let flipped = dir.path().join("flipped.heat");
    let mut random = Random::new(20_261_122);
    let (mut found, mut silent) = (0, Vec::new());
    for _ in 0..FLIPS {
        let mut bytes = whole.clone();
        let at = usize::try_from(random.below(whole.len() as u64)).unwrap();
        let bit = random.below(8);
        bytes[at] ^= 1 << bit;
        std::fs::write(&flipped, &bytes).unwrap();
        match everything(&flipped) {
            Ok(read) if read == known => {}
            Ok(read) => silent.push((at, bit, read)),
            Err(_) => found += 1,
        }
        for beside in ["flipped.heat-wal", "flipped.heat-shm", "flipped.heat-journal"] {
            let _ = std::fs::remove_file(dir.path().join(beside));
        }
    }
    assert!(
        silent.is_empty(),
        "{} of {FLIPS} flips changed what is read: {:?}",
        silent.len(),
        silent.first()
    );
    assert!(found > FLIPS / 20, "only {found} of {FLIPS} flips were reported");
}

#[test]
fn a_frame_that_is_damaged_does_not_hide_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let change = "update frame set counts = 'x' where id in (65537, 131073)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let reader = Reader::open(&path).unwrap();
    let good = reader.frames(None, None).unwrap().flatten().count();
    assert_eq!((good, reader.frames(None, None).unwrap().count()), (78, 80));
}

#[test]
fn a_series_that_is_damaged_does_not_hide_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let change = "update series set attributes = '[' where id = 0";
    rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let reader = Reader::open(&path).unwrap();
    let other = Series::with_attributes("read", [("device", "vda")]);
    assert_eq!(reader.series().unwrap(), std::slice::from_ref(&other));
    let good: Vec<_> = reader.frames(None, None).unwrap().flatten().collect();
    assert_eq!((good.len(), reader.frames(None, None).unwrap().count()), (40, 80));
    drop(reader);
    // Going on with it gives the damaged series' number to no other.
    let mut writer = Writer::append_to(&path, Durability::Normal).unwrap();
    let new = frame(&Series::named("new"), 99, &[0, 10], &[1]);
    writer.write(&[new.clone(), frame(&other, 99, &[0, 10, 20, 40], &[1, 0, 0])]).unwrap();
    writer.finish().unwrap();
    let reader = Reader::open(&path).unwrap();
    let good: Vec<_> = reader.frames(None, None).unwrap().flatten().collect();
    assert_eq!((good.len(), good.contains(&new)), (42, true));
}

#[test]
fn numbers_at_the_edge_of_their_range_end_reading_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let change = "insert into tick values
        (9223372036854775807, 1, 2), (-9223372036854775808, 1, 2), (1099511627776, 5, 6);
        insert into frame values
        (9223372036854775807, 0, '[1]', null, null, null),
        (-9223372036854775808, 0, '[1]', null, null, null)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(OLDER).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let reader = Reader::open(&path).unwrap();
    let read: Vec<_> = reader.frames(None, None).unwrap().collect();
    // The two have no interval of their own: 80 good ones, and two that say so.
    assert_eq!((read.iter().filter(|frame| frame.is_ok()).count(), read.len()), (80, 82));
}

#[test]
fn a_damaged_recording_is_not_continued_but_an_older_one_becomes_one_with_checksums() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let change = |sql: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    change("update meta set value = 'arbitrary' where key = 'clock'");
    let refused = Writer::append_to(&path, Durability::Normal).unwrap_err().to_string();
    assert!(
        refused.ends_with("it does not have its checksum: record into another file"),
        "{refused}"
    );
    change("update meta set value = 'epoch' where key = 'clock'");
    let before = frames(&path);
    change(OLDER);
    let note = RecordedMark { at: about().started, text: "old".into(), origin: "x".into() };
    mark(&path, &note).unwrap();
    assert_eq!(frames(&path), before);
    Writer::append_to(&path, Durability::Normal).unwrap().finish().unwrap();
    assert_eq!((frames(&path), Reader::open(&path).unwrap().marks().unwrap().len()), (before, 2));
    change("update frame set sum_ns = 1 where id = 65537");
    assert_eq!(said(&path), "damaged at frame 65537: it does not have its checksum");
}

#[test]
fn a_file_cut_anywhere_is_answered() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let cut = dir.path().join("cut.heat");
    for length in (0..whole.len()).step_by(509) {
        std::fs::write(&cut, &whole[..length]).unwrap();
        let read = read_all(&cut);
        assert!(read.is_err(), "{length} of {} bytes: {read:?}", whole.len());
    }
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(said(&cut), "damaged at a page of the file: the file is cut short or damaged");
}

#[test]
fn no_flipped_byte_makes_reading_or_appending_panic_or_hang() {
    let dir = tempfile::tempdir().unwrap();
    let path = recording(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let flipped = dir.path().join("flipped.heat");
    let mut refused = 0;
    // The first 200 bytes one by one, the rest here and there, each with another bit.
    for at in (0..200).chain((200..whole.len()).step_by(151)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&flipped, &bytes).unwrap();
        let unread = read_all(&flipped).is_err();
        refused += usize::from(unread);
        let appended = Writer::append_to(&flipped, Durability::Normal).and_then(|mut writer| {
            writer.write(&[frame(&Series::named("new"), 99, &[0, 10], &[1])])?;
            writer.finish()
        });
        let _ = (appended, read_all(&flipped));
        for beside in ["flipped.heat-wal", "flipped.heat-shm"] {
            let _ = std::fs::remove_file(dir.path().join(beside));
        }
    }
    assert!(refused > 50, "only {refused} flips were noticed");
}
