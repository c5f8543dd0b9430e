//! The predefined queries as `PostgreSQL` runs them, over tables with Oracle's names and columns.

use super::super::query::{Layout, Span};
use super::super::tests::Postgres;
use super::QUERIES;
use crate::oracle::Session;
use crate::oracle::history::{AwrCollection, AwrTables};

const VIEWS: &str = "
alter table dba_hist_system_event add total_waits_fg bigint, add time_waited_micro_fg bigint;
create table dba_hist_sysstat (snap_id bigint, dbid bigint, instance_number int, stat_id bigint,
  stat_name varchar(64), value bigint);
create table dba_hist_sys_time_model (snap_id bigint, dbid bigint, instance_number int, stat_id bigint,
  stat_name varchar(64), value bigint);
create table dba_hist_iostat_detail (snap_id bigint, dbid bigint, instance_number int,
  function_id int, function_name varchar(128), filetype_id int, filetype_name varchar(30),
  small_read_megabytes bigint, small_write_megabytes bigint, large_read_megabytes bigint,
  large_write_megabytes bigint, small_read_reqs bigint, small_write_reqs bigint, large_read_reqs bigint,
  large_write_reqs bigint, number_of_waits bigint, wait_time bigint);
create table dba_hist_filestatxs (snap_id bigint, dbid bigint, instance_number int, \"FILE#\" int,
  \"CREATION_CHANGE#\" bigint, filename varchar(513), tsname varchar(30), phyrds bigint, phywrts bigint,
  singleblkrds bigint, readtim bigint, writetim bigint, singleblkrdtim bigint, phyblkrd bigint,
  phyblkwrt bigint);
create table dba_hist_service_stat (snap_id bigint, dbid bigint, instance_number int,
  service_name_hash bigint, service_name varchar(64), stat_id bigint, stat_name varchar(64), value bigint);
create table dba_hist_sysmetric_summary (snap_id bigint, dbid bigint, instance_number int,
  metric_name varchar(64), metric_unit varchar(64), minval numeric, maxval numeric, average numeric,
  standard_deviation numeric);
create table dba_hist_sysmetric_history (snap_id bigint, dbid bigint, instance_number int,
  group_id int, end_time timestamp(0), metric_name varchar(64), metric_unit varchar(64), value numeric);
create table dba_hist_seg_stat (snap_id bigint, dbid bigint, instance_number int, \"TS#\" int,
  \"OBJ#\" int, \"DATAOBJ#\" int, logical_reads_delta bigint, physical_reads_delta bigint,
  physical_read_requests_delta bigint, physical_writes_delta bigint, physical_write_requests_delta bigint,
  db_block_changes_delta bigint, buffer_busy_waits_delta bigint, row_lock_waits_delta bigint);
create table dba_hist_seg_stat_obj (dbid bigint, \"TS#\" int, \"OBJ#\" int, \"DATAOBJ#\" int,
  owner varchar(30), object_name varchar(30), subobject_name varchar(30), object_type varchar(18));
create table dba_hist_sqlstat (snap_id bigint, dbid bigint, instance_number int, sql_id varchar(13),
  module varchar(64), elapsed_time_delta bigint, cpu_time_delta bigint, iowait_delta bigint,
  executions_delta bigint, buffer_gets_delta bigint, disk_reads_delta bigint,
  rows_processed_delta bigint);
";

/// Two hours east of UTC: three snapshots of one start, 12 is missing, and a start before 14.
const ROWS: &str = "
insert into dba_hist_snapshot values
 (10, 111, 1, '2026-03-01 08:00', '2026-03-01 08:00', '2026-03-01 09:00', interval '2 hour'),
 (11, 111, 1, '2026-03-01 08:00', '2026-03-01 09:00', '2026-03-01 10:00:00.5', interval '2 hour'),
 (13, 111, 1, '2026-03-01 08:00', '2026-03-01 11:00', '2026-03-01 12:00', interval '2 hour'),
 (14, 111, 1, '2026-03-01 12:30', '2026-03-01 12:30', '2026-03-01 13:00', interval '2 hour');
