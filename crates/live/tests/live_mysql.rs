//! A real `MariaDB` server that is asked live: what it counted is what is told.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write;
use std::process::{Command, Stdio};

use isotherm_formats::{Context, Message};
use isotherm_frame::{Assembler, BinnerLimits, Event, Frame, Gap, Nanos, Quality};
use isotherm_live::{Feed, LiveOptions, OpenError};
use testing::bounded::{self, Deadline};

use self::started::Started;

#[path = "fake/started.rs"]
mod started;

/// A `MariaDB` server.
struct Server(Started);

/// The plugin, and that it counts.
const COUNTING: [&str; 2] =
    ["--plugin-load-add=query_response_time", "--query-response-time-stats=1"];

impl Server {
    /// `None` where `MariaDB` is not installed.
    fn new(settings: &[&str]) -> Option<Server> {
        Started::new("mariadb", settings, &[]).map(Server)
    }

    fn open(&self, user: &str, context: Context) -> Result<Feed, OpenError> {
        let address = format!("mysql://{user}@{}/m.sock", self.0.folder).parse().unwrap();
        let interval = Some(Nanos::from_millis(20));
        Feed::open(&address, &LiveOptions { interval, context, ..LiveOptions::default() })
    }

    /// Runs statements on one connection; gives the lines of the answers.
    fn run(&self, sql: &str) -> Vec<String> {
        let mut mariadb = Command::new("mariadb");
        mariadb.args(["--no-defaults", "-uroot", "-BNn", "-S"]);
        mariadb.arg(format!("{}/m.sock", self.0.folder));
        let mut child = bounded::spawn(mariadb.stdin(Stdio::piped()).stdout(Stdio::piped()));
        child.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{sql}");
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// Statements that the server has counted, of those that took at least as many seconds.
    fn counted(&self, seconds: f64) -> u64 {
        let sql = format!(
            "select coalesce(sum(COUNT), 0) from information_schema.QUERY_RESPONSE_TIME \
             where TIME > {seconds};"
        );
        self.run(&sql)[0].parse().unwrap()
    }
}

/// What a feed says, assembled.
struct Reader {
    feed: Feed,
    assembler: Assembler,
    frames: Vec<Frame>,
}

impl Reader {
    fn new(feed: Feed) -> Reader {
        let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        Reader { feed, assembler, frames: Vec::new() }
    }

    /// Reads until `wanted` accepts the frames from now on.
    fn until(&mut self, wanted: impl Fn(&[Frame]) -> bool) {
        let (seen, deadline) = (self.frames.len(), Deadline::default());
        while !wanted(&self.frames[seen..]) {
            let batch = self.feed.receiver().recv_timeout(deadline.left());
            let batch = batch.unwrap_or_else(|error| panic!("{error}: {:?}", self.frames));
            for message in batch.messages {
                match message {
                    Message::Reading(reading) => {
                        let frames = &mut self.frames;
                        self.assembler.push(reading, &mut |event| {
                            if let Event::Frame(frame) = event {
                                frames.push(frame);
                            }
                        });
                    }
                    Message::Rejected(rejection) => panic!("{rejection}"),
                    _ => {}
                }
            }
            assert!(batch.ending.is_none(), "{:?}", batch.ending);
        }
    }
}

/// Statements that took at least as long.
fn slower(frames: &[Frame], than: Nanos) -> u64 {
    let buckets = frames.iter().flat_map(|frame| frame.counts.non_zero());
    buckets.filter(|(bucket, _)| bucket.lo >= than).map(|(_, count)| count).sum()
}

fn events(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.counts.events()).sum()
}

#[test]
fn statements_and_their_time_are_those_that_were_run() {
    let Some(server) = Server::new(&COUNTING) else { return };
    server.run("select sleep(1.1);");
    let (tenth, second) = (Nanos::from_millis(100), Nanos::SECOND);
    let before = [server.counted(0.1), server.counted(1.0)];
    assert!(before[1] >= 1, "{before:?}");
    let mut reader = Reader::new(server.open("root", Context::default()).unwrap());
    reader.until(|frames| events(frames) > 0);
    // Each of 3 statements sleeps for 0.15 s. Others take as long on a busy machine only: the server
    // counts them, too.
    server.run(&"select sleep(0.15);\n".repeat(3));
    reader.until(|frames| slower(frames, tenth) >= 3);
    let told = [slower(&reader.frames, tenth), slower(&reader.frames, second)];
    let after = [server.counted(0.1), server.counted(1.0)];
    for at in 0..2 {
        let what = "what was before is not told";
        assert!(told[at] <= after[at] - before[at], "{what}: {told:?} {before:?} {after:?}");
    }
    let ns: u64 = reader.frames.iter().map(|frame| frame.counts.sum().unwrap().as_nanos()).sum();
    assert!(ns >= 450_000_000, "{ns} ns");
}

#[test]
fn many_statements_are_counted_to_the_last_one() {
    let Some(server) = Server::new(&COUNTING) else { return };
    let before = server.counted(0.0);
    let mut reader = Reader::new(server.open("root", Context::default()).unwrap());
    reader.until(|frames| !frames.is_empty());
    // All that is counted from here on is told, and nothing of what was counted before.
    let since = server.counted(0.0);
    server.run(&"do 1;\n".repeat(2_000));
    let until = server.counted(0.0);
    assert!(until - since >= 2_000, "{since} {until}");
    let earlier = events(&reader.frames);
    reader.until(|frames| earlier + events(frames) >= until - since);
    let (told, after) = (events(&reader.frames), server.counted(0.0));
    assert!(told <= after - before, "{told} {before} {after}");
}

#[test]
fn counters_that_begin_anew_are_a_gap() {
    let Some(server) = Server::new(&COUNTING) else { return };
    server.run(&"select sleep(0.01);\n".repeat(20));
    let mut reader = Reader::new(server.open("root", Context::default()).unwrap());
    reader.until(|frames| !frames.is_empty());
    server.run("flush query_response_time;");
    reader.until(|frames| frames.iter().any(|frame| frame.quality == Quality::Gap(Gap::Reset)));
}

#[test]
fn users_with_passwords_log_on() {
    let Some(server) = Server::new(&COUNTING) else { return };
    server.run("create user m@localhost identified by 's3cret';");
    let mut reader = Reader::new(server.open("m:s3cret", Context::default()).unwrap());
    reader.until(|frames| events(frames) > 0);
    let error = server.open("m:wrong", Context::default()).err().unwrap();
    let words = error.to_string();
    assert!(error.is_unreachable() && words.contains("wrong user or password"), "{words}");
    assert!(!words.contains("s3cret"), "{words}");
}

#[test]
fn what_is_not_there_is_told_with_what_to_do() {
    let Some(server) = Server::new(&[]) else { return };
    let told = |context| server.open("root", context).err().unwrap().to_string();
    let missing = told(Context::default());
    assert!(missing.contains("INSTALL SONAME 'query_response_time'"), "{missing}");
    server.run("install soname 'query_response_time';");
    let off = told(Context::default());
    assert!(off.contains("SET GLOBAL query_response_time_stats"), "{off}");
    let by = told(Context { by: vec!["statement".to_owned()], ..Context::default() });
    assert!(by.contains("leave --by out"), "{by}");
    let nobody = Feed::open(&"mysql://me@127.0.0.1:1".parse().unwrap(), &LiveOptions::default());
    let nobody = nobody.err().unwrap().to_string();
    assert!(nobody.contains("nothing listens there"), "{nobody}");
}
