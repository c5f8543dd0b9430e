//! The SQL as `PostgreSQL` runs it, over tables named like Oracle's views.

use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use isotherm_formats::{Context, Message, Sink};
use isotherm_frame::{Account, Assembler, BinnerLimits, Event, Nanos, Timestamp};
use jiff::tz::TimeZone;
use testing::bounded;

use self::started::Started;
use super::query::{self, Layout, Span};
use super::*;
use crate::oracle::pattern::Pattern;
use crate::oracle::{Session, SessionError};

#[path = "../../../tests/fake/started.rs"]
mod started;

/// The one server of these tests, ended with the last that uses it.
static SERVER: Mutex<Weak<Started>> = Mutex::new(Weak::new());

fn server() -> Option<Arc<Started>> {
    let mut known = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let server = known.upgrade().or_else(|| Started::new("postgres", &[], &[]).map(Arc::new))?;
    *known = Arc::downgrade(&server);
    Some(server)
}

/// One schema of the server, as a connection.
pub(super) struct Postgres {
    server: Arc<Started>,
    schema: &'static str,
    asked: Vec<String>,
}

impl Postgres {
    /// A schema with the views; `None` where `PostgreSQL` is not installed.
    pub(super) fn with(schema: &'static str, fixture: &str) -> Option<Postgres> {
        let server = server()?;
        let postgres = Postgres { server, schema, asked: Vec::new() };
        postgres.run(&format!("create schema {schema};")).expect("created");
        postgres.run(VIEWS).expect("views");
        postgres.run(fixture).expect("rows");
        Some(postgres)
    }

    fn run(&self, sql: &str) -> Result<String, String> {
        let mut command = Command::new("psql");
        command.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-U", "isotherm", "-d", "postgres", "-h"]);
        command.arg(&self.server.folder).args(["-f", "-"]);
        command.env("PGOPTIONS", format!("-c search_path={}", self.schema));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = bounded::spawn(&mut command);
        process.stdin.take().expect("piped").write_all(sql.as_bytes()).expect("reported");
        let output = process.wait_with_output().expect("ended");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }
}

impl Session for Postgres {
    fn lines(
        &mut self,
        sql: &str,
        _rows: u32,
        line: &mut dyn FnMut(&str),
    ) -> Result<(), SessionError> {
        self.asked.push(sql.to_owned());
        let answer = self.run(&format!("{sql};")).map_err(|message| {
            let code = match () {
                () if message.contains("relation") => 942,
                () if message.contains("column") => 904,
                () => 900,
            };
            SessionError::Sql { code, message }
        })?;
        answer.lines().for_each(line);
        Ok(())
    }
}

const VIEWS: &str = "
create table dba_hist_snapshot (snap_id bigint, dbid bigint, instance_number int,
  startup_time timestamp(3), begin_interval_time timestamp(3), end_interval_time timestamp(3),
  snap_timezone interval day to second(0), con_id int default 0);
create table dba_hist_event_histogram (snap_id bigint, dbid bigint, instance_number int,
  event_id bigint, event_name varchar(64), wait_class varchar(64), wait_time_milli bigint,
  wait_count bigint, con_dbid bigint, con_id int default 1);
create table dba_hist_system_event (snap_id bigint, dbid bigint, instance_number int,
  event_id bigint, event_name varchar(64), wait_class varchar(64), total_waits bigint,
  time_waited_micro bigint, con_id int default 1);
create table dba_hist_database_instance (dbid bigint, instance_number int,
  startup_time timestamp(3), db_name varchar(9), instance_name varchar(16), version varchar(17));
";