insert into dba_hist_system_event values
 (10, 111, 1, 7, 'db file sequential read', 'User I/O', 100, 50000, 0, 80, 40000),
 (11, 111, 1, 7, 'db file sequential read', 'User I/O', 300, 90000, 0, 200, 70000),
 (13, 111, 1, 7, 'db file sequential read', 'User I/O', 900, 300000, 0, 700, 200000),
 (14, 111, 1, 7, 'db file sequential read', 'User I/O', 5, 2000, 0, 4, 1000),
 (13, 111, 1, 8, 'log file \"sync\", new', 'Commit', 4, 800, 0, 4, 800),
 (11, 111, 1, 9, 'SQL*Net message from client', 'Idle', 9, 9000000, 0, 9, 9000000);
insert into dba_hist_sys_time_model values
 (10, 111, 1, 1, 'DB CPU', 1000000), (11, 111, 1, 1, 'DB CPU', 1600000),
 (10, 111, 1, 2, 'background cpu time', 200000), (11, 111, 1, 2, 'background cpu time', 250000),
 (11, 111, 1, 3, 'DB time', 5000000);
insert into dba_hist_iostat_detail values
 (10, 111, 1, 1, 'LGWR', 3, 'Log File', 1, 20, 0, 5, 10, 100, 0, 7, 50, 400),
 (11, 111, 1, 1, 'LGWR', 3, 'Log File', 1, 30, 0, 9, 12, 160, 0, 9, 90, 700),
 (11, 111, 1, 1, 'LGWR', 1, 'Control File', 4, 2, 0, 0, 40, 20, 0, 0, 60, 30);
insert into dba_hist_sysmetric_summary values
 (11, 111, 1, 'Average Active Sessions', 'Active Sessions', 0.25, 3.5, 1.125, null);
insert into dba_hist_sqlstat values
 (11, 111, 1, 'aaaaaaaaaaaaa', null, 500, 400, 10, 3, 40, 5, 6),
 (11, 111, 1, 'aaaaaaaaaaaaa', null, 20, 10, 0, 1, 4, 0, 1);
insert into dba_hist_sqlstat select 11, 111, 1, 'b' || n, 'm', n, 0, 0, 1, 0, 0, 0
 from generate_series(1, 25) n;
";

fn postgres(schema: &'static str) -> Option<Postgres> {
    Postgres::with(schema, &format!("{VIEWS}{ROWS}"))
}

fn ask(postgres: &mut Postgres, name: &str) -> Vec<String> {
    let series = QUERIES.iter().find(|series| series.name == name).expect("known");
    let sql = series.sql(&Layout::default(), &Span::Times(None, None));
    let mut lines = Vec::new();
    let asked = postgres.lines(&sql, 100, &mut |line| lines.push(line.to_owned()));
    asked.unwrap_or_else(|error| panic!("{name}: {error:?}\n{sql}"));
    let columns = series.heads(&Layout::default()).split(',').count();
    assert!(lines.iter().all(|line| line.matches(',').count() + 1 >= columns), "{lines:?}");
    lines
}

#[test]
fn every_query_runs_and_has_its_columns() {
    let Some(mut postgres) = postgres("series_all") else { return };
    for series in &QUERIES {
        ask(&mut postgres, series.name);
        for part in series.parts {
            assert_eq!(
                (part.keys.len(), part.values.len()),
                (series.keys.len(), series.values.len())
            );
        }
    }
}

#[test]
fn segments_of_several_containers_are_counted_once() {
    let Some(mut postgres) = postgres("series_segments") else { return };
    // Two containers have segments of the same numbers, one of them by the same name.
    let rows = "alter table dba_hist_seg_stat add con_dbid bigint;
        alter table dba_hist_seg_stat_obj add con_dbid bigint;
        insert into dba_hist_seg_stat_obj values
         (111, 0, 18, 18, 'SYS', 'OBJ$', null, 'TABLE', 201), (111, 0, 18, 18, 'SYS', 'OBJ$', null, 'TABLE', 202),
         (111, 4, 70, 70, 'A', 'ORDERS', null, 'TABLE', 201), (111, 4, 70, 70, 'B', 'ITEMS', null, 'TABLE', 202);
        insert into dba_hist_seg_stat values
         (11, 111, 1, 0, 18, 18, 40, 1, 1, 0, 0, 0, 0, 0, 201), (11, 111, 1, 0, 18, 18, 20, 2, 2, 0, 0, 0, 0, 0, 202),
         (11, 111, 1, 4, 70, 70, 500, 3, 3, 0, 0, 0, 0, 0, 201), (11, 111, 1, 4, 70, 70, 300, 4, 4, 0, 0, 0, 0, 0, 202);";
    postgres.lines(rows, 1, &mut |_| {}).expect("inserted");
    let mut collected = Collected::default();
    let segments = AwrCollection::new(&["segments".to_owned()], None, None).expect("known");
    segments.ask(&mut postgres, &mut collected).expect("asked");
    assert_eq!(
        (collected.tables.len(), collected.refused.len()),
        (1, 0),
        "{:?}",
        collected.refused
    );
    let cells = |row: &String| row.split(',').skip(5).take(6).collect::<Vec<_>>().join(",");
    let reads: Vec<String> = collected.tables[0].2.iter().map(cells).collect();
    let expected = [
        "\"A\",\"ORDERS\",\"\",\"TABLE\",500,3",
        "\"B\",\"ITEMS\",\"\",\"TABLE\",300,4",
        "\"SYS\",\"OBJ$\",\"\",\"TABLE\",60,3",
    ];
    assert_eq!(reads, expected);
}

