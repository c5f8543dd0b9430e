//! A `PostgreSQL` server of our own under load: what we say was done is what the server did.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use isotherm_frame::{Event, Nanos, Timestamp};
use isotherm_load::clock::{Calendar, now_ns};
use isotherm_load::{
    Address, Arrival, Ended, Hooks, Job, Limit, LoadError, Observer, Outcome, Progress, Redo,
    Warmup, open, run, setup, teardown,
};
use testing::bounded;

use self::reserved_port::ReservedPort;
use self::started::Started;

mod reserved_port;
#[path = "../../live/tests/fake/started.rs"]
mod started;

/// A database with nothing in it, on a server of its own.
struct Database {
    server: Started,
    name: &'static str,
}

impl Database {
    /// `None` where `PostgreSQL` is not installed: the test then tests nothing, and says so.
    fn new(name: &'static str) -> Option<Database> {
        let server = Started::new("postgres", &[], &[])?;
        psql(&server, "postgres", &format!("create database {name}"));
        Some(Database { server, name })
    }

    /// What psql prints.
    fn sql(&self, sql: &str) -> String {
        psql(&self.server, self.name, sql)
    }

    fn number(&self, sql: &str) -> u64 {
        self.sql(sql).parse().unwrap()
    }

    fn address(&self) -> Address {
        self.address_of("isotherm")
    }

    fn address_of(&self, logon: &str) -> Address {
        let (name, folder) = (self.name, &self.server.folder);
        Address::parse(&format!("postgres://{logon}@/{name}?host={folder}")).unwrap()
    }

    fn setup(&self, job: &Job) -> Result<Vec<String>, LoadError> {
        with_hooks(|hooks| setup(&self.address(), job, hooks))
    }

    fn run(&self, job: &Job) -> Outcome {
        with_hooks(|hooks| {
            let system = open(&self.address(), job, hooks).unwrap();
            run(&*system, job, hooks.stop, &mut |_| {}).unwrap()
        })
    }

    /// Waits until the server's statistics, which come late, say so.
    fn eventually(&self, sql: &str, expected: u64) {
        bounded::until(sql, || {
            let number = self.number(sql);
            assert!(number <= expected, "{sql}: {number} instead of {expected}");
            (number == expected).then_some(())
        });
    }
}

/// What psql prints when it asks a database of a server.
fn psql(server: &Started, database: &str, sql: &str) -> String {
    let mut command = Command::new("psql");
    command.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-h", &server.folder]);
    let ran = bounded::output(command.args(["-U", "isotherm", "-d", database, "-c", sql]));
    assert!(ran.status.success(), "{sql}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

fn with_hooks<T>(work: impl FnOnce(&mut Hooks) -> T) -> T {
    let _ends = bounded::watchdog("work on a server");
    let stop = AtomicBool::new(false);
    work(&mut Hooks { progress: &mut |_| {}, stop: &stop })
}

fn job(schemas: u32, scale: u64, work_unit: u32) -> Job {
    let mut job = Job {
        arrival: Arrival::Closed { in_flight: 4, think: None },
        limit: Limit { time: Nanos::from_millis(50_000), operations: Some(2_000) },
        warmup: Warmup::Time(Nanos::from_millis(0)),
        ..Job::default()
    };
    job.database.schemas = schemas;
    job.database.scale = scale;
    job.database.work_unit = work_unit;
    job
}

fn kind<'a>(outcome: &'a Outcome, name: &str) -> &'a isotherm_load::KindOutcome {
    outcome.kinds.iter().find(|kind| kind.name == name).unwrap()
}

fn observed(outcome: &Outcome, name: &str) -> u64 {
    let mut all = outcome.observed.iter();
    all.find(|observed| observed.name == name).map_or(0, |observed| observed.value)
}