/// Fills the tables: `snapshot|number|database|instance|startup|begin|end|hours from UTC`,
/// `bucket|number|database|instance|event|class|bound:count,...|time waited in microseconds`.
pub(super) fn fixture(text: &str) -> String {
    let mut sql = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split('|').collect();
        match fields[..] {
            ["snapshot", number, database, instance, startup, begin, end, hours] => {
                let _ = writeln!(
                    sql,
                    "insert into dba_hist_snapshot values ({number}, {database}, {instance}, \
                     '{startup}', '{begin}', '{end}', interval '{hours}' hour);"
                );
            }
            ["waits", number, database, instance, event, class, buckets, time] => {
                let mut waits = 0;
                for bucket in buckets.split(',') {
                    let (bound, count) = bucket.split_once(':').expect("bound:count");
                    waits += count.parse::<u64>().expect("a count");
                    let _ = writeln!(
                        sql,
                        "insert into dba_hist_event_histogram values ({number}, {database}, \
                         {instance}, 7, '{event}', '{class}', {bound}, {count}, {database});"
                    );
                }
                let _ = writeln!(
                    sql,
                    "insert into dba_hist_system_event values ({number}, {database}, {instance}, \
                     7, '{event}', '{class}', {waits}, {time});"
                );
            }
            _ => panic!("{line}"),
        }
    }
    sql
}

/// One instance two hours east of UTC; snapshot 12 is missing, and the instance was started anew
/// before snapshot 14.
pub(super) const SINGLE: &str = "
snapshot|10|111|1|2026-03-01 08:00:00|2026-03-01 08:00:00|2026-03-01 09:00:00.250|2
waits|10|111|1|db file sequential read|User I/O|1:100,2:50|115000
waits|10|111|1|SQL*Net message from client|Idle|1:5|2000
snapshot|11|111|1|2026-03-01 08:00:00|2026-03-01 09:00:00.250|2026-03-01 10:00:00|2
waits|11|111|1|db file sequential read|User I/O|1:300,2:80|265000
waits|11|111|1|SQL*Net message from client|Idle|1:9|4000
snapshot|13|111|1|2026-03-01 08:00:00|2026-03-01 11:00:00|2026-03-01 12:00:00|2
waits|13|111|1|db file sequential read|User I/O|1:900,2:100,8:3|530000
waits|13|111|1|log file sync|Commit|1:7|2100
snapshot|14|111|1|2026-03-01 12:30:00|2026-03-01 12:30:00|2026-03-01 13:00:00|2
waits|14|111|1|db file sequential read|User I/O|1:10|4000
waits|14|111|1|log file sync|Commit|1:1|300
snapshot|15|111|1|2026-03-01 12:30:00|2026-03-01 13:00:00|2026-03-01 14:00:00|2
waits|15|111|1|db file sequential read|User I/O|1:25,2:5|17500
waits|15|111|1|log file sync|Commit|1:4|1200
";

#[derive(Default)]
pub(super) struct Collected {
    pub(super) lines: Vec<String>,
    pub(super) said: Vec<String>,
    /// How many lines are wanted.
    most: Option<usize>,
}

impl Listener for Collected {
    fn line(&mut self, line: &str) -> bool {
        self.lines.push(line.to_owned());
        self.most.is_none_or(|most| self.lines.len() < most)
    }

    fn say(&mut self, words: String) {
        self.said.push(words);
    }
}

pub(super) fn plan(window: Window) -> Plan {
    // 2026-03-01 14:00 UTC: day 20,513 after 1970-01-01.
    let now = Timestamp::new((20_513 * 24 + 14) * 3_600_000_000_000);
    Plan { wanted: Selection::default(), window, zone: TimeZone::UTC, now }
}

pub(super) fn tell(plan: &Plan, postgres: &mut Postgres) -> Collected {
    let mut collected = Collected::default();
    plan.tell(postgres, &mut collected).unwrap_or_else(|error| panic!("{error}"));
    collected
}