#[test]
fn totals_are_subtracted_between_neighbours_of_one_start() {
    let Some(mut postgres) = postgres("series_totals") else { return };
    assert_eq!(
        ask(&mut postgres, "system-events"),
        [
            // The instance started at 08:00, two hours east of UTC, with all at zero.
            "2026-03-01T07:00:00Z,3600.000,111,1,10,\"db file sequential read\",\"User I/O\",100,50000,80,40000",
            // An event of which the snapshot before knew nothing.
            "2026-03-01T08:00:00Z,3600.500,111,1,11,\"SQL*Net message from client\",\"Idle\",9,9000000,9,9000000",
            "2026-03-01T08:00:00Z,3600.500,111,1,11,\"db file sequential read\",\"User I/O\",200,40000,120,30000",
            // From snapshot 11 on: 12 is missing.
            "2026-03-01T10:00:00Z,7199.500,111,1,13,\"db file sequential read\",\"User I/O\",600,210000,500,130000",
            "2026-03-01T10:00:00Z,7199.500,111,1,13,\"log file \"\"sync\"\", new\",\"Commit\",4,800,4,800",
            // Started anew at 12:30.
            "2026-03-01T11:00:00Z,1800.000,111,1,14,\"db file sequential read\",\"User I/O\",5,2000,4,1000",
        ]
    );
}

#[test]
fn classes_add_up_events_and_have_the_processors_beside_them() {
    let Some(mut postgres) = postgres("series_classes") else { return };
    let lines = ask(&mut postgres, "wait-classes");
    let of_11: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split_once("111,1,11,"))
        .map(|(_, rest)| rest)
        .collect();
    assert_eq!(of_11, ["\"CPU\",0,650000,0,600000", "\"User I/O\",200,40000,120,30000"]);
    let functions = ask(&mut postgres, "io-functions");
    // Both types of file: 2 + 40 small reads, 2 + 0 large writes.
    assert!(functions[1].ends_with("\"LGWR\",42,0,80,2,4,0,12,4,100,330"), "{functions:?}");
}

#[test]
fn amounts_are_taken_as_they_are_and_the_largest_are_kept() {
    let Some(mut postgres) = postgres("series_amounts") else { return };
    let metrics = ask(&mut postgres, "metrics");
    assert!(metrics[0].ends_with("\"Active Sessions\",0.25,1.125,3.5,"), "{metrics:?}");
    assert!(metrics[0].starts_with("2026-03-01T08:00:00Z,3600.500,"), "{metrics:?}");
    let sql = ask(&mut postgres, "sql");
    assert_eq!(sql.len(), 20);
    assert!(sql[0].ends_with("\"aaaaaaaaaaaaa\",\"\",520,410,10,4,44,5,7"), "{sql:?}");
    // 25 to 7 microseconds; the six below are not among the twenty.
    assert!(
        !sql.iter().any(|line| line.contains("\"b6\""))
            && sql.iter().any(|line| line.contains("\"b7\""))
    );
}

/// What was collected: tables with their heads and rows, and what was refused.
#[derive(Default)]
struct Collected {
    tables: Vec<(String, String, Vec<String>)>,
    refused: Vec<String>,
    said: Vec<String>,
}