#[test]
fn setup_puts_every_row_on_a_page_of_its_own_and_goes_on_where_it_was_stopped() {
    let Some(database) = Database::new("set_up") else { return };
    let job = job(2, 5_000, 64);
    let stop = AtomicBool::new(false);
    let mut progress = |reported: Progress| {
        assert!(reported.done <= reported.total, "{reported:?}");
        stop.store(true, Ordering::Relaxed);
    };
    let ends = bounded::watchdog("a setup");
    let stopped =
        setup(&database.address(), &job, &mut Hooks { progress: &mut progress, stop: &stop });
    drop(ends);
    assert!(matches!(&stopped, Err(LoadError::Failed(words)) if words.contains("stopped")));
    let unfinished = with_hooks(|hooks| open(&database.address(), &job, hooks).err().unwrap());
    assert!(matches!(&unfinished, LoadError::Job(words) if words.contains("stress setup")));

    let said = database.setup(&job).unwrap().join("\n");
    assert!(said.contains("isotherm_2.blocks: 5000 rows on 5000 blocks"), "{said}");
    for schema in ["isotherm_1", "isotherm_2"] {
        let distinct = "count(distinct id), min(id), max(id), count(distinct pad1 || pad2)";
        let found = database.sql(&format!("select {distinct} from {schema}.blocks"));
        assert_eq!(found, "5000|0|4999|5000");
        let blocks = format!("select count(distinct (ctid::text::point)[0]) from {schema}.blocks");
        assert_eq!(database.number(&blocks), 5_000);
        let frozen =
            format!("select vacuum_count from pg_stat_user_tables where schemaname = '{schema}'");
        database.eventually(&frozen, 1);
    }
    let neighbours = "select count(*) from (select abs((ctid::text::point)[0] - lag((ctid::text\
        ::point)[0]) over (order by id)) as far from isotherm_1.blocks) as steps where far < 50";
    assert!(database.number(neighbours) < 300, "keys in order are blocks in order");
    assert!(database.setup(&job).unwrap()[0].contains("2 schemas were ready already"));
    let other = Job {
        database: isotherm_load::DatabaseOptions { scale: 6_000, ..job.database.clone() },
        ..job
    };
    assert!(matches!(database.setup(&other), Err(LoadError::Job(_))));
}

#[test]
fn the_server_did_what_the_outcome_says() {
    let Some(database) = Database::new("counted") else { return };
    let scans = "select sum(idx_scan) from pg_stat_user_tables where schemaname ~ '^isotherm_'";
    let touched = "select sum(touched) from (select touched from isotherm_1.blocks union all \
        select touched from isotherm_2.blocks) as tables";
    let mut job = job(2, 1_000, 1);
    database.setup(&job).unwrap();
    let mut scanned = 0;
    for (work_unit, in_flight) in [(1, 4), (1, 1), (10, 20)] {
        job.database.work_unit = work_unit;
        job.arrival = Arrival::Closed { in_flight, think: None };
        let outcome = database.run(&job);
        assert_eq!((outcome.operations(), outcome.failed()), (2_000, 0), "{:?}", outcome.faults);
        assert_eq!(kind(&outcome, "select").bytes, 2_000 * u64::from(work_unit) * 8_192);
        // Opening looks at the first and the last key of both tables.
        scanned += 2_000 + 4;
        database.eventually(scans, scanned);
    }
    job.work.update_pct = 25.0;
    let outcome = database.run(&job);
    assert_eq!((outcome.operations(), outcome.failed()), (2_000, 0), "{:?}", outcome.faults);
    let updates = kind(&outcome, "update").response.events;
    assert!((350..650).contains(&updates), "{updates}");
    assert_eq!(database.number(touched), updates * 10);
    assert_eq!(
        database.number("select sum((length(pad1) = 1200)::int) from isotherm_1.blocks"),
        1_000
    );
}

#[test]
fn heavy_updates_change_the_texts_and_keep_their_lengths() {
    let Some(database) = Database::new("heavy") else { return };
    let mut job = job(1, 200, 5);
    job.database.redo = Redo::Heavy;
    job.work.update_pct = 100.0;
    job.limit.operations = Some(500);
    database.setup(&job).unwrap();
    database.sql("create table before as select * from isotherm_1.blocks");
    let outcome = database.run(&job);
    assert_eq!(kind(&outcome, "update").response.events, 500, "{:?}", outcome.faults);
    assert_eq!(database.number("select sum(touched) from isotherm_1.blocks"), 2_500);
    let same = "select count(*) from isotherm_1.blocks b join before using (id) \
        where b.touched > 0 and (b.pad1 = before.pad1 or b.pad2 = before.pad2)";
    assert_eq!(database.number(same), 0);
    let lengths = "select count(*) from isotherm_1.blocks where length(pad1 || pad2) <> 2400";
    assert_eq!(database.number(lengths), 0);
}

