//! Waits of a real `PostgreSQL` server, sampled: what lasted is told, with its length.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, SystemTime};

use isotherm_formats::{Context, Message, Only};
use isotherm_frame::{Histogram, Nanos, OpenWait, OpenWaits, Reading, Timestamp};
use isotherm_live::{Feed, LiveOptions, MessageBatch};
use testing::bounded::{self, Child, Deadline};

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
        let mut psql = Command::new("psql");
        psql.args(["-XqAt", "-h", &self.0.folder, "-U", "isotherm", "-d", "postgres"]);
        psql.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = bounded::spawn_for(&mut psql, Duration::from_secs(110));
        let (says, said) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Session { _child: child, says, said: BufReader::new(said) }
    }

    fn feed(&self, parameters: &str, context: Context) -> Feed {
        let address = format!("postgres://isotherm@/postgres?host={}&{parameters}", self.0.folder);
        let options = LiveOptions { context, ..LiveOptions::default() };
        Feed::open(&address.parse().unwrap(), &options).unwrap()
    }
}

/// A client; it is killed with the test.
struct Session {
    _child: Child,
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

/// What a feed has said of waits.
#[derive(Debug, Default)]
struct Heard {
    /// Those that ended, with their lengths.
    waits: Vec<(String, Nanos)>,
    /// When sessions were looked at.
    looks: Vec<Timestamp>,
    notes: Vec<String>,
    /// The waits that go on.
    open: OpenWaits,
}

impl Heard {
    fn take_batch(&mut self, batch: MessageBatch) {
        batch.messages.into_iter().for_each(|message| self.take(message));
        let error = batch.ending.and_then(|ending| ending.error);
        assert!(error.is_none(), "{error:?}");
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Reading(Reading::Sampled { series, latency, .. }) => {
                self.waits.push((series.full(), latency));
            }
            Message::Alive(at) => self.looks.push(at),
            Message::Waiting(open) => self.open = open,
            Message::Note(note) => self.notes.push(format!("{note:?}")),
            _ => {}
        }
    }

    /// Listens until `enough`.
    #[track_caller]
    fn until(&mut self, feed: &Feed, enough: impl Fn(&Heard) -> bool) {
        let deadline = Deadline::default();
        while !enough(self) {
            match feed.receiver().recv_timeout(deadline.left()) {
                Ok(batch) => self.take_batch(batch),
                Err(error) => panic!("{error}: {self:?}"),
            }
        }
    }

    /// Lets the source look at what is now, however late its looks come.
    fn look(&mut self, feed: &Feed) {
        let now = now();
        // The first may have begun before.
        self.until(feed, |heard| heard.looks.iter().filter(|at| **at > now).count() >= 2);
    }

    /// The length of the first wait of a series that ended.
    fn first(&self, series: &str) -> Option<Nanos> {
        self.waits.iter().find(|(name, _)| name == series).map(|(_, length)| *length)
    }

    /// The longest time between two looks, in seconds: the most by which a length may be off.
    fn longest_pause(&self) -> f64 {
        let pauses = self.looks.windows(2).map(|pair| pair[1].since(pair[0]).as_secs_f64());
        pauses.fold(0.0, f64::max)
    }

    /// Ends the feed and takes what it still says.
    fn end(&mut self, feed: &Feed) {
        feed.stop();
        let deadline = Deadline::default();
        loop {
            match feed.receiver().recv_timeout(deadline.left()) {
                Ok(batch) => self.take_batch(batch),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(error) => panic!("{error}: {self:?}"),
            }
        }
    }
}

