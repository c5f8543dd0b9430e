//! Samples of a real `pg_wait_sampling`: as many are told as the server itself says there were.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

use isotherm_formats::Message;
use isotherm_frame::{Frame, Nanos, Reading};
use isotherm_live::{Feed, LiveOptions};
use testing::bounded::{self, Child, Deadline};

use self::started::Started;

#[path = "fake/started.rs"]
mod started;

struct Server(Started);

impl Server {
    /// `None` where `PostgreSQL` or its extension is not installed.
    fn sampling() -> Option<Server> {
        // More samples than there are in the longest test: none is overwritten.
        let settings = [
            "-c",
            "shared_preload_libraries=pg_wait_sampling",
            "-c",
            "pg_wait_sampling.history_size=100000",
        ];
        let server = Server(Started::new("postgres", &settings, &[])?);
        server.ask("create extension pg_wait_sampling");
        Some(server)
    }

    fn psql(&self, sql: &str) -> Command {
        let mut psql = Command::new("psql");
        psql.args(["-XqAt", "-h", &self.0.folder, "-U", "isotherm", "-d", "postgres", "-c", sql]);
        psql
    }

    fn ask(&self, sql: &str) -> String {
        let said = bounded::output(&mut self.psql(sql));
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap().trim().to_owned()
    }

    fn feed(&self, waits: &str) -> Result<Feed, String> {
        let address = format!("postgres://isotherm@/postgres?host={}&waits={waits}", self.0.folder);
        let options =
            LiveOptions { interval: Some(Nanos::from_millis(200)), ..LiveOptions::default() };
        Feed::open(&address.parse().unwrap(), &options).map_err(|error| error.to_string())
    }
}

const SLEEPS: &str = "sampled waits{event=Timeout:PgSleep}";

/// Takes readings until one satisfies.
fn until(feed: &Feed, mut enough: impl FnMut(&Reading) -> bool) {
    let (deadline, mut seen) = (Deadline::default(), Vec::new());
    loop {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {seen:?}"));
        for message in batch.messages {
            match message {
                Message::Reading(reading) if enough(&reading) => return,
                message => seen.push(message),
            }
        }
        assert!(batch.ending.is_none(), "{:?}", batch.ending);
    }
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
    let mut told = None;
    until(&feed, |reading| match reading {
        Reading::Cumulative { series, total, .. } if series.full() == SLEEPS => {
            // A sample stands for 10 ms of waiting: that is an estimate, and no event of 10 ms.
            assert!(total.is_empty() && (total.is_blank() || !total.time_waited().exact));
            told = Some(total.waited_in(0) / 10_000_000);
            told >= Some(counted)
        }
        _ => false,
    });
    assert_eq!(told, Some(counted));
}

#[test]
fn a_history_has_as_many_samples_as_the_ring_of_the_server() {
    let Some(server) = Server::sampling() else { return };
    let feed = server.feed("history").unwrap();
    // Two sessions that wait at once.
    let mut other: Child = bounded::spawn(&mut server.psql("select pg_sleep(0.5)"));
    server.ask("select pg_sleep(0.5)");
    assert!(other.wait().unwrap().success());
    let slept: i64 = server
        .ask("select (extract(epoch from clock_timestamp()) * 1000000)::bigint")
        .parse()
        .unwrap();
    let mut frames: Vec<Frame> = Vec::new();
    until(&feed, |reading| match reading {
        Reading::Delta(frame) if frame.series.full() == SLEEPS => {
            frames.push(frame.clone());
            frame.end.as_nanos() / 1_000 >= slept
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
    let told_us: u64 = frames.iter().map(|frame| frame.counts.waited_in(0) / 1_000).sum();
    assert!(counted > 0);
    // Each sample stands for the mean time between two.
    let apart = server.ask(
        "select min(us) || ' ' || max(us) from (select (extract(epoch from ts - lag(ts) over (order by \
         ts)) * 1000000)::bigint as us from (select distinct ts from pg_wait_sampling_history) as t) as u",
    );
    let (least, most) = apart.split_once(' ').unwrap();
    let (least, most): (u64, u64) = (least.parse().unwrap(), most.parse().unwrap());
    assert!(
        (counted * least..=counted * (most + 1)).contains(&told_us),
        "{told_us} {counted} {apart}"
    );
    for pair in frames.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
    }
}

#[test]
fn a_server_without_the_extension_is_refused_with_what_to_do() {
    let Some(server) = Started::new("postgres", &[], &[]).map(Server) else { return };
    for view in ["history", "profile"] {
        let why = server.feed(view).err().unwrap_or_default();
        assert!(why.contains("CREATE EXTENSION pg_wait_sampling"), "{why}");
    }
}