/// Watches a run that something happens to: it tells when operations have ended, and ends the run when
/// more have ended in an interval that begins after what happened.
struct Watching<'a> {
    begun: Option<Sender<()>>,
    happened: &'a OnceLock<Timestamp>,
    stop: &'a AtomicBool,
}

impl Observer for Watching<'_> {
    fn events(&mut self, events: Vec<Event>) {
        let frames = events.iter().filter_map(Event::frame);
        for frame in frames.filter(|frame| frame.counts.events() > 0) {
            if let Some(begun) = self.begun.take() {
                begun.send(()).unwrap();
            }
            if self.happened.get().is_some_and(|happened| frame.start > *happened) {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Runs updates, during which something happens to the server, until they go on after it; gives what
/// was counted, and what `disturb` gave.
fn disturbed<T: Send + Sync>(
    database: &Database,
    disturb: impl FnOnce() -> T + Send,
) -> (Outcome, T) {
    let mut job = job(1, 500, 1);
    job.work.update_pct = 100.0;
    // In intervals of a quarter of a second.
    job.limit = Limit { time: Nanos::from_millis(19_000), operations: None };
    database.setup(&job).unwrap();
    let (begun, begins) = channel();
    let (happened, result) = (OnceLock::new(), OnceLock::new());
    let (happened_at, result_of) = (&happened, &result);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            bounded::recv(&begins);
            result_of.get_or_init(disturb);
            happened_at.get_or_init(|| Calendar::read().at(now_ns()));
        });
        with_hooks(|hooks| {
            let system = open(&database.address(), &job, hooks).unwrap();
            let mut watching =
                Watching { begun: Some(begun), happened: &happened, stop: hooks.stop };
            run(&*system, &job, hooks.stop, &mut watching).unwrap()
        })
    });
    assert_eq!(outcome.ended, Ended::Interrupted, "it did not go on: {:?}", outcome.faults);
    (outcome, result.into_inner().unwrap())
}

/// Every operation was reported once: those that failed were done by the server or not, all
/// others were.
fn conserved(database: &Database, outcome: &Outcome) {
    let done = database.number("select sum(touched) from isotherm_1.blocks");
    let (well, failed) = (outcome.operations(), outcome.failed());
    // Up to four more were in flight when the time was over.
    assert!(done >= well && done <= well + failed + 4, "{done} of {well} and {failed}");
    // At least a microsecond of the server's CPU for each, seen also of processes that ended.
    let cpu_ns = observed(outcome, "server cpu");
    assert!(cpu_ns > well * 1_000, "{:?}", outcome.observed);
    let faults: u64 = outcome.faults.iter().map(|(_, times)| times).sum();
    assert_eq!(faults, failed);
}

#[test]
fn connections_that_are_ended_are_made_anew() {
    let Some(database) = Database::new("ended") else { return };
    let (outcome, ended) = disturbed(&database, || {
        database.number(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity \
             where datname = 'ended' and application_name = 'isotherm' and query ~ 'update'",
        )
    });
    conserved(&database, &outcome);
    // Each of them was doing an operation, or was given its next one.
    let words = "SQLSTATE 57P01: the connection was ended by an administrator";
    assert_eq!(outcome.faults, [(words.to_owned(), ended)]);
    assert!((1..=4).contains(&ended), "{ended} connections were ended");
}

#[test]
fn a_run_outlives_a_crash_of_the_server() {
    let Some(database) = Database::new("crashed") else { return };
    let (outcome, ()) = disturbed(&database, || {
        let ours = "select pid from pg_stat_activity where application_name = 'isotherm' limit 1";
        let pid = database.sql(ours);
        assert!(bounded::status(Command::new("kill").args(["-9", &pid])).success());
    });
    conserved(&database, &outcome);
    assert!(outcome.failed() > 0, "nothing happened");
}

