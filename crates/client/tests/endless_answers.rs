//! A server of `PostgreSQL` that talks without an end is left when the time is over, and when we are asked to
//! stop.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use isotherm_client::postgres::address::{Logon, Place, RequiredAuth, TlsMode};
use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::talk::Talk;
use testing::bounded;

/// Messages that a server may send at any time, or as an answer, again and again.
const ENDLESS: [(&str, &[u8]); 4] = [
    ("rows", b"D\0\0\0\x0b\0\x01\0\0\0\x011"),
    ("notices", b"N\0\0\0\x0cMhello\0\0"),
    ("parameters", b"S\0\0\0\x08a\0b\0"),
    ("notifications", b"A\0\0\0\x0c\0\0\0\x01a\0b\0"),
];
const LOGGED_ON: &[u8] = b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02";
const READY: &[u8] = b"Z\0\0\0\x05I";

/// Starts a server that serves one client until it goes away: it repeats a message, as the answer to
/// the first statement or, where it does not let the client log on, in place of the end of the log-on.
/// It never cancels anything.
fn server(logs_on: bool, message: &'static [u8]) -> (Logon, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let logon = Logon {
        place: Place::Host("127.0.0.1".into(), listener.local_addr().unwrap().port()),
        user: "u".into(),
        password: None,
        database: "d".into(),
        tls: TlsMode::Disable,
        auth: RequiredAuth::default(),
        authorities: None,
        application: "isotherm".into(),
        options: None,
        timeout: Duration::from_millis(500),
    };
    let serves = thread::spawn(move || {
        let mut client = bounded::accept(&listener).unwrap();
        read(&mut client);
        client.write_all(LOGGED_ON).unwrap();
        if logs_on {
            client.write_all(READY).unwrap();
            read(&mut client);
        }
        while client.write_all(message).is_ok() {}
    });
    (logon, serves)
}

/// A message of 64 KiB.
fn long(tag: u8, before: &[u8]) -> Vec<u8> {
    let length = u32::try_from(4 + before.len() + (64 << 10)).unwrap();
    let head = [&[tag][..], &length.to_be_bytes(), before].concat();
    [head, vec![b'x'; 64 << 10]].concat()
}

/// Reads what a client says at once.
fn read(client: &mut TcpStream) {
    assert!(client.read(&mut [0; 4_096]).unwrap() > 0);
}

#[test]
fn an_answer_without_end_takes_no_longer_than_it_may() {
    for (what, message) in ENDLESS {
        let (logon, serves) = server(true, message);
        let talk = Talk::open(&logon).unwrap();
        let mut control = Control::over(talk, &logon, Duration::from_millis(300));
        let answer = control.rows("select 1");
        assert!(matches!(answer, Err(PgError::Late(_))), "{what}: {answer:?}");
        drop(control);
        bounded::join(serves);
    }
}

#[test]
fn an_answer_without_end_ends_when_we_are_asked_to_stop_although_the_server_does_not_cancel() {
    for (what, message) in ENDLESS {
        let (logon, serves) = server(true, message);
        let stop = AtomicBool::new(false);
        let mut control = Control::open(&logon, Some(&stop)).unwrap();
        stop.store(true, Ordering::Relaxed);
        let answer = control.rows("select 1");
        assert!(matches!(answer, Err(PgError::Stopped)), "{what}: {answer:?}");
        drop(control);
        bounded::join(serves);
    }
}

#[test]
fn logging_on_takes_no_longer_than_it_may_however_much_the_server_says() {
    for (what, message) in ENDLESS {
        let (logon, serves) = server(false, message);
        let answer = Talk::open(&logon).map(drop);
        assert!(matches!(answer, Err(PgError::Late(_))), "{what}: {answer:?}");
        bounded::join(serves);
    }
}

#[test]
fn an_answer_of_more_than_it_may_have_is_refused_where_it_may_take_any_time() {
    let row = long(b'D', b"\0\x01\0\x01\0\0");
    let notice = long(b'N', b"M");
    for message in [row, notice] {
        let (logon, serves) = server(true, message.leak());
        let never = AtomicBool::new(false);
        let mut control = Control::open(&logon, Some(&never)).unwrap();
        let answer = control.rows("select 1").map(|rows| rows.len());
        assert!(matches!(answer, Err(PgError::TooLong { .. })), "{answer:?}");
        drop(control);
        bounded::join(serves);
    }
}