fn now() -> Timestamp {
    // wall clock: the one by which the source says when it looked
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Timestamp::new(since.as_nanos().try_into().unwrap())
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
    let deadline = Deadline::default();
    while seen < 20 {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {seen} samples"));
        for message in batch.messages {
            let frame = match message {
                Message::Reading(Reading::Delta(frame)) => frame,
                Message::Note(note) => {
                    said |= format!("{note:?}").contains("samples of active sessions");
                    continue;
                }
                _ => continue,
            };
            let is_sleep = frame.series.full() == "sampled waits{event=Timeout:PgSleep}";
            // A session may not have begun to sleep at the first samples.
            let (time, length) =
                (frame.counts.waited_in(0), frame.end.since(frame.start).as_nanos());
            assert_eq!((frame.counts.events(), frame.counts.mean_ns()), (0, None));
            if is_sleep && time == 3 * length {
                seen += 1;
                (waited, lasted) = (waited + time, lasted + length);
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
    let address: isotherm_live::Address = address.parse().unwrap();
    let is_there = |class: &str, name: &str| {
        let mut warned = Vec::new();
        let events = address.events(&mut |warning| warned.push(warning)).unwrap().unwrap();
        // pg_stat_statements is not preloaded, and pg_stat_io is not in every release.
        assert!(warned.iter().any(|warning| warning.contains("averages=statements")), "{warned:?}");
        events.iter().any(|event| event.class.starts_with(class) && event.name.starts_with(name))
    };
    // The server tells its statistics a moment later, and the sleep has to begin.
    for (class, name) in
        [("averages=checkpointer", "checkpoint write"), ("sampled", "Timeout:PgSleep")]
    {
        bounded::until(name, || is_there(class, name).then_some(()));
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
    let (mut heard, lock) =
        (Heard::default(), "Lock:transactionid{database=postgres,user=isotherm}");
    heard.look(&feed);
    holder.say("begin; update t set i = i; select 'held';");
    assert_eq!(holder.line(), "held");
    waiter.say("select extract(epoch from clock_timestamp()) as began \\gset");
    waiter.say("update t set i = i;");
    waiter.say("select extract(epoch from clock_timestamp()) - :began;");
    let (mut sleeper, mut other) = (server.session(), server.session());
    sleeper.say("select pg_sleep(600);");
    bounded::until("both waits", || {
        let events = "('transactionid', 'PgSleep')";
        other.say(&format!("select count(*) from pg_stat_activity where wait_event in {events};"));
        (other.line() == "2").then_some(())
    });
    // The wait lasts longer than this, and not longer than its statement: both by the server's clock.
    holder.say("select extract(epoch from clock_timestamp()) as seen \\gset");
    holder.say("select pg_sleep(0.5)::text || 'slept';");
    assert_eq!(holder.line(), "slept");
    heard.look(&feed);
    assert_eq!(heard.first(lock), None, "it has not ended yet");
    holder.say("select extract(epoch from clock_timestamp()) - :seen; commit;");
    let least: f64 = holder.line().parse().unwrap();
    let most: f64 = waiter.line().parse().unwrap();
    heard.until(&feed, |heard| heard.first(lock).is_some());
    let (length, off) = (heard.first(lock).unwrap().as_secs_f64(), heard.longest_pause());
    assert!((least - off..=most + off).contains(&length), "{least} {length} {most} +- {off}");
    heard.end(&feed);
    let said = heard.notes.join("\n");
    assert!(said.contains("Timeout:PgSleep") && said.contains("Lock:transactionid"), "{said}");
    assert!(said.contains("ms on average"), "{said}");
}

#[test]
fn those_behind_a_lock_are_waiting_now_as_many_as_the_server_says_and_are_events_once() {
    let Some(server) = Server::new() else { return };
    let (mut holder, mut asks) = (server.session(), server.session());
    holder.say("create table t (i int); set application_name = 'nightly-job'; select 'made';");
    assert_eq!(holder.line(), "made");
    let feed = server.feed("hz=20", Context::default());
    let mut heard = Heard::default();
    heard.look(&feed);
    holder.say("begin; lock table t in access exclusive mode; select pg_backend_pid();");
    let blocker = format!("{} (nightly-job)", holder.line());
    let mut waiters: Vec<Session> = (0..8).map(|_| server.session()).collect();
    for waiter in &mut waiters {
        waiter.say("insert into t values (1); select 'went on';");
    }
    let mut locked = || {
        asks.say("select count(*) from pg_stat_activity where wait_event_type = 'Lock';");
        asks.line()
    };
    bounded::until("eight sessions wait", || (locked() == "8").then_some(()));
    let lock = "Lock:relation";
    let behind = |heard: &Heard| -> Vec<OpenWait> {
        let waits = heard.open.waits.iter();
        waits.filter(|wait| wait.series.full() == lock).cloned().collect()
    };
    // None of them goes on before the holder does: whenever we look, there are as many.
    let half_a_second = Nanos::from_millis(500);
    heard.until(&feed, |heard| {
        let lasts = |wait: &&OpenWait| heard.open.at.since(wait.begin) > half_a_second;
        let waits = behind(heard);
        waits.iter().filter(lasts).filter(|wait| wait.blocker.is_some()).count() >= 8
    });
    let waits = behind(&heard);
    assert_eq!(waits.len().to_string(), locked());
    assert!(waits.iter().all(|wait| wait.blocker.as_deref() == Some(&*blocker)), "{waits:?}");
    assert_eq!(heard.first(lock), None, "none has ended");
    holder.say("commit; select 'gone';");
    assert_eq!(holder.line(), "gone");
    let events = |heard: &Heard| heard.waits.iter().filter(|(name, _)| name == lock).count();
    heard.until(&feed, |heard| events(heard) >= 8 && heard.open.waits.is_empty());
    for waiter in &mut waiters {
        assert_eq!(waiter.line(), "went on");
    }
    heard.end(&feed);
    assert_eq!(events(&heard), 8, "each once: {:?}", heard.waits);
    assert!(heard.waits.iter().all(|(name, length)| name != lock || *length > half_a_second));
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
    let of = |pattern| Context { only: vec![only(pattern)], ..Context::default() };
    let feed = server.feed("hz=50", of("idle in transaction"));
    let left_out = server.feed("hz=50", of("active"));
    let (mut heard, mut others) = (Heard::default(), Heard::default());
    let idle = "Client:idle in transaction";
    // As one query: between two it idles too.
    session.say("begin\\; select extract(epoch from clock_timestamp());");
    let began: f64 = session.line().parse().unwrap();
    heard.look(&feed);
    let least = now();
    // wall clock: what idles for less than a second is idle
    std::thread::sleep(Duration::from_millis(1_100));
    heard.look(&feed);
    others.look(&left_out);
    assert_eq!(heard.first(idle), None, "it has not ended yet");
    let least = now().since(least).as_secs_f64();
    session.say("select extract(epoch from clock_timestamp()); commit;");
    let most = session.line().parse::<f64>().unwrap() - began;
    heard.until(&feed, |heard| heard.first(idle).is_some());
    let (length, off) = (heard.first(idle).unwrap().as_secs_f64(), heard.longest_pause());
    assert!((least - off..=most + off).contains(&length), "{least} {length} {most} +- {off}");
    others.look(&left_out);
    others.end(&left_out);
    assert_eq!(others.first(idle), None);
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
    let (deadline, mut seen) = (Deadline::default(), BTreeMap::new());
    loop {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {seen:?}"));
        for message in batch.messages {
            if let Message::Reading(Reading::Cumulative { series, total, .. }) = message {
                if enough(&series.full(), &total) {
                    return total;
                }
                seen.insert(series.full(), total.events());
            }
        }
        assert!(batch.ending.is_none(), "{:?}", batch.ending);
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