#[test]
fn a_history_is_reported_as_polls_in_the_time_of_utc() {
    let Some(mut postgres) = Postgres::with("single", &fixture(SINGLE)) else { return };
    let names = "insert into dba_hist_database_instance values \
                 (111, 1, '2026-03-01 08:00:00', 'PROD', 'prod1', '19.0.0.0.0');";
    postgres.run(names).expect("rows");
    let collected = tell(&plan(Window::default()), &mut postgres);
    let mut lines = collected.lines.iter().map(String::as_str);
    let first: Vec<&str> = lines.by_ref().take(15).collect();
    // The instance's counters were zero when it started, at 8:00 two hours east of UTC.
    assert_eq!(
        first,
        [
            "isotherm-oracle 1",
            "T|2026-03-01T06:00:00.000Z",
            "D|111|PROD",
            "I|1|2026-03-01T08:00:00.000|19.0.0.0.0|prod1",
            "H|1||ms|1:0|db file sequential read",
            "H|1||ms|2:0|db file sequential read",
            "S|1||0|0|db file sequential read",
            ".",
            "T|2026-03-01T07:00:00.250Z",
            "D|111|PROD",
            "I|1|2026-03-01T08:00:00.000|19.0.0.0.0|prod1",
            "H|1||ms|1:100|db file sequential read",
            "H|1||ms|2:50|db file sequential read",
            "S|1||150|115000|db file sequential read",
            ".",
        ]
    );
    let times: Vec<&str> = lines.filter(|line| line.starts_with("T|")).collect();
    let rest = ["08:00:00", "10:00:00", "10:30:00", "11:00:00", "12:00:00"];
    assert_eq!(times, rest.map(|time| format!("T|2026-03-01T{time}.000Z")));
    assert!(collected.said[0].contains("Diagnostics Pack"), "{:?}", collected.said);
    assert_eq!(collected.said.len(), 1);
}

