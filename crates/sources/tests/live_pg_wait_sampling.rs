//! Samples of a real `pg_wait_sampling`: as many are told as the server itself says there were.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use isotherm_frame::{Frame, Histogram, Nanos, Reading};
use isotherm_sources::{Feed, Item, LiveOptions};

/// A server that ends when this process does: it reads its end from its standard input.
struct Server {
    folder: String,
    _child: Child,
}

impl Server {
    /// `None` where `PostgreSQL` or its extension is not installed.
    fn new(settings: &[&str]) -> Option<Server> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/postgres");
        let mut child = Command::new(script)
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut folder = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut folder).unwrap();
        if folder.is_empty() {
            // A server that cannot load what it is to load ends with another status.
            let code = child.wait().unwrap().code();
            assert!(code == Some(77) || !settings.is_empty(), "the server did not start: {code:?}");
            let said = "SKIPPED: PostgreSQL with pg_wait_sampling is not installed";
            writeln!(std::io::stderr(), "{said}").expect("said");
            return None;
        }
        Some(Server { folder: folder.trim().to_owned(), _child: child })
    }

    fn sampling() -> Option<Server> {
        // The ring forgets nothing while a test looks at it.
        let ring = "pg_wait_sampling.history_size=100000";
        let server = Server::new(&["shared_preload_libraries=pg_wait_sampling", ring])?;
        server.ask("create extension pg_wait_sampling");
        Some(server)
    }

    fn ask(&self, sql: &str) -> String {
        let said = Command::new("psql")
            .args(["-XqAt", "-h", &self.folder, "-U", "isotherm", "-d", "postgres", "-c", sql])
            .output()
            .unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap().trim().to_owned()
    }

    fn feed(&self, waits: &str) -> Result<Feed, String> {
        let address = format!("postgres://isotherm@/postgres?host={}&waits={waits}", self.folder);
        let options =
            LiveOptions { interval: Some(Nanos::from_millis(200)), ..LiveOptions::default() };
        Feed::open(&address.parse().unwrap(), &options).map_err(|error| error.to_string())
    }
}

const SLEEPS: &str = "sampled waits{event=Timeout:PgSleep}";

/// So many readings may come before the one that a test waits for.
const PATIENCE: usize = 20_000;

/// Takes readings until one satisfies.
fn until(feed: &Feed, mut enough: impl FnMut(&Reading) -> bool) {
    let mut seen = 0;
    while seen < PATIENCE {
        // wall clock: a sample that is never seen must not hold the tests
        for item in feed.receiver().recv_timeout(Duration::from_mins(1)).unwrap() {
            match item {
                Item::Reading(reading) if enough(&reading) => return,
                Item::Reading(_) => seen += 1,
                Item::Ended(ending) => panic!("{:?}", ending.error),
                _ => {}
            }
        }
    }
    panic!("not among {seen} readings");
}

#[test]
fn a_profile_has_as_many_samples_as_the_server_counted() {
    let Some(server) = Server::sampling() else { return };
    let feed = server.feed("profile").unwrap();
    server.ask("select pg_sleep(0.5)");
    let counted: u64 = server
        .ask("select sum(count) from pg_wait_sampling_profile where event = 'PgSleep'")
        .parse()
        .unwrap();
    assert!(counted > 0);
    // A sample stands for 10 ms of waiting: that is an estimate, and is never given as exact.
    let is_all = |total: &Histogram| {
        total.events() == counted
            && total.sum().is_none()
            && total.partly_known_sum() == Some(Nanos::from_millis(10 * counted))
    };
    until(&feed, |reading| match reading {
        Reading::Cumulative { series, total, .. } => series.full() == SLEEPS && is_all(total),
        _ => false,
    });
}

#[test]
fn a_history_has_as_many_samples_as_the_ring_of_the_server() {
    let Some(server) = Server::sampling() else { return };
    let feed = server.feed("history").unwrap();
    // Two sessions that wait at once.
    let folder = server.folder.clone();
    let mut other = Command::new("psql")
        .args([
            "-XqAt",
            "-h",
            &folder,
            "-U",
            "isotherm",
            "-d",
            "postgres",
            "-c",
            "select pg_sleep(1)",
        ])
        .spawn()
        .unwrap();
    server.ask("select pg_sleep(1)");
    other.wait().unwrap();
    let mut frames: Vec<Frame> = Vec::new();
    until(&feed, |reading| match reading {
        Reading::Delta(frame) if frame.series.full() == SLEEPS => {
            frames.push(frame.clone());
            // The first interval after the sleeps has none.
            frame.counts.is_empty() && frames.len() > 2
        }
        _ => false,
    });
    let (start, end) =
        (frames[0].start.as_nanos() / 1_000, frames.last().unwrap().end.as_nanos() / 1_000);
    let counted: u64 = server
        .ask(&format!(
            "select count(*) from pg_wait_sampling_history where event = 'PgSleep' and \
             (extract(epoch from ts) * 1000000)::bigint > {start} and \
             (extract(epoch from ts) * 1000000)::bigint <= {end}"
        ))
        .parse()
        .unwrap();
    let told: u64 = frames.iter().map(|frame| frame.counts.events()).sum();
    assert_eq!(told, counted);
    for pair in frames.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
    }
}

#[test]
fn a_server_without_the_extension_is_refused_with_what_to_do() {
    let Some(server) = Server::new(&[]) else { return };
    for view in ["history", "profile"] {
        let why = server.feed(view).err().unwrap_or_default();
        assert!(why.contains("CREATE EXTENSION pg_wait_sampling"), "{why}");
    }
}
