//! A real Redis server that is asked live: what it counted is what is told.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use isotherm_formats::Message;
use isotherm_frame::{Assembler, BinnerLimits, Event, Frame, Gap, Nanos, Quality, Reading};
use isotherm_live::{Address, Feed, LiveOptions, OpenError};
use tempfile::TempDir;
use testing::bounded::{self, Child, Deadline};

/// A server on a socket of its own; ends with the test.
struct Started {
    child: Child,
    directory: TempDir,
}

impl Started {
    /// `None` where no server is installed.
    fn new(settings: &[&str]) -> Option<Started> {
        if bounded::try_output(Command::new("redis-server").arg("--version")).is_err() {
            writeln!(std::io::stderr(), "SKIPPED: redis-server is not installed").expect("said");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let child = start(&directory.path().join("r.sock"), settings);
        Some(Started { child, directory })
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("r.sock")
    }

    /// Ends it at once and starts it anew.
    fn restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::fs::remove_file(self.socket()).unwrap();
        self.child = start(&self.socket(), &[]);
    }

    fn open(&self, user: &str, interval_ms: u64) -> Result<Feed, OpenError> {
        let address = format!("redis://{user}{}", self.socket().display()).parse().unwrap();
        let interval = Some(Nanos::from_millis(interval_ms));
        Feed::open(&address, &LiveOptions { interval, ..LiveOptions::default() })
    }

    /// The same with options behind the address.
    fn open_with(&self, options: &str, interval_ms: u64) -> Result<Feed, OpenError> {
        let address = format!("redis://{}{options}", self.socket().display()).parse().unwrap();
        let interval = Some(Nanos::from_millis(interval_ms));
        Feed::open(&address, &LiveOptions { interval, ..LiveOptions::default() })
    }

    /// Command, first argument and microseconds of each entry of the log, in redis-cli's words.
    fn slow_log(&self) -> Vec<(String, String, u64)> {
        let mut client = Command::new("redis-cli");
        client.arg("-s").arg(self.socket()).args(["--json", "SLOWLOG", "GET", "1000"]);
        let output = bounded::output(&mut client);
        let log: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let word = |entry: &serde_json::Value, at: usize| {
            entry[3][at].as_str().unwrap_or_default().to_ascii_lowercase()
        };
        let entries = log.as_array().unwrap().iter();
        entries.map(|one| (word(one, 0), word(one, 1), one[2].as_u64().unwrap())).collect()
    }

    /// Says the same line on one connection so many times, each after the answer to the one
    /// before, so that the server has counted them all; gives the last answer.
    fn say(&self, line: &str, times: usize) -> String {
        let stream = UnixStream::connect(self.socket()).unwrap();
        stream.set_read_timeout(Some(bounded::LIMIT)).unwrap();
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        let mut answer = String::new();
        for _ in 0..times {
            stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
            answer.clear();
            answers.read_line(&mut answer).unwrap();
            // A value has a line of its own, after that of its length.
            if answer.starts_with('$') && answer.trim_end() != "$-1" {
                answer.clear();
                answers.read_line(&mut answer).unwrap();
            }
        }
        answer
    }
}

fn start(socket: &PathBuf, settings: &[&str]) -> Child {
    let mut redis = Command::new("redis-server");
    redis
        .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"])
        .arg(socket)
        .args(settings)
        .stdout(Stdio::null());
    let mut child = bounded::spawn_for(&mut redis, Duration::from_secs(110));
    // The server makes its socket when it is ready.
    bounded::until("a server that is ready", || {
        assert!(child.try_wait().unwrap().is_none(), "the server ended");
        UnixStream::connect(socket).ok()
    });
    child
}

/// What a feed says, assembled.
struct Reader {
    feed: Feed,
    assembler: Assembler,
    frames: Vec<Frame>,
    notes: Vec<String>,
}

impl Reader {
    fn new(feed: Feed) -> Reader {
        let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        Reader { feed, assembler, frames: Vec::new(), notes: Vec::new() }
    }

    /// Reads until there is a frame of the command that `wanted` accepts.
    fn until(&mut self, command: &str, wanted: impl Fn(&Frame) -> bool) {
        let (seen, deadline) = (self.frames.len(), Deadline::default());
        let there = |frame: &Frame| frame.series.name() == command && wanted(frame);
        while !self.frames.iter().skip(seen).any(there) {
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
                    Message::Note(note) => self.notes.push(format!("{note:?}")),
                    _ => {}
                }
            }
            assert!(batch.ending.is_none(), "{:?}", batch.ending);
        }
    }

    fn events(&self, command: &str) -> u64 {
        let of = self.frames.iter().filter(|frame| frame.series.name() == command);
        of.map(|frame| frame.counts.events()).sum()
    }
}

/// Calls and microseconds of each command, in the server's own words.
fn commandstats(server: &Started) -> BTreeMap<String, (u64, u64)> {
    let mut client = Command::new("redis-cli");
    client.arg("-s").arg(server.socket()).args(["INFO", "commandstats"]);
    let output = bounded::output(&mut client);
    let text = String::from_utf8(output.stdout).unwrap();
    let one = |line: &str| {
        let (name, values) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        let (calls, rest) = values.split_once(",usec=")?;
        let usec = rest.split(',').next()?;
        Some((name.to_owned(), (calls.parse().ok()?, usec.parse().ok()?)))
    };
    text.lines().filter_map(one).collect()
}