#[test]
fn only_what_is_asked_for_is_reported() {
    let Some(mut postgres) = Postgres::with("asked", &fixture(SINGLE)) else { return };
    let events = |patterns: &[&str]| {
        let mut plan = plan(Window::default());
        plan.wanted.events =
            patterns.iter().map(|name| Pattern::new(name).expect("a pattern")).collect();
        plan
    };
    let names = |collected: &Collected| {
        let mut names: Vec<String> = collected
            .lines
            .iter()
            .filter(|line| line.starts_with("S|"))
            .filter_map(|line| line.rsplit('|').next().map(str::to_owned))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let idle = tell(&events(&["SQL*Net message*", "log file sync"]), &mut postgres);
    assert_eq!(names(&idle), ["SQL*Net message from client", "log file sync"]);
    assert!(names(&tell(&events(&["log_file*"]), &mut postgres)).is_empty());
    let since = Window::read(Some("4h"), Some("2026-03-01T11:00:00Z"), &TimeZone::UTC);
    let collected = tell(&plan(since.expect("a window")), &mut postgres);
    let times: Vec<&str> =
        collected.lines.iter().filter_map(|line| line.strip_prefix("T|2026-03-01T")).collect();
    assert_eq!(times, ["10:00:00.000Z", "10:30:00.000Z", "11:00:00.000Z"]);
    let none = Window::read(None, Some("2025-01-01"), &TimeZone::UTC).expect("a window");
    let error = plan(none).tell(&mut postgres, &mut Collected::default()).unwrap_err();
    assert!(error.to_string().contains("5 snapshots, none of them"), "{error}");
}

#[test]
fn a_script_tells_the_same_as_a_conversation() {
    let Some(mut postgres) = Postgres::with("scripted", &fixture(SINGLE)) else { return };
    let printed = tell(&plan(Window::default()), &mut postgres).lines;
    let window = Window::read(Some("10h"), None, &TimeZone::UTC).expect("a window");
    let span = Span::Times(window.since.map(window::WindowEnd::sql), None);
    let sql = query::polls(&Layout::default(), &Selection::default(), &span);
    // The server's clock, and the function that shifts it, are Oracle's own.
    let sql = sql.replace(query::UTC_NOW, "timestamp '2026-03-01 14:00:00'");
    let sql = sql.replace("numtodsinterval(36000, 'SECOND')", "interval '36000' second");
    let mut lines = Vec::new();
    postgres.lines(&sql, 1, &mut |line| lines.push(line.to_owned())).expect("valid SQL");
    assert_eq!(printed[1..], lines);
}

#[test]
fn a_month_is_read_piece_by_piece_and_no_further_than_wanted() {
    let snapshots: Vec<String> = (0..60)
        .map(|number| {
            let (day, hour) = (1 + number / 24, number % 24);
            format!(
                "snapshot|{number}|111|1|2026-01-01 00:00|2026-02-{day:02} {hour:02}:00|\
                 2026-02-{day:02} {hour:02}:00|0\nwaits|{number}|111|1|log file sync|Commit|\
                 1:{number}|{number}"
            )
        })
        .collect();
    let Some(mut postgres) = Postgres::with("month", &fixture(&snapshots.join("\n"))) else {
        return;
    };
    let polls = |collected: &Collected| collected.lines.iter().filter(|line| *line == ".").count();
    assert_eq!(polls(&tell(&plan(Window::default()), &mut postgres)), 60);
    let read = |postgres: &Postgres| {
        postgres.asked.iter().filter(|sql| sql.starts_with("with snap")).count()
    };
    assert_eq!(read(&postgres), 3);
    postgres.asked.clear();
    let mut collected = Collected { most: Some(10), ..Collected::default() };
    plan(Window::default()).tell(&mut postgres, &mut collected).expect("reported");
    assert_eq!((read(&postgres), collected.lines.len()), (1, 10));
}

#[test]
fn older_releases_and_smaller_grants_tell_what_they_can() {
    let Some(mut postgres) = Postgres::with("older", &fixture(SINGLE)) else { return };
    let change = "alter table dba_hist_snapshot drop column snap_timezone; \
                  drop table dba_hist_database_instance;";
    postgres.run(change).expect("changed");
    let mut plan = plan(Window::default());
    plan.zone = TimeZone::fixed(jiff::tz::offset(2));
    plan.window = Window::read(Some("5h"), None, &TimeZone::UTC).expect("a window");
    let collected = tell(&plan, &mut postgres);
    // 9:00 UTC is 11:00 there: snapshots 13 to 15 are left, their times without a zone.
    assert_eq!(collected.lines[1], "T|2026-03-01T12:00:00.000");
    assert_eq!(collected.lines[2..4], ["D|111|", "I|1|2026-03-01T08:00:00.000||"]);
    postgres.run("drop table dba_hist_snapshot").expect("dropped");
    let error = plan.tell(&mut postgres, &mut Collected::default()).unwrap_err();
    assert!(error.to_string().contains("GRANT SELECT ON SYS.DBA_HIST_SNAPSHOT"), "{error}");
}

#[test]
fn the_packs_and_a_finer_view_are_found_where_they_are() {
    let Some(mut postgres) = Postgres::with("finer", &fixture(SINGLE)) else { return };
    let finer = "create table v$parameter (name text, value text);
        insert into v$parameter values ('control_management_pack_access', 'DIAGNOSTIC');
        create table all_tab_columns (table_name text, column_name text);
        insert into all_tab_columns values ('DBA_HIST_EVENT_HISTOGRAM_US', 'WAIT_TIME_MICRO');
        create table dba_hist_event_histogram_us as select snap_id, dbid, instance_number,
          event_id, event_name, wait_class, wait_time_milli * 512 as wait_time_micro, wait_count
        from dba_hist_event_histogram;";
    postgres.run(finer).expect("rows");
    let collected = tell(&plan(Window::default()), &mut postgres);
    assert!(collected.said[0].contains("'DIAGNOSTIC'"), "{:?}", collected.said);
    assert!(collected.lines.contains(&"H|1||us|1024:80|db file sequential read".to_owned()));
    assert!(!collected.lines.iter().any(|line| line.contains("|ms|")));
    assert!(
        collected.said[1].ends_with("from dba_hist_event_histogram_us"),
        "{:?}",
        collected.said
    );
    // A view that has nothing, or has not its columns, is not read.
    for change in ["delete from", "alter table", "drop table"] {
        let what = if change == "alter table" { " drop column wait_count" } else { "" };
        postgres.run(&format!("{change} dba_hist_event_histogram_us{what};")).expect("changed");
        let collected = tell(&plan(Window::default()), &mut postgres);
        assert!(collected.lines.contains(&"H|1||ms|2:80|db file sequential read".to_owned()));
        assert!(!collected.lines.iter().any(|line| line.contains("|us|")), "{change}");
    }
}

/// What the lines become: the account, and for each frame its series, when it begins and ends (in
/// minutes of 2026-03-01), its filled buckets by upper bound, its exact time in microseconds, and
/// its quality.
fn frames(lines: &[String]) -> (Account, Vec<String>) {
    let mut through = Through {
        tally: Account::default(),
        assembler: Assembler::new(Nanos::SECOND, BinnerLimits::default()),
        printed: Vec::new(),
    };
    let text = lines.join("\n") + "\n";
    let source = crate::SOURCES.iter().find(|source| source.meta().name == "oraclepoll");
    let source = source.expect("registered");
    source.decode(&mut text.as_bytes(), &Context::default(), &mut through).expect("decodable");
    (through.tally, through.printed)
}

struct Through {
    tally: Account,
    assembler: Assembler,
    printed: Vec<String>,
}

impl Sink for Through {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        let printed = &mut self.printed;
        self.assembler.push(reading, &mut |output| printed.push(shown(&output)));
    }
}

