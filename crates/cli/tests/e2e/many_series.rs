//! What listens or asks, and is given ever new series: memory has a bound (a million of them in
//! `cargo xtask exhaustive`).

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use testing::{bounded, grid};

use super::memory::peak_of;
use super::scraped::listening;
use super::{Room, isotherm, signal};

/// The default of `--memory`.
const DEFAULT_KIB: u64 = 256 << 10;
/// How long the programs may run.
const LIMIT: Duration = Duration::from_mins(15);

/// An export with running totals of so many series from this one on.
fn export(series: std::ops::Range<u32>, total: u32) -> String {
    let point = |n: u32| {
        format!(
            "{{\"attributes\":[{{\"key\":\"id\",\"value\":{{\"stringValue\":\"user-{n}\"}}}}],\
             \"startTimeUnixNano\":\"1770000000000000000\",\"timeUnixNano\":\"{}\",\"count\":\"{total}\",\"sum\":0.5,\
             \"bucketCounts\":[\"{total}\",\"0\",\"0\",\"0\"],\"explicitBounds\":[0.1,0.2,0.3]}}",
            1_770_000_000_000_000_000 + u64::from(total) * 1_000_000_000
        )
    };
    let points: Vec<String> = series.map(point).collect();
    format!(
        "{{\"resourceMetrics\":[{{\"scopeMetrics\":[{{\"metrics\":[{{\"name\":\"rpc\",\"unit\":\"s\",\"histogram\":\
         {{\"aggregationTemporality\":2,\"dataPoints\":[{}]}}}}]}}]}}]}}",
        points.join(",")
    )
}

/// Posts an export; again where there is no room for it yet.
fn post(place: &str, body: &str) {
    bounded::until("an export that is taken", || {
        let mut stream = bounded::connect(place).ok()?;
        let head = "POST /v1/metrics HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length:";
        write!(stream, "{head} {}\r\n\r\n{body}", body.len()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.contains(" 200 ").then_some(())
    });
}

#[test]
fn exports_of_ever_new_series_take_no_more_than_the_default_memory() {
    let (room, series) = (Room::new(), grid::cases(1_000_000_u32, 8_000));
    let mut command = isotherm(&["record", "otlp:127.0.0.1:0", "-o", &room.name("o.heat")]);
    let stderr = File::create(room.path("stderr")).unwrap();
    let child = bounded::spawn_for(command.stderr(stderr), LIMIT);
    let place = bounded::until("a listener", || listening::address_of(child.id()));
    for total in 1..=2 {
        for first in (0..series).step_by(4_000) {
            post(&place, &export(first..first + 4_000, total));
        }
    }
    let most = peak_of(child.id()).unwrap();
    signal(&child, Signal::INT);
    let message = fs::read_to_string(room.path("stderr")).unwrap();
    assert!(most <= DEFAULT_KIB, "{most} KiB: {message}");
}

#[test]
fn scraped_pages_of_ever_new_series_take_no_more_than_the_default_memory() {
    const PAGE: u32 = 4_000;
    let (room, series) = (Room::new(), grid::cases(1_000_000_u32, 8_000));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    let (sent, is_over) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
    let server = {
        let (sent, is_over) = (Arc::clone(&sent), Arc::clone(&is_over));
        std::thread::spawn(move || {
            // ends: the test sets it, and connects once more.
            while !is_over.load(Ordering::SeqCst) {
                let Ok(mut stream) = bounded::accept(&listener) else { return };
                let first = sent.load(Ordering::SeqCst);
                let mut page = String::from("# TYPE x_seconds histogram\n");
                for n in first..first + PAGE {
                    for bound in ["0.1", "1", "+Inf"] {
                        writeln!(page, "x_seconds_bucket{{op=\"user-{n}\",le=\"{bound}\"}} 1")
                            .unwrap();
                    }
                    writeln!(page, "x_seconds_sum{{op=\"user-{n}\"}} 0.05").unwrap();
                    writeln!(page, "x_seconds_count{{op=\"user-{n}\"}} 1").unwrap();
                }
                let mut question = [0; 4_096];
                let asked = stream.read(&mut question).unwrap_or(0);
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length:";
                let answered = write!(stream, "{head} {}\r\n\r\n{page}", page.len());
                if asked > 0 && answered.is_ok() {
                    sent.fetch_add(PAGE, Ordering::SeqCst);
                }
            }
        })
    };
    let (address, heat) = (format!("prom+http://{place}/metrics"), room.name("p.heat"));
    let mut command = isotherm(&["record", &address, "-o", &heat, "--interval", "100ms"]);
    let stderr = File::create(room.path("stderr")).unwrap();
    let child = bounded::spawn_for(command.stderr(stderr), LIMIT);
    // ends: the program is ended after its limit, and asks no more.
    while sent.load(Ordering::SeqCst) < series && peak_of(child.id()).is_some() {
        // wall clock: it is looked at again a little later.
        std::thread::sleep(Duration::from_millis(20));
    }
    let most = peak_of(child.id());
    signal(&child, Signal::INT);
    is_over.store(true, Ordering::SeqCst);
    let _ = bounded::connect(place);
    bounded::join(server);
    let message = fs::read_to_string(room.path("stderr")).unwrap();
    assert!(sent.load(Ordering::SeqCst) >= series, "{message}");
    assert!(most.is_some_and(|most| most <= DEFAULT_KIB), "{most:?} KiB: {message}");
}