#[test]
fn calls_and_their_time_are_those_that_the_server_counted() {
    let Some(server) = Started::new(&[]) else { return };
    server.say("SET early 1", 7);
    let before = commandstats(&server);
    let mut reader = Reader::new(server.open("", 20).unwrap());
    reader.until("info", |frame| !frame.counts.is_empty());
    server.say("SET k v", 500);
    server.say("GET k", 300);
    server.say("DEBUG SLEEP 0.05", 1);
    server.say("ECHO done", 1);
    reader.until("echo", |frame| !frame.counts.is_empty());
    reader.until("info", |frame| !frame.counts.is_empty());
    assert_eq!(reader.events("set"), 500, "what was before is not told");
    assert_eq!(reader.events("get"), 300);
    let after = commandstats(&server);
    for command in ["set", "get"] {
        let of = reader.frames.iter().filter(|frame| frame.series.name() == command);
        let ns: u64 = of.map(|frame| frame.counts.sum().unwrap().as_nanos()).sum();
        let earlier = before.get(command).map_or(0, |(_, usec)| *usec);
        assert_eq!(ns, (after[command].1 - earlier) * 1_000, "{command}");
    }
}

/// The names of commands and their microseconds, until this one comes.
fn slow_until(feed: &Feed, command: &str) -> Vec<(String, u64)> {
    let (mut found, deadline) = (Vec::new(), Deadline::default());
    while !found.iter().any(|(name, _)| name == command) {
        let batch = feed.receiver().recv_timeout(deadline.left()).unwrap();
        for message in batch.messages {
            match message {
                Message::Reading(Reading::Event { series, latency, .. }) => {
                    found.push((series.name().to_owned(), latency.as_nanos() / 1_000));
                }
                Message::Rejected(rejection) => panic!("{rejection}"),
                _ => {}
            }
        }
        assert!(batch.ending.is_none(), "{:?}", batch.ending);
    }
    found
}

#[test]
fn slow_commands_are_told_one_by_one_and_once() {
    let settings = ["--slowlog-log-slower-than", "0", "--slowlog-max-len", "1000"];
    let Some(server) = Started::new(&settings) else { return };
    server.say("SET early 1", 7);
    let feed = server.open_with("?slowlog=1", 20).unwrap();
    // Our own question is in the log as well: what was before it was read, and left out.
    let before = slow_until(&feed, "slowlog");
    assert!(before.iter().all(|(name, _)| name == "slowlog"), "{before:?}");
    server.say("SET k v", 50);
    server.say("GET k", 30);
    server.say("ECHO done", 1);
    let told = slow_until(&feed, "echo");
    let log = server.slow_log();
    for (command, times) in [("set", 50), ("get", 30)] {
        let told = told.iter().filter(|(name, _)| name == command).map(|(_, us)| *us);
        let told: Vec<u64> = told.collect();
        assert_eq!(told.len(), times, "{command}");
        // The server's own log says how long each took; the newest comes first.
        let logged = log.iter().rev().filter(|(name, key, _)| (name == command) && key == "k");
        assert_eq!(told, logged.map(|one| one.2).collect::<Vec<u64>>(), "{command}");
    }
}

#[test]
fn commands_are_listed_with_their_calls_and_time() {
    let Some(server) = Started::new(&[]) else { return };
    server.say("SET a 1", 300);
    server.say("GET a", 200);
    let counted = commandstats(&server);
    let address: Address = format!("redis://{}", server.socket().display()).parse().unwrap();
    let events = address.events(&mut |warning| panic!("{warning}")).unwrap().unwrap();
    for (name, calls) in [("set", 300), ("get", 200)] {
        let event = events.iter().find(|event| event.name == name).unwrap();
        assert_eq!((event.waits, event.micros), (Some(calls), Some(counted[name].1)), "{name}");
    }
    assert!(events.is_sorted_by(|one, next| one.micros >= next.micros), "{events:?}");
}

#[test]
fn counters_that_begin_anew_are_a_gap() {
    let Some(mut server) = Started::new(&[]) else { return };
    server.say("SET k v", 10);
    let mut reader = Reader::new(server.open("", 20).unwrap());
    reader.until("info", |frame| !frame.counts.is_empty());
    server.say("CONFIG RESETSTAT", 1);
    reader.until("info", |frame| frame.quality == Quality::Gap(Gap::Reset));
    server.say("SET k v", 25);
    reader.until("set", |frame| !frame.counts.is_empty() || frame.is_gap());
    assert!(reader.events("set") <= 25);
    server.restart();
    server.say("SET k v", 40);
    reader.until("info", |frame| frame.quality == Quality::Gap(Gap::Reset));
    let notes = reader.notes.join("\n");
    assert!(notes.contains("connection lost") && notes.contains("connected again"), "{notes}");
    assert!(reader.events("set") <= 25, "what was counted unseen is not told");
}

#[test]
fn who_may_not_ask_is_told_what_is_missing() {
    let Some(server) = Started::new(&["--requirepass", "s3cret"]) else { return };
    let refused = |user: &str| match server.open(user, 20) {
        Err(error) => error.to_string(),
        // The refusal comes with the first poll.
        Ok(feed) => {
            let deadline = Deadline::default();
            loop {
                if let Some(ending) = deadline.recv(feed.receiver()).ending {
                    return ending.error.unwrap().to_string();
                }
            }
        }
    };
    let wrong = refused(":wr0ng@");
    assert!(wrong.contains("does not know user default"), "{wrong}");
    assert!(!wrong.contains("wr0ng"));
    let mut reader = Reader::new(server.open(":s3cret@", 20).unwrap());
    reader.until("info", |frame| !frame.counts.is_empty());
    let mut client = Command::new("redis-cli");
    client.arg("-s").arg(server.socket());
    client.args(["-a", "s3cret", "--no-auth-warning", "ACL", "SETUSER", "mon", "on", ">pw"]);
    let made = bounded::output(client.args(["+ping", "+info", "+multi", "+exec"]));
    assert!(made.status.success());
    let missing = refused("mon:pw@");
    assert!(missing.contains("+latency|histogram"), "{missing}");
}