#[test]
fn teardown_takes_what_setup_made_and_nothing_else() {
    let Some(database) = Database::new("torn_down") else { return };
    let job = job(3, 100, 1);
    database.sql("create schema isotherm_9; create table isotherm_9.blocks (id int)");
    database.sql(
        "create schema isotherm_load; comment on schema isotherm_load is 'isotherm load data'",
    );
    database.setup(&job).unwrap();
    database.sql("create table isotherm_2.mine (id int)");
    database.sql("create view public.mine as select id from isotherm_3.blocks");
    let said = with_hooks(|hooks| teardown(&database.address(), &job, hooks)).unwrap();
    assert!(said[0] == "isotherm_1 dropped" && said.len() == 3, "{said:?}");
    assert!(said[1..].iter().all(|words| words.contains("left as it is")), "{said:?}");
    let left = database.sql("select string_agg(nspname, ' ' order by nspname) from pg_namespace where nspname ~ '^isotherm'");
    assert_eq!(left, "isotherm_2 isotherm_3 isotherm_9 isotherm_load");
    assert_eq!(database.number("select count(*) from isotherm_2.blocks"), 100);
    database.sql("drop table isotherm_2.mine; drop view mine");
    with_hooks(|hooks| teardown(&database.address(), &job, hooks)).unwrap();
    assert_eq!(
        database.number("select count(*) from pg_namespace where nspname ~ '^isotherm_[1-8]'"),
        0
    );
}

#[test]
fn a_schema_of_somebody_else_is_not_touched() {
    let Some(database) = Database::new("foreign_schema") else { return };
    database.sql("create schema isotherm_2; create table isotherm_2.blocks as select 7 as id");
    let refused = database.setup(&job(2, 100, 1)).unwrap_err();
    assert!(matches!(&refused, LoadError::Unsafe(words) if words.contains("isotherm_2")));
    assert_eq!(database.number("select id from isotherm_2.blocks"), 7);
    let missing = with_hooks(|hooks| open(&database.address(), &job(2, 100, 1), hooks).err());
    assert!(matches!(missing, Some(LoadError::Job(words)) if words.contains("stress setup")));
}

#[test]
fn a_missing_privilege_is_named() {
    let Some(database) = Database::new("privileges") else { return };
    database.sql("create role weak login");
    let weak = database.address_of("weak");
    let job = job(1, 100, 1);
    let refused = with_hooks(|hooks| setup(&weak, &job, hooks)).unwrap_err();
    let grant = r#"GRANT CREATE ON DATABASE "privileges" TO "weak";"#;
    assert!(matches!(&refused, LoadError::Unreachable(words) if words.contains(grant)));
    database.setup(&job).unwrap();
    let open = || with_hooks(|hooks| open(&weak, &job, hooks).map(|_| ()));
    let refused = open().unwrap_err();
    let grant = r#"GRANT SELECT, UPDATE ON isotherm_1.blocks TO "weak";"#;
    assert!(
        matches!(&refused, LoadError::Unreachable(words) if words.contains(grant)),
        "{refused}"
    );
    database
        .sql("grant usage on schema isotherm_1 to weak; grant select on isotherm_1.blocks to weak");
    let refused = open().unwrap_err();
    assert!(
        matches!(&refused, LoadError::Unreachable(words) if words.contains(grant)),
        "{refused}"
    );
    database.sql("grant update on isotherm_1.blocks to weak");
    open().unwrap();
}

#[test]
fn passwords_are_proven_in_every_way_a_server_asks_for() {
    let Some(database) = Database::new("passwords") else { return };
    database
        .sql("set password_encryption = 'scram-sha-256'; create role scram login password 'pä:ss'");
    database.sql("set password_encryption = 'md5'; create role md5 login password 'old'");
    database.sql("create role clear login password 'plain'");
    let file = format!("{}/data/pg_hba.conf", database.server.folder);
    let rules = std::fs::read_to_string(&file).unwrap();
    let ours = "local all scram scram-sha-256\nlocal all md5 md5\nlocal all clear password\n\
        local passwords nobody reject\n";
    std::fs::write(&file, format!("{ours}{rules}")).unwrap();
    database.sql("select pg_reload_conf()");
    database.setup(&job(1, 100, 1)).unwrap();
    database.sql("grant usage on schema isotherm_1 to public; grant select, update on isotherm_1.blocks to public");
    let open = |logon: &str| {
        with_hooks(|hooks| open(&database.address_of(logon), &job(1, 100, 1), hooks).map(|_| ()))
    };
    // The server reads its rules anew a moment later.
    bounded::until("a server with new rules", || open("scram").err());
    for logon in ["scram:p%C3%A4%3Ass", "md5:old", "clear:plain"] {
        open(logon).unwrap_or_else(|error| panic!("{logon}: {error}"));
    }
    for logon in ["scram:wrong", "md5:wrong", "clear:wrong", "scram", "nobody"] {
        let refused = open(logon).unwrap_err();
        let words = match (&refused, logon) {
            // None is known, and so it can be asked for.
            (LoadError::Password(words), "scram") => words,
            (LoadError::Unreachable(words), _) if logon != "scram" => words,
            _ => panic!("{logon}: {refused}"),
        };
        assert!(!words.contains("wrong"), "{words}");
    }
}