impl AwrTables for Collected {
    fn say(&mut self, words: String) {
        self.said.push(words);
    }

    fn table(&mut self, name: &str, heads: &str, rows: &[String]) -> std::io::Result<()> {
        self.tables.push((name.to_owned(), heads.to_owned(), rows.to_vec()));
        Ok(())
    }

    fn refused(&mut self, name: &str, reason: &str) {
        self.refused.push(format!("{name}: {reason}"));
    }
}

#[test]
fn a_collection_has_the_rows_of_each_query_and_goes_on_after_one_that_is_refused() {
    let without = format!("{VIEWS}{ROWS}drop table dba_hist_filestatxs;");
    let Some(mut postgres) = Postgres::with("series_collected", &without) else { return };
    let collection = AwrCollection::new(&[], None, None).expect("all");
    let mut collected = Collected::default();
    collection.ask(&mut postgres, &mut collected).expect("collected");
    assert_eq!(collected.tables.len(), 13);
    assert!(collected.refused.len() == 1 && collected.refused[0].starts_with("io-files: "));
    assert!(collected.said[0].contains("Diagnostics Pack"));
    for (name, heads, rows) in &collected.tables {
        assert_eq!(*rows, ask(&mut postgres, name), "{name}");
        assert!(heads.starts_with("end,seconds,dbid,instance,snap_id,"));
    }
    assert_eq!(AwrCollection::new(&["sql".into()], None, None).expect("one").names().count(), 1);
    assert!(AwrCollection::new(&["sqls".into()], None, None).is_err());
}

#[test]
fn histograms_are_collected_as_finely_as_the_release_has_them() {
    let rows = "insert into dba_hist_event_histogram values
         (10, 111, 1, 7, 'db file sequential read', 'User I/O', 1, 90),
         (10, 111, 1, 7, 'db file sequential read', 'User I/O', 2, 10),
         (11, 111, 1, 7, 'db file sequential read', 'User I/O', 1, 250),
         (11, 111, 1, 7, 'db file sequential read', 'User I/O', 2, 50);";
    let Some(mut postgres) = Postgres::with("series_finer", &format!("{VIEWS}{ROWS}{rows}")) else {
        return;
    };
    let collect = |postgres: &mut Postgres| {
        let mut collected = Collected::default();
        let histograms = AwrCollection::new(&["event-histograms".to_owned()], None, None);
        histograms.expect("known").ask(postgres, &mut collected).expect("asked");
        let (_, heads, rows) = collected.tables.pop().expect("a table");
        let cells = |row: &String| row.split(',').skip(4).collect::<Vec<_>>().join(",");
        (heads, rows.iter().map(cells).collect::<Vec<_>>(), collected.said)
    };
    let (heads, rows, said) = collect(&mut postgres);
    assert!(heads.ends_with(",event,wait_class,wait_time_ms,waits"), "{heads}");
    let event = "\"db file sequential read\",\"User I/O\"";
    let expected = |rows: &[(u64, u64, u64)]| -> Vec<String> {
        rows.iter()
            .map(|(snap, bound, waits)| format!("{snap},{event},\"{bound}\",{waits}"))
            .collect()
    };
    assert_eq!(rows, expected(&[(10, 1, 90), (10, 2, 10), (11, 1, 160), (11, 2, 40)]));
    assert_eq!(said.len(), 1, "{said:?}");
    // The same waits, all of them below a millisecond but for the last.
    let finer = "create table all_tab_columns (table_name text, column_name text);
        insert into all_tab_columns values ('DBA_HIST_EVENT_HISTOGRAM_MICRO', 'WAIT_TIME_MICRO');
        create table dba_hist_event_histogram_micro as select snap_id, dbid, instance_number,
          event_id, event_name, wait_class, wait_time_milli * 512 as wait_time_micro, wait_count
        from dba_hist_event_histogram;";
    postgres.lines(finer, 1, &mut |_| {}).expect("rows");
    let (heads, rows, said) = collect(&mut postgres);
    assert!(heads.ends_with(",event,wait_class,wait_time_us,waits"), "{heads}");
    // In the order of their text.
    assert_eq!(rows, expected(&[(10, 1024, 10), (10, 512, 90), (11, 1024, 40), (11, 512, 160)]));
    assert!(said[1].ends_with("from dba_hist_event_histogram_micro"), "{said:?}");
}