fn shown(event: &Event) -> String {
    let frame = match event {
        Event::Anomaly(anomaly) => return anomaly.to_string(),
        Event::Frame(frame) => frame,
        other => panic!("an assembler gives no {other:?}"),
    };
    let minute = |at: Timestamp| {
        let minutes = at.as_nanos() / 60_000_000_000 - 20_513 * 24 * 60;
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    };
    let buckets: Vec<String> = frame
        .counts
        .non_zero()
        .map(|(bucket, count)| {
            format!("{}ms:{count}", bucket.hi.map_or(u64::MAX, Nanos::as_nanos) / 1_000_000)
        })
        .collect();
    let time = frame.counts.sum().map_or("?".into(), |sum| (sum.as_nanos() / 1_000).to_string());
    format!(
        "{} {}-{} {} {time}us {}",
        frame.series,
        minute(frame.start),
        minute(frame.end),
        buckets.join(","),
        frame.quality
    )
}

#[test]
fn the_frames_are_those_computed_by_hand() {
    let Some(mut postgres) = Postgres::with("frames", &fixture(SINGLE)) else { return };
    let (tally, printed) = frames(&tell(&plan(Window::default()), &mut postgres).lines);
    assert_eq!((tally.rejected, tally.ignored_lines, tally.records), (0, 0, 7), "{tally:?}");
    let expected = [
        "db file sequential read 06:00-07:00 1ms:100,2ms:50 115000us complete",
        "db file sequential read 07:00-08:00 1ms:200,2ms:30 150000us complete",
        "series appeared: log file sync",
        "late poll: 7200s after the last: db file sequential read",
        "db file sequential read 08:00-10:00 1ms:600,2ms:20,8ms:3 265000us late poll",
        "log file sync 08:00-10:00 1ms:7 2100us complete",
        "counters reset: db file sequential read",
        "db file sequential read 10:00-10:30  0us reset",
        "counters reset: log file sync",
        "log file sync 10:00-10:30  0us reset",
        "db file sequential read 10:30-11:00 1ms:10 4000us complete",
        "log file sync 10:30-11:00 1ms:1 300us complete",
        "late poll: 3600s after the last: db file sequential read",
        "db file sequential read 11:00-12:00 1ms:15,2ms:5 13500us late poll",
        "late poll: 3600s after the last: log file sync",
        "log file sync 11:00-12:00 1ms:3 900us late poll",
    ];
    let printed: Vec<String> =
        printed.iter().map(|text| text.replace("{dbid=111,inst=1}", "")).collect();
    assert_eq!(printed, expected);
}