#[test]
fn nobody_there_is_reported_and_what_was_tried() {
    let nowhere = Address::parse("postgres://me@/db?host=/nowhere").unwrap();
    let refused = with_hooks(|hooks| open(&nowhere, &job(1, 100, 1), hooks).err().unwrap());
    let words =
        "cannot log on to db as me at /nowhere/.s.PGSQL.5432: there is no such socket or host";
    assert_eq!(refused, LoadError::Unreachable(words.to_owned()));
}

#[test]
fn connections_are_encrypted_and_the_server_is_who_it_says() {
    let reserved = ReservedPort::new();
    let port = reserved.number;
    let listens = ["-c", "listen_addresses=localhost"];
    let Some(server) = Started::new("postgres", &listens, &[("PGPORT", &port.to_string())]) else {
        return;
    };
    let psql = |sql: &str| {
        let mut command = Command::new("psql");
        command.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-h", &server.folder]);
        command.args(["-p", &port.to_string(), "-U", "isotherm", "-d", "postgres", "-c", sql]);
        let ran = bounded::output(&mut command);
        assert!(ran.status.success(), "{sql}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    let job = job(1, 500, 5);
    let address = |mode: &str| {
        Address::parse(&format!("postgres://isotherm@localhost:{port}/postgres?sslmode={mode}"))
            .unwrap()
    };
    let refused = with_hooks(|hooks| setup(&address("require"), &job, hooks)).unwrap_err();
    assert!(refused.to_string().contains("speaks no TLS"), "{refused}");
    with_hooks(|hooks| setup(&address("prefer"), &job, hooks)).unwrap();

    // Run by the server, so that the key belongs to its user.
    psql(
        "copy (select 1) to program 'openssl req -x509 -newkey rsa:2048 -nodes -days 2 \
         -subj /CN=localhost -addext subjectAltName=DNS:localhost \
         -addext basicConstraints=critical,CA:FALSE -keyout server.key -out server.crt \
         2>/dev/null && chmod 600 server.key'",
    );
    psql("alter system set ssl = on");
    psql("select pg_reload_conf()");
    let connection = |mode: &str| {
        with_hooks(|hooks| open(&address(mode), &job, hooks)).map(|system| {
            let facts = system.facts();
            facts.into_iter().find(|(name, _)| name == "connection").unwrap().1
        })
    };
    let encrypted = bounded::until("a server that speaks TLS", || connection("require").ok());
    assert_eq!(encrypted, "TCP, TLSv1.3");
    assert_eq!(connection("prefer").unwrap(), "TCP, TLSv1.3");
    assert_eq!(connection("disable").unwrap(), "TCP, not encrypted");
    let unknown = connection("verify-full").unwrap_err();
    assert!(
        matches!(&unknown, LoadError::Unreachable(words) if words.contains("TLS")),
        "{unknown}"
    );
    let certificate = format!("verify-full&sslrootcert={}/data/server.crt", server.folder);
    assert_eq!(connection(&certificate).unwrap(), "TCP, TLSv1.3");

    for mode in ["require", "disable"] {
        let outcome = with_hooks(|hooks| {
            let system = open(&address(mode), &job, hooks).unwrap();
            run(&*system, &job, hooks.stop, &mut |_| {}).unwrap()
        });
        assert_eq!((outcome.operations(), outcome.failed()), (2_000, 0), "{:?}", outcome.faults);
    }
    // More is copied in at once than buffers take.
    with_hooks(|hooks| teardown(&address("require"), &job, hooks)).unwrap();
    let said = with_hooks(|hooks| setup(&address("require"), &job, hooks)).unwrap();
    assert!(said.iter().any(|words| words.contains("500 rows on 500 blocks")), "{said:?}");
}
