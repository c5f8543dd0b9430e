//! Waits of a real `PostgreSQL` server, sampled: what lasted is told, with its length.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use isotherm_frame::{Histogram, Nanos, Reading};
use isotherm_sources::{Context, Feed, Item, LiveOptions, Only};

use self::started::Started;

#[path = "fake/started.rs"]
mod started;

/// A `PostgreSQL` server.
struct Server(Started);

impl Server {
    /// `None` where `PostgreSQL` is not installed.
    fn new() -> Option<Server> {
        Server::with(&[])
    }

    /// The same with settings.
    fn with(settings: &[&str]) -> Option<Server> {
        let arguments: Vec<&str> = settings.iter().flat_map(|setting| ["-c", setting]).collect();
        Started::new("postgres", &arguments, &[]).map(Server)
    }

    fn session(&self) -> Session {
        let mut child = Command::new("psql")
            .args(["-XqAt", "-h", &self.0.folder, "-U", "isotherm", "-d", "postgres"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (says, said) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Session { child, says, said: BufReader::new(said) }
    }

    fn feed(&self, parameters: &str, context: Context) -> Feed {
        let address = format!("postgres://isotherm@/postgres?host={}&{parameters}", self.0.folder);
        let options = LiveOptions { context, ..LiveOptions::default() };
        Feed::open(&address.parse().unwrap(), &options).unwrap()
    }
}

/// A client.
struct Session {
    child: Child,
    says: ChildStdin,
    said: BufReader<std::process::ChildStdout>,
}

impl Session {
    /// Says something and goes on.
    fn say(&mut self, sql: &str) {
        writeln!(self.says, "{sql}").unwrap();
    }

    /// The next line that the server answers.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Takes what the source says until `enough`; the waits that ended meanwhile.
fn waits_until(
    feed: &Feed,
    enough: impl Fn(&[(String, Nanos)], u32) -> bool,
) -> Vec<(String, Nanos)> {
    let (mut found, mut looks) = (Vec::new(), 0);
    // wall clock: a wait that is never seen must not hold the tests
    let began = Instant::now();
    while !enough(&found, looks) {
        // wall clock: the same
        assert!(began.elapsed() < Duration::from_mins(1), "only {found:?} in {looks} looks");
        for item in feed.receiver().recv_timeout(Duration::from_mins(1)).unwrap() {
            match item {
                Item::Reading(Reading::Event { series, latency, .. }) => {
                    found.push((series.full(), latency));
                }
                Item::Alive(_) => looks += 1,
                Item::Ended(ending) => panic!("{:?}", ending.error),
                _ => {}
            }
        }
    }
    found
}

/// The first wait that ends.
fn first_wait(feed: &Feed) -> (String, Nanos) {
    waits_until(feed, |found, _| !found.is_empty()).swap_remove(0)
}

/// Lets the source look at what is now, however late its looks come.
fn looked(feed: &Feed) {
    let found = waits_until(feed, |_, looks| looks >= 2);
    assert_eq!(found, [], "nothing has ended yet");
}

/// What is said at the end.
fn ended(feed: &Feed) -> String {
    feed.stop();
    let mut said = Vec::new();
    while let Ok(items) = feed.receiver().recv_timeout(Duration::from_secs(10)) {
        for item in items {
            if let Item::Note(note) = item {
                said.push(format!("{note:?}"));
            }
        }
    }
    said.join("\n")
}

#[test]
fn sessions_that_sleep_are_as_many_on_average_as_there_are() {
    let Some(server) = Server::new() else { return };
    let mut sleepers = [server.session(), server.session(), server.session()];
    for sleeper in &mut sleepers {
        sleeper.say("select 'ready'; select pg_sleep(600);");
        assert_eq!(sleeper.line(), "ready");
    }
    let feed = server.feed("waits=sessions&hz=50", Context::default());
    let (mut seen, mut waited, mut lasted, mut said) = (0, 0, 0, false);
    while seen < 20 {
        // wall clock: a sample that is never seen must not hold the tests
        for item in feed.receiver().recv_timeout(Duration::from_mins(1)).unwrap() {
            let frame = match item {
                Item::Reading(Reading::Delta(frame)) => frame,
                Item::Note(note) => {
                    said |= format!("{note:?}").contains("samples of active sessions");
                    continue;
                }
                _ => continue,
            };
            let is_sleep = frame.series.full() == "sampled waits{event=Timeout:PgSleep}";
            // A session may not have begun to sleep at the first samples.
            if is_sleep && frame.counts.events() == 3 {
                seen += 1;
                waited += frame.counts.partly_known_sum().unwrap().as_nanos();
                lasted += frame.end.since(frame.start).as_nanos();
            }
        }
    }
    assert_eq!((waited, said), (3 * lasted, true));
}

#[test]
fn what_the_server_has_to_show_is_listed() {
    let Some(server) = Server::with(&["track_wal_io_timing=on", "wal_sync_method=fsync"]) else {
        return;
    };
    let mut session = server.session();
    session.say("create table t (i int); insert into t values (1); checkpoint; select 'made';");
    assert_eq!(session.line(), "made");
    session.say("select pg_sleep(600);");
    let address = format!("postgres://isotherm@/postgres?host={}", server.0.folder);
    let address: isotherm_sources::Address = address.parse().unwrap();
    let is_there = |class: &str, name: &str| {
        let mut warned = Vec::new();
        let events = address.events(&mut |warning| warned.push(warning)).unwrap().unwrap();
        // pg_stat_statements is not preloaded, and pg_stat_io is not in every release.
        assert!(warned.iter().any(|warning| warning.contains("averages=statements")), "{warned:?}");
        events.iter().any(|event| event.class.starts_with(class) && event.name.starts_with(name))
    };
    // wall clock: the server tells its statistics a moment later, and the sleep has to begin
    let deadline = Instant::now() + Duration::from_mins(1);
    for (class, name) in
        [("averages=checkpointer", "checkpoint write"), ("sampled", "Timeout:PgSleep")]
    {
        while !is_there(class, name) {
            // wall clock: the same
            assert!(Instant::now() < deadline, "there is no {name} of {class}");
        }
    }
}

#[test]
fn a_wait_for_a_lock_has_the_length_that_its_statement_had() {
    let Some(server) = Server::new() else { return };
    let (mut holder, mut waiter) = (server.session(), server.session());
    holder.say("create table t (i int primary key); insert into t values (1); select 'made';");
    assert_eq!(holder.line(), "made");
    let by = vec!["event".to_owned(), "database".to_owned(), "user".to_owned()];
    let feed = server.feed("hz=50", Context { by, ..Context::default() });
    looked(&feed);
    holder.say("begin; update t set i = i; select 'held';");
    assert_eq!(holder.line(), "held");
    waiter.say("select extract(epoch from clock_timestamp()) as began \\gset");
    waiter.say("update t set i = i;");
    waiter.say("select ((extract(epoch from clock_timestamp()) - :began) * 1000000)::bigint;");
    // The wait is a second of the server's own clock, with what else happens on this machine.
    holder.say("select pg_sleep(1)::text || 'slept'; commit;");
    assert_eq!(holder.line(), "slept");
    let update = Nanos::from_micros(waiter.line().parse().unwrap());
    // Between its two statements the holder idles in its transaction, and may be seen to.
    let is_lock = |(series, _): &&(String, Nanos)| series.starts_with("Lock:");
    let found = waits_until(&feed, |found, _| found.iter().any(|one| is_lock(&one)));
    let (series, length) = found.iter().find(is_lock).unwrap().clone();
    assert_eq!(series, "Lock:transactionid{database=postgres,user=isotherm}");
    // The statement did nothing but wait; a look may come late on a machine that is busy.
    let off = length.as_secs_f64() - update.as_secs_f64();
    assert!(off.abs() < update.as_secs_f64() / 2.0, "{length} of {update}");
    let said = ended(&feed);
    assert!(said.contains("Timeout:PgSleep") && said.contains("Lock:transactionid"), "{said}");
    assert!(said.contains("ms on average"), "{said}");
}

#[test]
fn a_transaction_that_idles_is_told_and_conditions_choose() {
    let Some(server) = Server::new() else { return };
    let mut session = server.session();
    let only = |pattern: &str| Only {
        attribute: "state".to_owned(),
        pattern: pattern.to_owned(),
        other: false,
    };
    let wanted = Context { only: vec![only("idle in transaction")], ..Context::default() };
    let feed = server.feed("hz=50", wanted);
    let left_out =
        server.feed("hz=50", Context { only: vec![only("active")], ..Context::default() });
    // As one query: between two it idles too.
    session.say("begin\\; select 1;");
    assert_eq!(session.line(), "1");
    looked(&feed);
    // wall clock: what idles must idle for a while
    std::thread::sleep(Duration::from_millis(700));
    session.say("select 2; commit;");
    assert_eq!(session.line(), "2");
    let (series, length) = first_wait(&feed);
    assert_eq!(series, "Client:idle in transaction");
    // However late a look comes, the middle between two is not before half of the wait.
    assert!(length >= Nanos::from_millis(350), "{length}");
    let said = ended(&left_out);
    assert!(!said.contains("Reading"), "{said}");
}

#[test]
fn what_the_server_refuses_is_told_with_what_to_do() {
    let Some(server) = Server::new() else { return };
    let refused = |address: &str| {
        let opened = Feed::open(&address.parse().unwrap(), &LiveOptions::default());
        let error = opened.err().unwrap();
        assert!(error.is_unreachable(), "{error}");
        error.to_string()
    };
    let missing = refused(&format!("postgres://isotherm:s3cret@/nowhere?host={}", server.0.folder));
    assert!(missing.contains("create it, or name another one"), "{missing}");
    assert!(!missing.contains("s3cret"));
    let nobody = refused("postgres://isotherm@127.0.0.1:1/postgres");
    assert!(nobody.contains("nothing listens there"), "{nobody}");
}

/// Takes totals until `enough` says so of the totals of a series.
fn totals_until(feed: &Feed, enough: impl Fn(&str, &Histogram) -> bool) -> Histogram {
    loop {
        // wall clock: a total that never comes must not hold the tests
        for item in feed.receiver().recv_timeout(Duration::from_mins(1)).unwrap() {
            match item {
                Item::Reading(Reading::Cumulative { series, total, .. })
                    if enough(&series.full(), &total) =>
                {
                    return total;
                }
                Item::Ended(ending) => panic!("{:?}", ending.error),
                _ => {}
            }
        }
    }
}

#[test]
fn statements_are_counted_as_often_as_they_were_run() {
    let Some(server) = Server::with(&["shared_preload_libraries=pg_stat_statements"]) else {
        return;
    };
    let mut session = server.session();
    session.say("create extension pg_stat_statements; select 'made';");
    assert_eq!(session.line(), "made");
    let feed = server.feed("averages=statements", Context::default());
    for _ in 0..37 {
        session.say("select 'counted', pg_sleep(0.002);");
        assert_eq!(session.line(), "counted|");
    }
    let counted = |series: &str, total: &Histogram| {
        series.contains("select $1, pg_sleep($2)") && total.events() >= 37
    };
    let total = totals_until(&feed, counted);
    assert_eq!((total.events(), total.is_averages()), (37, true));
    let own = "select calls || ' ' || total_exec_time from pg_stat_statements where query like \
               'select $1, pg_sleep%';";
    session.say(own);
    let line = session.line();
    let (calls, ms) = line.split_once(' ').unwrap();
    assert_eq!(calls, "37");
    let off = total.sum().unwrap().as_secs_f64() * 1e3 - ms.parse::<f64>().unwrap();
    assert!(off.abs() < 1e-3, "{off} ms");
}

#[test]
fn a_view_that_says_no_time_is_refused_with_what_to_do() {
    let Some(server) = Server::new() else { return };
    let refused = |view: &str| {
        let address =
            format!("postgres://isotherm@/postgres?host={}&averages={view}", server.0.folder);
        let opened = Feed::open(&address.parse().unwrap(), &LiveOptions::default());
        opened.err().map_or_else(String::new, |error| error.to_string())
    };
    assert!(refused("statements").contains("shared_preload_libraries"));
    let wal = refused("wal");
    assert!(wal.contains("track_wal_io_timing is off") || wal.contains("averages=io"), "{wal}");
    let io = refused("io");
    assert!(io.contains("track_io_timing is off") || io.contains("PostgreSQL 16"), "{io}");
    assert_eq!(refused("checkpointer"), "");
}