/// A cluster of two instances of which the second was started anew before snapshot 3 and was
/// away at snapshot 4, and an imported database that ends before the other begins.
const CLUSTER: &str = "
snapshot|1|900|1|2026-03-01 01:00:00|2026-03-01 01:30:00|2026-03-01 02:00:00|0
waits|1|900|1|log file sync|Commit|1:5|1000
snapshot|2|900|1|2026-03-01 01:00:00|2026-03-01 02:00:00|2026-03-01 03:00:00|0
waits|2|900|1|log file sync|Commit|1:9|1800
snapshot|1|222|1|2026-02-01 01:00:00|2026-03-01 04:00:00|2026-03-01 05:00:00|-5
snapshot|1|222|2|2026-02-01 01:00:09|2026-03-01 04:00:00|2026-03-01 05:00:03|-5
waits|1|222|1|log file sync|Commit|1:10,2:10|17000
waits|1|222|2|log file sync|Commit|1:100|50000
snapshot|2|222|1|2026-02-01 01:00:00|2026-03-01 05:00:00|2026-03-01 06:00:00|-5
snapshot|2|222|2|2026-02-01 01:00:09|2026-03-01 05:00:03|2026-03-01 06:00:03|-5
waits|2|222|1|log file sync|Commit|1:11,2:12|21000
waits|2|222|2|log file sync|Commit|1:130|65000
snapshot|3|222|1|2026-02-01 01:00:00|2026-03-01 06:00:00|2026-03-01 07:00:00|-5
snapshot|3|222|2|2026-03-01 06:30:00|2026-03-01 06:30:00|2026-03-01 07:00:03|-5
waits|3|222|1|log file sync|Commit|1:14,2:12|22500
waits|3|222|2|log file sync|Commit|1:200|100000
snapshot|4|222|1|2026-02-01 01:00:00|2026-03-01 07:00:00|2026-03-01 08:00:00|-5
waits|4|222|1|log file sync|Commit|1:15,2:12|23000
snapshot|5|222|1|2026-02-01 01:00:00|2026-03-01 08:00:00|2026-03-01 09:00:00|-5
snapshot|5|222|2|2026-03-01 06:30:00|2026-03-01 08:00:00|2026-03-01 09:00:03|-5
waits|5|222|1|log file sync|Commit|1:15,2:13|24500
waits|5|222|2|log file sync|Commit|1:203|101500
";

#[test]
fn instances_and_databases_are_never_subtracted_from_one_another() {
    let Some(mut postgres) = Postgres::with("cluster", &fixture(CLUSTER)) else { return };
    let collected = tell(&plan(Window::default()), &mut postgres);
    let printed: Vec<&str> = collected.said.iter().map(String::as_str).collect();
    assert!(
        printed[1].contains("222 (5 snapshots), 900 (2 snapshots); dbid= picks one"),
        "{printed:?}"
    );
    let (tally, printed) = frames(&collected.lines);
    assert_eq!((tally.rejected, tally.records), (0, 7), "{tally:?}");
    let of = |series: &str| -> Vec<&str> {
        printed.iter().filter_map(|text| text.strip_prefix(series)).map(str::trim).collect()
    };
    // A snapshot's time is that of its last instance, five hours west of UTC.
    assert_eq!(
        of("log file sync{dbid=222,inst=1}"),
        [
            "10:00-11:00 1ms:1,2ms:2 4000us complete",
            "11:00-12:00 1ms:3 1500us complete",
            "12:00-13:00 1ms:1 500us complete",
            "13:00-14:00 2ms:1 1500us complete",
        ]
    );
    // The restarted instance is a gap, because not all instances began at zero with it.
    assert_eq!(
        of("log file sync{dbid=222,inst=2}"),
        [
            "10:00-11:00 1ms:30 15000us complete",
            "11:00-12:00  0us reset",
            "12:00-14:00 1ms:3 1500us complete",
        ]
    );
    assert_eq!(of("log file sync{dbid=900,inst=1}"), ["02:00-03:00 1ms:4 800us complete"]);
    let mut second = plan(Window::default());
    (second.wanted.instances, second.wanted.database) = (vec![2], Some(222));
    let (_, printed) = frames(&tell(&second, &mut postgres).lines);
    // Alone, its start is where its counters were zero.
    let begun = "log file sync{dbid=222,inst=2} 11:30-12:00 1ms:200 100000us complete";
    assert!(printed.contains(&begun.to_owned()), "{printed:#?}");
}
